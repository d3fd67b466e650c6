import { close, open, read } from 'node:fs';

/**
 * Calls in progress at most. Each holds one of four threads of the process until the disk answers, and those
 * also resolve names and unpack requests.
 */
const MOST = 3;

/** While a call is overdue, further ones are refused beyond this: the disk may not answer for hours. */
const MOST_WHILE_OVERDUE = 2;

interface Waiting {
  start(): void;
  /** Without an answer, although it may still be made. */
  giveUp(): void;
  /** It is made in the end, because it gives something back. */
  readonly must: boolean;
}

interface How<T> {
  /** Instead of the usual limit. */
  readonly limitMs?: number;
  readonly must?: boolean;
  /** Gets the result that comes after the time limit. */
  readonly late?: (result: T) => Promise<unknown>;
}

/**
 * Makes calls of the file system, which know no time limit: a network mount whose server is gone holds the
 * thread of each call.
 */
export class FileCalls {
  private running = 0;
  private overdue = 0;
  private waiting: Waiting[] = [];

  constructor(private readonly limitMs: number) {}

  /**
   * @param call one after the other: it may hold one thread
   * @throws if it does not answer in time, or the file system has not answered others
   */
  run<T>(call: () => Promise<T>, { limitMs = this.limitMs, must = false, late }: How<T> = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('the file system does not answer'));
      const start = () => {
        this.running++;
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          this.overdue++;
          giveUp();
          this.refuse();
        }, limitMs);
        void call()
          .then(async (result) => {
            if (isLate) await late?.(result);
            else resolve(result);
          })
          .catch(reject)
          .finally(() => {
            clearTimeout(timer);
            this.running--;
            if (isLate) this.overdue--;
            this.next();
          });
      };
      this.waiting.push({ start, giveUp, must });
      this.next();
      if (this.overdue > 0) this.refuse();
    });
  }

  /** For a stream that reads a file. */
  readonly reading = {
    open: (path: string, flags: string, mode: number, done: Callback<number>): void =>
      this.calledBack((callback) => open(path, flags, mode, callback), done, {
        late: (fd) => called((callback) => close(fd, callback)),
      }),
    read: (
      fd: number,
      buffer: Buffer,
      offset: number,
      length: number,
      position: number | null,
      done: (error: Error | null, bytes?: number, buffer?: Buffer) => void,
    ): void =>
      this.calledBack<number>(
        (callback) => read(fd, buffer, offset, length, position, callback),
        (error, bytes) => done(error, bytes, buffer),
      ),
    close: (fd: number, done: Callback<void>): void =>
      this.calledBack((callback) => close(fd, callback), done, { must: true }),
  };

  private calledBack<T>(call: (callback: Callback<T>) => void, done: Callback<T>, how?: How<T>): void {
    this.run(() => called(call), how).then(
      (result) => done(null, result),
      (error: Error) => done(error),
    );
  }

  private next(): void {
    while (this.running < (this.overdue > 0 ? MOST_WHILE_OVERDUE : MOST)) {
      const first = this.waiting.shift();
      if (!first) return;
      first.start();
    }
  }

  private refuse(): void {
    const all = this.waiting;
    this.waiting = all.filter(({ must }) => must);
    for (const one of all) one.giveUp();
  }
}

type Callback<T> = (error: Error | null, result?: T) => void;

const called = <T>(call: (callback: Callback<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => call((error, result) => (error ? reject(error) : resolve(result as T))));
