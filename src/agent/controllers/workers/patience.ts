import { AgentFailure } from '../../failures';
import { pause } from '../../service/retries';

/** While a cluster does not answer, it is asked again and again for so long. */
const ANSWERED_WITHIN_MS = 120_000;
const AGAIN_MS = 1_000;

export interface Patience {
  readonly signal: AbortSignal;
  /** Whether the cluster did not answer, so that the same step may succeed in a moment. */
  readonly mayPass: (error: unknown) => boolean;
  /** Who does not answer, for people. */
  readonly whom: string;
}

/** Repeats a step that may be repeated, until the cluster answers. Throws `AgentFailure` if it does not. */
export async function patiently<T>({ signal, mayPass, whom }: Patience, step: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + ANSWERED_WITHIN_MS; ; await pause(AGAIN_MS, signal)) {
    signal.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      if (performance.now() <= until) continue;
      const message = `${whom} does not answer: ${(error as Error).message}`;
      throw new AgentFailure({ cause: 'scheduler_refused', message }, { cause: error });
    }
  }
}
