import { isProblem } from '../../service/problems';
import type { ClusterContext } from './cluster-context';

/** Of one list of ids. */
export const IDS_A_REQUEST = 500;
const ROWS = 1_000;
/** Artifacts that are read to find out whether bytes are in use. If there are more, they count as used. */
const MAX_ARTIFACTS = 20_000;

/**
 * Why a checkpoint may be removed: the service has deprecated it, or says that it had it, and that it went
 * with its cluster or grew old.
 */
export type Reason = 'deprecated' | 'forgotten';

type Context = Pick<ClusterContext, 'service' | 'clusterId' | 'log'>;

/** What the service says of stored checkpoints, and what it is told. */
export class CheckpointRemovals {
  constructor(private readonly context: Context) {}

  /**
   * Those of these checkpoints that may be removed. What the service neither has nor had may not: people keep
   * checkpoints too, a database that was restored from a backup knows less than it did, and another
   * organisation knows nothing of this one.
   * @param asksForgotten of which of the ids that the service does not have, it is asked whether it had them
   */
  async wanted(ids: readonly string[], asksForgotten: (id: string) => boolean): Promise<ReadonlyMap<string, Reason>> {
    const query = { ids: ids.join(','), limit: IDS_A_REQUEST };
    const rows = await this.context.service.send('list_checkpoints', (api) =>
      api.GET('/v1/checkpoints', { params: { query } }),
    );
    const known = new Set(rows.map(({ id }) => id));
    const own = rows.filter(({ cluster_id: cluster }) => cluster === this.context.clusterId());
    const deprecated = own.filter(({ status }) => status === 'deprecated').map(({ id }) => id);
    const forgotten = await this.forgotten(ids.filter((id) => !known.has(id) && asksForgotten(id)));
    return new Map([
      ...deprecated.map((id): [string, Reason] => [id, 'deprecated']),
      ...forgotten.map((id): [string, Reason] => [id, 'forgotten']),
    ]);
  }

  /** Tells the service that the bytes are gone. It may be repeated. */
  async confirm(id: string): Promise<void> {
    try {
      await this.context.service.send('confirm_checkpoint_removal', (api) =>
        api.PUT('/v1/checkpoints/removed/{id}', { params: { path: { id } } }),
      );
    } catch (error) {
      if (!isProblem(error, ...SETTLED)) throw error;
      this.context.log.warn({ checkpoint_id: id, code: error.code }, 'the service takes no confirmation of a removal');
    }
  }

  /** By the clock of the service, and but for those whose bytes an artifact has too. */
  private async forgotten(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const query = { ids: ids.join(','), limit: IDS_A_REQUEST };
    try {
      const rows = await this.context.service.send('list_forgotten_checkpoints', (api) =>
        api.GET('/v1/checkpoints/forgotten', { params: { query } }),
      );
      // It may be asked for some, and answers for no other one.
      const removable = rows.filter(({ id, removable: may }) => may && ids.includes(id)).map(({ id }) => id);
      if (removable.length === 0) return [];
      const uris = await this.urisOfArtifacts();
      return uris === undefined ? [] : removable.filter((id) => !uris.some((uri) => uri.endsWith(id)));
    } catch (error) {
      // It is older than the operation.
      if (isProblem(error, 'not_found')) return [];
      throw error;
    }
  }

  /** Of all that can be restored. @returns undefined if there are too many */
  private async urisOfArtifacts(): Promise<string[] | undefined> {
    const uris: string[] = [];
    for (const status of ['ready', 'golden', 'quarantined'])
      for (let offset = 0; ; offset += ROWS) {
        if (uris.length >= MAX_ARTIFACTS) return undefined;
        const query = { status, limit: ROWS, offset };
        const page = await this.context.service.send('list_artifacts', (api) =>
          api.GET('/v1/inference/artifacts', { params: { query } }),
        );
        uris.push(...page.map(({ uri }) => uri));
        if (page.length < ROWS) break;
      }
    return uris;
  }
}

/**
 * The service has forgotten the checkpoint, has it again after it was restored from a backup, or is older
 * than the operation.
 */
const SETTLED = ['checkpoint_not_found', 'checkpoint_state_conflict', 'not_found'];
