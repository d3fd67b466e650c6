import { setTimeout as sleep } from 'node:timers/promises';

/** How long a request waits for the answer of another one; the pause in which that is over still counts. */
const WAIT_MS = 1_000;
/** The pauses before the reads of one answer: each is twice as long as the one before. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 320;
/** Requests that wait at once: of one owner, and of all. Each of them keeps its body meanwhile. */
export const MAX_WAITING = 64;
export const MAX_WAITING_OF_ALL = 256;
/** Beside them, one of each owner of which none waits, whatever the others do. */
export const MAX_BESIDE = 256;

/** What a read finds while the other request is under way. */
export const UNDER_WAY = Symbol('under way');
/** The answer; undefined if there will be none. */
export type Found<T> = T | typeof UNDER_WAY | undefined;

interface Awaited<T> {
  waiting: number;
  pauseMs: number;
  read: Promise<Found<T>> | undefined;
}

/**
 * Repetitions that wait for the answer of a request under way. However many wait for one answer, they share
 * the reads.
 */
export class AwaitedAnswers<T> {
  private readonly answers = new Map<string, Awaited<T>>();
  /** By owner, those that wait. */
  private readonly waiting = new Map<string, number>();
  private waitingOfAll = 0;

  /** Whether another request of the owner may wait. */
  hasRoom(owner: string): boolean {
    const ofOwner = this.waiting.get(owner) ?? 0;
    const most = ofOwner === 0 ? MAX_WAITING_OF_ALL + MAX_BESIDE : MAX_WAITING_OF_ALL;
    return ofOwner < MAX_WAITING && this.waitingOfAll < most;
  }

  /**
   * @param key of the answer; the owner is part of it
   * @returns undefined also if it takes too long
   */
  async of(owner: string, key: string, read: () => Promise<Found<T>>): Promise<T | undefined> {
    const leave = this.enter(owner);
    const one = this.answers.get(key) ?? { waiting: 0, pauseMs: FIRST_PAUSE_MS, read: undefined };
    this.answers.set(key, one);
    one.waiting++;
    const until = performance.now() + WAIT_MS;
    try {
      for (;;) {
        const found = await (one.read ??= readLater(one, read));
        if (found !== UNDER_WAY) return found;
        if (performance.now() >= until) return undefined;
      }
    } finally {
      if (--one.waiting === 0) this.answers.delete(key);
      leave();
    }
  }

  private enter(owner: string): () => void {
    this.waiting.set(owner, (this.waiting.get(owner) ?? 0) + 1);
    this.waitingOfAll++;
    return () => {
      this.waitingOfAll--;
      const rest = (this.waiting.get(owner) ?? 0) - 1;
      if (rest > 0) this.waiting.set(owner, rest);
      else this.waiting.delete(owner);
    };
  }
}

/** Whoever comes during the pause shares the read; whoever comes later has another one. */
async function readLater<T>(one: Awaited<T>, read: () => Promise<Found<T>>): Promise<Found<T>> {
  const pauseMs = one.pauseMs;
  one.pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  await sleep(pauseMs);
  one.read = undefined;
  return read();
}
