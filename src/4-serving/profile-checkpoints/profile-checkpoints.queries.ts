import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { invariant } from '../../1-platform/common/invariant';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { RequestKind, RequestStatus, ReportedStatus } from './profile-checkpoint.states';

export interface CheckpointRequestRow {
  profile_id: string;
  kind: RequestKind;
  request_id: string;
  status: RequestStatus;
  replace_existing: boolean;
  requested_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  artifact_id: string | null;
  error: string | null;
  reason: string | null;
}

type Row = CheckpointRequestRow & QueryResultRow;

const COLUMNS = `profile_id, kind, request_id, status, replace_existing, requested_at, started_at,
  completed_at, artifact_id, error, reason`;

// If a request is open already, the caller gets that one. The conflict clause updates the row without
// changing it: a plain select might miss a row that was committed just now.
const OPEN = statement(
  'checkpoint-request-open',
  `
    insert into checkpoint_requests as r (org_id, request_id, profile_id, kind, status, replace_existing,
      reason)
    values ($org_id, $request_id, $profile_id, $kind, 'pending', $replace_existing, $reason)
    on conflict (org_id, profile_id) where status in ('pending', 'running')
      do update set profile_id = r.profile_id
    returning ${COLUMNS}`,
);

export interface NewRequest {
  readonly requestId: string;
  readonly profileId: string;
  readonly kind: RequestKind;
  readonly replaceExisting: boolean;
  readonly reason: string | null;
}

/** @returns the open request: the new one, or the existing one */
export async function openRequest(tx: Tx, request: NewRequest): Promise<CheckpointRequestRow> {
  const { requestId, profileId, kind, replaceExisting, reason } = request;
  const [row] = await tx.prepared<Row>(OPEN, {
    org_id: tx.orgId,
    request_id: requestId,
    profile_id: profileId,
    kind,
    replace_existing: replaceExisting,
    reason,
  });
  invariant(row, 'an ask leaves an open request');
  return row;
}

const LATEST = `
  select ${COLUMNS} from checkpoint_requests where org_id = $org_id and profile_id = $profile_id
  order by status in ('pending', 'running') desc, requested_at desc, request_id desc limit 1`;

export async function latestRequest(tx: Tx, profileId: string): Promise<CheckpointRequestRow | undefined> {
  const [row] = await tx.query<Row>(LATEST, { org_id: tx.orgId, profile_id: profileId });
  return row;
}

const FIND_OPEN = `
  select ${COLUMNS} from checkpoint_requests
  where org_id = $org_id and profile_id = $profile_id and status in ('pending', 'running')`;

export async function findOpenRequest(tx: Tx, profileId: string): Promise<CheckpointRequestRow | undefined> {
  const [row] = await tx.query<Row>(FIND_OPEN, { org_id: tx.orgId, profile_id: profileId });
  return row;
}

// The artifact of a successful checkpoint may be reported with it, or only by its own registration.
const MOVE = `
  update checkpoint_requests r set status = $to, started_at = coalesce(started_at, clock_timestamp()),
    completed_at = case when $to <> 'running' then clock_timestamp() end,
    artifact_id = case when $to = 'succeeded' then coalesce($artifact_id, case when kind = 'checkpoint' then (
      select a.artifact_id from artifacts a
      where a.org_id = $org_id and a.profile_id = r.profile_id and a.created_at >= r.requested_at
      order by a.created_at desc, a.artifact_id desc limit 1) end) else artifact_id end,
    error = case when $to = 'failed' then $error end
  where org_id = $org_id and request_id = $request_id and status = $from
  returning ${COLUMNS}`;

const NAME_ARTIFACT = `
  update checkpoint_requests set artifact_id = $artifact_id
  where org_id = $org_id and request_id = $request_id and status = 'succeeded' and artifact_id is null
  returning ${COLUMNS}`;

/** The artifact of a successful attempt that was reported without one. @returns undefined if it is known */
export async function nameArtifact(
  tx: Tx,
  requestId: string,
  artifactId: string,
): Promise<CheckpointRequestRow | undefined> {
  const [row] = await tx.query<Row>(NAME_ARTIFACT, {
    org_id: tx.orgId,
    request_id: requestId,
    artifact_id: artifactId,
  });
  return row;
}

export interface RequestReport {
  readonly from: RequestStatus;
  readonly to: ReportedStatus;
  readonly artifactId: string | null;
  readonly error: string | null;
}

/** @returns undefined if it is not in the expected state */
export async function moveRequest(
  tx: Tx,
  requestId: string,
  { from, to, artifactId, error }: RequestReport,
): Promise<CheckpointRequestRow | undefined> {
  const [row] = await tx.query<Row>(MOVE, {
    org_id: tx.orgId,
    request_id: requestId,
    from,
    to,
    artifact_id: artifactId,
    error,
  });
  return row;
}

/** Requests that one statement gives up. */
export const GIVEN_UP_AT_ONCE = 500;
const GIVE_UP = statement(
  'checkpoint-requests-give-up',
  `
    with due as (
      select org_id, request_id from checkpoint_requests
      where status in ('pending', 'running')
        and requested_at <= clock_timestamp() - make_interval(secs => $pending_seconds)
        and coalesce(started_at, '-infinity') <= clock_timestamp() - make_interval(secs => $running_seconds)
      order by requested_at limit ${GIVEN_UP_AT_ONCE} for update skip locked
    )
    update checkpoint_requests r set status = 'failed', completed_at = clock_timestamp(),
      error = case r.status when 'pending' then $unanswered else $unended end
    from due where r.org_id = due.org_id and r.request_id = due.request_id returning r.request_id`,
);

export interface Patience {
  readonly pendingSeconds: number;
  readonly runningSeconds: number;
}

/** For all organisations. @returns the number of requests that timed out */
export const giveUpRequests = async (tx: Tx, { pendingSeconds, runningSeconds }: Patience): Promise<number> =>
  (
    await tx.prepared(GIVE_UP, {
      pending_seconds: pendingSeconds,
      running_seconds: runningSeconds,
      unanswered: `no controller answered in ${pendingSeconds} seconds`,
      unended: `no controller reported an end in ${runningSeconds} seconds`,
    })
  ).length;

/** Requests that are over. The last one of a profile stays, because it is shown. */
export const OLD_CHECKPOINT_REQUESTS: AgingRows = {
  table: 'checkpoint_requests',
  at: 'completed_at',
  key: { request_id: 'uuid' },
  unneeded: `exists (
              select from checkpoint_requests n
              where n.org_id = $org_id and n.profile_id = r.profile_id and n.requested_at > r.requested_at
            )`,
};
