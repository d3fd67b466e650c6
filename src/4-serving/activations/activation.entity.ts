import { Entity } from 'typeorm';
import {
  BigInteger,
  DatabaseTimestamp,
  Flag,
  Jsonb,
  Key,
  Text,
  UuidColumn,
} from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';

/** The actual state of a profile, as its controller last reported it. */
@Entity('activations')
export class Activation {
  @Key('activations')
  orgId!: string;

  @Key('activations', 'text')
  profileId!: string;

  @ProfileReference('activations')
  profile?: Profile;

  /** The state that the controller works towards. */
  @Text()
  desiredState!: string;

  @Text()
  phase!: string;

  @Flag()
  ready!: boolean;

  @Text({ nullable: true })
  endpoint!: string | null;

  /** The cluster whose controller runs its workers, as long as that controller reports. */
  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  /** All of its workers: a list of `ReportedWorker`; null if the controller reports only one endpoint. */
  @Jsonb({ nullable: true })
  workers!: object | null;

  /** What the controller says about it. */
  @Text({ nullable: true })
  message!: string | null;

  /** The newest requested generation that the controller has observed. */
  @BigInteger()
  observedGeneration!: number;

  /** The start of the current worker; null without a worker. */
  @UuidColumn({ nullable: true })
  startId!: string | null;

  /**
   * Increases with every change of the row or of its start: a change applies only to the version that it was
   * decided on.
   */
  @BigInteger()
  version!: number;

  @DatabaseTimestamp()
  updatedAt!: Date;
}
