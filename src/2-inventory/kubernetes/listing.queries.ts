import { OF_ACTIVE_CLUSTER } from '../clusters/clusters.queries';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import type { Values } from '../../1-platform/database/transactions/statement';
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

const valuesOf = (tx: Tx, { status, namespace, name }: Filter): Values => ({
  org_id: tx.orgId,
  status: status ?? null,
  namespace: namespace ?? null,
  name: likeContaining(name),
});

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
    this.filtered = `
      from ${kind.table} r
      where r.org_id = $org_id and not r.deleted and ${OF_ACTIVE_CLUSTER} and ${kind.condition}
        and ($status::text is null or r.${kind.status} = $status)
        and ($namespace::text is null or r.namespace = $namespace)
        and ($name::text is null or r.name ilike $name)`;
  }

  /** @param sort a name of `kind.sorts`; @param condition one more, whose parameters are in `values` */
  page<R extends object>(
    tx: Tx,
    filter: Filter,
    { sort, ascending, limit, offset }: Sorted,
    condition = 'true',
    values: Values = {},
  ): Promise<R[]> {
    const order = `${this.kind.sorts[sort] ?? 'r.name'} ${ascending ? 'asc' : 'desc'} nulls last, r.id`;
    return this.rows(tx, condition, order, { ...values, ...valuesOf(tx, filter), limit, offset });
  }

  /** Rows for which one more condition holds, whose parameters are in `values`. */
  matching<R extends object>(
    tx: Tx,
    condition: string,
    values: Values,
    filter: Filter,
    limit: number,
    offset: number,
  ): Promise<R[]> {
    return this.rows(tx, condition, 'r.name, r.id', { ...values, ...valuesOf(tx, filter), limit, offset });
  }

  /** @param condition one more, whose parameters are in `values` */
  async count(tx: Tx, filter: Filter, condition = 'true', values: Values = {}): Promise<number> {
    const text = `select count(*) as total ${this.filtered} and ${condition}`;
    const [row] = await tx.query<{ total: number }>(text, { ...values, ...valuesOf(tx, filter) });
    return row?.total ?? 0;
  }

  /** Rows by the value of an expression, without those that have none. */
  groups<V>(tx: Tx, expression: string): Promise<{ value: V; rows: number }[]> {
    const text = `
      select ${expression} as value, count(*) as rows ${this.filtered} and ${expression} is not null
      group by 1 order by 1 limit ${MAX_ROWS}`;
    return tx.query<{ value: V; rows: number }>(text, valuesOf(tx, {}));
  }

  statuses(tx: Tx): Promise<string[]> {
    return this.distinct(tx, `r.${this.kind.status}`);
  }

  namespaces(tx: Tx): Promise<string[]> {
    return this.distinct(tx, 'r.namespace');
  }

  private rows<R extends object>(tx: Tx, condition: string, order: string, values: Values): Promise<R[]> {
    const text = `
      select ${this.kind.columns} ${this.filtered} and ${condition}
      order by ${order} limit $limit offset $offset`;
    return tx.query<R & Record<string, unknown>>(text, values);
  }

  private async distinct(tx: Tx, column: string): Promise<string[]> {
    return (await this.groups<string>(tx, column)).map(({ value }) => value);
  }
}
