import { Check, Entity, PrimaryColumn } from 'typeorm';
import { KeptJson, Text, Timestamp } from '../../../1-platform/database/rows/columns';
import type { Orphan } from '../machines/reconcile';

/**
 * The last known state of this installation's account at the provider: replicas share one listing, and a
 * restart loses nothing. It belongs to no organisation: its orphans belong to several.
 */
@Entity('provider_accounts')
@Check('provider_accounts_verdict_check', "verdict in ('accepted', 'refused')")
export class ProviderAccount {
  /** Digest of address and key. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'provider_accounts_pkey' })
  account!: string;

  /** State of the key; null: unknown. */
  @Text({ nullable: true })
  verdict!: 'accepted' | 'refused' | null;

  /** Time of the last listing request, whatever its result. */
  @Timestamp({ nullable: true })
  triedAt!: Date | null;

  /** Time of the request for the last applied listing. */
  @Timestamp({ nullable: true })
  listedAt!: Date | null;

  /** Since when no listing was answered; null: the last one was. */
  @Timestamp({ nullable: true })
  failingSince!: Date | null;

  /** The kind of the last failure. */
  @Text({ nullable: true })
  failure!: string | null;

  /** Machines with the service's tag and without a record, as of the last listing. */
  @KeptJson()
  orphans!: Orphan[];
}
