/** Decides which of several controllers of one cluster acts for it. */
export interface Leadership {
  /**
   * Waits until this process is the one.
   * @returns a UUID that all of them have in common, and nobody else has
   */
  acquire(signal: AbortSignal): Promise<string>;
  /** Stays the one, until the signal ends it. Throws as soon as another one may act. */
  hold(signal: AbortSignal): Promise<void>;
  /** Lets the next one act at once. */
  release(): Promise<void>;
}
