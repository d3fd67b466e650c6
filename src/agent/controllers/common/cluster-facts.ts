import { randomUUID } from 'node:crypto';
import type { ServiceClient } from '../../service/client';

/**
 * What the agent says about itself in the metadata of its cluster. Each report replaces the one before, so
 * all facts go together, and one report after the other.
 */
export class ClusterFacts {
  private readonly facts: Record<string, unknown>;
  private sending: Promise<void> = Promise.resolve();

  /** @param node the name of the machine on which the agent runs */
  constructor(
    private readonly service: ServiceClient,
    private readonly clusterId: () => string,
    node: string,
  ) {
    this.facts = { node };
  }

  /** Shows a fact beside the others, in place of an earlier one of the same name. */
  publish(name: string, fact: unknown): Promise<void> {
    this.facts[name] = fact;
    this.sending = this.sending.catch(() => undefined).then(() => this.send());
    return this.sending;
  }

  private async send(): Promise<void> {
    const header = { 'Idempotency-Key': `facts/${randomUUID()}` };
    const body = {
      cluster_id: this.clusterId(),
      metadata: { ccp_agent: { ...this.facts } },
      resource: { type: 'None' as const },
    };
    await this.service.send('sync_cluster', (api) =>
      api.POST('/v1/cluster/sync', { params: { header }, body, parseAs: 'text' }),
    );
  }
}
