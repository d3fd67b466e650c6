import { join } from 'node:path';
import { timestamp } from '../../clock';
import { readJson, writeJson } from '../../files/json-file';
import { pause } from '../../service/retries';
import type { Found } from '../../store/checkpoint-store';
import type { Manifest } from '../../store/manifest';
import type { ClusterContext } from './cluster-context';

const EVERY_MS = 60_000;
/** It looks at every checkpoint, and removes only what is hours old. */
const LEFTOVERS_EVERY_MS = 3_600_000;
const IDS_A_REQUEST = 500;

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

/** The confirmation that bytes are gone, which people see. */
interface Removed {
  readonly checkpoints: number;
  readonly bytes: number;
  /** The newest ones last. */
  readonly last: readonly { readonly checkpoint_id: string; readonly removed_at: string }[];
}

/** What is kept over restarts. */
interface Kept extends Removed {
  /** Removals that have begun: whether they ended is not known before they are repeated. */
  readonly begun?: readonly Stored[];
}

/**
 * Removes from the store what the service has deprecated: its facts stay there, its bytes are gone. What the
 * service does not know is left alone, because people take checkpoints too, and a database that was restored
 * from a backup knows less than it did.
 */
export class StoredCheckpoints {
  /** By id, so that each manifest is read once: in a shared store, most are of other agents, and unusable. */
  private readonly known = new Map<string, Stored | 'unusable'>();
  private kept: Kept | undefined;
  private published = '';
  private leftoversAt = Number.NEGATIVE_INFINITY;

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
    if (performance.now() - this.leftoversAt >= LEFTOVERS_EVERY_MS) {
      await this.context.store.removeLeftovers();
      // Somebody may have repaired it.
      for (const [id, stored] of this.known) if (stored === 'unusable') this.known.delete(id);
      this.leftoversAt = performance.now();
    }
    // Of a process that was killed, or after a failure.
    await this.finish(await this.record());
    await this.look();
    const held = { checkpoints: 0, bytes: 0 };
    const stored = [...this.known.values()].filter((one) => one !== 'unusable');
    for (let start = 0; start < stored.length; start += IDS_A_REQUEST) {
      const set = stored.slice(start, start + IDS_A_REQUEST);
      const deprecated = await this.deprecated(set.map(({ id }) => id));
      const gone = set.filter(({ id }) => deprecated.has(id));
      if (gone.length > 0) await this.finish(await this.keep({ ...(await this.record()), begun: gone }));
      for (const { bytes } of set.filter(({ id }) => !deprecated.has(id))) {
        held.checkpoints++;
        held.bytes += bytes;
      }
    }
    // What this agent holds, and what it has removed.
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

  private async record(): Promise<Kept> {
    return (this.kept ??= (await readJson<Kept>(this.file)) ?? { checkpoints: 0, bytes: 0, last: [] });
  }

  private async keep(kept: Kept): Promise<Kept> {
    await writeJson(this.file, kept);
    return (this.kept = kept);
  }

  /** Removes what removals have begun with, and then says that it is gone: never before. */
  private async finish({ begun = [], ...removed }: Kept): Promise<void> {
    if (begun.length === 0) return;
    for (const { id, reference, bytes, workload } of begun) {
      await this.context.store.remove(reference);
      this.known.delete(id);
      this.context.log.info({ checkpoint_id: id, reference, bytes }, 'a deprecated checkpoint was removed');
      this.context.say(`Removed the deprecated checkpoint ${reference} of ${workload}.`);
    }
    const gone = begun.map(({ id }) => ({ checkpoint_id: id, removed_at: timestamp() }));
    await this.keep({
      checkpoints: removed.checkpoints + begun.length,
      bytes: removed.bytes + begun.reduce((sum, { bytes }) => sum + bytes, 0),
      last: [...removed.last, ...gone].slice(-NAMED_REMOVALS),
    });
  }
}

/** What is kept of a manifest, which may have megabytes. */
function storedIn(found: Found): Stored | Exclude<Found, Manifest> {
  if (typeof found === 'string') return found;
  const { id, reference, bytes, workload } = found;
  return { id, reference, bytes, workload: `${workload.namespace}/${workload.name}` };
}
