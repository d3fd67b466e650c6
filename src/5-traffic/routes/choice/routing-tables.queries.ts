import { unscoped } from '../../../1-platform/database/transactions/statement';
import type { QueryResultRow } from 'pg';
import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { HELD_SECONDS } from '../../../4-serving/activations/activations.queries';
import { OF_KIND, START_KIND } from '../../../4-serving/activations/starts/starts.queries';
import { RUNNING_EXPERIMENT } from '../../../4-serving/experiments/experiments.queries';
import type { ReportedWorker, StartKind } from '../../../4-serving/activations/activations.dto';
import type { RouteMode } from '../route.modes';

export interface RouteRow extends QueryResultRow {
  logical_model: string;
  mode: RouteMode;
  queue_timeout_ms: number;
  generation: number;
  classifier_profile_id: string | null;
  classifier_prompt: string | null;
  classifier_response_schema: string | null;
  created_at: Date;
  targets: { profile_id: string; tier: string; priority: number; enabled: boolean }[];
}

// One row at least, for the routes that were deleted: all of it is of one moment.
const ROUTES = unscoped(
  'routing-routes',
  `
    select coalesce(w.generation, 0)::bigint as withdrawn, r.logical_model, r.mode, r.queue_timeout_ms,
      r.generation, r.classifier_profile_id, r.classifier_prompt, r.classifier_response_schema,
      r.created_at, coalesce(t.targets, '[]'::json) as targets
    from (values (1)) one
    left join withdrawn_routes w on w.org_id = $org_id
    left join routes r on r.org_id = $org_id
    left join lateral (
      select json_agg(json_build_object('profile_id', t.profile_id, 'tier', t.tier, 'priority', t.priority,
        'enabled', t.enabled) order by t.priority, t.position) as targets
      from route_targets t where t.org_id = r.org_id and t.logical_model = r.logical_model
    ) t on true
    order by r.logical_model`,
);

/** The routes of an organisation, and what those that were deleted add to their generations. */
export async function readRoutes(
  statements: StatementPool,
  orgId: string,
): Promise<{ routes: RouteRow[]; withdrawn: number }> {
  const rows = await statements.run<RouteRow & { withdrawn: number }>(ROUTES, { org_id: orgId });
  // Without any route, the only row has no model.
  const routes = rows.filter(({ logical_model: model }) => (model as string | null) !== null);
  return { routes, withdrawn: rows[0]?.withdrawn ?? 0 };
}

const ROUTE_GENERATIONS = unscoped(
  'routing-route-generations',
  `
    select logical_model, generation from routes
    where org_id = $org_id and logical_model = any($logical_models)`,
);

/** The generation of the route of each model; undefined without one. */
export async function readRouteGenerations(
  statements: StatementPool,
  orgId: string,
  logicalModels: readonly string[],
): Promise<(number | undefined)[]> {
  // PostgreSQL stores no text with a zero byte, and refuses it as a parameter.
  const asked = new Set(logicalModels.filter((model) => !model.includes('\0')));
  const values = { org_id: orgId, logical_models: [...asked] };
  const rows = await statements.run<{ logical_model: string; generation: number }>(ROUTE_GENERATIONS, values);
  const generations = new Map(rows.map((row) => [row.logical_model, row.generation]));
  return logicalModels.map((model) => generations.get(model));
}

/** The start of a worker that serves. */
export interface WorkerStartRow {
  readonly id: string;
  readonly pod_uid: string;
  readonly kind: StartKind;
  /** Null if its beginning was missed. */
  readonly took_ms: number | null;
  readonly credited: boolean;
}

/** What a worker reports may be long; this is what requests need of it. */
type RoutedWorkerRow = Pick<ReportedWorker, 'workload_uid' | 'endpoint' | 'ready' | 'start_kind'>;

export interface RoutedProfileRow extends QueryResultRow {
  profile_id: string;
  exact_model: string;
  backend_url: string;
  target_concurrency: number;
  max_queue_depth: number;
  min_replicas: number;
  max_replicas: number;
  estimated_cold_start_ms: number;
  endpoints: unknown;
  enabled: boolean;
  prompt_price: string | null;
  completion_price: string | null;
  node_hourly_usd: string | null;
  phase: string | null;
  ready: boolean | null;
  /** A cluster runs its workers, and has not repeated its report for a while. */
  silent: boolean;
  endpoint: string | null;
  start_id: string | null;
  start_kind: StartKind | null;
  start_ready: boolean | null;
  start_failed: boolean | null;
  start_runs_ms: number | null;
  start_ready_ms: number | null;
  /** Null if its beginning was missed. */
  start_took_ms: number | null;
  start_credited: boolean;
  /** Workers that are known from events, newest first. */
  starts: readonly WorkerStartRow[];
  /** All of them as reported; null if the controller reports only one endpoint. */
  workers: readonly RoutedWorkerRow[] | null;
  desired_state: string | null;
  desired_replicas: number | null;
  intent_status: string | null;
  intent_generation: number | null;
  intent_age_ms: number | null;
  asked_ms_ago: number | null;
  has_artifact: boolean;
  cold_median_ms: number | null;
  restore_median_ms: number | null;
  experiment_id: string | null;
}

/** Newest starts of one kind for the median. */
const MEASURED = 50;

/**
 * Newest requests of a profile within the last 24 hours for its times: the read must not grow with the
 * traffic.
 */
const TIMED = 10_000;

/**
 * The median of the newest starts of a kind of the profile of `p`. They are read along an index of their
 * kind, and no further than the last one that counts, however many of the other kind followed.
 */
const medianOf = (kind: StartKind): string => `(
        select percentile_disc(0.5) within group (order by k.took_ms) from (
          select (extract(epoch from s.ready_at - s.began_at) * 1000)::float8 as took_ms
          from starts s
          where s.org_id = $org_id and s.profile_id = p.profile_id and s.ready_at is not null
            and s.beginning_seen and ${OF_KIND[kind]}
          order by s.began_at desc limit ${MEASURED}
        ) k
      )`;

// One row for each profile that a route names. `starts` has the workers that are known from events; without
// events there is at most one, and the activation describes it. `has_artifact` ignores residency.
export const ROUTED_PROFILES = unscoped(
  'routing-profiles',
  `
    select p.profile_id, p.exact_model, p.backend_url, p.target_concurrency, p.max_queue_depth,
      p.min_replicas, p.max_replicas, p.estimated_cold_start_ms, p.enabled, p.spec->'endpoints' as endpoints,
      p.spec->'pricing'->>'prompt_usd_per_mtok' as prompt_price,
      p.spec->'pricing'->>'completion_usd_per_mtok' as completion_price,
      c.node_hourly_usd::text as node_hourly_usd, a.phase, a.ready, a.endpoint,
      coalesce(
        a.cluster_id is not null and a.updated_at < clock_timestamp() - interval '${HELD_SECONDS} s', false
      ) as silent,
      case when a.workers is not null then coalesce(r.workers, '[]'::json) end as workers, a.start_id,
      ${START_KIND} as start_kind, s.ready_at is not null as start_ready,
      s.failed_at is not null as start_failed,
      (extract(epoch from clock_timestamp() - s.began_at) * 1000)::float8 as start_runs_ms,
      (extract(epoch from clock_timestamp() - s.ready_at) * 1000)::float8 as start_ready_ms,
      case
        when s.beginning_seen then (extract(epoch from s.ready_at - s.began_at) * 1000)::float8
      end as start_took_ms,
      exists (
        select from start_credits d where d.org_id = $org_id and d.start_id = a.start_id
      ) as start_credited,
      coalesce(w.starts, '[]'::json) as starts,
      i.desired_state, i.desired_replicas, i.status as intent_status,
      i.generation as intent_generation,
      (extract(epoch from clock_timestamp() - i.updated_at) * 1000)::float8 as intent_age_ms,
      (extract(epoch from clock_timestamp() - i.requested_at) * 1000)::float8 as asked_ms_ago,
      exists (
        select from artifacts f
        where f.org_id = $org_id and f.profile_id = p.profile_id and f.status in ('ready', 'golden')
      ) as has_artifact,
      ${medianOf('cold')} as cold_median_ms,
      ${medianOf('restore')} as restore_median_ms, ${RUNNING_EXPERIMENT} as experiment_id
    from (
      select profile_id from route_targets where org_id = $org_id
      union
      select classifier_profile_id from routes
      where org_id = $org_id and classifier_profile_id is not null
    ) named
    join profiles p on p.org_id = $org_id and p.profile_id = named.profile_id
    left join cost_rates c on c.org_id = $org_id and c.profile_id = p.profile_id
    left join activations a on a.org_id = $org_id and a.profile_id = p.profile_id
    left join starts s on s.org_id = $org_id and s.id = a.start_id
    left join lateral (
      select json_agg(json_build_object('workload_uid', o.worker->'workload_uid',
        'endpoint', o.worker->'endpoint', 'ready', o.worker->'ready', 'start_kind', o.worker->'start_kind')
        order by o.place) as workers
      from jsonb_array_elements(a.workers) with ordinality as o(worker, place)
    ) r on true
    left join lateral (
      select json_agg(json_build_object('id', s.id, 'pod_uid', s.pod_uid, 'kind', ${START_KIND},
        'took_ms', case when s.beginning_seen then extract(epoch from s.ready_at - s.began_at) * 1000 end,
        'credited', exists (
          select from start_credits d where d.org_id = $org_id and d.start_id = s.id
        )) order by s.began_at desc) as starts
      from starts s
      where s.org_id = $org_id and s.profile_id = p.profile_id and s.ended_at is null
        and s.failed_at is null and s.ready_at is not null and s.pod_uid is not null
    ) w on true
    left join lateral (
      select i.desired_state, i.desired_replicas, i.status, i.generation, i.updated_at, i.requested_at
      from capacity_intents i
      where i.org_id = $org_id and i.profile_id = p.profile_id order by i.generation desc limit 1
    ) i on true`,
);

export const readRoutedProfiles = (statements: StatementPool, orgId: string): Promise<RoutedProfileRow[]> =>
  statements.run<RoutedProfileRow>(ROUTED_PROFILES, { org_id: orgId });

export interface PriceRow extends QueryResultRow {
  profile_id: string;
  endpoints: unknown;
  prompt_price: string | null;
  completion_price: string | null;
  node_hourly_usd: string | null;
  target_concurrency: number;
  /** Of the request, if it was admitted. */
  reserved_usd: string | null;
  experiment_id: string | null;
}

// The prices of the profile that the request was sent to, according to its authorization; without an
// authorization, of the named profile. The profile need not be in a route: it may be removed from its routes
// while it serves.
const PRICES_OF_REQUEST = unscoped(
  'routing-prices-of-request',
  `
    select p.profile_id, p.spec->'endpoints' as endpoints,
      p.spec->'pricing'->>'prompt_usd_per_mtok' as prompt_price,
      p.spec->'pricing'->>'completion_usd_per_mtok' as completion_price,
      c.node_hourly_usd::text as node_hourly_usd, p.target_concurrency, z.reserved_usd::text as reserved_usd,
      ${RUNNING_EXPERIMENT} as experiment_id
    from (values (1)) one left join authorizations z on z.org_id = $org_id and z.request_id = $request_id
    join profiles p on p.org_id = $org_id and p.profile_id = coalesce(z.profile_id, $profile_id)
    left join cost_rates c on c.org_id = $org_id and c.profile_id = p.profile_id`,
);

/** @returns undefined where the request has no authorization and the named profile does not exist */
export async function readPricesOfRequest(
  statements: StatementPool,
  orgId: string,
  requestId: string,
  profileId: string | null,
): Promise<PriceRow | undefined> {
  const values = { org_id: orgId, profile_id: profileId, request_id: requestId };
  return (await statements.run<PriceRow>(PRICES_OF_REQUEST, values))[0];
}

export interface BackendTimeRow extends QueryResultRow {
  profile_id: string;
  p95_ms: number;
  p50_ms: number;
}

// Nearest rank, over requests that a worker answered. The clock is in a sub-select, because PostgreSQL cannot
// use the index for a value that may differ from row to row.
const BACKEND_TIMES = unscoped(
  'routing-backend-times',
  `
    select t.profile_id, u.p95_ms, u.p50_ms
    from (select distinct profile_id from route_targets where org_id = $org_id) t
    cross join lateral (
      select percentile_disc(0.95) within group (order by backend_ms) as p95_ms,
        percentile_disc(0.5) within group (order by backend_ms) as p50_ms
      from (
        select backend_ms from usage_records u
        where u.org_id = $org_id and u.profile_id = t.profile_id
          and u.occurred_at > (select clock_timestamp()) - interval '24 hours' and u.status_code = 200
        order by u.occurred_at desc limit ${TIMED}
      ) newest
    ) u where u.p95_ms is not null`,
);

export const readBackendTimes = (statements: StatementPool, orgId: string): Promise<BackendTimeRow[]> =>
  statements.run<BackendTimeRow>(BACKEND_TIMES, { org_id: orgId });
