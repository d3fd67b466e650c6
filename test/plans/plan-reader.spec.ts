import { conjuncts, faultsOf, type PlanNode, type TableFacts } from './plan-reader';

const TABLES: TableFacts = {
  ofOrganisations: new Set(['pods', 'routes', 'metric_samples']),
  large: new Set(['pods', 'metric_samples']),
  partitions: new Map([['metric_samples_2026_01_01', 'metric_samples']]),
};
const MOST = 1_000;

/** What row level security adds to every read. */
const SECURITY = '((org_id = (InitPlan 1).col1) OR (InitPlan 2).col1)';
const BY_KEY = "((org_id = '0'::uuid) AND (id = $1))";

const scan = (type: string, table: string, rest: Partial<PlanNode> = {}): PlanNode => ({
  'Node Type': type,
  'Relation Name': table,
  Alias: table,
  'Actual Rows': 1,
  'Actual Loops': 1,
  ...rest,
});
const kinds = (plan: PlanNode): string[] => faultsOf(plan, TABLES, MOST).map(({ kind, table }) => `${kind}: ${table}`);

describe('the reader of plans', () => {
  it('accepts a row that is found by a key that begins with the organisation', () => {
    expect(kinds(scan('Index Scan', 'pods', { 'Index Cond': BY_KEY, Filter: SECURITY }))).toEqual([]);
    expect(kinds(scan('Index Only Scan', 'pods', { 'Index Cond': '(org_id = $1)' }))).toEqual([]);
    expect(kinds(scan('Index Scan', 'pods', { 'Index Cond': '((org_id = o.org_id) AND (id = o.pod_id))' }))).toEqual(
      [],
    );
  });

  it('accepts that a small table is read whole, if only rows of the organisation count', () => {
    expect(kinds(scan('Seq Scan', 'routes', { Filter: `(${SECURITY} AND (org_id = $1))` }))).toEqual([]);
  });

  it('reports a read that only row level security bounds', () => {
    expect(kinds(scan('Seq Scan', 'routes', { Filter: SECURITY }))).toEqual(['crosses organisations: routes']);
    expect(kinds(scan('Index Scan', 'pods', { 'Index Cond': '(id = $1)', Filter: SECURITY }))).toEqual([
      'crosses organisations: pods',
    ]);
  });

  it('reports a read whose organisation is one of several conditions of which one suffices', () => {
    const either = '((org_id = $1) OR (id = $2))';
    expect(kinds(scan('Seq Scan', 'routes', { Filter: `(${either} AND enabled)` }))).toEqual([
      'crosses organisations: routes',
    ]);
    expect(kinds(scan('Index Scan', 'pods', { 'Index Cond': '(name = $1)', Filter: either }))).toEqual([
      'crosses organisations: pods',
    ]);
  });

  it('reports a scan of a large table, also below other steps and in a partition', () => {
    const filter = { Filter: '(org_id = $1)' };
    const below = (plan: PlanNode): PlanNode => ({
      'Node Type': 'Limit',
      Plans: [{ 'Node Type': 'Sort', Plans: [plan] }],
    });
    expect(kinds(below(scan('Seq Scan', 'pods', filter)))).toEqual(['scans: pods']);
    expect(kinds(below(scan('Seq Scan', 'metric_samples_2026_01_01', filter)))).toEqual(['scans: metric_samples']);
    expect(kinds(scan('Seq Scan', 'pods', { ...filter, 'Actual Loops': 0 }))).toEqual([]);
  });

  it('accepts that a partition without rows is read without its index, and no table without partitions', () => {
    const none = { Filter: '(org_id = $1)', 'Actual Rows': 0 };
    const other = scan('Index Scan', 'metric_samples_2026_01_01', { 'Index Cond': '(org_id = $1)' });
    const beside = (more: Partial<PlanNode>) =>
      kinds({
        'Node Type': 'Append',
        Plans: [scan('Seq Scan', 'metric_samples_2026_01_01', { ...none, ...more }), other],
      });
    expect(beside({})).toEqual([]);
    expect(beside({ 'Rows Removed by Filter': 1 })).toEqual(['scans: metric_samples']);
    expect(beside({ Filter: SECURITY })).toEqual(['crosses organisations: metric_samples']);
    // Nothing shows that it has an index.
    expect(kinds(scan('Seq Scan', 'metric_samples_2026_01_01', none))).toEqual(['scans: metric_samples']);
    expect(kinds(scan('Seq Scan', 'pods', none))).toEqual(['scans: pods']);
  });

  it('accepts rows of a large table that are reached by their places', () => {
    expect(kinds(scan('Tid Scan', 'pods', { Filter: '(org_id = $1)' }))).toEqual([]);
    expect(kinds(scan('Tid Scan', 'pods', { Filter: SECURITY }))).toEqual(['crosses organisations: pods']);
    expect(kinds(scan('Tid Range Scan', 'pods', { Filter: '(org_id = $1)' }))).toEqual(['scans: pods']);
  });

  it('reports a way through many rows of an index that does not begin with the organisation', () => {
    const through = (rows: number) =>
      kinds(scan('Index Scan', 'pods', { Filter: '(org_id = $1)', 'Rows Removed by Filter': rows }));
    expect(through(10)).toEqual([]);
    expect(through(500)).toEqual(['scans: pods']);
  });

  it('reports many rows that are found by an index whose conditions do not name the organisation', () => {
    const aged = { Filter: '(org_id = $1)', 'Index Cond': '(seen_at < $2)' };
    const unbounded: PlanNode = { 'Node Type': 'Bitmap Index Scan', 'Index Name': 'pods_by_time_idx' };
    const bounded: PlanNode = { ...unbounded, 'Index Cond': '(seen_at < $2)' };
    const over = (...below: PlanNode[]) =>
      kinds(scan('Bitmap Heap Scan', 'pods', { Filter: '(org_id = $1)', 'Actual Rows': 500, Plans: below }));
    const choice = (type: string): PlanNode => ({ 'Node Type': type, Plans: [bounded, unbounded] });
    expect(kinds(scan('Index Scan', 'pods', { ...aged, 'Actual Rows': 10 }))).toEqual([]);
    expect(kinds(scan('Index Scan', 'pods', { ...aged, 'Actual Rows': 500 }))).toEqual(['goes by another key: pods']);
    expect(over(bounded)).toEqual(['goes by another key: pods']);
    expect(over(unbounded)).toEqual(['scans: pods']);
    expect(over(choice('BitmapAnd'))).toEqual(['goes by another key: pods']);
    expect(over(choice('BitmapOr'))).toEqual(['scans: pods']);
  });

  it('reports many rows that were reached, also in many loops, and whatever was returned of them', () => {
    const key = { 'Index Cond': '(org_id = $1)' };
    const many = ['reads many rows: pods'];
    expect(kinds(scan('Index Scan', 'pods', { ...key, 'Actual Rows': MOST }))).toEqual([]);
    expect(kinds(scan('Index Scan', 'pods', { ...key, 'Actual Rows': MOST + 1 }))).toEqual(many);
    expect(kinds(scan('Index Scan', 'pods', { ...key, 'Rows Removed by Filter': MOST }))).toEqual(many);
    expect(kinds(scan('Index Scan', 'pods', { ...key, 'Actual Rows': 2, 'Actual Loops': MOST }))).toEqual(many);
  });

  it('accepts bitmaps only if every choice names the organisation', () => {
    const bitmap = (condition: string): PlanNode => ({ 'Node Type': 'Bitmap Index Scan', 'Index Cond': condition });
    const heap = (type: string, ...plans: PlanNode[]) =>
      kinds(scan('Bitmap Heap Scan', 'pods', { Plans: [{ 'Node Type': type, Plans: plans }] }));
    const [named, unnamed] = [bitmap('((org_id = $1) AND (name = $2))'), bitmap('(uid = $2)')];
    expect(heap('BitmapOr', named, named)).toEqual([]);
    expect(heap('BitmapAnd', named, unnamed)).toEqual([]);
    expect(heap('BitmapOr', named, unnamed)).toEqual(['crosses organisations: pods']);
  });

  it('accepts a table whose organisation a join equates with that of another row, if it is small', () => {
    const joined = (condition: string): PlanNode => ({
      'Node Type': 'Hash Join',
      'Hash Cond': condition,
      Plans: [scan('Index Scan', 'pods', { 'Index Cond': BY_KEY }), scan('Seq Scan', 'routes', { Filter: SECURITY })],
    });
    expect(kinds(joined('((pods.org_id = routes.org_id) AND (pods.id = routes.pod_id))'))).toEqual([]);
    expect(kinds(joined('(pods.id = routes.pod_id)'))).toEqual(['crosses organisations: routes']);
  });

  it('reports both tables of a join of which neither names an organisation', () => {
    const sides = [scan('Seq Scan', 'metric_samples', { Alias: 's' }), scan('Seq Scan', 'routes', { Alias: 'r' })];
    const plan = { 'Node Type': 'Hash Join', 'Hash Cond': '((s.org_id = r.org_id) AND (s.id = r.id))', Plans: sides };
    expect(kinds(plan)).toEqual([
      'crosses organisations: metric_samples',
      'scans: metric_samples',
      'crosses organisations: routes',
    ]);
  });

  it('reports reads for each of all organisations, or for a list of them', () => {
    const of = (organisations: Partial<PlanNode>): string[] =>
      kinds({
        'Node Type': 'Nested Loop',
        Plans: [
          scan('Seq Scan', 'organisations', { Alias: 'o', ...organisations }),
          scan('Index Scan', 'pods', { 'Index Cond': '(org_id = o.id)' }),
        ],
      });
    expect(of({})).toEqual(['crosses organisations: pods']);
    expect(of({ Filter: '(id = $1)' })).toEqual([]);
    expect(kinds(scan('Index Scan', 'pods', { 'Index Cond': '(org_id = ANY ($1))' }))).toEqual([
      'crosses organisations: pods',
    ]);
  });

  it('accepts rows whose organisation another row names, over several joins', () => {
    const plan = {
      'Node Type': 'Nested Loop',
      Plans: [
        scan('Index Scan', 'pods', { Alias: 'a', 'Index Cond': '(org_id = $1)' }),
        scan('Index Scan', 'pods', { Alias: 'b', 'Index Cond': '(org_id = a.org_id)' }),
        scan('Index Scan', 'routes', { Alias: 'c', 'Index Cond': '((org_id = b.org_id) AND (id = b.id))' }),
      ],
    };
    expect(kinds(plan)).toEqual([]);
  });

  it('knows nothing of tables without an organisation, and of the tables of the queue', () => {
    expect(kinds(scan('Seq Scan', 'organisations'))).toEqual([]);
    expect(kinds(scan('Seq Scan', 'pods', { Schema: 'pgboss' }))).toEqual([]);
  });
});

describe('the conditions of a plan', () => {
  it.each([
    ['(org_id = $1)', ['org_id = $1']],
    ['((org_id = $1) AND (id = $2))', ['org_id = $1', 'id = $2']],
    ["((org_id = $1) AND (name = ' AND (x'::text))", ['org_id = $1', "name = ' AND (x'::text"]],
    ['((NOT deleted) AND ((a = 1) OR (b = 2)))', ['NOT deleted', '(a = 1) OR (b = 2)']],
    ['((a = 1) OR ((b = 2) AND (c = 3)))', ['(a = 1) OR ((b = 2) AND (c = 3))']],
  ])('are split where all must hold: %s', (condition, parts) => {
    expect(conjuncts(condition)).toEqual(parts);
  });
});
