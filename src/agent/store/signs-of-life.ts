import { LEFTOVER_MS } from './checkpoint-store';

/** Some may be lost. */
const EVERY_MS = LEFTOVER_MS / 6;

/**
 * Shows other agents that a draft is not what a killed agent left, however long it takes: a slow upload, or a
 * file system that hangs. It ends with its process.
 */
export class SignsOfLife {
  private readonly timer: NodeJS.Timeout;
  private givenAt: number;
  private isGiving = false;

  constructor(
    private readonly give: () => Promise<void>,
    /** The clock of the machine, which goes on while that sleeps. */
    private readonly now: () => number,
    everyMs = EVERY_MS,
  ) {
    this.givenAt = now();
    this.timer = setInterval(() => void this.next(), everyMs).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  /** Whether others may take the draft for one that was left, and may be removing it. */
  get areMissing(): boolean {
    return this.now() - this.givenAt > LEFTOVER_MS / 2;
  }

  /** One at a time: each may wait for a disk that does not answer, with a thread of this process. */
  private async next(): Promise<void> {
    if (this.isGiving) return;
    this.isGiving = true;
    const now = this.now();
    await this.give().then(
      () => (this.givenAt = now),
      () => undefined,
    );
    this.isGiving = false;
  }
}
