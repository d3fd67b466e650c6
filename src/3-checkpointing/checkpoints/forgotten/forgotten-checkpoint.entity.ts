import { Entity, Index } from 'typeorm';
import { DatabaseTimestamp, Key, Text, UuidColumn } from '../../../1-platform/database/rows/columns';

/**
 * A checkpoint whose row is gone while its bytes may be in a store: its cluster was deleted, or it grew old.
 * A trigger of `checkpoints` notes it, and the confirmation of its removal erases it.
 */
@Entity('forgotten_checkpoints')
@Index('forgotten_checkpoints_newest_idx', ['orgId', 'forgottenAt', 'id'])
export class ForgottenCheckpoint {
  @Key('forgotten_checkpoints')
  orgId!: string;

  @Key('forgotten_checkpoints')
  id!: string;

  /** No foreign key: it is gone as a rule. */
  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  @Text({ nullable: true })
  restorePath!: string | null;

  @DatabaseTimestamp()
  forgottenAt!: Date;
}
