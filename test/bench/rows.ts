/** Rows for a case, as statements for `Workbench.fill`. */

interface Fill {
  text: string;
  values: unknown[];
}

const NEW_PROFILES = `
    insert into profiles (org_id, profile_id, logical_model, exact_model, profile_revision, compatibility_key, backend_url, hosting_mode, spec,
      estimated_cold_start_ms, min_replicas, max_replicas, target_concurrency, max_queue_depth, scale_down_idle_seconds, checkpoints)
    select $1, id, 'model', 'model', md5(id), md5(id), 'http://127.0.0.1:8000', 'managed', '{}', 60000, 0, 1, 1, 1, 300, true`;

export const profile = (orgId: string, id: string): Fill => ({
  text: `${NEW_PROFILES} from (values ($2::text)) one(id)`,
  values: [orgId, id],
});

/** Profiles named `prefix` and a number from `first` to `last`. */
export const profiles = (orgId: string, prefix: string, first: number, last: number): Fill => ({
  text: `${NEW_PROFILES} from (select $2 || n as id from generate_series($3::int, $4::int) n) numbered`,
  values: [orgId, prefix, first, last],
});

/** Values that only the oldest rows have: a filter for one of them finds `OLD_ROWS` behind all others. */
export const OLD = 'old';
export const OLD_ROWS = 100;
export const OLD_EXPERIMENT = '00000000-0000-4000-8000-000000000000';
/** Profiles and experiments that the other rows belong to in turn. */
export const KINDS = 20;
export const EXPERIMENT = '00000000-0000-4000-8000-000000000001';
/** Profiles with artifacts. */
export const NODES = 10;
/** The time of the first row; each further row is 10 seconds younger. */
export const BEGINNING = '2026-01-01T00:00:00Z';

/** The expression for row number `n`. */
const AT = `timestamptz '${BEGINNING}' + n * interval '10 seconds'`;
const PROFILE = `'growth-' || case when n <= ${OLD_ROWS} then '${OLD}' else (n % ${KINDS})::text end`;
const kindOf = (others: string) => `case when n <= ${OLD_ROWS} then '${OLD}' else ${others} end`;
/** In chains of up to four, each of one profile. */
const PARENT = `case when n > ${OLD_ROWS + KINDS} and n / ${KINDS} % 4 <> 0 then 'artifact-' || n - ${KINDS} end`;
const NUMBERS = 'from generate_series($2::int, $3::int) n';

/** Fills every table with its rows from number `first` to `last`. */
export const inferenceRows = (orgId: string, clusterId: string, first: number, last: number): Fill[] => [
  {
    text: `
      insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status,
        parent_artifact_id, metadata, node_name, cluster_id, created_at)
      select $1, 'artifact-' || n, ${PROFILE}, md5(${PROFILE}), ${kindOf("'full'")}, 'local', 'file:///checkpoints/' || n, 'controller',
        case when n <= ${OLD_ROWS} then 'quarantined' else 'ready' end, ${PARENT}, '{"files":3}', 'node-' || n % ${NODES}, $4, ${AT}
      ${NUMBERS}`,
    values: [orgId, first, last, clusterId],
  },
  {
    text: `
      insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, artifact_id)
      select $1, gen_random_uuid(), ${PROFILE}, 1, ${AT}, true, ${AT} + interval '1 second', ${AT} + interval '9 seconds', 'artifact-' || n
      ${NUMBERS} where n % 9 = 0`,
    values: [orgId, first, last],
  },
  {
    text: `
      insert into lifecycle_events (org_id, event_id, kind, occurred_at, cluster_id, profile_id, payload, sequence, generation)
      select $1, gen_random_uuid(), 'model.ready', ${AT}, $4, ${PROFILE}, '{"worker":"w"}', n, 1 ${NUMBERS}`,
    values: [orgId, first, last, clusterId],
  },
  {
    text: `
      insert into observations (org_id, id, observation_key, event_type, evidence, source, started_at, experiment_id, profile_id, duration_ms)
      select $1, gen_random_uuid(), 'growth-' || n, ${kindOf("'restore'")}, 'measured', 'bench', ${AT},
        case when n <= ${OLD_ROWS} then '${OLD_EXPERIMENT}'::uuid when n % ${KINDS} = 1 then '${EXPERIMENT}' end, ${PROFILE}, 1000
      ${NUMBERS}`,
    values: [orgId, first, last],
  },
];

/** Two intents of each profile named `prefix` and a number. */
export const intents = (orgId: string, prefix: string, first: number, last: number): Fill => ({
  text: `
    insert into capacity_intents (org_id, id, profile_id, desired_state, desired_replicas, status, generation, requested_at, updated_at)
    select $1, gen_random_uuid(), $2 || n, state, case state when 'Active' then 1 else 0 end, status, generation, ${AT} + generation * interval '1 second',
      ${AT} + interval '3 seconds'
    from generate_series($3::int, $4::int) n, (values ('Active', 'Superseded', 1), ('Suspended', 'Fulfilled', 2)) asked(state, status, generation)`,
  values: [orgId, prefix, first, last],
});
