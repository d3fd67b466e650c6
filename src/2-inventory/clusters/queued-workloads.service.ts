import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { isJsonObject } from '../../1-platform/common/json/json';
import { Page, sliceOf } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { appendEvent } from '../../1-platform/outbox/outbox';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import type { ListWorkloadsQuery, QueueWorkloadBody, WorkloadOutcomeBody } from './clusters.dto';
import { notOneWorkload, workloadNotFound, workloadOutcomeKnown } from './clusters.errors';
import { CLUSTER_EVENTS } from './clusters.events';
import { ClustersService } from './clusters.service';
import { WORKLOAD_KINDS, type WorkloadKind } from './queued-workload.entity';
import {
  findWorkload,
  forgetManifests,
  insertWorkload,
  listWorkloads,
  removeWorkloads,
  takeWorkload,
  type ListedWorkloadRow,
  type QueuedWorkloadRow,
} from './queued-workloads.queries';

const SWEEP = 'queued workloads';
const EVERY_SECONDS = 600;

/** How long a workload is shown after its manifest was erased. */
const SHOWN_DAYS = 90;

/** Manifests or workloads per transaction, and the time limit of a round. */
const AT_ONCE = 500;
const ROUND_MS = 30_000;

/** Kubernetes' names of the kinds that may be queued. */
const KUBERNETES_KIND: Readonly<Record<WorkloadKind, string>> = { deployment: 'Deployment', job: 'Job', pod: 'Pod' };

/** Workloads for the controllers of clusters to create. */
@Injectable()
export class QueuedWorkloadsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
    private readonly sweeps: Sweeps,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: SWEEP, everySeconds: EVERY_SECONDS, run: () => this.forget() });
  }

  /** The event has ids only: the manifest may hold secrets, and events are stored and read by many. */
  async queue(context: OrgContext, body: QueueWorkloadBody): Promise<void> {
    const { kind, manifest } = theWorkload(body);
    await this.audit.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      const id = newId();
      await insertWorkload(tx, { id, clusterId, kind, manifest });
      await appendEvent(tx, {
        type: CLUSTER_EVENTS.workloadQueued,
        aggregateId: clusterId,
        clusterId,
        payload: { workload_id: id, cluster_id: clusterId },
      });
      await record({ resourceType: 'workload', resourceId: id, details: { cluster_id: clusterId, kind } });
    });
  }

  list(context: OrgContext, query: ListWorkloadsQuery): Promise<Page<ListedWorkloadRow>> {
    const slice = sliceOf(query);
    const { limit } = slice;
    return this.unitOfWork.read(context, async (tx) => {
      const found = await listWorkloads(tx, query, slice);
      const last = found[limit - 1];
      return Page.before(found.slice(0, limit), found.length > limit && last ? { limit, after: last.id } : undefined);
    });
  }

  get(context: OrgContext, id: string): Promise<QueuedWorkloadRow> {
    return this.unitOfWork.read(context, async (tx) => {
      const row = await findWorkload(tx, id);
      if (!row) throw workloadNotFound();
      return row;
    });
  }

  /**
   * Records the outcome. The first one stands: the same one again gets the same answer, another one is a
   * conflict.
   */
  report(context: OrgContext, id: string, { status, message }: WorkloadOutcomeBody): Promise<QueuedWorkloadRow> {
    const error = status === 'refused' ? message || 'the controller refused it' : null;
    return this.audit.change(context, async (tx, record) => {
      const taken = await takeWorkload(tx, id, { status, takenBy: context.actorId, error });
      const row = taken ?? (await findWorkload(tx, id));
      if (!row) throw workloadNotFound();
      if (row.status !== status) throw workloadOutcomeKnown(row.status);
      await record({ resourceType: 'workload', resourceId: id, details: { status, cluster_id: row.cluster_id } });
      return row;
    });
  }

  /** Erases manifests whose time is over, and deletes workloads later. @returns 0 if there is more to do */
  async forget(): Promise<number | void> {
    const until = performance.now() + ROUND_MS;
    const remove = (tx: Tx, limit: number) => removeWorkloads(tx, limit, SHOWN_DAYS);
    for (const forgetSome of [forgetManifests, remove])
      for (let forgotten = AT_ONCE; forgotten === AT_ONCE && !this.sweeps.stopping;) {
        if (performance.now() > until) return 0;
        forgotten = await this.unitOfWork.system('workloads of every organisation grow old', (tx) =>
          forgetSome(tx, AT_ONCE),
        );
      }
  }
}

function theWorkload(body: QueueWorkloadBody): { kind: WorkloadKind; manifest: object } {
  const given = WORKLOAD_KINDS.filter((name) => body[name] != null);
  const [name] = given;
  if (given.length !== 1 || name === undefined) throw notOneWorkload();
  const manifest = body[name];
  if (!isJsonObject(manifest)) throw invalidField(name, 'must be an object');
  const kind = KUBERNETES_KIND[name];
  if (manifest.kind !== undefined && manifest.kind !== kind) throw invalidField(`${name}.kind`, `must be ${kind}`);
  const metadata = isJsonObject(manifest.metadata) ? manifest.metadata : {};
  if (typeof metadata.name !== 'string' && typeof metadata.generateName !== 'string') {
    throw invalidField(`${name}.metadata.name`, 'is required');
  }
  return { kind: name, manifest };
}
