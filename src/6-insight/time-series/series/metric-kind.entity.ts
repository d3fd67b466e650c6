import { Entity, PrimaryColumn } from 'typeorm';
import { Key, Text } from '../../../1-platform/database/rows/columns';
import type { MetricFamily, MetricKind } from '../rows/sample-mapping';

/**
 * The type of a metric as last reported, for all its series: it takes precedence over the kind of a series.
 */
@Entity('metric_kinds')
export class MetricKindOf {
  @Key('metric_kinds')
  orgId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'metric_kinds_pkey' })
  family!: MetricFamily;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'metric_kinds_pkey' })
  metric!: string;

  @Text()
  kind!: MetricKind;
}
