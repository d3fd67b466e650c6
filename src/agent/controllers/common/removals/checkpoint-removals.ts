import { isProblem } from '../../../service/problems';
import type { ClusterContext } from '../cluster-context';
import { ArtifactBytes, isGone, type Artifact } from './artifact-bytes';

/** Of one list of ids. */
export const IDS_A_REQUEST = 500;
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
  /** For people. */
  readonly workload: string;
  /** It ended its workload. */
  readonly letGo?: boolean | undefined;
}

/** What the service says of one that somebody deprecated before it was ready. All else is no decision. */
const CANCELLED = 'cancelled:';

type Context = Pick<ClusterContext, 'service' | 'clusterId' | 'log' | 'say'>;

/** What the service says of stored checkpoints, and what is reported to it of their removals. */
export class CheckpointRemovals {
  private readonly artifacts: ArtifactBytes;
  private readonly usedUntil = new Map<string, number>();
  /** Ids of checkpoints that nobody decided to remove. What the service says of them is its last word. */
  private readonly lastCopies = new Set<string>();
  private listed: { readonly until: number; readonly used: ReadonlySet<string> | undefined } | undefined;

  constructor(private readonly context: Context) {
    this.artifacts = new ArtifactBytes(context);
  }

  /**
   * Those of these checkpoints that may be removed. What the service neither has nor had may not: people keep
   * checkpoints too, a database that was restored from a backup knows less than it did, and another
   * organisation knows nothing of this one.
   * @param asksForgotten of which of the ids that the service does not have, it is asked whether it had them
   */
  async wanted(held: readonly Held[], asksForgotten: (id: string) => boolean): Promise<ReadonlyMap<string, Reason>> {
    const ids = held.map(({ id }) => id);
    const query = { ids: ids.join(','), limit: IDS_A_REQUEST };
    const rows = await this.context.service.send('list_checkpoints', (api) =>
      api.GET('/v1/checkpoints', { params: { query } }),
    );
    const known = new Set(rows.map(({ id }) => id));
    const own = rows.filter(({ cluster_id: cluster }) => cluster === this.context.clusterId());
    const byId = new Map(held.map((one) => [one.id, one]));
    const deprecated: string[] = [];
    for (const { id, restore_path: path } of own.filter(({ status }) => status === 'deprecated')) {
      const one = byId.get(id);
      if (path != null || !one?.letGo || (await this.isUnwanted(one))) deprecated.push(id);
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

  /**
   * Whether somebody decided that a checkpoint goes which has ended its workload, and which the service does
   * not know as uploaded. A deadline that has passed, or a failure of the agent, is no such decision: what is
   * stored is then all that is left of the workload.
   */
  private async isUnwanted({ id, reference, workload }: Held): Promise<boolean> {
    if (this.lastCopies.has(id)) return false;
    try {
      const path = { id };
      const fact = await this.context.service.send('get_operation', (api) =>
        api.GET('/v1/operations/{id}', { params: { path } }),
      );
      if (fact.result === 'succeeded' || fact.failure_reason.startsWith(CANCELLED)) return true;
    } catch (error) {
      // It is so old that the service has forgotten how it went.
      if (!isProblem(error, 'operation_not_found')) throw error;
    }
    this.lastCopies.add(id);
    this.context.say(
      `The service gave the checkpoint ${reference} up, but it has ended ${workload}: it stays. ` +
        'Restore it with "ccp-agent run --restore", or remove it with "ccp-agent remove".',
    );
    return false;
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
