import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { timeOfDisk } from '../../files/time-of-disk';
import type { WorkloadFolder } from './workload-folder';

/** What was moved away is gone within moments, unless who removed it was killed. */
const LEFT_AFTER_MS = 3_600_000;

/** Removes folders of workloads that have ended, while others may begin under their names. */
export class EndedFolders {
  private readonly removed: string;

  constructor(stateDir: string) {
    this.removed = join(stateDir, 'removed');
  }

  /**
   * @param isStillUnwanted decides when nobody else can begin under its name any more
   * @returns false if somebody runs it, or if it is wanted after all
   */
  async remove(folder: WorkloadFolder, isStillUnwanted: () => boolean = () => true): Promise<boolean> {
    const lock = await folder.claim();
    if (!lock) return false;
    try {
      if (!isStillUnwanted()) return false;
      // A new supervisor of this name makes a new folder, and never finds half of the old one.
      const away = join(await this.folder(), randomUUID());
      await mkdir(away);
      await rename(folder.path, join(away, folder.name));
      await rm(away, { recursive: true, force: true });
      return true;
    } finally {
      lock.release();
    }
  }

  /** Removes what killed removals left. @param now of the disk */
  async removeLeftovers(now: number): Promise<void> {
    for (const name of await readdir(await this.folder())) {
      const path = join(this.removed, name);
      const at = (await stat(path).catch(() => undefined))?.mtimeMs ?? now;
      if (now - at > LEFT_AFTER_MS) await rm(path, { recursive: true, force: true });
    }
  }

  /** The time of the disk. */
  async now(): Promise<number> {
    return timeOfDisk(await this.folder());
  }

  private async folder(): Promise<string> {
    await mkdir(this.removed, { recursive: true, mode: 0o700 });
    return this.removed;
  }
}
