import { Check, Entity, Index, JoinColumn, ManyToOne, OneToMany } from 'typeorm';
import { DatabaseTimestamp, Integer, Key, KeptJson, Text, Usd } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';
import { Profile, ProfileReference } from '../../4-serving/profiles/profile.entity';

/** Profiles that are managed together. */
@Entity('fleets')
@Check('fleets_maximum_check', 'max_node_usd_per_hour >= 0')
export class Fleet {
  @Key('fleets')
  orgId!: string;

  @Key('fleets', 'text')
  fleetId!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'fleets_org_fkey' })
  organisation?: Organisation;

  @Text()
  name!: string;

  @Text()
  logicalModel!: string;

  @KeptJson({ nullable: true })
  budgets!: unknown;

  /** The maximum in `budgets`; null: none. */
  @Usd({ nullable: true })
  maxNodeUsdPerHour!: string | null;

  @Text({ nullable: true })
  availability!: string | null;

  @Text({ nullable: true })
  residency!: string | null;

  @OneToMany(() => FleetProfile, ({ fleet }) => fleet)
  profiles?: FleetProfile[];

  @DatabaseTimestamp()
  createdAt!: Date;

  @DatabaseTimestamp()
  updatedAt!: Date;
}

/** A profile of a fleet; it may belong to several. */
@Entity('fleet_profiles')
@Index('fleet_profiles_by_profile_idx', ['orgId', 'profileId'])
export class FleetProfile {
  @Key('fleet_profiles')
  orgId!: string;

  @Key('fleet_profiles', 'text')
  fleetId!: string;

  @Key('fleet_profiles', 'text')
  profileId!: string;

  @ManyToOne(() => Fleet, ({ profiles }) => profiles, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'fleet_profiles_fleet_fkey' },
    { name: 'fleet_id', referencedColumnName: 'fleetId', foreignKeyConstraintName: 'fleet_profiles_fleet_fkey' },
  ])
  fleet?: Fleet;

  @ProfileReference('fleet_profiles')
  profile?: Profile;

  /** Position in the request. */
  @Integer()
  position!: number;
}
