import { Entity } from 'typeorm';
import { BigInteger, Key, Timestamp } from '../../../1-platform/database/rows/columns';

/** The counts of an artifact's starts that retention has removed. */
@Entity('past_starts')
export class PastStarts {
  @Key('past_starts')
  orgId!: string;

  /** No foreign key: a start may name an artifact that nobody has registered. */
  @Key('past_starts', 'text')
  artifactId!: string;

  @BigInteger()
  attempts!: number;

  @BigInteger()
  restores!: number;

  @Timestamp({ nullable: true })
  lastRestoredAt!: Date | null;
}
