import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMES } from '../bench/cases';
import { compared, formatted, pageOf } from '../bench/page/performance-page';
import { REASONS } from '../bench/page/reasons';
import { readResults } from '../bench/page/stored-results';
import { REPLICAS, UNIT_COSTS, withUnitCosts } from '../bench/page/unit-costs-table';

const PROJECT = join(__dirname, '../..');
const LONGEST_REASON = 200;
const REPEAT = 'npm run bench -- --page';

const results = readResults();
const pageFile = (name: string): string => readFileSync(join(PROJECT, 'docs', name), 'utf8');

/** What a page should be, formatted as all files are. */
function shouldBe(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'bench-page-'));
  try {
    const file = join(directory, 'page.md');
    writeFileSync(file, text);
    formatted(file);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('the figures of the bench', () => {
  it('are of cases that there are', () => {
    expect(Object.keys(results).filter((name) => !NAMES.includes(name))).toEqual([]);
    expect(Object.entries(results).filter(([name, { result }]) => result.name !== name)).toEqual([]);
  });

  it('have a reason for each bound that is missed, and none for others', () => {
    const missed = Object.values(results).flatMap(({ result: { name, bounds } }) =>
      bounds.filter(({ held }) => !held).map((bound) => `${name}: ${compared(bound)}`),
    );
    const explained = Object.entries(REASONS).flatMap(([name, reasons]) =>
      Object.keys(reasons).map((bound) => `${name}: ${bound}`),
    );
    expect(explained.sort()).toEqual(missed.sort());
  });

  it('have short reasons', () => {
    const all = Object.values(REASONS).flatMap((reasons) => Object.values(reasons));
    expect(all.filter((reason) => reason.length >= LONGEST_REASON || !reason.endsWith('.'))).toEqual([]);
  });

  it(`are those of docs/performance.md: ${REPEAT}`, () => {
    expect(pageFile('performance.md')).toBe(shouldBe(pageOf(results, NAMES)));
  });

  it(`are those of docs/scaling.md: ${REPEAT}`, () => {
    const page = pageFile('scaling.md');
    const { [UNIT_COSTS]: costs, [REPLICAS]: replicas } = results;
    expect(page).toBe(shouldBe(withUnitCosts(page, costs!, replicas!)));
  });
});
