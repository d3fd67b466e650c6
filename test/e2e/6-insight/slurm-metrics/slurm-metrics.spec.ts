import { insertionOf, linesOf, makeDays, reportSamples, type SampleOfTests } from '../../../support/metric-series';
import { databaseNow } from '../../../support/reports';
import { describeWithSamples, sampleText } from '../../../support/samples';
import { Service, type Caller, type Organisation } from '../../../support/service';
import { HOUR, MINUTE } from '../../../support/durations';

const BASE = '/v1/metrics/slurm';
const PATHS = [
  '',
  '/overview',
  '/overview/state',
  '/partitions',
  '/partitions/nodes',
  '/partitions/gpu/timeseries',
  '/timeseries/cpu-load',
  '/timeseries/memory',
];
const NOTHING: Record<string, unknown> = {
  '': [],
  '/overview': {
    timestamp: 0,
    cpu_load: null,
    cpus_idle: null,
    cpus_total: null,
    mem_alloc: null,
    mem_free: null,
    mem_real: null,
  },
  '/overview/state': { timestamp: 0, cpus_by_state: [], nodes_by_state: [] },
  '/partitions': [],
  '/partitions/nodes': [],
  '/partitions/gpu/timeseries': { partition_name: 'gpu', cpu_load: [], free_memory: [] },
  '/timeseries/cpu-load': [],
  '/timeseries/memory': { allocated_memory: [], free_memory: [] },
};

/** Slurm's own unit of memory. */
const MIB = 1_024 * 1_024;

describe('the Slurm metrics', () => {
  let service: Service;
  let org: Organisation;
  /** A whole second a little ago, in milliseconds since 1970. */
  let now: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    now = Math.floor((await databaseNow(service)) / 1_000) * 1_000 - 2_000;
  });
  afterAll(() => service.close());

  const read = async (path: string, caller: Caller = org.viewer) => {
    const { status, body, text } = await caller.get(`${BASE}${path}`);
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
    return body;
  };
  type Reported = Omit<SampleOfTests, 'at'> & { ago?: number };
  /** Samples from this many milliseconds ago. */
  const report = (...samples: Reported[]) =>
    reportSamples(
      service,
      org,
      samples.map(({ ago = 0, ...sample }) => ({ ...sample, at: now - ago })),
    );
  const seconds = (ago: number) => (now - ago) / 1_000;
  const target = (instance: string, labels: Record<string, string> = {}) => ({ instance, job: 'slurm', ...labels });

  it.each(PATHS)('%s is empty without samples', async (path) => {
    expect(await read(path)).toEqual(NOTHING[path]);
  });

  it.each(PATHS)('%s is read by every role of its organisation, and by nobody else', async (path) => {
    const labels = { partition: 'gpu', state: 'idle' };
    for (const name of ['slurm_cpu_load', 'slurm_mem_free']) await report({ name, value: 1 });
    for (const name of ['slurm_partition_cpu_load', 'slurm_partition_node_count', 'slurm_node_count_per_state'])
      await report({ name, value: 1, labels });
    const mine = await read(path);
    expect(mine).not.toEqual(NOTHING[path]);
    for (const caller of [org.admin, org.operator, org.controller]) expect(await read(path, caller)).toEqual(mine);
    expect(await read(path, (await service.organisation()).viewer)).toEqual(NOTHING[path]);
    for (const token of [undefined, 'nobody']) expect((await service.as(token).get(`${BASE}${path}`)).status).toBe(401);
  });

  describe('the list', () => {
    it('has the newest sample of each series as it was reported, by name', async () => {
      const labels = target('login:9092', { partition: 'gpu', state: 'mixed-' });
      await report(
        { name: 'slurm_rpc_total', kind: 'counter', value: 5, labels: { user: 'root' } },
        { name: 'slurm_partition_node_count', value: 1, ago: MINUTE, labels },
        { name: 'slurm_partition_node_count', value: 2, labels },
        { name: 'slurm_node_cpus', value: null, labels: { node: 'n1' } },
        { name: 'slurm_cpu_load', value: 9, ago: 25 * HOUR },
      );
      const found = await read('');
      expect(found).toEqual([
        {
          id: expect.any(Number),
          name: 'slurm_node_cpus',
          timestamp: seconds(0),
          counter_value: null,
          gauge_value: null,
          kind: 'gauge',
          tags: { node: 'n1' },
        },
        {
          id: expect.any(Number),
          name: 'slurm_partition_node_count',
          timestamp: seconds(0),
          counter_value: null,
          gauge_value: 2,
          kind: 'gauge',
          tags: labels,
        },
        {
          id: expect.any(Number),
          name: 'slurm_rpc_total',
          timestamp: seconds(0),
          counter_value: 5,
          gauge_value: null,
          kind: 'counter',
          tags: { user: 'root' },
        },
      ]);
      expect(new Set(found.map(({ id }: { id: number }) => id)).size).toBe(3);
    });

    it.each([
      ['', (found: { name: string }) => found.name, ['slurm_node_cpus', 'slurm_node_cpus', 'slurm_node_cpus']],
      ['/partitions', (found: { partition_name: string }) => found.partition_name, ['a', 'b', 'c']],
      ['/partitions/nodes', (found: { partition_name: string }) => found.partition_name, ['a', 'b', 'c']],
    ])('%s has pages', async (path, name, names) => {
      const metric = path === '' ? 'slurm_node_cpus' : 'slurm_partition_node_count';
      for (const one of ['a', 'b', 'c'])
        await report({ name: metric, value: 1, labels: { partition: one, state: 'idle', node: one } });
      const first = await org.viewer.get(`${BASE}${path}?limit=2`);
      expect(first.body.map(name)).toEqual(names.slice(0, 2));
      expect(first.headers.link).toContain('offset=2');
      const last = await org.viewer.get(`${BASE}${path}?limit=2&offset=2`);
      expect(last.body.map(name)).toEqual(names.slice(2));
      expect(last.headers.link).toBeUndefined();
      expect((await org.viewer.get(`${BASE}${path}?limit=99999`)).body.length).toBe(3);
      for (const query of ['limit=0', 'limit=-1', 'limit=many', 'offset=-1'])
        expect((await org.viewer.get(`${BASE}${path}?${query}`)).status).toBe(400);
    });
  });

  describe('the latest figures', () => {
    it('come from one scrape: a series that is missing in it has ended', async () => {
      const labels = (state: string) => target('login:9092', { state });
      const name = 'slurm_node_count_per_state';
      await report(
        { name, labels: labels('idle'), value: 3, ago: 45_000 },
        { name, labels: labels('mixed'), value: 1, ago: 45_000 },
        { name, labels: labels('idle'), value: 4, ago: 15_020 },
        // Sent one by one.
        { name, labels: labels('down'), value: 2, ago: 15_000 },
      );
      expect(await read('/overview/state')).toEqual({
        timestamp: seconds(15_000),
        cpus_by_state: [],
        nodes_by_state: [
          { state: 'down', value: 2 },
          { state: 'idle', value: 4 },
        ],
      });
    });

    describe('of a scrape that may have arrived in part', () => {
      /** Counts of nodes by state, at these seconds before now; null for a series that has ended. */
      const scraped = async (counts: Record<string, Record<number, number | null>>) => {
        const at = await databaseNow(service);
        const samples = Object.entries(counts).flatMap(([state, values]) =>
          Object.entries(values).map(([ago, value]) => ({
            name: 'slurm_node_count_per_state',
            labels: target('login:9092', { state }),
            at: at - Number(ago) * 1_000,
            value,
          })),
        );
        await reportSamples(service, org, samples);
        const { nodes_by_state: states } = await read('/overview/state');
        return Object.fromEntries(states.map(({ state, value }: { state: string; value: number }) => [state, value]));
      };

      it.each([
        ['what it still lacks as in the scrape before', { mixed: { 15: 1 } }, { mixed: 1 }],
        ['no series that has ended in it', { mixed: { 15: 1, 1: null } }, {}],
        ['no series that the scrape before lacks too', { mixed: { 30: 1 } }, {}],
        ['what two scrapes still lack', { idle: { 15: 3, 6: 3, 1: 4 }, mixed: { 15: 1 } }, { mixed: 1 }],
        [
          'all that the first scrapes have',
          { idle: { 6: 3, 1: 4 }, mixed: { 6: 1 }, down: { 1: 2 } },
          { mixed: 1, down: 2 },
        ],
        ['a value of the newest scrape once', { idle: { 15: 3, 1: 4 }, mixed: { 15: 1, 1: 2 } }, { mixed: 2 }],
      ])('count %s', async (_what, counts, others) => {
        expect(await scraped({ idle: { 15: 3, 1: 4 }, ...counts })).toEqual({ idle: 4, ...others });
      });

      it('count nothing that it lacks after 10 seconds', async () => {
        expect(await scraped({ idle: { 20: 3, 11: 4 }, mixed: { 20: 1 } })).toEqual({ idle: 4 });
      });
    });

    it('include every target that still reports, each at its own time', async () => {
      await report(
        { name: 'slurm_cpus_total', labels: target('a:9092'), value: 100, ago: MINUTE },
        { name: 'slurm_cpus_total', labels: target('b:9092'), value: 20, ago: 4 * MINUTE },
        { name: 'slurm_cpus_total', labels: target('c:9092'), value: 3, ago: 7 * MINUTE },
      );
      // The third was last seen six minutes before the first.
      expect(await read('/overview')).toMatchObject({ timestamp: seconds(MINUTE), cpus_total: 100 + 20 });
    });

    it('come from one of several targets of the same known cluster', async () => {
      const of = (name: string, labels: Record<string, string>, value: number, ago = 0) => ({
        name,
        labels,
        value,
        ago,
      });
      const states = (job: string, idle: number, ago: number) =>
        [...Array(2).keys()].map((place) =>
          of(
            'slurm_cpus_per_state',
            { ...target('a:1'), job, state: ['idle', 'mixed'][place] ?? '' },
            idle + place,
            ago,
          ),
        );
      await report(
        // One exporter that two jobs scrape: the newer one counts, whole.
        of('slurm_cpus_total', target('a:1'), 100, 30_000),
        of('slurm_cpus_total', { ...target('a:1'), job: 'again' }, 101),
        of('slurm_cpu_load', target('a:1'), 1, 30_000),
        { ...of('slurm_cpu_load', { ...target('a:1'), job: 'again' }, 0), value: null },
        ...states('slurm', 1, 30_000),
        ...states('again', 3, 0),
        // Two exporters that are labelled with one cluster; two without a label.
        of('slurm_cpus_total', target('b:1', { slurm_cluster: 'b' }), 20),
        of('slurm_cpus_total', target('c:1', { slurm_cluster: 'b' }), 20),
        of('slurm_cpus_total', target('d:1', { cluster: 'x' }), 3),
        of('slurm_cpus_total', target('e:1', { cluster: 'x' }), 3),
      );
      expect(await read('/overview')).toMatchObject({ cpus_total: 101 + 20 + 3 + 3, cpu_load: 1 });
      expect((await read('/overview/state')).cpus_by_state).toEqual([
        { state: 'idle', value: 3 },
        { state: 'mixed', value: 4 },
      ]);
    });

    it('stay for a day, with the time of their report', async () => {
      await report({ name: 'slurm_cpus_total', value: 6, ago: 24 * HOUR - MINUTE });
      expect(await read('/overview')).toMatchObject({ timestamp: seconds(24 * HOUR - MINUTE), cpus_total: 6 });
    });

    it('ignore older samples, and samples of a clock that is ahead', async () => {
      await report(
        { name: 'slurm_cpus_total', value: 1, ago: 24 * HOUR + MINUTE },
        { name: 'slurm_cpus_total', value: 2, ago: -HOUR },
      );
      expect(await read('/overview')).toEqual(NOTHING['/overview']);
    });

    it('are null for values that were missing or out of range', async () => {
      await report(
        { name: 'slurm_cpu_load', value: 1, ago: MINUTE },
        { name: 'slurm_cpu_load', value: null },
        { name: 'slurm_node_memory_bytes', value: 1.7e308, labels: { node: 'n1' } },
        { name: 'slurm_node_memory_bytes', value: -1.7e308, labels: { node: 'n2' } },
        { name: 'slurm_node_memory_free_bytes', value: 1.7e308, labels: { node: 'n1' } },
        { name: 'slurm_node_memory_free_bytes', value: 3, labels: { node: 'n2' } },
      );
      expect(await read('/overview')).toEqual({
        ...(NOTHING['/overview'] as object),
        timestamp: seconds(0),
        mem_free: 3 * MIB,
      });
    });

    it('have a partition of two clusters once, and none that is gone', async () => {
      const labels = (cluster: string, partition: string) => target('a:1', { cluster, partition });
      await report(
        { name: 'slurm_partition_total_cpus', value: 4, labels: labels('one', 'gpu') },
        { name: 'slurm_partition_cpu_load', value: 0.5, labels: labels('one', 'gpu') },
        { name: 'slurm_partition_cpus', value: 100, labels: labels('one', 'gpu') },
        { name: 'slurm_partition_cpus', value: 20, labels: labels('two', 'gpu'), ago: MINUTE },
        { name: 'slurm_partition_nodes_mem_free', value: 7, labels: labels('two', 'gpu') },
        { name: 'slurm_partition_nodes_idle', value: 3, labels: labels('two', 'gpu') },
        { name: 'slurm_partition_nodes_drained', value: 1, labels: labels('two', 'gpu') },
        { name: 'slurm_partition_cpus', value: null, labels: labels('two', 'gone'), ago: MINUTE },
      );
      expect(await read('/partitions')).toEqual([
        {
          partition_name: 'gpu',
          timestamp: seconds(0),
          cpu_load: 0.5,
          free_memory: 7 * MIB,
          idle_cpus: 0,
          idle_nodes: 3 - 1,
          real_memory: null,
          total_cpus: 4 + 20,
        },
      ]);
      expect(await read('/partitions/nodes')).toEqual([
        { partition_name: 'gpu', state: 'drained', count: 1 },
        { partition_name: 'gpu', state: 'idle', count: 3 - 1 },
      ]);
    });
  });

  describe('the history', () => {
    const points = (...reported: [ago: number, value: number][]) =>
      reported.map(([ago, value]) => ({ timestamp: seconds(ago), value }));

    it('has each scrape of the last 24 hours, oldest first', async () => {
      await report(
        ...[24 * HOUR + MINUTE, 24 * HOUR - MINUTE, 13 * HOUR, MINUTE, 0].map((ago, place) => ({
          name: 'slurm_cpu_load',
          ago,
          value: place,
        })),
        { name: 'slurm_cpu_load', ago: -HOUR, value: 100 },
      );
      expect(await read('/timeseries/cpu-load')).toEqual(
        points([24 * HOUR - MINUTE, 1], [13 * HOUR, 2], [MINUTE, 3], [0, 4]),
      );
    });

    it('adds up the figures of nodes, with memory in bytes for both exporters', async () => {
      const free = 'slurm_node_memory_free_bytes';
      const alloc = 'slurm_node_memory_alloc_bytes';
      const labels = (node: string) => target('ctld:6817', { node });
      await report(
        { name: free, labels: labels('n1'), value: 1, ago: 2 * MINUTE },
        { name: free, labels: labels('n2'), value: 10, ago: 2 * MINUTE },
        { name: alloc, labels: labels('n1'), value: 5, ago: 2 * MINUTE },
        { name: free, labels: labels('n1'), value: 2, ago: MINUTE },
        { name: free, labels: labels('n2'), value: null, ago: MINUTE },
        { name: 'slurm_mem_free', labels: target('login:9092'), value: 3_500_000, ago: 0 },
        { name: free, labels: labels('n1'), value: 4 },
      );
      expect(await read('/timeseries/memory')).toEqual({
        allocated_memory: points([2 * MINUTE, 5 * MIB]),
        free_memory: points([2 * MINUTE, (1 + 10) * MIB], [MINUTE, 2 * MIB], [0, 3_500_000]),
      });
    });

    it('has all nodes in its last point while the scrape has arrived in part', async () => {
      const at = await databaseNow(service);
      const free = (node: string, ago: number, value: number | null) => ({
        name: 'slurm_node_memory_free_bytes',
        labels: target('ctld:6817', { node }),
        at: at - ago * 1_000,
        value,
      });
      await reportSamples(service, org, [
        free('n1', 75, 1),
        free('n2', 75, 10),
        free('gone', 75, 100),
        free('n1', 15, 2),
        free('n2', 15, 20),
        free('ended', 15, 200),
        free('n1', 1, 3),
        free('ended', 1, null),
      ]);
      const { free_memory: found } = await read('/timeseries/memory');
      expect(found[0].value).toBe((1 + 10 + 100) * MIB);
      expect(found.at(-1)).toEqual({ timestamp: Math.floor((at - 1_000) / 1_000), value: (3 + 20) * MIB });
    });

    it('covers one partition, by its name', async () => {
      const partition = 'gpu / a100 ö%';
      await report(
        { name: 'slurm_partition_cpu_load', labels: { partition }, value: 0.5, ago: MINUTE },
        { name: 'slurm_partition_cpu_load', labels: { partition: 'other' }, value: 7, ago: MINUTE },
        { name: 'slurm_partition_free_mem', labels: { partition }, value: 8e9 },
      );
      const path = (name: string) => `/partitions/${encodeURIComponent(name)}/timeseries`;
      expect(await read(path(partition))).toEqual({
        partition_name: partition,
        cpu_load: points([MINUTE, 0.5]),
        free_memory: points([0, 8e9]),
      });
      expect(await read(path('gpu'))).toEqual(NOTHING['/partitions/gpu/timeseries']);
      expect((await org.viewer.get(`${BASE}${path('\0')}`)).status).toBe(400);
    });

    it('counts one exporter that two jobs scrape once', async () => {
      const labels = target('a:1');
      await report(
        { name: 'slurm_cpu_load', labels, value: 1, ago: 120_000 },
        { name: 'slurm_cpu_load', labels: { ...labels, job: 'again' }, value: 2, ago: 60_000 },
        { name: 'slurm_cpu_load', labels, value: 3 },
        { name: 'slurm_cpu_load', labels: { ...labels, job: 'again' }, value: 3 },
      );
      expect(await read('/timeseries/cpu-load')).toEqual([
        { timestamp: seconds(120_000), value: 1 },
        { timestamp: seconds(60_000), value: 2 },
        { timestamp: seconds(0), value: 3 },
      ]);
    });

    it('has a point every 45 s, however often samples arrive', async () => {
      await report({ name: 'slurm_cpu_load', value: 0 });
      await service.db.query(
        insertionOf(`
         select org_id, id, t as sampled_at, extract(epoch from t) as value from metric_series,
           generate_series(to_timestamp($2) - interval '30 minutes', to_timestamp($2) - interval '1 second', interval '1 second') t
         where org_id = $1 and date_trunc('day', t at time zone 'UTC') = date_trunc('day', to_timestamp($2) at time zone 'UTC')
        `) + ' on conflict do nothing',
        [org.id, now / 1_000],
      );
      const { rows } = await service.db.query('select count(*)::int as count from grouped_samples where org_id = $1', [
        org.id,
      ]);
      const found: { timestamp: number; value: number }[] = await read('/timeseries/cpu-load');
      const seconds = rows[0].count as number;
      expect([Math.ceil(seconds / 45), Math.ceil(seconds / 45) + 1]).toContain(found.length);
      // Each is the last second of its step.
      for (const { timestamp, value } of found.slice(0, -1)) expect([timestamp % 45, value]).toEqual([44, timestamp]);
    });
  });

  const freeMemoryOf = (nodes: number, targets: string[]) =>
    service.db.query(
      `insert into metric_series (org_id, digest, family, metric, kind, node_name, labels, last_sampled_on, sampled_until)
       select $1, gen_random_uuid(), 'slurm', 'slurm_node_memory_free_bytes', 'gauge', 'n' || n, json_build_object('instance', i), $2::date, $2::date + 1
       from generate_series(1, $3) n, unnest($4::text[]) i`,
      [org.id, new Date(now).toISOString().slice(0, 10), nodes / targets.length, targets],
    );

  it('shows fewer points for hundreds of nodes, each with all of them', async () => {
    const [nodes, targets] = [600, ['a:6817', 'b:6817']];
    await freeMemoryOf(nodes, targets);
    const ago = [0, 30, 60, 90, 2_400, 2_460];
    await makeDays(
      service,
      ago.map((one) => now - one * 1_000),
    );
    // The scrape of the second target is ten seconds earlier.
    await service.db.query(
      insertionOf(`
       select org_id, id, to_timestamp($2) - make_interval(secs => ago + case labels->>'instance' when 'a:6817' then 0 else 10 end) as sampled_at,
         ago + 1 as value
       from metric_series, unnest($3::int[]) ago where org_id = $1`),
      [org.id, now / 1_000, ago],
    );
    const { free_memory: found } = await read('/timeseries/memory');
    const whole = (one: number) => ({ timestamp: seconds(one * 1_000), value: nodes * (one + 1) * MIB });
    expect(found.at(-1)).toEqual(whole(0));
    expect(found.length).toBeLessThan(ago.length);
    for (const { timestamp, value } of found) expect([whole(2_400), whole(0)]).toContainEqual({ timestamp, value });
  });

  it('has all of hundreds of nodes in its last point while the scrape has arrived in part', async () => {
    await freeMemoryOf(300, ['a:6817']);
    const at = await databaseNow(service);
    await makeDays(service, [at - 15_000, at]);
    await service.db.query(
      insertionOf(`
       select s.org_id, s.id, to_timestamp($2::float8) - make_interval(secs => ago) as sampled_at, ago as value
       from metric_series s, unnest('{15,1}'::int[]) ago
       where s.org_id = $1 and (ago = 15 or substr(s.node_name, 2)::int <= 200)`),
      [org.id, at / 1_000],
    );
    const { free_memory: found } = await read('/timeseries/memory');
    expect(found.at(-1)).toEqual({
      timestamp: Math.floor((at - 1_000) / 1_000),
      value: (200 * 1 + 100 * 15) * MIB,
    });
  });

  describeWithSamples('a cluster with either exporter', () => {
    const pages = {
      exporter: [['rivosinc-slurm-exporter', 'login:9092']],
      own: [
        ['slurm-25.11-nodes', 'ctld:6817'],
        ['slurm-25.11-partitions', 'ctld:6817'],
        ['slurm-25.11-jobs', 'ctld:6817'],
      ],
    } as const;
    const scrape = (world: keyof typeof pages, ago = 0) =>
      report(
        ...pages[world].flatMap(([page, instance]) =>
          linesOf(sampleText(`metrics/${page}.prom`))
            .filter(({ name }) => name.startsWith('slurm_'))
            .map((line) => ({ ...line, labels: { ...line.labels, instance, job: page }, ago })),
        ),
      );
    const answers = async () =>
      Object.fromEntries(await Promise.all(PATHS.slice(1).map(async (path) => [path, await read(path)] as const)));

    it('has the same figures, except those that only one exporter reports', async () => {
      await scrape('exporter');
      const exporter = await answers();
      const first = org;
      org = await service.organisation();
      await scrape('own');
      const own = await answers();
      expect(exporter['/overview']).toEqual({
        timestamp: seconds(0),
        cpu_load: 4.42,
        cpus_idle: 1,
        cpus_total: 6,
        mem_alloc: -31.578e9,
        mem_free: 55.578e9,
        mem_real: 24e9,
      });
      expect(own['/overview']).toEqual({
        timestamp: seconds(0),
        cpu_load: null,
        cpus_idle: 2 + 1 + 0,
        cpus_total: 6,
        mem_alloc: 1_500 * MIB,
        mem_free: 3 * 17_931 * MIB,
        mem_real: 24_000 * MIB,
      });
      expect(own['/overview/state'].nodes_by_state).toEqual(exporter['/overview/state'].nodes_by_state);
      expect(own['/partitions/nodes']).toEqual(exporter['/partitions/nodes']);
      expect(own['/partitions/nodes']).toEqual([
        { partition_name: 'cpu', state: 'drained', count: 1 },
        { partition_name: 'gpu', state: 'allocated', count: 1 },
        { partition_name: 'gpu', state: 'mixed', count: 1 },
        { partition_name: 'urgent', state: 'allocated', count: 1 },
        { partition_name: 'urgent', state: 'mixed', count: 1 },
      ]);
      const gpu = { partition_name: 'gpu', timestamp: seconds(0), idle_cpus: 1, idle_nodes: 0, total_cpus: 4 };
      expect(exporter['/partitions'][1]).toEqual({
        ...gpu,
        cpu_load: 2.69,
        free_memory: 37.647e9,
        real_memory: 16e9,
      });
      expect(own['/partitions'][1]).toEqual({
        ...gpu,
        cpu_load: null,
        free_memory: 35_862 * MIB,
        real_memory: 16_000 * MIB,
      });
      const at = seconds(0);
      expect(own['/partitions/gpu/timeseries']).toEqual({
        partition_name: 'gpu',
        cpu_load: [],
        free_memory: [{ timestamp: at, value: 35_862 * MIB }],
      });
      expect(own['/timeseries/memory']).toEqual({
        allocated_memory: [{ timestamp: at, value: 1_500 * MIB }],
        free_memory: [{ timestamp: at, value: 53_793 * MIB }],
      });
      expect(own['/timeseries/cpu-load']).toEqual([]);
      expect(exporter['/timeseries/cpu-load']).toEqual([{ timestamp: at, value: 4.42 }]);
      // Both of the same cluster: it is counted once.
      org = first;
      await scrape('own', 1_000);
      expect(await read('/overview')).toEqual(exporter['/overview']);
      expect(await read('/partitions')).toEqual(exporter['/partitions']);
      expect(await read('/partitions/nodes')).toEqual(exporter['/partitions/nodes']);
      expect(await read('/timeseries/cpu-load')).toEqual(exporter['/timeseries/cpu-load']);
    });
  });
});
