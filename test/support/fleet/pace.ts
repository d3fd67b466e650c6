import { setMaxListeners } from 'node:events';

/** The fleet is told to stop: whoever waits or calls is thrown out with this. */
export class Stopped extends Error {}

/** Wakes the one who waits on it; a wake-up that comes while nobody does is kept. */
export class Latch {
  private isSet = false;
  private waiter: (() => void) | undefined;

  get set(): boolean {
    return this.isSet;
  }
  wake(): void {
    this.isSet = true;
    this.waiter?.();
  }
  /** @returns whether it was set; it no longer is */
  take(): boolean {
    const was = this.isSet;
    this.isSet = false;
    return was;
  }
  /** At once when it is set. @returns gives up waiting */
  on(waiter: () => void): () => void {
    this.waiter = waiter;
    if (this.isSet) waiter();
    return () => (this.waiter = undefined);
  }
}

/** The time of the simulation: everything takes as long as it really would, divided by the speed. */
export class Pace {
  private readonly stopping = new AbortController();
  private readonly hangingUp = new AbortController();

  constructor(readonly speed: number) {
    setMaxListeners(0, this.stopping.signal, this.hangingUp.signal);
  }

  private get signal(): AbortSignal {
    return this.stopping.signal;
  }
  /** For calls that may take long. */
  get patience(): AbortSignal {
    return this.hangingUp.signal;
  }
  get stopped(): boolean {
    return this.signal.aborted;
  }
  stop(): void {
    this.stopping.abort(new Stopped('the fleet stops'));
  }
  /** Breaks off the calls that still wait for their answer. */
  hangUp(): void {
    this.hangingUp.abort();
  }
  /** @throws Stopped */
  check(): void {
    this.signal.throwIfAborted();
  }

  /** Waits until the time is over or the latch is set. @throws Stopped */
  wait(simulatedMs: number, latch?: Latch): Promise<void> {
    return this.sleep(simulatedMs / this.speed, latch);
  }

  /** As `wait`, in time of the wall. */
  sleep(ms: number, latch?: Latch): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.stopped) reject(this.signal.reason as Stopped);
    const timer = setTimeout(resolve, ms);
    const stop = () => reject(this.signal.reason as Stopped);
    this.signal.addEventListener('abort', stop, { once: true });
    const forget = latch?.on(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', stop);
      forget?.();
    });
  }
}
