import { bucketOf, DURATION_BOUNDS_NS, SIZE_BOUNDS_BYTES } from './totals/buckets';
import type { OperationResult, OperationType } from './operation.states';
import type { ReportedStage } from './reported-stages';

/** What is known of an attempt; empty texts, zeros and nulls mean unknown. */
export interface Attempt {
  operationId: string;
  opType: OperationType;
  result: OperationResult;
  actionId: string | null;
  checkpointId: string | null;
  clusterId: string | null;
  name: string;
  namespace: string;
  nodeName: string;
  podUid: string;
  checkpointName: string;
  kind: string;
  platform: string;
  gpuModel: string;
  reason: string;
  source: string;
  storageTier: string;
  workloadType: string;
  failureReason: string;
  failureStage: string;
  durationNs: number;
  pauseNs: number;
  logicalBytes: number;
  physicalBytes: number;
  startedAt: Date;
  completedAt: Date | null;
  podScheduledAt: Date | null;
  podReadyAt: Date | null;
}

/** A stored attempt with its stages. */
export interface StoredAttempt extends Attempt {
  stages: readonly ReportedStage[];
}

/** What an attempt is without any report. */
export const NOTHING_KNOWN: Omit<StoredAttempt, 'operationId' | 'opType' | 'startedAt'> = {
  result: 'running',
  actionId: null,
  checkpointId: null,
  clusterId: null,
  name: '',
  namespace: '',
  nodeName: '',
  podUid: '',
  checkpointName: '',
  kind: '',
  platform: '',
  gpuModel: '',
  reason: '',
  source: '',
  storageTier: '',
  workloadType: '',
  failureReason: '',
  failureStage: '',
  durationNs: 0,
  pauseNs: 0,
  logicalBytes: 0,
  physicalBytes: 0,
  completedAt: null,
  podScheduledAt: null,
  podReadyAt: null,
  stages: [],
};

const known = (value: unknown): boolean => value !== null && value !== '' && value !== 0;

export const ended = (result: OperationResult): boolean => result !== 'running';

/**
 * Merges a report into an attempt. During the attempt, the known values of the newer report win. After its
 * end, the end stays, and a later report only adds missing values: counted figures never change.
 * @param isFirstEnd no node reported an end before: one that is stored was assumed, and gives way
 */
export function mergeAttempt(
  stored: StoredAttempt | undefined,
  report: StoredAttempt,
  isFirstEnd = false,
): StoredAttempt {
  if (!stored) return report;
  const frozen = ended(stored.result) && !(isFirstEnd && ended(report.result));
  const merged: StoredAttempt = { ...stored };
  for (const name of Object.keys(report) as (keyof StoredAttempt)[]) {
    const prefersStored = frozen && known(stored[name]);
    if (name !== 'stages' && known(report[name]) && !prefersStored) Object.assign(merged, { [name]: report[name] });
  }
  const keepsStages = report.stages.length === 0 || (frozen && stored.stages.length > 0);
  merged.stages = keepsStages ? stored.stages : report.stages;
  Object.assign(merged, podTimes(stored, report, merged.podUid));
  // A start time that becomes known late is no new start: the attempt had it all along.
  merged.startedAt = stored.startedAt < report.startedAt ? stored.startedAt : report.startedAt;
  const { failureReason, failureStage } = frozen ? stored : report;
  return { ...merged, failureReason, failureStage };
}

/**
 * The first times at which a pod was scheduled and Ready stay, however often they change later; those of
 * another pod do not count.
 */
function podTimes(
  stored: StoredAttempt,
  report: StoredAttempt,
  podUid: string,
): Pick<Attempt, 'podScheduledAt' | 'podReadyAt'> {
  const [first, second] = [stored, report].filter((attempt) => attempt.podUid === podUid);
  return {
    podScheduledAt: first?.podScheduledAt ?? second?.podScheduledAt ?? null,
    podReadyAt: first?.podReadyAt ?? second?.podReadyAt ?? null,
  };
}

/** What a report adds to the totals. */
export interface Observations {
  readonly result: Exclude<OperationResult, 'running'> | undefined;
  readonly durationNs: number | undefined;
  readonly sizeBytes: number | undefined;
  readonly stages: readonly ReportedStage[];
}

/**
 * The figures to count now that were not counted before. Times, sizes and stages count for successful
 * attempts only: a failure's size means nothing, and its duration only shows when it broke. What was counted
 * stays so: an attempt that was assumed to have failed, and succeeded, counts as both.
 */
export function observe(before: StoredAttempt | undefined, after: StoredAttempt): Observations {
  const { result } = after;
  const succeeded = result === 'succeeded';
  const counted = before?.result === 'succeeded' ? before : undefined;
  const first = (value: number, earlier = 0) => (succeeded && value > 0 && earlier === 0 ? value : undefined);
  return {
    result: result === 'running' || result === before?.result ? undefined : result,
    durationNs: first(after.durationNs, counted?.durationNs),
    sizeBytes: first(after.physicalBytes, counted?.physicalBytes),
    // Stages of an attempt that is kept for long are gone, and were counted: their source is known.
    stages: succeeded && !(counted && (counted.stages.length > 0 || counted.source !== '')) ? after.stages : [],
  };
}

const one = (index: number, length: number): number[] => Array.from({ length }, (_, i) => (i === index ? 1 : 0));

/** A row of totals with this one observation. */
export const durationCounts = (durationNs: number | undefined): number[] =>
  one(durationNs === undefined ? -1 : bucketOf(durationNs, DURATION_BOUNDS_NS), DURATION_BOUNDS_NS.length + 1);
export const sizeCounts = (sizeBytes: number | undefined): number[] =>
  one(sizeBytes === undefined ? -1 : bucketOf(sizeBytes, SIZE_BOUNDS_BYTES), SIZE_BOUNDS_BYTES.length + 1);
