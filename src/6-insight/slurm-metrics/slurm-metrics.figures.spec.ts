import { describeWithSamples, sampleText } from '../../../test/support/samples';
import { linesOf, seriesOf } from '../../../test/support/metric-series';
import {
  byPartition,
  CPUS_BY_STATE,
  figureOf,
  idleCpusOf,
  metricsOf,
  NODES_BY_STATE,
  OVERVIEW,
  PARTITION,
  PARTITION_NODES,
  stateName,
  statesOf,
  timestampOf,
  type Newest,
  type Sources,
} from './slurm-metrics.figures';

const AT = new Date('2026-11-20T10:00:00.999Z');
const row = (metric: string, value: number | null, members: Partial<Newest> = {}): Newest => ({
  metric,
  cluster: '',
  partition: null,
  state: null,
  sampled_at: AT,
  value,
  ...members,
});

/** The stored part of a page. */
const stored = (...pages: string[]): Newest[] =>
  pages
    .flatMap((page) => linesOf(sampleText(`metrics/${page}.prom`)))
    .filter(({ name }) => name.startsWith('slurm_'))
    .map(({ value, ...line }) => {
      const { metric, columns } = seriesOf(line);
      return row(metric, value, { partition: columns.partition ?? null, state: columns.state ?? null });
    });

const all = (rows: Newest[], figures: Record<string, Sources>) =>
  Object.fromEntries(Object.entries(figures).map(([name, sources]) => [name, figureOf(rows, sources)]));
const partitions = (rows: Newest[]) =>
  Object.fromEntries(
    byPartition(rows).map(([name, ofIt]) => [name, { ...all(ofIt, PARTITION), idle_cpus: idleCpusOf(ofIt) }]),
  );
const nodes = (rows: Newest[]) =>
  Object.fromEntries(
    byPartition(rows).map(([name, ofIt]) => [name, Object.fromEntries(statesOf(ofIt, PARTITION_NODES) ?? [])]),
  );
const states = (rows: Newest[], sources = NODES_BY_STATE) => {
  const found = statesOf(rows, sources);
  return found && Object.fromEntries(found);
};

/** Slurm's own unit of memory. */
const MIB = 1_024 * 1_024;

describeWithSamples('one cluster, reported by the exporter and by Slurm itself', () => {
  const exporter = stored('rivosinc-slurm-exporter');
  const own = stored('slurm-25.11-nodes', 'slurm-25.11-partitions');

  it('has every metric of the table in the pages', () => {
    const names = new Set([...exporter, ...own].map(({ metric }) => metric));
    const sources = [...Object.values(OVERVIEW), ...Object.values(PARTITION)];
    const wanted = metricsOf([...sources, NODES_BY_STATE, PARTITION_NODES, CPUS_BY_STATE]);
    expect(wanted.length).toBe(6 + 5 + 5 + 4 + (1 + 8) + (1 + 8) + (1 + 2));
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has the same CPUs and the same memory, in bytes', () => {
    expect(all(exporter, OVERVIEW)).toEqual({
      cpu_load: 4.42,
      cpus_idle: 1,
      cpus_total: 6,
      // Real less free memory, on a machine that three nodes of the test share.
      mem_alloc: 24e9 - 55.578e9,
      mem_free: 55.578e9,
      mem_real: 24e9,
    });
    expect(all(own, OVERVIEW)).toEqual({
      // Slurm reports no load.
      cpu_load: null,
      // Including the two of the drained node.
      cpus_idle: 2 + 1 + 0,
      cpus_total: 2 + 2 + 2,
      mem_alloc: (0 + 500 + 1_000) * MIB,
      // A moment later than the exporter.
      mem_free: (17_931 + 17_931 + 17_931) * MIB,
      mem_real: (8_000 + 8_000 + 8_000) * MIB,
    });
  });

  it('has the same nodes in the same states', () => {
    expect(states(exporter)).toEqual({ allocated: 1, drained: 1, mixed: 1 });
    // Of 1 allocated, 1 mixed, 1 idle: the idle one is drained.
    expect(states(own)).toEqual({ allocated: 1, drained: 1, mixed: 1 });
    const ofPartitions = {
      cpu: { drained: 1 },
      gpu: { allocated: 1, mixed: 1 },
      urgent: { allocated: 1, mixed: 1 },
    };
    expect(nodes(exporter)).toEqual(ofPartitions);
    expect(nodes(own)).toEqual(ofPartitions);
  });

  it('has CPUs by the states of nodes, or by their own', () => {
    expect(states(exporter, CPUS_BY_STATE)).toEqual({ allocated: 2, drained: 2, mixed: 2 });
    expect(states(own, CPUS_BY_STATE)).toEqual({ allocated: 0 + 1 + 2, idle: 2 + 1 + 0 });
  });

  it('has the same partitions', () => {
    const gpu = { cpu_load: 2.69, free_memory: 37.647e9, idle_cpus: 1, real_memory: 16e9, total_cpus: 4 };
    expect(partitions(exporter)).toEqual({
      // The exporter leaves out zeros.
      cpu: { cpu_load: 1.73, free_memory: 17.931e9, idle_cpus: 0, real_memory: 8e9, total_cpus: 2 },
      gpu,
      urgent: gpu,
    });
    const own2 = { cpu_load: null, free_memory: 35_862 * MIB, idle_cpus: 1, real_memory: 16_000 * MIB, total_cpus: 4 };
    expect(partitions(own)).toEqual({
      cpu: { cpu_load: null, free_memory: 17_931 * MIB, idle_cpus: 2, real_memory: 8_000 * MIB, total_cpus: 2 },
      gpu: own2,
      urgent: own2,
    });
  });

  it('is counted once if both report it, and includes what only one reports', () => {
    expect(all([...exporter, ...own], OVERVIEW)).toEqual(all(exporter, OVERVIEW));
    expect(states([...own, ...exporter])).toEqual(states(exporter));
    expect(partitions([...own, ...exporter]).gpu).toEqual(partitions(exporter).gpu);
    const without = exporter.filter(({ metric }) => !metric.includes('mem'));
    expect(all([...without, ...own], OVERVIEW)).toEqual({
      ...all(exporter, OVERVIEW),
      mem_alloc: 1_500 * MIB,
      mem_free: 53_793 * MIB,
      mem_real: 24_000 * MIB,
    });
  });

  it('is added to another cluster, with either set of names', () => {
    const other = own.map((one) => ({ ...one, cluster: 'other' }));
    expect(figureOf([...exporter, ...other], OVERVIEW.cpus_total)).toBe(6 + 6);
    expect(figureOf([...exporter, ...other], OVERVIEW.cpus_idle)).toBe(1 + 3);
    expect(states([...exporter, ...other])).toEqual({ allocated: 2, drained: 2, mixed: 2 });
    expect(nodes([...exporter, ...other]).cpu).toEqual({ drained: 2 });
  });
});

describe('a figure', () => {
  it('is null without samples, and without values', () => {
    expect(figureOf([], OVERVIEW.cpu_load)).toBeNull();
    expect(figureOf([row('slurm_cpu_load', null)], OVERVIEW.cpu_load)).toBeNull();
    expect(states([])).toBeNull();
    expect(states([row('slurm_nodes_idle', null)])).toBeNull();
    expect(idleCpusOf([])).toBeNull();
  });

  it('is 0 if it was reported as 0', () => {
    expect(figureOf([row('slurm_cpus_idle', 0), row('slurm_node_cpus_idle', 7)], OVERVIEW.cpus_idle)).toBe(0);
    expect(states([row('slurm_nodes_idle', 0)])).toEqual({});
  });

  it('has the newest time, or 0', () => {
    const earlier = row('slurm_cpu_load', 1, { sampled_at: new Date(AT.getTime() - 10_000) });
    expect(timestampOf([earlier, row('slurm_cpus_idle', 1), earlier])).toBe(Date.UTC(2026, 10, 20, 10) / 1_000);
    expect(timestampOf([])).toBe(0);
  });
});

describe('states', () => {
  it.each([
    ['mixed-', 'mixed'],
    ['idle*', 'idle'],
    ['down$', 'down'],
    ['idle~', 'idle'],
    ['DRAINED', 'drained'],
    ['idle*&planned', 'idle&planned'],
    ['powering_down', 'powering_down'],
    ['', ''],
  ])('counts the states %j as %j', (state, name) => expect(stateName(state)).toBe(name));

  it('counts states that differ by a sign as one state', () => {
    const rows = ['idle', 'idle*', 'idle~'].map((state, place) =>
      row('slurm_node_count_per_state', 10 ** place, { state }),
    );
    expect(states(rows)).toEqual({ idle: 1 + 10 + 100 });
  });

  const own = (counts: Record<string, number>) =>
    states(Object.entries(counts).map(([ending, count]) => row(`slurm_nodes_${ending}`, count)));

  it.each([
    [
      { idle: 5, drained: 2 },
      { idle: 5 - 2, drained: 2 },
    ],
    // At most one of them is idle.
    [
      { idle: 1, down: 4, drained: 3 },
      { down: 4 - 2, drained: 3 },
    ],
    [
      { alloc: 3, mixed: 2, draining: 1 },
      { allocated: 3 - 1, mixed: 2, draining: 1 },
    ],
    [
      { alloc: 1, mixed: 2, draining: 2 },
      { mixed: 2 - 1, draining: 2 },
    ],
    [{ drained: 2 }, { drained: 2 }],
    [
      { future: 1, unknown: 2 },
      { future: 1, unknown: 2 },
    ],
  ])('counts each node once in the states of Slurm %j: %j', (reported, counted) =>
    expect(own(reported)).toEqual(counted),
  );
});
