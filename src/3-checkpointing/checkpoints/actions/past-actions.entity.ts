import { Entity } from 'typeorm';
import { BigInteger, Key, Timestamp } from '../../../1-platform/database/rows/columns';

/** The counts of a policy's actions that retention has removed. */
@Entity('past_actions')
export class PastActions {
  @Key('past_actions')
  orgId!: string;

  /** No foreign key: actions outlive their policy. */
  @Key('past_actions')
  policyId!: string;

  @BigInteger()
  asked!: number;

  @BigInteger()
  ready!: number;

  @BigInteger()
  failed!: number;

  @Timestamp()
  lastAskedAt!: Date;
}
