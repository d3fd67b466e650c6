import type { Kind } from '../kinds/kind';
import { CliFailure, EXIT, missing, NOT_FOUND } from '../failures';
import type { Query, Service } from './service';

/** Rows that are looked through for a name, where the API has no parameter for it. */
const SEARCHED = 5_000;
/** Candidates that a message names. */
const NAMED = 10;

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Whether it may be the beginning of a UUID. Shorter texts are names only. */
export const isBeginning = (text: string): boolean => /^[0-9a-f][0-9a-f-]{3,}$/i.test(text);

export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** There are more than were asked for. */
  readonly more: boolean;
}

/** All rows of a list, page by page, up to a limit; each once, also if new ones move it to the next page. */
export async function rowsOf<Row>(
  service: Service,
  kind: Kind<Row>,
  filters: Query,
  limit: number,
): Promise<Rows<Row>> {
  const rows: Row[] = [];
  const known = new Set<string>();
  for (let query: Query | undefined = { ...filters, limit }; query !== undefined;) {
    const page: { readonly rows: readonly Row[]; readonly next: Query | undefined } = await kind.page(service, query);
    for (const row of page.rows) {
      const key = kind.key(row);
      if (!known.has(key)) rows.push(row);
      known.add(key);
    }
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
  throw ambiguous(
    `${found.length} ${kind.plural} match ${text}`,
    found.map((row) => candidate(kind, row)),
  );
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

/**
 * All that have this name or id; if there are none, all whose id begins so, where ids are UUIDs. In the
 * order of the list.
 * @throws CliFailure if the list is too long to know them all
 */
export async function matching<Row>(
  service: Service,
  kind: Kind<Row>,
  text: string,
  filters: Query = {},
): Promise<readonly Row[]> {
  const { byId, byName } = kind;
  const same = await identified(service, kind, text, filters);
  if (same.length > 0) return same;
  const exact = await named(service, kind, text, filters);
  if (exact.length > 0) return exact;
  // Then the text is the beginning of an id, or nothing; but some names are only in the list.
  const areNamesKnown = byName !== undefined || (byId !== undefined && !kind.hasLabels);
  const isNoBeginning = !isBeginning(text) || (byId !== undefined && UUID.test(text) && isIdOf(kind, text));
  if (areNamesKnown && isNoBeginning) return [];
  const { rows, more } = await rowsOf(service, kind, filters, SEARCHED);
  const meant = rows.filter((row) => isMeant(kind, row, text));
  if (more) refuseUnlessWhole(kind, meant, text);
  if (meant.length > 0 || !isBeginning(text)) return meant;
  return rows.filter((row) => UUID.test(kind.id(row)) && kind.id(row).startsWith(text.toLowerCase()));
}

/** All that have this id; none where the API cannot find ids. */
export async function identified<Row>(
  service: Service,
  kind: Kind<Row>,
  text: string,
  filters: Query = {},
): Promise<readonly Row[]> {
  const { byId } = kind;
  if (byId === undefined || !isIdOf(kind, text)) return [];
  const id = idOf(text);
  const { rows } = await rowsOf(service, kind, { ...filters, [byId]: id }, SEARCHED);
  // An older service may ignore the filter, and list whatever it has.
  return rows.filter((row) => kind.id(row) === id || kind.uid?.(row) === id);
}

/** Whether `byId` may be asked for it. */
const isIdOf = <Row>({ idForm = UUID }: Kind<Row>, text: string): boolean => idForm.test(text);

/**
 * All that have this name, which may be preceded by their namespace; none where the API cannot find names.
 * @throws CliFailure if there are too many to know them all
 */
export async function named<Row>(
  service: Service,
  kind: Kind<Row>,
  text: string,
  filters: Query = {},
): Promise<readonly Row[]> {
  const { byName } = kind;
  if (byName === undefined) return [];
  const found: Row[] = [];
  for (const name of namesIn(kind, text)) {
    const { rows, more } = await rowsOf(service, kind, { ...filters, [byName]: name }, SEARCHED);
    const meant = kind.hidesNames ? rows : rows.filter((row) => isMeant(kind, row, text));
    if (more) refuseUnlessWhole(kind, meant, text);
    found.push(...meant);
  }
  return found;
}

/** A whole id has one owner. The rest of a list may have another one of a name, or of a beginning. */
function refuseUnlessWhole<Row>(kind: Kind<Row>, found: readonly Row[], text: string): void {
  if (!found.some((row) => kind.key(row) === idOf(text))) throw tooMany(kind, text);
}

/** What to look for: a name may have a slash, a namespace has none. A part of a name finds it too. */
function namesIn<Row>({ findsWholeNames }: Kind<Row>, text: string): readonly string[] {
  if (!findsWholeNames) return [text.slice(text.lastIndexOf('/') + 1)];
  return text.includes('/') ? [text, text.slice(text.indexOf('/') + 1)] : [text];
}

/** A UUID as the service has it. */
const idOf = (text: string): string => (UUID.test(text) ? text.toLowerCase() : text);

/** Whether it has this id or this name, which may be preceded by its namespace. */
function isMeant<Row>(kind: Kind<Row>, row: Row, text: string): boolean {
  if (kind.id(row) === idOf(text)) return true;
  const label = kind.label(row);
  return label !== undefined && (label === text || `${kind.namespace(row)}/${label}` === text);
}

const tooMany = <Row>(kind: Kind<Row>, text: string): CliFailure =>
  new CliFailure({
    code: 'too_many',
    message: `There are more than ${SEARCHED} ${kind.plural}, so it is not known what ${text} means among them.`,
    exit: EXIT.usage,
    remedy:
      kind.byId === undefined
        ? 'Narrow the list down by the filters that "--help" shows.'
        : `Name the ${kind.name} by its whole id, or narrow the list down by the filters that "--help" shows.`,
  });

/**
 * Something that means several things.
 * @param what the sentence before the candidates
 */
export function ambiguous(
  what: string,
  candidates: readonly string[],
  remedy = 'Name one by its id, or narrow it down by the filters that "--help" shows.',
): CliFailure {
  const shown = candidates.slice(0, NAMED);
  if (candidates.length > NAMED) shown.push(`${candidates.length - NAMED} more`);
  return new CliFailure({ code: 'ambiguous', message: `${what}: ${shown.join(', ')}.`, exit: EXIT.usage, remedy });
}

/** A row in a list of candidates. */
export function candidate<Row>(kind: Kind<Row>, row: Row): string {
  const [namespace, label] = [kind.namespace(row), kind.label(row)];
  if (label === undefined) return kind.id(row);
  return `${namespace === undefined ? '' : `${namespace}/`}${label} (${kind.id(row)})`;
}
