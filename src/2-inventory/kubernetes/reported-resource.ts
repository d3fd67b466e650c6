import {
  DatabaseTimestamp,
  Flag,
  Jsonb,
  KeptJson,
  ResourceVersion,
  Text,
  UuidColumn,
} from '../../1-platform/database/rows/columns';

/**
 * Columns that every kind of resource has which clusters tell of. Keys, and
 * what is read from the kind, are the entity's own.
 */
export abstract class ReportedResource {
  @UuidColumn()
  clusterId!: string;

  @Text()
  name!: string;

  /** Empty when the object was told without one. */
  @Text()
  uid!: string;

  @Jsonb()
  labels!: Record<string, string>;

  @ResourceVersion()
  resourceVersion!: string | null;

  /** Kept, and left out of lists. */
  @Flag()
  deleted!: boolean;

  /** As it was told, without `managedFields`. */
  @KeptJson()
  object!: object;

  /** When the cluster last told of it; of nodes, changed or not. */
  @DatabaseTimestamp()
  syncedAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}

export abstract class NamespacedResource extends ReportedResource {
  @Text()
  namespace!: string;
}
