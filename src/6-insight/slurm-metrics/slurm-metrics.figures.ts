/**
 * Which metrics report which figure. There are two sets of names: those of the exporter
 * (prometheus-slurm-exporter, which reads the output of Slurm's tools), and those of Slurm itself since
 * 25.11. Both are read as the same figures.
 */

/**
 * Slurm counts memory in MiB, although the names of its own metrics end in `_bytes`. The exporter writes
 * bytes.
 */
const MIB = 1_024 * 1_024;

interface OwnMetric {
  readonly metric: string;
  /** From its unit to that of the figure. */
  readonly factor: number;
}

/** The metrics of a figure in both sets of names; the series of one metric are added up. */
export interface Sources {
  readonly exporter: string;
  /** Null if Slurm itself does not report it. */
  readonly own: OwnMetric | null;
}

const own = (metric: string, factor = 1): OwnMetric => ({ metric, factor });

/** Of all nodes. Memory in bytes. */
export const OVERVIEW = {
  cpu_load: { exporter: 'slurm_cpu_load', own: null },
  // Slurm's own figure counts the CPUs of drained nodes as idle; the exporter's does not.
  cpus_idle: { exporter: 'slurm_cpus_idle', own: own('slurm_node_cpus_idle') },
  cpus_total: { exporter: 'slurm_cpus_total', own: own('slurm_node_cpus') },
  // If the exporter reads sinfo, its own figure is real − free memory, which may be negative.
  mem_alloc: { exporter: 'slurm_mem_alloc', own: own('slurm_node_memory_alloc_bytes', MIB) },
  mem_free: { exporter: 'slurm_mem_free', own: own('slurm_node_memory_free_bytes', MIB) },
  mem_real: { exporter: 'slurm_mem_real', own: own('slurm_node_memory_bytes', MIB) },
} as const satisfies Record<string, Sources>;

/** Of the nodes of a partition. Memory in bytes. */
export const PARTITION = {
  cpu_load: { exporter: 'slurm_partition_cpu_load', own: null },
  free_memory: { exporter: 'slurm_partition_free_mem', own: own('slurm_partition_nodes_mem_free', MIB) },
  idle_cpus: { exporter: 'slurm_partition_idle_cpus', own: own('slurm_partition_nodes_cpus_idle') },
  real_memory: { exporter: 'slurm_partition_real_mem', own: own('slurm_partition_nodes_mem_tot', MIB) },
  total_cpus: { exporter: 'slurm_partition_total_cpus', own: own('slurm_partition_cpus') },
} as const satisfies Record<string, Sources>;

/**
 * Nodes or CPUs by state: one metric with a label in the exporter's names, one metric per state in Slurm's
 * own.
 */
interface StateSources {
  readonly exporter: string;
  /** By metric. */
  readonly ownStates: Readonly<Record<string, string>>;
}

/** Slurm's names of node states, by the endings of its metrics. */
const NODE_STATES = {
  alloc: 'allocated',
  mixed: 'mixed',
  idle: 'idle',
  down: 'down',
  future: 'future',
  unknown: 'unknown',
  drained: 'drained',
  draining: 'draining',
};
const ofNodes = (prefix: string): Record<string, string> =>
  Object.fromEntries(Object.entries(NODE_STATES).map(([ending, state]) => [`${prefix}_${ending}`, state]));

export const NODES_BY_STATE: StateSources = {
  exporter: 'slurm_node_count_per_state',
  ownStates: ofNodes('slurm_nodes'),
};
export const PARTITION_NODES: StateSources = {
  exporter: 'slurm_partition_node_count',
  ownStates: ofNodes('slurm_partition_nodes'),
};
/**
 * The exporter reports CPUs by the states of their nodes. Slurm's own metrics do not: they have the allocated
 * and the idle CPUs.
 */
export const CPUS_BY_STATE: StateSources = {
  exporter: 'slurm_cpus_per_state',
  ownStates: { slurm_node_cpus_alloc: 'allocated', slurm_node_cpus_idle: 'idle' },
};

/** The names of all metrics of these figures, to be read at once. */
export const metricsOf = (sources: readonly (Sources | StateSources)[]): string[] =>
  sources.flatMap((one) => [one.exporter, ...('own' in one ? ownNames(one.own) : Object.keys(one.ownStates))]);
const ownNames = (one: OwnMetric | null): string[] => (one === null ? [] : [one.metric]);

/** The newest report of a metric: the sum of its series in one scrape, per cluster, partition and state. */
export interface Newest {
  readonly metric: string;
  /** Of the label that distinguishes clusters; empty without one. */
  readonly cluster: string;
  readonly partition: string | null;
  readonly state: string | null;
  readonly sampled_at: Date;
  /** Null if it was read and had no value. */
  readonly value: number | null;
}

/** Time of the report in Unix seconds; 0 without one. */
export const timestampOf = (rows: readonly Newest[]): number =>
  Math.floor(rows.reduce((newest, { sampled_at: at }) => Math.max(newest, at.getTime()), 0) / 1_000);

/**
 * A figure over all clusters, each from the set of names that reports it: a cluster that the exporter and
 * Slurm itself report is counted once.
 * @returns null if nothing reports it
 */
export function figureOf(rows: readonly Newest[], sources: Sources): number | null {
  let total: number | null = null;
  for (const reported of byKey(rows, ({ cluster }) => cluster).values()) {
    const figure =
      sumOf(reported, sources.exporter) ?? scaled(sumOf(reported, sources.own?.metric), sources.own?.factor);
    if (figure !== null) total = (total ?? 0) + figure;
  }
  return total;
}

export const scaled = (value: number | null, factor = 1): number | null => (value === null ? null : value * factor);

function sumOf(rows: readonly Newest[], metric: string | undefined): number | null {
  const values = rows.flatMap((row) => (row.metric === metric && row.value !== null ? [row.value] : []));
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

/** The count of each state, over all clusters, without zeros. Null if no states are reported. */
export function statesOf(rows: readonly Newest[], sources: StateSources): Map<string, number> | null {
  let total: Map<string, number> | null = null;
  for (const reported of byKey(rows, ({ cluster }) => cluster).values()) {
    const counts = statesOfExporter(reported, sources) ?? statesInOwnWords(reported, sources);
    if (counts === null) continue;
    total ??= new Map();
    for (const [state, count] of counts) if (count !== 0) total.set(state, (total.get(state) ?? 0) + count);
  }
  return total && new Map([...total].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function statesOfExporter(rows: readonly Newest[], { exporter }: StateSources): Map<string, number> | null {
  const reported = rows.filter(({ metric, value }) => metric === exporter && value !== null);
  if (reported.length === 0) return null;
  const counts = new Map<string, number>();
  for (const { state, value } of reported) {
    const name = stateName(state ?? '');
    counts.set(name, (counts.get(name) ?? 0) + (value ?? 0));
  }
  return counts;
}

/** `sinfo` marks a state with a sign: not responding, planned for a future job, powered down and so on. */
export const stateName = (state: string): string =>
  state.toLowerCase().replaceAll(/(?<![*~#!%$@^+-])[*~#!%$@^+-]+(?=&|$)/g, '');

/**
 * Slurm counts a drained node also by its base state, which is idle or down; a draining node is allocated or
 * mixed. `sinfo`, and so the exporter, shows one state per node. The base state is only known if there is a
 * single possibility.
 */
function statesInOwnWords(rows: readonly Newest[], sources: StateSources): Map<string, number> | null {
  const reported = Object.entries(sources.ownStates).flatMap(([metric, state]) => {
    const count = sumOf(rows, metric);
    return count === null ? [] : [[state, count] as const];
  });
  if (reported.length === 0) return null;
  const counts = new Map(reported);
  for (const [flagged, bases] of [
    ['drained', ['idle', 'down']],
    ['draining', ['allocated', 'mixed']],
  ] as const) {
    let left = counts.get(flagged) ?? 0;
    for (const base of bases) {
      const taken = Math.min(left, counts.get(base) ?? 0);
      if (taken > 0) counts.set(base, (counts.get(base) ?? 0) - taken);
      left -= taken;
    }
  }
  return counts;
}

/** Rows of each reported partition, by name. */
export function byPartition(rows: readonly Newest[]): [name: string, rows: Newest[]][] {
  const named = rows.filter(({ partition, value }) => partition !== null && value !== null);
  return [...byKey(named, ({ partition }) => partition ?? '')].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The exporter leaves out a partition's figure of 0: without idle CPUs there is no such series. */
export const idleCpusOf = (rows: readonly Newest[]): number | null =>
  figureOf(
    rows.flatMap((row) =>
      row.metric === PARTITION.total_cpus.exporter && row.value !== null
        ? [row, { ...row, metric: PARTITION.idle_cpus.exporter, value: 0 }]
        : [row],
    ),
    PARTITION.idle_cpus,
  );

function byKey(rows: readonly Newest[], keyOf: (row: Newest) => string): Map<string, Newest[]> {
  const groups = new Map<string, Newest[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
