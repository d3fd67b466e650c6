import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judged, type Bound } from '../bench';
import { START_ARGUMENTS, START_VARIABLES } from '../npm-start';
import { legible } from './legible-plans';
import { boundBy, figure, formatted, pageOf } from './performance-page';
import type { StoredResult } from './stored-results';
import { withUnitCosts } from './unit-costs-table';

const NAMES = ['chat', 'other'];
const PROJECT = join(__dirname, '../../..');
const lines = (values: Record<string, number[]>) =>
  new Map(Object.entries(values).map(([line, ofRounds]) => [line, { unit: 'ms', values: ofRounds }]));

const spent = { elapsed: 1_000, service: 0, database: 0, loader: 0, programs: 0, machine: 0 };

const stored = (overrides: Partial<StoredResult['result']> = {}): StoredResult => ({
  date: '2026-01-02',
  version: '1.2.3',
  commit: 'abcdef0123',
  machine: {
    cpus: 2,
    model: 'A processor',
    memoryGb: 24,
    kernel: '6.1',
    node: 'v24.0.0',
    postgresql: '18.4',
    others: { nginx: 'missing', Portkey: '1.15.2' },
  },
  result: {
    name: 'chat',
    what: 'chats | not streamed',
    seconds: 61,
    loadAverage: 0.25,
    sides: { service: { unit: 'ms', median: 1_234.5, min: 1, max: 2_000, rounds: 3 } },
    spent: { service: { ...spent, service: 950, machine: 1_000 } },
    bounds: [{ of: 'service', atMost: 1_300, value: 1_234.5, worst: 2_000, held: true }],
    notes: [],
    ...overrides,
  },
  profile: {
    shares: [{ place: 'pg', share: 0.25 }],
    statements: [
      { text: 'select f($1)', calls: 10, totalMs: 50, share: 1, isNested: false, hasRun: true, plan: 'Result' },
      { text: 'select x from y', calls: 10, totalMs: 90, share: 0.9, isNested: true, hasRun: false, plan: 'Seq Scan' },
    ],
  },
});

describe('a bound', () => {
  const bound = (overrides: Partial<Bound>): Bound => ({ of: 'a', ...overrides });

  it('is judged by the median of its rounds, and shows the worst one', () => {
    const measured = lines({ a: [10, 50, 20], b: [10, 10, 10] });
    expect(judged(bound({ atMost: 20 }), measured)).toMatchObject({ value: 20, worst: 50, held: true });
    expect(judged(bound({ against: 'b', atMost: 1.9 }), measured)).toMatchObject({ value: 2, worst: 5, held: false });
    expect(judged(bound({ over: 'b', free: 5 }), measured)).toMatchObject({ value: 5, worst: 35, held: true });
  });

  it('compares what ran in the same round, because a machine is not equally fast all the time', () => {
    const slower = lines({ a: [10, 100, 1_000], b: [10, 100, 1_000] });
    expect(judged(bound({ against: 'b', atMost: 1 }), slower)).toMatchObject({ value: 1, worst: 1, held: true });
  });

  it('does not hold without figures', () => {
    expect(judged(bound({ atMost: 1 }), lines({}))).toMatchObject({ held: false });
    expect(judged(bound({ against: 'c', atMost: 1 }), lines({ a: [1] }))).toMatchObject({ held: false });
  });
});

describe('the page of the bench', () => {
  it('has the machine, both sides, the bounds, and how to repeat a case', () => {
    const page = pageOf({ chat: stored() }, NAMES);
    for (const text of [
      '2 CPUs (A processor), 24 GB, Linux 6.1, Node v24.0.0, PostgreSQL 18.4, nginx missing, Portkey 1.15.2',
      'Measured on 2026-01-02, version 1.2.3, commit abcdef0123; load average 0.3 at its beginning; it took 61 s.',
      '`BENCH_ROUNDS=3 npm run bench -- chat`',
      'chats | not streamed',
      '| service | 1,235 | 1 | 2,000 | ms | 3 |',
      '| service | 1,235 | 2,000 | 1,300 | yes |',
      'Bounds that hold in the median round, and not in the worst:\n\n- chat: service is 1,235, in the worst round 2,000',
      '| service | 95 % | 0 % | 0 % | 0 % | 5 % | the service, with 95 % of a processor |',
    ])
      expect(page).toContain(text);
  });

  it('lists the runs that it has figures of, and the cases without any', () => {
    const another = { ...stored({ name: 'other' }), commit: '1234567890' };
    const page = pageOf({ chat: stored(), other: another }, ['other', 'chat', 'third']);
    expect(page).toContain(
      'The cases took 2.03 minutes, which is the sum over 2 runs:\n\n' +
        '- 2026-01-02, commit 1234567890, 1.02 minutes: other\n- 2026-01-02, commit abcdef0123, 1.02 minutes: chat',
    );
    expect(page).toContain('Cases that were not measured: **third**.');
    const again = pageOf({ chat: stored(), other: { ...stored({ name: 'other' }), run: 'later' } }, NAMES);
    expect(again).toContain('the sum over 2 runs');
    expect(again).not.toContain('not measured');
  });

  it('names what missed its bound, what was skipped and what failed', () => {
    const missed = [{ of: 'service', against: 'floor', atMost: 1, value: 2, worst: 3, held: false }];
    expect(pageOf({ chat: stored({ bounds: missed }) }, NAMES)).toContain(
      'Bounds that do not hold:\n\n- chat: service / floor is 2, in the worst round 3, at most 1',
    );
    expect(pageOf({ chat: stored({ skipped: 'missing: nginx' }) }, NAMES)).toContain('Did not run: missing: nginx.');
    const failed = pageOf({ chat: stored({ failed: 'Error: no' }) }, NAMES);
    expect(failed).toContain('**It failed**: Error: no.');
    expect(failed).not.toContain('All bounds hold');
  });

  const statementsOf = (page: string): string => page.split('## The ten heaviest statements')[1] ?? '';

  it('has the heaviest statements with their plans, those inside functions too', () => {
    const statements = statementsOf(pageOf({ chat: stored() }, NAMES));
    expect(statements.match(/^### .*/gm)).toEqual(['### 1. In chat', '### 2. In chat']);
    expect(statements).toMatch(/inside a function or a trigger.*\n\n```sql\nselect x from y\n```\n\nThe plan for any/);
    expect(statements).toContain('select f($1)\n```\n\nA plan that ran:\n\n```text\nResult');
  });

  it('has the statements whose calls are the slowest, behind the ten heaviest', () => {
    const one = stored();
    const statements = Array.from({ length: 12 }, (_, place) => ({
      ...one.profile!.statements[0]!,
      text: `select ${place}`,
      calls: place < 10 ? 1_000 : 1,
      totalMs: 100 - place,
    }));
    const shown = statementsOf(pageOf({ chat: { ...one, profile: { shares: [], statements } } }, NAMES));
    const [heaviest = '', slowest = ''] = shown.split('## The slowest statements by call');
    const texts = (part: string): string[] => part.match(/^select \d+$/gm) ?? [];
    expect(texts(heaviest)).toEqual(Array.from({ length: 10 }, (_, place) => `select ${place}`));
    expect(texts(slowest)).toEqual(['select 10', 'select 11']);
  });

  it('is formatted as the checks of the project require', () => {
    // In the project, whose settings count.
    const directory = mkdtempSync(join(tmpdir(), 'bench-page-'));
    try {
      const file = join(directory, 'performance.md');
      writeFileSync(file, pageOf({ chat: stored() }, NAMES));
      formatted(file);
      const args = ['--disable-nested-config', '--config', join(PROJECT, '.oxfmtrc.json'), '--check', file];
      const checked = spawnSync(join(PROJECT, 'node_modules/.bin/oxfmt'), args, { cwd: PROJECT, encoding: 'utf8' });
      expect([checked.status, checked.stderr]).toEqual([0, '']);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('a plan', () => {
  const long = 'x'.repeat(200);

  it('is shown without long values', () => {
    expect(
      legible(`Function Scan on s\n  Function Call: json_to_recordset('[{"a":"b"},\n {"a":"${long}"}]'::json)`),
    ).toBe("Function Scan on s\n  Function Call: json_to_recordset('…'::json)");
    expect(legible(`Filter: (name = '${long}''${long}')\nSort Key: a`)).toBe("Filter: (name = '…')\nSort Key: a");
    expect(legible(`  Function Call: unnest(${'$1, '.repeat(50)})\nSort`)).toMatch(
      /^ {2}Function Call: unnest\(\$1.{60,80}…\nSort$/,
    );
  });

  it('keeps short values, and one that was cut ends it', () => {
    expect(legible("Filter: (name = 'it''s')")).toBe("Filter: (name = 'it''s')");
    expect(legible(`Filter: (name = '${long}\n…`)).toBe("Filter: (name = '…'");
  });
});

describe('the costs in docs/scaling.md', () => {
  it('are replaced between their marks', () => {
    const line = (median: number) => ({ unit: 'µs or bytes', median, min: 0, max: 0, rounds: 3 });
    const others = ['a sample', 'a pod that changed', 'a report of what is known', 'a report of a change']
      .concat('a lifecycle event', 'a list of 50 pods')
      .flatMap((unit) => [`${unit} service time`, `${unit} database time`].map((name) => [name, line(0)] as const));
    const sides = {
      ...Object.fromEntries(others),
      'a chat service time': line(312.5),
      'a chat database time': line(4.2),
      'a chat bytes of its log': line(2_626.8),
      'a chat bytes stored': line(51.2),
    };
    const page =
      'before\n<!-- unit costs: written by npm run bench -- unit-costs --write -->\nold\n<!-- end of unit costs -->\nafter';
    const each = (of: string, count: string, median: number) => [
      `${of} of ${count} processor time of each`,
      line(median),
    ];
    const replicas = stored({
      sides: Object.fromEntries(
        ['chats', 'reports'].flatMap((of) => [
          each(of, 'one replica', 2),
          each(of, '2 replicas', 3),
          each(of, '4 replicas', 6),
        ]),
      ) as StoredResult['result']['sides'],
    });
    const written = withUnitCosts(page, stored({ sides }), replicas);
    expect(written).toMatch(/^before\n<!--/);
    expect(written).toMatch(/-->\nafter$/);
    expect(written).not.toContain('old');
    expect(written).toContain('| A chat | 313 µs | 4 µs | 2.6 kB | 51 B |');
    // A chat for 100 GPUs each second: 10,000 of a million take 3.1 s, of processors that are half busy.
    expect(written).toContain('| the service | 1 | 1 | 1 | 1 | 7 |');
    expect(written).toContain('| the service | 4 | 1 | 1 | 2 | 19 |');
    expect(withUnitCosts(written, stored({ sides }), replicas)).toBe(written);
  });
});

describe('what a side is bound by', () => {
  it.each([
    [{ service: 900, machine: 1_000 }, 'the service, with 90 % of a processor'],
    [{ service: 900, database: 800, machine: 1_900 }, 'all 2 processors: most of them by the service'],
    [{ service: 300, database: 600, machine: 950 }, 'PostgreSQL (60 % of a processor) and the service (30 %) in turn'],
    [{ service: 100, loader: 50, machine: 200 }, 'waiting, for a disk or a timer: the service (10 % of a processor)'],
  ])('names what bounds a side with the times %j: %s', (times, text) => {
    expect(boundBy({ ...spent, ...times }, 2)).toContain(text);
  });
});

it('shows figures with three digits, and thousands', () => {
  expect([0.1, 0.70001, 12.34, 99.96, 100, 1_234.5, -3.9].map(figure)).toEqual([
    '0.1',
    '0.7',
    '12.3',
    '100',
    '100',
    '1,235',
    '-3.9',
  ]);
});

it('starts the service of the bench with the options and variables of npm start', () => {
  expect(START_ARGUMENTS.at(-1)).toBe('dist/main.js');
  expect(START_ARGUMENTS[0]).toMatch(/^--max-semi-space-size=\d+$/);
  expect(Object.keys(START_VARIABLES)).toEqual(['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_']);
});
