import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Logger } from 'pino';
import { traceparent } from '../../common/current-trace';
import { invariant } from '../../common/invariant';
import { isUuid } from '../../common/ids';
import { LOGGER } from '../../common/logger';
import { goFirst } from '../../common/work/slices';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment } from '../../config/environment';
import { isLockBusy, isRetryable, unpartitionedTable } from '../connections/database-errors';
import type { PooledClient } from '../connections/database-pool';
import { makeMissingPartition } from '../partitions/partitions.queries';
import { ReadReplica } from '../read-replica/read-replica';
import { runEffects, type Effect } from './effects';
import { LockContention, OUT_OF_TURN } from './lock-contention';
import { bind, statement } from './statement';
import { ReadByEntities, Tx, type OrgScope } from './tx';

const MAX_ATTEMPTS = 3;
/** Time limit for locks of others, over all attempts. */
const LOCK_PATIENCE_MS = 10_000;

/** Organisation of a system transaction, which no row has. */
const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';

/** A live server answers these at once, whatever its load, so a server that does not is reported quickly. */
const query_timeout = 1_000;

const BEGIN_WRITE = { text: 'begin', query_timeout };
const BEGIN_READ = { text: 'begin isolation level repeatable read read only', query_timeout };
const ROLLBACK = { text: 'rollback', query_timeout };
// Row level security reads the first two settings, and new events of the outbox the third. They end with the
// transaction.
const SCOPE = statement(
  'uow-scope',
  "select set_config('app.org', $org_id, true), set_config('app.system', $system, true)",
  { query_timeout },
);
const SCOPE_IN_TRACE = statement(
  'uow-scope-in-trace',
  `
    select set_config('app.org', $org_id, true), set_config('app.system', $system, true),
      set_config('app.traceparent', $traceparent, true)`,
  { query_timeout },
);

interface Opened {
  readonly scope: string;
  readonly tx: Tx;
}

/** Opens transactions. Only services open them; everything below takes the `Tx`. */
@Injectable()
export class UnitOfWork {
  private readonly current = new AsyncLocalStorage<Opened>();

  private readonly contention: LockContention;
  private readonly patienceMs: number;
  /** Operations that a replica cannot answer. */
  private readonly readByEntities = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT)
    {
      databasePoolSize,
      databaseStatementTimeoutMs,
    }: Pick<Environment, 'databasePoolSize' | 'databaseStatementTimeoutMs'>,
    @Inject(LOGGER) private readonly logger: Logger,
    /** Missing for tools that run once and end. */
    @Optional() private readonly replica?: ReadReplica,
  ) {
    this.contention = new LockContention(Math.ceil(databasePoolSize / 2));
    this.patienceMs = Math.min(databaseStatementTimeoutMs, LOCK_PATIENCE_MS);
  }

  /**
   * Runs a change as one transaction of an organisation. It is repeated after a deadlock, a serialisation
   * failure or a missing partition (3 times at most) and while others hold a lock (for 10 s at most). Inside
   * another unit of work of the same organisation it joins that one, so that a repeated request is recognised
   * in the transaction of its effect. Make no network call inside, and map large input before.
   */
  run<T>(scope: OrgScope, work: (tx: Tx) => Promise<T>): Promise<T> {
    invariant(isUuid(scope.orgId), 'an organisation id is a UUID');
    return this.open(scope, '', BEGIN_WRITE, work);
  }

  /**
   * Like `run`, but read only. If the scope allows it, from the read replica: while that is within its bound,
   * and from the primary otherwise.
   */
  async read<T>(scope: OrgScope, work: (tx: Tx) => Promise<T>): Promise<T> {
    invariant(isUuid(scope.orgId), 'an organisation id is a UUID');
    const { replica } = this;
    const { operation = '' } = scope;
    if (scope.lagged && replica?.isUsable && !this.readByEntities.has(operation) && !this.current.getStore()) {
      try {
        const { result, lagMs } = await this.readFrom(replica, scope, work);
        scope.lagged(lagMs);
        return result;
      } catch (error) {
        if (error instanceof ReadByEntities) this.notRead(operation);
        else if (ReadReplica.isFault(error)) replica.failed(error);
        else throw error;
      }
    }
    return this.open(scope, '', BEGIN_READ, work);
  }

  private notRead(operation: string): void {
    this.readByEntities.add(operation);
    this.logger.info({ operation }, 'the primary answers this operation, because it reads by entities');
  }

  /** A transaction of the service itself, over all organisations. @param reason why */
  system<T>(reason: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.open({ orgId: NO_ORGANISATION, operation: reason }, 'on', BEGIN_WRITE, work);
  }

  private async readFrom<T>(
    replica: ReadReplica,
    { orgId, maxLagMs }: OrgScope,
    work: (tx: Tx) => Promise<T>,
  ): Promise<{ result: T; lagMs: number }> {
    const client = await replica.connect();
    try {
      const tx = new Tx(orgId, undefined, client);
      try {
        await client.query(BEGIN_READ);
        // It takes the snapshot, so the lag is that of everything that the work reads.
        const lagMs = await replica.lagOf(client, maxLagMs);
        await client.query(scopeStatement(orgId, ''));
        const result = await this.current.run({ scope: orgId, tx }, () => goFirst(() => work(tx)));
        await client.query('commit');
        return { result, lagMs };
      } catch (error) {
        if (!client.lost) await client.query(ROLLBACK).catch((failed: Error) => (client.lost ??= failed));
        throw error;
      }
    } finally {
      client.release();
    }
  }

  private async open<T>(
    { orgId, operation = '' }: OrgScope,
    system: string,
    begin: typeof BEGIN_WRITE,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const scope = `${orgId}${system}`;
    const outer = this.current.getStore();
    if (outer) {
      invariant(outer.scope === scope, 'a unit of work inside another belongs to the same organisation');
      return work(outer.tx);
    }
    let failures = 0;
    const kind = `${operation} ${orgId}`;
    const { result, effects } = await this.contention.run(kind, this.patienceMs, isLockBusy, async (mayGoOn) => {
      for (;;) {
        try {
          return await this.attempt(orgId, system, scope, begin, mayGoOn, work);
        } catch (error) {
          const table = unpartitionedTable(error);
          // Waits for locks and for a turn are repeated elsewhere, and do not count.
          if (!isRetryable(error) && table === undefined) throw error;
          if (++failures >= MAX_ATTEMPTS) throw error;
          if (table !== undefined) await this.addPartition(table);
          await sleep(10 * failures + Math.random() * 20 * failures);
        }
      }
    });
    // The connection is back in the pool, so an effect may open a unit of work of its own.
    if (effects.length > 0) await runEffects(effects, this.logger);
    return result;
  }

  /**
   * Makes the partition that a row of the work had none of: no round has made it ahead, or the database's
   * clock was moved. Such rows are stamped by that clock.
   */
  private async addPartition(table: string): Promise<void> {
    const outcome = await this.system('a partition is missing', (tx) => makeMissingPartition(tx, table));
    this.logger.warn({ table, outcome }, 'a partition was missing');
  }

  private async attempt<T>(
    orgId: string,
    system: string,
    scope: string,
    begin: typeof BEGIN_WRITE,
    mayGoOn: () => boolean,
    work: (tx: Tx) => Promise<T>,
  ): Promise<{ result: T; effects: readonly Effect[] }> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PooledClient;
      if (!mayGoOn()) throw OUT_OF_TURN;
      const tx = new Tx(orgId, runner.manager, client);
      try {
        await client.query(begin);
        await client.query(scopeStatement(orgId, system));
        const result = await this.current.run({ scope, tx }, () => goFirst(() => work(tx)));
        await client.query('commit');
        return { result, effects: tx.effects };
      } catch (error) {
        // The release closes a broken connection, which ends its transaction too.
        if (!client.lost) await client.query(ROLLBACK).catch((failed: Error) => (client.lost ??= failed));
        throw error;
      }
    } finally {
      await runner.release();
    }
  }
}

function scopeStatement(orgId: string, system: string) {
  const parent = traceparent();
  const scope = { org_id: orgId, system };
  return parent === undefined ? bind(SCOPE, scope) : bind(SCOPE_IN_TRACE, { ...scope, traceparent: parent });
}
