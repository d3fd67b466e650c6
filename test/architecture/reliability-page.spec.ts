import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFailures, readFigures, writeFigures } from '../reliability/page/page';
import { ROWS } from '../reliability/page/rows';
import { MISSED, printFigures, recordFigure, type Outcome, type RecordedFigure } from '../support/figures';

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

  it('has a file of test/reliability or test/security for each promise, with its number', () => {
    for (const { row, specs } of ROWS) {
      const numbered = new RegExp(`^test/(?:reliability|security)/${String(row).padStart(2, '0')}-`);
      expect([row, specs.some((spec) => numbered.test(spec))]).toEqual([row, true]);
    }
  });

  it('has no spec that records a figure and does not fail for it', () => {
    const all = globSync('test/**/*.spec.ts', { cwd: PROJECT });
    const silent = all.filter((file) => {
      const text = readFileSync(join(PROJECT, file), 'utf8');
      return text.includes('recordFigure') && !text.includes('printFigures');
    });
    expect(silent).toEqual([]);
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

  const FILE = 'test/reliability/04-rate-limit.spec.ts';
  const outcome = (overrides: Partial<Outcome>): Outcome => ({
    file: FILE,
    on: 'PostgreSQL 18',
    date: '2026-02-02',
    failed: true,
    ...overrides,
  });
  /** What the overview says about row 4. */
  const verdict = (text: string): string => (/^\| \[4\].*$/m.exec(text)?.[0] ?? '').split('|')[3]?.trim() ?? '';

  it('says that a spec failed until it passes on the same PostgreSQL', () => {
    const before = writeFigures(page, [figure({})]);
    expect(verdict(before)).not.toContain('failed');
    const failed = writeFigures(before, [], [outcome({})]);
    expect(verdict(failed)).toBe('**failed on 2026-02-02**');
    expect(failed).toContain(`- **Failed on 2026-02-02**, PostgreSQL 18: \`${FILE}\``);
    expect(readFailures(failed)).toContainEqual({ file: FILE, on: 'PostgreSQL 18', date: '2026-02-02' });
    // Neither another run without it, nor one elsewhere changes that.
    expect(verdict(writeFigures(failed, [figure({})]))).toContain('failed');
    const elsewhere = outcome({ on: 'PostgreSQL 15', failed: false });
    expect(verdict(writeFigures(failed, [], [elsewhere]))).toContain('failed');
    const passed = outcome({ failed: false });
    expect(writeFigures(failed, [], [passed])).toBe(before);
    expect(writeFigures(before, [], [outcome({}), passed])).toBe(before);
  });

  it('shows the goal of the design where the bound of a test is lower, and does not call it held', () => {
    const read = (reached: string): RecordedFigure =>
      figure({ row: 19, attack: 'x', measure: 'slowest reply: chat', reached, bound: '≤ 1500 ms' });
    const others = readFigures(page).filter(({ row }) => row !== 19);
    const missed = writeFigures(page, [read('1400 ms')]);
    expect(missed.split('\n').find((one) => one.includes('1400 ms'))).toMatch(
      /\| ≤ 1500 ms, goal ≤ 1250 ms \| \*\*goal missed\*\* \|/,
    );
    expect(readFigures(missed)).toContainEqual(read('1400 ms'));
    expect(readFigures(missed).filter(({ row }) => row !== 19)).toEqual(others);
    const held = writeFigures(page, [read('1200 ms')]);
    expect(held.split('\n').find((one) => one.includes('1200 ms'))).toMatch(/goal ≤ 1250 ms \| yes \|/);
  });

  it('counts a goal as lowered until a figure reaches it', () => {
    const row = (text: string): string => (/^\| \[1\].*$/m.exec(text)?.[0] ?? '').split('|')[3]?.trim() ?? '';
    const writes = (reached: string): RecordedFigure =>
      figure({ row: 1, attack: 'a race', measure: 'acknowledged writes', reached, bound: '≥ 1' });
    const kept = { ...writes('0'), measure: 'lost', bound: '≤ 0' };
    const section = (text: string): string => text.split('\n## 1.')[1]?.split('\n## ')[0] ?? '';
    const empty = page.replace(/^\| [^|]*kill[^|]* \|.*\n/gm, '');
    expect(row(writeFigures(empty, [kept]))).toBe('all, **1 goal lowered**');
    expect(section(writeFigures(empty, [kept]))).toContain('- Goal: 200,000 acknowledged writes');
    expect(row(writeFigures(empty, [kept, writes('99999')]))).toMatch(/^\*\*\d+ of \d+\*\*$/);
    expect(row(writeFigures(empty, [kept, writes('100000')]))).toBe('all');
    expect(section(writeFigures(empty, [kept, writes('100000')]))).not.toContain('Goal:');
  });
});

describe('a figure outside of its bound', () => {
  it('fails its file at the end, behind all others', () => {
    // Of no row, so the page does not show it.
    const one = { row: 0, attack: 'a test of this', unit: '', bound: { atMost: 1 } };
    recordFigure({ ...one, measure: 'that is missed', value: 2 });
    recordFigure({ ...one, measure: 'that is held', value: 1 });
    expect(printFigures).toThrow(`${MISSED}\na test of this | that is missed | 2 | ≤ 1`);
    expect(printFigures).not.toThrow();
  });
});
