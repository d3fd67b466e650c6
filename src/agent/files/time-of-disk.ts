import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The time of the disk below a folder, in milliseconds since 1970: that of its files is compared with it. On
 * a network file system, it is that of the server, from which the clock of this machine may differ.
 */
export async function timeOfDisk(folder: string): Promise<number> {
  const probe = join(folder, randomUUID());
  await mkdir(probe, { recursive: true, mode: 0o700 });
  try {
    return (await stat(probe)).ctimeMs;
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

export type TimeOfDisk = typeof timeOfDisk;
