import { lstat, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '../clock';
import { DIRECTORY_OF_CRIU } from './causes';

/** CRIU has the directory for a moment, and its longest dump takes half an hour. */
const LEFT_AFTER_MS = 3_600_000;

/**
 * Removes the directory that a killed CRIU left in the working directory of one of these processes: nothing
 * there could be dumped any more. One that has something in it is somebody else's.
 */
export async function removeLeftDirectories(pids: readonly number[]): Promise<void> {
  const now = Date.parse(timestamp());
  for (const pid of pids) {
    const path = join('/proc', String(pid), 'cwd', DIRECTORY_OF_CRIU);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() && now - found.mtimeMs > LEFT_AFTER_MS) await rmdir(path).catch(() => undefined);
  }
}
