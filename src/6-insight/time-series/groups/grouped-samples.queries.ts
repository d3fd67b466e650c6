import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import type { QueryResultRow } from 'pg';
import { nextSlice, sliceIsOver } from '../../../1-platform/common/work/slices';
import { unscoped } from '../../../1-platform/database/transactions/statement';
import { bigints, bigintsOfHalves, doubles, integers, timestamps } from './binary-arrays';
import { SampleGroups, type Group, type StoredGroup } from './sample-groups';
import type { SampleRows } from '../rows/sample-rows';

const GIVEN = `unnest($groups::bigint[], $moments::timestamptz[], $places::bigint[], $firsts::int[],
        $lasts::int[]) with ordinality as t(series_group, sampled_at, places, first, last, nth)`;
const VALUES = '($values::float8[])[t.first:t.last]';

/**
 * Rows of one statement: if each has a single sample, as many as a tenth of a second allows. Those that stand
 * already take several times as long.
 */
const ROWS_AT_ONCE = 4_000;

// Rows are written in the order of their key, so that two writers of the same rows cannot deadlock. A row
// that exists gets the places that it lacks: the first value of a series and time counts. One that has some
// of the places already is only written if `$overlapping`, so that no value has to be compared before.
const ADD = unscoped(
  'grouped-samples-add',
  `
    with written as (
      insert into grouped_samples as g (org_id, series_group, sampled_at, places, sample_values)
      select $org_id::uuid, t.series_group, t.sampled_at, t.places, ${VALUES}
      from ${GIVEN}
      order by t.series_group, t.sampled_at
      on conflict (org_id, series_group, sampled_at) do update set places = g.places | excluded.places,
        sample_values = merged_samples(g.places, g.sample_values, excluded.places, excluded.sample_values)
      where excluded.places & ~g.places <> 0 and ($overlapping::boolean or g.places & excluded.places = 0)
      returning series_group, sampled_at
    )
    select t.nth::int - 1 as nth from ${GIVEN} left join written w using (series_group, sampled_at)
    where w.series_group is null`,
);

// One look-up by key for each row; planned at each call, as `SERIES_IDS`. It is a separate statement, so that
// it also sees what another writer of the same rows has committed meanwhile.
const STORED = unscoped(
  'grouped-samples-stored',
  `
    select t.nth::int - 1 as nth, (g.places >> 32) & 4294967295 as high, g.places & 4294967295 as low,
      g.sample_values as values
    from ${GIVEN} cross join lateral (
      select places, sample_values from grouped_samples
      where org_id = $org_id and series_group = t.series_group and sampled_at = t.sampled_at limit 1
    ) g`,
  { planned_each_time: true },
);

interface Nth extends QueryResultRow {
  /** Of a row of the statement, from 0. */
  readonly nth: number;
}

/** Rows as parameters of a statement. */
function given(orgId: string, groups: SampleGroups, positions: readonly number[]): Record<string, unknown> {
  const rows = positions.map((position) => groups.rows[position] as Group);
  const values = new Float64Array(rows.reduce((sum, { count }) => sum + count, 0));
  const [firsts, lasts] = [new Int32Array(rows.length), new Int32Array(rows.length)];
  let written = 0;
  rows.forEach(({ first, count }, row) => {
    values.set(groups.values.subarray(first, first + count), written);
    firsts[row] = written + 1;
    lasts[row] = written += count;
  });
  return {
    org_id: orgId,
    groups: bigints(rows.map(({ group }) => group)),
    moments: timestamps(rows.map(({ time }) => time)),
    places: bigintsOfHalves(
      rows.map(({ high }) => high),
      rows.map(({ low }) => low),
    ),
    firsts: integers(firsts),
    lasts: integers(lasts),
    values: doubles(values),
  };
}

/**
 * Adds samples. Those that are stored already change nothing, and are looked at only if there are any.
 * @returns the positions, counted through all sets, of the samples whose time already has another value
 */
export async function saveSamples(
  statements: StatementPool,
  orgId: string,
  sets: readonly SampleRows[],
): Promise<number[]> {
  const groups = await SampleGroups.of(sets);
  const stored = new Map<number, StoredGroup>();
  for (let from = 0; from < groups.rows.length; from += ROWS_AT_ONCE) {
    if (sliceIsOver()) await nextSlice();
    const positions = groups.rows.slice(from, from + ROWS_AT_ONCE).map((_row, n) => from + n);
    const values = { ...given(orgId, groups, positions), overlapping: false };
    const left = (await statements.run<Nth>(ADD, values)).map(({ nth }) => positions[nth] as number);
    if (left.length > 0) await statements.run<Nth>(ADD, { ...given(orgId, groups, left), overlapping: true });
    // A series and time that occurs twice was written once.
    const unsure = [...new Set([...left, ...positions.filter((position) => groups.repeated.has(position))])];
    if (unsure.length === 0) continue;
    for (const { nth, ...row } of await statements.run<Nth & StoredGroup>(STORED, given(orgId, groups, unsure)))
      stored.set(unsure[nth] as number, row);
  }
  return stored.size === 0 ? [] : groups.differing(stored);
}
