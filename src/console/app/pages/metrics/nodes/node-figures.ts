import type { Schemas } from '../../../api/client';

type Host = Schemas['K8MetricView'];
type Detail = Host['details'][number];

/** A directory of a node on a disk of its own, and how full it is. */
export interface Mount {
  readonly path: string;
  readonly size: number;
  readonly used: number;
}

/** What node_exporter last said of a node. Undefined: not reported. */
export interface NodeFigures {
  readonly name: string;
  readonly load: readonly (number | undefined)[];
  /** Bytes. */
  readonly memory: { readonly total: number; readonly used: number } | undefined;
  /** The fullest one. */
  readonly mount: Mount | undefined;
  readonly mounts: number;
  /** The oldest of the shown values, in milliseconds. */
  readonly at: number | undefined;
}

const LOADS = ['node_load1', 'node_load5', 'node_load15'];
const [TOTAL, AVAILABLE] = ['node_memory_MemTotal_bytes', 'node_memory_MemAvailable_bytes'];
const [SIZE, FREE] = ['node_filesystem_size_bytes', 'node_filesystem_avail_bytes'];

/** All that the figures are computed from. */
export const SHOWN_METRICS: readonly string[] = [...LOADS, TOTAL, AVAILABLE, SIZE, FREE];

/** Kept in memory, or read-only: their fullness troubles nobody. */
const NO_DISK = /fstype=(tmpfs|overlay|squashfs|ramfs|iso9660)/;

export function figuresOf({ name, details }: Host): NodeFigures {
  const total = valueOf(details, TOTAL);
  const available = valueOf(details, AVAILABLE);
  const mounts = mountsOf(details);
  const times = details.map(({ timestamp }) => Date.parse(timestamp));
  return {
    name,
    load: LOADS.map((metric) => valueOf(details, metric)),
    memory:
      total === undefined || available === undefined ? undefined : { total, used: Math.max(0, total - available) },
    mount: mounts.toSorted((one, other) => other.used / other.size - one.used / one.size)[0],
    mounts: mounts.length,
    at: times.length === 0 ? undefined : times.reduce((first, at) => Math.min(first, at)),
  };
}

const numberOf = (detail: Detail | undefined): number | undefined => {
  const value = Number(detail?.value);
  return detail === undefined || Number.isNaN(value) ? undefined : value;
};

const valueOf = (details: readonly Detail[], metric: string): number | undefined =>
  numberOf(details.find(({ metric_name: name }) => name === metric));

/** A disk that is mounted in several places is there once, in the first. */
function mountsOf(details: readonly Detail[]): readonly Mount[] {
  const found = new Map<string, Mount>();
  for (const size of details) {
    if (size.metric_name !== SIZE || NO_DISK.test(size.resource)) continue;
    const free = details.find(
      ({ metric_name: name, filesystem, mountpoint }) =>
        name === FREE && filesystem === size.filesystem && mountpoint === size.mountpoint,
    );
    const [all, available] = [numberOf(size), numberOf(free)];
    if (all === undefined || available === undefined || all <= 0 || found.has(size.filesystem)) continue;
    found.set(size.filesystem, { path: size.mountpoint, size: all, used: Math.max(0, all - available) });
  }
  return [...found.values()];
}
