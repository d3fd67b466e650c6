import { failureIn } from '../../../failures';
import type { Progress, Stage, StageName } from '../../../stages';
import type { CheckpointResult, WorkloadStatus } from '../../../supervisor/control/control-protocol';

const MAX_REFERENCE = 4_096;
const MAX_ROWS = 100;
const MAX_NAME = 64;

type Unknown = Readonly<Record<string, unknown>>;

export const objectIn = (value: unknown): Unknown | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Unknown) : undefined;

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longest;

/** @returns undefined if there is an element of another shape */
function rowsIn<T>(value: unknown, rowIn: (row: Unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ROWS) return undefined;
  const rows = value.map((row) => rowIn(objectIn(row) ?? {}));
  return rows.some((row) => row === undefined) ? undefined : (rows as T[]);
}

function partIn({ name, durationNs, bytes }: Unknown): NonNullable<Stage['parts']>[number] | undefined {
  return isText(name, MAX_NAME) && isCount(durationNs) && isCount(bytes) ? { name, durationNs, bytes } : undefined;
}

/** Another version of the agent may have other stages. */
function stageIn(stage: Unknown): Stage | undefined {
  const part = partIn(stage);
  const parts = stage.parts === undefined ? undefined : rowsIn(stage.parts, partIn);
  if (!part || (stage.parts !== undefined && !parts)) return undefined;
  return { ...part, name: part.name as StageName, ...(parts && { parts }) };
}

export function progressIn(value: unknown): Progress | undefined {
  const { stage, bytesDone, bytesTotal } = objectIn(value) ?? {};
  if (!isText(stage, MAX_NAME) || !isCount(bytesDone) || !(bytesTotal === null || isCount(bytesTotal)))
    return undefined;
  return { stage: stage as StageName, bytesDone, bytesTotal };
}

export function checkpointResultIn(value: unknown): CheckpointResult | undefined {
  const { reference, bytes, stages: given, criu: figures, preempted } = objectIn(value) ?? {};
  const [stages, criu] = [rowsIn(given, stageIn), objectIn(figures)];
  if (!isText(reference, MAX_REFERENCE) || !isCount(bytes) || !stages || !criu) return undefined;
  const numbers = Object.entries(criu).filter((entry): entry is [string, number] => isCount(entry[1]));
  const result = { reference, bytes, stages, criu: Object.fromEntries(numbers.slice(0, MAX_ROWS)) };
  return preempted === true ? { ...result, preempted } : result;
}

/** Checks the members that are used. The others may be anything. */
export function workloadStatusIn(value: unknown): WorkloadStatus | undefined {
  const status = objectIn(value);
  if (!status || !isText(status.phase, MAX_NAME) || !isText(status.uid, MAX_NAME)) return undefined;
  const restored = restoredIn(status.restored);
  const failure = status.failure === null || status.failure === undefined ? null : failureIn(status.failure);
  if (restored === undefined || failure === undefined) return undefined;
  return { ...status, restored, failure } as unknown as WorkloadStatus;
}

function restoredIn(value: unknown): WorkloadStatus['restored'] | undefined {
  if (value === null || value === undefined) return null;
  const { reference, workload: of, stages: given } = objectIn(value) ?? {};
  const [{ namespace, name }, stages] = [objectIn(of) ?? {}, rowsIn(given, stageIn)];
  if (!isText(reference, MAX_REFERENCE) || typeof namespace !== 'string' || typeof name !== 'string' || !stages)
    return undefined;
  return { reference, workload: { namespace, name }, stages };
}
