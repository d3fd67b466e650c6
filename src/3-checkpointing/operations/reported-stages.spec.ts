import { parseJson } from '../../1-platform/common/json/json';
import { describeWithSamples, sampleLines } from '../../../test/support/samples';
import { MAX_STAGES, readReport } from './reported-stages';

const NOTHING = { source: '', durationNs: 0, pauseNs: 0, physicalBytes: 0, logicalBytes: 0, stages: [] };
const names = (report: unknown) => readReport(report, 'checkpoint').stages.map(({ stage }) => stage);

describeWithSamples('statistics of CRIU', () => {
  const lines = sampleLines('criu-stats.jsonl');

  it.each(lines.map((line) => [line.resident_mb as number, line]))(
    'statistics of CRIU of a dump of %i MiB',
    (_size, line) => {
      const { dump } = line;
      // As printed by `crit show stats-dump`.
      const shown = { magic: 'STATS', entries: [{ dump }] };
      for (const report of [dump, shown, { criu: shown }, [{ anything: 1 }, { deep: { er: [shown] } }]]) {
        expect(readReport(report, 'checkpoint')).toEqual({
          source: 'criu',
          durationNs: (dump.freezing_time + dump.frozen_time) * 1_000,
          pauseNs: dump.frozen_time * 1_000,
          physicalBytes: dump.pages_written * 4_096,
          logicalBytes: (dump.pages_written + dump.pages_skipped_parent) * 4_096,
          stages: [
            ['freeze', dump.freezing_time, 0, 0],
            ['frozen', dump.frozen_time, 0, 0],
            ['memdump', dump.memdump_time, dump.pages_scanned, 0],
            ['memwrite', dump.memwrite_time, 0, dump.pages_written],
          ].map(([stage, us, pagesIn, pagesOut]) => ({
            stage,
            durationNs: us * 1_000,
            bytesIn: pagesIn * 4_096,
            bytesOut: pagesOut * 4_096,
            result: 'succeeded',
            reason: '',
          })),
        });
      }
    },
  );

  it.each(lines.map((line) => [line.resident_mb as number, line]))(
    'statistics of CRIU of a restore of %i MiB',
    (_size, { restore }) => {
      const bytes = restore.pages_restored * 4_096;
      const durationNs = restore.restore_time * 1_000;
      expect(readReport({ magic: 'STATS', entries: [{ restore }] }, 'restore')).toEqual({
        source: 'criu',
        durationNs,
        pauseNs: 0,
        physicalBytes: bytes,
        logicalBytes: bytes,
        stages: [{ stage: 'restore', durationNs, bytesIn: bytes, bytesOut: 0, result: 'succeeded', reason: '' }],
      });
    },
  );

  it('a line with both is read by its operation', () => {
    expect(readReport(lines[0], 'checkpoint').durationNs).toBe((186 + 18_786) * 1_000);
    expect(readReport(lines[0], 'restore').durationNs).toBe(9_885 * 1_000);
    expect(readReport({ dump: lines[0].dump }, 'restore')).toEqual(NOTHING);
    expect(readReport({ restore: lines[0].restore }, 'checkpoint')).toEqual(NOTHING);
  });
});

describe('unusual statistics of CRIU', () => {
  const dump = {
    freezing_time: 1,
    frozen_time: 9,
    memdump_time: 5,
    memwrite_time: 3,
    pages_written: 10,
    pages_skipped_parent: 30,
  };

  it('count reused pages as logical bytes only', () => {
    expect(readReport(dump, 'checkpoint')).toMatchObject({ physicalBytes: 10 * 4_096, logicalBytes: 40 * 4_096 });
  });

  it.each([
    [65_536, 65_536],
    [16_384, 16_384],
    [5_000, 4_096],
    [0, 4_096],
    [-4_096, 4_096],
    ['65536', 4_096],
    [2 ** 21, 4_096],
    [NaN, 4_096],
  ])('counts pages of the reported size %p as %i bytes', (reported, used) => {
    expect(readReport({ page_size: reported, dump }, 'checkpoint').physicalBytes).toBe(10 * used);
  });

  it('ignores an invalid count of CRIU', () => {
    const hostile = {
      freezing_time: -5,
      frozen_time: '9',
      memdump_time: NaN,
      memwrite_time: 1.5,
      pages_written: null,
      pages_skipped_parent: {},
    };
    expect(readReport(hostile, 'checkpoint')).toMatchObject({
      source: 'criu',
      durationNs: 0,
      pauseNs: 0,
      physicalBytes: 0,
      logicalBytes: 0,
    });
  });

  it('ignores integers of CRIU that a double rounds, and bounds huge ones', () => {
    const raw = parseJson('{"frozen_time": 123456789012345678901, "pages_written": 9007199254740991}');
    expect(readReport(raw, 'checkpoint')).toMatchObject({ pauseNs: 0, physicalBytes: Number.MAX_SAFE_INTEGER });
  });
});

describe('profiling trees', () => {
  const tree = {
    name: 'checkpoint',
    duration: 999,
    io: 0,
    components: [
      { name: 'freeze', duration: 10, io: 0 },
      {
        name: 'dump',
        duration: 100,
        io: 4_000,
        components: [
          { name: 'pages', duration: 80, io: 4_000 },
          { name: 'fds', duration: 15, io: 0 },
        ],
      },
      { name: 'upload', duration: 500, io: 3_000, parallel: true },
      { name: 'summary', duration: 110, io: 7_000, redundant: true },
    ],
  };

  it('last as long as their components that are neither parallel nor redundant', () => {
    expect(readReport(tree, 'checkpoint')).toMatchObject({ source: 'profile', durationNs: 110, pauseNs: 0 });
  });

  it('hold the bytes of what is not redundant, or those of the root', () => {
    expect(readReport(tree, 'checkpoint')).toMatchObject({ physicalBytes: 7_000, logicalBytes: 7_000 });
    expect(readReport({ ...tree, io: 6_500 }, 'checkpoint').physicalBytes).toBe(6_500);
  });

  it('give one stage per component, parents first, under its name', () => {
    const { stages } = readReport({ runtime: { profile: tree } }, 'checkpoint');
    expect(stages.map(({ stage, durationNs, bytesOut }) => [stage, durationNs, bytesOut])).toEqual([
      ['freeze', 10, 0],
      ['dump', 100, 4_000],
      ['pages', 80, 4_000],
      ['fds', 15, 0],
      ['upload', 500, 3_000],
      ['summary', 110, 7_000],
    ]);
    expect(readReport(tree, 'restore').stages[1]).toMatchObject({ bytesIn: 4_000, bytesOut: 0 });
  });

  it('name the failed stage', () => {
    const { stages } = readReport(
      { components: [{ name: 'a' }, { name: 'b', error: 'broke' }, { name: 'c', result: 'skipped', reason: 'why' }] },
      'restore',
    );
    expect(stages.map(({ stage, result, reason }) => [stage, result, reason])).toEqual([
      ['a', 'succeeded', ''],
      ['b', 'failed', 'broke'],
      ['c', 'skipped', 'why'],
    ]);
  });

  it('takes the time of the root of a profiling tree without components', () => {
    expect(readReport({ name: 'x', duration: 42, io: 7, components: [] }, 'checkpoint')).toEqual({
      ...NOTHING,
      source: 'profile',
      durationNs: 42,
      physicalBytes: 7,
      logicalBytes: 7,
    });
    expect(readReport({ duration: 42, components: [{ duration: 41, parallel: true }] }, 'checkpoint').durationNs).toBe(
      42,
    );
  });

  it("determine the time and the stages that both name, while CRIU's statistics determine the bytes", () => {
    const both = { profile: tree, criu: { freezing_time: 1, frozen_time: 9, pages_written: 2 } };
    expect(readReport(both, 'checkpoint')).toMatchObject({
      source: 'profile+criu',
      durationNs: 110,
      pauseNs: 9_000,
      physicalBytes: 8_192,
    });
    expect(names(both)).toEqual([
      'freeze',
      'dump',
      'pages',
      'fds',
      'upload',
      'summary',
      'frozen',
      'memdump',
      'memwrite',
    ]);
  });

  it('prefers the profiling tree that is closer to the root', () => {
    expect(names([{ deep: { components: [{ name: 'low' }] } }, { components: [{ name: 'high' }] }])).toEqual(['high']);
  });
});

describe('reports without stages', () => {
  it.each([undefined, null, 0, NaN, '', 'text', true, [], {}, [[]], { info: 'x' }, parseJson('12345678901234567890')])(
    'finds no stages in the report %p',
    (report) => {
      expect(readReport(report, 'checkpoint')).toEqual(NOTHING);
      expect(readReport(report, 'restore')).toEqual(NOTHING);
    },
  );

  it('may hold components that are not objects', () => {
    const report = { components: [null, 1, 'a', [], { name: 5, duration: '7', io: -1, components: 'no' }] };
    expect(readReport(report, 'checkpoint').stages).toEqual([
      { stage: 'unnamed', durationNs: 0, bytesIn: 0, bytesOut: 0, result: 'succeeded', reason: '' },
    ]);
  });

  it('may be as wide as a body', () => {
    const members = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`m${i}`, i]));
    expect(readReport(members, 'checkpoint')).toEqual(NOTHING);
    expect(
      readReport(
        Array.from({ length: 300_000 }, () => ({})),
        'checkpoint',
      ),
    ).toEqual(NOTHING);
    const wide = { components: Array.from({ length: 10_000 }, (_, i) => ({ name: `s${i}`, duration: 1 })) };
    expect(readReport(wide, 'checkpoint')).toMatchObject({ durationNs: 10_000 });
    expect(readReport(wide, 'checkpoint').stages).toHaveLength(MAX_STAGES);
  });

  it('may be as deep as a body', () => {
    let tree: object = { name: 'leaf', duration: 1, components: [] };
    let nested: object = { frozen_time: 5 };
    for (let i = 0; i < 100_000; i++) [tree, nested] = [{ name: 's', duration: 1, components: [tree] }, { nested }];
    expect(readReport(tree, 'checkpoint').stages).toHaveLength(MAX_STAGES);
    expect(readReport(nested, 'checkpoint')).toEqual(NOTHING);
  });

  it('may hold durations that a number cannot', () => {
    const huge = {
      components: [
        { duration: Number.MAX_SAFE_INTEGER, io: 2 ** 52 },
        { duration: Number.MAX_SAFE_INTEGER, io: 2 ** 52 },
      ],
    };
    expect(readReport(huge, 'checkpoint')).toMatchObject({
      durationNs: Number.MAX_SAFE_INTEGER,
      physicalBytes: Number.MAX_SAFE_INTEGER,
    });
  });

  it('may have names of any length', () => {
    expect(names({ components: [{ name: 'x'.repeat(10_000) }] })).toEqual(['x'.repeat(512)]);
  });
});
