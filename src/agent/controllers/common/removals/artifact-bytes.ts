import { isProblem } from '../../../service/problems';
import type { components } from '../../../service/schema';
import { UUID } from '../../../uuid';
import type { ClusterContext } from '../cluster-context';
import { memberOf, members } from '../members';

export type Artifact = components['schemas']['ArtifactView'];

const ROWS = 1_000;
/** A list that never ends: nobody knows which other artifacts have the same bytes. */
const MAX_EXAMINED = 20_000_000;
/** New rows may push those of a page back by some pages. */
const PAGES_REMEMBERED = 4;

type Context = Pick<ClusterContext, 'service' | 'log'>;

/** Which artifacts of the organisation have which bytes, of whichever profile. */
export class ArtifactBytes {
  constructor(private readonly context: Context) {}

  /**
   * The artifacts whose bytes are, or were, at a place.
   * @returns undefined if that cannot be known: then the bytes count as used
   */
  async at(uri: string): Promise<Artifact[] | undefined> {
    const found: Artifact[] = [];
    // A service that does not know the filter lists all.
    const isWhole = await this.read({ uri }, (artifact) => {
      if (artifact.uri === uri) found.push(artifact);
    });
    return isWhole ? found : undefined;
  }

  /**
   * The checkpoints whose bytes an artifact has that is not gone, as their places name them.
   * @returns undefined if that cannot be known
   */
  async usedIds(): Promise<ReadonlySet<string> | undefined> {
    const ids = new Set<string>();
    // One list of all statuses: between two lists, one could change its status and be in neither.
    const isWhole = await this.read({}, (artifact) => {
      const id = idIn(artifact.uri);
      // Other places have nothing that an agent could remove.
      if (!isGone(artifact) && UUID.test(id)) ids.add(id);
    });
    return isWhole ? ids : undefined;
  }

  /** Reports that the bytes are gone. It may be repeated. */
  async confirm(artifactId: string): Promise<void> {
    const path = { artifact_id: artifactId };
    try {
      await this.context.service.send('confirm_artifact_removal', (api) =>
        api.PUT('/v1/inference/artifacts/{artifact_id}/removed', { params: { path } }),
      );
    } catch (error) {
      // Somebody has reported its bytes as ready again, or the service is older than the operation.
      if (!isProblem(error, 'artifact_not_gone', 'artifact_not_found', 'not_found')) throw error;
      const fields = { artifact_id: artifactId, code: error.code };
      this.context.log.warn(fields, 'the service takes no confirmation of a removal');
    }
  }

  /** Those of these artifacts that the service still waits for. Whoever was promoted has a copy elsewhere. */
  async confirmGone(artifacts: readonly Artifact[]): Promise<void> {
    for (const artifact of artifacts)
      if (isAwaited(artifact) && promotionOf(artifact) === undefined) await this.confirm(artifact.artifact_id);
  }

  /** @returns false if there may be more than were read */
  private async read(filter: { readonly uri?: string }, take: (artifact: Artifact) => void): Promise<boolean> {
    const seen: ReadonlySet<string>[] = [];
    for (let offset = 0; offset < MAX_EXAMINED;) {
      // From the last row on. If a row is there that was not read, rows have moved, and one was missed.
      const again = Math.min(offset, 1);
      const query = { ...filter, limit: ROWS, offset: offset - again };
      const page = await this.context.service.send('list_artifacts', (api) =>
        api.GET('/v1/inference/artifacts', { params: { query } }),
      );
      if (again > 0 && !seen.some((ids) => ids.has(page[0]?.artifact_id ?? ''))) return false;
      const rows = page.slice(again);
      // A page may have fewer rows than asked for, because of their bytes: only an empty one is the last.
      if (rows.length === 0) return true;
      seen.unshift(new Set(rows.map(({ artifact_id: id }) => id)));
      seen.length = Math.min(seen.length, PAGES_REMEMBERED);
      for (const artifact of rows) take(artifact);
      offset += rows.length;
    }
    return false;
  }
}

export const isGone = ({ status }: Artifact): boolean => status === 'deleted' || status === 'expired';

/** A service that is older than confirmations has no such member, and waits for none. */
export const isAwaited = (artifact: Artifact): boolean => isGone(artifact) && artifact.bytes_removed_at === null;

export const promotionOf = ({ metadata }: Artifact): string | undefined =>
  memberOf(members(metadata).promotion, 'state');

/** What the place of a checkpoint ends with in every store. */
const idIn = (uri: string): string => uri.slice(Math.max(uri.lastIndexOf('/'), uri.lastIndexOf(':')) + 1);
