/** What PostgreSQL prints of a plan that it has run (`format json, analyze`), as far as it is read here. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Schema?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Filter?: string;
  readonly 'Hash Cond'?: string;
  readonly 'Merge Cond'?: string;
  readonly 'Join Filter'?: string;
  readonly 'One-Time Filter'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** What the reader knows of the tables that plans name. */
export interface TableFacts {
  /** Tables with `org_id`. A partition stands for its table. */
  readonly ofOrganisations: ReadonlySet<string>;
  /** Those that were filled with many rows. */
  readonly large: ReadonlySet<string>;
  /** Names of partitions, with their table. */
  readonly partitions: ReadonlyMap<string, string>;
}

/** Why a plan does not stay at the rows that it needs in one organisation. */
export type Fault =
  /** It reads a table without naming the organisation: no condition of its own equates `org_id`. */
  | { readonly kind: 'crosses organisations'; readonly table: string }
  /** It goes through a large table, or through an index that no condition bounds. */
  | { readonly kind: 'scans'; readonly table: string }
  /** It finds many rows of a large table by conditions on an index of which none equates `org_id`. */
  | { readonly kind: 'goes by another key'; readonly table: string }
  /** It reached so many rows of a large table, whatever it returned of them. */
  | { readonly kind: 'reads many rows'; readonly table: string; readonly rows: number };

const isScan = ({ 'Relation Name': table, 'Node Type': type }: PlanNode): boolean =>
  table !== undefined && type.endsWith('Scan');

/** The depth of parentheses before each character; infinite within quotes. */
function depths(text: string): number[] {
  let [depth, quoted] = [0, false];
  return Array.from(text, (character) => {
    if (character === "'") quoted = !quoted;
    if (quoted || character === "'") return Infinity;
    return character === '(' ? depth++ : character === ')' ? --depth : depth;
  });
}

/** The conditions that must all hold: the parts of a text between ANDs that are in no inner parentheses. */
export function conjuncts(condition: string): string[] {
  const text = condition.trim();
  const depth = depths(text);
  const outer = (word: string): number[] =>
    [...depth.keys()].filter((at) => depth[at] === 0 && text.startsWith(word, at));
  // The parentheses around it all.
  if (text.startsWith('(') && outer(')')[0] === text.length - 1) return conjuncts(text.slice(1, -1));
  // A choice at this level is one condition, whatever it consists of.
  const ands = outer(' AND ');
  if (ands.length === 0 || outer(' OR ').length > 0) return [text];
  const from = [0, ...ands.map((at) => at + ' AND '.length)];
  return from.flatMap((since, place) => conjuncts(text.slice(since, ands[place])));
}

/** Whether the organisation of the rows behind an alias is named. */
type IsNamed = (alias: string) => boolean;

/** What a condition equates `org_id` with. */
function equated(part: string): string | undefined {
  // Row level security is a choice (the organisation, or the service itself), so it is no such condition.
  if (part.includes(' OR ')) return undefined;
  const [, after] = /^(?:\w+\.)?org_id = (.+)$/.exec(part) ?? [];
  const [, before] = /^(.+) = (?:\w+\.)?org_id$/.exec(part) ?? [];
  return after ?? before;
}

/** A list of organisations names none of them, and a column only if its own row does. */
function namesOrganisation(condition: string | undefined, isNamed: IsNamed): boolean {
  const others = condition === undefined ? [] : conjuncts(condition).map(equated);
  return others.some((other) => {
    if (other === undefined || other.startsWith('ANY ')) return false;
    const [, alias] = /^(\w+)\.\w+$/.exec(other) ?? [];
    return alias === undefined || isNamed(alias);
  });
}

/** Whether every way through the index begins at one organisation. */
function indexNamesOrganisation(node: PlanNode, isNamed: IsNamed): boolean {
  const { 'Node Type': type, Plans: below = [] } = node;
  const does = (one: PlanNode): boolean => indexNamesOrganisation(one, isNamed);
  if (type === 'BitmapOr') return below.every(does);
  if (type === 'BitmapAnd') return below.some(does);
  if (type === 'Bitmap Heap Scan') return below.filter(isBitmap).some(does);
  return namesOrganisation(node['Index Cond'], isNamed);
}

/** Whether every way through the index is bounded by a condition. */
function isBounded({ 'Node Type': type, 'Index Cond': condition, Plans: below = [] }: PlanNode): boolean {
  if (type === 'BitmapOr') return below.every(isBounded);
  if (/^Bitmap(And| Heap Scan)$/.test(type)) return below.some(isBounded);
  return condition !== undefined;
}

/** An index of a condition that few rows meet (what is open) may be shorter than the way by the key. */
const FEW = 100;
const isIndexed = ({ 'Node Type': type }: PlanNode): boolean => /^(Index|Bitmap)/.test(type);

const isBitmap = ({ 'Node Type': type }: PlanNode): boolean => type.startsWith('Bitmap');

/** It goes to the places of rows that another part of the statement has found. */
const isByPlace = ({ 'Node Type': type }: PlanNode): boolean => type === 'Tid Scan';

/** Rows that a node reached, over all its runs. */
const reached = (node: PlanNode): number =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  (node['Actual Loops'] ?? 1);

/**
 * A partition that is made ahead has no rows until its time comes. Once PostgreSQL has analysed it, to read
 * it as a whole costs nothing, so that a plan leaves out its index. That the statement has one is seen in
 * other partitions of the same plan.
 */
const isEmptyPartition = (node: PlanNode, { partitions }: TableFacts): boolean =>
  node['Node Type'] === 'Seq Scan' && partitions.has(node['Relation Name'] ?? '') && reached(node) === 0;

type Pair = readonly [string, string];

/** Aliases that a join equates by their organisation. */
function joined(node: PlanNode): Pair[] {
  const conditions = [node['Hash Cond'], node['Merge Cond'], node['Join Filter']];
  const parts = conditions.flatMap((one) => (one === undefined ? [] : conjuncts(one)));
  return parts.flatMap((part) => {
    const [, left, right] = /^(\w+)\.org_id = (\w+)\.org_id$/.exec(part) ?? [];
    return left === undefined || right === undefined ? [] : [[left, right] as const];
  });
}

interface Scan {
  readonly node: PlanNode;
  readonly alias: string;
  readonly table: string;
  /** Of the joins above it. */
  readonly pairs: readonly Pair[];
}

function scansOf(plan: PlanNode, partitions: TableFacts['partitions'], above: readonly Pair[] = []): Scan[] {
  const pairs = [...above, ...joined(plan)];
  const name = plan['Relation Name'] ?? '';
  const own = isScan(plan) && (plan.Schema ?? 'public') === 'public';
  const scan = { node: plan, alias: plan.Alias ?? name, table: partitions.get(name) ?? name, pairs };
  return [...(own ? [scan] : []), ...(plan.Plans ?? []).flatMap((one) => scansOf(one, partitions, pairs))];
}

/** The table of organisations: its rows are named by their ids. */
const ORGANISATIONS = 'organisations';
const NAMES_ITSELF = /^(?:\w+\.)?id = (?!ANY )(?!\w+\.\w+$)/;

/**
 * Scans that stay in organisations which the statement names: by a value of its own, or by a row that does.
 * Rows that it brings along (of a function, of values, of a part with a name) count as named: the scans
 * below that part are judged by themselves.
 */
function namedScans(scans: readonly Scan[], { ofOrganisations }: TableFacts): Set<Scan> {
  const named = new Set<Scan>();
  const relevant = scans.filter(({ table }) => table === ORGANISATIONS || ofOrganisations.has(table));
  const isNamed = (alias: string): boolean =>
    relevant.filter((one) => one.alias === alias).every((one) => named.has(one));
  const isNow = ({ node, alias, table, pairs }: Scan): boolean => {
    if (table === ORGANISATIONS)
      return [node['Index Cond'], node.Filter].some((one) =>
        conjuncts(one ?? '').some((part) => NAMES_ITSELF.test(part)),
      );
    const equals = pairs.flatMap(([left, right]) => (left === alias ? [right] : right === alias ? [left] : []));
    return (
      indexNamesOrganisation(node, isNamed) ||
      namesOrganisation(node.Filter, isNamed) ||
      equals.some((one) => isNamed(one))
    );
  };
  for (let before = -1; before !== named.size;) {
    before = named.size;
    for (const one of relevant) if (isNow(one)) named.add(one);
  }
  return named;
}

/**
 * Reads whether a plan stays within one organisation and shows it by its keys.
 *
 * @param most rows of a large table that a statement may reach
 */
export function faultsOf(plan: PlanNode, tables: TableFacts, most: number): Fault[] {
  const faults = new Map<string, Fault>();
  const rows = new Map<string, number>();
  const note = (fault: Fault): void => void faults.set(`${fault.kind} ${fault.table}`, fault);
  const scans = scansOf(plan, tables.partitions);
  const named = namedScans(scans, tables);
  const isByIndex = (node: PlanNode): boolean => isByPlace(node) || indexNamesOrganisation(node, () => true);
  const indexed = new Set(scans.filter(({ node }) => isByIndex(node)).map(({ table }) => table));
  for (const one of scans) {
    const { node, table } = one;
    if (!tables.ofOrganisations.has(table)) continue;
    if (!named.has(one)) note({ kind: 'crosses organisations', table });
    if (!tables.large.has(table)) continue;
    const few = isIndexed(node) && reached(node) <= FEW;
    const isNothing = node['Actual Loops'] === 0 || (indexed.has(table) && isEmptyPartition(node, tables));
    if (!isByIndex(node) && !few && !isNothing)
      note({ kind: isBounded(node) ? 'goes by another key' : 'scans', table });
    rows.set(table, (rows.get(table) ?? 0) + reached(node));
  }
  for (const [table, count] of rows) if (count > most) note({ kind: 'reads many rows', table, rows: count });
  return [...faults.values()];
}
