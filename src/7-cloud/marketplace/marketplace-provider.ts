import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  InstanceProvider,
  ProviderFault,
  type Machine,
  type MachineAsk,
  type MachineListing,
  type Offer,
} from '../instances/providers/instance-provider';
import { MarketplaceClient } from './marketplace-client';
import { readCreated, readMachine, readMachines, readOffers, writeAsk } from './marketplace-messages';

/** The marketplace's API, version 1. */
@Injectable()
export class MarketplaceProvider extends InstanceProvider {
  readonly account: string | undefined;
  readonly timeLimitMs: number;

  constructor(private readonly client: MarketplaceClient) {
    super();
    const { settings } = client;
    this.timeLimitMs = settings?.timeoutMs ?? 0;
    // Another key is another account, about which nothing is known.
    this.account = settings && createHash('sha256').update(`${settings.url}\n${settings.key}`).digest('hex');
  }

  machines(): Promise<MachineListing> {
    return this.client.read({ operation: 'list', path: '/instances', reader: readMachines });
  }

  offers(): Promise<Offer[]> {
    return this.client.read({ operation: 'types', path: '/instances/types', reader: readOffers });
  }

  machine(providerId: string): Promise<Machine | undefined> {
    const path = `/instances/${encodeURIComponent(providerId)}/info`;
    const reader = (reply: unknown): Machine | undefined => {
      const machine = readMachine(reply);
      // Another sender's reply could be taken for the marketplace's.
      return machine?.providerId === providerId ? machine : undefined;
    };
    return unlessUnknown(() => this.client.read({ operation: 'info', path, reader }));
  }

  create(ask: MachineAsk): Promise<string> {
    const body = writeAsk(ask);
    return this.client.once({
      operation: 'create',
      method: 'POST',
      path: '/instances/create',
      body,
      reader: readCreated,
    });
  }

  async delete(providerId: string): Promise<boolean> {
    const path = `/instances/${encodeURIComponent(providerId)}/delete`;
    // Its reply says nothing but that it was accepted.
    const reader = () => true;
    const asked = () => this.client.once({ operation: 'delete', method: 'POST', path, reader });
    return (await unlessUnknown(asked)) ?? false;
  }
}

async function unlessUnknown<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderFault && error.kind === 'unknown') return undefined;
    throw error;
  }
}
