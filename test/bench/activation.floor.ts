import { v7 } from 'uuid';
import { pool, type Bearer, type Work } from './floor';

interface Report {
  profile_id: string;
  desired_state: string;
  phase: string;
  ready: boolean;
  endpoint: string | null;
  observed_generation: number;
}

/** Writes a report. @returns whether it was applied */
type Write = (bearer: Bearer, report: Report) => Promise<boolean>;

// The service notes many repeated reports with one statement, by the versions of their rows.
const SAME = {
  name: 'floor-same',
  text: `
    update activations set updated_at = clock_timestamp()
    where org_id = $1 and profile_id = $2 and desired_state = $3 and phase = $4 and ready = $5 and endpoint is not distinct from $6
      and observed_generation = $7`,
};

const same: Write = async (
  { org_id: orgId },
  { profile_id, desired_state, phase, ready, endpoint, observed_generation },
) => {
  const values = [orgId, profile_id, desired_state, phase, ready, endpoint, observed_generation];
  return (await pool.query({ ...SAME, values })).rowCount === 1;
};

// The writes of the service's own statement.
const MOVED = {
  name: 'floor-moved',
  text: `
    with moment as materialized (
      select clock_timestamp() as at
    ), saved as (
      insert into activations as a (org_id, profile_id, desired_state, phase, ready, endpoint, observed_generation, start_id, version, updated_at)
      select $1::uuid, $2::text, $4::text, $5::text, $6::boolean, $7::text, $8::bigint, $9::uuid, 1, at from moment
      on conflict (org_id, profile_id) do update
        set desired_state = excluded.desired_state, phase = excluded.phase, ready = excluded.ready, endpoint = excluded.endpoint,
          observed_generation = excluded.observed_generation, start_id = excluded.start_id, version = a.version + 1,
          updated_at = excluded.updated_at
        where a.version = $3::bigint
      returning version, updated_at as at
    ), ended as (
      update starts s set ended_at = greatest(saved.at, s.began_at) from saved
      where $10::boolean and s.org_id = $1 and s.profile_id = $2 and s.ended_at is null
    ), begun as (
      insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen)
      select $1, $9, $2, $8, saved.at, true from saved where $11::boolean
    ), reported as (
      update starts s set ready_at = saved.at from saved where $12::boolean and s.org_id = $1 and s.id = $9
    ), phases as (
      insert into activation_phases (org_id, id, profile_id, phase, ready, observed_generation, occurred_at)
      select $1, $13::uuid, $2, $5, $6, $8, saved.at from saved
    ), audited as (
      insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, resource_id, request_id, details)
      select $1, $14::uuid, saved.at, $15::text, $16::text, 'report_activation', 'activation', $2, $17::text, $18::json from saved
    )
    select version from saved`,
};

interface Known {
  version: number | null;
  startId: string | null;
  ready: boolean;
}
const known = new Map<string, Known>();

const moved: Write = async ({ org_id: orgId, id, role }, report) => {
  const { profile_id: profileId, desired_state, phase, ready, endpoint, observed_generation } = report;
  const before = known.get(profileId) ?? { version: null, startId: null, ready: false };
  const ends = phase === 'Suspended';
  const begins = before.startId === null && !ends;
  const startId = ends ? null : (before.startId ?? v7());
  const becomesReady = ready && !before.ready;
  const details = JSON.stringify({ phase, ready, observed_generation });
  const reported = [
    orgId,
    profileId,
    before.version,
    desired_state,
    phase,
    ready,
    endpoint,
    observed_generation,
    startId,
  ];
  const decided = [ends, begins, becomesReady, v7()];
  const audit = [v7(), id, role, v7(), details];
  const { rows } = await pool.query<{ version: number }>({ ...MOVED, values: [...reported, ...decided, ...audit] });
  const version = rows[0]?.version;
  if (version === undefined) return false;
  known.set(profileId, { version, startId, ready: !ends && (ready || before.ready) });
  return true;
};

const CONFLICT = { status: 409 };
const NOTHING = { status: 204 };

const written =
  (write: Write): Work =>
  async (bearer, body) =>
    (await write(bearer, JSON.parse(body) as Report)) ? NOTHING : CONFLICT;

export const activationWork: Record<string, Work> = { '/same': written(same), '/moved': written(moved) };
