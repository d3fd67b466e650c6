import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { timestamp } from '../../clock';
import { readJson, writeJson } from '../../files/json-file';
import { inSets } from '../../service/listed-checkpoints';
import { pagesOf } from '../../service/pages';
import { isTransient } from '../../service/problems';
import { pause } from '../../service/retries';
import { SERVICE_STORE } from '../../settings/settings';
import type { Found } from '../../store/checkpoint-store';
import type { Manifest } from '../../store/manifest';
import { UnreadableManifest } from '../../store/store-failures';
import type { ClusterContext } from './cluster-context';
import { CheckpointRemovals, type Reason } from './removals/checkpoint-removals';
import { requireSamePlace } from './removals/same-place';

const EVERY_MS = 60_000;
/** It looks at every checkpoint, and removes only what is hours old. */
export const LEFTOVERS_EVERY_MS = 3_600_000;
/** Of removals that the service awaits, in one look. */
const MAX_PAGES = 20;
const ROWS = 500;

/** Removals that are named; older ones are only counted. */
const NAMED_REMOVALS = 100;

type Context = Pick<
  ClusterContext,
  'service' | 'store' | 'clusterId' | 'directory' | 'facts' | 'signal' | 'log' | 'say' | 'examineStoreEveryMs'
>;

/** A checkpoint that this agent can use. */
interface Stored {
  readonly id: string;
  readonly reference: string;
  readonly bytes: number;
  /** For people. */
  readonly workload: string;
  /** The hash of its command. */
  readonly command: string;
  /** It ended its workload. */
  readonly letGo?: true | undefined;
}

/** One that is to be removed. */
interface Gone extends Stored {
  /** Missing: deprecated. */
  readonly reason?: Reason;
  /** Of the store that had its bytes. */
  readonly place?: string | undefined;
}

/** What people see of it in the metadata of the cluster. */
interface Removed {
  readonly checkpoints: number;
  readonly bytes: number;
  /** The newest ones last. */
  readonly last: readonly { readonly checkpoint_id: string; readonly removed_at: string }[];
}

/** What is kept over restarts. */
interface Kept extends Removed {
  /** Removals that have begun and are not confirmed: they are repeated until they are. */
  readonly begun?: readonly Gone[];
}

/**
 * Removes from the store what the service has deprecated, or says that it has forgotten, and then confirms
 * it: its facts stay there, its bytes are gone. All else is left alone.
 */
export class StoredCheckpoints {
  /** By id, so that each manifest is read once: in a shared store, most are of other agents, and unusable. */
  private readonly known = new Map<string, Stored | 'unusable'>();
  /** Ids for which the service was asked. */
  private readonly asked = new Set<string>();
  private kept: Kept | undefined;
  /** Of the store, when it was last looked at. */
  private place: string | undefined;
  private published = '';
  private leftoversAt = Number.NEGATIVE_INFINITY;
  private awaitedAt = Number.NEGATIVE_INFINITY;

  private readonly removals: CheckpointRemovals;

  /** Keeps what was removed over restarts. */
  private readonly file: string;

  constructor(private readonly context: Context) {
    this.removals = new CheckpointRemovals(context, () => [...this.known.values()].filter(isStored));
    this.file = join(context.directory, 'removed-checkpoints.json');
  }

  async run(): Promise<void> {
    const { signal, log, examineStoreEveryMs: everyMs = EVERY_MS } = this.context;
    while (!signal.aborted) {
      await this.round().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'stored checkpoints were not examined');
      });
      await pause(everyMs, signal);
    }
  }

  async round(): Promise<void> {
    const isHourly = performance.now() - this.awaitedAt >= LEFTOVERS_EVERY_MS;
    await this.removeUnwanted(isHourly);
    await this.publish();
    if (!isHourly) return;
    await this.confirmMissing();
    this.awaitedAt = performance.now();
  }

  /**
   * @param asksAll whether the service is asked for each checkpoint, and for those that it does not have.
   *   Otherwise it is asked for new ones, and for what it awaits: most stay for long, or are of others.
   */
  private async removeUnwanted(asksAll: boolean): Promise<void> {
    if (performance.now() - this.leftoversAt >= LEFTOVERS_EVERY_MS) {
      // What cannot be removed keeps nothing else.
      await this.context.store.removeLeftovers().catch((error: unknown) => {
        this.context.log.warn({ err: error }, 'what killed agents left was not removed');
      });
      // Somebody may have repaired it.
      for (const [id, stored] of this.known) if (stored === 'unusable') this.known.delete(id);
      this.leftoversAt = performance.now();
    }
    await this.look();
    const unfinished = await this.unfinished();
    const begun = new Set(unfinished.map(({ id }) => id));
    const awaited = asksAll ? undefined : await this.awaited();
    const held = [...this.known.values()].filter(isStored);
    const concerned = awaited ? held.filter(({ id }) => awaited.has(id) || !this.asked.has(id)) : held;
    const stored = [...unfinished, ...concerned];
    for (const set of inSets(stored)) {
      const wanted = await this.removals.wanted(set, (id) => asksAll || begun.has(id));
      await this.remove(set.flatMap((one) => withReason(one, wanted.get(one.id))));
      await this.forget(set.filter(({ id }) => !wanted.has(id)));
      for (const { id } of set) this.asked.add(id);
    }
  }

  /** What was uploaded in this cluster, and whose removal the service waits for. */
  private async awaited(): Promise<ReadonlySet<string>> {
    const cluster_id = this.context.clusterId();
    const ids = new Set<string>();
    const pages = pagesOf(this.context.service, 'list_checkpoints', ROWS, (api, at) =>
      api.GET('/v1/checkpoints', { params: { query: { ...at, awaiting_removal: true, cluster_id } } }),
    );
    // A service that does not know the filter lists all of the cluster.
    for await (const page of pages) for (const { id, status } of page) if (status === 'deprecated') ids.add(id);
    return ids;
  }

  /** What this agent holds, and what it has removed. */
  private async publish(): Promise<void> {
    const held = { checkpoints: 0, bytes: 0 };
    for (const { bytes } of [...this.known.values()].filter(isStored)) {
      held.checkpoints++;
      held.bytes += bytes;
    }
    const { begun: _begun, ...removed } = await this.record();
    const holdings = { ...held, removed };
    const text = JSON.stringify(holdings);
    if (text === this.published) return;
    await this.context.facts.publish('stored', holdings);
    this.published = text;
  }

  /** Reads the manifests of new checkpoints, and forgets those that are gone. */
  private async look(): Promise<void> {
    this.place = await this.context.store.place();
    const seen = new Set<string>();
    for await (const id of this.context.store.ids()) {
      seen.add(id);
      if (this.known.has(id)) continue;
      const found = await this.read(id);
      // One without a manifest is being taken, or removed: the next look shows which.
      if (found !== 'missing') this.known.set(id, found);
    }
    for (const id of this.known.keys()) if (!seen.has(id)) this.known.delete(id);
    for (const id of this.asked) if (!seen.has(id)) this.asked.delete(id);
  }

  /** One that the store does not give is like one of no use: it is looked at again with those. */
  private async read(id: string): Promise<Stored | Exclude<Found, Manifest>> {
    try {
      return storedIn(await this.context.store.find(id));
    } catch (error) {
      if (!(error instanceof UnreadableManifest)) throw error;
      this.context.log.warn({ err: error, checkpoint_id: id }, 'a stored checkpoint cannot be read');
      return 'unusable';
    }
  }

  /**
   * Confirms removals that the service still awaits though the object storage has nothing of them: an agent
   * was killed before it could, and its state directory is gone, or somebody removed them by hand. Of a
   * directory, nobody can say that: it may be that of another machine, or not mounted.
   */
  private async confirmMissing(): Promise<void> {
    const cluster_id = this.context.clusterId();
    // Those that are confirmed leave the list.
    let others = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = { awaiting_removal: true, cluster_id, limit: ROWS, offset: others };
      const rows = await this.context.service.send('list_checkpoints', (api) =>
        api.GET('/v1/checkpoints', { params: { query } }),
      );
      const missing: Stored[] = [];
      for (const row of rows) {
        const { id, status, restore_path: reference, namespace, pod_name: name } = row;
        // A service that is older than confirmations does not know the filter, and lists all.
        if (row.bytes_removed_at !== null || row.cluster_id !== cluster_id) continue;
        if (status !== 'deprecated' || reference !== `${SERVICE_STORE}:${id}` || this.known.has(id)) continue;
        if (await this.context.store.owns(reference))
          missing.push({ id, reference, bytes: 0, workload: `${namespace ?? ''}/${name ?? ''}`, command: '' });
      }
      await this.remove(missing);
      others += rows.length - missing.length;
      if (rows.length < ROWS) break;
    }
  }

  private async record(): Promise<Kept> {
    return (this.kept ??= (await readJson<Kept>(this.file)) ?? { checkpoints: 0, bytes: 0, last: [] });
  }

  private async keep(kept: Kept): Promise<Kept> {
    await writeJson(this.file, kept);
    return (this.kept = kept);
  }

  /**
   * Removals of a process that was killed, or that failed, and whose bytes may be gone already. Those of
   * another store than this one stay noted: it may come back. So do those of a directory that is not mounted,
   * in whose place the system has an empty one.
   */
  private async unfinished(): Promise<Gone[]> {
    const { begun = [] } = await this.record();
    const left: Gone[] = [];
    for (const one of begun) {
      if (isStored(this.known.get(one.id)) || one.place === undefined || one.place !== this.place) continue;
      if (await this.context.store.owns(one.reference)) left.push(one);
    }
    return left;
  }

  /** Each by itself: one that cannot be removed keeps none of the others. It is tried again in each round. */
  private async remove(gone: readonly Gone[]): Promise<void> {
    if (gone.length === 0) return;
    const record = await this.record();
    const { place } = this;
    const begun = gone.map((one) => ({ ...one, place }));
    const ids = new Set(gone.map(({ id }) => id));
    await this.keep({ ...record, begun: [...(record.begun ?? []).filter(({ id }) => !ids.has(id)), ...begun] });
    const removed: Gone[] = [];
    const used: Gone[] = [];
    for (const one of gone)
      try {
        const artifacts = await this.removals.goneArtifacts(one.reference);
        if (!artifacts) {
          used.push(one);
          continue;
        }
        await this.context.store.remove(one.reference);
        await requireSamePlace(this.context.store, place, one.reference);
        this.known.delete(one.id);
        await this.removals.confirm(one.id, artifacts);
        removed.push(one);
      } catch (error) {
        if (this.context.signal.aborted) break;
        this.context.log.warn({ err: error, checkpoint_id: one.id }, 'a checkpoint was not removed');
        // The others would only wait for the service too.
        if (isTransient(error)) break;
      }
    await this.note(removed);
    await this.forget(used);
  }

  /** Drops begun removals of checkpoints that may no longer be removed, such as after a restored backup. */
  private async forget(kept: readonly Stored[]): Promise<void> {
    const ids = new Set(kept.map(({ id }) => id));
    const { begun = [], ...record } = await this.record();
    const left = begun.filter(({ id }) => !ids.has(id));
    if (left.length < begun.length) await this.keep({ ...record, ...(left.length > 0 && { begun: left }) });
  }

  /** Keeps these removals, after they were confirmed, and says them to people. */
  private async note(gone: readonly Gone[]): Promise<void> {
    if (gone.length === 0) return;
    for (const { id, reference, bytes, workload, reason = 'deprecated' } of gone) {
      this.context.log.info({ checkpoint_id: id, reference, bytes, reason }, 'a checkpoint was removed');
      this.context.say(`Removed the ${reason} checkpoint ${reference} of ${workload}.`);
    }
    const { begun = [], checkpoints, bytes, last } = await this.record();
    const ids = new Set(gone.map(({ id }) => id));
    const left = begun.filter(({ id }) => !ids.has(id));
    const names = gone.map(({ id }) => ({ checkpoint_id: id, removed_at: timestamp() }));
    await this.keep({
      checkpoints: checkpoints + gone.length,
      bytes: bytes + gone.reduce((sum, one) => sum + one.bytes, 0),
      last: [...last, ...names].slice(-NAMED_REMOVALS),
      ...(left.length > 0 && { begun: left }),
    });
  }
}

const withReason = (one: Stored, reason: Reason | undefined): Gone[] =>
  reason === undefined ? [] : [{ ...one, reason }];

const isStored = (known: Stored | 'unusable' | undefined): known is Stored => typeof known === 'object';

/** What is kept of a manifest, which may have megabytes. */
function storedIn(found: Found): Stored | Exclude<Found, Manifest> {
  if (typeof found === 'string') return found;
  const { id, reference, bytes, workload } = found;
  const { namespace, name, letGo } = workload;
  const command = createHash('sha256').update(JSON.stringify(workload.command)).digest('base64');
  return { id, reference, bytes, workload: `${namespace}/${name}`, command, ...(letGo && { letGo }) };
}
