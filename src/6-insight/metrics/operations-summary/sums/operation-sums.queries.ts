import type { QueryResultRow } from 'pg';
import { someRow } from '../../../../1-platform/database/rows/some-row';
import { statement } from '../../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../../1-platform/database/transactions/tx';
import { liftTimeout, UNLIMITED } from '../../../../1-platform/database/transactions/unlimited';
import { attemptFigures, MEASURES, stageFigures } from './measures.queries';
import { octaveOf, placeOf } from './sketch';

const QUARTER = 900;
const HOUR = 3_600;
const DAY = 86_400;
/** With it, a window of 90 days is at most nine of them, and nine days, 23 hours and 3 quarters before. */
const TEN_DAYS = 10 * DAY;

/** Seconds that a sum covers: the shorter the shortest, the fewer facts a window reads at its beginning. */
export const SUM_STEPS = [QUARTER, HOUR, DAY, TEN_DAYS] as const;

/** Longer than the longest window by some time in which facts may still change. */
const KEPT_DAYS = 92;
/** A sub-select, which is a bound in an index: see `DAYS_AGO`. */
const KEPT_SINCE = `(select clock_timestamp() - interval '${KEPT_DAYS} days')`;

const binned = (seconds: string, at: string): string =>
  `date_bin(make_interval(secs => ${seconds}), ${at}, 'epoch'::timestamptz)`;

const SERIES = 'md5(array[measure, op_type, workload_type, name, reason]::text)::uuid';
const KEY = 'measure, step, bucket, series';
const COUNTS = ['attempts', 'succeeded', 'failed', 'fallbacks', 'amount'];
/** Of the changes that are taken. */
const KEPT = `(select * from taken where started_at > ${KEPT_SINCE})`;
const STEPS = `(values ${SUM_STEPS.map((step) => `(${step})`).join(', ')}) s(step)`;

/*
 * Adds the next changes to the sums, in one snapshot: a report sees each change either in the sums or
 * beside them. Rows are written in the order of their keys, the sums before the sketches (`done`), so that
 * two callers wait for each other in one direction only. Changes are deleted by their place: a join would
 * read all that wait.
 */
const FOLD = statement(
  'operation-sums-fold',
  `
    with taken as (
      delete from operation_changes c where c.org_id = $org_id and c.ctid = any(array(
        select ctid from operation_changes where org_id = $org_id
        order by started_at, id limit $limit for update skip locked
      )) returning c.*
    ), figures as materialized (
      ${attemptFigures(`(select * from ${KEPT} f where attempt)`)}
      union all
      ${stageFigures(`${KEPT} f cross join lateral unnest(f.stages, f.stage_ns) s(stage, duration_ns)`)}
    ), shortest as materialized (
      select measure, ${binned(`${QUARTER}`, 'started_at')} as at,
        ${SERIES} as series, op_type, workload_type, name, reason,
        ${COUNTS.map((count) => `sum(${count}) as ${count}`).join(', ')}
      from figures group by 1, 2, op_type, workload_type, name, reason
    ), summed as (
      insert into operation_sums as t
        (org_id, ${KEY}, op_type, workload_type, name, reason, ${COUNTS.join(', ')})
      select $org_id, measure, step, ${binned('step', 'at')} as bucket, series, op_type, workload_type, name,
        reason, ${COUNTS.map((count) => `sum(${count})`).join(', ')}
      from shortest cross join ${STEPS}
      group by ${KEY}, op_type, workload_type, name, reason order by ${KEY}
      on conflict (org_id, ${KEY}) do update set
        ${COUNTS.map((count) => `${count} = t.${count} + excluded.${count}`).join(', ')}
      returning 1
    ), placed as materialized (
      select measure, ${binned(`${QUARTER}`, 'started_at')} as at, ${SERIES} as series, octave,
        ${placeOf('sample', 'octave')} as place, sum(attempts) as count
      from figures cross join lateral (select ${octaveOf('sample')} as octave) o
      where sample is not null group by 1, 2, 3, 4, 5
    ), sketched as (
      insert into operation_sketches as t (org_id, ${KEY}, octave, total, places, counts)
      select $org_id, ${KEY}, octave, sum(count), array_agg(place order by place),
        array_agg(count order by place)
      from (
        select measure, step, ${binned('step', 'at')} as bucket, series, octave, place,
          sum(count)::bigint as count
        from placed cross join ${STEPS} group by ${KEY}, octave, place
      ) p cross join (select count(*) as written from summed) done
      group by ${KEY}, octave order by ${KEY}, octave
      on conflict (org_id, ${KEY}, octave) do update set
        total = t.total + excluded.total,
        (places, counts) = (
          select coalesce(array_agg(place order by place), '{}'),
            coalesce(array_agg(count order by place), '{}')
          from (
            select place, sum(count)::bigint as count from (
              select * from unnest(t.places, t.counts)
              union all
              select * from unnest(excluded.places, excluded.counts)
            ) both_of(place, count) group by place having sum(count) <> 0
          ) merged
        )
      returning 1
    )
    select count(*) as taken from taken cross join (select count(*) from sketched) written`,
  UNLIMITED,
);

/** @returns the number of changes that were added to the sums; fewer than the limit if there are no more */
export async function foldChanges(tx: Tx, limit: number): Promise<number> {
  await liftTimeout(tx);
  const [row] = await tx.prepared<{ taken: number }>(FOLD, { org_id: tx.orgId, limit });
  return row?.taken ?? 0;
}

const SUM_FACTS = statement(
  'operation-sums-facts',
  `
    with next as (
      select operation_id from operation_facts
      where org_id = $org_id and not summed and started_at > ${KEPT_SINCE}
      order by started_at limit $limit for update skip locked
    )
    update operation_facts f set summed = true from next
    where f.org_id = $org_id and f.operation_id = next.operation_id returning f.operation_id`,
  UNLIMITED,
);

/**
 * Marks facts that no sum has yet. A trigger notes them as changes.
 * @returns their number; fewer than the limit if others are being changed, or there are no more
 */
export const sumFacts = async (tx: Tx, limit: number): Promise<number> =>
  (await tx.prepared(SUM_FACTS, { org_id: tx.orgId, limit })).length;

// No window begins within them.
const FORGET = ['operation_sums', 'operation_sketches'].map((table) =>
  statement(
    `${table}-forget`,
    `
    with old as (
      select o.* from unnest($measures::text[], $steps::int[]) k(measure, step) cross join lateral (
        select t.ctid as at from ${table} t
        where t.org_id = $org_id and t.measure = k.measure and t.step = k.step
          and t.bucket < ${KEPT_SINCE} - k.step * interval '1 second'
        limit $limit
      ) o limit $limit
    )
    delete from ${table} t where t.org_id = $org_id and t.ctid = any(array(select at from old)) returning 1`,
    UNLIMITED,
  ),
);
const KINDS = MEASURES.flatMap((measure) => SUM_STEPS.map((step) => ({ measure, step })));

/** @returns the number of deleted rows of one table; fewer than the limit if there are no more */
export async function forgetSums(tx: Tx, limit: number): Promise<number> {
  const values = {
    org_id: tx.orgId,
    limit,
    measures: KINDS.map(({ measure }) => measure),
    steps: KINDS.map(({ step }) => step),
  };
  let most = 0;
  for (const forget of FORGET) most = Math.max(most, (await tx.prepared(forget, values)).length);
  return most;
}

/** An organisation, with the key that sorts all of them. */
export interface DueOrganisation {
  readonly id: string;
}

const DUE = statement(
  'operation-sums-due',
  `
    select o.id from organisations o
    where ($after::uuid is null or o.id > $after) and (
      ${someRow('from operation_changes c where c.org_id = o.id', 'c.started_at, c.id')}
      or ${someRow(
        `from operation_facts f where f.org_id = o.id and not f.summed and f.started_at > ${KEPT_SINCE}`,
        'f.started_at',
      )}
      or ${someRow(
        `from operation_sums s where s.org_id = o.id and s.measure = 'all' and s.step = ${QUARTER}
          and s.bucket < ${KEPT_SINCE} - interval '1 day'`,
        's.bucket',
      )}
    )
    order by o.id limit $limit`,
);

/** For all organisations: only for the service's own transactions. */
export const organisationsToSum = (tx: Tx, limit: number, after?: DueOrganisation): Promise<DueOrganisation[]> =>
  tx.prepared<DueOrganisation & QueryResultRow>(DUE, { limit, after: after?.id ?? null });
