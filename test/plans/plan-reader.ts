/** What PostgreSQL prints of a plan that it has run (`format json, analyze`), as far as it is read here. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
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
  /** It goes through a large table, or many rows of an index: no condition on an index equates `org_id`. */
  | { readonly kind: 'scans'; readonly table: string }
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

/** `org_id = …`, on either side, or one of several that are named. */
const EQUATES = /^(?:\w+\.)?"?org_id"? = |= (?:\w+\.)?"?org_id"?$/;

// Row level security is a choice (the organisation, or the service itself), so it is no such condition.
const namesOrganisation = (condition: string | undefined): boolean =>
  condition !== undefined && conjuncts(condition).some((part) => !part.includes(' OR ') && EQUATES.test(part));

/** Whether every way through the index begins at one organisation. */
function indexNamesOrganisation(node: PlanNode): boolean {
  const { 'Node Type': type, Plans: below = [] } = node;
  if (type === 'BitmapOr') return below.every(indexNamesOrganisation);
  if (type === 'BitmapAnd') return below.some(indexNamesOrganisation);
  if (type === 'Bitmap Heap Scan') return below.filter(isBitmap).some(indexNamesOrganisation);
  return namesOrganisation(node['Index Cond']);
}

/** An index of a condition that few rows meet (what is open) may be shorter than the way by the key. */
const FEW = 100;
const isIndexed = ({ 'Node Type': type }: PlanNode): boolean => /^(Index|Bitmap)/.test(type);

const isBitmap = ({ 'Node Type': type }: PlanNode): boolean => type.startsWith('Bitmap');

/** Rows that a node reached, over all its runs. */
const reached = (node: PlanNode): number =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  (node['Actual Loops'] ?? 1);

/** Aliases whose organisation is that of another row: what a join equates. */
function joined(node: PlanNode): string[] {
  const conditions = [node['Hash Cond'], node['Merge Cond'], node['Join Filter']];
  const pairs = conditions.flatMap((one) => (one === undefined ? [] : conjuncts(one)));
  return pairs.flatMap((pair) => {
    const [, left, right] = /^(\w+)\.org_id = (\w+)\.org_id$/.exec(pair) ?? [];
    return left === undefined || right === undefined ? [] : [left, right];
  });
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
  const visit = (node: PlanNode, ofJoins: readonly string[]): void => {
    const within = [...ofJoins, ...joined(node)];
    if (isScan(node) && (node.Schema ?? 'public') === 'public') {
      const name = node['Relation Name'] ?? '';
      const table = tables.partitions.get(name) ?? name;
      if (tables.ofOrganisations.has(table)) {
        const byIndex = indexNamesOrganisation(node);
        const named = byIndex || namesOrganisation(node.Filter) || within.includes(node.Alias ?? name);
        if (!named) note({ kind: 'crosses organisations', table });
        if (tables.large.has(table)) {
          const few = isIndexed(node) && reached(node) <= FEW;
          if (!byIndex && !few && node['Actual Loops'] !== 0) note({ kind: 'scans', table });
          rows.set(table, (rows.get(table) ?? 0) + reached(node));
        }
      }
    }
    for (const one of node.Plans ?? []) visit(one, within);
  };
  visit(plan, []);
  for (const [table, count] of rows) if (count > most) note({ kind: 'reads many rows', table, rows: count });
  return [...faults.values()];
}
