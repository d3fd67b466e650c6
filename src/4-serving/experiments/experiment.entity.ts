import { Check, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { DatabaseTimestamp, Key, KeptJson, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';
import { Profile, ProfileReference } from '../profiles/profile.entity';
import type { ExperimentStatus } from './experiment.states';

/** A load test: measurements and requests of its profile belong to it while it runs. */
@Entity('experiments')
@Index('experiments_newest_idx', ['orgId', 'startedAt', 'id'])
@Index('experiments_running_idx', ['orgId', 'profileId', 'startedAt', 'id'], {
  where: "status = 'running' and profile_id is not null",
})
@Check('experiments_status_check', "status in ('running', 'completed', 'cancelled')")
@Check('experiments_completed_check', "(status = 'running') = (completed_at is null)")
export class Experiment {
  @Key('experiments')
  orgId!: string;

  @Key('experiments')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'experiments_org_fkey' })
  organisation?: Organisation;

  @Text()
  name!: string;

  @Text()
  scenario!: string;

  @Text()
  status!: ExperimentStatus;

  @KeptJson()
  parameters!: unknown;

  /** Null: requests must name it themselves. */
  @Text({ nullable: true })
  profileId!: string | null;

  @ProfileReference('experiments')
  profile?: Profile;

  @DatabaseTimestamp()
  startedAt!: Date;

  @Timestamp({ nullable: true })
  completedAt!: Date | null;
}
