import { DAYS_AGO } from '../../1-platform/database/rows/days-ago';
import type { QueryResultRow } from 'pg';
import { AUDIT_VALUE_COLUMNS, auditEntryOf } from '../../1-platform/audit/audit-entry.queries';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { arrayLiteral } from '../../1-platform/database/rows/array-literal';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
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
      s.generation, s.ready_at is not null as was_ready, s.failed_at is not null as failed,
      n.id as successor_id, n.generation as successor_generation
    from activations a left join starts s on s.org_id = a.org_id and s.id = a.start_id
    left join lateral (
      select n.id, n.generation from starts n
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
  successor_id: string | null;
  successor_generation: number;
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
  const { start_id: id, generation, was_ready: ready, failed } = row;
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
    start: id === null ? null : { id, generation, ready, failed },
    successor: row.successor_id === null ? null : { id: row.successor_id, generation: row.successor_generation },
  };
}

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

const REPEATED_TOGETHER = unscoped(
  'activations-repeated',
  `
    with held as materialized (
      select a.profile_id
      from activations a
      join unnest($profile_ids::text[], $versions::bigint[]) r (profile_id, version) using (profile_id)
      where a.org_id = $org_id and a.version = r.version
      for update of a skip locked
    )
    update activations a set updated_at = clock_timestamp() from held
    where a.org_id = $org_id and a.profile_id = held.profile_id returning a.profile_id`,
);

/**
 * Notes several reports, each on another profile, and waits for no lock.
 * @returns the profiles whose reports are noted; others may be locked, or have changed
 */
export async function noteRepeatedReports(
  statements: StatementPool,
  orgId: string,
  repeated: readonly Repeated[],
): Promise<Map<string, boolean>> {
  const rows = await statements.run<{ profile_id: string }>(REPEATED_TOGETHER, {
    org_id: orgId,
    profile_ids: arrayLiteral(repeated.map(({ profileId }) => profileId)),
    versions: arrayLiteral(repeated.map(({ version }) => version)),
  });
  return new Map(rows.map(({ profile_id: profileId }) => [profileId, true]));
}

/** The members of a move, as the statement gets them. */
const MOVE_COLUMNS = `
  profile_id text, version bigint, desired_state text, phase text, ready boolean, endpoint text,
  observed_generation bigint, reporter uuid, cluster_id uuid, workers text, message text, start_id uuid,
  ends boolean, ended_start_id uuid, ends_all boolean, begins boolean, beginning_seen boolean,
  becomes_ready boolean, fails boolean, phase_id uuid, ${AUDIT_VALUE_COLUMNS}`;

// Writes all changes of reports, each on another profile, in one statement. It changes nothing of a profile
// that another cluster holds, or whose row no longer has the version on which the move was decided. A change
// of its start increases the version too, so an equal version means an unchanged start. A row without a
// version is new.
const MOVES = `
  with m as materialized (
    select * from json_to_recordset($moves::json) as m (${MOVE_COLUMNS})
  ), changed as (
    update activations a
    set desired_state = m.desired_state, phase = m.phase, ready = m.ready, endpoint = m.endpoint,
      observed_generation = m.observed_generation, start_id = m.start_id, cluster_id = m.cluster_id,
      workers = m.workers::jsonb, message = m.message, version = a.version + 1,
      updated_at = clock_timestamp()
    from m join (
      select a.profile_id
      from activations a join m on m.profile_id = a.profile_id
      where a.org_id = $org_id and a.version = m.version and (
        m.reporter is null or a.cluster_id is null or a.cluster_id = m.reporter
        or a.updated_at <= clock_timestamp() - interval '${HELD_SECONDS} s'
      )
      for update of a
    ) held using (profile_id)
    where a.org_id = $org_id and a.profile_id = m.profile_id
    returning a.profile_id, a.version, a.updated_at
  ), made as (
    insert into activations (org_id, profile_id, desired_state, phase, ready, endpoint,
      observed_generation, start_id, cluster_id, workers, message, version, updated_at)
    select $org_id, profile_id, desired_state, phase, ready, endpoint,
      observed_generation, start_id, cluster_id, workers::jsonb, message, 1, clock_timestamp()
    from m where version is null order by profile_id
    on conflict (org_id, profile_id) do nothing
    returning profile_id, version, updated_at
  ), saved as (
    select m.*, s.version as saved_version, s.updated_at as at
    from (select * from changed union all select * from made) s join m using (profile_id)
  ), phases as (
    insert into activation_phases (org_id, id, profile_id, phase, ready, observed_generation, occurred_at)
    select $org_id, phase_id, profile_id, phase, ready, observed_generation, at
    from saved where phase_id is not null
  ), audited as (
    ${auditEntryOf('saved', '')}
  )
  select profile_id, saved_version as version, exists (
    select from capacity_intents i
    where i.org_id = $org_id and i.profile_id = saved.profile_id and i.status = 'Pending'
  ) as awaited, case when ends or begins or becomes_ready or fails then
    start_reported($org_id, profile_id, at, observed_generation, start_id,
      ends, ended_start_id, ends_all, begins, beginning_seen, becomes_ready, fails)
  end as start_reported
  from saved`;

const SKIPS = 'for update of a skip locked';
const MOVE = unscoped('activation-move', MOVES);
const MOVE_TOGETHER = unscoped('activations-move', MOVES.replace('for update of a', SKIPS));

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

async function write(
  statements: StatementPool,
  text: typeof MOVE,
  orgId: string,
  moves: readonly Move[],
): Promise<Map<string, Moved>> {
  const values = { org_id: orgId, moves: JSON.stringify(moves.map(moveRow)) };
  const rows = await statements.run<Moved & { profile_id: string }>(text, values);
  return new Map(rows.map(({ profile_id: profileId, version, awaited }) => [profileId, { version, awaited }]));
}

/** @returns undefined if the row has changed since the move was decided */
export const moveActivation = async (
  statements: StatementPool,
  orgId: string,
  move: Move,
): Promise<Moved | undefined> => (await write(statements, MOVE, orgId, [move])).get(move.profileId);

/**
 * Writes several moves, each of another profile, and waits for no activation that is locked.
 * @returns those that are written, by profile; others may be locked, or have changed
 */
export const moveActivations = (
  statements: StatementPool,
  orgId: string,
  moves: readonly Move[],
): Promise<Map<string, Moved>> => write(statements, MOVE_TOGETHER, orgId, moves);

const LIST = `
  select p.profile_id, p.logical_model, p.exact_model, p.hosting_mode, p.compatibility_key,
    p.profile_revision, a.desired_state, a.phase, p.estimated_cold_start_ms, a.observed_generation, a.ready,
    a.updated_at, a.endpoint, a.cluster_id, a.workers, a.message,
    s.began_at as activation_started_at, s.ready_at
  from activations a
  join profiles p on p.org_id = a.org_id and p.profile_id = a.profile_id
  left join starts s on s.org_id = a.org_id and s.id = a.start_id
  where a.org_id = $org_id and ($profile_id::text is null or a.profile_id = $profile_id)
  order by a.profile_id limit $limit offset $offset`;

/** @param profileId undefined: of all profiles */
export const listActivations = async (
  tx: Tx,
  slice: Slice,
  profileId: string | undefined,
): Promise<Page<ActivationView>> =>
  Page.of(
    await tx.query<ActivationRow>(LIST, {
      org_id: tx.orgId,
      profile_id: profileId ?? null,
      ...rowsOf(slice),
    }),
    slice,
  ).map(activationView);

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

const FORGET_PHASES = statement(
  'activation-phases-forget',
  `
    with old as (
      select o.id as org_id, page.id as phase_id from organisations o cross join lateral (
        select id from activation_phases
        where org_id = o.id and occurred_at < ${DAYS_AGO}
        order by occurred_at limit $limit
      ) page limit $limit
    )
    delete from activation_phases e using old where e.org_id = old.org_id and e.id = old.phase_id
    returning e.id`,
);

/** For all organisations. @returns the number of deleted phases older than this many days */
export const forgetPhases = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET_PHASES, { days, limit })).length;
