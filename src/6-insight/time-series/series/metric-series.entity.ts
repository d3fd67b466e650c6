import { Column, Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import { Key, KeptJson, Text, Timestamp, UuidColumn } from '../../../1-platform/database/rows/columns';
import type { MetricFamily, MetricKind } from '../rows/sample-mapping';

/**
 * One metric with one set of labels. Labels that readers select by are columns, the others are in `labels`.
 * `sample-mapping.ts` defines which label becomes which column. It has no foreign keys, like its samples.
 */
@Entity('metric_series')
@Index('metric_series_identity_idx', ['orgId', 'digest'], { unique: true })
@Index('metric_series_by_metric_idx', ['orgId', 'family', 'metric', 'lastSampledOn'])
@Index('metric_series_by_gpu_idx', ['orgId', 'gpuUuid'], { where: 'gpu_uuid is not null' })
@Index('metric_series_by_pod_idx', ['orgId', 'podUid'], { where: 'pod_uid is not null' })
@Index('metric_series_by_day_idx', ['lastSampledOn'])
export class MetricSeries {
  @Key('metric_series')
  orgId!: string;

  /**
   * Those of one group have the same quotient by 64. Only replicas of the release before take ids from this
   * identity. TypeORM's types do not know this strategy here.
   */
  @Generated('identity' as 'increment')
  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'metric_series_pkey', generatedIdentity: 'BY DEFAULT' })
  id!: number;

  /**
   * Of the metric and all its labels, in any order: the same series reported again, or by another protocol,
   * is the same row.
   */
  @UuidColumn()
  digest!: string;

  @Text()
  family!: MetricFamily;

  @Text()
  metric!: string;

  @Text()
  kind!: MetricKind;

  @Text({ nullable: true })
  nodeName!: string | null;

  @Text({ nullable: true })
  gpuUuid!: string | null;

  @Text({ nullable: true })
  gpuIndex!: string | null;

  @Text({ nullable: true })
  modelName!: string | null;

  @Text({ nullable: true })
  namespace!: string | null;

  @Text({ nullable: true })
  podName!: string | null;

  @Text({ nullable: true })
  podUid!: string | null;

  /** Null for a measurement of a whole pod. */
  @Text({ nullable: true })
  container!: string | null;

  @Text({ nullable: true })
  partition!: string | null;

  @Text({ nullable: true })
  state!: string | null;

  @Text({ nullable: true })
  collector!: string | null;

  @Text({ nullable: true })
  cpuCore!: string | null;

  @Text({ nullable: true })
  cpuMode!: string | null;

  @Text({ nullable: true })
  filesystem!: string | null;

  @Text({ nullable: true })
  mountpoint!: string | null;

  /** The labels that are not columns. */
  @KeptJson()
  labels!: Record<string, string>;

  /**
   * The day (UTC) of its newest sample, or the day after: a reader of a window needs only series of that day
   * or later.
   */
  @Column({ type: 'date' })
  lastSampledOn!: string;

  /**
   * None of its samples in `grouped_samples` is later: a reader does not look for it in newer rows of its
   * group. Written before such samples are. Null: it has none.
   */
  @Timestamp({ nullable: true })
  sampledUntil!: Date | null;
}
