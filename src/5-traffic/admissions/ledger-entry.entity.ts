import { Check, Entity, Generated, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Key, Text, Timestamp, Usd, UuidColumn } from '../../1-platform/database/rows/columns';
import { InferenceKey } from '../inference-keys/inference-key.entity';
import type { LedgerKind } from './ledger.kinds';

/**
 * One movement of a key's money: never changed, never removed. A key's counters are the sums of its entries.
 */
@Entity('ledger_entries')
@Check('ledger_entries_kind_check', "kind in ('reserve', 'settle', 'release', 'charge')")
export class LedgerEntry {
  @Key('ledger_entries')
  orgId!: string;

  @Key('ledger_entries')
  keyId!: string;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'ledger_entries_pkey' })
  @Generated('identity' as 'increment')
  position!: number;

  @ManyToOne(() => InferenceKey, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'ledger_entries_key_fkey' },
    { name: 'key_id', referencedColumnName: 'id', foreignKeyConstraintName: 'ledger_entries_key_fkey' },
  ])
  key?: InferenceKey;

  @UuidColumn()
  authorizationId!: string;

  @Text()
  kind!: LedgerKind;

  /** What it adds to the key's reserved money; negative if it reduces it. */
  @Usd()
  reservedUsd!: string;

  @Usd()
  spentUsd!: string;

  @Usd()
  overrunUsd!: string;

  @Timestamp()
  occurredAt!: Date;
}
