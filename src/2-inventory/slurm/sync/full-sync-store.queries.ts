import { jsonParts, withIds } from '../../../1-platform/database/rows/json-parts';
import { statement, type Statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { readAll, type RecordFailure } from '../values/slurm-record';
import { takeSyncLock } from './sync-lock';

/** A row with a name that is unique in its cluster. */
export interface NamedRow {
  readonly name: string;
}

/**
 * What happens to a row that is missing in a full sync: conditions and assignments of SQL, all constants of
 * the code.
 */
interface Missing {
  /** True for rows that are present: only these can go missing. */
  readonly present: string;
  readonly mark: string;
  /** The assignments for a row that is reported again; `stored` is the row before. */
  readonly unmark: string;
  readonly names?: ReusedNames;
}

/** For names that are used again: the old row stays, and a new row is created. */
interface ReusedNames {
  /** True for the current row of a name. */
  readonly current: string;
  /** True if the reported row (`reported`) is another thing than the stored one (`stored`). */
  readonly isOther: string;
  /** The assignments for such a stored row: it is no longer current. */
  readonly retire: string;
}

/** The records of a full sync, except those that could not be read. */
export interface ReportedSet<Row extends NamedRow> {
  readonly rows: readonly Row[];
  readonly failures: readonly RecordFailure[];
  /** Names of the records that could not be read: their rows stay unchanged. */
  readonly faultyNames: readonly string[];
  /** A record had no name. It may belong to any row, so no row counts as missing. */
  readonly nameless: boolean;
}

/** Reads in slices. @param read throws `RecordFault`; the name is in the member `name` */
export async function readSet<Row extends NamedRow>(
  records: readonly unknown[],
  read: (record: unknown) => Row,
): Promise<ReportedSet<Row>> {
  const { rows, failures } = await readAll(records, read);
  const names = failures.map(({ index }) => (records[index] as { name?: unknown } | null | undefined)?.name);
  const faultyNames = names.filter((name): name is string => typeof name === 'string' && isKeepable(name));
  return { rows, failures, faultyNames, nameless: faultyNames.length < names.length };
}

const isKeepable = (name: string): boolean => name !== '' && !name.includes('\0') && name.isWellFormed();

/** Stores what a cluster reports as a whole set: its nodes, its partitions, its reservations. */
export class FullSyncStore<Row extends NamedRow> {
  private readonly retire: Statement | undefined;
  private readonly write: Statement;
  private readonly miss: Statement;

  /** @param columns every reported column and its type, in constants of the code; `name` is among them */
  constructor(
    private readonly table: string,
    columns: Readonly<Record<keyof Row & string, string>>,
    missing: Missing,
  ) {
    const names = Object.keys(columns) as (keyof Row & string)[];
    const of = (row: string) => names.map((name) => `${row}.${name}`).join(', ');
    // JSON is compared as text.
    const compared = (row: string) =>
      names.map((name) => `${row}.${name}${columns[name] === 'json' ? '::text' : ''}`).join(', ');
    const typed = names.map((name) => `${name} ${columns[name]}`).join(', ');
    const reported = `json_to_recordset($rows::json) as reported(id uuid, ${typed})`;
    const { names: reused } = missing;
    this.retire =
      reused &&
      statement(
        `${table}-retire`,
        `
          update ${table} stored set ${reused.retire}
          from ${reported}
          where stored.org_id = $org_id and stored.cluster_id = $cluster_id and stored.name = reported.name
            and ${reused.current} and (${reused.isOther})`,
      );
    const isChanged = `(${compared('stored')}) is distinct from (${compared('excluded')})`;
    this.write = statement(
      `${table}-write`,
      `
        insert into ${table} as stored (org_id, cluster_id, id, ${names.join(', ')})
        select $org_id, $cluster_id, reported.id, ${of('reported')}
        from ${reported}
        on conflict (org_id, cluster_id, name) ${reused ? `where ${reused.current}` : ''} do update
          set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, ${missing.unmark}
          where not (${missing.present}) or ${isChanged}`,
    );
    this.miss = statement(
      `${table}-miss`,
      `
        update ${table} stored set ${missing.mark}
        where org_id = $org_id and cluster_id = $cluster_id and ${missing.present}
          and not exists (
            select from unnest($names::text[]) as reported(name) where reported.name = stored.name
          )`,
    );
  }

  /**
   * Stores the set. Of several records with one name, the last one counts. Of two concurrent syncs, the later
   * one wins.
   */
  async apply(tx: Tx, clusterId: string, { rows, faultyNames, nameless }: ReportedSet<Row>): Promise<void> {
    await takeSyncLock(tx, clusterId, this.table);
    const cluster = { org_id: tx.orgId, cluster_id: clusterId };
    const byName = new Map(rows.map((row) => [row.name, row]));
    for await (const { json } of jsonParts(withIds(byName.values()))) {
      const values = { ...cluster, rows: json };
      if (this.retire) await tx.prepared(this.retire, values);
      await tx.prepared(this.write, values);
    }
    if (!nameless) await tx.prepared(this.miss, { ...cluster, names: [...byName.keys(), ...faultyNames] });
  }
}
