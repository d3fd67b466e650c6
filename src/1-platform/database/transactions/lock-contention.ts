import { unavailable } from '../../common/answers/problem';

/**
 * A statement waits this long for a lock at a time; then its connection serves other work before it waits
 * again.
 */
export const LOCK_WAIT_MS = 500;
/** Work that met a locked row counts as contended for this long. */
const CONTENDED_MS = 2_000;
const MAX_WAITING = 1_000;

interface Waiting {
  readonly enter: () => void;
}

/**
 * Thrown by work that got a connection but may not use it, because its kind became contended while it waited.
 */
export const OUT_OF_TURN = new Error('work of this kind waits for its turn');

/**
 * Prevents waiters for one row from using up a pool. Work that has waited for a lock for half a second
 * returns its connection and tries again. From then on, all work of that kind shares a part of the pool, and
 * waits for its turn without a connection; other work has the rest.
 */
export class LockContention {
  /** By kind of work, the time until which it counts as contended. */
  private readonly contended = new Map<string, number>();
  private readonly waiting: Waiting[] = [];
  private inside = 0;

  /** @param share maximum number of connections for all contended work */
  constructor(private readonly share: number) {}

  /**
   * Runs work, and repeats it while it meets locks and has time left.
   * @param kind work that is likely to wait for the same rows
   * @param lockWasBusy whether an error means that a wait for a lock timed out
   * @param work checks, once it has a connection, whether it may continue, and throws `OUT_OF_TURN` otherwise
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

  /** Waits for a turn. @returns a function that passes it on */
  private async enter(until: number): Promise<() => void> {
    if (this.inside < this.share) this.inside++;
    else await this.turn(until);
    return () => {
      // The turn passes to the next one.
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
        // Its turn came meanwhile.
        if (place < 0) return;
        this.waiting.splice(place, 1);
        reject(contended());
      };
      // After a pause, a process handles its timers first: an answer that has arrived, and gives the turn, is
      // read later in the same turn of the event loop.
      const timer = setTimeout(() => setImmediate(giveUp), Math.max(0, until - performance.now()));
      this.waiting.push(waiting);
    });
  }
}

const contended = () => unavailable('database_busy', 'The database did not finish in time; try again.');
