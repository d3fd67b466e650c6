import type { QueryResultRow } from 'pg';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { Profile } from './profile.entity';

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
  autoscale: boolean;
}

const COLUMNS = `p.profile_id, p.logical_model, p.exact_model, p.profile_revision, p.compatibility_key,
  p.backend_url, p.hosting_mode, p.spec, p.engine_template, p.estimated_cold_start_ms, p.min_replicas,
  p.max_replicas, p.target_concurrency, p.max_queue_depth, p.scale_down_idle_seconds, p.checkpoints,
  p.engine_flags, p.enabled, p.autoscale`;

const LIST = boundedPage({
  as: 'p',
  found: `
    select * from profiles
    where org_id = $org_id and ($name::text is null
      or profile_id ilike $name or logical_model ilike $name or exact_model ilike $name)
    order by profile_id limit $limit offset $offset`,
  bytes: 'octet_length(p.spec::text) + coalesce(octet_length(p.engine_template::text), 0)',
  order: 'p.profile_id',
  columns: COLUMNS,
});

export const listProfiles = (tx: Tx, slice: Slice, name: string | undefined): Promise<Page<ProfileRow>> =>
  readPage(tx, LIST, { org_id: tx.orgId, name: likeContaining(name), ...rowsOf(slice) }, slice);

const GET = statement(
  'profile-get',
  `select ${COLUMNS} from profiles p where p.org_id = $org_id and p.profile_id = $profile_id`,
);

export async function getProfile(tx: Tx, profileId: string): Promise<ProfileRow | undefined> {
  const [row] = await tx.prepared<ProfileRow & QueryResultRow>(GET, { org_id: tx.orgId, profile_id: profileId });
  return row;
}

/** @returns false when a profile has this id */
export async function insertProfile(tx: Tx, row: ProfileRow): Promise<boolean> {
  const inserted = await tx.store(Profile).insertMissing({
    profileId: row.profile_id,
    logicalModel: row.logical_model,
    exactModel: row.exact_model,
    profileRevision: row.profile_revision,
    compatibilityKey: row.compatibility_key,
    backendUrl: row.backend_url,
    hostingMode: row.hosting_mode,
    spec: row.spec as object,
    engineTemplate: row.engine_template as object,
    estimatedColdStartMs: row.estimated_cold_start_ms,
    minReplicas: row.min_replicas,
    maxReplicas: row.max_replicas,
    targetConcurrency: row.target_concurrency,
    maxQueueDepth: row.max_queue_depth,
    scaleDownIdleSeconds: row.scale_down_idle_seconds,
    checkpoints: row.checkpoints,
    engineFlags: row.engine_flags,
    enabled: row.enabled,
    autoscale: row.autoscale,
  });
  return inserted > 0;
}

/** @returns whether that changed anything */
export const enableProfile = async (tx: Tx, profileId: string, enabled: boolean): Promise<boolean> =>
  (await tx.store(Profile).update({ profileId, enabled: !enabled }, { enabled })) > 0;

// Hot path: asked for each lifecycle event.
const EXISTS = statement(
  'profile-exists',
  `
    select from profiles where org_id = $org_id and profile_id = $profile_id`,
);

export const profileExists = async (tx: Tx, profileId: string): Promise<boolean> =>
  (await tx.prepared(EXISTS, { org_id: tx.orgId, profile_id: profileId })).length > 0;

// Rows that refer to the profile can be written meanwhile: this lock does not conflict with their key locks.
const LOCK = statement(
  'profile-lock',
  'select max_replicas from profiles where org_id = $org_id and profile_id = $profile_id for no key update',
);

export interface LockedProfile {
  readonly max_replicas: number;
}

/** Serialises changes to the capacity of one profile. @returns undefined if there is no such profile */
export const lockProfile = async (tx: Tx, profileId: string): Promise<LockedProfile | undefined> =>
  (await tx.prepared<LockedProfile & QueryResultRow>(LOCK, { org_id: tx.orgId, profile_id: profileId }))[0];

const LOCK_ALL = `
  select profile_id from profiles where org_id = $org_id and profile_id = any($profile_ids::text[])
  order by profile_id for no key update`;

/** As `lockProfile`, for many, in one order. @returns the existing ones */
export const lockProfiles = async (tx: Tx, profileIds: readonly string[]): Promise<string[]> =>
  (await tx.query<{ profile_id: string }>(LOCK_ALL, { org_id: tx.orgId, profile_ids: profileIds })).map(
    ({ profile_id: id }) => id,
  );
