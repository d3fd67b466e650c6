import type { Details, Journal } from './journal';

/** What the journal says about figures that the service reports. */

interface ArtifactAccount {
  /** Starts whose worker was assigned the artifact. */
  readonly attempts: number;
  /** Those of them that served from it, without falling back to a cold start. */
  readonly restores: number;
}

/** By artifact, for every registered artifact. */
export function artifactAccounts(journal: Journal): Map<string, ArtifactAccount> {
  const ready = new Set(journal.all('sent', { kind: 'model.ready' }).map(({ pod }) => pod));
  for (const { pod } of journal.all('fell back')) ready.delete(pod);
  const podsOf = new Map<unknown, Set<unknown>>();
  for (const { artifact } of journal.all('registered')) podsOf.set(artifact, new Set());
  for (const { artifact, pod } of journal.all('pointed')) podsOf.get(artifact)?.add(pod);
  return new Map(
    [...podsOf].map(([artifact, pods]) => [
      String(artifact),
      { attempts: pods.size, restores: [...pods].filter((pod) => ready.has(pod as string)).length },
    ]),
  );
}

/** By the times of the events, whatever the order in which they arrived. */
export function lastRestoreFailed(journal: Journal, artifact: string): boolean {
  const ends = ['restore.completed', 'restore.failed'].flatMap((kind) => journal.all('sent', { kind, artifact }));
  const last = ends.reduce<Details | undefined>((one, other) => (isLater(other, one) ? other : one), undefined);
  return last?.kind === 'restore.failed';
}

const isLater = (one: Details, other: Details | undefined): boolean =>
  other === undefined || String(one.occurredAt) > String(other.occurredAt);

/**
 * The kinds of events sent for the last worker of a profile, and the phases reported since it was created.
 */
export function lastWorker(journal: Journal, profile: string): { kinds: string[]; phases: string[] } | undefined {
  const made = journal.entries.findLastIndex(({ what, details }) => what === 'pod made' && details.profile === profile);
  const pod = journal.entries[made]?.details.pod;
  if (pod === undefined) return undefined;
  const kinds = journal.all('sent', { pod }).map(({ kind }) => String(kind));
  const since = journal.entries.slice(made).filter(({ details }) => details.profile === profile);
  const phases = since.filter(({ what }) => what === 'reported').map(({ details }) => String(details.phase));
  return { kinds: [...new Set(kinds)], phases: [...new Set(phases)] };
}

export interface Report {
  readonly phase: string;
  readonly ready: boolean;
  readonly generation: number;
}

/** The reports about a profile, oldest first. */
export const reportsOf = (journal: Journal, profile: string): Report[] =>
  journal.all('reported', { profile }).map(({ phase, ready, generation }) => ({
    phase: String(phase),
    ready: ready === true,
    generation: Number(generation),
  }));
