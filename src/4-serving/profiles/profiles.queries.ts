import type { QueryResultRow } from 'pg';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';

export interface ProfileRow {
  profile_id: string;
  logical_model: string;
  exact_model: string;
  profile_revision: string;
  compatibility_key: string;
  backend_url: string;
  hosting_mode: string;
  spec: unknown;
  engine_template: unknown;
  estimated_cold_start_ms: number;
  min_replicas: number;
  max_replicas: number;
  target_concurrency: number;
  max_queue_depth: number;
  scale_down_idle_seconds: number;
  checkpoints: boolean;
  engine_flags: string | null;
  enabled: boolean;
}

const COLUMNS = `p.profile_id, p.logical_model, p.exact_model, p.profile_revision, p.compatibility_key, p.backend_url, p.hosting_mode,
  p.spec, p.engine_template, p.estimated_cold_start_ms, p.min_replicas, p.max_replicas, p.target_concurrency, p.max_queue_depth,
  p.scale_down_idle_seconds, p.checkpoints, p.engine_flags, p.enabled`;

const LIST = boundedPage({
  as: 'p',
  found: 'select * from profiles where org_id = $1 order by profile_id limit $2 offset $3',
  bytes: 'octet_length(p.spec::text) + coalesce(octet_length(p.engine_template::text), 0)',
  order: 'p.profile_id',
  columns: COLUMNS,
});

export const listProfiles = (tx: Tx, slice: Slice): Promise<Page<ProfileRow>> =>
  readPage(tx, LIST, [tx.orgId, slice.limit + 1, slice.offset], slice);

const GET = {
  name: 'profile-get',
  text: `select ${COLUMNS} from profiles p where p.org_id = $1 and p.profile_id = $2`,
};

export async function getProfile(tx: Tx, profileId: string): Promise<ProfileRow | undefined> {
  const [row] = await tx.prepared<ProfileRow & QueryResultRow>(GET, [tx.orgId, profileId]);
  return row;
}

const INSERT = `
  insert into profiles (org_id, profile_id, logical_model, exact_model, profile_revision, compatibility_key, backend_url, hosting_mode, spec,
    engine_template, estimated_cold_start_ms, min_replicas, max_replicas, target_concurrency, max_queue_depth, scale_down_idle_seconds,
    checkpoints, engine_flags, enabled)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
  on conflict (org_id, profile_id) do nothing returning profile_id`;

/** @returns false when a profile has this id */
export async function insertProfile(tx: Tx, row: ProfileRow): Promise<boolean> {
  const inserted = await tx.query(INSERT, [
    tx.orgId,
    row.profile_id,
    row.logical_model,
    row.exact_model,
    row.profile_revision,
    row.compatibility_key,
    row.backend_url,
    row.hosting_mode,
    JSON.stringify(row.spec),
    row.engine_template === null ? null : JSON.stringify(row.engine_template),
    row.estimated_cold_start_ms,
    row.min_replicas,
    row.max_replicas,
    row.target_concurrency,
    row.max_queue_depth,
    row.scale_down_idle_seconds,
    row.checkpoints,
    row.engine_flags,
    row.enabled,
  ]);
  return inserted.length > 0;
}

const ENABLE =
  'update profiles set enabled = $3 where org_id = $1 and profile_id = $2 and enabled <> $3 returning profile_id';

/** @returns whether that changed anything */
export const enableProfile = async (tx: Tx, profileId: string, enabled: boolean): Promise<boolean> =>
  (await tx.query(ENABLE, [tx.orgId, profileId, enabled])).length > 0;

const EXISTS = { name: 'profile-exists', text: 'select from profiles where org_id = $1 and profile_id = $2' };

export const profileExists = async (tx: Tx, profileId: string): Promise<boolean> =>
  (await tx.prepared(EXISTS, [tx.orgId, profileId])).length > 0;

// Rows that refer to a profile may be written meanwhile: their key locks pass by this one.
const LOCK = {
  name: 'profile-lock',
  text: 'select max_replicas from profiles where org_id = $1 and profile_id = $2 for no key update',
};

export interface LockedProfile {
  readonly max_replicas: number;
}

/** Serialises changes to the capacity of one profile. @returns undefined if there is no such profile */
export const lockProfile = async (tx: Tx, profileId: string): Promise<LockedProfile | undefined> =>
  (await tx.prepared<LockedProfile & QueryResultRow>(LOCK, [tx.orgId, profileId]))[0];

const LOCK_ALL = `
  select profile_id from profiles where org_id = $1 and profile_id = any($2::text[]) order by profile_id for no key update`;

/** As `lockProfile`, for many, in one order. @returns the existing ones */
export const lockProfiles = async (tx: Tx, profileIds: readonly string[]): Promise<string[]> =>
  (await tx.query<{ profile_id: string }>(LOCK_ALL, [tx.orgId, profileIds])).map(({ profile_id: id }) => id);
