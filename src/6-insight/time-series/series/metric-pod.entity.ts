import { Entity, Index } from 'typeorm';
import { Key, Text, Timestamp } from '../../../1-platform/database/rows/columns';

/** The facts that the metrics of a cluster contain about a pod: its node and its owner, as last reported. */
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

  /** Of the newest sample with the facts; unchanged facts are noted only every 10 minutes. */
  @Timestamp()
  seenAt!: Date;
}
