import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { READ_FILE } from './file-hashes';

/** What waits for the disk takes one of Node's four threads each. One is left for what reads. */
const AT_ONCE = 3;

const synced = promisify(fsync);

/** Has files written to disk, a few at a time, while other work goes on. */
export class DiskQueue {
  private readonly waiting: (() => Promise<void>)[] = [];
  private readonly running = new Set<Promise<void>>();
  private failure: { readonly error: unknown } | undefined;

  /** @param path of a file that nobody writes any more */
  add(path: string): void {
    this.run(async () => {
      const fd = openSync(path, READ_FILE);
      try {
        await synced(fd);
      } finally {
        closeSync(fd);
      }
    });
  }

  /** Some work that waits for the disk. */
  run(work: () => Promise<void>): void {
    this.waiting.push(work);
    this.next();
  }

  /** Resolves when nothing is left to be done. @throws the first failure; then the rest was not begun */
  async done(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    if (this.failure) throw this.failure.error;
  }

  private next(): void {
    while (this.running.size < AT_ONCE && !this.failure) {
      const work = this.waiting.shift();
      if (!work) return;
      const task: Promise<void> = work()
        .catch((error: unknown) => void (this.failure ??= { error }))
        .then(() => {
          this.running.delete(task);
          this.next();
        });
      this.running.add(task);
    }
  }
}
