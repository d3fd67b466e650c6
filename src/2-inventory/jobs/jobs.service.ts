import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Clock } from '../../1-platform/common/clock';
import { MAX_ROWS, Page, sliceOf, type PageQuery } from '../../1-platform/common/answers/paging';
import type { Stored } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { humanDuration } from '../kubernetes/human-duration';
import { DEFAULT_PAGE } from '../kubernetes/listing.dto';
import { Monitoring } from '../kubernetes/monitoring.ports';
import type { JobColumns } from './job-resource';
import type {
  FilterJobsQuery,
  JobFilterResultView,
  JobPageView,
  JobPodsView,
  JobPrioritiesView,
  JobView,
  PageJobsQuery,
} from './jobs.dto';
import { jobNotFound } from './jobs.errors';
import { findJob, jobListing, jobPriorities, jobUpsert, OF_PRIORITY, podsOfJob, type JobRow } from './jobs.queries';

@Injectable()
export class JobsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly monitoring: Monitoring,
  ) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<JobView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await jobListing.page<JobRow>(
        tx,
        {},
        { sort: 'name', ascending: true, limit: slice.limit + 1, offset: slice.offset },
      );
      const page = Page.of(rows, slice);
      const view = await this.viewer(tx, page.rows);
      return page.map(view);
    });
  }

  page(context: OrgContext, query: PageJobsQuery): Promise<JobPageView> {
    const {
      sort = 'name',
      ascending = true,
      limit = DEFAULT_PAGE,
      offset = 0,
      after,
      status,
      namespace,
      job_name: name,
      cluster_id: clusterId,
      silent = false,
    } = query;
    const listing = jobListing.including(silent);
    return this.unitOfWork.read(context, async (tx) => {
      const sorted = { sort, ascending, limit, offset, after };
      const filter = { status, namespace, name, clusterId };
      const { total: all, ...filters } = await listing.summary(tx, filter);
      const { rows, total } =
        name === undefined
          ? { rows: await listing.page<JobRow>(tx, filter, sorted), total: all }
          : await listing.pageOfSome<JobRow>(tx, filter, sorted);
      const view = await this.viewer(tx, rows);
      return { jobs: rows.map(view), total_count: total, available_filters: filters };
    });
  }

  byPriority(context: OrgContext, priority: number): Promise<JobPageView> {
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await jobListing.matching<JobRow>(tx, OF_PRIORITY, { priority }, {}, MAX_ROWS, 0);
      const { total: _all, ...filters } = await jobListing.summary(tx);
      const total = await jobListing.count(tx, {}, OF_PRIORITY, { priority });
      const view = await this.viewer(tx, rows);
      return { jobs: rows.map(view), total_count: total, available_filters: filters };
    });
  }

  filter(context: OrgContext, query: FilterJobsQuery): Promise<JobFilterResultView> {
    const { priority = null, status, namespace } = query;
    const { limit, offset } = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await jobListing.matching<JobRow>(
        tx,
        OF_PRIORITY,
        { priority },
        { status, namespace },
        limit,
        offset,
      );
      return {
        jobs: rows.map((row) => ({
          id: row.id,
          name: row.name,
          namespace: row.namespace,
          status: row.status,
          pod_count: row.pod_count,
          priority: row.priority,
          start_time: row.started_at?.toISOString() ?? null,
        })),
        total_count: await jobListing.count(tx, { status, namespace }, OF_PRIORITY, { priority }),
        available_priorities: (await jobPriorities(tx)).map(({ value }) => value),
      };
    });
  }

  priorities(context: OrgContext): Promise<JobPrioritiesView> {
    return this.unitOfWork.read(context, async (tx) => {
      const groups = await jobPriorities(tx);
      return {
        priorities: groups.map(({ value }) => value),
        priority_counts: Object.fromEntries(groups.map(({ value, rows }) => [String(value), rows])),
      };
    });
  }

  count(context: OrgContext, status: string | undefined): Promise<number> {
    return this.unitOfWork.read(context, async (tx) => (await jobListing.summary(tx, { status })).total);
  }

  namespaces(context: OrgContext): Promise<string[]> {
    return this.unitOfWork.read(context, async (tx) => (await jobListing.summary(tx)).namespaces);
  }

  statuses(context: OrgContext): Promise<string[]> {
    return this.unitOfWork.read(context, async (tx) => (await jobListing.summary(tx)).statuses);
  }

  pods(context: OrgContext, id: string): Promise<JobPodsView> {
    return this.unitOfWork.read(context, async (tx) => {
      const job = await findJob(tx, id);
      if (!job) throw jobNotFound();
      const { pods, total } = await podsOfJob(tx, job);
      return { job_id: job.id, job_name: job.name, total_count: total, pods };
    });
  }

  /** @returns the stored rows by uid */
  sync(tx: Tx, clusterId: string, jobs: readonly JobColumns[]): Promise<Map<string, Stored>> {
    return jobUpsert.apply(tx, clusterId, jobs);
  }

  /** Adds the active policies to rows. */
  private async viewer(tx: Tx, rows: readonly JobRow[]): Promise<(row: JobRow) => JobView> {
    const ids = rows.map(({ id }) => id);
    const policies = await this.monitoring.policiesOfJobs(tx, ids);
    const now = this.clock.now().getTime();
    return (row) => {
      const monitoredBy = [...(policies.get(row.id) ?? [])];
      return {
        id: row.id,
        uid: row.uid,
        resource_version: row.resource_version,
        cluster_id: row.cluster_id,
        name: row.name,
        namespace: row.namespace,
        status: row.status,
        age: humanDuration(now - row.born_at.getTime()),
        monitored_by_policies: monitoredBy,
        policy_count: monitoredBy.length,
        pod_ids: row.pod_ids,
        pod_count: row.pod_count,
        completions: `${row.succeeded}/${row.completions}`,
        duration: row.started_at ? humanDuration((row.finished_at?.getTime() ?? now) - row.started_at.getTime()) : null,
        startTime: row.started_at?.toISOString() ?? null,
        priority: row.priority,
      };
    };
  }
}
