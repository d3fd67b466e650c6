import { Int, Json, ListOf, Str, Uuid } from '../../1-platform/common/fields/fields';
import type { JsonObject } from '../../1-platform/common/json/json';
import { isJsonObject } from '../../1-platform/common/json/json';

export const RESOURCE_TYPES = ['None', 'Pod', 'Node', 'Job', 'EngineGraphDeployment', 'EngineService'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** Maximum number of resources in one batch. */
export const MAX_BATCH = 20_000;

const RESOURCE_SCHEMA = {
  type: 'object' as const,
  required: ['type'],
  additionalProperties: true,
  properties: { type: { type: 'string', enum: [...RESOURCE_TYPES] } },
  description: 'The whole Kubernetes object, as `kubectl get -o json` prints it, plus its type',
};

export class SyncClusterBody {
  @Uuid({ optional: true, nullable: true, description: "Default: the organisation's only cluster" })
  cluster_id?: string | null;

  @Json({ optional: true, description: 'Stored with the cluster; the last report wins' })
  metadata?: unknown;

  @Json({
    maxBytes: null,
    schema: RESOURCE_SCHEMA,
    check: (value) => (isJsonObject(value) ? undefined : 'must be an object'),
    description: 'The whole Kubernetes object, as `kubectl get -o json` prints it, plus its type',
  })
  resource!: JsonObject;
}

export class SyncClusterBatchBody {
  @Uuid()
  cluster_id!: string;

  @Json({
    maxBytes: null,
    schema: { type: 'array', items: RESOURCE_SCHEMA, maxItems: MAX_BATCH },
    check: (value) =>
      !Array.isArray(value)
        ? 'must be an array'
        : value.length > MAX_BATCH
          ? `must hold at most ${MAX_BATCH} elements`
          : undefined,
  })
  resources!: unknown[];
}

export class SyncFailureView {
  @Int({ format: null, description: 'Index in the batch, from 0' })
  index!: number;

  @Str()
  message!: string;
}

export class SyncClusterBatchView {
  @Int({ format: null, description: 'Resources stored' })
  synced!: number;

  @ListOf(() => SyncFailureView, { maxItems: MAX_BATCH })
  failed!: SyncFailureView[];
}
