import { Entity } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Flag, Key, Text, UuidColumn } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';

/** What really runs of a profile, as its controller last reported it. */
@Entity('activations')
export class Activation {
  @Key('activations')
  orgId!: string;

  @Key('activations', 'text')
  profileId!: string;

  @ProfileReference('activations')
  profile?: Profile;

  /** What the controller works towards. */
  @Text()
  desiredState!: string;

  @Text()
  phase!: string;

  @Flag()
  ready!: boolean;

  @Text({ nullable: true })
  endpoint!: string | null;

  /** The newest generation of what is wanted that the controller has seen. */
  @BigInteger()
  observedGeneration!: number;

  /** The start of the worker that is under way or serves; null while there is none. */
  @UuidColumn({ nullable: true })
  startId!: string | null;

  /**
   * Goes up with every change of the row or of its start: changes
   * are made against the version they were decided on.
   */
  @BigInteger()
  version!: number;

  @DatabaseTimestamp()
  updatedAt!: Date;
}
