import type { ServerResponse } from 'node:http';

/** Every client has this long to read an answer, and longer for a large one. */
const PATIENCE_MS = 10_000;
/** On average a client must be this fast. */
const SLOWEST_BYTES_PER_MS = 64;
/** All of them together: beyond it, those that have waited longest lose their connections. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Unsent {
  /** When they were last counted: its client reads meanwhile. */
  bytes: number;
  readonly late: NodeJS.Timeout;
}

/**
 * Answers that are complete, and that their clients have not read yet. They occupy no place, so clients that
 * read slowly or nothing keep nobody waiting; what they cost is memory, which is bounded.
 */
export class UnsentAnswers {
  /** In the order in which they were complete. */
  private readonly unsent = new Map<ServerResponse, Unsent>();
  private bytes = 0;

  constructor(
    private readonly mostBytes = MOST_BYTES,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** @param res has been ended */
  add(res: ServerResponse): void {
    const bytes = res.socket?.writableLength ?? 0;
    // Nearly all answers: the system has taken all of it.
    if (bytes === 0) return;
    const late = setTimeout(() => res.destroy(), this.patienceMs + bytes / SLOWEST_BYTES_PER_MS).unref();
    this.unsent.set(res, { bytes, late });
    this.bytes += bytes;
    // Read as a whole, or its connection has ended.
    res.once('close', () => this.remove(res));
    if (this.bytes <= this.mostBytes) return;
    const unread = this.countAgain();
    for (const oldest of [...unread, ...this.unsent.keys()]) {
      if (this.bytes <= this.mostBytes) break;
      // The newest one stays, whatever its size.
      if (oldest === res || !this.unsent.has(oldest)) continue;
      this.remove(oldest);
      oldest.destroy();
    }
  }

  /** @returns those of which their clients have read nothing since they were counted */
  private countAgain(): ServerResponse[] {
    const unread: ServerResponse[] = [];
    for (const [res, known] of this.unsent) {
      const bytes = res.socket?.writableLength ?? 0;
      if (bytes >= known.bytes) unread.push(res);
      this.bytes -= known.bytes - bytes;
      known.bytes = bytes;
    }
    return unread;
  }

  private remove(res: ServerResponse): void {
    const known = this.unsent.get(res);
    if (!known) return;
    clearTimeout(known.late);
    this.unsent.delete(res);
    this.bytes -= known.bytes;
  }
}
