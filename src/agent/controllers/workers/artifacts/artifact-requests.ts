import { join } from 'node:path';
import { NIL, v5 } from 'uuid';
import { AgentFailure, type FailureFacts } from '../../../failures';
import type { OutboxEvent } from '../../../service/outbox-reader';
import { pagesOf } from '../../../service/pages';
import { isProblem } from '../../../service/problems';
import { pause } from '../../../service/retries';
import type { components } from '../../../service/schema';
import type { ClusterContext } from '../../common/cluster-context';
import type { EventHandler, Loop } from '../../common/control-cluster';
import { memberOf, members } from '../../common/members';
import { ArtifactBytes, isAwaited, isGone, promotionOf, type Artifact } from '../../common/removals/artifact-bytes';
import { CheckpointRemovals } from '../../common/removals/checkpoint-removals';
import { RequestJournal, type Asked } from '../../common/requests/request-journal';
import { RequestRunner } from '../../common/requests/request-runner';
import type { CheckpointStore } from '../../../store/checkpoint-store';
import { requireSamePlace } from '../../common/removals/same-place';
import { LEFTOVERS_EVERY_MS } from '../../common/stored-checkpoints';
import { storeKindOf, type ArtifactStores } from './artifact-stores';
import { copiedAs, copyCheckpoint } from './copying';
import { CopyPlaces } from './copy-places';
import { checkpointIdOf } from './profile-artifacts';

/** Each says that there is something to read. */
const GONE_EVENTS = ['artifact.deleted', 'artifact.expired'];
const PROMOTION_EVENT = 'artifact.promote_requested';

/** How often removals that the service still awaits are looked for. */
const AWAITED_EVERY_MS = 600_000;
const ROWS = 1_000;
/** Copies and removals at once. */
const AT_ONCE = 2;

type Update = components['schemas']['UpdateArtifactBody'];

interface ArtifactFilter {
  readonly status?: string;
  readonly awaiting_removal?: boolean;
  readonly cluster_id?: string;
}

interface ArtifactAsked extends Asked {
  readonly kind: 'artifact';
  readonly artifactId: string;
  /** Of the store that had the bytes when their removal began. */
  readonly place?: string | undefined;
  /** To which it is promoted, by the last attempt. */
  readonly tier?: string | undefined;
}

/**
 * Does to the stored bytes what happened to artifacts: removes those that were deleted or have expired,
 * confirms that they are gone, and copies those that were promoted. It touches only what an agent has
 * registered.
 */
export class ArtifactRequests implements EventHandler, Loop {
  private readonly journal: RequestJournal<ArtifactAsked>;
  private readonly runner: RequestRunner<ArtifactAsked>;
  private readonly bytes: ArtifactBytes;
  private readonly copyPlaces: CopyPlaces;
  private readonly checkpoints: CheckpointRemovals;
  /** Why bytes stay, or may be there still: they are looked at again and again. */
  private readonly said = new Set<string>();

  /**
   * @param runsWorkers otherwise it removes what this agent holds or has registered, and copies nothing
   * @param node that has the bytes of a directory; undefined: every machine of the cluster sees them
   */
  constructor(
    private readonly context: ClusterContext,
    private readonly stores: ArtifactStores,
    private readonly runsWorkers = true,
    private readonly node?: { readonly name: string; readonly bootId: string },
  ) {
    const { directory, signal, log, mayPass, retryAfterMs: firstPauseMs } = context;
    this.bytes = new ArtifactBytes(context);
    this.copyPlaces = new CopyPlaces(directory);
    this.checkpoints = new CheckpointRemovals(context, () => []);
    this.journal = new RequestJournal<ArtifactAsked>(join(directory, 'artifacts'));
    this.runner = new RequestRunner(this.journal, (asked) => this.perform(asked), {
      ...{ signal, log, mayPass, firstPauseMs, atOnce: AT_ONCE },
      isGone: (error) => isProblem(error, 'artifact_not_found'),
      giveUp: (asked, failure) => this.giveUp(asked, failure),
    });
  }

  resume(): Promise<number> {
    return this.runner.resume();
  }

  take(events: readonly OutboxEvent[]): Promise<void> {
    const types = this.runsWorkers ? [...GONE_EVENTS, PROMOTION_EVENT] : GONE_EVENTS;
    const asked = events.filter(({ event_type: type }) => types.includes(type));
    return this.runner.take(
      asked.flatMap(({ id, event_type: type, payload }) => {
        const artifactId = memberOf(payload, 'artifact_id');
        return artifactId === undefined ? [] : [askedFor(artifactId, type, id)];
      }),
    );
  }

  async resync(): Promise<void> {
    await this.takeListed({ awaiting_removal: true }, isGone);
    if (!this.runsWorkers) return;
    for (const status of ['ready', 'golden'])
      await this.takeListed({ status }, (artifact) => promotionOf(artifact) === 'pending');
  }

  /**
   * Looks for what this cluster has registered and no event names any more: bytes that were in use when their
   * artifact was deleted.
   */
  async run(): Promise<void> {
    const { signal, log, examineStoreEveryMs: everyMs = AWAITED_EVERY_MS } = this.context;
    let leftoversAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      if (performance.now() - leftoversAt >= LEFTOVERS_EVERY_MS) {
        leftoversAt = performance.now();
        await this.stores.removeLeftovers().catch((error: unknown) => {
          if (!signal.aborted) log.warn({ err: error }, 'what killed agents left of copies was not removed');
        });
      }
      // An older service lists what is of others too, or not gone, or was removed long ago.
      const isOurs = (artifact: Artifact) => isAwaited(artifact) && this.isOurs(artifact) && isOfAgent(artifact);
      await this.takeListed({ awaiting_removal: true, cluster_id: this.context.clusterId() }, isOurs).catch(
        (error: unknown) => {
          if (!signal.aborted) log.warn({ err: error }, 'removals that the service awaits were not read');
        },
      );
      await pause(everyMs, signal);
    }
  }

  private async takeListed(filter: ArtifactFilter, isConcerned: (artifact: Artifact) => boolean): Promise<void> {
    const pages = pagesOf(this.context.service, 'list_artifacts', ROWS, (api, at) =>
      api.GET('/v1/inference/artifacts', { params: { query: { ...filter, ...at } } }),
    );
    for await (const page of pages) {
      const concerned = page.filter(isConcerned);
      await this.runner.take(concerned.map(({ artifact_id: id, status }) => askedFor(id, status)));
    }
  }

  idle(): Promise<void> {
    return this.runner.idle();
  }

  private async perform(asked: ArtifactAsked): Promise<void> {
    const { artifactId } = asked;
    const artifact = await this.read(artifactId);
    if (isGone(artifact)) return this.remove(artifact, asked);
    if (!this.runsWorkers || promotionOf(artifact) !== 'pending' || !this.isOurs(artifact)) return;
    const { storage_tier: tier } = artifact;
    if (asked.tier !== tier) await this.journal.keep({ ...asked, tier });
    await this.promote(artifact);
    await this.endPromotion(artifactId, 'confirmed', tier);
    // It may have been deleted, or promoted further, while it was copied.
    const after = await this.read(artifactId);
    if (isGone(after)) await this.remove(after, asked);
    else if (after.storage_tier !== tier) await this.perform({ ...asked, tier });
  }

  private read(artifactId: string): Promise<Artifact> {
    const path = { artifact_id: artifactId };
    return this.context.service.send('get_artifact', (api) =>
      api.GET('/v1/inference/artifacts/{artifact_id}', { params: { path } }),
    );
  }

  /** Each cluster promotes what it has registered. */
  private isOurs({ metadata }: Artifact): boolean {
    return members(metadata).cluster_id === this.context.clusterId();
  }

  private async remove(artifact: Artifact, asked: ArtifactAsked): Promise<void> {
    const { artifact_id: id, uri } = artifact;
    const checkpointId = checkpointIdOf(artifact);
    if (checkpointId === undefined) return;
    const kind = storeKindOf(uri);
    if (!this.runsWorkers && kind !== this.stores.usual && !this.isOurs(artifact)) return;
    const original = await sighted(await this.stores.open(kind), uri, asked.place);
    const copies = kind === 'service' ? await this.stores.open('directory') : undefined;
    const noted = copies && (await this.copyPlaces.of(id));
    const copy = copies && (await sighted(copies, copies.referenceOf(checkpointId), noted));
    const { held, had } = original;
    const isKnown = had || (kind === 'service' && (await original.store.owns(uri)));
    // Without a note, as after the loss of a state directory, nobody could ever see it again elsewhere.
    const lacksCopy = copy?.had === false && noted !== undefined;
    const mayConfirm = isKnown && (this.isOurs(artifact) ? !lacksCopy : promotionOf(artifact) === undefined);
    const same = held || copy?.held || mayConfirm ? await this.bytes.at(uri) : [];
    // Also this one: it may have been reported as ready again since it was read.
    if (!same?.every(isGone)) return;
    const checkpoint = await this.checkpointOf(checkpointId);
    if (checkpoint && checkpoint.status !== 'deprecated') {
      if (held) this.sayOnce(`The artifact ${id} is gone. The checkpoint ${checkpointId} stays: it is in use.`);
      return;
    }
    if (held && asked.place !== original.place) await this.journal.keep({ ...asked, place: original.place });
    // The others have the same copy.
    if (copy?.held) for (const one of same) await this.copyPlaces.move(one.artifact_id, copy.place);
    // A directory that takes no changes, as it is mounted read-only, fails to remove what it does not have.
    const mayHaveCopy = copy && (copy.held || noted !== undefined);
    for (const { store, reference, place } of mayHaveCopy ? [original, copy] : [original]) {
      // Also without a manifest: an earlier attempt may have failed behind it.
      await store.remove(reference);
      await requireSamePlace(store, place, reference);
    }
    if (held || copy?.held) this.context.say(`The artifact ${id} is gone, and so is the checkpoint ${checkpointId}.`);
    if (mayConfirm) {
      await this.bytes.confirm(id);
      await this.copyPlaces.forget(id);
    } else if (lacksCopy)
      this.sayOnce(
        `The artifact ${id} is gone, but its copy may be there: ${copy.reference} is in another directory now than ` +
          'when it was copied. Mount that one, and the copy is removed. ' +
          `If it is lost for good, remove ${this.copyPlaces.pathOf(id)}.`,
      );
    if (!had) return;
    // Nobody else finds these bytes any more.
    await this.bytes.confirmGone(same.filter((other) => other.artifact_id !== id));
    if (checkpoint?.bytes_removed_at === null && checkpoint.cluster_id === this.context.clusterId())
      await this.checkpoints.confirm(checkpointId);
  }

  private sayOnce(line: string): void {
    if (!this.said.has(line)) this.context.say(line);
    this.said.add(line);
  }

  /** What the service has as a checkpoint like others too. Those go when they are deprecated. */
  private async checkpointOf(checkpointId: string) {
    const query = { ids: checkpointId };
    const rows = await this.context.service.send('list_checkpoints', (api) =>
      api.GET('/v1/checkpoints', { params: { query } }),
    );
    return rows.find(({ id }) => id === checkpointId);
  }

  private async promote({ artifact_id: id, uri, storage_tier: tier }: Artifact): Promise<void> {
    const [object, directory] = [this.stores.tierOf('service'), this.stores.tierOf('directory')];
    if (tier !== directory || storeKindOf(uri) !== 'service')
      throw new AgentFailure({
        cause: 'invalid_setting',
        message: `This agent promotes artifacts from the tier ${object} to ${directory} only, not ${id} to ${tier}.`,
      });
    if (!this.stores.takesCopies)
      throw new AgentFailure({
        cause: 'invalid_setting',
        message: `This agent has no directory that every machine sees, so ${id} cannot be copied to ${tier}.`,
        remedy: 'Start it with such a directory as its store (--store): a shared state directory has one in `store`.',
      });
    const [from, to] = await Promise.all([this.stores.open('service'), this.stores.open('directory')]);
    const original = await from.manifest(uri);
    if (!(await copiedAs(original, to))) {
      const { reference, bytes } = await copyCheckpoint(from, original, to);
      this.context.say(`The artifact ${id} is in ${reference} now, with ${bytes} bytes.`);
    }
    await this.copyPlaces.keep(id, await to.place());
  }

  private async giveUp({ artifactId, tier }: ArtifactAsked, { message }: FailureFacts): Promise<boolean | 'anew'> {
    const artifact = await this.read(artifactId);
    // Nobody else removes these bytes, so it is tried again.
    if (isGone(artifact)) return false;
    const isPending = promotionOf(artifact) === 'pending';
    // One to another tier, which was requested meanwhile, has not been tried.
    if (isPending && !(await this.endPromotion(artifactId, 'failed', tier ?? artifact.storage_tier))) return 'anew';
    this.context.say(`The artifact ${artifactId} was not promoted: ${message}`);
    return true;
  }

  /** @returns false if no such promotion is pending any more: the service has decided, or there is another */
  private async endPromotion(artifactId: string, promotion: 'confirmed' | 'failed', tier: string): Promise<boolean> {
    const path = { artifact_id: artifactId };
    // It may have been registered in an earlier boot.
    const place = promotion === 'confirmed' &&
      this.node && { node_name: this.node.name, node_boot_id: this.node.bootId || null };
    const report = (body: Update) =>
      this.context.service.send('update_artifact', (api) =>
        api.PATCH('/v1/inference/artifacts/{artifact_id}', { params: { path }, body }),
      );
    try {
      // A service that is older than one of the members refuses it.
      for (const known of [{ tier: tier as Update['tier'], ...place }, ...(place ? [place] : [])])
        try {
          await report({ promotion, ...known });
          return true;
        } catch (error) {
          if (!isProblem(error, 'validation_failed')) throw error;
        }
      await report({ promotion });
      return true;
    } catch (error) {
      if (!isProblem(error, 'no_promotion_pending', 'artifact_deleted')) throw error;
      return false;
    }
  }
}

/** @param event distinguishes what may be asked of one artifact at the same time */
const askedFor = (artifactId: string, event: string, eventId?: number): ArtifactAsked => ({
  kind: 'artifact',
  actionId: v5(`${event} ${artifactId}`, NIL),
  artifactId,
  ...(eventId === undefined ? {} : { eventId }),
});

/**
 * What is seen of the bytes of a reference. Of a directory, only who saw the bytes in it knows: without its
 * mount, an empty one is in its place.
 * @param seenAt the place in which they were, or to which they were copied
 */
async function sighted(store: CheckpointStore, reference: string, seenAt: string | undefined) {
  const place = await store.place();
  const held = await store.holds(reference);
  return { store, reference, held, place, had: held || (seenAt !== undefined && seenAt === place) };
}

const isOfAgent = (artifact: Artifact): boolean => checkpointIdOf(artifact) !== undefined;
