import { slurmCluster, slurmJob, syncJobs } from '../../support/slurm-builders';
import {
  askSlurmCheckpoint,
  deprecateSlurm,
  putSlurmInfo,
  putSlurmUploaded,
  takeUpSlurm,
} from '../../support/slurm-checkpoints';
import { reportSamples, type SampleOfTests } from '../../support/metric-series';
import { checkpoint, heartbeat, maintenance, ofSlurmJobs } from '../../support/policies';
import type { Organisation, Service } from '../../support/service';
import { ok } from '../../support/workloads';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const GIB = 2 ** 30;

export interface SeededSlurm {
  readonly clusterId: string;
  readonly otherClusterId: string;
  readonly readyCheckpointId: string;
  /** A maintenance window of Slurm's, and one entered by hand. */
  readonly windowId: string;
}

const sync = async (org: Organisation, kind: string, clusterId: string, records: object[]): Promise<void> => {
  const body = { cluster_id: clusterId, [kind]: records };
  const path = kind === 'maintenance_windows' ? 'maintenance_window' : kind;
  const answer = ok(await org.controller.post(`/v1/slurm/${path}/sync`, body));
  expect(answer.text).toMatch(new RegExp(`^synced ${records.length} `));
};

/** A node as `scontrol show nodes --json` prints it. */
const node = (name: string, state: string[], partitions: string[], used: number, more: object = {}) => ({
  name,
  state,
  partitions,
  cpus: 64,
  real_memory: 515_000,
  alloc_cpus: Math.round(64 * used),
  alloc_memory: Math.round(515_000 * used * 0.8),
  cpu_load: Math.round(6_400 * used * 0.95),
  free_mem: { set: true, infinite: false, number: Math.round(515_000 * (1 - used)) },
  ...more,
});

/** Two Slurm clusters: one with some trouble, jobs, windows, policies and a day of load; and a small one. */
export async function seedSlurm(service: Service, org: Organisation): Promise<SeededSlurm> {
  const clusterId = await slurmCluster(org, 'hpc-1');
  const otherClusterId = await slurmCluster(org, 'lab-2');
  const gpus = Array.from({ length: 24 }, (_, place) => {
    const name = `gpu-${String(place + 1).padStart(2, '0')}`;
    if (place === 5) return node(name, ['DOWN', 'NOT_RESPONDING'], ['gpu'], 0, { reason: 'power supply failed' });
    if (place === 11) return node(name, ['IDLE', 'DRAIN'], ['gpu'], 0, { reason: 'fan 3 is loud' });
    if (place === 13) return node(name, ['ALLOCATED'], ['gpu'], 1, { cpu_load: 9_100 });
    const used = place < 12 ? 1 : place < 18 ? 0.25 * ((place % 3) + 1) : 0;
    const state = used === 1 ? 'ALLOCATED' : used === 0 ? 'IDLE' : 'MIXED';
    return node(name, [state], place < 4 ? ['gpu', 'urgent'] : ['gpu'], used);
  });
  const cpus = Array.from({ length: 16 }, (_, place) =>
    node(`cpu-${String(place + 1).padStart(2, '0')}`, [place < 9 ? 'MIXED' : 'IDLE'], ['cpu'], place < 9 ? 0.6 : 0),
  );
  await sync(org, 'nodes', clusterId, [...gpus, ...cpus]);
  const partition = (name: string, nodes: string, total: number, more: object = {}) => ({
    ...{ name, state: 'UP', nodes, total_nodes: total, total_cpus: total * 64, max_time: 2_880, ...more },
  });
  await sync(org, 'partitions', clusterId, [
    partition('gpu', 'gpu-[01-24]', 24, { is_default: true }),
    partition('urgent', 'gpu-[01-04]', 4, { priority_tier: 10, max_time: 120 }),
    partition('cpu', 'cpu-[01-16]', 16, { max_time: -1 }),
  ]);
  await sync(org, 'nodes', otherClusterId, [node('lab-n1', ['IDLE'], ['debug'], 0)]);
  await sync(org, 'partitions', otherClusterId, [partition('debug', 'lab-n1', 1, { state: 'DRAIN' })]);
  const readyCheckpointId = await seedJobs(org, service, clusterId);
  await seedLoad(service, org);
  const windowId = await seedWindows(org, clusterId);
  return { clusterId, otherClusterId, readyCheckpointId, windowId };
}

async function seedJobs(org: Organisation, service: Service, clusterId: string): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const at = (number: number) => ({ set: true, infinite: false, number });
  const job = (id: number, name: string, state: string, endedAgo: number, more: object = {}) =>
    slurmJob(id, {
      ...{ name, job_state: [state], submit_time: at(now - 90_000), start_time: at(now - 80_000) },
      ...(state === 'RUNNING' ? {} : { end_time: at(now - endedAgo) }),
      ...more,
    });
  await syncJobs(org.controller, clusterId, [
    job(4711, 'md-relax', 'RUNNING', 0, { nodes: 'gpu-[01-04]' }),
    job(4705, 'climate-2x', 'NODE_FAIL', 600, { failed_node: 'gpu-06', state_reason: 'NodeDown' }),
    job(4704, 'fold-batch', 'OUT_OF_MEMORY', 4_000, { state_reason: 'OutOfMemory', exit_code: { return_code: 125 } }),
    job(4703, 'eval-night', 'TIMEOUT', 9_000, { state_reason: 'TimeLimit' }),
    job(4702, 'prepare', 'COMPLETED', 20_000, { exit_code: { return_code: 0 } }),
  ]);
  const take = async (minutesAgo: number): Promise<string> => {
    service.clock.set(new Date(Date.now() - minutesAgo * MINUTE_MS));
    return takeUpSlurm(org, await askSlurmCheckpoint(org, clusterId, 4711));
  };
  const old = await take(300);
  ok(await deprecateSlurm(org, old));
  const ready = await take(60);
  ok(await putSlurmInfo(org, ready, { components: [{ name: 'memory_dump', duration: 9e9, io: 4e9 }] }));
  ok(await putSlurmUploaded(org, ready, '/shared/ckpt/4711'));
  service.clock.set(new Date());
  return ready;
}

/** A day with a gap of two hours. */
async function seedLoad(service: Service, org: Organisation): Promise<void> {
  const end = Math.floor(Date.now() / 60_000) * 60_000;
  const samples: SampleOfTests[] = [];
  const sample = (name: string, at: number, value: number, labels: Record<string, string> = {}) =>
    samples.push({ name, at, value, labels: { instance: 'exporter:9092', ...labels } });
  for (let at = end - 24 * HOUR_MS + MINUTE_MS; at <= end; at += 10 * MINUTE_MS) {
    const hour = (at % (24 * HOUR_MS)) / HOUR_MS;
    if (end - at > 9 * HOUR_MS && end - at < 11 * HOUR_MS) continue;
    const wave = 0.55 + 0.35 * Math.sin((hour / 24) * 2 * Math.PI) + 0.05 * Math.sin(hour * 7);
    sample('slurm_cpu_load', at, 2_560 * wave);
    sample('slurm_mem_alloc', at, 12_000 * GIB * wave);
    sample('slurm_mem_free', at, 12_000 * GIB * (1 - wave));
    for (const [partition, cpus] of [
      ['gpu', 1_536],
      ['cpu', 1_024],
    ] as const) {
      sample('slurm_partition_cpu_load', at, cpus * wave, { partition });
      sample('slurm_partition_total_cpus', at, cpus, { partition });
      sample('slurm_partition_idle_cpus', at, Math.round(cpus * (1 - wave)), { partition });
      sample('slurm_partition_free_mem', at, cpus * 4 * GIB * (1 - wave), { partition });
      sample('slurm_partition_real_mem', at, cpus * 4 * GIB, { partition });
      sample('slurm_partition_node_count', at, 6, { partition, state: 'idle' });
    }
  }
  await reportSamples(service, org, samples);
}

/** @returns the id of the window that was entered by hand */
async function seedWindows(org: Organisation, clusterId: string): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const reservation = (name: string, from: number, to: number, more: object = {}) => ({
    ...{ name, start_time: now + from * 3_600, end_time: now + to * 3_600, ...more },
  });
  await sync(org, 'maintenance_windows', clusterId, [
    reservation('firmware', 2, 6, { node_list: 'gpu-[01-24]', flags: ['MAINT'] }),
    reservation('cabling', -30, -28, { node_list: 'cpu-[01-16]', comment: 'New switches' }),
  ]);
  const policy = async (name: string, trigger: object): Promise<void> => {
    const pipeline = { trigger, filter: ofSlurmJobs(clusterId, 4711), action: checkpoint() };
    ok(await org.operator.post('/v1/policy/pipeline/create', { name, pipeline }));
  };
  await policy('before firmware', maintenance(3_600, 3 * 3_600));
  await policy('hourly', heartbeat(3_600));
  const time = (hours: number) => new Date((now + hours * 3_600) * 1_000).toISOString();
  const body = { start_time: time(-1), end_time: time(1), reason: 'Move of the lab', partitions: ['debug'] };
  const answer = await org.operator.post('/v1/slurm/maintenance_window', body);
  expect(answer.status).toBe(201);
  return answer.text;
}
