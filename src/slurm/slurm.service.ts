import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { ClustersService } from '../clusters/clusters.service';
import { commaJoined } from '../common/comma-joined';
import { Page, sliceOf } from '../common/paging';
import { UnitOfWork } from '../database/unit-of-work';
import { listSlurmEvents, type SlurmEventRow } from './slurm-events.queries';
import { slurmJobNumber } from './slurm-job-number';
import { newestOfEach, readSlurmJob } from './slurm-job-record';
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
import { takeTurn } from './sync-turn';

@Injectable()
export class SlurmService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
  ) {}

  /** Stores what is told of jobs; records that cannot be stored are named and the others stored. @returns the answer's text */
  async syncJobs(context: OrgContext, body: SyncSlurmJobsBody): Promise<string> {
    const { rows, failures } = readAll(body.jobs, readSlurmJob);
    const told = newestOfEach(rows);
    await this.audit.change(context, async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      await takeTurn(tx, clusterId, 'slurm_jobs');
      await writeSlurmJobs(tx, clusterId, told);
      await this.clusters.heardOf(tx, clusterId, undefined);
      const details = { synced: rows.length, failed: failures.length };
      await record({ resourceType: 'cluster', resourceId: clusterId, details });
    });
    return syncText('jobs', rows.length, failures);
  }

  list(context: OrgContext, query: ListSlurmJobsQuery): Promise<Page<SlurmJobRow>> {
    const slice = sliceOf(query);
    const filter = {
      clusterId: query.cluster_id,
      jobIds: commaJoined('job_ids', query.job_ids, slurmJobNumber, 'numbers of Slurm jobs'),
    };
    return this.unitOfWork.read(context, async (tx) => Page.of(await listSlurmJobs(tx, filter, slice), slice));
  }

  page(context: OrgContext, query: SlurmPageQuery): Promise<Page<SlurmJobRow>> {
    const slice = pageOf(query);
    return this.unitOfWork.read(context, async (tx) => Page.of(await listSlurmJobs(tx, {}, slice), slice));
  }

  events(context: OrgContext, query: ListSlurmEventsQuery): Promise<Page<SlurmEventRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => Page.of(await listSlurmEvents(tx, query, slice), slice));
  }
}
