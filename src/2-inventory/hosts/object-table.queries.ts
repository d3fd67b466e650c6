import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage } from '../../1-platform/database/rows/bounded-page';
import type { Statement, Tx } from '../../1-platform/database/transactions/tx';

interface Shape<Column extends string> {
  /** Columns beside key and object, read from the object. */
  readonly columns?: readonly Column[];
  /** Columns that lists are narrowed down by, with their types. */
  readonly filters: Readonly<Record<string, 'text' | 'uuid'>>;
  /** Of lists; with the key last, so that no two rows are equal. */
  readonly order: string;
}

/** Statements of a table of kept objects with the columns `org_id`, `id`, `object` and `object_bytes`. */
export class ObjectTable<T extends object, Column extends string = never> {
  private readonly columns: readonly Column[];
  private readonly upsert: Statement;
  private readonly remove: Statement;
  private readonly select: string;

  /** Everything in constants of the code. */
  constructor(table: string, { columns = [], filters, order }: Shape<Column>) {
    this.columns = columns;
    const written = ['object', 'object_bytes', ...columns];
    this.upsert = {
      name: `${table}-put`,
      text: `
        insert into ${table} (org_id, id, ${written.join(', ')})
        values ($1, $2, $3::text::json, octet_length($3::text)${columns.map((_, index) => `, $${index + 4}`).join('')})
        on conflict (org_id, id) do update set ${written.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    };
    this.remove = {
      name: `${table}-delete`,
      text: `delete from ${table} where org_id = $1 and id = $2 returning id`,
    };
    const conditions = Object.entries(filters).map(
      ([name, type], index) => `and ($${index + 4}::${type}[] is null or ${name} = any($${index + 4}))`,
    );
    // The size is a column of its own: to measure an object here would be to read all of them for one page.
    this.select = boundedPage({
      as: 'o',
      found: `select * from ${table} where org_id = $1 ${conditions.join(' ')} order by ${order} limit $2 offset $3`,
      bytes: 'o.object_bytes',
      order,
      columns: 'o.object',
    });
  }

  /** Makes the row or replaces it, whoever else does so at the same time. */
  async put(tx: Tx, id: string, object: T, columns: Record<Column, unknown>): Promise<void> {
    const values = this.columns.map((name) => columns[name]);
    await tx.prepared(this.upsert, [tx.orgId, id, JSON.stringify(object), ...values]);
  }

  /** @returns whether there was such a row */
  async delete(tx: Tx, id: string): Promise<boolean> {
    return (await tx.prepared(this.remove, [tx.orgId, id])).length > 0;
  }

  /** @param filters as the table declares them; undefined asks for all */
  async list(tx: Tx, filters: readonly (readonly string[] | undefined)[], slice: Slice): Promise<Page<T>> {
    const values = [tx.orgId, slice.limit + 1, slice.offset, ...filters.map((ids) => ids ?? null)];
    return (await readPage<{ object: T }>(tx, this.select, values, slice)).map(({ object }) => object);
  }
}
