import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { Slice } from '../../1-platform/common/answers/paging';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import type { Attempt, StoredAttempt } from './attempt';
import { OperationFact } from './operation-fact.entity';
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

const FIND = statement(
  'fact-find',
  `select ${SELECTED} from operation_facts where org_id = $org_id and operation_id = $operation_id`,
);
// In one order, so that two transactions that write the same facts cannot deadlock.
const LOCK = statement(
  'facts-lock',
  `
    select ${SELECTED} from operation_facts
    where org_id = $org_id and operation_id = any($ids::uuid[])
    order by operation_id for update`,
);

/** How far the clock that tells when an attempt began may be ahead of the database's. */
const CLOCK_AHEAD = '1 day';

/**
 * A condition on stages of attempts that began from then on, by which PostgreSQL leaves older partitions out:
 * the database stamps a stage after its attempt began. Those of before that stamp have a later one.
 * @param began a parameter, or a time of the transaction: not a column
 */
export const recordedSince = (began: string): string => `recorded_at >= ${began} - interval '${CLOCK_AHEAD}'`;

const STAGES = statement(
  'fact-stages',
  `
    select operation_id, stage, duration_ns as "durationNs", bytes_in as "bytesIn", bytes_out as "bytesOut",
      result, reason
    from operation_stages
    where org_id = $org_id and operation_id = any($ids::uuid[]) and ${recordedSince('$began::timestamptz')}
    order by operation_id, seq`,
);
const RESTORES = statement(
  'fact-restores',
  `
    select ${SELECTED} from operation_facts
    where org_id = $org_id and checkpoint_id = $checkpoint_id and op_type = 'restore'
    order by started_at desc, operation_id limit 1000`,
);

/** Where a page begins: behind an attempt in the order of the list. */
export interface Behind {
  readonly startedAt: Date;
  readonly operationId: string;
}

/** @returns undefined if no such attempt was reported */
export const beginningOf = async (tx: Tx, operationId: string): Promise<Behind | undefined> =>
  (await tx.store(OperationFact).findOne({ operationId }, { select: { startedAt: true, operationId: true } })) ??
  undefined;

// Planned with its values, so that failures are found by the index that holds nothing else. Every attempt has
// such a time: the index of their order serves only statements that compare it.
const LIST = `
  select ${SELECTED} from operation_facts
  where org_id = $org_id and started_at >= '-infinity'
    and ($operation_id::uuid is null or operation_id = $operation_id)
    and ($op_type::text is null or op_type = $op_type) and ($result::text is null or result = $result)
    and ($workload_type::text is null or workload_type = $workload_type)
    and ($cluster_id::uuid is null or cluster_id = $cluster_id)
    and ($action_id::uuid is null or action_id = $action_id)
    and ($namespace::text is null or namespace = $namespace) and ($name::text is null or name ilike $name)
    and ($since::timestamptz is null or started_at >= $since)
    and ($until::timestamptz is null or started_at < $until)
    and ($behind_at::timestamptz is null or (started_at, operation_id) < ($behind_at, $behind_id::uuid))
  order by started_at desc, operation_id desc limit $limit offset $offset`;

/** Attempts, newest first. */
export const listFacts = (
  tx: Tx,
  { name, ...filter }: FactFilter,
  slice: Slice,
  behind: Behind | undefined,
): Promise<Attempt[]> =>
  tx.query<Attempt & QueryResultRow>(LIST, {
    ...NO_FILTER,
    ...filter,
    org_id: tx.orgId,
    name: likeContaining(name),
    ...slice,
    behind_at: behind?.startedAt ?? null,
    behind_id: behind?.operationId ?? null,
  });

export interface FactFilter {
  readonly operation_id?: string | undefined;
  readonly op_type?: string | undefined;
  readonly result?: string | undefined;
  readonly workload_type?: string | undefined;
  readonly cluster_id?: string | undefined;
  readonly action_id?: string | undefined;
  readonly namespace?: string | undefined;
  /** A part of the name; case does not matter. */
  readonly name?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const NO_FILTER = {
  ...{ operation_id: null, op_type: null, result: null, workload_type: null, cluster_id: null },
  ...{ action_id: null, namespace: null, since: null, until: null },
};

/** A fact with its stages. */
export async function findFact(tx: Tx, operationId: string): Promise<StoredAttempt | undefined> {
  const values = { org_id: tx.orgId, operation_id: operationId };
  const [fact] = await withStages(tx, await tx.prepared<Attempt & QueryResultRow>(FIND, values));
  return fact;
}

/**
 * As `findFact`, for many, with locks: a report of a synced pod waits, and its changes are not overwritten.
 */
export const lockFacts = async (tx: Tx, operationIds: readonly string[]): Promise<StoredAttempt[]> =>
  withStages(tx, await tx.prepared<Attempt & QueryResultRow>(LOCK, { org_id: tx.orgId, ids: operationIds }));

async function withStages(tx: Tx, facts: readonly Attempt[]): Promise<StoredAttempt[]> {
  if (facts.length === 0) return [];
  const byFact = await stagesOf(tx, facts, new Date(Math.min(...facts.map(({ startedAt }) => startedAt.getTime()))));
  // They are gone because they are old, or a clock that was further ahead began the attempt.
  const missing = facts.filter(({ operationId, source }) => source !== '' && !byFact.has(operationId));
  for (const [id, stages] of await stagesOf(tx, missing, new Date(0))) byFact.set(id, stages);
  return facts.map((fact) => ({
    ...fact,
    stages: (byFact.get(fact.operationId) ?? []).map(({ operation_id: _id, ...stage }) => stage),
  }));
}

async function stagesOf(
  tx: Tx,
  facts: readonly Attempt[],
  began: Date,
): Promise<Map<string, (ReportedStage & { operation_id: string })[]>> {
  if (facts.length === 0) return new Map();
  const values = { org_id: tx.orgId, ids: facts.map(({ operationId }) => operationId), began };
  const stages = await tx.prepared<ReportedStage & { operation_id: string }>(STAGES, values);
  return Map.groupBy(stages, ({ operation_id }) => operation_id);
}

/** Facts of the restores made from a checkpoint, newest first. */
export const restoresFrom = (tx: Tx, checkpointId: string): Promise<Attempt[]> =>
  tx.prepared<Attempt & QueryResultRow>(RESTORES, { org_id: tx.orgId, checkpoint_id: checkpointId });

const ACTION_TOTALS = statement(
  'fact-action-totals',
  `
    select action_id, least(sum(duration_ns), 9007199254740991)::bigint as duration_ns,
      least(sum(physical_bytes), 9007199254740991)::bigint as bytes
    from operation_facts where org_id = $org_id and action_id = any($action_ids::uuid[]) group by action_id`,
);

export interface ActionTotals {
  action_id: string;
  duration_ns: number;
  bytes: number;
}

/** The sums over the attempts of each action; actions without an attempt are left out. */
export const actionTotals = (tx: Tx, actionIds: readonly string[]): Promise<ActionTotals[]> =>
  tx.prepared<ActionTotals & QueryResultRow>(ACTION_TOTALS, { org_id: tx.orgId, action_ids: actionIds });

// Each column of facts is an array with the name of the column.
const SAVE = statement(
  'facts-save',
  `
    insert into operation_facts (org_id, failure_reason_label, failure_stage_label, ${NAMES.join(', ')})
    select $org_id, saved.failure_reason_label, saved.failure_stage_label,
      ${NAMES.map((name) => `saved.${name}`).join(', ')}
    from unnest(
      $failure_reason_label::text[], $failure_stage_label::text[],
      ${FIELDS.map((field) => `$${COLUMNS[field][0]}::${COLUMNS[field][1]}[]`).join(', ')}
    ) as saved(failure_reason_label, failure_stage_label, ${NAMES.join(', ')})
    on conflict (org_id, operation_id) do update set
      failure_reason_label = excluded.failure_reason_label,
      failure_stage_label = excluded.failure_stage_label,
      ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
);
const CLEAR_STAGES = statement(
  'fact-stages-clear',
  'delete from operation_stages where org_id = $org_id and operation_id = any($ids::uuid[])',
);
const SAVE_STAGES = statement(
  'fact-stages-save',
  `
    insert into operation_stages
      (org_id, operation_id, seq, stage, duration_ns, bytes_in, bytes_out, result, reason)
    select $org_id, saved.*
    from unnest(
      $operation_ids::uuid[], $seqs::int[], $stages::text[], $duration_ns::bigint[], $bytes_in::bigint[],
      $bytes_out::bigint[], $results::text[], $reasons::text[]
    ) as saved(operation_id, seq, stage, duration_ns, bytes_in, bytes_out, result, reason)`,
);

/** A fact to write, with the labels under which its failure is counted. */
export interface SavedFact {
  readonly fact: StoredAttempt;
  readonly labels: FailureLabels;
  readonly stagesChanged: boolean;
}

export async function saveFacts(tx: Tx, saved: readonly SavedFact[]): Promise<void> {
  await tx.prepared(SAVE, {
    org_id: tx.orgId,
    failure_reason_label: saved.map(({ labels }) => labels.reason),
    failure_stage_label: saved.map(({ labels }) => labels.stage),
    ...Object.fromEntries(FIELDS.map((field) => [COLUMNS[field][0], saved.map(({ fact }) => fact[field])])),
  });
  const changed = saved.filter(({ stagesChanged }) => stagesChanged).map(({ fact }) => fact);
  if (changed.length === 0) return;
  await tx.prepared(CLEAR_STAGES, { org_id: tx.orgId, ids: changed.map(({ operationId }) => operationId) });
  const stages = changed.flatMap((fact) =>
    fact.stages.map((stage, seq) => ({ operationId: fact.operationId, seq, ...stage })),
  );
  if (stages.length === 0) return;
  const column = <K extends keyof (typeof stages)[number]>(name: K) => stages.map((stage) => stage[name]);
  await tx.prepared(SAVE_STAGES, {
    org_id: tx.orgId,
    operation_ids: column('operationId'),
    seqs: column('seq'),
    stages: column('stage'),
    duration_ns: column('durationNs'),
    bytes_in: column('bytesIn'),
    bytes_out: column('bytesOut'),
    results: column('result'),
    reasons: column('reason'),
  });
}

/**
 * Attempts. Their stages go as whole partitions, some weeks later. An attempt stays as long as a record that
 * it is reported by: the checkpoint or the restore of its id, or its action. Without it, a report that is
 * repeated would count once more. Totals stay.
 */
export const OLD_FACTS: AgingRows = {
  table: 'operation_facts',
  at: 'started_at',
  key: { operation_id: 'uuid' },
  unneeded: `not exists (select from checkpoints c where c.org_id = $org_id and c.id = r.operation_id)
            and not exists (
              select from restores s where s.org_id = $org_id and s.restore_uuid = r.operation_id
            )
            and not exists (select from actions a where a.org_id = $org_id and a.id = r.action_id)`,
};
