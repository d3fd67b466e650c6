import { Check, Entity, Generated, PrimaryColumn } from 'typeorm';
import { DatabaseKeyTime, Key, Text, Usd, UuidColumn } from '../../../1-platform/database/rows/columns';
import type { LedgerKind } from './ledger.kinds';

/**
 * One movement of a key's money, never changed. A key's counters are the sums of its entries, or of its
 * newest balance and the entries since. Partitioned by time, so that old entries go as a whole.
 */
@Entity('ledger_entries')
@Check('ledger_entries_kind_check', "kind in ('reserve', 'settle', 'release', 'charge')")
export class LedgerEntry {
  @Key('ledger_entries')
  orgId!: string;

  @DatabaseKeyTime('ledger_entries')
  occurredAt!: Date;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'ledger_entries_pkey' })
  @Generated('increment')
  position!: number;

  @UuidColumn()
  keyId!: string;

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
}
