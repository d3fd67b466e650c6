import { setMaxListeners } from 'node:events';

/** Thrown to everybody who waits or calls when the fleet stops. */
export class Stopped extends Error {}

/** Wakes its waiter; a wake-up without a waiter is kept. */
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
  /** @returns whether it was set, and resets it */
  take(): boolean {
    const was = this.isSet;
    this.isSet = false;
    return was;
  }
  /** Calls back at once if it is set. @returns a function that stops waiting */
  on(waiter: () => void): () => void {
    this.waiter = waiter;
    if (this.isSet) waiter();
    return () => (this.waiter = undefined);
  }
}

/** How long a call takes on a machine that is not busy. */
const USUAL_CALL_MS = 20;
/** Share of the newest call in the mean. */
const NEWEST = 0.05;
const SLOWEST = 10;

/**
 * Slows simulated time while the service takes longer than usual for a call. Otherwise nodes of a fleet
 * reboot on a busy machine before anything that takes some calls is done.
 */
export class Tempo {
  private callMs = 0;

  answered(milliseconds: number): void {
    this.callMs += NEWEST * (milliseconds - this.callMs);
  }
  get slowdown(): number {
    return Math.min(Math.max(this.callMs / USUAL_CALL_MS, 1), SLOWEST);
  }
}

/** Simulated time: everything takes its real duration divided by the speed. */
export class Pace {
  private readonly stopping = new AbortController();
  private readonly hangingUp = new AbortController();

  /** @param tempo missing: the speed stays the same */
  constructor(
    private readonly usualSpeed: number,
    private readonly tempo?: Tempo,
  ) {
    setMaxListeners(0, this.stopping.signal, this.hangingUp.signal);
  }

  get speed(): number {
    return this.usualSpeed / (this.tempo?.slowdown ?? 1);
  }
  /** @param milliseconds that a call took */
  answered(milliseconds: number): void {
    this.tempo?.answered(milliseconds);
  }
  private get signal(): AbortSignal {
    return this.stopping.signal;
  }
  /** For long calls. */
  get patience(): AbortSignal {
    return this.hangingUp.signal;
  }
  get stopped(): boolean {
    return this.signal.aborted;
  }
  stop(): void {
    this.stopping.abort(new Stopped('the fleet stops'));
  }
  /** Aborts the calls that still wait for an answer. */
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

  /** Like `wait`, in wall-clock time. */
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
