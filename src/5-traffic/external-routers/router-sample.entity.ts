import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Double, Key, KeyTime } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/** A value that a router measured. */
@Entity('router_samples')
@Index('router_samples_by_time_idx', ['measuredAt'])
export class RouterSample {
  @Key('router_samples')
  orgId!: string;

  @Key('router_samples', 'text')
  route!: string;

  @Key('router_samples', 'text')
  profileId!: string;

  @Key('router_samples', 'text')
  metricName!: string;

  @KeyTime('router_samples')
  measuredAt!: Date;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'router_samples_org_fkey' })
  organisation?: Organisation;

  @Double()
  value!: number;
}
