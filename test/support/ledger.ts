import type pg from 'pg';

/** Contradictions between keys and their ledger, of which retention removes the beginning. */
const SUMS: Readonly<Record<string, string>> = {
  'its counters differ from its newest balance and the entries since': `
    select k.id, json_build_object('key', array[k.reserved_usd, k.spent_usd, k.overrun_usd], 'balance', b,
      'entries', array[l.reserved, l.spent, l.overrun])
    from inference_keys k
    left join lateral (
      select * from ledger_balances b where b.org_id = k.org_id and b.key_id = k.id order by b.at desc limit 1
    ) b on true
    cross join lateral (
      select coalesce(sum(e.reserved_usd), 0) as reserved, coalesce(sum(e.spent_usd), 0) as spent, coalesce(sum(e.overrun_usd), 0) as overrun
      from ledger_entries e where e.org_id = k.org_id and e.key_id = k.id and e.occurred_at >= coalesce(b.at, '-infinity')
    ) l
    where (k.reserved_usd - coalesce(b.reserved_usd, 0), k.spent_usd - coalesce(b.spent_usd, 0), k.overrun_usd - coalesce(b.overrun_usd, 0))
      is distinct from (l.reserved, l.spent, l.overrun)`,

  // Unless these have been dropped.
  'a balance differs from the one before and the entries between them': `
    select b.key_id, json_build_object('balance', b, 'entries', array[l.reserved, l.spent, l.overrun])
    from (
      select b.*, o.at as since, o.reserved_usd as old_reserved, o.spent_usd as old_spent, o.overrun_usd as old_overrun
      from ledger_balances b cross join lateral (
        select * from ledger_balances o where o.org_id = b.org_id and o.key_id = b.key_id and o.at < b.at order by o.at desc limit 1
      ) o
    ) b cross join lateral (
      select coalesce(sum(e.reserved_usd), 0) as reserved, coalesce(sum(e.spent_usd), 0) as spent, coalesce(sum(e.overrun_usd), 0) as overrun
      from ledger_entries e where e.org_id = b.org_id and e.key_id = b.key_id and e.occurred_at >= b.since and e.occurred_at < b.at
    ) l
    where b.since >= (select min(coalesce(p.since, '-infinity')) from partitions_of('ledger_entries') p)
      and (b.reserved_usd - b.old_reserved, b.spent_usd - b.old_spent, b.overrun_usd - b.old_overrun)
        is distinct from (l.reserved, l.spent, l.overrun)`,
};

/**
 * Contradictions that must never exist between keys and their money. Each statement returns the affected keys
 * and what was found.
 */
const FAULTS: Readonly<Record<string, string>> = {
  ...SUMS,

  'its reserved amount differs from the sum of its open authorizations': `
    select k.id as key_id, json_build_object('reserved', k.reserved_usd, 'open', open.usd) as seen
    from inference_keys k cross join lateral (
      select coalesce(sum(z.reserved_usd), 0) as usd from authorizations z
      where z.org_id = k.org_id and z.key_id = k.id and z.settled_at is null
    ) open
    where k.reserved_usd <> open.usd`,

  'the spent and reserved amounts exceed its budget': `
    select id, json_build_object('spent', spent_usd, 'reserved', reserved_usd, 'budget', budget_usd)
    from inference_keys where spent_usd + reserved_usd > budget_usd`,

  // Admissions of a key are serialised, so their entries are in order. A closing entry may precede those of
  // requests that came before it took effect: it releases at least as much as it spends, except for an
  // overrun, which is left out.
  'a request was admitted beyond its budget': `
    select e.key_id, json_build_object('position', e.position, 'sum', e.sum, 'budget', k.budget_usd)
    from (
      select *, sum(reserved_usd + spent_usd) over (partition by org_id, key_id order by position) as sum from ledger_entries
    ) e join inference_keys k on k.org_id = e.org_id and k.id = e.key_id
    where e.kind = 'reserve' and e.reserved_usd > 0 and e.sum > k.budget_usd`,

  'an authorization does not have exactly one reserving entry': `
    select z.key_id, json_build_object('authorization', z.id, 'entries', e.count)
    from authorizations z cross join lateral (
      select count(*) as count,
        count(*) filter (where e.key_id = z.key_id and e.reserved_usd = z.reserved_usd and e.spent_usd = 0 and e.overrun_usd = 0) as right
      from ledger_entries e where e.org_id = z.org_id and e.authorization_id = z.id and e.kind = 'reserve'
    ) e
    where (e.count, e.right) <> (1, 1)`,

  'an open authorization has a closing entry, or a closed one does not have exactly one': `
    select z.key_id, json_build_object('authorization', z.id, 'settled_at', z.settled_at, 'entries', e.count)
    from authorizations z cross join lateral (
      select count(*) as count from ledger_entries e where e.org_id = z.org_id and e.authorization_id = z.id and e.kind <> 'reserve'
    ) e
    where e.count <> case when z.settled_at is null then 0 else 1 end`,

  'an entry closes the wrong authorization, or with a wrong amount': `
    select z.key_id, json_build_object('authorization', z.id, 'resolved_at', z.resolved_at, 'reserved', z.reserved_usd, 'entry', e)
    from authorizations z join ledger_entries e on e.org_id = z.org_id and e.authorization_id = z.id and e.kind <> 'reserve'
    where e.key_id <> z.key_id or e.reserved_usd <> -z.reserved_usd or case e.kind
      when 'settle' then e.spent_usd < 0 or e.overrun_usd < 0 or e.spent_usd > z.reserved_usd or (e.overrun_usd > 0 and e.spent_usd <> z.reserved_usd)
      when 'release' then z.resolved_at is not null or e.spent_usd <> 0 or e.overrun_usd <> 0
      when 'charge' then z.resolved_at is null or e.spent_usd <> z.reserved_usd or e.overrun_usd <> 0
      else true end`,

  // One that was given back may have no usage.
  'a request was charged an amount that differs from its usage': `
    select z.key_id, json_build_object('authorization', z.id, 'kind', e.kind, 'charged', e.spent_usd + e.overrun_usd, 'used', u.cost_usd)
    from ledger_entries e join authorizations z on z.org_id = e.org_id and z.id = e.authorization_id
    left join usage_records u on u.org_id = z.org_id and u.request_id = z.request_id and u.key_id = z.key_id
    where e.kind <> 'reserve' and (e.kind <> 'release' or u.cost_usd is not null)
      and u.cost_usd is distinct from e.spent_usd + e.overrun_usd`,

  'it spent another amount than its usage costs': `
    select k.id, json_build_object('spent', k.spent_usd + k.overrun_usd, 'used', used.usd)
    from inference_keys k cross join lateral (
      select coalesce(sum(u.cost_usd), 0) as usd from usage_records u where u.org_id = k.org_id and u.key_id = k.id
    ) used
    where k.spent_usd + k.overrun_usd <> used.usd`,

  // The request id of an authorization that was released unused may be used again: the row gets a new id, and
  // both entries of the old one stay. The service deletes authorizations 7 days after their end.
  'an entry has no authorization': `
    select e.key_id, json_build_object('entry', e) from ledger_entries e
    where e.occurred_at > clock_timestamp() - interval '7 days'
      and not exists (select from authorizations z where z.org_id = e.org_id and z.id = e.authorization_id)
      and (select array_agg(o.kind::text order by o.kind::text) from ledger_entries o where o.org_id = e.org_id and o.authorization_id = e.authorization_id)
        is distinct from array['release', 'reserve']`,
};

interface LedgerFault {
  readonly fault: string;
  readonly key_id: string;
  readonly seen: object;
}

// One statement, so that it sees one moment: requests may be in progress.
const look = (faults: Readonly<Record<string, string>>): string =>
  Object.entries(faults)
    .map(([fault, found]) => `select '${fault}' as fault, key_id::text, seen from (${found}) as found(key_id, seen)`)
    .join('\nunion all\n');

/** The contradictions in the money of any key at this moment; there must never be one. */
export const ledgerFaults = async (db: Pick<pg.ClientBase, 'query'>): Promise<LedgerFault[]> =>
  (await db.query<LedgerFault>(look(FAULTS))).rows;

/** Those between keys and their ledger alone, for a database whose old requests are gone. */
export const sumFaults = async (db: Pick<pg.ClientBase, 'query'>): Promise<LedgerFault[]> =>
  (await db.query<LedgerFault>(look(SUMS))).rows;

/** Fails if the money of any key does not add up. */
export async function expectSoundLedger(db: Pick<pg.ClientBase, 'query'>): Promise<void> {
  expect(await ledgerFaults(db)).toEqual([]);
}

interface KeyMoney {
  readonly spent: number;
  readonly reserved: number;
  readonly overrun: number;
  /** Authorizations that are not settled. */
  readonly open: number;
  /** The number of ledger entries by kind. */
  readonly entries: Partial<Record<'reserve' | 'settle' | 'release' | 'charge', number>>;
}

const MONEY = `
  select k.spent_usd::float8 as spent, k.reserved_usd::float8 as reserved, k.overrun_usd::float8 as overrun,
    (select count(*)::int from authorizations z where z.key_id = k.id and z.settled_at is null) as open,
    coalesce((
      select json_object_agg(kind, count) from (select kind, count(*) from ledger_entries e where e.key_id = k.id group by kind) e
    ), '{}') as entries
  from inference_keys k where k.id = $1`;

/** The counters of a key, and the rows that they summarise. */
export async function moneyOf(db: Pick<pg.ClientBase, 'query'>, keyId: string): Promise<KeyMoney> {
  const { rows } = await db.query<KeyMoney>(MONEY, [keyId]);
  if (!rows[0]) throw new Error(`there is no key ${keyId}`);
  return rows[0];
}
