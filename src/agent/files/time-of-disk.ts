import { stat, utimes } from 'node:fs/promises';
import { timestamp } from '../clock';

/**
 * The time of the disk of a folder, in milliseconds since 1970: that of its files is compared with it. On a
 * network file system, it is that of the server, from which the clock of this machine may differ. Nothing is
 * made for it: who asks wants to make room, and the disk may be full.
 */
export async function timeOfDisk(folder: string): Promise<number> {
  // The disk notes by its own clock that something was set, whatever that is.
  const seconds = Date.parse(timestamp()) / 1000;
  await utimes(folder, seconds, seconds);
  return (await stat(folder)).ctimeMs;
}

export type TimeOfDisk = typeof timeOfDisk;
