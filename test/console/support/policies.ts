import { newId } from '../../../src/1-platform/common/ids';
import { buildPod as podOf } from '../../support/builders';
import { buildPolicy, heartbeat, maintenance, ofNamespace, ofSlurmJobs, type Trigger } from '../../support/policies';
import type { Organisation, Service } from '../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../support/slurm-builders';
import { nodeResource, ok, syncAll } from '../../support/workloads';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface SeededPolicies {
  readonly clusterId: string;
  readonly slurmClusterId: string;
  /** Policies. */
  readonly hourlyId: string;
  readonly slurmId: string;
  readonly windowId: string;
  /** The Monday of last week, as the address names it, and some of its hours. */
  readonly lastWeek: string;
  readonly failedHour: number;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** By the clock of this machine, which the browser has too. */
function mondayOf(now: number): Date {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - ((date.getDay() + 6) % 7));
}

/** A window that begins in this week and is not over: tomorrow, or else when the week ends. */
function windowOfWeek(now: number): Trigger {
  const monday = mondayOf(now);
  const nextMonday = new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + 7).getTime();
  const start = Math.min(now + 20 * HOUR, nextMonday - 3 * HOUR);
  const end = Math.max(start + 3 * HOUR, now + HOUR);
  return maintenance((start - now) / 1_000, (end - now) / 1_000);
}

/** Two weeks of policies, in which a checkpoint failed, a beat was late, and an outage swallowed others. */
export async function seedPolicies(service: Service, org: Organisation): Promise<SeededPolicies> {
  const now = Date.now();
  const clusterId = ok(await org.operator.post('/v1/cluster', { cluster_name: 'eu-gpu-1' })).text;
  const pod = (name: string, namespace: string, more: object = {}) =>
    podOf(name, { metadata: { namespace }, spec: { nodeName: 'node-1' }, ...more });
  const asksForRestore = {
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'main', image: 'x', env: [{ name: 'SVC_CHECKPOINT', value: 'llm-train' }] }],
    },
  };
  await syncAll(org.controller, clusterId, [
    nodeResource('node-1'),
    pod('train-7b-0', 'training'),
    pod('train-7b-1', 'training'),
    pod('eval-0', 'evaluation'),
    pod('llm-0', 'restored', asksForRestore),
    pod('llm-1', 'restored', { ...asksForRestore, status: { phase: 'Failed' } }),
  ]);
  const silentId = ok(await org.operator.post('/v1/cluster', { cluster_name: 'us-spot-2' })).text;
  await syncAll(org.controller, silentId, [nodeResource('us-node-1')]);
  await service.db.query("update clusters set last_sync = now() - interval '40 minutes' where id = $1", [silentId]);
  const slurmClusterId = await slurmCluster(org, 'hpc-1');
  ok(await syncJobs(org.controller, slurmClusterId, [slurmJob(4711), slurmJob(4712, { job_state: ['PENDING'] })]));

  const named = (name: string) => ({ name });
  const dailyId = await buildPolicy(org, ofNamespace(silentId), heartbeat(86_400), named('spot nodes, daily'));
  const windowId = await buildPolicy(
    org,
    ofNamespace(clusterId, 'evaluation'),
    windowOfWeek(now),
    named('firmware update'),
  );
  const slurmId = await buildPolicy(
    org,
    ofSlurmJobs(slurmClusterId, 4711, 4712),
    heartbeat(6 * 3_600, 40),
    named('molecular dynamics'),
  );
  const hourlyId = await buildPolicy(org, ofNamespace(clusterId), heartbeat(3_600), named('training, hourly'));

  const monday = mondayOf(now);
  // Their first beats are due when this week begins. Those to come may lie beyond its end.
  for (const [id, every] of [
    [dailyId, DAY],
    [slurmId, 6 * HOUR],
  ] as const)
    await service.db.query('update policies set created_at = $2 where id = $1', [
      id,
      new Date(monday.getTime() + 1_000 - every),
    ]);
  const lastMonday = new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() - 7);
  const hourOf = (day: number, hour: number): number => lastMonday.getTime() + day * DAY + hour * HOUR;
  // The grid is that of the clock of the user, whose zone may not have full hours.
  const grid = lastMonday.getTime() % HOUR;
  const base = Math.floor((now - grid) / HOUR) * HOUR + grid;
  const age = (id: string, next: number) =>
    service.db.query('update policies set created_at = $2, next_at = $3, last_beat_at = $4 where id = $1', [
      id,
      new Date(now - 15 * DAY),
      new Date(next),
      new Date(next - HOUR),
    ]);
  await age(hourlyId, base + HOUR);
  const failedHour = hourOf(1, 9);
  const beats: number[] = [];
  for (let at = base - 14 * DAY; at <= base; at += HOUR) beats.push(at);
  // Wednesday from 3 to 6: nobody ran the policies. Thursday at 12, the first request came late.
  const isMissed = (at: number) => at >= hourOf(2, 3) && at < hourOf(2, 6);
  const rows = beats
    .filter((at) => !isMissed(at))
    .flatMap((at) =>
      ['train-7b-0', 'train-7b-1'].map((name) => ({
        at: new Date(at).toISOString(),
        name,
        status: at === failedHour && name === 'train-7b-1' ? 'error' : 'ready',
        after: at === hourOf(3, 12) ? 150 : 2,
      })),
    );
  const ids = new Map(['train-7b-0', 'train-7b-1'].map((name) => [name, newId()]));
  await service.db.query(
    `insert into actions (org_id, id, cluster_id, type, status, error, reason, kind, platform, checkpoint_id, pod_id, pod_uid,
       pod_name, namespace, node_name, policy_id, beat_at, details, created_at, answer_by, ended_at)
     select $1, gen_random_uuid(), $2, 'heartbeat', status, case status when 'error' then 'no space left on device' end,
       'heartbeat', 'simple', 'kubernetes', gen_random_uuid(), (ids ->> name)::uuid, name, name, 'training', 'node-1', $3, at, '{}',
       at + make_interval(secs => after), at, at + make_interval(secs => after + 40)
     from json_to_recordset($4::json) as r(at timestamptz, name text, status text, after int), (select $5::json as ids) named`,
    [org.id, clusterId, hourlyId, JSON.stringify(rows), JSON.stringify(Object.fromEntries(ids))],
  );
  const window = (reason: string, from: number, until: number) =>
    org.operator.post('/v1/slurm/maintenance_window', {
      start_time: new Date(from).toISOString(),
      end_time: new Date(until).toISOString(),
      reason,
      nodes: ['gpu-1', 'gpu-2'],
    });
  await window('Cooling of hall 2', hourOf(4, 8), hourOf(4, 14));
  await window('Network', hourOf(4, 22), hourOf(5, 4));
  const [year, month, day] = [lastMonday.getFullYear(), lastMonday.getMonth() + 1, lastMonday.getDate()];
  return {
    clusterId,
    slurmClusterId,
    hourlyId,
    slurmId,
    windowId,
    lastWeek: `${year}-${two(month)}-${two(day)}`,
    failedHour,
  };
}
