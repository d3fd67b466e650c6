import { ProblemError } from '../../api/problem';
import { readAgainAfter, unreported, type Reported } from './reported';

const MISSING = new ProblemError(404, 'operation_not_found', 'Not Found', 'It was not reported.', 'r-1');
const fact = (result: string) => ({ operation_id: 'a', result }) as Reported;

describe('an operation that is missing', () => {
  it('was not reported yet if it was never there', () => {
    expect(unreported(MISSING, undefined)).toBe(MISSING);
    expect(unreported(MISSING, new ProblemError(404, 'operation_not_found', '', '', 'r-0'))).toBe(MISSING);
  });

  it('is a failure if it was there before, and any other problem always is', () => {
    expect(() => unreported(MISSING, fact('succeeded'))).toThrow(MISSING);
    for (const other of [new ProblemError(404, 'unknown', '', '', undefined), new Error('Failed to fetch')])
      expect(() => unreported(other, undefined)).toThrow(other);
  });

  it('is read every few seconds for a minute, and then as often as lists', () => {
    let seconds = 0;
    let reads = 1;
    for (let ms = readAgainAfter({ data: MISSING, dataUpdateCount: reads }); ms !== undefined;) {
      seconds += ms / 1_000;
      ms = readAgainAfter({ data: MISSING, dataUpdateCount: ++reads });
    }
    expect(seconds).toBeGreaterThanOrEqual(45);
    expect(seconds).toBeLessThanOrEqual(75);
  });
});

describe('an operation that was reported', () => {
  it('is read more often while it runs, however often it was read before', () => {
    for (const dataUpdateCount of [1, 1_000])
      expect(readAgainAfter({ data: fact('running'), dataUpdateCount })).toBeLessThan(2_000);
    expect(readAgainAfter({ data: fact('failed'), dataUpdateCount: 1 })).toBeUndefined();
  });
});
