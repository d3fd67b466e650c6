import { Check, Entity, Index } from 'typeorm';
import { DatabaseTimestamp, Flag, Key, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';
import type { RequestKind, RequestStatus } from './profile-checkpoint.states';

/** One attempt to checkpoint the worker of a profile, or to replace it by a restored one. */
@Entity('checkpoint_requests')
@Index('checkpoint_requests_open_key', ['orgId', 'profileId'], {
  unique: true,
  where: "status in ('pending', 'running')",
})
@Index('checkpoint_requests_of_profile_idx', ['orgId', 'profileId', 'requestedAt'], {
  where: 'profile_id is not null',
})
@Index('checkpoint_requests_ended_idx', ['orgId', 'completedAt'], { where: 'completed_at is not null' })
@Index('checkpoint_requests_unanswered_idx', ['requestedAt'], { where: "status in ('pending', 'running')" })
@Check('checkpoint_requests_kind_check', "kind in ('checkpoint', 'restart')")
@Check('checkpoint_requests_status_check', "status in ('pending', 'running', 'succeeded', 'failed')")
@Check(
  'checkpoint_requests_times_check',
  "(status in ('succeeded', 'failed')) = (completed_at is not null) and (status = 'failed') = (error is not null)",
)
export class CheckpointRequest {
  @Key('checkpoint_requests')
  orgId!: string;

  @Key('checkpoint_requests')
  requestId!: string;

  @Text()
  profileId!: string;

  @ProfileReference('checkpoint_requests')
  profile?: Profile;

  @Text()
  kind!: RequestKind;

  @Text()
  status!: RequestStatus;

  @Flag()
  replaceExisting!: boolean;

  @Text({ nullable: true })
  reason!: string | null;

  @DatabaseTimestamp()
  requestedAt!: Date;

  @Timestamp({ nullable: true })
  startedAt!: Date | null;

  @Timestamp({ nullable: true })
  completedAt!: Date | null;

  /**
   * The artifact that it produced, or restored from. Another sender reports it, before or after the artifact
   * itself: no foreign key.
   */
  @Text({ nullable: true })
  artifactId!: string | null;

  @Text({ nullable: true })
  error!: string | null;
}
