import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODES_WITHOUT_EXAMPLE, STATUSES_WITHOUT_EXAMPLE } from '../examples/codes-without-example';
import { describedExamples } from '../examples/described-examples';
import { operations } from '../support/description';

describe('the examples of the description', () => {
  const examples = describedExamples();

  it('are there for every reply, one for each status at least', () => {
    const have = new Set(examples.map(({ operation, status }) => `${operation.id} ${status}`));
    const want = operations().flatMap(({ id, responses }) =>
      Object.entries(responses)
        .filter(([status, { content }]) => content !== undefined && !['4XX', '5XX'].includes(status))
        .map(([status]) => `${id} ${status}`),
    );
    expect(want.length).toBeGreaterThan(500);
    expect(want.filter((one) => !have.has(one))).toEqual([...STATUSES_WITHOUT_EXAMPLE]);
  });

  it('have one for each code of docs/decisions.md, unless it is listed with a reason', () => {
    const page = readFileSync(join(__dirname, '../../docs/decisions.md'), 'utf8');
    const table = page.slice(page.indexOf('\n## Problems\n')).match(/^\| `[^\n]*$/gm) ?? [];
    const codes = new Set(
      table.flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code)),
    );
    const shown = new Set(examples.map(({ value }) => (value as { code?: unknown }).code));
    expect(codes.size).toBeGreaterThan(100);
    expect([...codes].filter((code = '') => !shown.has(code) && !(code in CODES_WITHOUT_EXAMPLE))).toEqual([]);
    // A reason that is not needed is removed.
    expect(Object.keys(CODES_WITHOUT_EXAMPLE).filter((code) => shown.has(code) || !codes.has(code))).toEqual([]);
  });
});
