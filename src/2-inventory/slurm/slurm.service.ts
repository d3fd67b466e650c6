import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedWork } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { ClustersService } from '../clusters/clusters.service';
import { commaJoined } from '../../1-platform/common/fields/comma-joined';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { Prepared } from '../../1-platform/common/answers/prepared';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { listSlurmEvents, type SlurmEventRow } from './slurm-events.queries';
import { failedCall, tellsOfFailure } from './slurm-errors';
import { slurmJobNumber } from './jobs/slurm-job-number';
import { readSlurmJob } from './jobs/slurm-job-record';
import { listSlurmJobs, type SlurmJobRow } from './jobs/slurm-jobs.queries';
import { writeSlurmJobs } from './jobs/slurm-jobs.write';
import { readAll, syncText } from './values/slurm-record';
import {
  pageOf,
  type ListSlurmEventsQuery,
  type ListSlurmJobsQuery,
  type SlurmPageQuery,
  type SyncSlurmJobsBody,
} from './slurm.dto';
import { takeSyncLock } from './sync/sync-lock';

@Injectable()
export class SlurmService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
  ) {}

  /**
   * Stores reported jobs. Records that cannot be stored are named, the others stored. @returns the text of
   * the answer
   */
  async syncJobs(context: OrgContext, body: SyncSlurmJobsBody): Promise<Prepared<string>> {
    // A failed call reports no job. The jobs of a partly failed one are valid all the same.
    if (tellsOfFailure(body.errors) && body.jobs.length === 0) throw failedCall(body.errors);
    const { rows, failures } = await readAll(body.jobs, readSlurmJob);
    const store: AuditedWork<string> = async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      await takeSyncLock(tx, clusterId, 'slurm_jobs');
      await writeSlurmJobs(tx, clusterId, rows);
      await this.clusters.noteReport(tx, clusterId, undefined);
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
      ended: query.ended,
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
