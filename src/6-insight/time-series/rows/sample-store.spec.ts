import fc from 'fast-check';
import { setImmediate as turnIsOver } from 'node:timers/promises';
import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import type { SamplePartitions } from './sample-partitions';
import { SAMPLES_AT_ONCE } from './sample-rows';
import { LaneRows, SampleStore } from './sample-store';

/** Samples of one lane. */
function rowsOf(samples: number): LaneRows {
  const rows = new LaneRows(samples);
  for (let sample = 0; sample < samples; sample++) rows.add(sample % 64, Math.floor(sample / 64), 1, sample);
  return rows;
}

const fault = (code: string, after = 0) => ({ error: Object.assign(new Error(`fails with ${code}`), { code }), after });

/** Statements that say whose they are, and wait until the test lets them go on. */
class Statements {
  readonly owners: string[] = [];
  /** By organisation: of its statements after so many. */
  readonly faults = new Map<string, { error: Error; after: number }>();
  private go = (): void => {};
  private readonly allowed = new Promise<void>((resolve) => (this.go = resolve));

  readonly run = async (_statement: unknown, { org_id: owner }: { org_id: string }): Promise<never[]> => {
    const before = this.owners.filter((one) => one === owner).length;
    this.owners.push(owner);
    await this.allowed;
    const { error, after = 0 } = this.faults.get(owner) ?? {};
    if (error && before >= after) throw error;
    return [];
  };

  readonly goOn = (): void => this.go();
}

describe('the rows of a request', () => {
  it('take no more memory than is reserved for them, whichever groups its samples are of', () => {
    const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 30_000 })), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(runs, fc.nat({ max: 1_000 }), (all, refused) => {
        const samples = all.reduce((sum, [, count]) => sum + count, refused);
        const rows = new LaneRows(samples);
        for (const [group, count] of all) for (let time = 0; time < count; time++) rows.add(group * 64, time, 1, 0);
        const taken = rows.sets.flatMap(({ rows: { ids, times, values, places } }) => [ids, times, values, places]);
        expect(rows.sets.reduce((sum, { rows: { count } }) => sum + count, refused)).toBe(samples);
        expect(taken.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(
          LaneRows.bytesOf(samples),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe('the store of samples', () => {
  let statements: Statements;
  let store: SampleStore;

  beforeEach(() => {
    statements = new Statements();
    const partitions = { ensure: () => Promise.resolve() } as unknown as SamplePartitions;
    store = new SampleStore(statements as unknown as StatementPool, partitions);
  });

  /** The results of requests that wait while the first one is written. */
  async function written(...requests: readonly [string, LaneRows][]): Promise<PromiseSettledResult<number[]>[]> {
    const [first, ...others] = requests.map(
      ([owner, rows]) =>
        () =>
          store.add(owner, rows, []),
    );
    const results = [first?.()];
    while (statements.owners.length === 0) await turnIsOver();
    results.push(...others.map((add) => add()));
    await turnIsOver();
    statements.goOn();
    return Promise.allSettled(results as Promise<number[]>[]);
  }

  const statusesOf = (results: readonly PromiseSettledResult<number[]>[]): string[] =>
    results.map((result) => (result.status === 'rejected' ? (result.reason as Error).message : 'stored'));

  it('writes a few samples before the many of an organisation that came earlier', async () => {
    const results = await written(['many', rowsOf(1)], ['many', rowsOf(20 * SAMPLES_AT_ONCE)], ['few', rowsOf(1)]);
    expect(statusesOf(results)).toEqual(['stored', 'stored', 'stored']);
    expect(statements.owners.indexOf('few')).toBe(1);
    expect(statements.owners.length).toBeGreaterThan(20);
  });

  it('writes no more of one organisation in a batch than leaves room for the others', async () => {
    const many = rowsOf(40 * SAMPLES_AT_ONCE);
    const all = written(['many', rowsOf(1)], ['many', many]);
    while (statements.owners.length < 3) await turnIsOver();
    await store.add('few', rowsOf(1), []);
    expect(statements.owners.indexOf('few')).toBeLessThan(20);
    await all;
  });

  it('fails the samples of the organisation whose statement fails, and no others', async () => {
    statements.faults.set('failing', fault('22003'));
    const results = await written(
      ['one', rowsOf(1)],
      ['failing', rowsOf(1)],
      ['two', rowsOf(1)],
      ['failing', rowsOf(2)],
    );
    expect(statusesOf(results)).toEqual(['stored', 'fails with 22003', 'stored', 'fails with 22003']);
  });

  it('keeps what an organisation has stored before one of its statements fails', async () => {
    statements.faults.set('failing', fault('22003', 1));
    const results = await written(['one', rowsOf(1)], ['failing', rowsOf(SAMPLES_AT_ONCE)], ['failing', rowsOf(1)]);
    expect(statusesOf(results)).toEqual(['stored', 'stored', 'fails with 22003']);
  });

  it.each([
    ['a lock that is not free in time', '55P03', 4],
    ['a statement that is not done in time', '57014', 4],
    ['a database that is away', 'ECONNREFUSED', 3],
  ])('does not try every organisation after %s', async (_what, code, tried) => {
    for (const owner of ['a', 'b', 'c', 'd']) statements.faults.set(owner, fault(code));
    const results = await written(
      ['one', rowsOf(1)],
      ['first', rowsOf(1)],
      ...['a', 'b', 'c', 'd'].map((owner, n): [string, LaneRows] => [owner, rowsOf(2 + n)]),
    );
    const failed = Array(4).fill(`fails with ${code}`);
    expect(statusesOf(results)).toEqual(['stored', 'stored', ...failed]);
    expect(statements.owners).toHaveLength(tried);
  });
});
