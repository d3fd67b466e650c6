import type { Activation, Intent, Profile, Starts } from '../../api/serving';
import { phaseTone, staffingOf, troubleOf, type Staffing } from '../../parts/models/profile-facts';
import type { ProfilesSearch, State } from './profiles-search';

type Start = Starts['starts'][number];

/** A profile with what is wanted of it, what runs, and how it started last. */
export interface ProfileRow {
  readonly profile: Profile;
  readonly state: State;
  readonly phase: string | undefined;
  /** Why it fails. */
  readonly trouble: string | undefined;
  readonly staffing: Staffing;
  /** Null: none was measured; undefined: not known. */
  readonly lastStart: Start | null | undefined;
}

export interface ServingLists {
  readonly activations: readonly Activation[];
  readonly intents: readonly Intent[];
  /** Undefined: not known. */
  readonly starts: readonly Starts[] | undefined;
}

const byProfile = <T extends { readonly profile_id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.profile_id, row]));

/** Those that fail first, then those that start; within a state, by id. */
const ORDER: readonly State[] = ['failing', 'starting', 'ready', 'asleep'];

export function profileRows(profiles: readonly Profile[], lists: ServingLists): readonly ProfileRow[] {
  const [activations, intents, starts] = [
    byProfile(lists.activations),
    byProfile(lists.intents),
    lists.starts && byProfile(lists.starts),
  ];
  return profiles
    .map((profile): ProfileRow => {
      const activation = activations.get(profile.profile_id);
      const intent = intents.get(profile.profile_id);
      const trouble = troubleOf(activation, intent);
      return {
        profile,
        state: stateOf(activation, trouble),
        phase: activation?.phase,
        trouble,
        staffing: staffingOf(activation, intent),
        lastStart: starts && (starts.get(profile.profile_id)?.starts[0] ?? null),
      };
    })
    .sort(
      (a, b) =>
        ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.profile.profile_id < b.profile.profile_id ? -1 : 1),
    );
}

function stateOf(activation: Activation | undefined, trouble: string | undefined): State {
  if (trouble !== undefined) return 'failing';
  if (activation === undefined) return 'asleep';
  if (activation.ready) return 'ready';
  return phaseTone(activation.phase) === 'busy' ? 'starting' : 'asleep';
}

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

export const matching = (rows: readonly ProfileRow[], { state, name }: ProfilesSearch): readonly ProfileRow[] =>
  rows.filter(
    (row) =>
      (state === undefined || row.state === state) &&
      (name === undefined ||
        [row.profile.profile_id, row.profile.logical_model, row.profile.exact_model].some((text) =>
          includes(text, name),
        )),
  );
