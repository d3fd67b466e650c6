import type { QueryResultRow } from 'pg';
import { NIL } from 'uuid';
import { A_PAGE } from '../database/rows/oldest-rows';
import { someRow } from '../database/rows/some-row';
import { statement, type Statement } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';

/** Rows of a table that go once they are old. All texts are constants of a domain's `*.queries.ts`. */
export interface AgingRows {
  readonly table: string;
  /** The column that tells their age. An index begins with the organisation and this column. */
  readonly at: string;
  /** The condition of that index, if it holds some rows only. */
  readonly among?: string;
  /** The rest of the primary key, behind the organisation. */
  readonly key: Readonly<Record<string, KeyType>>;
  /**
   * Which of the old rows may go: a condition on the row `r`, with its organisation (`$org_id`) and the
   * moment before which rows are old (`$before`). What is still needed stays, however old it is.
   */
  readonly unneeded?: string;
  /** A change in the same statement, for what is counted over the rows that went (`gone`). */
  readonly counted?: string;
}

type KeyType = 'uuid' | 'text' | 'bigint';

/** A value that no key has, or that is the first one: the beginning of a walk. */
const FIRST: Readonly<Record<KeyType, string>> = { uuid: NIL, text: '', bigint: '0' };

/** Where a walk along the rows of an organisation has got to. */
type Place = Readonly<Record<string, unknown>>;

/** The statements that remove the old rows of one table. */
export class OldRowsOf {
  private readonly holders: Statement;
  private readonly removal: Statement;

  constructor(private readonly rows: AgingRows) {
    const { table, at, among = 'true', key, unneeded = 'true', counted } = rows;
    const names = Object.keys(key);
    const order = ['at', ...names];
    const of = (alias: string): string => names.map((name) => `${alias}.${name}`).join(', ');
    const behindKey = names.map((name) => `$after_${name}::${key[name]}`).join(', ');
    const isOld = `r.${at} < before.at and ${among}`;
    const anyOld = someRow(`from ${table} r where r.org_id = o.id and ${isOld}`, `r.${at}`);
    this.holders = statement(
      `old-rows-holders ${table}`,
      `
        select o.id as "orgId", before.at as before
        from organisations o, (select clock_timestamp() - make_interval(days => $days) as at) before
        where ${anyOld}
        order by o.id`,
    );
    // A page may hold rows that stay, so the next one begins behind it. Rows that another transaction has
    // locked wait for the next round. Its rows are looked up by their places: see `removalByPlace`.
    // `is true` hides the condition from the planner, which would take its index instead.
    this.removal = statement(
      `old-rows-remove ${table}`,
      `
        with page as materialized (
          select r.ctid as place, r.${at} as at, ${of('r')} from ${table} r
          where r.org_id = $org_id and r.${at} < $before and ${among}
            and (r.${at}, ${of('r')}) > ($after_at::timestamptz, ${behindKey})
          order by r.${at}, ${of('r')} limit ${A_PAGE}
        ), old as materialized (
          select r.ctid as place from ${table} r
          where r.org_id = $org_id and r.ctid = any(array(select place from page))
            and (r.${at} < $before and ${among}) is true and (${unneeded})
          for update of r skip locked
        ), gone as (
          delete from ${table} r where r.org_id = $org_id and r.ctid = any(array(select place from old))
          returning r.*
        )${counted === undefined ? '' : `, counted as (${counted})`}
        select ${of('page')}, page.at, counts.removed, counts.read = $limit as more
        from page, (
          select (select count(*) from page) as read, (select count(*) from gone) as removed
        ) counts
        order by ${order.map((name) => `page.${name} desc`).join(', ')} limit 1`,
    );
  }

  /** For all organisations: only for the service's own transactions. */
  async held(tx: Tx, days: number): Promise<Holder[]> {
    return tx.prepared<Holder & QueryResultRow>(this.holders, { days });
  }

  /**
   * Removes those of the next old rows of an organisation that may go. Triggers see that retention removes
   * them: what was counted stays counted.
   * @returns where to continue; undefined if there are no more
   */
  async remove(tx: Tx, before: Date, behind: Place | undefined, limit: number): Promise<Removed> {
    await tx.prepared(BY_RETENTION, {});
    const { key } = this.rows;
    const first = Object.fromEntries(Object.entries(key).map(([name, type]) => [name, FIRST[type]]));
    const after = behind ?? { at: '-infinity', ...first };
    const values = Object.fromEntries(Object.entries(after).map(([name, value]) => [`after_${name}`, value]));
    const [last] = await tx.prepared<QueryResultRow & { removed: number; more: boolean }>(this.removal, {
      org_id: tx.orgId,
      before,
      limit,
      ...values,
    });
    if (!last) return { removed: 0, place: undefined };
    const { removed, more, ...place } = last;
    return { removed, place: more ? place : undefined };
  }
}

/** An organisation with old rows, and the moment before which they are old. */
export interface Holder {
  readonly orgId: string;
  readonly before: Date;
}

export interface Removed {
  readonly removed: number;
  /** Undefined: the walk is at its end. */
  readonly place: Place | undefined;
}

// Until the transaction ends.
const BY_RETENTION = statement('old-rows-by-retention', "select set_config('app.retention', 'on', true)");
