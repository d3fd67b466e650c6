import { Int, NamePart, OneOf, Str, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { Silent } from '../kubernetes/listing.dto';

export const COMPUTE_TYPES = ['gpu', 'cpu'] as const;
export type ComputeType = (typeof COMPUTE_TYPES)[number];

export class ListNodesQuery extends PageQuery {
  @Uuid({ optional: true })
  id?: string;

  @Uuid({ optional: true })
  cluster_id?: string;

  @NamePart()
  name?: string;

  @OneOf(COMPUTE_TYPES, { optional: true, description: 'Only nodes with GPUs, or only those without' })
  compute_type?: ComputeType;

  @Str({ optional: true, max: 1_024, description: 'Ready, NotReady or Unknown; or several, separated by commas' })
  status?: string;

  @Silent()
  silent?: boolean;
}

/** What nodes are counted by: a column of their rows. */
export const NODE_MEASURES = ['status', 'compute_type', 'capacity_type'] as const;
export type NodeMeasure = (typeof NODE_MEASURES)[number];

export class NodesSummaryQuery extends PageQuery {
  @OneOf(NODE_MEASURES, { optional: true, default: 'status' })
  by?: NodeMeasure;

  @Uuid({ optional: true })
  cluster_id?: string;
}

export class NodesSummaryView {
  @Uuid()
  cluster_id!: string;

  @Str({ description: 'Of the member that nodes are counted by; empty if they do not report it' })
  value!: string;

  @Int({ min: 1 })
  count!: number;
}

export class CountNodesQuery {
  @Str({ optional: true, description: 'Ready, NotReady or Unknown' })
  status?: string;
}

export class NodeView {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str({ description: 'Ready, NotReady or Unknown' })
  status!: string;

  @Uuid()
  cluster_id!: string;

  @Str()
  cluster_name!: string;

  @Str({ description: 'gpu or cpu' })
  compute_type!: string;

  @Str({ description: 'Empty if the node does not report it' })
  instance_type!: string;

  @Str({ description: 'Empty if the node does not report it' })
  region!: string;

  @Str({ description: 'spot, on-demand or another word of the provider; empty if the node does not report it' })
  capacity_type!: string;
}
