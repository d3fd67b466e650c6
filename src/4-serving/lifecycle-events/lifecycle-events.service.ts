import { Injectable } from '@nestjs/common';
import { ArtifactsService } from '../artifacts/artifacts.service';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { ClustersService } from '../../2-inventory/clusters/clusters.service';
import { isJsonObject } from '../../1-platform/common/json/json';
import { toMilliseconds } from '../../1-platform/common/fields/fields';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ProfilesService } from '../profiles/profiles.service';
import {
  DEFAULT_EVENTS,
  type LifecycleEventView,
  type ListLifecycleEventsQuery,
  type RecordLifecycleEventBody,
} from './lifecycle-events.dto';
import { eventSeen } from './lifecycle-events.errors';
import { insertEvent, isRestoredSince, listEvents, placementOf } from './lifecycle-events.queries';
import { endsRestore, mayNameNoProfile } from './lifecycle-kinds';
import { WorkerStarts } from './worker-starts';

/** An earlier time means a wrong clock. */
const EARLIEST = '2000-01-01T00:00:00.000Z';

/** Maximal characters of a reason. */
const MAX_REASON = 512;

/** Why a restore failed, as its event says. */
function failureIn({ payload }: RecordLifecycleEventBody): string {
  const { message, cause } = isJsonObject(payload) ? payload : {};
  const said = [message, cause].find((text): text is string => typeof text === 'string' && text !== '');
  return said?.slice(0, MAX_REASON) ?? 'The event does not say why.';
}

/** Events as their observers report them. */
@Injectable()
export class LifecycleEventsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
    private readonly profiles: ProfilesService,
    private readonly artifacts: ArtifactsService,
    private readonly workers: WorkerStarts,
  ) {}

  /** Once: the same event again is a conflict. */
  async record(context: OrgContext, event: RecordLifecycleEventBody): Promise<void> {
    const { profile_id: profileId, kind, event_id: eventId } = event;
    if (profileId === null && !mayNameNoProfile(kind)) throw invalidField('profile_id', `must not be null for ${kind}`);
    if (toMilliseconds(event.occurred_at) < EARLIEST)
      throw invalidField('occurred_at', 'must not be before the year 2000');
    await this.audit.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, event.cluster_id);
      if (profileId !== null) await this.profiles.check(tx, profileId);
      // Locks pods before artifacts, and those before activations, as every other writer does.
      const worker = profileId === null ? null : await this.workers.about(tx, profileId, event);
      const restoreArtifactId = event.artifact_id ? null : (worker?.checkpoint?.artifactId ?? null);
      const occurredAt = await insertEvent(tx, { ...event, cluster_id: clusterId }, restoreArtifactId);
      if (!occurredAt) throw eventSeen();
      if (kind === 'checkpoint.completed') await this.place(tx, { ...event, cluster_id: clusterId });
      const restored = event.artifact_id ?? restoreArtifactId;
      if (restored && endsRestore(kind)) await this.noteRestore(tx, restored, event, occurredAt);
      if (profileId !== null && worker)
        await this.workers.apply(tx, profileId, { ...event, cluster_id: clusterId }, occurredAt, worker);
      await record({
        resourceType: 'lifecycle_event',
        resourceId: eventId,
        details: { kind, profile_id: profileId, cluster_id: clusterId },
      });
    });
  }

  /**
   * A restore that succeeded later stands, whichever is reported first. The artifact is locked, so one of two
   * reports at the same moment sees the other.
   */
  private async noteRestore(tx: Tx, artifactId: string, event: RecordLifecycleEventBody, at: Date): Promise<void> {
    await this.artifacts.hold(tx, [artifactId], true);
    const failure = event.kind === 'restore.failed' ? failureIn(event) : null;
    if (failure !== null && (await isRestoredSince(tx, artifactId, at))) return;
    await this.artifacts.restored(tx, artifactId, at, failure);
  }

  list(context: OrgContext, query: ListLifecycleEventsQuery): Promise<Page<LifecycleEventView>> {
    const slice = sliceOf(query, DEFAULT_EVENTS);
    return this.unitOfWork.read(context, (tx) => listEvents(tx, query.since, slice));
  }

  /**
   * The end of a checkpoint names the location of its artifact; if it is later than the registration, it
   * replaces the location.
   */
  private async place(tx: Tx, event: RecordLifecycleEventBody): Promise<void> {
    const { artifact_id: artifactId, profile_id: profileId, boot_id: bootId = null } = event;
    const { node_uid: nodeUid = null, cluster_id: clusterId } = event;
    if (!artifactId || profileId === null || bootId === null || nodeUid === null) return;
    await this.artifacts.place(tx, artifactId, profileId, await placementOf(tx, clusterId, nodeUid, bootId));
  }
}
