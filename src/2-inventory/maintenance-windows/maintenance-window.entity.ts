import { Entity, Index } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import {
  DatabaseTimestamp,
  Flag,
  Jsonb,
  Key,
  Text,
  Timestamp,
  UuidColumn,
} from '../../1-platform/database/rows/columns';

/**
 * A reservation of a Slurm cluster, or a window made by hand. Whether it
 * is scheduled, active or completed the clock says.
 */
@Entity('maintenance_windows')
@Index('maintenance_windows_name_key', ['orgId', 'clusterId', 'name'], { unique: true, where: 'not superseded' })
@Index('maintenance_windows_by_start_idx', ['orgId', 'startTime', 'id'])
export class MaintenanceWindow {
  @Key('maintenance_windows')
  orgId!: string;

  @Key('maintenance_windows')
  id!: string;

  /** Null when it was made by hand, as the name. */
  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  @ClusterReference('maintenance_windows')
  cluster?: Cluster;

  @Text({ nullable: true })
  name!: string | null;

  @Text({ nullable: true })
  reason!: string | null;

  @Timestamp()
  startTime!: Date;

  @Timestamp()
  endTime!: Date;

  /** Names of nodes; null when none were told. */
  @Jsonb({ nullable: true })
  nodes!: string[] | null;

  @Jsonb({ nullable: true })
  partitions!: string[] | null;

  /**
   * As its cluster last told it, whatever was changed by hand; null when it
   * is not synced, or its times move with the clock.
   */
  @Timestamp({ nullable: true })
  toldStartTime!: Date | null;

  @Timestamp({ nullable: true })
  toldEndTime!: Date | null;

  /** By hand; a sync does not take it back while its cluster tells of the same window. */
  @Flag({ default: false })
  cancelled!: boolean;

  /** Its cluster no longer tells of it, or somebody ended it. */
  @Flag({ default: false })
  ended!: boolean;

  /** Names are used again: a later window of its name took its place. */
  @Flag({ default: false })
  superseded!: boolean;

  @DatabaseTimestamp()
  createdAt!: Date;
}
