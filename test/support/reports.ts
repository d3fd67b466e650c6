import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { fieldsOf } from './artifacts';
import { buildEvent, reportEvent } from './profiles';
import type { Answer, Caller, Organisation, Service } from './service';

export type Query = Readonly<Record<string, string | number>>;

/** A report with these parameters. */
export const ask = (caller: Caller, path: string, query: Query = {}): Promise<Answer> => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return caller.get(`/v1/inference/${path}?${parameters.toString()}`);
};

/** @returns the body of a report, which must be answered 200 */
export async function asked(caller: Caller, path: string, query: Query = {}) {
  const { status, body, text } = await ask(caller, path, query);
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
  // JSON has no NaN: an invalid figure would appear as null where the report allows none.
  expect(text).not.toMatch(/NaN|Infinity/);
  return body;
}

/** The database's clock stamps the reported rows, and ends the windows. Milliseconds since 1970. */
export async function databaseNow({ db }: Service): Promise<number> {
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now.getTime() ?? NaN;
}

/** An invalid request, and the field that the answer must name. */
export const REFUSED: [query: Query, field: string][] = [
  [{ hours: 0 }, 'hours'],
  [{ hours: -1 }, 'hours'],
  [{ hours: 'abc' }, 'hours'],
  [{ hours: 1.5 }, 'hours'],
  [{ hours: '1e3' }, 'hours'],
  [{ experiment_id: 'abc' }, 'experiment_id'],
  [{ experiment_id: '00000000-0000-0000-0000-00000000000' }, 'experiment_id'],
];

export async function expectRefused(caller: Caller, path: string, query: Query, field: string): Promise<void> {
  const answer = await ask(caller, path, query);
  expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
}

/** Without a valid token every report is refused, and an inference key is not one. */
export async function expectUnauthenticated(service: Service, path: string, query: Query = {}): Promise<void> {
  for (const token of [undefined, 'nobody', `sk-${newId()}`]) {
    const answer = await ask(service.as(token), path, query);
    expect([token, answer.status]).toEqual([token, 401]);
  }
}

export interface Worker {
  /** When it became ready, in milliseconds since 1970, and the duration of its start. */
  readonly readyAt: number;
  readonly tookMs: number;
  /** The checkpoint that was assigned to it. */
  readonly path?: string;
  readonly artifactId?: string;
  /** The uid of its pod. */
  readonly pod?: string;
}

/** A worker that became ready, as its cluster reports it. @returns uid of its pod */
export async function startWorker(
  { controller }: Pick<Organisation, 'controller'>,
  clusterId: string,
  profileId: string,
  { readyAt, tookMs, path, artifactId, pod = newId() }: Worker,
): Promise<string> {
  const send = async (kind: string, at: number, members: JsonObject = {}) => {
    const occurred_at = new Date(at).toISOString();
    const event = buildEvent(clusterId, profileId, { kind, occurred_at, workload_uid: pod, ...members });
    const { status, text } = await reportEvent(controller, event);
    if (status !== 204) throw new Error(`an event was answered ${status}: ${text}`);
  };
  await send('worker.scheduled', readyAt - tookMs);
  if (path !== undefined || artifactId !== undefined)
    await send('worker.restoring', readyAt - tookMs, {
      payload: path === undefined ? {} : { restore_checkpoint_path: path },
      artifact_id: artifactId ?? null,
    });
  await send('model.ready', readyAt);
  return pod;
}

/** A cluster whose workers are reported. @returns its id */
export async function clusterOf({ operator }: Pick<Organisation, 'operator'>): Promise<string> {
  const { status, text } = await operator.post('/v1/cluster', { cluster_name: `cluster-${newId()}` });
  if (status !== 200) throw new Error(`a cluster was answered ${status}: ${text}`);
  return text;
}

export interface Experiment {
  readonly profileId?: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Missing while it is running. */
  readonly until?: number;
}

/** An experiment that ran from one time to another. @returns its id */
export async function experimentOf(
  { db }: Service,
  { id: orgId }: Pick<Organisation, 'id'>,
  { profileId, since, until }: Experiment,
): Promise<string> {
  const id = newId();
  await db.query(
    `insert into experiments (org_id, id, name, scenario, status, parameters, profile_id, started_at, completed_at)
     values ($1, $2, 'evening peak', '50 clients', case when $5::timestamptz is null then 'running' else 'completed' end, '{}', $3, $4, $5)`,
    [orgId, id, profileId ?? null, new Date(since), until === undefined ? null : new Date(until)],
  );
  return id;
}

/** An observation, by default of this moment. */
export async function observed(
  { controller }: Pick<Organisation, 'controller'>,
  overrides: JsonObject = {},
): Promise<void> {
  const { status, text } = await controller.post('/v1/inference/observations', {
    observation_key: newId(),
    event_type: 'restore',
    evidence: 'measured',
    source: 'controller',
    started_at: new Date().toISOString(),
    ...overrides,
  });
  if (status !== 201) throw new Error(`an observation was answered ${status}: ${text}`);
}
