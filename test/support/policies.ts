import type { NestExpressApplication } from '@nestjs/platform-express';
import { Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { eventually } from './eventually';
import type { Answer, Organisation, Service } from './service';
import { ok } from './workloads';

export interface Trigger {
  type: string;
  config: object;
}
export interface Filter {
  type: string;
  config: { cluster_id: string; [member: string]: unknown };
}

export const heartbeat = (interval_seconds = 3600, max_checkpoints: number | null = null): Trigger => ({
  type: 'heartbeat',
  config: { interval_seconds, max_checkpoints },
});

/** A window around now, in seconds from now. The clock is read once, so that it is exactly so long. */
export const maintenance = (from = 3600, to = 7200): Trigger => {
  const now = Date.now();
  const inSeconds = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
  return { type: 'maintenance', config: { start_time: inSeconds(from), end_time: inSeconds(to) } };
};

export const ofNamespace = (cluster_id: string, namespace = 'training'): Filter => ({
  type: 'namespace',
  config: { cluster_id, namespace },
});
export const ofPods = (cluster_id: string, pod_ids: string[]): Filter => ({
  type: 'pods',
  config: { cluster_id, pod_ids },
});
export const ofJobs = (
  cluster_id: string,
  namespace: string | null = null,
  priority: number | null = null,
): Filter => ({ type: 'jobs', config: { cluster_id, namespace, priority } });
export const ofSlurmJobs = (cluster_id: string, ...numbers: number[]): Filter => ({
  type: 'slurm_jobs',
  config: { cluster_id, job_ids: numbers.map(String) },
});

export const checkpoint = (kind = 'simple', runc_root: string | null = null) => ({
  type: 'checkpoint',
  config: { kind, runc_root },
});

export const tryPolicy = ({ operator }: Organisation, trigger: unknown, filter: unknown): Promise<Answer> =>
  operator.post('/v1/policy/pipeline/create', { pipeline: { trigger, filter, action: checkpoint() } });

/** @returns its id */
export const buildPolicy = async (
  { operator }: Organisation,
  filter: Filter,
  trigger = heartbeat(),
  { action = checkpoint(), name, keepLast }: { action?: object; name?: string; keepLast?: number } = {},
): Promise<string> =>
  ok(
    await operator.post('/v1/policy/pipeline/create', {
      name,
      keep_last: keepLast,
      pipeline: { trigger, filter, action },
    }),
  ).text;

interface StoredPolicy {
  id: string;
  status: string;
  next_at: Date | null;
  last_beat_at: Date | null;
}

export const storedPolicy = async ({ db }: Service, id: string): Promise<StoredPolicy | undefined> =>
  (await db.query('select id, status, next_at, last_beat_at from policies where id = $1', [id])).rows[0];

/** Moves the next beat of policies into the past. */
export const makeDue = ({ db }: Service, ids: string[], secondsAgo = 1): Promise<unknown> =>
  db.query(
    'update policies set next_at = clock_timestamp() - make_interval(secs => $2), retry_at = null where id = any($1)',
    [ids, secondsAgo],
  );

/** Ends the waiting time of a failed policy. */
export const retryNow = ({ db }: Service): Promise<unknown> => db.query('update policies set retry_at = null');

/** Ends all actions so far, because a heartbeat skips workloads whose last action is open. */
export const endActions = ({ db }: Service): Promise<unknown> =>
  db.query(
    `update actions set status = 'error', error = 'ended by the test', ended_at = clock_timestamp()
     where status in ('initialized', 'processing', 'checkpoint_created')`,
  );

/** Runs a round on each application: sweeps do not run by themselves here. */
export const rounds = (apps: NestExpressApplication[]): Promise<unknown> =>
  Promise.all(apps.map((app) => app.get(Sweeps).runNow('policies')));

/** Makes policies due, and waits until each has had its beat, whichever replica ran it. */
export async function beat(service: Service, ...ids: string[]): Promise<void> {
  await makeDue(service, ids);
  await rounds([service.app]);
  await allBeaten(service, ids);
}

export const allBeaten = ({ db }: Service, ids: string[]): Promise<void> =>
  eventually(async () => {
    const { rows } = await db.query(
      "select id from policies where id = any($1) and status = 'active' and next_at <= clock_timestamp()",
      [ids],
    );
    expect(rows).toEqual([]);
  }, 15_000);

interface PolicyAction {
  id: string;
  pod_uid: string;
  pod_name: string;
  slurm_job_id: number | null;
  policy_id: string;
  beat_at: Date;
  status: string;
}

/** The actions of a policy. */
export const actionsOf = async ({ db }: Service, ...ids: string[]): Promise<PolicyAction[]> =>
  (await db.query('select * from actions where policy_id = any($1) order by created_at, id', [ids])).rows;

export const podsAsked = async (service: Service, id: string): Promise<string[]> =>
  (await actionsOf(service, id)).map(({ pod_name }) => pod_name).sort();
