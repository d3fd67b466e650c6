import { Entity } from 'typeorm';
import { Key, KeyTime, Usd } from '../../../1-platform/database/rows/columns';

/**
 * What the entries of a key before a moment add up to: never changed. It is taken where a partition
 * of entries begins, so that those before it may go. Partitioned by time, as entries are.
 */
@Entity('ledger_balances')
export class LedgerBalance {
  @Key('ledger_balances')
  orgId!: string;

  @Key('ledger_balances')
  keyId!: string;

  @KeyTime('ledger_balances')
  at!: Date;

  @Usd()
  reservedUsd!: string;

  @Usd()
  spentUsd!: string;

  @Usd()
  overrunUsd!: string;
}
