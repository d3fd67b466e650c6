import type { StatementPool } from '../database/connections/statement-pool';
import { unscoped } from '../database/transactions/statement';

// The queue keeps the rounds that ended for a few intervals only, so without a success it is as if there had
// been one when the queue was made, or changed by a new release: before, nobody can know. Its schema is made
// by the library: see `QUEUE_SCHEMA`.
const LAST_SUCCESSES = unscoped(
  'sweeps-last-success',
  `
    select q.name as queue,
      extract(epoch from coalesce(max(j.completed_on), q.updated_on))::float8 as succeeded_at
    from pgboss.queue q left join pgboss.job j on j.name = q.name and j.state = 'completed'
    where q.name = any($queues::text[]) group by q.name, q.updated_on`,
  { query_timeout: 1_000 },
);

/** When rounds last succeeded, on any replica, by their queue; in seconds since 1970. */
export async function lastSuccesses(
  statements: StatementPool,
  queues: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await statements.run<{ queue: string; succeeded_at: number }>(LAST_SUCCESSES, { queues });
  return new Map(rows.map(({ queue, succeeded_at }) => [queue, succeeded_at]));
}
