import type { FailureFacts } from '../../failures';

/**
 * A script, or a container, may prepare something before its supervisor restores: nobody waits longer for
 * that. The restore itself takes as long as its images need, and has limits of its own.
 */
const MAX_QUIET_MS = 1_800_000;

/** For how long a job or a pod has run without a restore: since it began, or since it restored last. */
export class QuietTime {
  private since: number | undefined;

  /** It is there to be asked. */
  runs(): void {
    this.since ??= performance.now();
  }

  /** Its supervisor says that it restores. */
  restores(): void {
    this.since = performance.now();
  }

  /** It does not run: it waits for its place, or for its next run. */
  waits(): void {
    this.since = undefined;
  }

  get hasBegun(): boolean {
    return this.since !== undefined;
  }

  get isTooLong(): boolean {
    return this.since !== undefined && performance.now() - this.since > MAX_QUIET_MS;
  }
}

/** @param where what runs, with its article */
export const quietFacts = (where: string): FailureFacts => ({
  cause: 'busy',
  message: `${where}, and nobody has restored in it for ${MAX_QUIET_MS / 60_000} minutes.`,
});
