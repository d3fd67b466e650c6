import { Entity, JoinColumn, ManyToOne } from 'typeorm';
import { Start } from '../../4-serving/activations/starts/start.entity';
import { Key, Text } from '../../1-platform/database/rows/columns';

/** The request that a restored start is credited to: the time saved against a cold start counts once. */
@Entity('start_credits')
export class StartCredit {
  @Key('start_credits')
  orgId!: string;

  @Key('start_credits')
  startId!: string;

  @ManyToOne(() => Start, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'start_credits_start_fkey' },
    { name: 'start_id', referencedColumnName: 'id', foreignKeyConstraintName: 'start_credits_start_fkey' },
  ])
  start?: Start;

  @Text()
  requestId!: string;
}
