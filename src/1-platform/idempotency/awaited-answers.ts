import { setTimeout as sleep } from 'node:timers/promises';

/** How long a request waits for the answer of another one, and the pause before each read. */
const WAIT_MS = 1_270;
const PAUSE_MS = 20;
/** Requests of one owner that wait at once. Each of them keeps its body meanwhile. */
export const MAX_WAITING = 64;

/** What a read finds while the other request is under way. */
export const UNDER_WAY = Symbol('under way');
/** The answer; undefined if there will be none. */
export type Found<T> = T | typeof UNDER_WAY | undefined;

/**
 * Repetitions that wait for the answer of a request under way. However many wait for one answer, they share
 * the reads.
 */
export class AwaitedAnswers<T> {
  private readonly reads = new Map<string, Promise<Found<T>>>();
  /** By owner, those that wait. */
  private readonly waiting = new Map<string, number>();

  /** Whether another request of the owner may wait. */
  hasRoom(owner: string): boolean {
    return (this.waiting.get(owner) ?? 0) < MAX_WAITING;
  }

  /**
   * @param key of the answer; the owner is part of it
   * @returns undefined also if it takes too long
   */
  async of(owner: string, key: string, read: () => Promise<Found<T>>): Promise<T | undefined> {
    this.waiting.set(owner, (this.waiting.get(owner) ?? 0) + 1);
    const until = performance.now() + WAIT_MS;
    try {
      for (;;) {
        const found = await (this.reads.get(key) ?? this.begin(key, read));
        if (found !== UNDER_WAY) return found;
        if (performance.now() > until) return undefined;
      }
    } finally {
      const rest = (this.waiting.get(owner) ?? 0) - 1;
      if (rest > 0) this.waiting.set(owner, rest);
      else this.waiting.delete(owner);
    }
  }

  /** Whoever comes during the pause shares the read; whoever comes later has another one. */
  private begin(key: string, read: () => Promise<Found<T>>): Promise<Found<T>> {
    const found = sleep(PAUSE_MS).then(() => {
      this.reads.delete(key);
      return read();
    });
    this.reads.set(key, found);
    return found;
  }
}
