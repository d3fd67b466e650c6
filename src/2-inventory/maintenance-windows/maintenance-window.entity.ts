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
 * A reservation of a Slurm cluster, or a window created by hand. The clock decides whether it is scheduled,
 * active or completed.
 */
@Entity('maintenance_windows')
@Index('maintenance_windows_name_key', ['orgId', 'clusterId', 'name'], { unique: true, where: 'not superseded' })
@Index('maintenance_windows_by_start_idx', ['orgId', 'startTime', 'id'])
export class MaintenanceWindow {
  @Key('maintenance_windows')
  orgId!: string;

  @Key('maintenance_windows')
  id!: string;

  /** Null if it was created by hand; so is the name. */
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

  /** Names of nodes; null if none were given. */
  @Jsonb({ nullable: true })
  nodes!: string[] | null;

  @Jsonb({ nullable: true })
  partitions!: string[] | null;

  /**
   * As last reported by its cluster, whatever was changed by hand; null if it is not synced, or its times
   * move with the clock.
   */
  @Timestamp({ name: 'told_start_time', nullable: true })
  reportedStartTime!: Date | null;

  @Timestamp({ name: 'told_end_time', nullable: true })
  reportedEndTime!: Date | null;

  /** By hand; a sync does not undo it while its cluster reports the same window. */
  @Flag({ default: false })
  cancelled!: boolean;

  /** Its cluster no longer reports it, or somebody ended it. */
  @Flag({ default: false })
  ended!: boolean;

  /** A later window has taken over its name. */
  @Flag({ default: false })
  superseded!: boolean;

  @DatabaseTimestamp()
  createdAt!: Date;
}
