import { AgentFailure } from '../failures';
import type { CheckpointStore, Found, PassOver } from './checkpoint-store';
import type { Manifest } from './manifest';
import { oldestFirst, takenAtMs } from './newer';
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

/** Reads manifests. One that cannot be read keeps none of the others away. */
class Manifests {
  private unreadable: UnreadableManifest | undefined;
  private isThere = false;

  constructor(
    private readonly store: Pick<CheckpointStore, 'find'>,
    private readonly passOver: PassOver = () => undefined,
  ) {}

  /** So far, none could be read, so the store may not be there. */
  get areInDoubt(): boolean {
    return this.unreadable !== undefined && !this.isThere;
  }

  /** @returns undefined for one that cannot be used, or not be read */
  async read(id: string): Promise<Manifest | undefined> {
    try {
      const manifest = await this.store.find(id);
      this.isThere = true;
      return typeof manifest === 'string' ? undefined : manifest;
    } catch (error) {
      if (!(error instanceof UnreadableManifest)) throw error;
      this.unreadable ??= error;
      this.passOver(error);
      return undefined;
    }
  }

  /** Throws if all that were read are unreadable: then the store is not there. */
  requireStore(): void {
    if (this.unreadable && !this.isThere) throw this.unreadable;
  }
}

/** Every manifest of a store that can be used, one after the other. Throws if none can be read. */
export async function* usable(
  store: Pick<CheckpointStore, 'ids' | 'find'>,
  passOver?: PassOver,
): AsyncIterable<Manifest> {
  const manifests = new Manifests(store, passOver);
  for await (const id of store.ids()) {
    const manifest = await manifests.read(id);
    if (manifest) yield manifest;
  }
  manifests.requireStore();
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

/**
 * The usable checkpoints of one workload, newest first, each read when it is asked for. Those without a mark
 * are read at once, whosever they are: of an older agent, or published at this moment. One whose mark is
 * wrong is taken for what its manifest says, once it is read.
 */
export async function* newestFirst(
  store: Pick<CheckpointStore, 'ids' | 'find'>,
  of: WorkloadName,
  { marks, mark }: Marked,
  passOver?: PassOver,
): AsyncIterable<Manifest> {
  const manifests = new Manifests(store, passOver);
  const byId = new Map<string, Mark | undefined>();
  // One of several is wrong: it counts as one without.
  for (const one of marks) byId.set(one.id, byId.has(one.id) ? undefined : one);
  const others: string[] = [];
  const own: Listed[] = [];
  const take = (manifest: Manifest): void => {
    if (isOfWorkload(manifest, of)) own.push({ id: manifest.id, takenAtMs: takenAtMs(manifest), manifest });
  };
  for await (const id of store.ids()) {
    const known = byId.get(id);
    if (known && isOf(known, of)) own.push({ id, takenAtMs: known.takenAtMs, mark: known });
    else if (known) others.push(id);
    else {
      const manifest = await manifests.read(id);
      if (!manifest) continue;
      mark(manifest);
      take(manifest);
    }
  }
  own.sort(oldestFirst);
  for (let next = own.pop(); next; next = own.pop()) {
    const manifest = next.manifest ?? (await manifests.read(next.id));
    if (!manifest) continue;
    if (!next.mark || isRight(next.mark, manifest)) {
      if (isOfWorkload(manifest, of)) yield manifest;
      continue;
    }
    mark(manifest);
    take(manifest);
    own.sort(oldestFirst);
  }
  for (const id of others) {
    if (!manifests.areInDoubt) break;
    await manifests.read(id);
  }
  manifests.requireStore();
}

const isOfWorkload = ({ workload }: Manifest, { namespace, name }: WorkloadName): boolean =>
  workload.namespace === namespace && workload.name === name;
