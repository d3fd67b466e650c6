import { constants } from 'node:fs';
import { access, lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DIRECTORY_OF_CRIU, REMOVED_REMEDY, READ_ONLY_REMEDY, TAKEN_REMEDY } from '../criu/causes';
import { named, type Finding } from './finding';
import type { ProcessFacts } from './process-tree';

const DELETED = ' (deleted)';

/**
 * CRIU makes a directory in the working directory of a process, for a moment, and mounts a /proc there.
 * @param process one for which it does so
 */
export async function findWorkingDirectory(process: ProcessFacts): Promise<Finding[]> {
  const directory = `/proc/${process.pid}/cwd`;
  const path = await readlink(directory).catch(() => undefined);
  // It has ended.
  if (path === undefined) return [];
  const where = `The working directory of ${named(process).replace(/^The/, 'the')}`;
  if (path.endsWith(DELETED) && (await codeOf(lstat(path))) === 'ENOENT')
    return [
      {
        cause: 'file_changed',
        severity: 'block',
        message: `${where}, ${path.slice(0, -DELETED.length)}, was removed.`,
        remedy: REMOVED_REMEDY,
      },
    ];
  if ((await codeOf(access(directory, constants.W_OK))) === 'EROFS')
    return [
      {
        cause: 'mount_missing',
        severity: 'block',
        message: `${where} is ${path}, which is read-only.`,
        remedy: READ_ONLY_REMEDY,
      },
    ];
  if ((await codeOf(lstat(join(directory, DIRECTORY_OF_CRIU)))) === undefined)
    return [
      {
        // Of another dump, which may be over at once, or of one that was killed.
        cause: 'busy',
        severity: 'warn',
        message: `${where} has ${join(path, DIRECTORY_OF_CRIU)} in it, which is CRIU's during a dump.`,
        remedy: TAKEN_REMEDY,
      },
    ];
  return [];
}

/** @returns undefined if it succeeds */
const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
