import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiskQueue } from './disk-queue';
import { READ_FILE, type FileHasher } from './file-hashes';
import { PIECE_BYTES } from '../manifest';

/** Images that CRIU appends to, and never changes where they are written. They hold nearly all bytes. */
export const PAGES = /^pages-\d+\.img$/;
const LOOK_AGAIN_MS = 5;
/** What is written to disk at once while the dump goes on. */
const SYNC_BYTES = 32 * 1024 * 1024;

interface Followed {
  readonly file: FileHandle;
  /** Digests of its pieces, as far as they are complete. */
  readonly digests: Buffer[];
  syncedBytes: number;
  syncing: boolean;
}

/**
 * Hashes what CRIU writes while it writes, and has it written to disk if it must be there, so that little is
 * left to do when the dump ends. It takes one processor, as the dump does.
 */
export class DumpFollower {
  private readonly followed = new Map<string, Followed>();
  private readonly loop: Promise<void>;
  private stopped = false;

  constructor(
    private readonly folder: string,
    private readonly hasher: FileHasher,
    private readonly disk: DiskQueue | undefined,
  ) {
    // Whoever hashes the files afterwards meets the same fault.
    this.loop = this.follow().catch(() => {});
  }

  /** The dump has ended. @returns the digests that are known, by the names of the files */
  async stop(): Promise<ReadonlyMap<string, readonly Buffer[]>> {
    this.stopped = true;
    await this.loop;
    // One that is being written to disk is closed afterwards. Nobody waits for that.
    for (const { file } of this.followed.values()) file.close().catch(() => {});
    return new Map([...this.followed].map(([name, { digests }]) => [name, digests]));
  }

  private async follow(): Promise<void> {
    while (!this.stopped) {
      let idle = true;
      for (const name of await readdir(this.folder)) {
        if (!PAGES.test(name)) continue;
        const one = this.followed.get(name) ?? (await this.begin(name));
        const { size } = await one.file.stat();
        this.toDisk(one, size);
        for (; (one.digests.length + 1) * PIECE_BYTES <= size && !this.stopped; idle = false)
          one.digests.push(await this.hasher.digest(one.file, one.digests.length * PIECE_BYTES, PIECE_BYTES));
      }
      if (idle) await sleep(LOOK_AGAIN_MS);
    }
  }

  private async begin(name: string): Promise<Followed> {
    const file = await open(join(this.folder, name), READ_FILE);
    const one = { file, digests: [], syncedBytes: 0, syncing: false };
    this.followed.set(name, one);
    return one;
  }

  /** Does not wait. Only who publishes the files waits until they are on disk. */
  private toDisk(one: Followed, size: number): void {
    const { disk } = this;
    if (!disk || one.syncing || size < one.syncedBytes + SYNC_BYTES) return;
    one.syncing = true;
    one.syncedBytes = size;
    disk.run(async () => {
      // Its handle is closed then. Who stops it has every file written to disk afterwards.
      if (this.stopped) return;
      // The kernel reports a failure once, so this one counts.
      await one.file.datasync();
      one.syncing = false;
      if (this.stopped) return;
      // Hashing may be far behind, so that nobody else looks for some time.
      const now = await one.file.stat().catch(() => undefined);
      if (now && !this.stopped) this.toDisk(one, now.size);
    });
  }
}
