import { AgentFailure } from '../failures';
import type { CheckpointStore, Found, PassOver } from './checkpoint-store';
import type { Manifest } from './manifest';
import { takenAtMs } from './newer';
import { UnreadableManifest } from './store-failures';
import { isOf, isRight, type Mark, type WorkloadName } from './workload-marks';

/** What reading a manifest gives. Throws `AgentFailure` if the store fails. */
export async function found(reading: Promise<Manifest>): Promise<Found> {
  try {
    return await reading;
  } catch (error) {
    const cause = error instanceof AgentFailure ? error.facts.cause : undefined;
    if (cause === 'checkpoint_missing') return 'missing';
    if (cause === 'checkpoint_damaged' || cause === 'checkpoint_untrusted') return 'unusable';
    throw error;
  }
}

/**
 * Every manifest of a store that can be used, one after the other. One that cannot be read keeps none of the
 * others away. If that is so of all, the store is not there.
 */
export async function* usable(
  store: Pick<CheckpointStore, 'ids' | 'find'>,
  passOver: PassOver = () => undefined,
): AsyncIterable<Manifest> {
  let unreadable: UnreadableManifest | undefined;
  let isThere = false;
  for await (const id of store.ids())
    try {
      const manifest = await store.find(id);
      isThere = true;
      if (typeof manifest !== 'string') yield manifest;
    } catch (error) {
      if (!(error instanceof UnreadableManifest)) throw error;
      unreadable ??= error;
      passOver(error);
    }
  if (unreadable && !isThere) throw unreadable;
}

/** What a store knows of its checkpoints without their manifests. */
export interface Marked {
  /** Read before the ids: a checkpoint that is published meanwhile has no mark then. */
  readonly marks: readonly Mark[];
  /**
   * One was read that has no mark, several, or a wrong one. It gets the right one later, so that whoever
   * restores does not wait for that.
   */
  readonly mark: (manifest: Manifest) => void;
}

interface Listed {
  readonly id: string;
  readonly takenAtMs: number;
  readonly mark?: Mark;
  readonly manifest?: Manifest;
}

const byAge = (one: Listed, other: Listed): number => one.takenAtMs - other.takenAtMs || (one.id < other.id ? -1 : 1);

/**
 * The usable checkpoints of one workload, newest first, each read when it is asked for. Those without a mark
 * are read at once, whosever they are: of an older agent, or published at this moment. One whose mark is
 * wrong is taken for what its manifest says, once it is read.
 */
export async function* newestFirst(
  store: Pick<CheckpointStore, 'ids' | 'find'>,
  of: WorkloadName,
  { marks, mark }: Marked,
  passOver: PassOver = () => undefined,
): AsyncIterable<Manifest> {
  const byId = new Map<string, Mark | undefined>();
  // One of several is wrong: it counts as one without.
  for (const one of marks) byId.set(one.id, byId.has(one.id) ? undefined : one);
  const others: string[] = [];
  const own: Listed[] = [];
  let unreadable: UnreadableManifest | undefined;
  let isThere = false;
  const read = async (id: string): Promise<Manifest | undefined> => {
    try {
      const manifest = await store.find(id);
      isThere = true;
      return typeof manifest === 'string' ? undefined : manifest;
    } catch (error) {
      if (!(error instanceof UnreadableManifest)) throw error;
      unreadable ??= error;
      passOver(error);
      return undefined;
    }
  };
  const take = (manifest: Manifest): void => {
    if (isOfWorkload(manifest, of)) own.push({ id: manifest.id, takenAtMs: takenAtMs(manifest), manifest });
  };
  for await (const id of store.ids()) {
    const known = byId.get(id);
    if (known && isOf(known, of)) own.push({ id, takenAtMs: known.takenAtMs, mark: known });
    else if (known) others.push(id);
    else {
      const manifest = await read(id);
      if (!manifest) continue;
      mark(manifest);
      take(manifest);
    }
  }
  own.sort(byAge);
  for (let next = own.pop(); next; next = own.pop()) {
    const manifest = next.manifest ?? (await read(next.id));
    if (!manifest) continue;
    if (!next.mark || isRight(next.mark, manifest)) {
      if (isOfWorkload(manifest, of)) yield manifest;
      continue;
    }
    mark(manifest);
    take(manifest);
    own.sort(byAge);
  }
  // One that cannot be read keeps no other one away. If that is so of all, the store is not there.
  for (const id of others) {
    if (!unreadable || isThere) break;
    await read(id);
  }
  if (unreadable && !isThere) throw unreadable;
}

const isOfWorkload = ({ workload }: Manifest, { namespace, name }: WorkloadName): boolean =>
  workload.namespace === namespace && workload.name === name;
