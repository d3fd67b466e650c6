import { jsonParts, withIds } from './json-parts';
import { statement, type Statement } from '../transactions/statement';
import type { Tx } from '../transactions/tx';

/** A reported row of a cluster, keyed by text columns, with the version that orders the reports on it. */
export interface ReportedRow {
  readonly uid: string;
  readonly resource_version: string | null;
}

export interface Stored {
  readonly id: string;
  /** False if the stored row is from a later report, or has the same version. */
  readonly changed: boolean;
}

/**
 * Writes reports of clusters, many rows in a statement, and keeps the newest: a row of an older
 * resourceVersion changes nothing. Two versions cannot be compared if one of them is missing, or if the
 * object was recreated under its name. Then the last report stays.
 */
export class ResourceUpsert<Row extends ReportedRow> {
  private readonly known: Statement;
  private readonly write: Statement;

  /** @param columns every column and its type, in constants of the code; the keys are among them */
  constructor(
    table: string,
    private readonly keys: readonly (keyof Row & string)[],
    columns: Readonly<Record<keyof Row & string, string>>,
  ) {
    const names = Object.keys(columns);
    const match = (left: string, right: string) => keys.map((key) => `${left}.${key} = ${right}.${key}`).join(' and ');
    const recordset = (column: readonly string[]) =>
      column.map((name) => `${name} ${columns[name as keyof Row & string]}`).join(', ');
    // Row by row (`offset 0`): while PostgreSQL has not analysed the table, it would read all of it.
    this.known = statement(
      `${table}-known`,
      `
        select ${keys.map((key) => `reported.${key}`).join(', ')}, s.id,
          s.uid = reported.uid and s.resource_version >= reported.resource_version as current
        from json_to_recordset($rows::json)
          as reported(${recordset([...new Set([...keys, 'uid', 'resource_version'])])})
        cross join lateral (
          select s.id, s.uid, s.resource_version from ${table} s
          where s.org_id = $org_id and s.cluster_id = $cluster_id and ${match('s', 'reported')} offset 0
        ) s`,
    );
    this.write = statement(
      `${table}-write`,
      `
        insert into ${table} as stored (org_id, cluster_id, id, ${names.join(', ')})
        select $org_id, $cluster_id, reported.id, ${names.map((name) => `reported.${name}`).join(', ')}
        from json_to_recordset($rows::json) as reported(id uuid, ${recordset(names)})
        on conflict (org_id, cluster_id, ${keys.join(', ')}) do update
          set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, synced_at = clock_timestamp()
          where stored.uid <> excluded.uid
            or stored.resource_version is null or excluded.resource_version is null
            or stored.resource_version < excluded.resource_version
        returning id, ${keys.join(', ')}`,
    );
  }

  /** @returns by key (see `keyOf`) what is stored now */
  async apply(tx: Tx, clusterId: string, reported: readonly Row[]): Promise<Map<string, Stored>> {
    const newest = this.newest(reported);
    const stored = await this.find(tx, clusterId, [...newest.values()]);
    // Sorted, so that two syncs with common rows take their locks in the same order.
    const keys = [...newest.keys()].filter((key) => stored.get(key)?.changed !== false).sort();
    if (keys.length === 0) return stored;
    const outdated = keys.flatMap((key) => newest.get(key) ?? []);

    const writtenKeys = new Set<string>();
    for await (const { json } of jsonParts(withIds(outdated))) {
      const written = await tx.prepared<Row & { id: string }>(this.write, {
        org_id: tx.orgId,
        cluster_id: clusterId,
        rows: json,
      });
      for (const row of written) {
        stored.set(this.keyOf(row), { id: row.id, changed: true });
        writtenKeys.add(this.keyOf(row));
      }
    }
    // Another sync wrote a newer version between the two statements: its row is the result.
    const missed = outdated.filter((row) => !writtenKeys.has(this.keyOf(row)));
    if (missed.length > 0)
      for (const [key, row] of await this.find(tx, clusterId, missed)) stored.set(key, { ...row, changed: false });
    return stored;
  }

  keyOf(row: Pick<Row, keyof Row & string>): string {
    return this.keys.map((key) => String(row[key])).join('\0');
  }

  private async find(tx: Tx, clusterId: string, rows: readonly Row[]): Promise<Map<string, Stored>> {
    const reported = rows.map((row) => ({
      ...Object.fromEntries(this.keys.map((key) => [key, row[key]])),
      uid: row.uid,
      resource_version: row.resource_version,
    }));
    const found = await tx.prepared<Row & { id: string; current: boolean | null }>(this.known, {
      org_id: tx.orgId,
      cluster_id: clusterId,
      rows: JSON.stringify(reported),
    });
    return new Map(found.map((row) => [this.keyOf(row), { id: row.id, changed: row.current !== true }]));
  }

  /** One row for each key: a statement may change a row once. */
  private newest(reported: readonly Row[]): Map<string, Row> {
    const newest = new Map<string, Row>();
    for (const row of reported) {
      const other = newest.get(this.keyOf(row));
      if (!other || !older(row, other)) newest.set(this.keyOf(row), row);
    }
    return newest;
  }
}

const older = (row: ReportedRow, than: ReportedRow): boolean =>
  row.uid === than.uid &&
  row.resource_version !== null &&
  than.resource_version !== null &&
  BigInt(row.resource_version) < BigInt(than.resource_version);
