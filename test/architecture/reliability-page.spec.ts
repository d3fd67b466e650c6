import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFigures, writeFigures } from '../reliability/page/page';
import { ROWS } from '../reliability/page/rows';
import type { RecordedFigure } from '../support/figures';

const PROJECT = join(__dirname, '../..');
const page = readFileSync(join(PROJECT, 'docs/reliability.md'), 'utf8');

const figure = (overrides: Partial<RecordedFigure>): RecordedFigure => ({
  row: 4,
  attack: '2 processes for 60 s',
  measure: 'admitted above the rate',
  reached: '0 %',
  bound: '≤ 0.1 %',
  held: true,
  on: 'PostgreSQL 18',
  date: '2026-01-01',
  ...overrides,
});

describe('docs/reliability.md', () => {
  it('has every promise once, with tests that exist', () => {
    expect(ROWS.map(({ row }) => row)).toEqual(ROWS.map((_, place) => place + 1));
    for (const { row, specs } of ROWS)
      expect([row, specs.filter((spec) => !existsSync(join(PROJECT, spec)))]).toEqual([row, []]);
    const shown = [...page.matchAll(/^## (\d+)\. (.*)$/gm)].map(([, row, promise]) => [Number(row), promise]);
    expect(shown).toEqual(ROWS.map(({ row, promise }) => [row, promise]));
  });

  it.each(['reliability', 'security'])('names every file of test/%s under its number', (folder) => {
    const files = readdirSync(join(PROJECT, 'test', folder)).filter((file) => file.endsWith('.spec.ts'));
    for (const file of files) {
      const row = ROWS.find((one) => one.row === Number.parseInt(file, 10));
      expect([file, row?.specs.includes(`test/${folder}/${file}`)]).toEqual([file, true]);
    }
  });

  it('keeps figures that were not measured again, and replaces those that were', () => {
    const old = figure({ reached: '3 %', held: false });
    const other = figure({ on: 'PostgreSQL 15' });
    const elsewhere = figure({ row: 5, attack: 'rounds' });
    const before = writeFigures(page, [old, other, elsewhere]);
    const found = readFigures(before);
    for (const one of [old, other, elsewhere]) expect(found).toContainEqual(one);
    // The same attack, with other numbers.
    const newer = figure({ attack: '4 processes for 10 s', date: '2026-02-02' });
    const after = readFigures(writeFigures(before, [newer]));
    for (const one of [newer, other, elsewhere]) expect(after).toContainEqual(one);
    expect(after).not.toContainEqual(old);
    expect(after).toHaveLength(found.length);
    expect(readFigures(writeFigures(before, []))).toEqual(found);
  });
});
