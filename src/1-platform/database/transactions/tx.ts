import type { EntityManager, EntityTarget } from 'typeorm';
import type { PoolClient, QueryResultRow } from 'pg';
import { ScopedStore, type OrgRow } from '../rows/scoped-store';

/** Whose rows a unit of work may see. */
export interface OrgScope {
  readonly orgId: string;
  /** What is done: work of one operation is likely to wait for the same rows. */
  readonly operation?: string;
}

/**
 * A statement that PostgreSQL parses and plans once a connection.
 * The text is a constant, the values are parameters.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Milliseconds in which the answer must come, where that is less than a statement may take. */
  readonly query_timeout?: number;
}

/**
 * The name of a statement that PostgreSQL plans at every call, with its parameters and the size that its
 * tables have then: for statements whose plan must not outlive the tables as they were.
 */
export const PLANNED_EACH_TIME = '';

/**
 * An open transaction. What must be atomic takes one, so that forgetting it does not compile. Row level
 * security shows it the rows of its organisation only.
 */
export class Tx implements OrgScope {
  private readonly afterCommit: (() => void)[] = [];

  constructor(
    readonly orgId: string,
    readonly manager: EntityManager,
    private readonly client: PoolClient,
  ) {}

  /** The rows of an entity that belong to the organisation of this transaction. */
  store<E extends OrgRow>(entity: EntityTarget<E>): ScopedStore<E> {
    return new ScopedStore(this.manager, entity, this.orgId);
  }

  async query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>(text, values)).rows;
  }

  /** As `query`, prepared by name: for statements of hot paths. */
  async prepared<R extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<R[]> {
    return (await this.client.query<R>({ ...statement, values })).rows;
  }

  /** Runs once the change is visible to others; never when the transaction is rolled back. */
  onCommit(effect: () => void): void {
    this.afterCommit.push(effect);
  }

  committed(): void {
    for (const effect of this.afterCommit) effect();
  }
}
