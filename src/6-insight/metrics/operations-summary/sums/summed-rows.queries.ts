import type { QueryResultRow } from 'pg';
import { invariant } from '../../../../1-platform/common/invariant';
import type { Values } from '../../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../../1-platform/database/transactions/tx';
import { recordedSince } from '../../../../3-checkpointing/operations/operations.queries';
import type { OperationType } from '../../../../3-checkpointing/operations/operation.states';
import {
  cumulative,
  DURATION_BOUNDS_NS,
  SIZE_BOUNDS_BYTES,
} from '../../../../3-checkpointing/operations/totals/buckets';
import { piecesOf } from '../../../../5-traffic/usage/usage-window.queries';
import { MAX_GROUPS } from '../operations-summary.dto';
import {
  bucketMs,
  SUCCEEDED,
  timeline,
  valuesOf,
  type SummaryRows,
  type SummaryWindow,
  type TimelineRow,
  type TotalsRow,
} from '../operations-summary.queries';
import { attemptFigures, MEASURES, SAMPLED, stageFigures, type MeasureName } from './measures.queries';
import { SUM_STEPS } from './operation-sums.queries';
import { middleOf, octaveOf, placeOf } from './sketch';

/**
 * A window with at most so many attempts and stages is summarised from the facts, so its percentiles are
 * exact.
 */
export const EXACT_SAMPLES = 50_000;

/** After all attempts, whatever their clocks say, and a multiple of each step. */
const NEVER = new Date(Math.floor(Date.UTC(9_999, 0) / 864e6) * 864e6);

const BEGIN = `
  select date_trunc('milliseconds', now() - make_interval(secs => $seconds)) as began, exists (
    select from operation_facts f
    where f.org_id = $org_id and not f.summed and f.started_at > now() - make_interval(secs => $seconds)
  ) as partly`;

/**
 * The spans of sums that a window consists of, as values of a statement. Only its beginning is not on the
 * border of a span: facts that begin before `head_until` are read one by one.
 */
function pieceValues(began: Date, steps: readonly number[]): Values {
  // Times of facts are whole milliseconds, and the window does not have its beginning.
  const { pieces, head } = piecesOf(new Date(began.getTime() + 1), NEVER, steps);
  const open = pieces.map((piece) => (piece.until < NEVER ? piece : { ...piece, until: 'infinity' }));
  return { began, head_until: head.until, pieces: JSON.stringify(open) };
}

const FILTER = `f.org_id = $org_id and ($workload::text is null or f.workload_type = $workload)
    and ($operation::text is null or f.op_type = $operation)`;
const HEAD = `(
      select 1 as weight, f.* from operation_facts f
      where ${FILTER} and f.started_at > $began and f.started_at < $head_until
    )`;
const CHANGED = `(select f.* from operation_changes f where ${FILTER} and f.started_at >= $head_until)`;

/** Rows of a table of sums within the window. Piece by piece (`offset`), as `USAGE` reads its rollups. */
const inPieces = (table: string, measures: string): string => `
      json_to_recordset($pieces::json) as p(step int, since timestamptz, until timestamptz)
      cross join unnest(${measures}) k(measure) cross join lateral (
        select * from ${table} f where ${FILTER.replaceAll(/\n */g, ' ')} and f.measure = k.measure
          and f.step = p.step and f.bucket >= p.since and f.bucket < p.until offset 0
      ) t`;
const sketchesInPieces = `
      json_to_recordset($pieces::json) as p(step int, since timestamptz, until timestamptz)
      cross join unnest($sampled::text[]) k(measure) cross join lateral (
        select * from operation_sketches f where f.org_id = $org_id and f.measure = k.measure
          and f.step = p.step and f.bucket >= p.since and f.bucket < p.until offset 0
      ) t`;

interface Figure extends QueryResultRow {
  measure: MeasureName;
  operation: OperationType;
  name: string;
  reason: string;
  attempts: number;
  succeeded: number;
  failed: number;
  fallbacks: number;
  amount: string;
  /** Of the whole measure. */
  of_measure: number;
  /** Of the sums, if the measure has percentiles. */
  series: string[] | null;
  /**
   * Places of the durations that no sum has (`sketch.ts`), and how many are in each: arrays as the database
   * writes them. They go back to it as they are.
   */
  octaves: string | null;
  places: string | null;
  counts: string | null;
}

/** See `sketch.ts`. */
type Place = [octave: number, place: number];

interface Rank extends QueryResultRow {
  /** Index of the figure. */
  id: number;
  /** Otherwise the 95th percentile. */
  median: boolean;
  at: Place;
}

/** With the places of the nearest ranks. Undefined without durations. */
interface RankedFigure extends Figure {
  readonly p50: Place | undefined;
  readonly p95: Place | undefined;
}

const COUNTED = ['attempts', 'succeeded', 'failed', 'fallbacks']
  .map((name) => `sum(${name})::bigint as ${name}`)
  .join(', ');

// The head's stages are looked up in each partition at once, and not attempt by attempt.
const FIGURES = `
  with singles as materialized (
    ${attemptFigures(HEAD)}
    union all
    ${attemptFigures(`(select * from ${CHANGED} f where f.attempt)`)}
    union all
    ${stageFigures(`${HEAD} f
      join operation_stages s on s.org_id = $org_id and s.operation_id = f.operation_id and ${SUCCEEDED}
        and ${recordedSince('$began::timestamptz')}
        and s.operation_id = any(array(select f.operation_id from ${HEAD} f where ${SUCCEEDED}))`)}
    union all
    ${stageFigures(`${CHANGED} f cross join lateral unnest(f.stages, f.stage_ns) s(stage, duration_ns)`)}
  ), found as (
    select t.measure, t.op_type, t.name, t.reason, t.series, t.attempts, t.succeeded, t.failed, t.fallbacks,
      t.amount
    from ${inPieces('operation_sums', '$measures::text[]')}
    union all
    select measure, op_type, name, reason, null, ${COUNTED}, sum(amount) as amount
    from singles group by measure, op_type, name, reason
  ), grouped as (
    select measure, op_type, name, reason, ${COUNTED}, sum(amount) as amount,
      array_agg(distinct series)
        filter (where series is not null and measure = any($sampled::text[])) as series
    from found group by measure, op_type, name, reason having sum(attempts) > 0
  ), figures as (
    select *, (sum(attempts) over (partition by measure))::bigint as of_measure, row_number() over (
        partition by measure order by case when measure <> 'failure' then op_type end,
          case measure when 'stage' then amount else attempts end desc, op_type, name, reason
      ) as rank
    from grouped
  ), placed as (
    select measure, op_type, name, array_agg(octave)::text as octaves, array_agg(place)::text as places,
      array_agg(count)::text as counts
    from (
      select measure, op_type, name, octave, ${placeOf('sample', 'octave')} as place, sum(attempts) as count
      from singles cross join lateral (select ${octaveOf('sample')} as octave) o
      where sample is not null group by 1, 2, 3, 4, 5
    ) s group by measure, op_type, name
  )
  select measure, op_type as operation, name, reason, attempts, succeeded, failed, fallbacks,
    amount::text as amount, of_measure, series, octaves, places, counts
  from figures left join placed using (measure, op_type, name)
  where rank <= ${MAX_GROUPS} order by measure, rank`;

/*
 * The nearest rank is first looked for among the octaves, and then among the places of the octave that has
 * it: a window has few octaves and many places.
 */
const RANKS = `
  with series as materialized (
    select * from unnest($ids_of_series::int[], $series::uuid[]) s(id, series)
  ), placed as materialized (
    select f.id, p.* from unnest($ids::int[], $octaves::text[], $places::text[], $counts::text[])
      f(id, octaves, places, counts)
    cross join lateral unnest(f.octaves::int[], f.places::int[], f.counts::bigint[]) p(octave, place, count)
  ), levels as (
    select id, octave, sum(count) as count from (
      select s.id, t.octave, t.total as count from ${sketchesInPieces} join series s on s.series = t.series
      union all
      select id, octave, count from placed
    ) counted group by id, octave
  ), chosen as materialized (
    select id, share = 0.5 as median, octave, ceil(share * total) - (upto - count) as rest,
      row_number() over ()::int as choice
    from (
      select id, octave, count, sum(count) over (partition by id order by octave) as upto,
        sum(count) over (partition by id) as total
      from levels
    ) l cross join (values (0.5), (0.95)) q(share)
    where ceil(share * total) > upto - count and ceil(share * total) <= upto
  ), places as (
    select choice, place, sum(sum(count)) over (partition by choice order by place) as upto
    from (
      select c.choice, n.place, n.count
      from ${sketchesInPieces} join series s on s.series = t.series
      join chosen c on c.id = s.id and c.octave = t.octave
      cross join lateral unnest(t.places, t.counts) n(place, count)
      union all
      select c.choice, place, count from placed join chosen c using (id, octave)
    ) counted group by choice, place
  )
  select distinct on (choice) id, median, array[octave, place] as at
  from places join chosen using (choice) where upto >= rest order by choice, place`;

// Of all attempts alone.
const TIMELINE = `
  select ${bucketMs('at')} as bucket_ms, operation, sum(succeeded)::bigint as succeeded,
    sum(failed)::bigint as failed, sum(fallbacks)::bigint as fallbacks
  from (
    select t.bucket as at, t.op_type as operation, t.succeeded, t.failed, t.fallbacks
    from ${inPieces('operation_sums', "array['all']")}
    union all
    select f.started_at, f.op_type, f.weight * (${SUCCEEDED})::int, f.weight * (f.result = 'failed')::int,
      f.weight * (f.result = 'fallback')::int
    from (
      select weight, op_type, started_at, result from ${HEAD} f
      union all
      select weight, op_type, started_at, result from ${CHANGED} f where f.attempt
    ) f
  ) counted
  group by 1, 2 having sum(succeeded + failed + fallbacks) > 0 order by 1, 2`;

/**
 * The summary from sums: counts and amounts are exact, and percentiles as exact as `sketch.ts` says.
 * @returns undefined if the facts are few, or some of them are in no sum
 */
export async function rowsOfSums(
  tx: Tx,
  window: SummaryWindow,
  stepSeconds: number,
  exactSamples = EXACT_SAMPLES,
): Promise<SummaryRows | undefined> {
  const values = valuesOf(tx, window);
  const [begin] = await tx.query<{ began: Date; partly: boolean }>(BEGIN, values);
  invariant(begin, 'there is a clock');
  if (begin.partly) return undefined;
  const composed = {
    ...values,
    ...pieceValues(begin.began, SUM_STEPS),
    sampled: SAMPLED,
  };
  const found = await tx.query<Figure>(FIGURES, { ...composed, measures: MEASURES });
  const ofMeasure = (measure: MeasureName) => found.find((figure) => figure.measure === measure)?.of_measure ?? 0;
  if (ofMeasure('all') + ofMeasure('stage') <= exactSamples) return undefined;
  const figures = await withRanks(tx, composed, found);
  const of = (measure: MeasureName) => figures.filter((figure) => figure.measure === measure);
  const steps = SUM_STEPS.filter((step) => stepSeconds % step === 0);
  return {
    totals: of('all').map((all) => totalsOf(all, figures)),
    stages: of('stage').map(({ operation, name, attempts, amount, p50, p95 }) => ({
      operation,
      stage: name,
      count: attempts,
      p50_ns: durationOf(p50) ?? 0,
      p95_ns: durationOf(p95) ?? 0,
      total_ns: amount,
    })),
    tiers: of('tier').map(({ operation, name, attempts, succeeded, amount, p50 }) => ({
      operation,
      storage_tier: name,
      attempts,
      succeeded,
      bytes_total: amount,
      p50_ns: durationOf(p50),
    })),
    failures: of('failure').map(({ operation, name, reason, attempts }) => ({
      operation,
      stage: name,
      reason,
      count: attempts,
    })),
    timeline:
      steps.length === 0
        ? await timeline(tx, window, stepSeconds)
        : await tx.query<TimelineRow & QueryResultRow>(TIMELINE, {
            ...values,
            ...pieceValues(begin.began, steps),
            step_seconds: stepSeconds,
          }),
  };
}

/** With the percentiles of the window, which the same snapshot has. @param values those of the figures */
async function withRanks(tx: Tx, values: Values, figures: readonly Figure[]): Promise<RankedFigure[]> {
  const sampled = figures.map((figure, id) => ({ ...figure, id })).filter(({ measure }) => SAMPLED.includes(measure));
  const series = sampled.flatMap(({ id, series: all }) => (all ?? []).map((one) => ({ id, one })));
  const ranks =
    sampled.length === 0
      ? []
      : await tx.query<Rank>(RANKS, {
          ...values,
          ids: sampled.map(({ id }) => id),
          octaves: sampled.map(({ octaves }) => octaves),
          places: sampled.map(({ places }) => places),
          counts: sampled.map(({ counts }) => counts),
          ids_of_series: series.map(({ id }) => id),
          series: series.map(({ one }) => one),
        });
  const placeOfRank = new Map(ranks.map(({ id, median, at }) => [`${id} ${median}`, at]));
  return figures.map((figure, id) => ({
    ...figure,
    p50: placeOfRank.get(`${id} true`),
    p95: placeOfRank.get(`${id} false`),
  }));
}

function totalsOf(
  { operation, attempts, succeeded, failed, fallbacks, amount }: Figure,
  figures: RankedFigure[],
): TotalsRow {
  const own = figures.filter((figure) => figure.operation === operation);
  const find = (measure: MeasureName) => own.find((figure) => figure.measure === measure);
  const [duration, pause, ready] = [find('duration'), find('pause'), find('ready')];
  const counts = (measure: MeasureName, bounds: readonly number[]) =>
    cumulative(
      Array.from(
        { length: bounds.length + 1 },
        (_, i) => own.find(({ measure: of, name }) => of === measure && name === String(i))?.attempts ?? 0,
      ),
    );
  return {
    operation,
    attempts,
    succeeded,
    failed,
    fallbacks,
    bytes_total: amount,
    p50_ns: durationOf(duration?.p50),
    p95_ns: durationOf(duration?.p95),
    pause_p50_ns: durationOf(pause?.p50),
    pause_p95_ns: durationOf(pause?.p95),
    to_ready_count: ready?.attempts ?? 0,
    to_ready_p50_ns: durationOf(ready?.p50),
    to_ready_p95_ns: durationOf(ready?.p95),
    duration_counts: counts('duration_bucket', DURATION_BOUNDS_NS),
    size_counts: counts('size_bucket', SIZE_BOUNDS_BYTES),
  };
}

const durationOf = (at: Place | undefined): number | null => (at ? middleOf(...at) : null);
