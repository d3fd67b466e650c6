import { Check, Entity, Index, JoinColumn, ManyToOne, OneToMany } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Flag, Integer, Key, Text } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';
import { Profile, ProfileReference } from '../../4-serving/profiles/profile.entity';
import type { RouteMode } from './route.modes';

/** The profiles that serve a logical model. */
@Entity('routes')
@Index('routes_by_classifier_idx', ['orgId', 'classifierProfileId'], { where: 'classifier_profile_id is not null' })
@Check('routes_mode_check', "mode in ('priority', 'classifier')")
export class Route {
  @Key('routes')
  orgId!: string;

  @Key('routes', 'text')
  logicalModel!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'routes_org_fkey' })
  organisation?: Organisation;

  @Text()
  mode!: RouteMode;

  /** How long a request may wait; 0: not at all. */
  @BigInteger()
  queueTimeoutMs!: number;

  /** Increases with every change. */
  @BigInteger()
  generation!: number;

  @Text({ nullable: true })
  classifierProfileId!: string | null;

  @Text({ nullable: true })
  classifierPrompt!: string | null;

  /** JSON Schema of the classifier's answer. */
  @Text({ nullable: true })
  classifierResponseSchema!: string | null;

  @OneToMany(() => RouteTarget, ({ route }) => route)
  targets?: RouteTarget[];

  @DatabaseTimestamp()
  createdAt!: Date;

  @DatabaseTimestamp()
  updatedAt!: Date;
}

/**
 * The routes of an organisation that were deleted. A later one continues their generations, so that no router
 * takes it for the one of its model before; no row per model is needed for that.
 */
@Entity('withdrawn_routes')
export class WithdrawnRoutes {
  @Key('withdrawn_routes')
  orgId!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'withdrawn_routes_org_fkey' })
  organisation?: Organisation;

  /**
   * With the generations of all routes, it makes the number of all changes of them: a deletion adds its own
   * generation, and a new route takes away what it continues from. It may be negative.
   */
  @BigInteger()
  generation!: number;

  /** The highest generation of a deletion, which is a change too. */
  @BigInteger()
  highest!: number;
}

/** A profile of a route. */
@Entity('route_targets')
@Index('route_targets_by_profile_idx', ['orgId', 'profileId'])
export class RouteTarget {
  @Key('route_targets')
  orgId!: string;

  @Key('route_targets', 'text')
  logicalModel!: string;

  @Key('route_targets', 'text')
  profileId!: string;

  @ManyToOne(() => Route, ({ targets }) => targets, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'route_targets_route_fkey' },
    {
      name: 'logical_model',
      referencedColumnName: 'logicalModel',
      foreignKeyConstraintName: 'route_targets_route_fkey',
    },
  ])
  route?: Route;

  @ProfileReference('route_targets')
  profile?: Profile;

  @Text()
  tier!: string;

  /** The lowest one is tried first. */
  @Integer()
  priority!: number;

  /** Only an enabled target is chosen. */
  @Flag({ default: true })
  enabled!: boolean;

  /** Position in the request; decides between equal priorities. */
  @Integer()
  position!: number;
}
