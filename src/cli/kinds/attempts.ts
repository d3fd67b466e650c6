import type { Schemas, Service } from '../api/service';
import { age, bytes, duration, NONE, text } from '../output/figures';
import type { Cell } from '../output/table';
import { state } from '../output/tones';

export type Attempt = Schemas['OperationFactView'];

/** Attempts that `describe` shows of a thing that has many. */
const NEWEST = 10;

interface AttemptFilter {
  readonly cluster_id?: string;
  readonly action_id?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export const attemptsOf = (service: Service, filter: AttemptFilter): Promise<Attempt[]> =>
  service.send('list_operations', (api) =>
    api.GET('/v1/operations', { params: { query: { ...filter, limit: NEWEST } } }),
  );

/**
 * A fallback: the workload runs, but not from its checkpoint. Each container has a checkpoint of its own, and
 * what is restored stays restored.
 */
export function hasFallenBack(attempts: readonly Attempt[]): boolean {
  const restored = new Set(attempts.filter(({ result }) => result === 'succeeded').map((one) => one.checkpoint_id));
  return attempts.some(({ result, checkpoint_id: of }) => result === 'fallback' && !restored.has(of));
}

/** Attempts as sections show them. */
export const ATTEMPT_HEAD = ['OPERATION', 'TYPE', 'RESULT', 'WORKLOAD', 'TOOK', 'BYTES', 'BEGAN', 'WHY IT FAILED'];

export const attemptRow = (fact: Attempt, nowMs: number): Cell[] => [
  fact.operation_id,
  fact.op_type,
  state(fact.result),
  workloadOf(fact),
  tookOf(fact),
  bytesOf(fact),
  age(fact.started_at_ms, nowMs),
  text(fact.failure_reason),
];

/** Nothing is measured while it runs. */
export const tookOf = ({ result, duration_ns: ns }: Attempt): string =>
  result === 'running' && ns === 0 ? NONE : duration(ns);

export const bytesOf = ({ result, physical_bytes: count }: Attempt): string =>
  result === 'running' && count === 0 ? NONE : bytes(count);

export const workloadOf = ({ namespace, name }: Attempt): string =>
  namespace === '' ? text(name) : `${namespace}/${text(name)}`;

export const STAGE_HEAD = ['STAGE', 'TOOK', 'BYTES IN', 'BYTES OUT', 'RESULT', 'REASON'];

export const stageRow = (stage: Schemas['OperationStageView']): Cell[] => [
  stage.stage,
  duration(stage.duration_ns),
  bytes(stage.bytes_in),
  bytes(stage.bytes_out),
  state(stage.result),
  text(stage.reason),
];
