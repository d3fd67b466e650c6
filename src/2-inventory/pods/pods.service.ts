import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Clock } from '../../1-platform/common/clock';
import { Page, sliceOf } from '../../1-platform/common/answers/paging';
import type { Stored } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { humanDuration } from '../kubernetes/human-duration';
import { DEFAULT_PAGE } from '../kubernetes/listing.dto';
import { Monitoring, type PoliciesByRow } from '../kubernetes/monitoring.ports';
import type { PodColumns } from './pod-resource';
import type { ListPodsQuery, PagePodsQuery, PodPageView, PodView } from './pods.dto';
import { PodsChanged } from './pods.ports';
import { OF_ID, podListing, podTimesOf, podUpsert, type PodRow } from './pods.queries';

@Injectable()
export class PodsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly monitoring: Monitoring,
    private readonly changed: PodsChanged,
  ) {}

  list(context: OrgContext, query: ListPodsQuery): Promise<Page<PodView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await podListing.matching<PodRow>(
        tx,
        OF_ID,
        { id: query.id ?? null },
        {},
        slice.limit + 1,
        slice.offset,
      );
      const page = Page.of(rows, slice);
      const policies = await this.policiesOf(tx, page.rows);
      return page.map((row) => this.view(row, policies));
    });
  }

  page(context: OrgContext, query: PagePodsQuery): Promise<PodPageView> {
    const {
      sort = 'name',
      ascending = true,
      limit = DEFAULT_PAGE,
      offset = 0,
      after,
      status,
      namespace,
      pod_name: name,
      cluster_id: clusterId,
      silent = false,
      id,
    } = query;
    const listing = podListing.including(silent);
    return this.unitOfWork.read(context, async (tx) => {
      const filter = { status, namespace, name, clusterId };
      const sorted = { sort, ascending, limit, offset, after };
      const { total: all, ...filters } = await listing.summary(tx, filter);
      const isOfSome = name !== undefined || id !== undefined;
      const ofId = id === undefined ? undefined : OF_ID;
      const { rows, total } = isOfSome
        ? await listing.pageOfSome<PodRow>(tx, filter, sorted, ofId, { id })
        : { rows: await listing.page<PodRow>(tx, filter, sorted), total: all };
      const policies = await this.policiesOf(tx, rows);
      return { pods: rows.map((row) => this.view(row, policies)), total_count: total, available_filters: filters };
    });
  }

  count(context: OrgContext, status: string | undefined): Promise<number> {
    return this.unitOfWork.read(context, async (tx) => (await podListing.summary(tx, { status })).total);
  }

  namespaces(context: OrgContext): Promise<string[]> {
    return this.unitOfWork.read(context, async (tx) => (await podListing.summary(tx)).namespaces);
  }

  statuses(context: OrgContext): Promise<string[]> {
    return this.unitOfWork.read(context, async (tx) => (await podListing.summary(tx)).statuses);
  }

  /** @returns the stored rows by uid */
  async sync(tx: Tx, clusterId: string, pods: readonly PodColumns[]): Promise<Map<string, Stored>> {
    const stored = await podUpsert.apply(tx, clusterId, pods);
    const changed = [...stored.values()].filter((row) => row.changed).map(({ id }) => id);
    if (changed.length > 0) await this.changed.notify(tx, await podTimesOf(tx, changed));
    return stored;
  }

  private policiesOf(tx: Tx, rows: readonly PodRow[]): Promise<PoliciesByRow> {
    return this.monitoring.policiesOfPods(
      tx,
      rows.map(({ id }) => id),
    );
  }

  private view(row: PodRow, policies: PoliciesByRow): PodView {
    return {
      id: row.id,
      uid: row.uid,
      resource_version: row.resource_version,
      cluster_id: row.cluster_id,
      name: row.name,
      namespace: row.namespace,
      status: row.phase,
      reason: row.reason,
      age: humanDuration(this.clock.now().getTime() - row.born_at.getTime()),
      ready: `${row.ready_containers}/${row.total_containers}`,
      node: row.node_name,
      restarts: row.restarts,
      monitored_by_policies: [...(policies.get(row.id) ?? [])],
      start_time: row.started_at?.toISOString() ?? null,
    };
  }
}
