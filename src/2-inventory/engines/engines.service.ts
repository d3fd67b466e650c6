import { Injectable } from '@nestjs/common';
import { ResourceUpsert, type Stored } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { EngineColumns } from './engine-resource';

const COLUMNS = {
  uid: 'text',
  name: 'text',
  namespace: 'text',
  labels: 'jsonb',
  resource_version: 'numeric',
  deleted: 'boolean',
  object: 'json',
} as const;

const graphDeployments = new ResourceUpsert<EngineColumns>('engine_graph_deployments', ['namespace', 'name'], COLUMNS);
const services = new ResourceUpsert<EngineColumns>('engine_services', ['namespace', 'name'], COLUMNS);

/** Key of the map that `sync` returns. */
export const engineKey = (row: EngineColumns): string => graphDeployments.keyOf(row);

@Injectable()
export class EnginesService {
  syncGraphDeployments(tx: Tx, clusterId: string, rows: readonly EngineColumns[]): Promise<Map<string, Stored>> {
    return graphDeployments.apply(tx, clusterId, rows);
  }

  syncServices(tx: Tx, clusterId: string, rows: readonly EngineColumns[]): Promise<Map<string, Stored>> {
    return services.apply(tx, clusterId, rows);
  }
}
