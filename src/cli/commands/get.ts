import { setTimeout as sleep } from 'node:timers/promises';
import { oneOf, rowsOf, type Rows } from '../api/rows';
import type { Query, Service } from '../api/service';
import { nowMs } from '../clock';
import type { Column, Kind } from '../kinds/kind';
import { kindNamed } from '../kinds/kinds';
import type { Format, Printer } from '../output/printer';
import { textOf, type Cell } from '../output/table';
import type { Run } from './context';
import { queryOf } from './values';
import { Outages } from './waiting';
import { wholeNumber } from './whole-numbers';

interface Options {
  readonly limit: string;
  readonly watch?: boolean;
  readonly interval: string;
}

const MS_PER_SECOND = 1_000;

/** @param name of the kind, in the singular */
export const get =
  (name: string): Run<Options> =>
  async ({ printer, service: connect }, options, [wanted]) => {
    const kind = kindNamed(name);
    const service = connect();
    const limit = wholeNumber(options.limit, 'limit', 1);
    const intervalMs = wholeNumber(options.interval, 'interval', 1) * MS_PER_SECOND;
    const query = await queryOf(service, kind, { ...options });
    if (options.watch) return watch(printer, intervalMs, kind, limit, () => read(service, kind, query, wanted, limit));
    const { rows, more } = await read(service, kind, query, wanted, limit);
    print(printer, kind, rows, wanted !== undefined);
    if (more) printer.say(`These are the first ${limit}: --limit shows more.`);
    if (rows.length === 0 && !printer.isJson)
      printer.say(`There are no ${kind.plural}${Object.keys(query).length > 0 ? ' that match' : ''}.`);
  };

const read = async (service: Service, kind: Kind<unknown>, query: Query, wanted: string | undefined, limit: number) =>
  wanted === undefined
    ? rowsOf(service, kind, query, limit)
    : { rows: [await oneOf(service, kind, wanted, query)], more: false };

function print(printer: Printer, kind: Kind<unknown>, rows: readonly unknown[], isOne: boolean): void {
  if (printer.isJson) return printer.document(isOne ? rows[0] : rows);
  if (printer.format === 'name')
    return printer.table(
      undefined,
      rows.map((row) => [`${kind.name}/${nameOf(kind, row)}`]),
    );
  if (rows.length === 0) return;
  const columns = columnsOf(kind, printer.format);
  const now = nowMs();
  printer.table(
    columns.map(({ head }) => head),
    rows.map((row) => columns.map((column) => column.cell(row, now))),
  );
}

/** A name that other commands accept, also where several have it. */
function nameOf(kind: Kind<unknown>, row: unknown): string {
  const namespace = kind.namespace(row);
  const label = kind.label(row);
  return namespace !== undefined && label !== undefined ? `${namespace}/${label}` : kind.id(row);
}

const columnsOf = ({ columns }: Kind<unknown>, format: Format): readonly Column<unknown>[] =>
  format === 'wide' ? columns : columns.filter(({ wide }) => !wide);

type Change = 'there' | 'added' | 'changed' | 'gone';

/** All rows, and then those that change, until it is interrupted. A row behind the limit is not gone. */
async function watch(
  printer: Printer,
  intervalMs: number,
  kind: Kind<unknown>,
  limit: number,
  look: () => Promise<Rows<unknown>>,
): Promise<never> {
  const columns = columnsOf(kind, printer.format);
  let before = new Map<string, { readonly row: unknown; readonly lasting: string }>();
  let isFirst = true;
  let isCut = false;
  const outages = new Outages(printer);
  for (; ; await sleep(intervalMs)) {
    let rows: readonly unknown[];
    let more: boolean;
    try {
      ({ rows, more } = await look());
      outages.end();
    } catch (error) {
      if (isFirst) throw error;
      outages.tolerate(error);
      continue;
    }
    if (more && !isCut) printer.say(`These are the first ${limit}, so none is reported as gone: --limit shows more.`);
    isCut = more;
    const now = nowMs();
    const found = new Map(rows.map((row) => [kind.key(row), { row, lasting: lastingOf(kind, row, now) }]));
    const changes: [Change, unknown][] = [];
    for (const [id, { row, lasting }] of found) {
      const known = before.get(id);
      if (known?.lasting !== lasting) changes.push([known ? 'changed' : isFirst ? 'there' : 'added', row]);
    }
    if (!more) for (const [id, { row }] of before) if (!found.has(id)) changes.push(['gone', row]);
    printChanges(printer, kind, columns, changes, isFirst);
    before = found;
    isFirst = false;
  }
}

/** What makes a row another one: what passes by itself is no change. */
const lastingOf = ({ columns }: Kind<unknown>, row: unknown, now: number): string =>
  JSON.stringify(columns.filter(({ passing }) => !passing).map((column) => textOf(column.cell(row, now))));

function printChanges(
  printer: Printer,
  kind: Kind<unknown>,
  columns: readonly Column<unknown>[],
  changes: readonly (readonly [Change, unknown])[],
  isFirst: boolean,
): void {
  if (printer.isJson) {
    for (const [change, row] of changes) printer.document({ change, [kind.name]: row }, false);
    return;
  }
  const now = nowMs();
  const rows = changes.map(([change, row]): Cell[] =>
    printer.format === 'name'
      ? [change, `${kind.name}/${nameOf(kind, row)}`]
      : [change, ...columns.map((column) => column.cell(row, now))],
  );
  const head = isFirst && printer.format !== 'name' ? ['CHANGE', ...columns.map(({ head: of }) => of)] : undefined;
  printer.table(head, rows);
}
