import { timestamp } from '../../../clock';

/** And so often at least: while the API server or this controller is away, time passes without a question. */
const LEAST_UNANSWERED = 5;

/** What a request keeps of somebody who does not answer. */
export interface Silence {
  readonly silentSince?: string | undefined;
  /** How often it was asked meanwhile. */
  readonly unanswered?: number | undefined;
}

/** With the question that was not answered now. @returns undefined if that has been so for too long */
export function longerSilence(
  { silentSince = timestamp(), unanswered = 0 }: Silence,
  maxMs: number,
): Required<Silence> | undefined {
  const silentMs = Date.parse(timestamp()) - Date.parse(silentSince);
  if (silentMs > maxMs && unanswered + 1 >= LEAST_UNANSWERED) return undefined;
  return { silentSince, unanswered: unanswered + 1 };
}
