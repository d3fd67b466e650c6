import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import type { PoolClient } from 'pg';
import { invariant } from '../common/invariant';
import { isUuid } from '../common/ids';
import { isRetryable, isConnectionFault } from './database-errors';
import { Tx, type OrgScope } from './tx';

const MAX_ATTEMPTS = 3;

/** Organisation of a system transaction, which belongs to none: no row has it. */
const NO_ORGANISATION = '00000000-0000-0000-0000-000000000000';

/** A server that lives answers these at once, whatever it has to do: one that does not is told to the caller quickly. */
const query_timeout = 1_000;

const BEGIN_WRITE = { text: 'begin', query_timeout };
const BEGIN_READ = { text: 'begin isolation level repeatable read read only', query_timeout };
const ROLLBACK = { text: 'rollback', query_timeout };
// Tells row level security whose transaction it is. Statements are not compiled to machine code (`jit`): that takes up to a second for
// each plan whose cost PostgreSQL overestimates, and no statement here runs long enough to make up for it. All settings end with it.
const SCOPE = {
  name: 'uow-scope',
  text: "select set_config('app.org', $1, true), set_config('app.system', $2, true), set_config('jit', 'off', true)",
  query_timeout,
};

interface Opened {
  readonly scope: string;
  readonly tx: Tx;
}

/** Opens transactions. Services open them, everything below takes the `Tx`. */
@Injectable()
export class UnitOfWork {
  private readonly current = new AsyncLocalStorage<Opened>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs a change as one transaction of an organisation, again (3 times at the most) when PostgreSQL gave it up for a
   * deadlock or a serialisation failure. Inside another unit of work of the same organisation it joins that one, so that
   * a repeated request is recognised in the transaction of its effect. Make no network call inside.
   */
  run<T>(scope: OrgScope, work: (tx: Tx) => Promise<T>): Promise<T> {
    invariant(isUuid(scope.orgId), 'an organisation id is a UUID');
    return this.open(scope.orgId, '', BEGIN_WRITE, work);
  }

  /** As `run`, but cannot write. */
  read<T>(scope: OrgScope, work: (tx: Tx) => Promise<T>): Promise<T> {
    invariant(isUuid(scope.orgId), 'an organisation id is a UUID');
    return this.open(scope.orgId, '', BEGIN_READ, work);
  }

  /** A transaction of the service itself, over all organisations. @param _reason why, for who greps */
  system<T>(_reason: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.open(NO_ORGANISATION, 'on', BEGIN_WRITE, work);
  }

  private async open<T>(
    orgId: string,
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
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(orgId, system, scope, begin, work);
      } catch (error) {
        if (!isRetryable(error) || attempt === MAX_ATTEMPTS) throw error;
        await sleep(10 * attempt + Math.random() * 20 * attempt);
      }
    }
  }

  private async attempt<T>(
    orgId: string,
    system: string,
    scope: string,
    begin: typeof BEGIN_WRITE,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    let fault: unknown;
    try {
      const client = (await runner.connect()) as PoolClient;
      const tx = new Tx(orgId, runner.manager, client);
      try {
        await client.query(begin);
        await client.query({ ...SCOPE, values: [orgId, system] });
        const result = await this.current.run({ scope, tx }, () => work(tx));
        await client.query('commit');
        tx.committed();
        return result;
      } catch (error) {
        fault = error;
        // A broken connection is closed instead, which ends its transaction too.
        if (!isConnectionFault(error))
          await client.query(ROLLBACK).catch((rollbackError: unknown) => (fault = rollbackError));
        throw error;
      }
    } finally {
      await release(runner, fault);
    }
  }
}

/** A connection whose server no longer answers must not go back to the pool: its next user would wait behind the dead statement. */
async function release(runner: QueryRunner, fault: unknown): Promise<void> {
  const broken = fault !== undefined && isConnectionFault(fault) ? (fault as Error) : undefined;
  const pooled = runner as QueryRunner & { releasePostgresConnection(error?: Error): Promise<void> };
  await pooled.releasePostgresConnection(broken);
}
