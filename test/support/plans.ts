import { PLANNED_EACH_TIME, type Statement, type Values } from '../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../src/1-platform/database/transactions/unit-of-work';
import type { Organisation, Service } from './service';

/** Makes PostgreSQL read an order from an index if one has it, however few rows there are. */
export const BY_INDEX = ['enable_seqscan = off', 'enable_bitmapscan = off', 'enable_sort = off'] as const;

/** The names of the statements that some work reads with, in order; those without one are planned anew. */
export async function namesOf(
  service: Service,
  { id: orgId }: Pick<Organisation, 'id'>,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string[]> {
  const names: string[] = [];
  await service.app.get(UnitOfWork).read({ orgId }, async (tx) => {
    const query = (text: string, values?: Values) => {
      names.push(PLANNED_EACH_TIME);
      return tx.query(text, values);
    };
    const prepared = (statement: Statement, values: Values) => {
      names.push(statement.planned_each_time ? PLANNED_EACH_TIME : statement.name);
      return tx.prepared(statement, values);
    };
    await work(Object.create(tx, { query: { value: query }, prepared: { value: prepared } }) as Tx);
  });
  return names;
}

/**
 * Plans of the statements that some work reads with, in order.
 * @param settings of PostgreSQL, while it plans them
 * @param explain `explain (analyze)` for plans with what was read
 */
export async function plansOf(
  service: Service,
  { id: orgId }: Pick<Organisation, 'id'>,
  work: (tx: Tx) => Promise<unknown>,
  settings: readonly string[] = [],
  explain = 'explain',
): Promise<string[]> {
  const plans: string[] = [];
  await service.app.get(UnitOfWork).read({ orgId }, async (tx) => {
    for (const setting of settings) await tx.query(`set local ${setting}`);
    const keep = (plan: Record<string, string>[]) => plans.push(plan.map((row) => row['QUERY PLAN']).join('\n'));
    const query = async (text: string, values?: Values) => {
      keep(await tx.query(`${explain} ${text}`, values));
      return tx.query(text, values);
    };
    const prepared = async (statement: Statement, values: Values) => {
      const explained = { ...statement, name: PLANNED_EACH_TIME, text: `${explain} ${statement.text}` };
      keep(await tx.prepared(explained, values));
      return tx.prepared(statement, values);
    };
    await work(Object.create(tx, { query: { value: query }, prepared: { value: prepared } }) as Tx);
  });
  return plans;
}
