import type { StatementPool } from '../database/connections/statement-pool';
import { bind, unscoped } from '../database/transactions/statement';
import type { BossConnections } from './boss-connections';

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

// The condition of the queue's own unique index, which lets one round of a sweep wait.
const WAITING = unscoped(
  'sweep-rounds-waiting',
  `
    select name as queue from pgboss.job
    where name = any($queues::text[]) and coalesce(singleton_key, '') = $key and state = 'created'
      and policy = 'short'`,
);

/** Those of the queues that have a round waiting which was planned with this key. */
export async function withWaitingRound(
  connections: BossConnections,
  queues: readonly string[],
  key: string,
): Promise<ReadonlySet<string>> {
  const { text, values } = bind(WAITING, { queues, key });
  const { rows } = await connections.executeSql(text, values);
  return new Set((rows as { queue: string }[]).map(({ queue }) => queue));
}
