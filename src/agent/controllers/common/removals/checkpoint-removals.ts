import { IDS_A_REQUEST, inSets, listedCheckpoints } from '../../../service/listed-checkpoints';
import { isProblem, isTransient, ServiceProblem } from '../../../service/problems';
import type { ClusterContext } from '../cluster-context';
import { ArtifactBytes, isGone, type Artifact } from './artifact-bytes';

/**
 * How long a list of all artifacts serves: for all sets of ids of one round. It may be old, because each
 * removal asks once more.
 */
const LISTED_FOR_MS = 10_000;
/** One that takes long serves longer, so that the service is not asked all the time. */
const LISTED_FOR_TIMES = 10;
/** So long, one whose bytes an artifact has is not looked at again: all artifacts are read for that. */
const USED_FOR_MS = 600_000;

/**
 * Why a checkpoint may be removed: the service has deprecated it, or says that it had it, and that it went
 * with its cluster or grew old.
 */
export type Reason = 'deprecated' | 'forgotten';

/** A stored checkpoint, of which it is asked whether it may be removed. */
interface Held {
  readonly id: string;
  readonly reference: string;
  /** For people, and the same for all checkpoints of one workload. */
  readonly workload: string;
  /** The same for all checkpoints of one command. */
  readonly command: string;
  /** It ended its workload. */
  readonly letGo?: boolean | undefined;
}

/** So long, nobody looks again whether what is left of a workload may be removed. */
const LAST_COPY_FOR_MS = 3_600_000;
/** Of one checkpoint, the newest ones that are asked for. */
const RESTORES = 100;

/** What the service says of one that somebody deprecated before it was ready. All else is no decision. */
const CANCELLED = 'cancelled:';

type Context = Pick<ClusterContext, 'service' | 'store' | 'clusterId' | 'log' | 'say'>;

/** What the service says of stored checkpoints, and what is reported to it of their removals. */
export class CheckpointRemovals {
  private readonly artifacts: ArtifactBytes;
  private readonly usedUntil = new Map<string, number>();
  /** Checkpoints that nobody decided to remove, by id, and until when that is believed. */
  private readonly lastCopies = new Map<string, number>();
  private listed: { readonly until: number; readonly used: ReadonlySet<string> | undefined } | undefined;

  /** @param inStore all that this agent can use */
  constructor(
    private readonly context: Context,
    private readonly inStore: () => readonly Held[],
  ) {
    this.artifacts = new ArtifactBytes(context);
  }

  /**
   * Those of these checkpoints that may be removed. What the service neither has nor had may not: people keep
   * checkpoints too, a database that was restored from a backup knows less than it did, and another
   * organisation knows nothing of this one.
   * @param held at most `IDS_A_REQUEST`
   * @param asksForgotten of which of the ids that the service does not have, it is asked whether it had them
   */
  async wanted(held: readonly Held[], asksForgotten: (id: string) => boolean): Promise<ReadonlyMap<string, Reason>> {
    const ids = held.map(({ id }) => id);
    const rows = await listedCheckpoints(this.context.service, ids);
    const known = new Set(rows.map(({ id }) => id));
    const own = rows.filter(({ cluster_id: cluster }) => cluster === this.context.clusterId());
    const byId = new Map(held.map((one) => [one.id, one]));
    const deprecated: string[] = [];
    for (const { id, restore_path: path } of own.filter(({ status }) => status === 'deprecated')) {
      const one = byId.get(id);
      if (path != null || !one?.letGo || (await this.mayGo(one))) deprecated.push(id);
    }
    const forgotten = await this.forgotten(ids.filter((id) => !known.has(id) && asksForgotten(id)));
    return this.unused([
      ...deprecated.map((id): [string, Reason] => [id, 'deprecated']),
      ...forgotten.map((id): [string, Reason] => [id, 'forgotten']),
    ]);
  }

  /**
   * What is asked again just before bytes are removed.
   * @returns the gone artifacts that had them; undefined if one has them, or nobody knows
   */
  async goneArtifacts(reference: string): Promise<Artifact[] | undefined> {
    const found = await this.artifacts.at(reference);
    return found?.every(isGone) ? found : undefined;
  }

  /**
   * Reports that the bytes are gone. It may be repeated.
   * @param artifacts that had them too
   */
  async confirm(id: string, artifacts: readonly Artifact[] = []): Promise<void> {
    await this.artifacts.confirmGone(artifacts);
    try {
      await this.context.service.send('confirm_checkpoint_removal', (api) =>
        api.PUT('/v1/checkpoints/removed/{id}', { params: { path: { id } } }),
      );
    } catch (error) {
      if (!isProblem(error, ...SETTLED)) throw error;
      this.context.log.warn({ checkpoint_id: id, code: error.code }, 'the service takes no confirmation of a removal');
    }
  }

  /** One of which the service refuses to say it stays, and keeps none of the others. */
  private async mayGo(one: Held): Promise<boolean> {
    try {
      return await this.isUnwanted(one);
    } catch (error) {
      if (!(error instanceof ServiceProblem) || isTransient(error)) throw error;
      this.context.log.warn({ err: error, checkpoint_id: one.id }, 'nobody knows whether a last copy may go');
      return false;
    }
  }

  /**
   * Whether a checkpoint may go which has ended its workload, and which the service does not know as
   * uploaded: somebody decided it, or the workload has lived on. A deadline that has passed, or a failure of
   * the agent, is no such decision: what is stored is then all that is left of the workload.
   */
  private async isUnwanted(one: Held): Promise<boolean> {
    const { id, reference, workload } = one;
    const until = this.lastCopies.get(id);
    if (until !== undefined && performance.now() < until) return false;
    if ((await this.isAmended(id)) || (await this.isCancelled(id)) || (await this.hasLivedOn(one))) {
      this.lastCopies.delete(id);
      return true;
    }
    this.lastCopies.set(id, performance.now() + LAST_COPY_FOR_MS);
    if (until === undefined)
      this.context.say(
        `The service gave the checkpoint ${reference} up, but it has ended ${workload}: it stays. ` +
          'Restore it with "ccp-agent run --restore", or remove it with "ccp-agent remove".',
      );
    return false;
  }

  /** It hung, was stored late, and has not ended its workload after all. */
  private async isAmended(id: string): Promise<boolean> {
    try {
      const manifest = await this.context.store.find(id);
      return typeof manifest !== 'string' && manifest.workload.letGo !== true;
    } catch (error) {
      // It was read before: by it, the checkpoint had ended its workload.
      this.context.log.warn({ err: error, checkpoint_id: id }, 'the manifest of a last copy cannot be read');
      return false;
    }
  }

  private async isCancelled(id: string): Promise<boolean> {
    try {
      const path = { id };
      const fact = await this.context.service.send('get_operation', (api) =>
        api.GET('/v1/operations/{id}', { params: { path } }),
      );
      return fact.result === 'succeeded' || fact.failure_reason.startsWith(CANCELLED);
    } catch (error) {
      // It is so old that the service has forgotten how it went.
      if (!isProblem(error, 'operation_not_found')) throw error;
      return false;
    }
  }

  /**
   * Whether this one was restored, and a later checkpoint of the same workload is in this store and can be
   * restored. A later one alone does not descend from it: the workload may have begun anew, or another one
   * may have its name and command. By the service's times, because the clocks of machines differ.
   */
  private async hasLivedOn({ id, workload, command }: Held): Promise<boolean> {
    const restoredAt = await this.restoredAt(id);
    if (restoredAt === undefined) return false;
    const others = this.inStore().filter((one) => one.workload === workload && one.command === command);
    const ids = others.map((one) => one.id).filter((other) => other !== id);
    for (const set of inSets(ids)) {
      const rows = await listedCheckpoints(this.context.service, set);
      const own = rows.filter((row) => row.cluster_id === this.context.clusterId() && row.status === 'ready');
      if (own.some((row) => Date.parse(row.created_at) > restoredAt)) return true;
    }
    return false;
  }

  /** When a restore of it first succeeded in this cluster, in milliseconds; undefined: never. */
  private async restoredAt(checkpoint_id: string): Promise<number | undefined> {
    const cluster_id = this.context.clusterId();
    const query = { checkpoint_id, cluster_id, status: 'succeeded', limit: RESTORES };
    const restores = await this.context.service.send('list_restores', (api) =>
      api.GET('/v1/restores', { params: { query } }),
    );
    const own = restores.filter(
      (one) => one.checkpoint_id === checkpoint_id && one.cluster_id === cluster_id && one.status === 'succeeded',
    );
    const successes = own.flatMap(({ events }) => events.filter(({ kind }) => kind === 'restore_success'));
    return successes.map((event) => Date.parse(event.received_at)).sort((one, other) => one - other)[0];
  }

  /** By the clock of the service. */
  private async forgotten(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const query = { ids: ids.join(','), limit: IDS_A_REQUEST };
    try {
      const rows = await this.context.service.send('list_forgotten_checkpoints', (api) =>
        api.GET('/v1/checkpoints/forgotten', { params: { query } }),
      );
      // It may be asked for some, and answers for no other one.
      return rows.filter(({ id, removable: may }) => may && ids.includes(id)).map(({ id }) => id);
    } catch (error) {
      // It is older than the operation.
      if (isProblem(error, 'not_found')) return [];
      throw error;
    }
  }

  /** But for those whose bytes an artifact has too. They go when that artifact goes. */
  private async unused(found: readonly (readonly [string, Reason])[]): Promise<ReadonlyMap<string, Reason>> {
    const now = performance.now();
    for (const [id, until] of this.usedUntil) if (until <= now) this.usedUntil.delete(id);
    const left = found.filter(([id]) => !this.usedUntil.has(id));
    if (left.length === 0) return new Map();
    if (!this.listed || now > this.listed.until) {
      const used = await this.artifacts.usedIds();
      const tookMs = performance.now() - now;
      this.listed = { until: now + Math.max(LISTED_FOR_MS, LISTED_FOR_TIMES * tookMs), used };
    }
    const { used } = this.listed;
    for (const [id] of left) if (used?.has(id) ?? true) this.usedUntil.set(id, now + USED_FOR_MS);
    return new Map(left.filter(([id]) => !this.usedUntil.has(id)));
  }
}

/**
 * The service has forgotten the checkpoint, has it again after it was restored from a backup, or is older
 * than the operation.
 */
const SETTLED = ['checkpoint_not_found', 'checkpoint_state_conflict', 'not_found'];
