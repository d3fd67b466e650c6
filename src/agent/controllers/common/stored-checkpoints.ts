import { join } from 'node:path';
import { timestamp } from '../../clock';
import { readJson, writeJson } from '../../files/json-file';
import { isProblem, isTransient } from '../../service/problems';
import { pause } from '../../service/retries';
import { SERVICE_STORE } from '../../settings/settings';
import type { Found } from '../../store/checkpoint-store';
import type { Manifest } from '../../store/manifest';
import type { ClusterContext } from './cluster-context';

const EVERY_MS = 60_000;
/** It looks at every checkpoint, and removes only what is hours old. */
const LEFTOVERS_EVERY_MS = 3_600_000;
const IDS_A_REQUEST = 500;
/** Of removals that the service awaits, in one look. */
const MAX_PAGES = 20;

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
  /** Removals that have begun, and that the service has not been told of: they are repeated until it has. */
  readonly begun?: readonly Stored[];
}

/**
 * Removes from the store what the service has deprecated, and then confirms it: its facts stay there, its
 * bytes are gone. What the service does not know is left alone, because people take checkpoints too, and a
 * database that was restored from a backup knows less than it did.
 */
export class StoredCheckpoints {
  /** By id, so that each manifest is read once: in a shared store, most are of other agents, and unusable. */
  private readonly known = new Map<string, Stored | 'unusable'>();
  private kept: Kept | undefined;
  private published = '';
  private leftoversAt = Number.NEGATIVE_INFINITY;
  private awaitedAt = Number.NEGATIVE_INFINITY;

  /** Keeps what was removed over restarts. */
  private readonly file: string;

  constructor(private readonly context: Context) {
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
    await this.removeDeprecated();
    await this.publish();
    if (performance.now() - this.awaitedAt < LEFTOVERS_EVERY_MS) return;
    await this.confirmMissing();
    this.awaitedAt = performance.now();
  }

  private async removeDeprecated(): Promise<void> {
    if (performance.now() - this.leftoversAt >= LEFTOVERS_EVERY_MS) {
      await this.context.store.removeLeftovers();
      // Somebody may have repaired it.
      for (const [id, stored] of this.known) if (stored === 'unusable') this.known.delete(id);
      this.leftoversAt = performance.now();
    }
    await this.look();
    const stored = [...(await this.unfinished()), ...[...this.known.values()].filter(isStored)];
    for (let start = 0; start < stored.length; start += IDS_A_REQUEST) {
      const set = stored.slice(start, start + IDS_A_REQUEST);
      const deprecated = await this.deprecated(set.map(({ id }) => id));
      await this.remove(set.filter(({ id }) => deprecated.has(id)));
      await this.forget(set.filter(({ id }) => !deprecated.has(id)));
    }
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
    const seen = new Set<string>();
    for await (const id of this.context.store.ids()) {
      seen.add(id);
      if (this.known.has(id)) continue;
      const found = storedIn(await this.context.store.find(id));
      // One without a manifest is being taken, or removed: the next look shows which.
      if (found !== 'missing') this.known.set(id, found);
    }
    for (const id of this.known.keys()) if (!seen.has(id)) this.known.delete(id);
  }

  private async deprecated(ids: readonly string[]): Promise<Set<string>> {
    const query = { ids: ids.join(','), limit: IDS_A_REQUEST };
    const rows = await this.context.service.send('list_checkpoints', (api) =>
      api.GET('/v1/checkpoints', { params: { query } }),
    );
    const own = rows.filter(({ cluster_id: cluster }) => cluster === this.context.clusterId());
    return new Set(own.filter(({ status }) => status === 'deprecated').map(({ id }) => id));
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
      const query = { awaiting_removal: true, cluster_id, limit: IDS_A_REQUEST, offset: others };
      const rows = await this.context.service.send('list_checkpoints', (api) =>
        api.GET('/v1/checkpoints', { params: { query } }),
      );
      const missing: Stored[] = [];
      for (const { id, status, restore_path: reference, namespace, pod_name: name } of rows) {
        if (status !== 'deprecated' || reference !== `${SERVICE_STORE}:${id}` || this.known.has(id)) continue;
        if (await this.context.store.owns(reference))
          missing.push({ id, reference, bytes: 0, workload: `${namespace ?? ''}/${name ?? ''}` });
      }
      await this.remove(missing);
      others += rows.length - missing.length;
      if (rows.length < IDS_A_REQUEST) break;
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
   * another store than this one stay noted: it may come back.
   */
  private async unfinished(): Promise<Stored[]> {
    const left: Stored[] = [];
    for (const one of (await this.record()).begun ?? [])
      if (!isStored(this.known.get(one.id)) && (await this.context.store.owns(one.reference))) left.push(one);
    return left;
  }

  /** Each by itself: one that cannot be removed keeps none of the others. It is tried again in each round. */
  private async remove(gone: readonly Stored[]): Promise<void> {
    if (gone.length === 0) return;
    const record = await this.record();
    const ids = new Set(gone.map(({ id }) => id));
    await this.keep({ ...record, begun: [...(record.begun ?? []).filter(({ id }) => !ids.has(id)), ...gone] });
    const removed: Stored[] = [];
    for (const one of gone)
      try {
        await this.context.store.remove(one.reference);
        this.known.delete(one.id);
        await this.confirm(one.id);
        removed.push(one);
      } catch (error) {
        if (this.context.signal.aborted) break;
        this.context.log.warn({ err: error, checkpoint_id: one.id }, 'a deprecated checkpoint was not removed');
        // The others would only wait for the service too.
        if (isTransient(error)) break;
      }
    await this.note(removed);
  }

  /** Tells the service that the bytes are gone. It may be repeated. */
  private async confirm(id: string): Promise<void> {
    try {
      await this.context.service.send('confirm_checkpoint_removal', (api) =>
        api.PUT('/v1/checkpoints/removed/{id}', { params: { path: { id } } }),
      );
    } catch (error) {
      if (!isProblem(error, ...SETTLED)) throw error;
      this.context.log.warn({ checkpoint_id: id, code: error.code }, 'the service takes no confirmation of a removal');
    }
  }

  /** Drops begun removals of checkpoints that are no longer deprecated, such as after a restored backup. */
  private async forget(kept: readonly Stored[]): Promise<void> {
    const ids = new Set(kept.map(({ id }) => id));
    const { begun = [], ...record } = await this.record();
    const left = begun.filter(({ id }) => !ids.has(id));
    if (left.length < begun.length) await this.keep({ ...record, ...(left.length > 0 && { begun: left }) });
  }

  /** Keeps these removals, after they were confirmed, and says them to people. */
  private async note(gone: readonly Stored[]): Promise<void> {
    if (gone.length === 0) return;
    for (const { id, reference, bytes, workload } of gone) {
      this.context.log.info({ checkpoint_id: id, reference, bytes }, 'a deprecated checkpoint was removed');
      this.context.say(`Removed the deprecated checkpoint ${reference} of ${workload}.`);
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

/**
 * The service has forgotten the checkpoint, has it again after it was restored from a backup, or is older
 * than the operation.
 */
const SETTLED = ['checkpoint_not_found', 'checkpoint_state_conflict', 'not_found'];

const isStored = (known: Stored | 'unusable' | undefined): known is Stored => typeof known === 'object';

/** What is kept of a manifest, which may have megabytes. */
function storedIn(found: Found): Stored | Exclude<Found, Manifest> {
  if (typeof found === 'string') return found;
  const { id, reference, bytes, workload } = found;
  return { id, reference, bytes, workload: `${workload.namespace}/${workload.name}` };
}
