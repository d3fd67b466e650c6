import { OF_ACTIVE_CLUSTER } from '../clusters/clusters.queries';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';

/** `%` and `_` of a search text mean themselves. */
export const likeContaining = (text: string | undefined): string | null =>
  text === undefined ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`;

export interface Filter {
  status?: string;
  namespace?: string;
  /** Part of the name, either case. */
  name?: string;
}

const filterValues = ({ status, namespace, name }: Filter): unknown[] => [
  status ?? null,
  namespace ?? null,
  likeContaining(name),
];

interface Sorted {
  sort: string;
  ascending: boolean;
  limit: number;
  offset: number;
}

/**
 * The lists of a kind of resource, over the rows (aliased `r`) that are worth showing: not deleted, and of an
 * active cluster. Everything glued together here is a constant of the code.
 */
export class ResourceListing {
  private readonly filtered: string;

  constructor(
    private readonly kind: {
      table: string;
      status: string;
      columns: string;
      condition: string;
      sorts: Readonly<Record<string, string>>;
    },
  ) {
    const visible = `from ${kind.table} r where r.org_id = $1 and not r.deleted and ${OF_ACTIVE_CLUSTER} and ${kind.condition}`;
    this.filtered = `${visible}
      and ($2::text is null or r.${kind.status} = $2) and ($3::text is null or r.namespace = $3) and ($4::text is null or r.name ilike $4)`;
  }

  /** @param sort a name of `kind.sorts`; @param condition one more, whose parameters begin with `$7` */
  page<R extends object>(
    tx: Tx,
    filter: Filter,
    { sort, ascending, limit, offset }: Sorted,
    condition = 'true',
    ...values: unknown[]
  ): Promise<R[]> {
    const order = this.kind.sorts[sort] ?? 'r.name';
    const statement = `select ${this.kind.columns} ${this.filtered} and ${condition} order by ${order} ${ascending ? 'asc' : 'desc'} nulls last, r.id limit $5 offset $6`;
    return tx.query<R & Record<string, unknown>>(statement, [
      tx.orgId,
      ...filterValues(filter),
      limit,
      offset,
      ...values,
    ]);
  }

  /** Rows for which one more condition holds; `value` is its parameter `$7`. */
  matching<R extends object>(
    tx: Tx,
    condition: string,
    value: unknown,
    filter: Filter,
    limit: number,
    offset: number,
  ): Promise<R[]> {
    const statement = `select ${this.kind.columns} ${this.filtered} and ${condition} order by r.name, r.id limit $5 offset $6`;
    return tx.query<R & Record<string, unknown>>(statement, [tx.orgId, ...filterValues(filter), limit, offset, value]);
  }

  /** @param condition one more, whose parameters begin with `$5` */
  async count(tx: Tx, filter: Filter, condition = 'true', ...values: unknown[]): Promise<number> {
    const statement = `select count(*) as total ${this.filtered} and ${condition}`;
    const [row] = await tx.query<{ total: number }>(statement, [tx.orgId, ...filterValues(filter), ...values]);
    return row?.total ?? 0;
  }

  /** Rows by the value of an expression, without those that have none. */
  groups<V>(tx: Tx, expression: string): Promise<{ value: V; rows: number }[]> {
    const statement = `select ${expression} as value, count(*) as rows ${this.filtered} and ${expression} is not null group by 1 order by 1 limit ${MAX_ROWS}`;
    return tx.query<{ value: V; rows: number }>(statement, [tx.orgId, null, null, null]);
  }

  statuses(tx: Tx): Promise<string[]> {
    return this.distinct(tx, `r.${this.kind.status}`);
  }

  namespaces(tx: Tx): Promise<string[]> {
    return this.distinct(tx, 'r.namespace');
  }

  private async distinct(tx: Tx, column: string): Promise<string[]> {
    return (await this.groups<string>(tx, column)).map(({ value }) => value);
  }
}
