import { newId } from '../../../src/1-platform/common/ids';
import { buildJob, buildNode, buildPod, ownedBy } from '../../support/builders';
import type { Organisation, Service } from '../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../support/slurm-builders';
import { askSlurmCheckpoint, putSlurmInfo, putSlurmUploaded, takeUpSlurm } from '../../support/slurm-checkpoints';
import { askCheckpoint, ok, putInfo, putUploaded, reportRestore, syncAll, takeUp } from '../../support/workloads';

const MINUTE = 60_000;
const MS = 1_000_000;
const GB = 1_000_000_000;

/** What the pages of a seeded organisation show. */
export interface Seeded {
  readonly clusterId: string;
  readonly silentClusterId: string;
  readonly slurmClusterId: string;
  /** Operations. */
  readonly failedId: string;
  readonly succeededId: string;
  readonly overlappingId: string;
  readonly runningId: string;
  readonly failedRestoreId: string;
  /** Row id of a pod without a checkpoint. */
  readonly podId: string;
  /** Another one. */
  readonly otherPodId: string;
}

interface Taken {
  readonly actionId: string;
  readonly checkpointId: string;
}

const stage = (name: string, ms: number, io = 0, more: object = {}) => ({ name, duration: ms * MS, io, ...more });

const GOOD = (factor: number) => ({
  profile: {
    components: [
      stage('freeze', 38 * factor),
      stage('gpu_dump', 2_140 * factor, 21.4 * GB),
      stage('memory_dump', 860 * factor, 4.2 * GB),
      stage('compress', 1_320 * factor),
      stage('upload', 5_610 * factor, 11.8 * GB),
    ],
  },
  dump: { frozen_time: 3_100_000 * factor },
});

const BROKEN = {
  components: [
    stage('freeze', 41),
    stage('gpu_dump', 1_980, 19.8 * GB),
    stage('memory_dump', 310, 0, {
      result: 'failed',
      error: 'no space left on device: /var/lib/ckpt (38.2 GB needed)',
    }),
  ],
};

/** A day of three clusters: one in which a node and some attempts failed, a silent one, and Slurm. */
export async function seed(service: Service, org: Organisation): Promise<Seeded> {
  const began = Date.now();
  const at = (minutesAgo: number): void => service.clock.set(new Date(began - minutesAgo * MINUTE));
  const kubernetes = (name: string): Promise<string> =>
    org.operator.post('/v1/cluster', { cluster_name: name }).then((answer) => ok(answer).text);
  const clusterId = await kubernetes('eu-gpu-1');
  const nodes = Array.from({ length: 12 }, (_, place) =>
    buildNode(`gpu-node-${place + 1}`, {
      status: {
        capacity: { 'nvidia.com/gpu': '8' },
        ...(place === 6 ? { conditions: [{ type: 'Ready', status: 'False' }] } : {}),
      },
      metadata: {
        labels: {
          'node.kubernetes.io/instance-type': 'p5.48xlarge',
          'karpenter.sh/capacity-type': place < 8 ? 'on-demand' : 'spot',
        },
      },
    }),
  );
  await syncAll(org.controller, clusterId, nodes);
  const silentClusterId = await kubernetes('us-spot-2');
  await syncAll(org.controller, silentClusterId, [buildNode('us-node-1')]);
  await service.db.query("update clusters set last_sync = now() - interval '40 minutes' where id = $1", [
    silentClusterId,
  ]);
  const pods = await seedPods(org, clusterId);
  const take = async (name: string, minutesAgo: number, info: object): Promise<Taken> => {
    at(minutesAgo);
    const actionId = await askCheckpoint(org, pods.get(name) ?? '');
    const checkpointId = await takeUp(org, actionId, { container_name: 'main' });
    ok(await putInfo(org, checkpointId, info));
    return { actionId, checkpointId };
  };
  const succeed = async (name: string, minutesAgo: number, factor = 1): Promise<Taken> => {
    const taken = await take(name, minutesAgo, GOOD(factor));
    at(minutesAgo - 0.2);
    ok(await putUploaded(org, taken.checkpointId, `s3://checkpoints/${taken.checkpointId}`));
    return taken;
  };
  const fail = async (name: string, minutesAgo: number, error: string, info: object = BROKEN): Promise<Taken> => {
    const taken = await take(name, minutesAgo, info);
    at(minutesAgo - 0.1);
    ok(await putInfo(org, taken.checkpointId, info, { error }));
    return taken;
  };
  for (let hour = 23; hour > 1; hour--)
    await succeed(`train-7b-${hour % 6}`, hour * 60 + ((hour * 17) % 50), 0.8 + (hour % 5) / 10);
  await fail('train-7b-3', 640, 'criu: pre-dump failed: the kernel refused soft-dirty tracking');
  const failed = await fail('train-70b-0', 35, 'no space left on device: /var/lib/ckpt (38.2 GB needed)');
  const succeeded = await succeed('train-7b-1', 20);
  // Two uploads side by side: together longer than the whole.
  const overlapping = await take('train-7b-2', 15, {
    components: [stage('upload_a', 5_000, 4 * GB), stage('upload_b', 4_500, 4 * GB, { parallel: true })],
  });
  ok(await putUploaded(org, overlapping.checkpointId, `s3://checkpoints/${overlapping.checkpointId}`));
  const restore = async (minutesAgo: number, from: Taken, error?: string): Promise<string> => {
    at(minutesAgo);
    const restore_uuid = newId();
    const time = (seconds: number) => new Date(service.clock.now().getTime() + seconds * 1_000).toISOString();
    const body = {
      restore_uuid,
      checkpoint_id: from.checkpointId,
      cluster_id: clusterId,
      checkpoint_action_id: from.actionId,
      started_at: time(0),
      metadata: { node_name: 'gpu-node-4' },
    };
    ok(await reportRestore(org, 'restore_start', body));
    const end = { ...body, completed_at: time(6.4), ...(error ? { error_message: error } : {}) };
    ok(await reportRestore(org, error ? 'restore_error' : 'restore_success', end));
    return restore_uuid;
  };
  for (const minutesAgo of [1_200, 830, 410, 95]) await restore(minutesAgo, succeeded);
  const failedRestoreId = await restore(12, succeeded, 'driver 570.86 on gpu-node-4, the checkpoint needs 575.51');
  const slurmClusterId = await seedSlurm(org, at);
  at(0.1);
  const running = await take('train-70b-1', 0.1, {
    components: [stage('freeze', 52), stage('gpu_dump', 1_850, 17 * GB)],
  });
  await org.controller.put(`/v1/checkpoints/progress/${running.checkpointId}`, {
    stage: 'memory_dump',
    bytes_done: 1.5 * GB,
    bytes_total: 4.2 * GB,
  });
  at(0);
  return {
    clusterId,
    silentClusterId,
    slurmClusterId,
    failedId: failed.checkpointId,
    succeededId: succeeded.checkpointId,
    overlappingId: overlapping.checkpointId,
    runningId: running.checkpointId,
    failedRestoreId,
    podId: pods.get('eval-0') ?? '',
    otherPodId: pods.get('eval-1') ?? '',
  };
}

/** @returns row ids by name */
async function seedPods(org: Organisation, clusterId: string): Promise<Map<string, string>> {
  const job = buildJob('train-7b', { metadata: { namespace: 'training' } });
  const onNode = (name: string, place: number, more: object = {}) =>
    buildPod(name, {
      metadata: { namespace: 'training', ...(name.startsWith('train-7b') ? ownedBy(job) : {}) },
      spec: { nodeName: `gpu-node-${(place % 5) + 1}` },
      ...more,
    });
  const names = [
    ...Array.from({ length: 6 }, (_, place) => `train-7b-${place}`),
    'train-70b-0',
    'train-70b-1',
    'eval-0',
    'eval-1',
  ];
  const pods = names.map((name, place) => onNode(name, place));
  const crashing = onNode('loader-0', 2, {
    status: {
      phase: 'Running',
      containerStatuses: [
        { name: 'main', ready: false, restartCount: 14, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    },
  });
  const pending = buildPod('queued-0', { metadata: { namespace: 'batch' }, status: { phase: 'Pending' } });
  await syncAll(org.controller, clusterId, [job, ...pods, crashing, pending]);
  const listed = (await org.viewer.get('/v1/pods')).body as { id: string; name: string }[];
  return new Map(listed.map(({ id, name }) => [name, id]));
}

async function seedSlurm(org: Organisation, at: (minutesAgo: number) => void): Promise<string> {
  const clusterId = await slurmCluster(org, 'hpc-1');
  const now = Math.floor(Date.now() / 1_000);
  const job = (id: number, name: string, more: object = {}) =>
    slurmJob(id, {
      name,
      submit_time: { set: true, infinite: false, number: now - 8_000 },
      start_time: { set: true, infinite: false, number: now - 7_200 },
      ...more,
    });
  const waits = { job_state: ['PENDING'], nodes: '', start_time: { set: true, infinite: false, number: 0 } };
  await syncJobs(org.controller, clusterId, [
    job(4711, 'md-relax', { nodes: 'gpu-[1-4]' }),
    job(4712, 'climate-2x', { job_state: ['FAILED'] }),
    job(4713, 'fold-batch', waits),
  ]);
  at(180);
  const actionId = await askSlurmCheckpoint(org, clusterId, 4711);
  const id = await takeUpSlurm(org, actionId);
  ok(await putSlurmInfo(org, id, GOOD(1.4)));
  ok(await putSlurmUploaded(org, id, '/shared/ckpt/4711'));
  return clusterId;
}
