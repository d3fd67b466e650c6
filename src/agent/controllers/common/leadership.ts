/** One time in which one controller acts. */
export interface Term {
  /** UUID that all of the controllers have in common, and nobody else has. */
  readonly common: string;
  /** One more than that of whoever acted before; the first one has 0. */
  readonly number: number;
}

/** Decides which of several controllers of one cluster acts for it. */
export interface Leadership {
  /** Waits until this process is the one. */
  acquire(signal: AbortSignal): Promise<Term>;
  /** Stays the one, until the signal ends it. Throws as soon as another one may act. */
  hold(signal: AbortSignal): Promise<void>;
  /** Lets the next one act at once. */
  release(): Promise<void>;
}
