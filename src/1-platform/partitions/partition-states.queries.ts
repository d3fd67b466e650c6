import type { QueryResultRow } from 'pg';
import type { StatementPool } from '../database/connections/statement-pool';
import { keptFrom } from '../database/partitions/partitions.queries';
import { unscoped } from '../database/transactions/statement';

// `days` is 0 where nothing is dropped.
const STATES = unscoped(
  'partition-states',
  `
    select t.name as "table",
      count(*) filter (where t.days > 0 and p.ends <= ${keptFrom('t.days')})::int as overdue,
      coalesce(bool_or(coalesce(p.since <= clock_timestamp() + interval '1 day', true)
        and p.ends > clock_timestamp() + interval '1 day'), false) as "hasTomorrow"
    from unnest($tables::text[], $days::int[]) t(name, days) left join lateral partitions_of(t.name) p on true
    group by t.name`,
  { query_timeout: 1_000 },
);

export interface PartitionState {
  readonly table: string;
  /** Partitions that have to be dropped, and are there. */
  readonly overdue: number;
  /** Whether a row of this time tomorrow has a partition. */
  readonly hasTomorrow: boolean;
}

/** @param keptDays by table; 0: for ever */
export const partitionStates = (
  statements: StatementPool,
  keptDays: ReadonlyMap<string, number>,
): Promise<PartitionState[]> =>
  statements.run<PartitionState & QueryResultRow>(STATES, {
    tables: [...keptDays.keys()],
    days: [...keptDays.values()],
  });
