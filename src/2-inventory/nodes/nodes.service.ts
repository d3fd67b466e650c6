import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Page, sliceOf, type Slice } from '../../1-platform/common/answers/paging';
import { commaJoined } from '../../1-platform/common/fields/comma-joined';
import type { Stored } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import type { NodeColumns } from './node-resource';
import type { ListNodesQuery, NodesSummaryView, NodeView, NodesSummaryQuery } from './nodes.dto';
import {
  countNodes,
  knownNodeNames,
  listInstanceTypes,
  listNodes,
  nodeUpsert,
  noteReportedNodes,
  summarizeNodes,
} from './nodes.queries';

@Injectable()
export class NodesService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(context: OrgContext, query: ListNodesQuery): Promise<Page<NodeView>> {
    const slice = sliceOf(query);
    const { id, cluster_id: clusterId, name, compute_type: computeType, silent } = query;
    const statuses = commaJoined('status', query.status, (status) => status, 'words');
    const filter = { id, clusterId, name, computeType, statuses, silent };
    return this.unitOfWork.read(context, async (tx) => Page.of(await listNodes(tx, filter, slice), slice));
  }

  summarize(context: OrgContext, query: NodesSummaryQuery): Promise<Page<NodesSummaryView>> {
    const slice = sliceOf(query);
    const { by = 'status', cluster_id: clusterId } = query;
    return this.unitOfWork.read(context, async (tx) => Page.of(await summarizeNodes(tx, by, clusterId, slice), slice));
  }

  count(context: OrgContext, status: string | undefined): Promise<number> {
    return this.unitOfWork.read(context, (tx) => countNodes(tx, status));
  }

  /** For every node that was ever reported, in order. */
  instanceTypes(context: OrgContext, slice: Slice): Promise<Page<string>> {
    return this.unitOfWork.read(context, async (tx) => Page.of(await listInstanceTypes(tx, slice), slice));
  }

  /** @returns the stored rows by name */
  async sync(tx: Tx, clusterId: string, nodes: readonly NodeColumns[]): Promise<Map<string, Stored>> {
    const stored = await nodeUpsert.apply(tx, clusterId, nodes);
    const unchanged = [...stored.values()].filter(({ changed }) => !changed).map(({ id }) => id);
    await noteReportedNodes(tx, unchanged);
    return stored;
  }

  /** The names for which the cluster has reported a node. */
  known(tx: Tx, clusterId: string, names: readonly string[]): Promise<Set<string>> {
    return knownNodeNames(tx, clusterId, names);
  }
}
