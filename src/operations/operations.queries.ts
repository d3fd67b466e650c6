import type { QueryResultRow } from 'pg';
import type { Tx } from '../database/tx';
import type { PodTimes } from '../pods/pods.queries';
import { durationCounts, sizeCounts, type Attempt, type Observations, type StoredAttempt } from './attempt';
import type { OperationType } from './operation.states';
import type { ReportedStage } from './reported-stages';

/** Names in the totals that are kept apart, for each organisation and kind of operation; further ones are `other`. */
const MAX_STAGE_LABELS = 64;
const MAX_FAILURE_LABELS = 128;

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

/** A fact with its stages. Who writes it holds a lock on the checkpoint's action or on the restore. */
export async function findFact(tx: Tx, operationId: string): Promise<StoredAttempt | undefined> {
  const [fact] = await tx.prepared<Attempt & QueryResultRow>(FIND, [tx.orgId, operationId]);
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

export interface FailureLabels {
  readonly stage: string;
  readonly reason: string;
}

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

// ---- totals

const LABELS = {
  name: 'fact-failure-labels',
  text: `
    with kept as (select stage, reason from operation_failure_totals where org_id = $1 and op_type = $2)
    select exists (select from kept where stage = $3 and reason = $4) or (select count(*) from kept) < ${MAX_FAILURE_LABELS} as fits`,
};

/** The labels a failure is counted under: its own, unless there are too many already. */
export async function failureLabels(tx: Tx, opType: OperationType, wanted: FailureLabels): Promise<FailureLabels> {
  const [row] = await tx.prepared<{ fits: boolean }>(LABELS, [tx.orgId, opType, wanted.stage, wanted.reason]);
  return row?.fits ? wanted : { stage: 'other', reason: 'other' };
}

const added = (name: string) =>
  `(select array_agg(a + b order by i) from unnest(t.${name}, excluded.${name}) with ordinality as sums(a, b, i))`;
const ADD_TOTALS = {
  name: 'fact-totals',
  text: `
    insert into operation_totals as t
      (org_id, op_type, succeeded, failed, fallbacks, duration_sum_ns, duration_buckets, size_sum_bytes, size_buckets)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (org_id, op_type) do update set
      succeeded = t.succeeded + excluded.succeeded, failed = t.failed + excluded.failed, fallbacks = t.fallbacks + excluded.fallbacks,
      duration_sum_ns = t.duration_sum_ns + excluded.duration_sum_ns, duration_buckets = ${added('duration_buckets')},
      size_sum_bytes = t.size_sum_bytes + excluded.size_sum_bytes, size_buckets = ${added('size_buckets')}`,
};
const ADD_STAGES = {
  name: 'fact-stage-totals',
  text: `
    with told as (
      select stage, count(*) as count, sum(duration_ns) as sum_ns from unnest($3::text[], $4::bigint[]) as told(stage, duration_ns) group by stage
    ), kept as (
      select stage from operation_stage_totals where org_id = $1 and op_type = $2
    ), named as (
      select told.*, kept.stage is not null or row_number() over (partition by kept.stage is null order by told.stage)
        <= ${MAX_STAGE_LABELS} - (select count(*) from kept) as fits
      from told left join kept using (stage)
    )
    insert into operation_stage_totals as t (org_id, op_type, stage, count, sum_ns)
    select $1, $2, case when fits then stage else 'other' end, sum(count), sum(sum_ns) from named group by 3 order by 3
    on conflict (org_id, op_type, stage) do update set count = t.count + excluded.count, sum_ns = t.sum_ns + excluded.sum_ns`,
};
const ADD_FAILURE = {
  name: 'fact-failure-totals',
  text: `
    insert into operation_failure_totals as t (org_id, op_type, stage, reason, count) values ($1, $2, $3, $4, 1)
    on conflict (org_id, op_type, stage, reason) do update set count = t.count + 1`,
};

/**
 * Adds what is counted now. The first statement locks the row that attempts of a kind share, until the transaction ends: they
 * are counted one after the other, none waits for another crosswise, and all see how many labels there are.
 */
export async function addTotals(tx: Tx, opType: OperationType, observed: Observations): Promise<void> {
  const { result, durationNs, sizeBytes, stages } = observed;
  if (result !== undefined || durationNs !== undefined || sizeBytes !== undefined || stages.length > 0) {
    const counted = (name: string) => (result === name ? 1 : 0);
    await tx.prepared(ADD_TOTALS, [
      tx.orgId,
      opType,
      counted('succeeded'),
      counted('failed'),
      counted('fallback'),
      durationNs ?? 0,
      durationCounts(durationNs),
      sizeBytes ?? 0,
      sizeCounts(sizeBytes),
    ]);
  }
  if (stages.length > 0) {
    await tx.prepared(ADD_STAGES, [
      tx.orgId,
      opType,
      stages.map(({ stage }) => stage),
      stages.map(({ durationNs: ns }) => ns),
    ]);
  }
}

/** Counts a failure under its labels; after `addTotals`, whose lock keeps the number of labels bounded. */
export async function addFailure(tx: Tx, opType: OperationType, { stage, reason }: FailureLabels): Promise<void> {
  await tx.prepared(ADD_FAILURE, [tx.orgId, opType, stage, reason]);
}

// ---- pods of restores

// A restore waits for a pod by its uid, or by the checkpoint it asks for on a node, within 10 minutes of its start: two
// statements, so that each finds its facts by an index however many never get a pod. The bounds are worked out before the
// join: row level security lets an index look for columns only, not for what is computed of them.
const noteTimes = (condition: string) => `
    with p as materialized (
      select *, born_at - interval '10 minutes' as earliest, born_at + interval '10 minutes' as latest
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[])
        as told(uid, name, namespace, node_name, checkpoint_name, scheduled_at, ready_at, born_at)
    )
    update operation_facts f set
      pod_uid = p.uid, name = case when f.name = '' then p.name else f.name end, namespace = case when f.namespace = '' then p.namespace else f.namespace end,
      pod_scheduled_at = coalesce(f.pod_scheduled_at, p.scheduled_at), pod_ready_at = p.ready_at
    from p where f.org_id = $1 and f.op_type = 'restore' and f.pod_ready_at is null and ${condition}`;
const NAMED_POD = { name: 'fact-pods-named', text: noteTimes('f.pod_uid = p.uid') };
const ASKING_POD = {
  name: 'fact-pods-asking',
  text: noteTimes(
    "f.pod_uid = '' and f.checkpoint_name = p.checkpoint_name and f.node_name = p.node_name and f.started_at between p.earliest and p.latest",
  ),
};

/** Notes when the pods of restores were scheduled and became ready. The first time that a pod was ready stands. */
export async function notePodTimes(tx: Tx, pods: readonly PodTimes[]): Promise<void> {
  const column = <K extends keyof PodTimes>(name: K) => pods.map((pod) => pod[name]);
  const values = [
    tx.orgId,
    column('uid'),
    column('name'),
    column('namespace'),
    column('node_name'),
    column('checkpoint_name'),
    column('scheduled_at'),
    column('ready_at'),
    column('born_at'),
  ];
  await tx.prepared(NAMED_POD, values);
  if (pods.some((pod) => pod.checkpoint_name !== null)) await tx.prepared(ASKING_POD, values);
}
