import { Injectable } from '@nestjs/common';
import type { TransactionObserver } from '../../1-platform/database/transactions/observers';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { RoutingTables } from './choice/routing-tables.service';
import { appendPublished } from './routes.events';
import { modelsOf, nextGeneration, takeRouteTurn } from './routes.queries';

/**
 * Whether a profile is enabled is part of the routes that it is a target of. Each gets its next generation,
 * so routers read it again.
 */
@Injectable()
export class RouteTargets implements TransactionObserver<string> {
  constructor(private readonly tables: RoutingTables) {}

  async observe(tx: Tx, profileId: string): Promise<void> {
    for (const model of await modelsOf(tx, profileId)) {
      await takeRouteTurn(tx, model);
      const generation = await nextGeneration(tx, model);
      if (generation !== undefined) await appendPublished(tx, model, generation);
    }
    tx.onCommit(() => this.tables.changedHere(tx.orgId));
  }
}
