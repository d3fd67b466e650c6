import { Entity, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import { Key } from '../../1-platform/database/rows/columns';
import { NamespacedResource } from '../kubernetes/reported-resource';

/** Custom resources of a serving engine as last reported. One row per namespace and name. */
@Entity('engine_graph_deployments')
@Unique('engine_graph_deployments_name_key', ['orgId', 'clusterId', 'namespace', 'name'])
export class EngineGraphDeployment extends NamespacedResource {
  @Key('engine_graph_deployments')
  orgId!: string;

  @Key('engine_graph_deployments')
  id!: string;

  @ClusterReference('engine_graph_deployments')
  cluster?: Cluster;
}

@Entity('engine_services')
@Unique('engine_services_name_key', ['orgId', 'clusterId', 'namespace', 'name'])
export class EngineService extends NamespacedResource {
  @Key('engine_services')
  orgId!: string;

  @Key('engine_services')
  id!: string;

  @ClusterReference('engine_services')
  cluster?: Cluster;
}
