import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Clock } from '../../1-platform/common/clock';
import { canonicalJson } from '../../1-platform/common/json/canonical-json';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import type { OfProfileQuery } from '../profiles/profiles.dto';
import { invalidField, unavailable, type Problem } from '../../1-platform/common/answers/problem';
import type { WorkPlace } from '../../1-platform/common/work/request';
import { brokenConstraint } from '../../1-platform/database/connections/database-errors';
import { takeTurn } from '../../1-platform/database/transactions/advisory-locks';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { AddressPolicy } from '../../1-platform/outbound/address-policy';
import { profileHeld } from './activations.errors';
import { isProfileReference, profileNotFound } from '../profiles/profiles.errors';
import { clusterNotFound } from '../../2-inventory/clusters/clusters.errors';
import { clusterKind } from '../../2-inventory/clusters/clusters.queries';
import { ProfilesService } from '../profiles/profiles.service';
import { digestOfWorkers, moveOf, type ActivationReport, type KnownActivation } from './activation.moves';
import type { ActivationView, PutWorkerEndpointBody, ReportActivationBody, ReportedWorker } from './activations.dto';
import { knownActivation, listActivations, putWorkerEndpoint, type Move, type Moved } from './activations.queries';
import {
  addedTo,
  differenceOf,
  foldStarts,
  isBeginning,
  type GonePod,
  type KnownStart,
  type Standing,
  type WorkerEvent,
} from './starts/start-events';
import { ActivationMoved } from './activations.ports';
import { ReportLanes } from './reports/report-lanes';
import { ReportWrites } from './reports/report-writes';
import {
  endStartsInCluster,
  endStartsOfPods,
  followStarts,
  lockActivation,
  profilesRunIn,
  profilesRunOn,
  recentStarts,
  startsSince,
  tellPodCheckpoints,
  writeStarts,
  type LockedActivation,
  type PodCheckpoint,
} from './starts/starts.queries';
import { recentlyUsed } from '../../1-platform/common/work/recently-used';

/** Activations whose last seen state a replica caches. */
const MAX_REMEMBERED = 10_000;

/**
 * Maximal tries when the row has changed: this process writes one report at a time, so other replicas and
 * events changed it.
 */
const MAX_TRIES = 20;

/** A report that waits until the previous ones on the same activation are written. */
interface QueuedReport {
  readonly context: OrgContext;
  readonly profileId: string;
  readonly report: ActivationReport;
}

/** The sender makes no difference: a report that changes nothing is not audited. */
function saysTheSame({ report: one }: QueuedReport, { report: other }: QueuedReport): boolean {
  return (
    one.phase === other.phase &&
    one.ready === other.ready &&
    one.desiredState === other.desiredState &&
    one.endpoint === other.endpoint &&
    one.workers === other.workers &&
    one.message === other.message &&
    one.clusterId === other.clusterId &&
    one.observedGeneration === other.observedGeneration
  );
}

/** As events of the worker name it. */
const withLowerUid = (worker: ReportedWorker): ReportedWorker => ({
  ...worker,
  workload_uid: worker.workload_uid.toLowerCase(),
});

const busy = (): Problem =>
  unavailable('activation_busy', 'Too many reports on this profile at the same time; try again.');

/** The stored events of a profile, seen from one event; read while the activation is locked. */
export interface EventHistory {
  readonly standing: () => Promise<Standing>;
  /** The newest events that concern starts: all since `since`, of the profile or of this pod alone. */
  readonly window: () => Promise<{
    readonly events: readonly WorkerEvent[];
    readonly since: Date;
    readonly ofPod: string | null;
  }>;
}

/** What really runs: reported by controllers, and by the events of workers. */
@Injectable()
export class ActivationsService {
  /**
   * The last state of an activation that this replica saw. A report is decided on it and written only if it
   * is still current. So a repeated report costs one statement, and a stale cache entry costs one read.
   */
  private readonly remembered = recentlyUsed<KnownActivation>({ most: MAX_REMEMBERED });
  private readonly writes: ReportWrites;
  private readonly lanes = new ReportLanes<QueuedReport>((queued) => this.record(queued), saysTheSame, busy);

  constructor(
    private readonly statements: StatementPool,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
    private readonly clock: Clock,
    private readonly addresses: AddressPolicy,
    private readonly moved: ActivationMoved,
  ) {
    this.writes = new ReportWrites(statements);
  }

  /**
   * Hot: one statement, repeated or not, shared with other reports under load, and one more if a request
   * waits for the profile.
   */
  async report(context: OrgContext, body: ReportActivationBody, place?: WorkPlace): Promise<void> {
    const { orgId } = context;
    const { profile_id: profileId, phase, ready, endpoint = null, workers = null } = body;
    // An empty one counts as missing.
    const fault = endpoint ? this.addresses.fault(endpoint) : undefined;
    if (fault !== undefined) throw invalidField('endpoint', fault);
    if (workers) this.checkWorkers(workers, ready);
    if (ready && phase === 'Suspended') throw invalidField('ready', 'must be false when the phase is Suspended');
    const report: ActivationReport = {
      desiredState: body.desired_state,
      phase,
      ready,
      endpoint,
      observedGeneration: body.observed_generation,
      clusterId: body.cluster_id?.toLowerCase() ?? null,
      workers: workers && canonicalJson(workers.map(withLowerUid)),
      message: body.message || null,
    };
    await this.lanes.add(`${orgId}\0${profileId}`, { context, profileId, report }, place);
  }

  private checkWorkers(workers: readonly ReportedWorker[], ready: boolean): void {
    const seen = new Set<string>();
    for (const [place, { workload_uid: uid, endpoint }] of workers.entries()) {
      const fault = this.addresses.fault(endpoint);
      if (fault !== undefined) throw invalidField(`workers[${place}].endpoint`, fault);
      if (seen.has(uid.toLowerCase()))
        throw invalidField(`workers[${place}].workload_uid`, 'must not be that of another worker');
      seen.add(uid.toLowerCase());
    }
    if (ready !== workers.some((worker) => worker.ready))
      throw invalidField('ready', 'must be true if a worker is ready, and false otherwise');
  }

  private async record({ context, profileId, report }: QueuedReport): Promise<void> {
    const { orgId } = context;
    const key = `${orgId}\0${profileId}`;
    let known = this.remembered.get(key);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      known ??= await this.stored(context, profileId, report);
      const move = moveOf(known, report);
      if (move.kind === 'ignored') {
        // It changes nothing, but must not be taken for a hold on the profile.
        if (report.clusterId !== known?.clusterId) await this.stored(context, profileId, report);
        return;
      }
      if (move.kind === 'repeated') {
        if (known && (await this.writes.repeated(orgId, { profileId, version: known.version }))) {
          this.remembered.set(key, known);
          return;
        }
      } else {
        const { clusterId: holder } = move;
        if (holder !== null && holder !== known?.clusterId) await this.checkClaim(context, profileId, report, holder);
        const { start: before = null, successor = null } = known ?? {};
        const next = move.begins
          ? { id: newId(), generation: move.observedGeneration, podUid: null }
          : move.succeeds
            ? successor
            : move.ends
              ? null
              : before;
        const written = await this.write(context, { profileId, known, report, move, startId: next?.id ?? null });
        if (written) {
          const { version, awaited } = written;
          const same = next !== null && next.id === before?.id ? before : undefined;
          const start = next && {
            ...next,
            ready: move.becomesReady || same?.ready === true,
            failed: move.fails || same?.failed === true,
          };
          const { observedGeneration, clusterId } = move;
          // The start that comes up beside the current one is looked up again.
          if (successor !== null && (move.ends || move.succeeds)) this.remembered.delete(key);
          else {
            const { workers, ...rest } = report;
            const workersDigest = digestOfWorkers(workers);
            const state = { ...rest, workersDigest, observedGeneration, clusterId, version, start, successor };
            this.remembered.set(key, state);
          }
          if (awaited) await this.moved.notify({ orgId, profileId });
          return;
        }
      }
      known = undefined;
    }
    throw busy();
  }

  /** @throws a conflict if another cluster runs the workers */
  private async stored(
    context: OrgContext,
    profileId: string,
    { clusterId }: ActivationReport,
  ): Promise<KnownActivation | undefined> {
    const stored = await knownActivation(this.statements, context.orgId, profileId);
    if (clusterId === null || stored?.clusterId === clusterId) return stored;
    if (stored?.clusterId && stored.held) throw profileHeld(stored.clusterId);
    return stored;
  }

  /** Of a cluster that takes a profile over, which is rare. @throws a conflict, or 404 if it is not known */
  private async checkClaim(
    context: OrgContext,
    profileId: string,
    report: ActivationReport,
    clusterId: string,
  ): Promise<void> {
    await this.stored(context, profileId, report);
    if (!(await this.unitOfWork.read(context, (tx) => clusterKind(tx, clusterId)))) throw clusterNotFound();
  }

  list(context: OrgContext, query: OfProfileQuery): Promise<Page<ActivationView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listActivations(tx, slice, query.profile_id));
  }

  putWorkerEndpoint(context: OrgContext, profileId: string, body: PutWorkerEndpointBody): Promise<void> {
    const fault = this.addresses.fault(body.metrics_url);
    if (fault !== undefined) throw invalidField('metrics_url', fault);
    return this.audit.change(context, async (tx, record) => {
      await this.profiles.check(tx, profileId);
      await putWorkerEndpoint(tx, profileId, body.metrics_url, body.pod_name ?? null);
      await record({ resourceType: 'worker_endpoint', resourceId: profileId });
    });
  }

  /**
   * Applies a worker's event to the starts of its profile, whenever it arrives: the result is as if all
   * stored events had arrived in order of occurrence.
   * @param event that `concernsStarts`, and is stored
   * @param gone the pod of the event, if it is gone
   * @param history reads the stored events of the profile
   */
  async workerEvent(
    tx: Tx,
    profileId: string,
    event: WorkerEvent,
    gone: GonePod | null,
    history: EventHistory,
  ): Promise<void> {
    const activation =
      (await lockActivation(tx, profileId)) ?? (await this.firstActivation(tx, profileId, event, gone, history));
    if (!activation) return;
    const { starts, after } = await this.startsAfter(tx, profileId, event, gone, history);
    const difference = differenceOf(starts, after);
    await writeStarts(tx, profileId, difference, activation.observed_generation);
    if (activation.made || difference.changesCourse) await followStarts(tx, profileId, activation, event.occurredAt);
  }

  /**
   * The usual event is the last of its pod, and is added to the stored starts. Otherwise all are folded
   * again.
   */
  private async startsAfter(
    tx: Tx,
    profileId: string,
    event: WorkerEvent,
    gone: GonePod | null,
    history: EventHistory,
  ): Promise<{ starts: readonly KnownStart[]; after: readonly KnownStart[] }> {
    const recent = await recentStarts(tx, profileId, event.podUid);
    const added = addedTo(recent, event, await history.standing(), gone, newId);
    if (added) return { starts: recent, after: added };
    const { events, since: oldest, ofPod } = await history.window();
    const pods = new Set(events.map(({ podUid }) => podUid).filter((uid) => uid !== null));
    const { starts, since } = await startsSince(tx, profileId, oldest, [...pods], ofPod);
    // An older event is stored, and changes no start.
    if (event.occurredAt < since) return { starts: recent, after: recent };
    const folded = events.filter(({ occurredAt }) => occurredAt >= since);
    return { starts, after: foldStarts({ starts, events: folded, since, gone }, newId) };
  }

  /**
   * A profile without an activation has no row to lock: its first events run one after the other, so that one
   * of them sees the others.
   */
  private async firstActivation(
    tx: Tx,
    profileId: string,
    event: WorkerEvent,
    gone: GonePod | null,
    history: EventHistory,
  ): Promise<LockedActivation | undefined> {
    await takeTurn(tx, 'firstActivation', `${tx.orgId}/${profileId}`);
    if (!isBeginning(event.kind)) return lockActivation(tx, profileId);
    const isGone = gone !== null || (await history.standing()).stopped;
    return lockActivation(tx, profileId, isGone ? 'gone' : 'comes');
  }

  /**
   * Applies what pods reveal about the starts in them: the checkpoint that they name, if no event named one;
   * and that they are gone, after which they hold no node even if no event reported the end of their workers.
   */
  async podsChanged(tx: Tx, named: readonly PodCheckpoint[], gone: readonly string[]): Promise<void> {
    const ended = gone.length === 0 ? [] : await profilesRunOn(tx, gone);
    const locked = await this.locked(tx, [...ended, ...named.map(({ profile_id: id }) => id)]);
    await tellPodCheckpoints(tx, named);
    for (const profileId of ended) {
      const activation = locked.get(profileId);
      if (!activation) continue;
      await endStartsOfPods(tx, profileId, gone);
      await followStarts(tx, profileId, activation, this.clock.now());
    }
  }

  /** Ends the workers of a cluster that is gone. @param pods those of it that run workers */
  async clusterGone(tx: Tx, clusterId: string, pods: readonly string[]): Promise<void> {
    for (const [profileId, activation] of await this.locked(tx, await profilesRunIn(tx, clusterId, pods))) {
      await endStartsInCluster(tx, profileId, clusterId, pods);
      await followStarts(tx, profileId, activation, this.clock.now());
    }
  }

  /** Locks activations in the order in which all others do. */
  private async locked(tx: Tx, profileIds: readonly string[]): Promise<ReadonlyMap<string, LockedActivation>> {
    const locked = new Map<string, LockedActivation>();
    for (const profileId of [...new Set(profileIds)].sort()) {
      const activation = await lockActivation(tx, profileId);
      if (activation) locked.set(profileId, activation);
    }
    return locked;
  }

  private async write(context: OrgContext, decided: Omit<Move, 'phaseId' | 'auditEntry'>): Promise<Moved | undefined> {
    const { profileId, report, move } = decided;
    const details = { phase: report.phase, ready: report.ready, observed_generation: move.observedGeneration };
    const auditEntry = this.audit.entryValues(context, { resourceType: 'activation', resourceId: profileId, details });
    const phaseId = move.changesPhase ? newId() : null;
    try {
      return await this.writes.moved(context.orgId, { ...decided, phaseId, auditEntry });
    } catch (error) {
      throw isProfileReference(brokenConstraint(error)) ? profileNotFound() : error;
    }
  }
}
