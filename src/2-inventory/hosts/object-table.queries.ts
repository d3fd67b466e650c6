import type { EntityTarget } from 'typeorm';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { OrgRow } from '../../1-platform/database/rows/scoped-store';
import { statement, type Statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';

interface Shape<Column extends string, Filter extends string> {
  /** Columns beside key and object, read from the object. */
  readonly columns?: readonly Column[];
  /** Columns by which lists are filtered, with their types. */
  readonly filters: Readonly<Record<Filter, 'text' | 'uuid'>>;
  /** The order of lists; the key comes last, so that the order is unique. */
  readonly order: string;
}

interface ObjectRow extends OrgRow {
  id: string;
}

/** Statements of a table of stored objects with the columns `org_id`, `id`, `object` and `object_bytes`. */
export class ObjectTable<T extends object, Filter extends string, Column extends string = never> {
  private readonly filters: readonly Filter[];
  private readonly upsert: Statement;
  private readonly select: string;

  /** All parts are constants of the code. */
  constructor(
    private readonly entity: EntityTarget<ObjectRow>,
    table: string,
    { columns = [], filters, order }: Shape<Column, Filter>,
  ) {
    this.filters = Object.keys(filters) as Filter[];
    const written = ['object', 'object_bytes', ...columns];
    const own = columns.map((name) => `$${name}`);
    this.upsert = statement(
      `${table}-put`,
      `
        insert into ${table} (org_id, id, ${written.join(', ')})
        values
          (${['$org_id', '$id', '$object::text::json', 'octet_length($object::text)', ...own].join(', ')})
        on conflict (org_id, id) do update
          set ${written.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    );
    const conditions = Object.entries<string>(filters).map(
      ([name, type]) => `and ($any_${name}::${type}[] is null or ${name} = any($any_${name}))`,
    );
    // The size is a column of its own: to measure objects here, PostgreSQL would read all of them for one
    // page.
    this.select = boundedPage({
      as: 'o',
      found: `
        select * from ${table} where org_id = $org_id ${conditions.join(' ')}
        order by ${order} limit $limit offset $offset`,
      bytes: 'o.object_bytes',
      order,
      columns: 'o.object',
    });
  }

  /** Creates the row or replaces it, also under concurrent writes. */
  async put(tx: Tx, id: string, object: T, columns: Record<Column, unknown>): Promise<void> {
    await tx.prepared(this.upsert, { ...columns, org_id: tx.orgId, id, object: JSON.stringify(object) });
  }

  /** @returns whether the row existed */
  async delete(tx: Tx, id: string): Promise<boolean> {
    return (await tx.store(this.entity).delete({ id })) > 0;
  }

  /** @param filters missing ones do not filter */
  async list(tx: Tx, filters: Partial<Record<Filter, readonly string[]>>, slice: Slice): Promise<Page<T>> {
    const any = Object.fromEntries(this.filters.map((name) => [`any_${name}`, filters[name] ?? null]));
    const values = { ...any, org_id: tx.orgId, ...rowsOf(slice) };
    return (await readPage<{ object: T }>(tx, this.select, values, slice)).map(({ object }) => object);
  }
}
