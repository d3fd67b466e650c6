import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';

// Whoever has written an entry holds a lock on its partition until the commit. So once nobody has one, all
// entries before a partition that began a while ago can be seen. The clocks of the database and of this
// process must both have passed that: a balance at a later moment would count what is yet to be spent.
const NEWEST = statement(
  'ledger-newest-partition',
  `
    with partition as materialized (select * from partitions_of('ledger_entries'))
    select max(p.since) as since from partition p
    where p.since <= least(clock_timestamp(), $now::timestamptz) - interval '10 minutes' and not exists (
      select from partition b join pg_locks l on l.relation = to_regclass(b.name)
      join pg_database d on d.oid = l.database
      where b.ends <= p.since and d.datname = current_database() and l.mode = 'RowExclusiveLock'
    )`,
);

/**
 * Where the newest partition of the ledger began before which nobody writes an entry any more.
 * @param now by the clock of this process
 */
export async function newestBeginning(tx: Tx, now: Date): Promise<Date | undefined> {
  const [row] = await tx.prepared<{ since: Date | null }>(NEWEST, { now });
  return row?.since ?? undefined;
}

/** A key that was made later has no entries before, so its balance is 0. */
const WITHOUT_BALANCE = `
  k.created_at < $at and not exists (
    select from ledger_balances b where b.org_id = k.org_id and b.key_id = k.id and b.at = $at
  )`;

const UNBALANCED = statement(
  'ledger-unbalanced-organisations',
  `
    select o.id from organisations o
    where exists (select from inference_keys k where k.org_id = o.id and ${WITHOUT_BALANCE}) order by o.id`,
);

/** Organisations with keys whose balance at a moment is missing. For all organisations. */
export const unbalancedOrganisations = async (tx: Tx, at: Date): Promise<string[]> =>
  (await tx.prepared<{ id: string }>(UNBALANCED, { at })).map(({ id }) => id);

// A key's counters are the sums of all its entries. So its balance is what remains of them without the
// entries since: of these there are few, as it is taken soon. One statement sees both at one moment.
const TAKE = statement(
  'ledger-balances-take',
  `
    insert into ledger_balances (org_id, key_id, at, reserved_usd, spent_usd, overrun_usd)
    select k.org_id, k.id, $at, k.reserved_usd - coalesce(since.reserved_usd, 0),
      k.spent_usd - coalesce(since.spent_usd, 0), k.overrun_usd - coalesce(since.overrun_usd, 0)
    from inference_keys k left join (
      select key_id, sum(reserved_usd) as reserved_usd, sum(spent_usd) as spent_usd,
        sum(overrun_usd) as overrun_usd
      from ledger_entries where org_id = $org_id and occurred_at >= $at group by key_id
    ) since on since.key_id = k.id
    where k.org_id = $org_id and ${WITHOUT_BALANCE}
    on conflict (org_id, key_id, at) do nothing`,
);

/** Takes the balances of keys that have none at this moment. */
export async function takeBalances(tx: Tx, at: Date): Promise<void> {
  await tx.prepared(TAKE, { org_id: tx.orgId, at });
}
