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
 * The columns that all reported kinds of resources share. An entity adds its keys and the values read from
 * its kind.
 */
export abstract class ReportedResource {
  @UuidColumn()
  clusterId!: string;

  @Text()
  name!: string;

  /** Empty if the object was reported without one. */
  @Text()
  uid!: string;

  @Jsonb()
  labels!: Record<string, string>;

  @ResourceVersion()
  resourceVersion!: string | null;

  /** Marked as deleted, kept, and left out of lists. */
  @Flag()
  deleted!: boolean;

  /** As reported, without `managedFields`. */
  @KeptJson()
  object!: object;

  /** Time of the last report; for nodes, of unchanged ones too. */
  @DatabaseTimestamp()
  syncedAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}

export abstract class NamespacedResource extends ReportedResource {
  @Text()
  namespace!: string;
}
