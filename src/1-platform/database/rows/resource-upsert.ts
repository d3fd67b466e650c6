import { jsonParts, withIds } from './json-parts';
import { statement, type Statement } from '../transactions/statement';
import type { Tx } from '../transactions/tx';

/** A row that a cluster told, keyed by text columns, with the version that orders what is told of it. */
export interface ToldRow {
  readonly uid: string;
  readonly resource_version: string | null;
}

export interface Stored {
  readonly id: string;
  /** False when what is stored was told later, or is the same version. */
  readonly changed: boolean;
}

/**
 * Writes what clusters tell, many rows a statement, and keeps the newest: a row of an older
 * resourceVersion changes nothing. A version cannot be compared when one side has none or when the object
 * was made anew under its name; then what is told last stands.
 */
export class ResourceUpsert<Row extends ToldRow> {
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
    this.known = statement(
      `${table}-known`,
      `
        select ${keys.map((key) => `told.${key}`).join(', ')}, s.id,
          s.uid = told.uid and s.resource_version >= told.resource_version as current
        from json_to_recordset($rows::json)
          as told(${recordset([...new Set([...keys, 'uid', 'resource_version'])])})
        join ${table} s on s.org_id = $org_id and s.cluster_id = $cluster_id and ${match('s', 'told')}`,
    );
    this.write = statement(
      `${table}-write`,
      `
        insert into ${table} as stored (org_id, cluster_id, id, ${names.join(', ')})
        select $org_id, $cluster_id, told.id, ${names.map((name) => `told.${name}`).join(', ')}
        from json_to_recordset($rows::json) as told(id uuid, ${recordset(names)})
        on conflict (org_id, cluster_id, ${keys.join(', ')}) do update
          set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, synced_at = clock_timestamp()
          where stored.uid <> excluded.uid
            or stored.resource_version is null or excluded.resource_version is null
            or stored.resource_version < excluded.resource_version
        returning id, ${keys.join(', ')}`,
    );
  }

  /** @returns by key (see `keyOf`) what is stored now */
  async apply(tx: Tx, clusterId: string, told: readonly Row[]): Promise<Map<string, Stored>> {
    const newest = this.newest(told);
    const stored = await this.find(tx, clusterId, [...newest.values()]);
    // Sorted, so that two syncs that overlap take their locks in one order.
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
    // A newer version was written by another sync between the two statements: its row is the answer.
    const missed = outdated.filter((row) => !writtenKeys.has(this.keyOf(row)));
    if (missed.length > 0)
      for (const [key, row] of await this.find(tx, clusterId, missed)) stored.set(key, { ...row, changed: false });
    return stored;
  }

  keyOf(row: Pick<Row, keyof Row & string>): string {
    return this.keys.map((key) => String(row[key])).join('\0');
  }

  private async find(tx: Tx, clusterId: string, rows: readonly Row[]): Promise<Map<string, Stored>> {
    const told = rows.map((row) => ({
      ...Object.fromEntries(this.keys.map((key) => [key, row[key]])),
      uid: row.uid,
      resource_version: row.resource_version,
    }));
    const found = await tx.prepared<Row & { id: string; current: boolean | null }>(this.known, {
      org_id: tx.orgId,
      cluster_id: clusterId,
      rows: JSON.stringify(told),
    });
    return new Map(found.map((row) => [this.keyOf(row), { id: row.id, changed: row.current !== true }]));
  }

  /** One row a key: a statement may touch a row once. */
  private newest(told: readonly Row[]): Map<string, Row> {
    const newest = new Map<string, Row>();
    for (const row of told) {
      const other = newest.get(this.keyOf(row));
      if (!other || !older(row, other)) newest.set(this.keyOf(row), row);
    }
    return newest;
  }
}

const older = (row: ToldRow, than: ToldRow): boolean =>
  row.uid === than.uid &&
  row.resource_version !== null &&
  than.resource_version !== null &&
  BigInt(row.resource_version) < BigInt(than.resource_version);
