import { randomUUID } from 'node:crypto';
import type { ServiceClient } from '../../service/client';
import type { components } from '../../service/schema';

/** A cluster in the service, by its name. It may be deleted there at any time, and is registered anew. */
export class Registration {
  private id: string | undefined;

  constructor(
    private readonly service: ServiceClient,
    private readonly cluster: components['schemas']['SaveClusterBody'],
    private readonly say: (line: string) => void,
  ) {}

  get clusterId(): string {
    if (this.id === undefined) throw new Error('The cluster is not registered.');
    return this.id;
  }

  /** @returns the id of the cluster */
  async register(): Promise<string> {
    // A new key each time: the answer of yesterday may name a cluster that was deleted since.
    const header = { 'Idempotency-Key': `register/${randomUUID()}` };
    const id = await this.service.send('save_cluster', (api) =>
      api.POST('/v1/cluster', { params: { header }, body: this.cluster, parseAs: 'text' }),
    );
    if (this.id !== undefined && this.id !== id)
      this.say(`Cluster ${this.cluster.cluster_name} is ${id} now: the one before was deleted.`);
    this.id = id;
    return id;
  }
}
