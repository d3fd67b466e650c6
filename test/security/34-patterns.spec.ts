import { check } from 'recheck';
import description from '../../docs/openapi.json';
import { printFigures, recordFigure } from '../support/figures';
import { inForm } from '../support/form';
import { attacksOn, patternsIn, patternsOfDescription } from './patterns';

/** Row 34 of docs/reliability.md. */
const LENGTH = 100_000;
const MOST_MS = 10;
/** A pattern is timed again if it was slow, as the machine may have been. */
const TIMES = 5;
const FIGURE = { row: 34, unit: '', bound: { atMost: 0 } } as const;

describe('the regular expressions', () => {
  afterAll(printFigures);

  const patterns = [...patternsIn('src'), ...patternsOfDescription(description)];

  it('are all found', () => {
    const places = patterns.flatMap((pattern) => pattern.places);
    expect(places).toEqual(expect.arrayContaining([expect.stringMatching(/auth\/bearer\.guard\.ts:\d+$/)]));
    expect(patterns.length).toBeGreaterThan(200);
  });

  it('take at most 10 ms for 100,000 characters that are made to delay them', () => {
    const slow = patterns.filter((pattern) => {
      const compiled = new RegExp(pattern.source, pattern.flags);
      return attacksOn(pattern, LENGTH).some((text) => cpuMs(compiled, text) > MOST_MS);
    });
    expect(slow.map(({ source, places }) => `${source} ${places[0]}`)).toEqual([]);
    recordFigure({
      ...FIGURE,
      attack: `${patterns.length} patterns, ${LENGTH} characters`,
      measure: 'slow ones',
      value: slow.length,
    });
  });

  // It takes minutes for all of them.
  if (inForm(false, true))
    it('are not vulnerable, according to recheck', async () => {
      const vulnerable: string[] = [];
      for (const { source, flags, places } of patterns) {
        const { status } = await check(source, flags, { timeout: 60_000 });
        if (status !== 'safe') vulnerable.push(`${status}: ${source} ${places[0]}`);
      }
      expect(vulnerable).toEqual([]);
      recordFigure({
        ...FIGURE,
        attack: `${patterns.length} patterns, recheck`,
        measure: 'vulnerable ones',
        value: vulnerable.length,
      });
    });
});

/** Processor time of the fastest of some tries: the time on the wall depends on what else runs. */
function cpuMs(pattern: RegExp, text: string): number {
  let least = Infinity;
  for (let time = 0; time < TIMES && least > MOST_MS; time++) {
    const before = process.cpuUsage();
    pattern.lastIndex = 0;
    text.replace(pattern, '');
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
