import type { Client } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';
import { seeded } from '../../support/random';
import { slurmJob } from '../../support/slurm-builders';
import { Agent, type Workload } from './agent';
import type { Kind } from './attempts';

const SYNC_EVERY_MS = 10_000;
const CPUS = 128;
const MEMORY_MB = 1_031_000;

const KIND: Kind = {
  workloadType: 'slurm',
  path: '/v1/slurm/checkpoints',
  machine: { gpu: 'NVIDIA A100', platform: 'linux/amd64' },
};

const FIRST_JOB = 4_711;

/** Partitions, with the number of their nodes. */
const PARTITIONS = { gpu: 6, cpu: 4 } as const;
type Partition = keyof typeof PARTITIONS;

/** The running jobs, each with its partition, the number of its node there, and for how long it has run. */
const RUNNING: readonly (readonly [name: string, Partition, node: number, hours: number])[] = [
  ['protein-folding', 'gpu', 1, 19],
  ['climate-ensemble', 'gpu', 2, 7],
  ['diffusion-sweep', 'gpu', 4, 2],
  ['genome-assembly', 'cpu', 1, 26],
];
const WAITING = ['llm-finetune', 'molecular-dynamics'] as const;

/** A Slurm cluster whose jobs are checkpointed and restored. */
export class SlurmJobs {
  private readonly random: () => number;
  private clusterId = '';

  constructor(
    private readonly client: Client,
    private readonly pace: Pace,
    seed: number,
  ) {
    this.random = seeded(seed + 1);
  }

  async prepare(): Promise<void> {
    const { body } = await this.client.post<string>('/v1/cluster', { cluster_name: 'hpc', kind: 'slurm' });
    this.clusterId = body;
    await this.sync();
  }

  /** Each ends only when the demo stops. */
  work(): Promise<void>[] {
    const agent = new Agent(this.client, this.pace, this.random, KIND, this.clusterId);
    const jobs = RUNNING.map(([, partition, node], place): Workload => {
      const asked = { cluster_id: this.clusterId, job_id: String(FIRST_JOB + place) };
      const ask = async () => (await this.client.post<string>('/v1/slurm/checkpoint/job', asked)).body;
      return { node: `${partition}-${node}`, ask };
    });
    return [this.keepInSync(), ...agent.work(jobs)];
  }

  private async keepInSync(): Promise<void> {
    for (;;) {
      await this.pace.sleep(SYNC_EVERY_MS);
      await this.sync();
    }
  }

  /** What the loop of an agent sends of `scontrol` and `squeue`. */
  private async sync(): Promise<void> {
    const at = { cluster_id: this.clusterId };
    const partitions = Object.entries(PARTITIONS).map(([name, total]) => ({
      name,
      nodes: { configured: `${name}-[1-${total}]`, total },
      cpus: { total: total * CPUS },
      partition: { state: ['UP'] },
    }));
    await this.client.post('/v1/slurm/partitions/sync', { ...at, partitions });
    await this.client.post('/v1/slurm/nodes/sync', { ...at, nodes: this.nodes() });
    await this.client.post('/v1/slurm/jobs/sync', { ...at, jobs: jobs() });
  }

  private nodes(): object[] {
    return Object.entries(PARTITIONS).flatMap(([partition, total]) =>
      Array.from({ length: total }, (_, index) => {
        const place = index + 1;
        const busy = RUNNING.some(([, name, node]) => name === partition && node === place);
        const drained = partition === 'gpu' && place === total;
        const used = busy ? 0.6 + 0.3 * this.random() : 0;
        return {
          name: `${partition}-${place}`,
          state: drained ? ['IDLE', 'DRAIN'] : [busy ? 'MIXED' : 'IDLE'],
          reason: drained ? 'fan of GPU 3' : '',
          partitions: [partition],
          cpus: CPUS,
          alloc_cpus: busy ? CPUS / 2 : 0,
          // Slurm reports a hundred times the load.
          cpu_load: Math.round(CPUS * used * 100),
          real_memory: MEMORY_MB,
          alloc_memory: busy ? MEMORY_MB / 2 : 0,
          free_mem: { set: true, infinite: false, number: Math.round(MEMORY_MB * (1 - used / 2)) },
        };
      }),
    );
  }
}

const BEGAN = Math.floor(Date.now() / 1_000);

const hoursAgo = (hours: number) => ({ set: true, infinite: false, number: BEGAN - hours * 3_600 });

function jobs(): object[] {
  const running = RUNNING.map(([name, partition, node, hours], place) =>
    slurmJob(FIRST_JOB + place, {
      name,
      partition,
      nodes: `${partition}-${node}`,
      submit_time: hoursAgo(hours + 1),
      start_time: hoursAgo(hours),
      end_time: hoursAgo(hours - 48),
    }),
  );
  const waiting = WAITING.map((name, place) =>
    slurmJob(FIRST_JOB + RUNNING.length + place, {
      name,
      job_state: ['PENDING'],
      nodes: '',
      submit_time: hoursAgo(1),
      start_time: { set: false, infinite: false, number: 0 },
      end_time: { set: false, infinite: false, number: 0 },
    }),
  );
  return [...running, ...waiting];
}
