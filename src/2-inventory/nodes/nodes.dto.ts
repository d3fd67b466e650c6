import { NamePart, OneOf, Str, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';

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
