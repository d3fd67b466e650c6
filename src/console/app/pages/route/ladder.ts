import type { ModelRoute } from '../../api/model-routes';
import type { Activation, Intent, Profile } from '../../api/serving';
import { staffingOf, staffingText, type Staffing } from '../../parts/models/profile-facts';
import type { Tone } from '../../parts/status';
import { plural } from '../../parts/units';

export type RungState = 'ready' | 'starting' | 'asleep' | 'leaving' | 'cooling' | 'disabled';

/** A target of a route, and what a request would find there. */
export interface Rung {
  readonly profileId: string;
  readonly tier: string;
  readonly priority: number;
  readonly state: RungState;
  /** Why it is in this state, in a sentence without its end. */
  readonly because: string;
  readonly staffing: Staffing;
  /** Requests that one worker serves at a time; undefined: the profile is not known. */
  readonly concurrency: number | undefined;
  /** Requests that its ready workers serve at a time; undefined: nobody knows how many workers there are. */
  readonly places: number | undefined;
}

export interface RungFacts {
  readonly profiles: readonly Profile[];
  readonly activations: readonly Activation[];
  readonly intents: readonly Intent[];
}

/** The targets in the order in which they are tried. */
export function ladderOf({ targets }: Pick<ModelRoute, 'targets'>, facts: RungFacts): readonly Rung[] {
  return [...targets]
    .sort((a, b) => a.priority - b.priority)
    .map(({ profile_id: id, tier, priority, enabled }): Rung => {
      const isOf = ({ profile_id: one }: { profile_id: string }) => one === id;
      const profile = facts.profiles.find(isOf);
      const activation = facts.activations.find(isOf);
      const intent = facts.intents.find(isOf);
      const [state, because] = stateOf(enabled, profile, activation, intent);
      const staffing = staffingOf(activation, intent);
      const concurrency = profile?.target_concurrency;
      const ready = state === 'ready' ? staffing.ready : 0;
      const places = ready === undefined || concurrency === undefined ? undefined : ready * concurrency;
      return { profileId: id, tier, priority, state, because, staffing, concurrency, places };
    });
}

function stateOf(
  enabled: boolean | undefined,
  profile: Profile | undefined,
  activation: Activation | undefined,
  intent: Intent | undefined,
): readonly [RungState, string] {
  if (enabled === false) return ['disabled', 'the target is disabled in the route'];
  if (profile?.enabled === false) return ['disabled', 'its profile is disabled'];
  const isPending = intent?.status === 'Pending';
  const isReleased = isPending && (intent.desired_state === 'Suspended' || intent.desired_replicas === 0);
  if (activation?.phase === 'Draining' || isReleased) return ['leaving', 'its workers are being released'];
  if (activation?.ready === true) return ['ready', `${staffingText(staffingOf(activation, intent))} workers ready`];
  if (isPending) return ['starting', `it is requested, and its phase is ${activation?.phase ?? 'not reported'}`];
  if (intent?.status === 'Failed' || activation?.phase === 'Failed')
    return ['cooling', `its last start failed${activation?.message ? `: ${activation.message}` : ''}`];
  const isComing = activation !== undefined && !['Suspended', 'Ready'].includes(activation.phase);
  if (isComing) return ['starting', `its phase is ${activation.phase}`];
  return ['asleep', activation === undefined ? 'it has never reported' : 'no worker of it runs'];
}

export const RUNG_TONES: Readonly<Record<RungState, Tone>> = {
  ready: 'good',
  starting: 'busy',
  asleep: 'quiet',
  leaving: 'warn',
  cooling: 'bad',
  disabled: 'quiet',
};

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
  const place = ladder.findIndex(({ profileId }) => profileId === served);
  const started =
    startKind === undefined || startKind === 'warm' ? '' : ` The request waited for its start (${startKind}).`;
  const earlier = ladder
    .slice(0, Math.max(0, place))
    .map(({ profileId, state, because, places }) =>
      state !== 'ready'
        ? `${profileId} did not: ${because}.`
        : source === 'classifier'
          ? `${profileId} did not: it has another tier.`
          : attempts > 1
            ? `${profileId} did not: it was full, or its worker was tried without success (${attempts} attempts).`
            : `${profileId} did not: ${places === undefined ? 'it was full' : `all of its ${plural(places, 'place')} were taken`}.`,
    );
  return [`${served} served: ${SOURCES[source] ?? source}.${started}`, ...earlier];
}
