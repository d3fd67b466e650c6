import { isJsonObject, type JsonObject } from '../../1-platform/common/json/json';

/** One stage of an attempt, as the node reported it. */
export interface ReportedStage {
  readonly stage: string;
  readonly durationNs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly result: string;
  readonly reason: string;
}

/** What a node's report contains about an attempt; zeros and empty texts if missing. */
export interface Report {
  /** `profile`, `criu`, `profile+criu`, or empty. */
  readonly source: string;
  readonly durationNs: number;
  readonly pauseNs: number;
  /** Bytes written or read by this attempt. */
  readonly physicalBytes: number;
  /** Those plus the bytes that a parent already held. */
  readonly logicalBytes: number;
  readonly stages: readonly ReportedStage[];
}

type Direction = 'checkpoint' | 'restore';

/** Maximum number of stages of one attempt; a larger tree is cut. */
export const MAX_STAGES = 200;

/**
 * Reads a report in any form: anywhere in it there may be a profiling tree (`{name, duration (ns), io
 * (bytes), parallel, redundant, components[]}`) and CRIU's statistics as `crit show` prints them (`dump` or
 * `restore`, in microseconds and pages). If both contain the duration, the tree's is used, because it covers
 * more than CRIU's part.
 */
export function readReport(report: unknown, direction: Direction): Report {
  const { tree, criu, pageSize } = search(report);
  const profile = tree && readTree(tree, direction);
  const statistics =
    criu[direction] &&
    (direction === 'checkpoint' ? readDump(criu.checkpoint, pageSize) : readRestore(criu.restore, pageSize));
  // A stage that both name is one stage.
  const named = new Set(profile?.stages.map(({ stage }) => stage));
  const unnamed = statistics?.stages.filter(({ stage }) => !named.has(stage)) ?? [];
  const bytes = statistics && statistics.logicalBytes > 0 ? statistics : profile;
  return {
    source: [profile && 'profile', statistics && 'criu'].filter(Boolean).join('+'),
    durationNs: profile?.durationNs || statistics?.durationNs || 0,
    pauseNs: statistics?.pauseNs ?? 0,
    physicalBytes: bytes?.physicalBytes ?? 0,
    logicalBytes: bytes?.logicalBytes ?? 0,
    stages: [...(profile?.stages ?? []), ...unnamed].slice(0, MAX_STAGES),
  };
}

// ---- finding

const MAX_SEARCHED = 2_000;
const DEFAULT_PAGE_SIZE = 4_096;

interface Found {
  tree?: JsonObject;
  criu: { checkpoint?: JsonObject; restore?: JsonObject };
  pageSize: number;
}

/**
 * Breadth first, so that the object closest to the root wins; bounded, because reports are as large as bodies
 * may be.
 */
function search(report: unknown): Found {
  const found: Found = { criu: {}, pageSize: DEFAULT_PAGE_SIZE };
  const queue: unknown[] = [report];
  for (let searched = 0; searched < queue.length && searched < MAX_SEARCHED; searched++) {
    const value = queue[searched];
    const enqueue = (values: unknown[]) => queue.push(...values.slice(0, Math.max(0, MAX_SEARCHED - queue.length)));
    if (Array.isArray(value)) enqueue(value);
    if (!isJsonObject(value)) continue;
    if (isPageSize(value.page_size)) found.pageSize = value.page_size;
    if (Array.isArray(value.components)) {
      // The components of a tree belong to it and are not reports of their own.
      found.tree ??= value;
      continue;
    }
    if ('frozen_time' in value || 'memdump_time' in value) found.criu.checkpoint ??= value;
    else if ('restore_time' in value || 'pages_restored' in value) found.criu.restore ??= value;
    enqueue(Object.values(value));
  }
  return found;
}

const isPageSize = (value: unknown): value is number =>
  typeof value === 'number' && value >= 1_024 && value <= 2 ** 20 && Number.isInteger(Math.log2(value));

/** A count in the report: anything but a whole number that a double holds counts as missing. */
const count = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
const word = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 512) : '');
const bounded = (value: number): number => Math.min(value, Number.MAX_SAFE_INTEGER);

// ---- the profiling tree

function readTree(root: JsonObject, direction: Direction): Omit<Report, 'source' | 'pauseNs'> {
  const top = componentsOf(root);
  const sequential = top.filter((component) => component.parallel !== true && component.redundant !== true);
  const durationNs = sequential.reduce((sum, { duration }) => sum + count(duration), 0) || count(root.duration);
  const counted = top.filter((component) => component.redundant !== true);
  const bytes = bounded(count(root.io) || counted.reduce((sum, { io }) => sum + count(io), 0));
  const stages: ReportedStage[] = [];
  flatten(top, direction, stages);
  return { durationNs: bounded(durationNs), physicalBytes: bytes, logicalBytes: bytes, stages };
}

const componentsOf = (node: JsonObject): JsonObject[] =>
  Array.isArray(node.components) ? node.components.filter(isJsonObject) : [];

/** Every component is a stage, before its own components, under its reported name. */
function flatten(components: JsonObject[], direction: Direction, stages: ReportedStage[]): void {
  for (const component of components) {
    if (stages.length >= MAX_STAGES) return;
    const io = count(component.io);
    const error = word(component.error);
    stages.push({
      stage: word(component.name) || 'unnamed',
      durationNs: count(component.duration),
      bytesIn: direction === 'restore' ? io : 0,
      bytesOut: direction === 'checkpoint' ? io : 0,
      result: word(component.result) || (error ? 'failed' : 'succeeded'),
      reason: word(component.reason) || error,
    });
    flatten(componentsOf(component), direction, stages);
  }
}

// ---- CRIU's statistics: times in microseconds, sizes in pages

const MICROSECOND_NS = 1_000;

function readDump(dump: JsonObject = {}, pageSize: number): Omit<Report, 'source'> {
  const ns = (name: string) => bounded(count(dump[name]) * MICROSECOND_NS);
  const bytes = (name: string) => bounded(count(dump[name]) * pageSize);
  const written = bytes('pages_written');
  return {
    // The processes are first frozen, and stay frozen during everything else.
    durationNs: bounded(ns('freezing_time') + ns('frozen_time')),
    pauseNs: ns('frozen_time'),
    physicalBytes: written,
    logicalBytes: bounded(written + bytes('pages_skipped_parent')),
    stages: [
      stage('freeze', ns('freezing_time')),
      stage('frozen', ns('frozen_time')),
      stage('memdump', ns('memdump_time'), bytes('pages_scanned')),
      stage('memwrite', ns('memwrite_time'), 0, written),
    ],
  };
}

function readRestore(restore: JsonObject = {}, pageSize: number): Omit<Report, 'source'> {
  const durationNs = bounded(count(restore.restore_time) * MICROSECOND_NS);
  const bytes = bounded(count(restore.pages_restored) * pageSize);
  return {
    durationNs,
    pauseNs: 0,
    physicalBytes: bytes,
    logicalBytes: bytes,
    stages: [stage('restore', durationNs, bytes)],
  };
}

const stage = (name: string, durationNs: number, bytesIn = 0, bytesOut = 0): ReportedStage => ({
  stage: name,
  durationNs,
  bytesIn,
  bytesOut,
  result: 'succeeded',
  reason: '',
});
