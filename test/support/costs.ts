import type { ReportWindow } from '../../src/6-insight/analytics/report-window.queries';
import { costBreakdown, type CostRow } from '../../src/6-insight/cost-reports/cost-breakdown.queries';
import { UnitOfWork } from '../../src/1-platform/database/transactions/unit-of-work';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { buildEvent, reportPhase, setState, reportEvent } from './profiles';
import type { Organisation, Service } from './service';
import { ok } from './workloads';
import { HOUR } from './durations';

export const COSTS = '/v1/inference/costs';

export const saveRates = async (
  { operator }: Organisation,
  profileId: string,
  { node = 0, storage = 0, transfer = 0 }: { node?: number; storage?: number; transfer?: number },
): Promise<void> => {
  const rates = { node_hourly_usd: node, storage_gb_hour_usd: storage, transfer_gb_usd: transfer };
  ok(await operator.post(`${COSTS}/config`, { profile_id: profileId, ...rates }));
};

/** The times of a worker's phases, in milliseconds since 1970. */
interface Life {
  readonly scheduled: number;
  readonly ready?: number;
  readonly failed?: number;
  readonly stopped?: number;
}

/** A worker whose pod is named by events. */
export async function podLived(org: Organisation, clusterId: string, profileId: string, life: Life): Promise<void> {
  const workload_uid = newId();
  const send = async (kind: string, at: number | undefined) => {
    if (at === undefined) return;
    const event = buildEvent(clusterId, profileId, { kind, workload_uid, occurred_at: new Date(at).toISOString() });
    const { status, text } = await reportEvent(org.controller, event);
    if (status !== 204) throw new Error(`an event was answered ${status}: ${text}`);
  };
  await send('worker.scheduled', life.scheduled);
  await send('model.ready', life.ready);
  await send('worker.failed', life.failed);
  await send('worker.stopped', life.stopped);
}

/**
 * A worker that is known from reports only. These are stamped when they arrive, so its rows are moved to the
 * wanted times.
 */
export async function reportedLived(
  { db }: Service,
  org: Organisation,
  profileId: string,
  { scheduled, ready, stopped }: Omit<Life, 'failed'>,
): Promise<void> {
  const phases = [
    'Scheduling',
    ...(ready === undefined ? [] : ['Ready']),
    ...(stopped === undefined ? [] : ['Suspended']),
  ];
  for (const phase of phases) {
    const { status, text } = await reportPhase(org.controller, profileId, phase);
    if (status !== 204) throw new Error(`a report was answered ${status}: ${text}`);
  }
  const { rowCount } = await db.query(
    `update starts set began_at = $3, ready_at = $4, ended_at = $5 where id = (
       select id from starts where org_id = $1 and profile_id = $2 order by id desc limit 1)`,
    [org.id, profileId, new Date(scheduled), dateOf(ready), dateOf(stopped)],
  );
  if (rowCount !== 1) throw new Error('a report began no start');
}

const dateOf = (moment: number | undefined): Date | null => (moment === undefined ? null : new Date(moment));

/** Requests this many replicas (0 releases them), and moves the request to the wanted time. */
export async function askedAt(
  { db }: Service,
  org: Organisation,
  profileId: string,
  at: number,
  replicas: number,
): Promise<void> {
  const desired_state = replicas === 0 ? 'Suspended' : 'Active';
  const { body, text, status } = await setState(org.operator, profileId, { desired_state, desired_replicas: replicas });
  if (status !== 202) throw new Error(`a request was answered ${status}: ${text}`);
  const { rowCount } = await db.query(
    'update capacity_asks set requested_at = $3 where org_id = $1 and profile_id = $2 and generation = $4',
    [org.id, profileId, new Date(at), (body as JsonObject).generation],
  );
  if (rowCount !== 1) throw new Error('a request left no row');
}

/** The bytes that were reported as transferred for a profile. */
export async function transferred(
  { controller }: Organisation,
  profileId: string | null,
  at: number,
  bytes: number,
  overrides: JsonObject = {},
): Promise<void> {
  const { status, text } = await controller.post('/v1/inference/observations', {
    observation_key: newId(),
    event_type: 'artifact.transferred',
    evidence: 'measured',
    source: 'tests',
    started_at: new Date(at).toISOString(),
    profile_id: profileId,
    transferred_bytes: bytes,
    ...overrides,
  });
  if (status !== 201) throw new Error(`an observation was answered ${status}: ${text}`);
}

/** Moves the residencies of an artifact, oldest first, to the wanted times. */
export async function stayed(
  { db }: Service,
  orgId: string,
  artifactId: string,
  ...stays: readonly (readonly [since: number, until: number | null])[]
): Promise<void> {
  const { rows } = await db.query<{ stay: number; open: boolean }>(
    'select stay, until is null as open from artifact_stays where org_id = $1 and artifact_id = $2 order by stay',
    [orgId, artifactId],
  );
  expect(rows).toEqual(stays.map(([, until], place) => ({ stay: place + 1, open: until === null })));
  for (const [place, [since, until]] of stays.entries())
    await db.query(
      'update artifact_stays set since = $3, until = $4 where org_id = $1 and artifact_id = $2 and stay = $5',
      [orgId, artifactId, new Date(since), until === null ? null : new Date(until), place + 1],
    );
}

/** The breakdown of a window, as the service reads it. */
export const costRows = (service: Service, orgId: string, window: ReportWindow): Promise<CostRow[]> =>
  service.app.get(UnitOfWork).read({ orgId }, (tx) => costBreakdown(tx, window));

/** A window from one moment to another. */
export const windowOfAll = (from: number, to: number): ReportWindow => {
  const span = { from: new Date(from), to: new Date(to) };
  return { ...span, hours: (to - from) / HOUR, profileId: null, experimentId: null, run: { ...span, profileId: null } };
};

/** A reply, and bounds for the end of its window by the clock that stamps its rows. */
export async function bracketed<T>(
  { db }: Service,
  ask: () => Promise<T>,
): Promise<{ reported: T; earliest: number; latest: number }> {
  const now = async () => {
    const { rows } = await db.query<{ now: Date }>("select date_trunc('milliseconds', clock_timestamp()) as now");
    return rows[0]?.now.getTime() ?? NaN;
  };
  const earliest = await now();
  const reported = await ask();
  return { reported, earliest, latest: await now() };
}
