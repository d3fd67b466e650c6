import { newId } from '../../../src/1-platform/common/ids';
import { buildPod } from '../../support/builders';
import { MINUTE } from '../../support/durations';
import { writeSeries, type ReportedSample, type ReportedSeries } from '../../support/metric-series';
import { databaseNow } from '../../support/reports';
import type { Organisation, Service } from '../../support/service';
import { syncAll } from '../../support/workloads';

export interface SeededMetrics {
  /** Kubernetes uid of the pod that held the first GPU of the first node. */
  readonly trainUid: string;
  readonly evalUid: string;
}

const NODES = 6;
const GPUS = 8;
const EVERY = 2 * MINUTE;
const SAMPLES = 200;

/**
 * Six nodes with eight GPUs each, for the last seven hours. The first one trains, and its first GPU changed
 * hands an hour ago; the third was silent between 150 and 60 minutes ago; the last is idle.
 */
export async function seedMetrics(service: Service, org: Organisation): Promise<SeededMetrics> {
  const now = Math.floor((await databaseNow(service)) / EVERY) * EVERY;
  const clusterId = (await org.operator.post('/v1/cluster', { cluster_name: 'gpu-eu' })).text;
  const pods = ['train-0', 'eval-0'].map((name) => buildPod(name, { metadata: { namespace: 'ml', uid: newId() } }));
  await syncAll(org.controller, clusterId, pods);
  const [trainUid = '', evalUid = ''] = pods.map((pod) => String((pod as { metadata: { uid: string } }).metadata.uid));
  const all: ReportedSeries[] = [];
  for (let node = 1; node <= NODES; node++)
    for (let gpu = 0; gpu < GPUS; gpu++) all.push(...gpuSeries(now, node, gpu, { trainUid, evalUid }));
  const minutes = Array.from({ length: 120 }, (_, step) => 119 - step);
  await writeSeries(service.db, org, ...all, ...podSeries(now, minutes, trainUid, evalUid), ...hostSeries(now));
  return { trainUid, evalUid };
}

/** What pods and nodes use is shown for five minutes: their newest values, reported again. */
export async function reportAgain(service: Service, org: Organisation, of: SeededMetrics): Promise<void> {
  const now = await databaseNow(service);
  await writeSeries(service.db, org, ...podSeries(now, [0], of.trainUid, of.evalUid), ...hostSeries(now));
}

function gpuSeries(now: number, node: number, gpu: number, uids: { trainUid: string; evalUid: string }) {
  const minutesAgo = (step: number): number => (step * EVERY) / MINUTE;
  const isSilent = (minutes: number): boolean => node === 3 && minutes > 60 && minutes < 150;
  const use = (minutes: number): number => {
    if (node === NODES) return 0;
    return Math.round(Math.max(0, Math.min(100, 50 + 45 * Math.sin(minutes / 70 + node) + ((gpu * 7) % 20) - 10)));
  };
  const at = (
    metric: string,
    value: (minutes: number) => number,
    within: (minutes: number) => boolean,
    pod: Partial<ReportedSeries> = {},
  ): ReportedSeries => {
    const samples: ReportedSample[] = [];
    for (let step = SAMPLES; step >= 0; step--) {
      const minutes = minutesAgo(step);
      if (!isSilent(minutes) && within(minutes)) samples.push([now - step * EVERY, value(minutes)]);
    }
    return {
      family: 'gpu',
      metric: `DCGM_FI_DEV_${metric}`,
      gpu_uuid: `GPU-${node}-${gpu}`,
      gpu_index: String(gpu),
      node_name: `gpu-node-${node}`,
      model_name: 'NVIDIA H100 80GB HBM3',
      samples,
      ...pod,
    };
  };
  const used = (minutes: number): number => (node === NODES ? 0 : 20_000 + 500 * use(minutes));
  const always = () => true;
  const memory = [at('FB_USED', used, always), at('FB_FREE', (minutes) => 81_000 - used(minutes), always)];
  if (node !== 1 || gpu !== 0) return [at('GPU_UTIL', use, always), ...memory];
  const held = (pod_name: string, pod_uid: string) => ({ namespace: 'ml', pod_name, pod_uid });
  return [
    at('GPU_UTIL', use, (minutes) => minutes > 60, held('train-0', uids.trainUid)),
    at('GPU_UTIL', use, (minutes) => minutes <= 60, held('eval-0', uids.evalUid)),
    ...memory,
  ];
}

const digests = new Map<string, string>();

/** The same for the same name: a series that is reported again is not another one. */
function digestOf(name: string): string {
  const digest = digests.get(name) ?? newId();
  digests.set(name, digest);
  return digest;
}

function podSeries(now: number, steps: readonly number[], ...uids: string[]): ReportedSeries[] {
  const names = ['train-0', 'eval-0'];
  return uids.flatMap((pod_uid, nth): ReportedSeries[] => {
    const pod = { family: 'pod' as const, pod_uid, pod_name: names[nth], namespace: 'ml', node_name: 'gpu-node-1' };
    const at = (value: (step: number) => number) =>
      steps.map((step): ReportedSample => [now - step * MINUTE, value(step)]);
    return [
      {
        ...pod,
        metric: 'container_cpu_usage_seconds_total',
        digest: digestOf(`cpu ${pod_uid}`),
        kind: 'counter',
        samples: at((step) => 90_000 / (nth + 1) - step * 90),
      },
      {
        ...pod,
        metric: 'container_memory_working_set_bytes',
        digest: digestOf(`memory ${pod_uid}`),
        samples: at((step) => 4e9 * (nth + 1) + 1e7 * (step % 30)),
      },
    ];
  });
}

/** Two nodes: the disk of the second is nearly full. */
const hostSeries = (now: number): ReportedSeries[] =>
  [1, 2].flatMap((node) => {
    const of = (metric: string, collector: string, value: number, more: Partial<ReportedSeries> = {}) => ({
      family: 'host' as const,
      metric,
      collector,
      digest: digestOf(`${metric} ${node}`),
      node_name: `gpu-node-${node}`,
      samples: [[now, value]] as const,
      ...more,
    });
    const disk = { filesystem: '/dev/nvme0n1p1', mountpoint: '/', labels: { fstype: 'ext4' } };
    return [
      of('node_load1', 'loadavg', 12.5),
      of('node_load5', 'loadavg', 11),
      of('node_load15', 'loadavg', 9.25),
      of('node_memory_MemTotal_bytes', 'meminfo', 2e12),
      of('node_memory_MemAvailable_bytes', 'meminfo', 1.5e12),
      of('node_filesystem_size_bytes', 'filesystem', 1e12, disk),
      of('node_filesystem_avail_bytes', 'filesystem', node === 2 ? 4e10 : 6e11, disk),
    ];
  });
