import { unavailable } from '../../common/answers/problem';

/**
 * A statement waits this long for a lock of others at a time; then its
 * connection serves somebody else before it waits again.
 */
export const LOCK_WAIT_MS = 500;
/** Work that met a locked row counts as contended until this long after the last time. */
const CONTENDED_MS = 2_000;
const MAX_WAITING = 1_000;

interface Waiting {
  readonly enter: () => void;
}

/**
 * Thrown by work that got a connection, and may not use it: its kind has become contended while it waited.
 */
export const OUT_OF_TURN = new Error('work of this kind waits for its turn');

/**
 * Keeps a pool from being used up by those who wait for one row. Who has waited for a lock for half a second
 * in vain gives the connection back and tries again. From then on, all work of that kind shares a part of the
 * pool, and waits for its turn without a connection; everything else has the rest.
 */
export class LockContention {
  /** By kind of work, the moment until which it counts as contended. */
  private readonly contended = new Map<string, number>();
  private readonly waiting: Waiting[] = [];
  private inside = 0;

  /** @param share connections that all contended work may hold at a time */
  constructor(private readonly share: number) {}

  /**
   * Runs work, and again as long as it meets locks and has time left.
   * @param kind what is likely to wait for the same rows
   * @param lockWasBusy whether an error says that a lock was waited for in vain
   * @param work asks, once it has a connection, whether it may go on, and throws `OUT_OF_TURN` if not
   */
  async run<T>(
    kind: string,
    patienceMs: number,
    lockWasBusy: (error: unknown) => boolean,
    work: (mayGoOn: () => boolean) => Promise<T>,
  ): Promise<T> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const leave = this.isContended(kind) ? await this.enter(until) : undefined;
      try {
        return await work(() => leave !== undefined || !this.isContended(kind));
      } catch (error) {
        if (error === OUT_OF_TURN) continue;
        if (!lockWasBusy(error)) throw error;
        this.met(kind);
        if (performance.now() + LOCK_WAIT_MS > until) throw error;
      } finally {
        leave?.();
      }
    }
  }

  private isContended(kind: string): boolean {
    const until = this.contended.get(kind);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.contended.delete(kind);
    return false;
  }

  private met(kind: string): void {
    const now = performance.now();
    for (const [known, until] of this.contended) if (until <= now) this.contended.delete(known);
    this.contended.set(kind, now + CONTENDED_MS);
  }

  /** Waits for a turn. @returns how to give it to the next */
  private async enter(until: number): Promise<() => void> {
    if (this.inside < this.share) this.inside++;
    else await this.turn(until);
    return () => {
      // The turn goes over to the next one.
      const next = this.waiting.shift();
      if (next) next.enter();
      else this.inside--;
    };
  }

  private turn(until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length >= MAX_WAITING) throw contended();
      const waiting: Waiting = {
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const giveUp = () => {
        const place = this.waiting.indexOf(waiting);
        // It has its turn meanwhile.
        if (place < 0) return;
        this.waiting.splice(place, 1);
        reject(contended());
      };
      // A process that was busy hears the timer first: an answer that has arrived, and gives the
      // turn, is read in the same turn of the event loop.
      const timer = setTimeout(() => setImmediate(giveUp), Math.max(0, until - performance.now()));
      this.waiting.push(waiting);
    });
  }
}

const contended = () => unavailable('database_busy', 'The database did not finish in time; try again.');
