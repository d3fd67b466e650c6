import { Client, Unexpected, type Fault } from '../../support/fleet/client';
import { Journal } from '../../support/fleet/journal';
import { Pace, Stopped } from '../../support/fleet/pace';
import { Chats } from './chats';
import { GpuMetrics } from './gpu-metrics';
import { SlurmJobs } from './slurm-jobs';
import { Training } from './training';

/** What one hour of a node of the fleet costs. */
const FLEET_NODE_USD = 5.672;

/** What else happens while the fleet serves, in real time: training, its GPUs, Slurm jobs, and chats. */
export class Day {
  readonly faults: Fault[] = [];
  private readonly pace = new Pace(1);
  private readonly client: Client;
  private readonly running = new Set<Promise<void>>();
  private chats: Chats | undefined;

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly seed: number,
  ) {
    this.client = new Client(url, 'day', token, this.pace, new Journal(), this.faults);
  }

  /** @param profiles of the fleet; the route of the chats shows the first one */
  async start(profiles: readonly [string, ...string[]]): Promise<void> {
    const { client, pace, seed, token, url } = this;
    const training = new Training(client, pace, seed);
    this.chats = await Chats.start(url, client, pace, seed);
    const slurm = new SlurmJobs(client, pace, seed);
    await Promise.all([training.prepare(), slurm.prepare(), this.chats.prepare(profiles[0]), this.price(profiles)]);
    const metrics = new GpuMetrics(url, token, pace, training.holders);
    for (const work of [...training.work(), ...slurm.work(), ...this.chats.work(), metrics.work()]) this.spawn(work);
  }

  async stop(): Promise<void> {
    this.pace.stop();
    this.pace.hangUp();
    await Promise.all(this.running);
    await this.chats?.close();
  }

  private async price(profiles: readonly string[]): Promise<void> {
    for (const id of profiles)
      await this.client.post('/v1/inference/costs/config', { profile_id: id, node_hourly_usd: FLEET_NODE_USD });
    await this.client.put('/v1/pricing/instance-types', {
      instance_type: 'p5.48xlarge',
      capacity_type: 'on-demand',
      ondemand_price_per_hour: 98.32,
    });
  }

  private spawn(work: Promise<void>): void {
    const guarded = work
      .catch((error: unknown) => {
        // A refused call is in the faults already.
        if (error instanceof Stopped || error instanceof Unexpected || this.pace.stopped) return;
        this.faults.push({ method: 'actor', path: 'day', status: 0, body: String(error) });
      })
      .finally(() => this.running.delete(guarded));
    this.running.add(guarded);
  }
}
