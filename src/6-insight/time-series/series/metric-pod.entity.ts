import { Entity, Index } from 'typeorm';
import { Key, Text, Timestamp } from '../../../1-platform/database/rows/columns';

/**
 * What the metrics of a cluster say about a pod itself: where
 * it runs and who owns it. The newest that was told.
 */
@Entity('metric_pods')
@Index('metric_pods_by_name_idx', ['orgId', 'namespace', 'podName'])
@Index('metric_pods_by_time_idx', ['seenAt'])
export class MetricPod {
  @Key('metric_pods')
  orgId!: string;

  @Key('metric_pods', 'text')
  podUid!: string;

  @Text()
  namespace!: string;

  @Text()
  podName!: string;

  @Text({ nullable: true })
  nodeName!: string | null;

  @Text({ nullable: true })
  ownerKind!: string | null;

  @Text({ nullable: true })
  ownerName!: string | null;

  /** Of the newest sample that told of it; one that says the same is noted every 10 minutes only. */
  @Timestamp()
  seenAt!: Date;
}
