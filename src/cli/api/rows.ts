import type { Kind } from '../kinds/kind';
import { CliFailure, EXIT, missing, NOT_FOUND } from '../failures';
import type { Query, Service } from './service';

/** Rows that are looked through for a name, where the API has no parameter for it. */
const SEARCHED = 5_000;
/** Candidates that a message names. */
const NAMED = 10;

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Shorter texts are names only. */
const PREFIX = /^[0-9a-f][0-9a-f-]{3,}$/i;

export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** There are more than were asked for. */
  readonly more: boolean;
}

/** All rows of a list, page by page, up to a limit. */
export async function rowsOf<Row>(
  service: Service,
  kind: Kind<Row>,
  filters: Query,
  limit: number,
): Promise<Rows<Row>> {
  const rows: Row[] = [];
  for (let query: Query | undefined = { ...filters, limit }; query !== undefined;) {
    const page: { readonly rows: readonly Row[]; readonly next: Query | undefined } = await kind.page(service, query);
    rows.push(...page.rows);
    if (rows.length >= limit) return { rows: rows.slice(0, limit), more: rows.length > limit || !!page.next };
    query = page.next && { ...page.next, limit: limit - rows.length };
  }
  return { rows, more: false };
}

/**
 * The one thing that has this name or id, or whose id begins so. A name may be preceded by its namespace.
 * @throws CliFailure if there is none, or more than one
 */
export async function oneOf<Row>(service: Service, kind: Kind<Row>, text: string, filters: Query = {}): Promise<Row> {
  const found = await matching(service, kind, text, filters);
  const [first, second] = found;
  if (first === undefined)
    throw missing(`There is no ${kind.name} ${text}.`, `"ccp get ${kind.plural}" shows what there is.`);
  if (second === undefined) return first;
  const named = found.slice(0, NAMED).map((row) => candidate(kind, row));
  if (found.length > NAMED) named.push(`${found.length - NAMED} more`);
  throw new CliFailure({
    code: 'ambiguous',
    message: `${found.length} ${kind.plural} match ${text}: ${named.join(', ')}.`,
    exit: EXIT.usage,
    remedy: 'Name one by its id, or narrow it down by the filters that "--help" shows.',
  });
}

/** Like `oneOf`; undefined if there is none. */
export async function oneIfAny<Row>(service: Service, kind: Kind<Row>, text: string): Promise<Row | undefined> {
  try {
    return await oneOf(service, kind, text);
  } catch (error) {
    if (error instanceof CliFailure && error.facts.code === NOT_FOUND) return undefined;
    throw error;
  }
}

async function matching<Row>(service: Service, kind: Kind<Row>, text: string, filters: Query): Promise<readonly Row[]> {
  const { byId, byName } = kind;
  if (byId !== undefined && UUID.test(text)) {
    const { rows } = await rowsOf(service, kind, { ...filters, [byId]: text }, SEARCHED);
    if (rows.length > 0) return rows;
  }
  const slash = text.lastIndexOf('/');
  const name = slash < 0 ? text : text.slice(slash + 1);
  const exactly = (rows: readonly Row[]): readonly Row[] =>
    rows.filter(
      (row) =>
        kind.id(row) === text ||
        (kind.label(row) === name && (slash < 0 || kind.namespace(row) === text.slice(0, slash))),
    );
  if (byName !== undefined) {
    const { rows } = await rowsOf(service, kind, { ...filters, [byName]: name }, SEARCHED);
    const exact = kind.hidesNames ? rows : exactly(rows);
    if (exact.length > 0 || !PREFIX.test(text)) return exact;
  }
  const { rows } = await rowsOf(service, kind, filters, SEARCHED);
  const exact = exactly(rows);
  const isPrefix = exact.length === 0 && PREFIX.test(text);
  return isPrefix ? rows.filter((row) => kind.id(row).startsWith(text.toLowerCase())) : exact;
}

/** A row in a list of candidates. */
function candidate<Row>(kind: Kind<Row>, row: Row): string {
  const [namespace, label] = [kind.namespace(row), kind.label(row)];
  if (label === undefined) return kind.id(row);
  return `${namespace === undefined ? '' : `${namespace}/`}${label} (${kind.id(row)})`;
}
