import type { QueryResultRow } from 'pg';
import type { Statement, Tx } from '../database/tx';
import type { Attempt, StoredAttempt } from './attempt';
import type { FailureLabels } from './operation-totals.queries';
import type { ReportedStage } from './reported-stages';

const COLUMNS = {
  operationId: 'operation_id',
  opType: 'op_type',
  result: 'result',
  actionId: 'action_id',
  checkpointId: 'checkpoint_id',
  clusterId: 'cluster_id',
  name: 'name',
  namespace: 'namespace',
  nodeName: 'node_name',
  podUid: 'pod_uid',
  checkpointName: 'checkpoint_name',
  kind: 'kind',
  platform: 'platform',
  gpuModel: 'gpu_model',
  reason: 'reason',
  source: 'source',
  storageTier: 'storage_tier',
  workloadType: 'workload_type',
  failureReason: 'failure_reason',
  failureStage: 'failure_stage',
  durationNs: 'duration_ns',
  pauseNs: 'pause_ns',
  logicalBytes: 'logical_bytes',
  physicalBytes: 'physical_bytes',
  startedAt: 'started_at',
  completedAt: 'completed_at',
  podScheduledAt: 'pod_scheduled_at',
  podReadyAt: 'pod_ready_at',
} as const satisfies Record<keyof Attempt, string>;

const FIELDS = Object.keys(COLUMNS) as (keyof Attempt)[];
const SELECTED = FIELDS.map((field) => `${COLUMNS[field]} as "${field}"`).join(', ');

const FIND = {
  name: 'fact-find',
  text: `select ${SELECTED} from operation_facts where org_id = $1 and operation_id = $2`,
};
const LOCK = { name: 'fact-lock', text: `${FIND.text} for update` };
const STAGES = {
  name: 'fact-stages',
  text: `
    select stage, duration_ns as "durationNs", bytes_in as "bytesIn", bytes_out as "bytesOut", result, reason
    from operation_stages where org_id = $1 and operation_id = $2 order by seq`,
};
const RESTORES = {
  name: 'fact-restores',
  text: `
    select ${SELECTED} from operation_facts
    where org_id = $1 and checkpoint_id = $2 and op_type = 'restore' order by started_at desc, operation_id limit 1000`,
};

/** A fact with its stages. */
export const findFact = (tx: Tx, operationId: string): Promise<StoredAttempt | undefined> =>
  readFact(tx, FIND, operationId);

/** As `findFact`, locked: what a synced pod tells of it meanwhile waits, and is not written over. */
export const lockFact = (tx: Tx, operationId: string): Promise<StoredAttempt | undefined> =>
  readFact(tx, LOCK, operationId);

async function readFact(tx: Tx, statement: Statement, operationId: string): Promise<StoredAttempt | undefined> {
  const [fact] = await tx.prepared<Attempt & QueryResultRow>(statement, [tx.orgId, operationId]);
  return (
    fact && { ...fact, stages: await tx.prepared<ReportedStage & QueryResultRow>(STAGES, [tx.orgId, operationId]) }
  );
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

const PARAMETERS = FIELDS.map((_, index) => `$${index + 4}`).join(', ');
const SAVE = {
  name: 'fact-save',
  text: `
    insert into operation_facts (org_id, failure_reason_label, failure_stage_label, ${FIELDS.map((field) => COLUMNS[field]).join(', ')})
    values ($1, $2, $3, ${PARAMETERS})
    on conflict (org_id, operation_id) do update
      set failure_reason_label = excluded.failure_reason_label, failure_stage_label = excluded.failure_stage_label,
        ${FIELDS.map((field) => `${COLUMNS[field]} = excluded.${COLUMNS[field]}`).join(', ')}`,
};
const CLEAR_STAGES = {
  name: 'fact-stages-clear',
  text: 'delete from operation_stages where org_id = $1 and operation_id = $2',
};
const SAVE_STAGES = {
  name: 'fact-stages-save',
  text: `
    insert into operation_stages (org_id, operation_id, seq, stage, duration_ns, bytes_in, bytes_out, result, reason)
    select $1, $2, told.seq - 1, told.stage, told.duration_ns, told.bytes_in, told.bytes_out, told.result, told.reason
    from unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[])
      with ordinality as told(stage, duration_ns, bytes_in, bytes_out, result, reason, seq)`,
};

export async function saveFact(
  tx: Tx,
  fact: StoredAttempt,
  labels: FailureLabels,
  stagesChanged: boolean,
): Promise<void> {
  await tx.prepared(SAVE, [tx.orgId, labels.reason, labels.stage, ...FIELDS.map((field) => fact[field])]);
  if (!stagesChanged) return;
  await tx.prepared(CLEAR_STAGES, [tx.orgId, fact.operationId]);
  const column = <K extends keyof ReportedStage>(name: K) => fact.stages.map((stage) => stage[name]);
  await tx.prepared(SAVE_STAGES, [
    tx.orgId,
    fact.operationId,
    column('stage'),
    column('durationNs'),
    column('bytesIn'),
    column('bytesOut'),
    column('result'),
    column('reason'),
  ]);
}
