import { invariant } from '../../common/invariant';
import { bind, statement } from '../transactions/statement';
import type { DatabaseClient } from './database-client';

// Not those that wait for their client: it waits for them too, so what one of them sent is lost. Any process
// may work whose activity the server does not show.
const WORKING = statement(
  'backends-working',
  `
    select pg_postmaster_start_time()::text as "serverStart", coalesce((
      select json_agg(pid) from pg_stat_activity
      where pid = any($pids::int[]) and (state is null or state = 'disabled'
        or state = 'active' and coalesce(wait_event, '') not in ('ClientRead', 'ClientWrite'))
    ), '[]') as working`,
);

export interface WorkingBackends {
  /** Of the server that was asked. */
  readonly serverStart: string;
  readonly working: readonly number[];
}

/** Which of these processes of the server work on a statement. */
export async function workingBackends(asking: DatabaseClient, pids: readonly number[]): Promise<WorkingBackends> {
  const { rows } = (await asking.query(bind(WORKING, { pids }))) as { rows: WorkingBackends[] };
  const [row] = rows;
  invariant(row, 'a select without a table has one row');
  return row;
}
