import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { ActionsService } from '../checkpoints/actions/actions.service';
import { SLURM_JOBS } from '../checkpoints/requested-checkpoints.queries';
import type { ListedCheckpoint } from '../checkpoints/checkpoints.queries';
import { actionType, CheckpointsService } from '../checkpoints/checkpoints.service';
import { ClustersService } from '../../2-inventory/clusters/clusters.service';
import { isUuid } from '../../1-platform/common/ids';
import { Page } from '../../1-platform/common/answers/paging';
import { slurmJobNumber } from '../../2-inventory/slurm/jobs/slurm-job-number';
import { findSlurmJob } from '../../2-inventory/slurm/jobs/slurm-jobs.queries';
import type { CheckpointSlurmJobBody, ListSlurmCheckpointsQuery, RestoreSlurmJobBody } from './slurm-checkpoints.dto';
import { jobIdNotNumeric, jobNotNamed, notASlurmCluster, slurmJobNotRunning } from './slurm-checkpoints.errors';

/** Checkpoints of Slurm jobs: the same actions and changes as for pods, requested by job number. */
@Injectable()
export class SlurmCheckpointsService {
  constructor(
    private readonly audit: AuditTrail,
    private readonly actions: ActionsService,
    private readonly checkpoints: CheckpointsService,
    private readonly clusters: ClustersService,
  ) {}

  /** Requests a checkpoint of a running job. @returns the id of the action */
  checkpointJob(context: OrgContext, body: CheckpointSlurmJobBody): Promise<string> {
    const jobId = body.job_id ? jobNumber(body.job_id) : undefined;
    if (jobId === undefined && !body.job_name) throw jobNotNamed();
    return this.audit.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      const job = await findSlurmJob(tx, clusterId, jobId === undefined ? { name: body.job_name ?? '' } : { jobId });
      if (!job) throw slurmJobNotRunning();
      const { kind = 'simple', reason = 'manual', leave_running: leaveRunning = true } = body;
      const [action] = await this.actions.requestCheckpoints(tx, SLURM_JOBS, [job.id], {
        type: actionType(reason),
        reason,
        kind,
        leaveRunning,
        details: { ...body, kind, reason, leave_running: leaveRunning },
      });
      if (!action) throw slurmJobNotRunning();
      await record({ resourceType: 'action', resourceId: action.id, details: { job_id: job.job_id, kind, reason } });
      return action.id;
    });
  }

  /**
   * Requests a restore of an action's checkpoint from the controller of a cluster.
   * @returns the id of the new action
   */
  restoreJob(context: OrgContext, body: RestoreSlurmJobBody): Promise<string> {
    return this.audit.change(context, async (tx, record) => {
      const clusterId = body.cluster_id == null ? undefined : await this.clusters.resolve(tx, body.cluster_id);
      if (clusterId !== undefined && (await this.clusters.kindOf(tx, clusterId)) === 'kubernetes')
        throw notASlurmCluster();
      const { reason = 'manual' } = body;
      const request = { ...body, reason };
      const action = await this.actions.requestRestore(tx, 'slurm', body.action_id, clusterId, reason, request);
      await record({
        resourceType: 'action',
        resourceId: action.id,
        details: { checkpoint_action_id: body.action_id, reason, allow_incompatible: body.allow_incompatible },
      });
      return action.id;
    });
  }

  async list(context: OrgContext, query: ListSlurmCheckpointsQuery): Promise<Page<ListedCheckpoint>> {
    const slurmJobId = query.job_id === undefined ? undefined : jobNumber(query.job_id);
    const clusterId = query.cluster_id;
    // An id that no cluster and no checkpoint has.
    if (clusterId !== undefined && !isUuid(clusterId)) return Page.of<ListedCheckpoint>([], { limit: 0, offset: 0 });
    const { status, name } = query;
    return this.checkpoints.list(context, query, { of: 'slurm', slurmJobId, clusterId, status, name });
  }
}

function jobNumber(text: string): number {
  const number = slurmJobNumber(text);
  if (number === undefined) throw jobIdNotNumeric();
  return number;
}
