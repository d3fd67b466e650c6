import type { Values } from '../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../src/1-platform/database/transactions/unit-of-work';
import type { Organisation, Service } from './service';

/** Makes PostgreSQL read an order from an index if one has it, however few rows there are. */
export const BY_INDEX = ['enable_seqscan = off', 'enable_bitmapscan = off', 'enable_sort = off'] as const;

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
    const query = async (text: string, values?: Values) => {
      const plan = await tx.query<Record<string, string>>(`${explain} ${text}`, values);
      plans.push(plan.map((row) => row['QUERY PLAN']).join('\n'));
      return tx.query(text, values);
    };
    await work(Object.create(tx, { query: { value: query } }) as Tx);
  });
  return plans;
}
