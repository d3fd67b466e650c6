import type { Schemas } from '../../api/client';
import type { Tone } from '../../parts/status';
import { count, duration, plural } from '../../parts/units';

export type RouteState = Schemas['RouteStateView'];
export type Rung = Schemas['TargetStateView'];
type Outlook = RouteState['outlook'];

const NS_A_MS = 1e6;
const inWords = (ms: number): string => duration(Math.max(ms, 1) * NS_A_MS);

/** Why a target is in its state, in a sentence without its end. */
export function becauseOf(rung: Rung): string {
  const { state, in_flight: running, capacity, ready_in_ms: readyInMs } = rung;
  const soon = readyInMs === null ? '' : `, usually ready in ${inWords(readyInMs)}`;
  switch (state) {
    case 'ready':
      return `${count(running)} of ${plural(capacity, 'place')} taken`;
    case 'full':
      return capacity === 1 ? 'its only place is taken' : `all of its ${plural(capacity, 'place')} are taken`;
    case 'starting':
      return `it comes up${soon}`;
    case 'asleep':
      return `no worker of it runs${soon === '' ? '' : `; once woken${soon}`}`;
    case 'leaving':
      return 'its workers are being released';
    case 'cooling':
      return `its last start failed, or its fleet may not run it${readyInMs === null ? '' : `: it is not requested for ${inWords(readyInMs)}`}`;
    case 'disabled':
      return 'the target or its profile is disabled';
  }
}

export const RUNG_TONES: Readonly<Record<Rung['state'], Tone>> = {
  ready: 'good',
  full: 'warn',
  starting: 'busy',
  asleep: 'quiet',
  leaving: 'warn',
  cooling: 'bad',
  disabled: 'quiet',
};

const REFUSALS: Readonly<Record<string, string>> = {
  queue_full: 'enough requests wait already',
  deadline: 'no target can be ready within the time that the route allows',
  no_target: 'no target may be requested now',
  disabled: 'every target is disabled',
  endpoint_not_served: 'no target serves chat',
};

/** What would happen to a chat that arrives now, in a sentence. */
export function outlookText({ decision, profile_id: target, wakes, reason, retry_after_ms: retryMs }: Outlook): string {
  const woken = wakes === null ? '' : wakes === target ? ', and wakes it' : `, and wakes ${wakes}`;
  if (decision === 'serve') return `A chat now is served by ${target}${woken}.`;
  if (decision === 'wait') return `A chat now waits for ${target}${woken}.`;
  const again = retryMs === null ? '' : ` It may succeed in ${inWords(retryMs)}.`;
  return `A chat now is refused: ${REFUSALS[reason ?? ''] ?? reason}.${again}`;
}

/** What is known of the choice of a target: headers of the answer, and the ladder as it was before. */
export interface Decision {
  readonly served: string;
  readonly source: string;
  readonly attempts: number;
  readonly startKind: string | undefined;
}

const SOURCES: Readonly<Record<string, string>> = {
  priority: 'it is the first target that had room',
  classifier: 'the classifier picked its tier',
  preferred: 'the caller prefers it',
  fallback: 'no earlier target had room',
};

/** Why this target served, and why each earlier one did not, each in a sentence. */
export function reasonsOf(ladder: readonly Rung[], { served, source, attempts, startKind }: Decision): string[] {
  const place = ladder.findIndex(({ profile_id: id }) => id === served);
  const started =
    startKind === undefined || startKind === 'warm' ? '' : ` The request waited for its start (${startKind}).`;
  const earlier = ladder
    .slice(0, Math.max(0, place))
    .map((rung) => `${rung.profile_id} did not: ${whyNot(rung, source, attempts)}.`);
  return [`${served} served: ${SOURCES[source] ?? source}.${started}`, ...earlier];
}

function whyNot(rung: Rung, source: string, attempts: number): string {
  if (rung.state !== 'ready') return becauseOf(rung);
  if (source === 'classifier') return 'it has another tier';
  if (attempts > 1) return `it was full, or its worker was tried without success (${attempts} attempts)`;
  return `its ${plural(rung.capacity, 'place')} were taken in the meantime`;
}
