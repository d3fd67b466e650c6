import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedWork } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { ClustersService } from '../clusters/clusters.service';
import { commaJoined } from '../common/comma-joined';
import { sliceOf, type Page } from '../common/paging';
import { Prepared } from '../common/prepared';
import { UnitOfWork } from '../database/unit-of-work';
import { listSlurmEvents, type SlurmEventRow } from './slurm-events.queries';
import { failedCall, tellsOfFailure } from './slurm-errors';
import { slurmJobNumber } from './slurm-job-number';
import { readSlurmJob } from './slurm-job-record';
import { listSlurmJobs, type SlurmJobRow } from './slurm-jobs.queries';
import { writeSlurmJobs } from './slurm-jobs.write';
import { readAll, syncText } from './slurm-record';
import {
  pageOf,
  type ListSlurmEventsQuery,
  type ListSlurmJobsQuery,
  type SlurmPageQuery,
  type SyncSlurmJobsBody,
} from './slurm.dto';
import { takeSyncTurn } from './sync-turn';

@Injectable()
export class SlurmService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
  ) {}

  /** Stores what is told of jobs; records that cannot be stored are named and the others stored. @returns the answer's text */
  async syncJobs(context: OrgContext, body: SyncSlurmJobsBody): Promise<Prepared<string>> {
    // A call that failed tells of no job. What one tells of that failed in part is true all the same.
    if (tellsOfFailure(body.errors) && body.jobs.length === 0) throw failedCall(body.errors);
    const { rows, failures } = await readAll(body.jobs, readSlurmJob);
    const store: AuditedWork<string> = async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      await takeSyncTurn(tx, clusterId, 'slurm_jobs');
      await writeSlurmJobs(tx, clusterId, rows);
      await this.clusters.heardOf(tx, clusterId, undefined);
      const details = { synced: rows.length, failed: failures.length };
      await record({ resourceType: 'cluster', resourceId: clusterId, details });
      return syncText('jobs', rows.length, failures);
    };
    return new Prepared(() => this.audit.change(context, store));
  }

  list(context: OrgContext, query: ListSlurmJobsQuery): Promise<Page<SlurmJobRow>> {
    const slice = sliceOf(query);
    const filter = {
      clusterId: query.cluster_id,
      jobIds: commaJoined('job_ids', query.job_ids, slurmJobNumber, 'numbers of Slurm jobs'),
    };
    return this.unitOfWork.read(context, (tx) => listSlurmJobs(tx, filter, slice));
  }

  page(context: OrgContext, query: SlurmPageQuery): Promise<Page<SlurmJobRow>> {
    const slice = pageOf(query);
    return this.unitOfWork.read(context, (tx) => listSlurmJobs(tx, {}, slice));
  }

  events(context: OrgContext, query: ListSlurmEventsQuery): Promise<Page<SlurmEventRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listSlurmEvents(tx, query, slice));
  }
}
