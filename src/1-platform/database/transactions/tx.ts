import type { EntityManager, EntityTarget } from 'typeorm';
import type { PoolClient, QueryResultRow } from 'pg';
import { ScopedStore, type OrgRow } from '../rows/scoped-store';
import type { Effect } from './effects';
import { bind, PLANNED_EACH_TIME, statement, type Statement, type Values } from './statement';

/** Whose rows a unit of work may see. */
export interface OrgScope {
  readonly orgId: string;
  /** What is done: work of one operation is likely to wait for the same rows. */
  readonly operation?: string;
  /**
   * Its reads may come from a read replica. Called with the milliseconds that the replica is behind, if they
   * did.
   */
  readonly lagged?: (lagMs: number) => void;
  /** How far behind the replica may be, where the caller accepts less than the setting. */
  readonly maxLagMs?: number;
}

/** What is read by entities is read on the primary: TypeORM has no connection to a replica. */
export class ReadByEntities extends Error {}

/**
 * An open transaction. What must be atomic takes one, so that forgetting it does not compile. Row level
 * security shows it the rows of its organisation only.
 */
export class Tx implements OrgScope {
  /** What follows the commit. */
  readonly effects: Effect[] = [];

  constructor(
    readonly orgId: string,
    /** Undefined on a read replica, where statements read. */
    private readonly ofOrm: EntityManager | undefined,
    private readonly client: PoolClient,
  ) {}

  get manager(): EntityManager {
    if (!this.ofOrm) throw new ReadByEntities('what is read from a replica is read by statements');
    return this.ofOrm;
  }

  /** The rows of an entity that belong to the organisation of this transaction. */
  store<E extends OrgRow>(entity: EntityTarget<E>): ScopedStore<E> {
    return new ScopedStore(this.manager, entity, this.orgId);
  }

  /** A statement that is sent once, or whose text is composed. */
  async query<R extends QueryResultRow>(text: string, values: Values = {}): Promise<R[]> {
    return (await this.client.query<R>(bind(statement(PLANNED_EACH_TIME, text), values))).rows;
  }

  /** As `query`, prepared by name: for statements of hot paths. */
  async prepared<R extends QueryResultRow>(prepared: Statement, values: Values): Promise<R[]> {
    return (await this.client.query<R>(bind(prepared, values))).rows;
  }

  /**
   * Runs once the change is visible to others, before the caller has its result, and never after a rollback.
   * Its errors are logged, and do not reach the caller.
   */
  onCommit(effect: Effect): void {
    this.effects.push(effect);
  }
}
