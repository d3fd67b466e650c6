import type { QueryResultRow } from 'pg';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { Attempt, StoredAttempt } from './attempt';
import type { FailureLabels } from './totals/operation-totals.queries';
import type { ReportedStage } from './reported-stages';

const COLUMNS = {
  operationId: ['operation_id', 'uuid'],
  opType: ['op_type', 'text'],
  result: ['result', 'text'],
  actionId: ['action_id', 'uuid'],
  checkpointId: ['checkpoint_id', 'uuid'],
  clusterId: ['cluster_id', 'uuid'],
  name: ['name', 'text'],
  namespace: ['namespace', 'text'],
  nodeName: ['node_name', 'text'],
  podUid: ['pod_uid', 'text'],
  checkpointName: ['checkpoint_name', 'text'],
  kind: ['kind', 'text'],
  platform: ['platform', 'text'],
  gpuModel: ['gpu_model', 'text'],
  reason: ['reason', 'text'],
  source: ['source', 'text'],
  storageTier: ['storage_tier', 'text'],
  workloadType: ['workload_type', 'text'],
  failureReason: ['failure_reason', 'text'],
  failureStage: ['failure_stage', 'text'],
  durationNs: ['duration_ns', 'bigint'],
  pauseNs: ['pause_ns', 'bigint'],
  logicalBytes: ['logical_bytes', 'bigint'],
  physicalBytes: ['physical_bytes', 'bigint'],
  startedAt: ['started_at', 'timestamptz'],
  completedAt: ['completed_at', 'timestamptz'],
  podScheduledAt: ['pod_scheduled_at', 'timestamptz'],
  podReadyAt: ['pod_ready_at', 'timestamptz'],
} as const satisfies Record<keyof Attempt, readonly [name: string, type: string]>;

const FIELDS = Object.keys(COLUMNS) as (keyof Attempt)[];
const NAMES = FIELDS.map((field) => COLUMNS[field][0]);
const SELECTED = FIELDS.map((field) => `${COLUMNS[field][0]} as "${field}"`).join(', ');

const FIND = {
  name: 'fact-find',
  text: `select ${SELECTED} from operation_facts where org_id = $1 and operation_id = $2`,
};
// In one order, so that two transactions that write the same facts wait and do not deadlock.
const LOCK = {
  name: 'facts-lock',
  text: `select ${SELECTED} from operation_facts where org_id = $1 and operation_id = any($2::uuid[]) order by operation_id for update`,
};
const STAGES = {
  name: 'fact-stages',
  text: `
    select operation_id, stage, duration_ns as "durationNs", bytes_in as "bytesIn", bytes_out as "bytesOut", result, reason
    from operation_stages where org_id = $1 and operation_id = any($2::uuid[]) order by operation_id, seq`,
};
const RESTORES = {
  name: 'fact-restores',
  text: `
    select ${SELECTED} from operation_facts
    where org_id = $1 and checkpoint_id = $2 and op_type = 'restore' order by started_at desc, operation_id limit 1000`,
};

/** A fact with its stages. */
export async function findFact(tx: Tx, operationId: string): Promise<StoredAttempt | undefined> {
  const [fact] = await withStages(tx, await tx.prepared<Attempt & QueryResultRow>(FIND, [tx.orgId, operationId]));
  return fact;
}

/**
 * As `findFact`, of many, locked: what a synced pod tells of one meanwhile waits, and is not written over.
 */
export const lockFacts = async (tx: Tx, operationIds: readonly string[]): Promise<StoredAttempt[]> =>
  withStages(tx, await tx.prepared<Attempt & QueryResultRow>(LOCK, [tx.orgId, operationIds]));

async function withStages(tx: Tx, facts: readonly Attempt[]): Promise<StoredAttempt[]> {
  if (facts.length === 0) return [];
  const ids = facts.map(({ operationId }) => operationId);
  const stages = await tx.prepared<ReportedStage & { operation_id: string }>(STAGES, [tx.orgId, ids]);
  const byFact = Map.groupBy(stages, ({ operation_id }) => operation_id);
  return facts.map((fact) => ({
    ...fact,
    stages: (byFact.get(fact.operationId) ?? []).map(({ operation_id: _id, ...stage }) => stage),
  }));
}

/** Facts of the restores made from a checkpoint, newest first. */
export const restoresFrom = (tx: Tx, checkpointId: string): Promise<Attempt[]> =>
  tx.prepared<Attempt & QueryResultRow>(RESTORES, [tx.orgId, checkpointId]);

const ACTION_TOTALS = {
  name: 'fact-action-totals',
  text: `
    select action_id, least(sum(duration_ns), 9007199254740991)::bigint as duration_ns, least(sum(physical_bytes), 9007199254740991)::bigint as bytes
    from operation_facts where org_id = $1 and action_id = any($2::uuid[]) group by action_id`,
};

export interface ActionTotals {
  action_id: string;
  duration_ns: number;
  bytes: number;
}

/** What the attempts of each action add up to; actions without an attempt are left out. */
export const actionTotals = (tx: Tx, actionIds: readonly string[]): Promise<ActionTotals[]> =>
  tx.prepared<ActionTotals & QueryResultRow>(ACTION_TOTALS, [tx.orgId, actionIds]);

const SAVE = {
  name: 'facts-save',
  text: `
    insert into operation_facts (org_id, failure_reason_label, failure_stage_label, ${NAMES.join(', ')})
    select $1, told.failure_reason_label, told.failure_stage_label, ${NAMES.map((name) => `told.${name}`).join(', ')}
    from unnest($2::text[], $3::text[], ${FIELDS.map((field, index) => `$${index + 4}::${COLUMNS[field][1]}[]`).join(', ')})
      as told(failure_reason_label, failure_stage_label, ${NAMES.join(', ')})
    on conflict (org_id, operation_id) do update
      set failure_reason_label = excluded.failure_reason_label, failure_stage_label = excluded.failure_stage_label,
        ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
};
const CLEAR_STAGES = {
  name: 'fact-stages-clear',
  text: 'delete from operation_stages where org_id = $1 and operation_id = any($2::uuid[])',
};
const SAVE_STAGES = {
  name: 'fact-stages-save',
  text: `
    insert into operation_stages (org_id, operation_id, seq, stage, duration_ns, bytes_in, bytes_out, result, reason)
    select $1, told.operation_id, told.seq, told.stage, told.duration_ns, told.bytes_in, told.bytes_out, told.result, told.reason
    from unnest($2::uuid[], $3::int[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[])
      as told(operation_id, seq, stage, duration_ns, bytes_in, bytes_out, result, reason)`,
};

/** A fact to write, with the names under which its failure is counted. */
export interface SavedFact {
  readonly fact: StoredAttempt;
  readonly labels: FailureLabels;
  readonly stagesChanged: boolean;
}

export async function saveFacts(tx: Tx, saved: readonly SavedFact[]): Promise<void> {
  await tx.prepared(SAVE, [
    tx.orgId,
    saved.map(({ labels }) => labels.reason),
    saved.map(({ labels }) => labels.stage),
    ...FIELDS.map((field) => saved.map(({ fact }) => fact[field])),
  ]);
  const changed = saved.filter(({ stagesChanged }) => stagesChanged).map(({ fact }) => fact);
  if (changed.length === 0) return;
  await tx.prepared(CLEAR_STAGES, [tx.orgId, changed.map(({ operationId }) => operationId)]);
  const stages = changed.flatMap((fact) =>
    fact.stages.map((stage, seq) => ({ operationId: fact.operationId, seq, ...stage })),
  );
  if (stages.length === 0) return;
  const column = <K extends keyof (typeof stages)[number]>(name: K) => stages.map((stage) => stage[name]);
  await tx.prepared(SAVE_STAGES, [
    tx.orgId,
    column('operationId'),
    column('seq'),
    column('stage'),
    column('durationNs'),
    column('bytesIn'),
    column('bytesOut'),
    column('result'),
    column('reason'),
  ]);
}
