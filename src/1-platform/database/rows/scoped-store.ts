import type { EntityManager, EntityTarget, FindManyOptions, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { invariant } from '../../common/invariant';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/** A row that an organisation owns. */
export interface OrgRow extends ObjectLiteral {
  orgId: string;
}

type Own<E> = Omit<E, 'orgId'>;
/** A condition on columns of the row. The store adds the organisation, which cannot be passed. */
type Where<E> = FindOptionsWhere<Own<E>>;
type Values<E> = QueryDeepPartialEntity<Own<E>>;

/**
 * Rows of one entity and one organisation, read and written by key. Each method sends one statement, which
 * names the organisation. What locks rows, joins tables or computes is a statement of a `*.queries.ts` file.
 *
 * Select a column that is never null, or TypeORM takes a row of nulls for none.
 */
export class ScopedStore<E extends OrgRow> {
  constructor(
    private readonly manager: EntityManager,
    private readonly entity: EntityTarget<E>,
    private readonly orgId: string,
  ) {}

  find(where: Where<E> | Where<E>[], options: Omit<FindManyOptions<E>, 'where'> = {}): Promise<E[]> {
    const alternatives = Array.isArray(where) ? where : [where];
    return this.manager.find(this.entity, { ...options, where: alternatives.map((one) => this.scoped(one)) });
  }

  findOne(where: Where<E>, options: Omit<FindManyOptions<E>, 'where'> = {}): Promise<E | null> {
    return this.manager.findOne(this.entity, { ...options, where: this.scoped(where) });
  }

  exists(where: Where<E>): Promise<boolean> {
    return this.manager.exists(this.entity, { where: this.scoped(where) });
  }

  async insert(rows: Values<E> | Values<E>[]): Promise<void> {
    await this.manager.insert(this.entity, this.owned(rows));
  }

  /** Leaves rows alone whose key, or other unique columns, exist. @returns how many rows it inserted */
  async insertMissing(rows: Values<E> | Values<E>[]): Promise<number> {
    const inserted = await this.manager
      .createQueryBuilder()
      .insert()
      .into(this.entity)
      .values(this.owned(rows))
      .orIgnore()
      .updateEntity(false)
      .returning(['orgId'])
      .execute();
    return (inserted.raw as unknown[]).length;
  }

  /** A compare-and-swap if the condition names the previous state. @returns how many rows it changed */
  async update(where: Where<E>, values: Values<E>): Promise<number> {
    named(where);
    const result = await this.manager.update(
      this.entity,
      this.scoped(where),
      values as unknown as QueryDeepPartialEntity<E>,
    );
    return result.affected ?? 0;
  }

  /** @returns how many rows it deleted */
  async delete(where: Where<E>): Promise<number> {
    named(where);
    return (await this.manager.delete(this.entity, this.scoped(where))).affected ?? 0;
  }

  private owned(rows: Values<E> | Values<E>[]): QueryDeepPartialEntity<E>[] {
    const list = (Array.isArray(rows) ? rows : [rows]).map((row) => ({ ...row, orgId: this.orgId }));
    return list as unknown as QueryDeepPartialEntity<E>[];
  }

  private scoped(where: Where<E>): FindOptionsWhere<E> {
    return { ...where, orgId: this.orgId };
  }
}

/** The organisation alone would change all its rows. */
const named = (where: object): void =>
  invariant(Object.keys(where).length > 0, 'a write of the store names the rows that it changes');
