import type { QueryResultRow } from 'pg';
import { AUDIT_VALUE_COLUMNS, auditEntryOf } from '../../1-platform/audit/audit-entry.queries';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { arrayLiteral } from '../../1-platform/database/rows/array-literal';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { removalOfOldestOfEach } from '../../1-platform/database/rows/oldest-rows';
import { statement, unscoped, type Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { canonicalJson } from '../../1-platform/common/json/canonical-json';
import { digestOfWorkers, type ActivationMove, type ActivationReport, type KnownActivation } from './activation.moves';
import type { ActivationView } from './activations.dto';

/** A cluster that reports nothing about a profile for this long no longer holds it. */
export const HELD_SECONDS = 90;

const KNOWN = unscoped(
  'activation-known',
  `
    select a.version, a.desired_state, a.phase, a.ready, a.endpoint, a.observed_generation, a.start_id,
      a.cluster_id, a.workers, a.message,
      a.updated_at > clock_timestamp() - interval '${HELD_SECONDS} s' as held,
      s.generation, s.ready_at is not null as was_ready, s.failed_at is not null as failed, s.pod_uid,
      n.id as successor_id, n.generation as successor_generation, n.pod_uid as successor_pod_uid
    from activations a left join starts s on s.org_id = a.org_id and s.id = a.start_id
    left join lateral (
      select n.id, n.generation, n.pod_uid from starts n
      where n.org_id = $org_id and n.profile_id = $profile_id and n.ended_at is null and n.ready_at is null
        and n.failed_at is null and n.id is distinct from a.start_id
      order by n.began_at desc, n.id desc limit 1
    ) n on true
    where a.org_id = $org_id and a.profile_id = $profile_id`,
);

interface KnownRow extends QueryResultRow {
  version: number;
  desired_state: string;
  phase: string;
  ready: boolean;
  endpoint: string | null;
  observed_generation: number;
  start_id: string | null;
  cluster_id: string | null;
  workers: unknown;
  message: string | null;
  held: boolean;
  generation: number;
  was_ready: boolean;
  failed: boolean;
  pod_uid: string | null;
  successor_id: string | null;
  successor_generation: number;
  successor_pod_uid: string | null;
}

/** As it was when it was read. */
export interface StoredActivation extends KnownActivation {
  /** The cluster that runs its workers has reported recently. */
  readonly held: boolean;
}

export async function knownActivation(
  statements: StatementPool,
  orgId: string,
  profileId: string,
): Promise<StoredActivation | undefined> {
  const [row] = await statements.run<KnownRow>(KNOWN, { org_id: orgId, profile_id: profileId });
  if (!row) return undefined;
  const { start_id: id, generation, was_ready: ready, failed, pod_uid: podUid } = row;
  const { successor_id: successorId, successor_generation: successorGeneration, successor_pod_uid } = row;
  return {
    version: row.version,
    desiredState: row.desired_state,
    phase: row.phase,
    ready: row.ready,
    endpoint: row.endpoint,
    observedGeneration: row.observed_generation,
    clusterId: row.cluster_id,
    workersDigest: row.workers === null ? null : digestOfWorkers(canonicalJson(row.workers)),
    message: row.message,
    held: row.held,
    start: id === null ? null : { id, generation, ready, failed, podUid },
    successor:
      successorId === null ? null : { id: successorId, generation: successorGeneration, podUid: successor_pod_uid },
  };
}

const RUNNING = statement(
  'activation-cluster',
  `
    select cluster_id from activations where org_id = $org_id and profile_id = $profile_id`,
);

/** The cluster that runs the workers of a profile, as far as reports name it. */
export const clusterRunning = async (tx: Tx, profileId: string): Promise<string | null> =>
  (await tx.prepared<{ cluster_id: string | null }>(RUNNING, { org_id: tx.orgId, profile_id: profileId }))[0]
    ?.cluster_id ?? null;

const REPEATED = unscoped(
  'activation-repeated',
  `
    update activations set updated_at = clock_timestamp()
    where org_id = $org_id and profile_id = $profile_id and version = $version returning version`,
);

/** A report that repeats the state of this version. */
export interface Repeated {
  readonly profileId: string;
  readonly version: number;
}

/** Notes a report that repeats the known state. @returns false if the state has changed */
export const noteRepeatedReport = async (
  statements: StatementPool,
  orgId: string,
  { profileId, version }: Repeated,
): Promise<boolean> => (await statements.run(REPEATED, { org_id: orgId, profile_id: profileId, version })).length > 0;

// Each row is looked up and locked by its key: PostgreSQL does not join what a lateral query locks. It
// expects that few rows have the version of a report, so it also finds the rows to update by their key.
const REPEATED_TOGETHER = unscoped(
  'activations-repeated',
  `
    with seen as materialized (
      select r.profile_id, r.version, a.version as seen_version
      from unnest($profile_ids::text[], $versions::bigint[]) r (profile_id, version) cross join lateral (
        select version from activations where org_id = $org_id and profile_id = r.profile_id
        for no key update skip locked
      ) a
    ), noted as (
      update activations a set updated_at = clock_timestamp() from seen
      where a.org_id = $org_id and a.profile_id = seen.profile_id and seen.version = seen.seen_version
    )
    select profile_id, version = seen_version as noted from seen`,
  { waits_once: true },
);

/**
 * Notes several reports, each on another profile. It skips activations that are locked.
 * @returns by profile, for those that were not: false if the state has changed
 */
export async function noteRepeatedReports(
  statements: StatementPool,
  orgId: string,
  repeated: readonly Repeated[],
): Promise<Map<string, boolean>> {
  const rows = await statements.run<{ profile_id: string; noted: boolean }>(REPEATED_TOGETHER, {
    org_id: orgId,
    profile_ids: arrayLiteral(repeated.map(({ profileId }) => profileId)),
    versions: arrayLiteral(repeated.map(({ version }) => version)),
  });
  return new Map(rows.map(({ profile_id: profileId, noted }) => [profileId, noted]));
}

/** The members of a move, as the statement gets them. */
const MOVE_COLUMNS = `
  profile_id text, version bigint, desired_state text, phase text, ready boolean, endpoint text,
  observed_generation bigint, reporter uuid, cluster_id uuid, workers text, message text, start_id uuid,
  ends boolean, ended_start_id uuid, ends_all boolean, begins boolean, beginning_seen boolean,
  becomes_ready boolean, fails boolean, phase_id uuid, ${AUDIT_VALUE_COLUMNS}`;

// Changes nothing of a profile that another cluster holds, nor for a cluster that takes it over while it is
// being deleted: the deletion ends what the cluster runs, and would not see the profile. Each statement adds
// that the row still has the version on which the move was decided. A change of its start increases the
// version too, so an equal version means an unchanged start.
const CHANGE = `
  update activations a
  set desired_state = m.desired_state, phase = m.phase, ready = m.ready, endpoint = m.endpoint,
    observed_generation = m.observed_generation, start_id = m.start_id, cluster_id = m.cluster_id,
    workers = m.workers::jsonb, message = m.message, version = a.version + 1, updated_at = clock_timestamp()
  from m
  where a.org_id = $org_id and a.profile_id = m.profile_id and (
    m.reporter is null or a.cluster_id is null or a.cluster_id = m.reporter
    or a.updated_at <= clock_timestamp() - interval '${HELD_SECONDS} s'
  ) and (m.cluster_id is null or a.cluster_id = m.cluster_id or cluster_held($org_id, m.cluster_id))`;

// What follows from the saved moves. A move that is not saved has no version in the answer.
const CONSEQUENCES = `
  phases as (
    insert into activation_phases (org_id, id, profile_id, phase, ready, observed_generation, occurred_at)
    select $org_id, phase_id, profile_id, phase, ready, observed_generation, at
    from saved where phase_id is not null
  ), audited as (
    ${auditEntryOf('saved', '')}
  )
  select m.profile_id, s.saved_version as version, i.pending is not null as awaited,
    case when s.ends or s.begins or s.becomes_ready or s.fails then
      start_reported($org_id, s.profile_id, s.at, s.observed_generation, s.start_id,
        s.ends, s.ended_start_id, s.ends_all, s.begins, s.beginning_seen, s.becomes_ready, s.fails)
    end as start_reported
  from m left join saved s using (profile_id) left join lateral (
    select true as pending from capacity_intents
    where org_id = $org_id and profile_id = s.profile_id and status = 'Pending' limit 1
  ) i on true`;

// Waits for the row. A move without a version makes it: it may wait for others who make the same one, and for
// its profile.
const MOVE = unscoped(
  'activation-move',
  `
    with m as materialized (
      select * from json_to_record($move::json) as m (${MOVE_COLUMNS})
    ), changed as (
      ${CHANGE} and a.version = m.version
      returning m.*, a.version as saved_version, a.updated_at as at
    ), made as (
      insert into activations (org_id, profile_id, desired_state, phase, ready, endpoint,
        observed_generation, start_id, cluster_id, workers, message, version, updated_at)
      select $org_id, profile_id, desired_state, phase, ready, endpoint,
        observed_generation, start_id, cluster_id, workers::jsonb, message, 1, clock_timestamp()
      from m where version is null and (cluster_id is null or cluster_held($org_id, cluster_id))
      on conflict (org_id, profile_id) do nothing
      returning profile_id, version, updated_at
    ), saved as (
      select * from changed union all
      select m.*, made.version, made.updated_at from made join m using (profile_id)
    ), ${CONSEQUENCES}`,
);

// Skips activations that are locked, and makes none. Look-ups go by the key, as in `activations-repeated`.
const MOVE_TOGETHER = unscoped(
  'activations-move',
  `
    with m as materialized (
      select m.*, a.version as seen_version
      from json_to_recordset($moves::json) as m (${MOVE_COLUMNS}) cross join lateral (
        select version from activations where org_id = $org_id and profile_id = m.profile_id
        for no key update skip locked
      ) a
    ), saved as (
      ${CHANGE} and m.version = m.seen_version
      returning m.*, a.version as saved_version, a.updated_at as at
    ), ${CONSEQUENCES}`,
  { waits_once: true },
);

/** A report that changes what is known of a profile, and what was decided about it. */
export interface Move {
  readonly profileId: string;
  readonly known: KnownActivation | undefined;
  readonly report: ActivationReport;
  readonly move: Extract<ActivationMove, { kind: 'moved' }>;
  /** The start that is current afterwards. */
  readonly startId: string | null;
  /** Of the entry in the log of phases; null if the phase stays. */
  readonly phaseId: string | null;
  readonly auditEntry: Values;
}

/** A row after its move. */
export interface Moved {
  readonly version: number;
  /** Whether a request waits for the profile. */
  readonly awaited: boolean;
}

const moveRow = ({ profileId, known, report, move, startId, phaseId, auditEntry }: Move): Values => ({
  profile_id: profileId,
  version: known?.version ?? null,
  desired_state: report.desiredState,
  phase: report.phase,
  ready: report.ready,
  endpoint: report.endpoint,
  observed_generation: move.observedGeneration,
  reporter: report.clusterId,
  cluster_id: move.clusterId,
  workers: report.workers,
  message: report.message,
  start_id: startId,
  ends: move.ends,
  // If a worker is replaced, only its start ends. If the profile is suspended, no start stays open.
  ended_start_id: move.begins || move.succeeds ? (known?.start?.id ?? null) : null,
  begins: move.begins,
  beginning_seen: move.beginningSeen,
  becomes_ready: move.becomesReady,
  fails: move.fails,
  phase_id: phaseId,
  // A controller that reports no generations is treated as if it had seen all of them.
  ends_all: report.observedGeneration === undefined,
  ...auditEntry,
});

interface MovedRow extends QueryResultRow {
  profile_id: string;
  /** Null if nothing was written. */
  version: number | null;
  awaited: boolean;
}

const movedOf = ({ version, awaited }: MovedRow): Moved | undefined =>
  version === null ? undefined : { version, awaited };

/** @returns undefined if the row has changed since the move was decided */
export async function moveActivation(statements: StatementPool, orgId: string, move: Move): Promise<Moved | undefined> {
  const values = { org_id: orgId, move: JSON.stringify(moveRow(move)) };
  const [row] = await statements.run<MovedRow>(MOVE, values);
  return row && movedOf(row);
}

/**
 * Writes several moves, each of another profile that is known. It skips activations that are locked.
 * @returns by profile, for those that were not: undefined if the row has changed since the move was decided
 */
export async function moveActivations(
  statements: StatementPool,
  orgId: string,
  moves: readonly Move[],
): Promise<Map<string, Moved | undefined>> {
  const values = { org_id: orgId, moves: JSON.stringify(moves.map(moveRow)) };
  const rows = await statements.run<MovedRow>(MOVE_TOGETHER, values);
  return new Map(rows.map((row) => [row.profile_id, movedOf(row)]));
}

const LIST = boundedPage({
  as: 'a',
  found: `
    select * from activations
    where org_id = $org_id and ($profile_id::text is null or profile_id = $profile_id)
    order by profile_id limit $limit offset $offset`,
  bytes: 'coalesce(octet_length(a.workers::text), 0)',
  order: 'a.profile_id',
  columns: `p.profile_id, p.logical_model, p.exact_model, p.hosting_mode, p.compatibility_key,
    p.profile_revision, a.desired_state, a.phase, p.estimated_cold_start_ms, a.observed_generation, a.ready,
    a.updated_at, a.endpoint, a.cluster_id, a.workers, a.message,
    s.began_at as activation_started_at, s.ready_at`,
  joins: `
    join profiles p on p.org_id = $org_id and p.profile_id = a.profile_id
    left join starts s on s.org_id = $org_id and s.id = a.start_id`,
});

/** @param profileId undefined: of all profiles */
export const listActivations = async (
  tx: Tx,
  slice: Slice,
  profileId: string | undefined,
): Promise<Page<ActivationView>> => {
  const values = { org_id: tx.orgId, profile_id: profileId ?? null, ...rowsOf(slice) };
  return (await readPage<ActivationRow>(tx, LIST, values, slice)).map(activationView);
};

type Reported = Pick<ActivationView, 'cluster_id' | 'workers' | 'message'>;
type ActivationRow = Omit<ActivationView, keyof Reported> & {
  [Name in keyof Reported]-?: NonNullable<Reported[Name]> | null;
} & QueryResultRow;

const activationView = ({ cluster_id, workers, message, ...view }: ActivationRow): ActivationView => ({
  ...view,
  ...(cluster_id === null ? {} : { cluster_id }),
  ...(workers === null ? {} : { workers }),
  ...(message === null ? {} : { message }),
});

const PUT_ENDPOINT = `
  insert into worker_endpoints (org_id, profile_id, metrics_url, pod_name)
  values ($org_id, $profile_id, $metrics_url, $pod_name)
  on conflict (org_id, profile_id) do update set metrics_url = excluded.metrics_url,
    pod_name = excluded.pod_name, updated_at = clock_timestamp()`;

export async function putWorkerEndpoint(
  tx: Tx,
  profileId: string,
  metricsUrl: string,
  podName: string | null,
): Promise<void> {
  await tx.query(PUT_ENDPOINT, { org_id: tx.orgId, profile_id: profileId, metrics_url: metricsUrl, pod_name: podName });
}

const FORGET_PHASES = removalOfOldestOfEach('activation-phases-forget', {
  table: 'activation_phases',
  at: 'occurred_at',
});

/** For all organisations. @returns the number of deleted phases older than this many days */
export const forgetPhases = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET_PHASES, { days, limit })).length;
