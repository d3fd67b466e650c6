import { Column, Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import { Key, KeptJson, Text, UuidColumn } from '../../../1-platform/database/rows/columns';
import type { MetricFamily, MetricKind } from '../rows/sample-mapping';

/**
 * What samples are of: one metric with one set of labels. Labels that readers select by are
 * columns, the others stand in `labels`. Which label becomes which column is said in
 * `sample-mapping.ts`. It refers to nothing, as its samples.
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

  /** In the order in which series were told first. TypeORM's types do not know this strategy here. */
  @Generated('identity' as 'increment')
  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'metric_series_pkey', generatedIdentity: 'BY DEFAULT' })
  id!: number;

  /**
   * Of the metric and all its labels, whatever their order: the same series
   * told again, or by another protocol, is the same row.
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

  /** Null for what is measured of a whole pod. */
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

  /** The labels that are no columns. */
  @KeptJson()
  labels!: Record<string, string>;

  /** The day (UTC) of its newest sample: a reader of a window looks at series of that day or later only. */
  @Column({ type: 'date' })
  lastSampledOn!: string;
}
