import { renameSync, rmSync } from 'node:fs';

/**
 * Puts a finished folder in the place of another one. Processes that build at the same time see whole folders
 * only: all that happens in the place are renames.
 * @param isAsGood whether what another process has put there meanwhile may stay
 */
export function replaceFolder(staged: string, place: string, isAsGood: () => boolean): void {
  const replaced = `${staged}.replaced`;
  do {
    renameUnless('ENOENT', place, replaced);
    rmSync(replaced, { recursive: true, force: true });
  } while (!renameUnless('ENOTEMPTY', staged, place) && !isAsGood());
}

/** @returns false if it failed with this code */
function renameUnless(code: string, from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}
