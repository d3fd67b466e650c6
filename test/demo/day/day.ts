import { Client, Unexpected, type Fault } from '../../support/fleet/client';
import { Journal } from '../../support/fleet/journal';
import { Pace, Stopped } from '../../support/fleet/pace';
import { Chats } from './chats';
import { GpuMetrics } from './gpu-metrics';
import { Training } from './training';

/** What else happens while the fleet serves, in real time: training, its GPUs, and chats. */
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

  /** @param profileId of the fleet, for the route of the chats */
  async start(profileId: string): Promise<void> {
    const { client, pace, seed, token, url } = this;
    const training = new Training(client, pace, seed);
    this.chats = await Chats.start(url, client, pace, seed);
    await Promise.all([training.prepare(), this.chats.prepare(profileId), this.price()]);
    const metrics = new GpuMetrics(url, token, pace, training.holders);
    for (const work of [...training.work(), ...this.chats.work(), metrics.work()]) this.spawn(work);
  }

  async stop(): Promise<void> {
    this.pace.stop();
    this.pace.hangUp();
    await Promise.all(this.running);
    await this.chats?.close();
  }

  private async price(): Promise<void> {
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
