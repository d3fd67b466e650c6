import type { EntityManager, EntityTarget, FindManyOptions, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/** A row that an organisation owns. */
export interface OrgRow extends ObjectLiteral {
  orgId: string;
}

type Own<E> = Omit<E, 'orgId'>;
/** A condition on columns of the row. The store adds the organisation, which cannot be passed. */
type Where<E> = FindOptionsWhere<Own<E>>;
type Values<E> = QueryDeepPartialEntity<Own<E>>;

/** Rows of one entity and one organisation. Every statement contains the organisation. */
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

  findOne(where: Where<E>): Promise<E | null> {
    return this.manager.findOne(this.entity, { where: this.scoped(where) });
  }

  exists(where: Where<E>): Promise<boolean> {
    return this.manager.exists(this.entity, { where: this.scoped(where) });
  }

  async insert(rows: Values<E> | Values<E>[]): Promise<void> {
    const list = (Array.isArray(rows) ? rows : [rows]).map((row) => ({ ...row, orgId: this.orgId }));
    await this.manager.insert(this.entity, list as unknown as QueryDeepPartialEntity<E>[]);
  }

  /** A compare-and-swap if the condition names the previous state. @returns how many rows it changed */
  async update(where: Where<E>, values: Values<E>): Promise<number> {
    const result = await this.manager.update(
      this.entity,
      this.scoped(where),
      values as unknown as QueryDeepPartialEntity<E>,
    );
    return result.affected ?? 0;
  }

  private scoped(where: Where<E>): FindOptionsWhere<E> {
    return { ...where, orgId: this.orgId };
  }
}
