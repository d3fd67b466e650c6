import { oneOf } from '../api/rows';
import { nowMs } from '../clock';
import { kindNamed } from '../kinds/kinds';
import { textOf } from '../output/table';
import type { Run } from './context';
import { queryOf } from './values';

/** @param name of the kind, in the singular */
export const describe =
  (name: string): Run<Readonly<Record<string, unknown>>> =>
  async ({ printer, service: connect }, options, [wanted = '']) => {
    const kind = kindNamed(name);
    const service = connect();
    const query = await queryOf(service, kind, options);
    const row = await oneOf(service, kind, wanted, query);
    const { facts, sections = [], document } = await kind.details(service, row, nowMs());
    if (printer.isJson) return printer.document(document);
    printer.table(
      undefined,
      facts.map(([label, value]) => [`${label}:`, textOf(value) === '' ? '-' : value]),
    );
    for (const { title, head, rows } of sections) {
      if (rows.length === 0) continue;
      printer.heading(title);
      printer.table(head, rows);
    }
  };
