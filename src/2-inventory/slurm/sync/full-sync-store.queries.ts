import { jsonParts, withIds } from '../../../1-platform/database/rows/json-parts';
import { statement, type Statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { readAll, type RecordFailure } from '../values/slurm-record';
import { takeSyncLock } from './sync-lock';

/** A row that is known by its name within its cluster. */
export interface NamedRow {
  readonly name: string;
}

/**
 * What happens to a row that the cluster no longer tells of;
 * conditions and assignments of SQL, constants of the code.
 */
interface Missing {
  /** Holds of rows that are told of: only these go missing. */
  readonly present: string;
  readonly mark: string;
  /** What a row that is told again gets; `stored` is what it was. */
  readonly unmark: string;
  readonly names?: ReusedNames;
}

/** Where a name may come to stand for something else: then its row stays as it is, and a new one is made. */
interface ReusedNames {
  /** Holds of rows that stand for their name. */
  readonly current: string;
  /** Holds of a row, as `stored`, where what is told, as `told`, is something else. */
  readonly isOther: string;
  /** What such a row gets: it is current no longer. */
  readonly retire: string;
}

/** What a cluster told: the whole set, but for the records that could not be read. */
export interface ToldSet<Row extends NamedRow> {
  readonly rows: readonly Row[];
  readonly failures: readonly RecordFailure[];
  /** Names of the records that could not be read: their rows stay as they are. */
  readonly faultyNames: readonly string[];
  /** A record told no name: it may be of any row, so none is held to be missing. */
  readonly nameless: boolean;
}

/** In slices. @param read throws `RecordFault`; the name stands in the member `name` */
export async function readSet<Row extends NamedRow>(
  records: readonly unknown[],
  read: (record: unknown) => Row,
): Promise<ToldSet<Row>> {
  const { rows, failures } = await readAll(records, read);
  const names = failures.map(({ index }) => (records[index] as { name?: unknown } | null | undefined)?.name);
  const faultyNames = names.filter((name): name is string => typeof name === 'string' && isKeepable(name));
  return { rows, failures, faultyNames, nameless: faultyNames.length < names.length };
}

const isKeepable = (name: string): boolean => name !== '' && !name.includes('\0') && name.isWellFormed();

/** Keeps what a cluster tells as a whole set: its nodes, its partitions, its reservations. */
export class FullSyncStore<Row extends NamedRow> {
  private readonly retire: Statement | undefined;
  private readonly write: Statement;
  private readonly miss: Statement;

  /** @param columns every column that is told and its type, in constants of the code; `name` is among them */
  constructor(
    private readonly table: string,
    columns: Readonly<Record<keyof Row & string, string>>,
    missing: Missing,
  ) {
    const names = Object.keys(columns) as (keyof Row & string)[];
    const of = (row: string) => names.map((name) => `${row}.${name}`).join(', ');
    // JSON is compared as the text that it is.
    const compared = (row: string) =>
      names.map((name) => `${row}.${name}${columns[name] === 'json' ? '::text' : ''}`).join(', ');
    const typed = names.map((name) => `${name} ${columns[name]}`).join(', ');
    const told = `json_to_recordset($rows::json) as told(id uuid, ${typed})`;
    const { names: reused } = missing;
    this.retire =
      reused &&
      statement(
        `${table}-retire`,
        `
          update ${table} stored set ${reused.retire}
          from ${told}
          where stored.org_id = $org_id and stored.cluster_id = $cluster_id and stored.name = told.name
            and ${reused.current} and (${reused.isOther})`,
      );
    const isChanged = `(${compared('stored')}) is distinct from (${compared('excluded')})`;
    this.write = statement(
      `${table}-write`,
      `
        insert into ${table} as stored (org_id, cluster_id, id, ${names.join(', ')})
        select $org_id, $cluster_id, told.id, ${of('told')}
        from ${told}
        on conflict (org_id, cluster_id, name) ${reused ? `where ${reused.current}` : ''} do update
          set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, ${missing.unmark}
          where not (${missing.present}) or ${isChanged}`,
    );
    this.miss = statement(
      `${table}-miss`,
      `
        update ${table} stored set ${missing.mark}
        where org_id = $org_id and cluster_id = $cluster_id and ${missing.present}
          and not exists (select from unnest($names::text[]) as told(name) where told.name = stored.name)`,
    );
  }

  /**
   * Stores the set; of several records of one name the last stands. Of two syncs at once, the later one wins.
   */
  async apply(tx: Tx, clusterId: string, { rows, faultyNames, nameless }: ToldSet<Row>): Promise<void> {
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
