import { isLargerThan, unstorable, type JsonObject } from '../../1-platform/common/json/json';
import { reader, type ColumnRules } from '../slurm/values/slurm-record';
import {
  count,
  count32,
  integer,
  integerOf,
  listText,
  minutes,
  RecordFault,
  state,
  text,
  words,
} from '../slurm/values/slurm-values';

/** A Slurm cluster as column values. */
export interface SlurmClusterColumns {
  name: string;
  status: string;
  metadata: unknown;
}

export interface SlurmNodeColumns {
  name: string;
  status: string | null;
  cpus: number | null;
  memory: number | null;
  partitions: string[] | null;
  reason: string | null;
  alloc_cpus: number | null;
  load: number | null;
  alloc_memory: number | null;
  free_memory: number | null;
}

export interface SlurmPartitionColumns {
  name: string;
  state: string;
  nodes: string;
  total_nodes: number;
  total_cpus: number;
  priority_tier: number;
  max_time: number;
  default_time: number;
  is_default: boolean;
}

const name = text(255);

/** Maximum size of a cluster's metadata as JSON text. */
const MAX_METADATA_BYTES = 64 * 1024;

/** The members of slurmdbd's output for a cluster that are stored. */
const OF_DATABASE = ['controller', 'nodes', 'flags', 'select_plugin', 'rpc_version', 'tres'];

function metadata(value: unknown, record: JsonObject): object | null {
  const beside = Object.fromEntries(OF_DATABASE.filter((key) => key in record).map((key) => [key, record[key]]));
  const found = value ?? (Object.keys(beside).length === 0 ? null : beside);
  // The size first: one record may be as large as the whole body.
  if (isLargerThan(found, MAX_METADATA_BYTES))
    throw new RecordFault(`must be at most ${MAX_METADATA_BYTES} bytes of JSON`);
  const fault = unstorable(found);
  if (fault) throw new RecordFault(fault.message);
  return found;
}

/** slurmdbd prints no state. */
export const readSlurmCluster = reader<SlurmClusterColumns>({
  name: { at: { name } },
  status: { at: { status: state }, absent: 'ACTIVE' },
  metadata: { at: { metadata }, absent: null },
});

/** `IDLE+DRAIN`, as sinfo joins them. */
function nodeState(value: unknown): string | null {
  return text(255)(words(value)?.join('+').toUpperCase(), {});
}

/** Up to 22.05 the flags are separate from the state. */
function stateWithFlags(value: unknown, { state_flags: flags }: JsonObject): string | null {
  const found = nodeState(value);
  return found && nodeState([found, ...(words(flags) ?? [])]);
}

/** Maximum number of partitions of one node. */
const MAX_PARTITIONS = 1_000;

function partitionNames(value: unknown): string[] | null {
  const names = words(value);
  if (names === null) return null;
  if (names.length > MAX_PARTITIONS) throw new RecordFault(`must be at most ${MAX_PARTITIONS} names`);
  for (const one of names) text(255)(one, {});
  return names;
}

/** Maximum length of a reason, in UTF-16 units. It is prose, so a longer one is cut off, not refused. */
const MAX_REASON = 1_024;

function reason(value: unknown): string | null {
  const found = typeof value === 'string' ? value.slice(0, MAX_REASON).toWellFormed() : value;
  return text(MAX_REASON)(found, {});
}

const cpuCount = integerOf(0, 2 ** 31 - 1, { sixteenBits: true });

function loadAverage(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !(value >= 0) || value > Number.MAX_SAFE_INTEGER)
    throw new RecordFault('must be a number of at least 0');
  return value;
}

/** Slurm prints the load average times 100. */
function hundredths(value: unknown): number | null {
  const found = integer(value);
  return found === null || found < 0 ? null : found / 100;
}

/** Up to 22.05, a node that has never answered has -2, or the greatest number, where nothing is known. */
function mebibytes(value: unknown): number | null {
  const found = integer(value);
  return found === null || found < 0 ? null : found;
}

export const readSlurmNode = reader<SlurmNodeColumns>({
  name: { at: { name } },
  status: { at: { status: nodeState, state: stateWithFlags }, absent: null },
  cpus: { at: { cpus: cpuCount }, absent: null },
  memory: { at: { memory: count, real_memory: count }, absent: null },
  partitions: { at: { partitions: partitionNames }, absent: null },
  reason: { at: { reason }, absent: null },
  alloc_cpus: { at: { alloc_cpus: cpuCount }, absent: null },
  load: { at: { load: loadAverage, cpu_load: hundredths }, absent: null },
  alloc_memory: { at: { alloc_memory: mebibytes }, absent: null },
  // The name with `_memory` is that of 22.05 and before.
  free_memory: { at: { free_memory: mebibytes, free_mem: mebibytes }, absent: null },
});

const tier = integerOf(0, 2 ** 31 - 1, { sixteenBits: true });

function flag(value: unknown): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') throw new RecordFault('must be true or false');
  return value;
}

const hasDefaultFlag = (value: unknown): boolean | null =>
  words(value)?.some((word) => word.toLowerCase() === 'default') ?? null;

const PARTITION: ColumnRules<SlurmPartitionColumns> = {
  name: { at: { name } },
  state: { at: { state, 'partition.state': state }, absent: 'UNKNOWN' },
  nodes: { at: { 'nodes.configured': listText(65_536), nodes: configured }, absent: '' },
  total_nodes: { at: { total_nodes: count32, 'nodes.total': count32 }, absent: 0 },
  total_cpus: { at: { total_cpus: count32, 'cpus.total': count32 }, absent: 0 },
  // Slurm's own default.
  priority_tier: { at: { priority_tier: tier, 'priority.tier': tier }, absent: 1 },
  max_time: { at: { max_time: minutes, max_time_limit: minutes, 'maximums.time': minutes }, absent: -1 },
  default_time: { at: { default_time: minutes, default_time_limit: minutes, 'defaults.time': minutes }, absent: -1 },
  // Since 23.02 Slurm does not print it.
  is_default: { at: { is_default: flag, flags: hasDefaultFlag }, absent: false },
};

/** An object without `configured` is a partition without nodes. */
function configured(value: unknown, record: JsonObject): string | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? null : listText(65_536)(value, record);
}

export const readSlurmPartition = reader(PARTITION);
