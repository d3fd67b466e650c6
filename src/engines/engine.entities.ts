import { Entity, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import { DatabaseTimestamp, Flag, Jsonb, Key, ResourceVersion, Text, UuidColumn } from '../database/columns';

/** A custom resource of a serving engine as its cluster last told it. One row a namespace and name. */
abstract class EngineResource {
  @UuidColumn()
  clusterId!: string;

  @Text()
  namespace!: string;

  @Text()
  name!: string;

  /** Empty when the object was told without one. */
  @Text()
  uid!: string;

  @Jsonb()
  labels!: Record<string, string>;

  @ResourceVersion()
  resourceVersion!: string | null;

  @Flag()
  deleted!: boolean;

  @Jsonb()
  object!: object;

  @DatabaseTimestamp()
  syncedAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}

@Entity('engine_graph_deployments')
@Unique('engine_graph_deployments_name_key', ['orgId', 'clusterId', 'namespace', 'name'])
export class EngineGraphDeployment extends EngineResource {
  @Key('engine_graph_deployments')
  orgId!: string;

  @Key('engine_graph_deployments')
  id!: string;

  @ClusterReference('engine_graph_deployments')
  cluster?: Cluster;
}

@Entity('engine_services')
@Unique('engine_services_name_key', ['orgId', 'clusterId', 'namespace', 'name'])
export class EngineService extends EngineResource {
  @Key('engine_services')
  orgId!: string;

  @Key('engine_services')
  id!: string;

  @ClusterReference('engine_services')
  cluster?: Cluster;
}
