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

  async machines(): Promise<MachineListing> {
    return readable(readMachines(await this.client.read({ operation: 'list', path: '/instances' })));
  }

  async offers(): Promise<Offer[]> {
    return readable(readOffers(await this.client.read({ operation: 'types', path: '/instances/types' })));
  }

  async machine(providerId: string): Promise<Machine | undefined> {
    const ask = { operation: 'info', path: `/instances/${encodeURIComponent(providerId)}/info` } as const;
    const machine = await unlessUnknown(async () => readable(readMachine(await this.client.read(ask))));
    // Another sender's reply could be taken for the marketplace's.
    if (machine && machine.providerId !== providerId) throw new ProviderFault('unreadable');
    return machine;
  }

  async create(ask: MachineAsk): Promise<string> {
    const body = writeAsk(ask);
    const answer = await this.client.once({
      operation: 'create',
      method: 'POST',
      path: '/instances/create',
      body,
    });
    return readable(readCreated(answer));
  }

  async delete(providerId: string): Promise<boolean> {
    const path = `/instances/${encodeURIComponent(providerId)}/delete`;
    const asked = async () => {
      await this.client.once({ operation: 'delete', method: 'POST', path });
      return true;
    };
    return (await unlessUnknown(asked)) ?? false;
  }
}

/** A reply of 2xx that cannot be read means that the request was executed. */
function readable<T>(value: T | undefined): T {
  if (value === undefined) throw new ProviderFault('unreadable', { mayHaveHappened: true });
  return value;
}

async function unlessUnknown<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderFault && error.status === 404) return undefined;
    throw error;
  }
}
