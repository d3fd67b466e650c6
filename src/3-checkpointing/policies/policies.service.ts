import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { ActionsService, type ActionWithTotals } from '../checkpoints/actions/actions.service';
import { countActionsOfPolicy, type PolicyActions } from '../checkpoints/actions/actions.queries';
import { ClustersService } from '../../2-inventory/clusters/clusters.service';
import { newId } from '../../1-platform/common/ids';
import { differenceOf } from '../../1-platform/common/answers/expected';
import { MAX_ROWS, Page, sliceOf, type PageQuery } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { disableWhenDone } from './beats/policy-beats.queries';
import { listAutoRestore, type AutoRestoreRow } from './beats/auto-restore.queries';
import { filterColumns, namedPods, triggerColumns, windowIsOver } from './pipeline';
import type { PodsFilterConfig, PolicyPipeline } from './pipeline.dto';
import {
  DEFAULT_POLICIES,
  RECENT_ACTIONS,
  type CreatePolicyBody,
  type ListPoliciesQuery,
  type UpdatePolicyBody,
} from './policies.dto';
import {
  nothingToChange,
  policyChanged,
  policyDisabled,
  policyNotFound,
  policyNotOfJobs,
  policyPodNotFound,
} from './policies.errors';
import {
  changePolicy,
  countPolicies,
  getPolicy,
  insertPolicy,
  knownPods,
  listPolicies,
  lockPolicy,
  matchAll,
  resourceOfPolicy,
  type NewPolicy,
  type PolicyRow,
} from './policies.queries';
import type { PolicyResource } from './policy.states';
import { listTargetJobs, listTargetPods, type TargetJob, type TargetPod } from './beats/policy-targets.queries';
import { Policy } from './policy.entity';

export interface PolicyPage {
  policies: PolicyRow[];
  total: number;
  automatic: AutoRestoreRow[] | undefined;
}

export type PipelineColumns = Omit<NewPolicy, 'id' | 'name' | 'keepLast'>;

/** Creates, changes, reads and deletes policies. `PolicyBeats` runs them. */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
    private readonly actions: ActionsService,
  ) {}

  /** @returns the id of the policy */
  create(
    context: OrgContext,
    { name = null, keep_last: keepLast = null, pipeline }: CreatePolicyBody,
  ): Promise<string> {
    const { trigger, filter } = pipeline;
    return this.audit.change(context, async (tx, record) => {
      const columns = await this.columnsOf(tx, pipeline, (id) => this.clusters.resolve(tx, id));
      const policy = { id: newId(), name, keepLast, ...columns };
      if (!(await insertPolicy(tx, policy))) throw windowIsOver();
      const { clusterId } = columns;
      const details = { name, trigger: trigger.type, filter: filter.type, cluster_id: clusterId, keep_last: keepLast };
      await record({ resourceType: 'policy', resourceId: policy.id, details });
      return policy.id;
    });
  }

  /** Members that are left out stay. A disabled policy still keeps only as many checkpoints as it should. */
  update(
    context: OrgContext,
    id: string,
    { keep_last: keepLast, paused, expected = {} }: UpdatePolicyBody,
  ): Promise<PolicyRow> {
    if (keepLast === undefined && paused === undefined) throw nothingToChange();
    return this.audit.change(context, async (tx, record) => {
      const before = await lockPolicy(tx, id);
      if (!before) throw policyNotFound();
      if (paused !== undefined && before.status === 'disabled') throw policyDisabled();
      const stored = { keep_last: before.keep_last, paused: before.status === 'paused' };
      const difference = differenceOf('The policy', expected, stored);
      if (difference !== undefined) throw policyChanged(difference);
      const after = {
        status: paused === undefined ? before.status : paused ? 'paused' : 'active',
        keep_last: keepLast === undefined ? before.keep_last : keepLast,
      } as const;
      await changePolicy(tx, id, after);
      // An older replica may not have disabled it while it was paused.
      if (paused === false) await disableWhenDone(tx, id);
      await record({ resourceType: 'policy', resourceId: id, details: { from: before, to: after } });
      return this.find(tx, id);
    });
  }

  /**
   * What a pipeline is stored as.
   * @param resolve finds the cluster that the filter names
   * @param stored rows of pods that the policy names already: they may have been deleted since
   * @throws Problem that names the member which cannot be stored
   */
  async columnsOf(
    tx: Tx,
    { trigger, filter, action }: PolicyPipeline,
    resolve: (clusterId: string) => Promise<string>,
    stored: readonly string[] = [],
  ): Promise<PipelineColumns> {
    const when = triggerColumns(trigger);
    const clusterId = await resolve(filter.config.cluster_id);
    const podIds = filter.type === 'pods' ? await this.podRows(tx, clusterId, filter.config, stored) : null;
    const { kind, runc_root: runcRoot = null } = action.config;
    return { clusterId, ...when, ...filterColumns(filter, podIds), kind, runcRoot };
  }

  /** Its actions stay. */
  delete(context: OrgContext, id: string): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      if ((await tx.store(Policy).delete({ id })) === 0) throw policyNotFound();
      await record({ resourceType: 'policy', resourceId: id });
      return id;
    });
  }

  /** Matches every active policy again. @returns the number of matches */
  matchAll(context: OrgContext): Promise<{ policies: number; pods: number; jobs: number }> {
    return this.audit.change(context, async (tx, record) => {
      const matched = await matchAll(tx);
      const sum = (of: 'pods' | 'jobs') => matched.reduce((total, row) => total + row[of], 0);
      const result = { policies: matched.length, pods: sum('pods'), jobs: sum('jobs') };
      await record({ resourceType: 'policy', resourceId: null, details: result });
      return result;
    });
  }

  list(context: OrgContext, query: ListPoliciesQuery): Promise<PolicyPage> {
    const slice = sliceOf(query, DEFAULT_POLICIES);
    return this.unitOfWork.read(context, async (tx) => ({
      policies: await listPolicies(tx, query, slice),
      total: await countPolicies(tx, query),
      automatic: query.include_automatic === true ? await listAutoRestore(tx, query) : undefined,
    }));
  }

  get(context: OrgContext, id: string): Promise<PolicyRow> {
    return this.unitOfWork.read(context, (tx) => this.find(tx, id));
  }

  activity(context: OrgContext, id: string): Promise<PolicyActions & { recent: readonly ActionWithTotals[] }> {
    return this.unitOfWork.read(context, async (tx) => {
      await this.resourceOf(tx, id);
      const recent = await this.actions.page(tx, { policyId: id }, { limit: RECENT_ACTIONS, offset: 0 });
      return { ...(await countActionsOfPolicy(tx, id)), recent: recent.rows };
    });
  }

  targets(context: OrgContext, id: string): Promise<{ policy: PolicyRow; jobs: TargetJob[]; pods: TargetPod[] }> {
    return this.unitOfWork.read(context, async (tx) => {
      const policy = await this.find(tx, id);
      const { jobs } = await listTargetJobs(tx, id);
      return { policy, jobs, pods: await listTargetPods(tx, id, MAX_ROWS) };
    });
  }

  jobs(context: OrgContext, id: string): Promise<{ jobs: TargetJob[]; total: number }> {
    return this.unitOfWork.read(context, async (tx) => {
      const resource = await this.resourceOf(tx, id);
      if (resource !== 'jobs' && resource !== 'slurm_jobs') throw policyNotOfJobs();
      return listTargetJobs(tx, id);
    });
  }

  pods(context: OrgContext, id: string, query: PageQuery): Promise<Page<TargetPod>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      await this.resourceOf(tx, id);
      return Page.of(await listTargetPods(tx, id, slice.limit + 1, slice.offset), slice);
    });
  }

  private async find(tx: Tx, id: string): Promise<PolicyRow> {
    const policy = await getPolicy(tx, id);
    if (!policy) throw policyNotFound();
    return policy;
  }

  private async resourceOf(tx: Tx, id: string): Promise<PolicyResource> {
    const resource = await resourceOfPolicy(tx, id);
    if (!resource) throw policyNotFound();
    return resource;
  }

  /** Rows of the pods in a filter, found by row id or uid. */
  private async podRows(
    tx: Tx,
    clusterId: string,
    { pod_ids: ids = [] }: PodsFilterConfig,
    stored: readonly string[],
  ): Promise<string[]> {
    const { rowIds, uids } = namedPods(ids);
    const known = await knownPods(tx, clusterId, rowIds, uids);
    const rowOf = new Map([
      ...stored.map((id) => [id, id] as const),
      ...known.flatMap(({ id, uid }) => [[uid, id] as const, [id, id] as const]),
    ]);
    const rows = ids.map((id) => {
      const row = rowOf.get(id) ?? rowOf.get(id.toLowerCase());
      if (row === undefined) throw policyPodNotFound(id);
      return row;
    });
    return [...new Set(rows)];
  }
}
