import { DAYS_AGO } from '../../1-platform/database/rows/days-ago';
import type { QueryResultRow } from 'pg';
import { auditEntryOf } from '../../1-platform/audit/audit-entry.queries';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
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

/** Notes a report that repeats the known state. @returns false if the state has changed */
export const noteRepeatedReport = async (
  statements: StatementPool,
  orgId: string,
  profileId: string,
  version: number,
): Promise<boolean> => (await statements.run(REPEATED, { org_id: orgId, profile_id: profileId, version })).length > 0;

// Writes all changes of a report in one statement. The statement changes nothing if another cluster holds the
// profile, or if the row no longer has the version on which the move was decided. A change of its start
// increases the version too, so an equal version means an unchanged start. A start ends before the next one
// begins.
const MOVE = unscoped(
  'activation-move',
  `
    with saved as (
      insert into activations as a (org_id, profile_id, desired_state, phase, ready, endpoint,
        observed_generation, start_id, cluster_id, workers, message, version, updated_at)
      select $org_id::uuid, $profile_id::text, $desired_state::text, $phase::text, $ready::boolean,
        $endpoint::text, $observed_generation::bigint, $start_id::uuid, $cluster_id::uuid, $workers::jsonb,
        $message::text, 1, clock_timestamp()
      on conflict (org_id, profile_id) do update
        set desired_state = excluded.desired_state, phase = excluded.phase, ready = excluded.ready,
          endpoint = excluded.endpoint, observed_generation = excluded.observed_generation,
          start_id = excluded.start_id, cluster_id = excluded.cluster_id, workers = excluded.workers,
          message = excluded.message, version = a.version + 1, updated_at = excluded.updated_at
        where a.version = $version::bigint and (
          $reporter::uuid is null or a.cluster_id is null or a.cluster_id = $reporter
          or a.updated_at <= clock_timestamp() - interval '${HELD_SECONDS} s'
        )
      returning version, updated_at as at
    ), ended as (
      update starts s set ended_at = greatest(saved.at, s.began_at),
        reported_ended_at = greatest(saved.at, s.began_at)
      from saved
      where $ends::boolean and s.org_id = $org_id and s.profile_id = $profile_id and s.ended_at is null
        and case
          when $ended_start_id::uuid is not null then s.id = $ended_start_id
          else $ends_all::boolean or s.generation <= $observed_generation
        end
    ), begun as (
      insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, failed_at,
        reported_began_at, beginning_reported, reported_ready_at, reported_failed_at)
      select $org_id, $start_id, $profile_id, $observed_generation, saved.at, $beginning_seen::boolean,
        case when $becomes_ready::boolean then saved.at end, case when $fails::boolean then saved.at end,
        saved.at, $beginning_seen, case when $becomes_ready then saved.at end,
        case when $fails then saved.at end
      from saved where $begins::boolean
    ), reported as (
      update starts s set
        ready_at = coalesce(s.ready_at, case when $becomes_ready then greatest(saved.at, s.began_at) end),
        failed_at = coalesce(s.failed_at, case when $fails then greatest(saved.at, s.began_at) end),
        reported_ready_at = coalesce(s.reported_ready_at,
          case when $becomes_ready then greatest(saved.at, s.began_at) end),
        reported_failed_at = coalesce(s.reported_failed_at,
          case when $fails then greatest(saved.at, s.began_at) end)
      from saved where not $begins and ($becomes_ready or $fails) and s.org_id = $org_id and s.id = $start_id
    ), phases as (
      insert into activation_phases (org_id, id, profile_id, phase, ready, observed_generation, occurred_at)
      select $org_id, $phase_id::uuid, $profile_id, $phase, $ready, $observed_generation, saved.at from saved
      where $phase_id is not null
    ), audited as (
      ${auditEntryOf('saved')}
    )
    select version, exists (
      select from capacity_intents where org_id = $org_id and profile_id = $profile_id and status = 'Pending'
    ) as awaited from saved`,
);

/** The parts of a move that the report does not contain. */
export interface DecidedMove {
  readonly move: Extract<ActivationMove, { kind: 'moved' }>;
  /** The start that is current afterwards. */
  readonly startId: string | null;
  /** Of the entry in the log of phases; null if the phase stays. */
  readonly phaseId: string | null;
  readonly auditEntry: Values;
}

/**
 * @returns the new version of the row, and whether a request waits for the profile; undefined if the row has
 * changed since the move was decided
 */
export async function moveActivation(
  statements: StatementPool,
  orgId: string,
  profileId: string,
  known: KnownActivation | undefined,
  report: ActivationReport,
  { move, startId, phaseId, auditEntry }: DecidedMove,
): Promise<{ version: number; awaited: boolean } | undefined> {
  const [row] = await statements.run<{ version: number; awaited: boolean }>(MOVE, {
    org_id: orgId,
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
  return row;
}

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
