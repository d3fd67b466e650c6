import { Check, Entity, PrimaryColumn } from 'typeorm';
import { KeptJson, Text, Timestamp } from '../../../1-platform/database/rows/columns';
import type { Orphan } from '../machines/reconcile';

/**
 * What the provider said last of the account of this installation: replicas share one listing, and a restart
 * forgets nothing. It is of no organisation: its orphans are of several.
 */
@Entity('provider_accounts')
@Check('provider_accounts_verdict_check', "verdict in ('accepted', 'refused')")
export class ProviderAccount {
  /** Digest of address and key. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'provider_accounts_pkey' })
  account!: string;

  /** On the key; null: never heard. */
  @Text({ nullable: true })
  verdict!: 'accepted' | 'refused' | null;

  /** When the last listing was asked for, whatever came of it. */
  @Timestamp({ nullable: true })
  triedAt!: Date | null;

  /** When the listing was asked for that was taken in last. */
  @Timestamp({ nullable: true })
  listedAt!: Date | null;

  /** Since when no listing was answered; null: the last one was. */
  @Timestamp({ nullable: true })
  failingSince!: Date | null;

  /** The kind of the last failure. */
  @Text({ nullable: true })
  failure!: string | null;

  /** Machines of ours that no record owns, as of the last listing. */
  @KeptJson()
  orphans!: Orphan[];
}
