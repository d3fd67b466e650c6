import { INACTIVE_CLUSTERS, OF_NO_INACTIVE_CLUSTER } from '../clusters/clusters.queries';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import { statement, type Statement, type Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';

export interface Filter {
  status?: string;
  namespace?: string;
  /** A part of the name; the case of ASCII letters does not matter. */
  name?: string;
  clusterId?: string;
  /** Whether rows may have capitals in their names. By default they may. */
  folded?: boolean;
}

/** Of all visible rows. */
export interface Summary {
  readonly statuses: string[];
  readonly namespaces: string[];
  /** Rows that pass a filter. */
  readonly total: number;
}

const valuesOf = (tx: Tx, { status, namespace, name, clusterId, folded = true }: Filter) => ({
  org_id: tx.orgId,
  status: status ?? null,
  namespace: namespace ?? null,
  name: likeContaining(name),
  cluster_id: clusterId ?? null,
  folded,
});

/** Which part of a list is shown. */
interface Sorted {
  sort: string;
  ascending: boolean;
  limit: number;
  offset: number;
  /** Id of the row behind which the page begins. */
  after?: string | undefined;
}

/**
 * For the transaction: names are compared in an index that has them. PostgreSQL would read the table, which
 * is many times larger: by default it takes a page of an index for four times as costly as a page that is
 * read in order (`random_page_cost`). No other process helps: to start one takes longer than to compare
 * 100,000 names.
 */
const COMPARE_IN_INDEX = statement(
  'compare-in-index',
  `
    select set_config('enable_seqscan', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`,
);

/** No further condition. */
const ALL = 'true';

/** Longer lists of named rows are read in the order of an index, and counted. */
const FEW_NAMED = 1_000;

/** A kind of resource. All its parts are constants of the code. */
interface Kind {
  readonly table: string;
  readonly status: string;
  readonly columns: string;
  /** Its rows name their node in `node_name`: those on a silent node are not visible. */
  readonly onNodes?: {
    /** A relation: `cluster_id` and `name` of each silent node. */
    readonly silent: string;
    /** Condition on a row: it is not on a silent node. */
    readonly isVisible: string;
  };
  /** Whether rows of the organisation `$org_id` have capitals in their names. Without it, they may. */
  readonly haveCapitals?: string;
  /** How many rows there are, by `cluster_id`, `status` and `namespace`: relations with `rows`. */
  readonly numbers: {
    readonly visible: string;
    /** Those that are not visible too. */
    readonly known: string;
  };
  readonly sorts: Readonly<Record<string, string>>;
  /** Names of sorts by a value that a row may lack. Such rows come last in either direction. */
  readonly nullable: readonly string[];
}

/**
 * The lists of one kind of resource, over the visible rows (aliased `r`): not deleted, in an active cluster,
 * and on no node or a live one. Or over all that are not deleted: `including`.
 */
export class ResourceListing {
  /** What a filter says of a row's name and namespace. */
  private readonly named: string;
  /** What it says of a row. */
  private readonly sought: string;
  private readonly visible: string;
  private readonly filtered: string;
  private readonly summed: Statement;
  private readonly capitals: Statement | undefined;
  private withSilent: ResourceListing | undefined;

  constructor(
    private readonly kind: Kind,
    private readonly hasSilent = false,
  ) {
    // Names in Kubernetes are ASCII. Not `ilike`, which folds by the rules of the locale, and the pattern for
    // each row. To fold names takes as long as all else, so it is left out if none has capitals. Row level
    // security keeps `like` from using an index.
    this.named = `
      r.org_id = $org_id and not r.deleted
        and ($namespace::text is null or r.namespace = $namespace)
        and ($name::text is null or case when $folded::boolean then lower(r.name collate "C")
          else r.name collate "C" end like lower($name::text collate "C"))`;
    this.sought = `
      ${this.named}
        and ($status::text is null or r.${kind.status} = $status)
        and ($cluster_id::uuid is null or r.cluster_id = $cluster_id)`;
    const visible = [OF_NO_INACTIVE_CLUSTER, ...(kind.onNodes ? [kind.onNodes.isVisible] : [])].join(' and ');
    this.visible = hasSilent ? 'true' : visible;
    this.filtered = `from ${kind.table} r where ${this.sought} and ${this.visible}`;
    // Prepared, as the next one: every list asks, and to plan it takes longer than to run it.
    this.capitals =
      kind.haveCapitals === undefined
        ? undefined
        : statement(`${kind.table}-capitals`, `select ${kind.haveCapitals} as folded`);
    this.summed = statement(
      `${kind.table}-summary${hasSilent ? '-with-silent' : ''}`,
      `
      with shown as materialized (${hasSilent ? kind.numbers.known : kind.numbers.visible})
      select
        array(select distinct status from shown order by 1 limit ${MAX_ROWS}) as statuses,
        array(select distinct namespace from shown order by 1 limit ${MAX_ROWS}) as namespaces,
        (
          select coalesce(sum(rows), 0)::bigint from shown
          where ($status::text is null or status = $status)
            and ($namespace::text is null or namespace = $namespace)
            and ($cluster_id::uuid is null or cluster_id = $cluster_id)
        ) as total`,
    );
  }

  /** @param silent whether rows of inactive clusters and on silent nodes are listed too */
  including(silent: boolean): ResourceListing {
    return silent && !this.hasSilent ? (this.withSilent ??= new ResourceListing(this.kind, true)) : this;
  }

  /**
   * A page of rows that a name or a further condition selects, and their total. Few rows are found once, then
   * sorted; otherwise an index has the order of the page, which begins soon.
   * @param condition and `values`: as of `page`
   */
  async pageOfSome<R extends object>(
    tx: Tx,
    filter: Filter,
    sorted: Sorted,
    condition = ALL,
    values: Values = {},
  ): Promise<{ rows: R[]; total: number }> {
    // On its own: a statement that makes settings is planned before they hold.
    await tx.prepared(COMPARE_IN_INDEX, {});
    const sought = { ...filter, folded: await this.mayHaveCapitals(tx) };
    const ids = await this.few(tx, sought, condition, values);
    if (!ids) {
      const rows = await this.page<R>(tx, sought, sorted, condition, values);
      return { rows, total: await this.countMany(tx, sought, condition, values) };
    }
    const isEmpty = ids.length === 0 && sorted.after === undefined;
    // Which of them are visible is known: the transaction sees the same snapshot.
    const known = this.including(true);
    const rows = isEmpty ? [] : await known.page<R>(tx, {}, sorted, 'r.id = any($ids::uuid[])', { ids });
    return { rows, total: ids.length };
  }

  private async mayHaveCapitals(tx: Tx): Promise<boolean> {
    if (!this.capitals) return true;
    const [row] = await tx.prepared<{ folded: boolean }>(this.capitals, { org_id: tx.orgId });
    return row?.folded ?? true;
  }

  /**
   * Ids of the visible rows that a filter and a condition select, if they are few. They are found by their
   * names alone first: the index of those is half as large as the one that has all that a list filters by.
   */
  private async few(tx: Tx, filter: Filter, condition: string, values: Values): Promise<string[] | undefined> {
    const all = { ...values, ...valuesOf(tx, filter) };
    if (filter.name !== undefined) {
      const [found] = await tx.query<{ ids: string[] | null }>(this.fewNamed(condition), all);
      if (found?.ids) return found.ids;
      // By nothing else would they be fewer, unless they are not visible: those are counted.
      if (filter.status === undefined && filter.clusterId === undefined && condition === ALL) return undefined;
    }
    // The name is compared first (`offset 0`): PostgreSQL would look the cluster and the node of every row up
    // before, which takes longer.
    const text = `
      select r.id from (select r.* from ${this.kind.table} r where ${this.sought} and ${condition} offset 0) r
      where ${this.visible} limit ${FEW_NAMED + 1}`;
    const found = await tx.query<{ id: string }>(text, all);
    return found.length > FEW_NAMED ? undefined : found.map(({ id }) => id);
  }

  /** One row: the ids of those that a filter and a condition select, or null if too many have such a name. */
  private fewNamed(condition: string): string {
    const { table } = this.kind;
    return `
      with named as materialized (
        select r.namespace, r.name from ${table} r where ${this.named} limit ${FEW_NAMED + 1}
      )
      select case when (select count(*) from named) <= ${FEW_NAMED} then array(
        select r.id from (select distinct namespace, name from named) n cross join lateral (
          select r.* from ${table} r
          where ${this.sought} and ${condition} and r.namespace = n.namespace and r.name = n.name offset 0
        ) r
        where ${this.visible}
      ) end as ids`;
  }

  /**
   * @param sort a name of `kind.sorts`; @param condition a further condition, whose parameters are in
   * `values`
   */
  async page<R extends object>(
    tx: Tx,
    filter: Filter,
    { sort, ascending, limit, offset, after }: Sorted,
    condition = ALL,
    values: Values = {},
  ): Promise<R[]> {
    const by = this.kind.sorts[sort] ?? 'r.name';
    const [direction, beyond] = ascending ? ['asc', '>'] : ['desc', '<'];
    // One direction is the reverse of the other, so that an index has both.
    const isNullable = this.kind.nullable.includes(sort);
    const order = `${by} ${direction}${isNullable ? ' nulls last' : ''}, r.id ${direction}`;
    const all = { ...values, ...valuesOf(tx, filter), limit, offset };
    if (after === undefined) return this.rows(tx, condition, order, all);
    const isBehindNull = await this.isNullAt(tx, by, after);
    const value = `(select ${by} from ${this.kind.table} r where r.org_id = $org_id and r.id = $after::uuid)`;
    const hasValueBehind = `(${by}, r.id) ${beyond} (${value}, $after::uuid)`;
    let behind = isNullable ? `(${hasValueBehind} or ${by} is null)` : hasValueBehind;
    if (isBehindNull) behind = `${by} is null and r.id ${beyond} $after::uuid`;
    return this.rows(tx, `${condition} and ${behind}`, order, { ...all, after });
  }

  /** Whether a row lacks what it is sorted by. It may be deleted meanwhile: its place stays. */
  private async isNullAt(tx: Tx, by: string, id: string): Promise<boolean> {
    const text = `
      select ${by} is null as is_null from ${this.kind.table} r
      where r.org_id = $org_id and r.id = $id`;
    const [row] = await tx.query<{ is_null: boolean }>(text, { org_id: tx.orgId, id });
    if (!row) throw invalidField('after', 'must be the id of a row of this list');
    return row.is_null;
  }

  /** Rows that meet a further condition, whose parameters are in `values`, by name. */
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

  /** The number of rows that meet a further condition, whose parameters are in `values`. */
  async count(tx: Tx, filter: Filter, condition = ALL, values: Values = {}): Promise<number> {
    const text = `select count(*) as total ${this.filtered} and ${condition}`;
    const [row] = await tx.query<{ total: number }>(text, { ...values, ...valuesOf(tx, filter) });
    return row?.total ?? 0;
  }

  /**
   * The same for very many rows. All are counted, and then those that are not visible, which are few: to look
   * the cluster and the node of each up takes longer than to compare its name.
   */
  private async countMany(tx: Tx, filter: Filter, condition: string, values: Values): Promise<number> {
    if (this.hasSilent) return this.count(tx, filter, condition, values);
    const { table, onNodes } = this.kind;
    const matching = (columns = ''): string =>
      `select ${columns} from ${table} r where ${this.sought} and ${condition}`;
    // Looked up for each cluster and name of a node alone (`offset 0`), as in `LISTED_PODS`.
    const hidden = [
      `(${INACTIVE_CLUSTERS}) c cross join lateral (${matching()} and r.cluster_id = c.id offset 0) hidden`,
    ];
    if (onNodes)
      hidden.push(`
        (select distinct name from (${onNodes.silent}) silent) n cross join lateral (
          ${matching('r.cluster_id, r.node_name')} and r.node_name between n.name and n.name offset 0
        ) hidden
        where (hidden.cluster_id, hidden.node_name) in (
          select r.cluster_id, r.name from (${onNodes.silent}) r where ${OF_NO_INACTIVE_CLUSTER}
        )`);
    const counted = [`(${matching()}) found`, ...hidden].map((from) => `(select count(*) from ${from})`);
    const text = `select ${counted.join(' - ')} as total`;
    const [row] = await tx.query<{ total: number }>(text, { ...values, ...valuesOf(tx, filter) });
    return row?.total ?? 0;
  }

  /** The numbers of rows by the value of an expression, without rows that have no value. */
  groups<V>(tx: Tx, expression: string): Promise<{ value: V; rows: number }[]> {
    const text = `
      select ${expression} as value, count(*) as rows ${this.filtered} and ${expression} is not null
      group by 1 order by 1 limit ${MAX_ROWS}`;
    return tx.query<{ value: V; rows: number }>(text, valuesOf(tx, {}));
  }

  /** What the visible rows have, whatever the filter, and how many rows pass it. It must have no name. */
  async summary(tx: Tx, { status, namespace, clusterId }: Omit<Filter, 'name'> = {}): Promise<Summary> {
    const { name: _none, ...values } = valuesOf(tx, { status, namespace, clusterId });
    const [row] = await tx.prepared<Summary & Record<string, unknown>>(this.summed, values);
    return row ?? { statuses: [], namespaces: [], total: 0 };
  }

  private rows<R extends object>(tx: Tx, condition: string, order: string, values: Values): Promise<R[]> {
    // The rows are read once it is known which: an index has what they are chosen by.
    const text = `
      select ${this.kind.columns}
      from (
        select r.id ${this.filtered} and ${condition}
        order by ${order} limit $limit offset $offset
      ) chosen
      join ${this.kind.table} r on r.org_id = $org_id and r.id = chosen.id
      order by ${order}`;
    return tx.query<R & Record<string, unknown>>(text, values);
  }
}

/** `Kind.numbers` of a table without numbers that are kept: its rows are counted, and groups are chosen. */
export function countedRows(table: string, status: string): Kind['numbers'] {
  const known = `
    select cluster_id, namespace, ${status} as status, count(*) as rows from ${table}
    where org_id = $org_id and not deleted group by cluster_id, namespace, ${status}`;
  const visible = `
  select r.cluster_id, r.namespace, r.status, r.rows
  from (${known}
  ) r
  where ${OF_NO_INACTIVE_CLUSTER}`;
  return { visible, known };
}
