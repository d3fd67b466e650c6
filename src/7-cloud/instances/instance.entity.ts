import { Check, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { DatabaseTimestamp, Key, KeptJson, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';
import type { MachineFacts } from './providers/instance-provider';
import { PHASES, type Phase } from './instance.states';

/** The request, without values that are, or may be, secret. */
export interface AskedFor {
  readonly marketplace_cloud: boolean;
  readonly [member: string]: unknown;
}

/** One machine that was requested, or whose deletion was requested. */
@Entity('instances')
@Index('instances_newest_idx', ['orgId', 'createdAt', 'id'])
@Index('instances_provider_id_key', ['providerId'], { unique: true, where: 'provider_id is not null' })
@Index('instances_open_idx', ['phase'], { where: "phase in ('recorded', 'asked', 'placed')" })
@Index('instances_ended_idx', ['endedAt'])
@Check('instances_phase_check', `phase in (${PHASES.map((phase) => `'${phase}'`).join(', ')})`)
@Check('instances_asked_check', "phase <> 'asked' or asked_at is not null")
@Check('instances_placed_check', "phase <> 'placed' or provider_id is not null")
export class Instance {
  @Key('instances')
  orgId!: string;

  @Key('instances')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'instances_org_fkey' })
  organisation?: Organisation;

  @Text()
  name!: string;

  @Text()
  cloud!: string;

  @Text()
  region!: string;

  @Text()
  instanceType!: string;

  /** Null for a machine whose record is not known. */
  @KeptJson({ nullable: true })
  asked!: AskedFor | null;

  @Text()
  phase!: Phase;

  /** Why it has failed, is gone, or is not deleted although that was requested. */
  @Text({ nullable: true })
  reason!: string | null;

  /** Written before the request is sent; null: it never was. */
  @Timestamp({ nullable: true })
  askedAt!: Date | null;

  /**
   * The account of the machine at the provider: see `ProviderAccount`. Null: not known, as of records of an
   * earlier version.
   */
  @Text({ nullable: true })
  account!: string | null;

  @Text({ nullable: true })
  providerId!: string | null;

  @Text({ nullable: true })
  providerStatus!: string | null;

  @KeptJson({ nullable: true })
  facts!: MachineFacts | null;

  /** Time of the request for the newest listing or reply that contained it. */
  @Timestamp({ nullable: true })
  seenAt!: Date | null;

  /** Time of the request for the first listing that lacked it, since it was seen. */
  @Timestamp({ nullable: true })
  missingSince!: Date | null;

  @Timestamp({ nullable: true })
  deleteWantedAt!: Date | null;

  /** Time of the last deletion request to the provider. */
  @Timestamp({ nullable: true })
  deleteAskedAt!: Date | null;

  @DatabaseTimestamp()
  createdAt!: Date;

  @Timestamp({ nullable: true })
  endedAt!: Date | null;
}
