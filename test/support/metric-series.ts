import type pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { bind, type Statement, type Values } from '../../src/1-platform/database/transactions/statement';
import type { StatementPool } from '../../src/1-platform/database/connections/statement-pool';
import { mapSeries, type MappedSeries, type ReportedKind } from '../../src/6-insight/time-series/rows/sample-mapping';
import { dayOf } from '../../src/6-insight/time-series/rows/sample-partitions';
import { SampleRows } from '../../src/6-insight/time-series/rows/sample-rows';
import { valueOf } from '../../src/6-insight/time-series/rows/sample-values';
import { saveSamples } from '../../src/6-insight/time-series/groups/grouped-samples.queries';
import { saveSeries, seriesOf as storedSeriesOf } from '../../src/6-insight/time-series/samples.queries';
import type { SeriesColumns } from '../../src/6-insight/time-series/columns/series-columns';
import type { Organisation, Service } from './service';

/** Milliseconds since 1970, and the value; null if nothing could be measured. */
export type ReportedSample = readonly [at: number, value: number | null];

/** A series as the service stores it: labels with columns of their own, and the others. */
export interface ReportedSeries extends SeriesColumns {
  readonly family: MappedSeries['family'];
  readonly metric: string;
  readonly kind?: MappedSeries['kind'];
  readonly labels?: Readonly<Record<string, string>>;
  /** Of a series that is written to more than once; without it, each is a new one. */
  readonly digest?: string;
  readonly samples: readonly ReportedSample[];
}

/** A sample of a scrape. */
export interface SampleOfTests {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly kind?: ReportedKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number | null;
}

interface Kept {
  readonly mapped: MappedSeries;
  readonly samples: readonly ReportedSample[];
}

/** Samples as they are stored, one in a row: `org_id, series_id, sampled_at, value`. To read from. */
export const STORED_SAMPLES = `(
  select g.org_id, g.series_group * 64 + p.place as series_id, g.sampled_at, nullif(v.value, 'NaN') as value
  from grouped_samples g cross join lateral (
    select place, row_number() over (order by place) as nth from generate_series(0, 63) place
    where g.places >> place & 1 = 1
  ) p join lateral unnest(g.sample_values) with ordinality v(value, nth) using (nth)
)`;

/** Stores samples whose days have partitions. @param rows a query for `org_id, id, sampled_at, value` */
export const insertionOf = (rows: string): string => `
  insert into grouped_samples (org_id, series_group, sampled_at, places, sample_values)
  select org_id, id >> 6, sampled_at, bit_or(1::bigint << (id & 63)::int), array_agg(value::float8 order by id)
  from (${rows}) r group by org_id, id >> 6, sampled_at`;

/** Creates the partitions for the days of these times. */
export async function makeDays({ db }: Pick<Service, 'db'>, moments: readonly number[]): Promise<void> {
  for (const day of new Set(moments.map(dayOf)))
    await db.query("select partition_made('grouped_samples', 'day', $1)", [new Date(day)]);
}

/** Uses the service's own statements without its limits: any values and any times. */
async function keep(db: pg.Pool, orgId: string, all: readonly Kept[]): Promise<void> {
  const moments = all.flatMap(({ samples }) => samples.map(([at]) => at));
  await makeDays({ db }, moments);
  const statements = {
    run: async (statement: Statement, values: Values) => (await db.query(bind(statement, values))).rows,
  } as unknown as StatementPool;
  const series = new Map<string, { mapped: MappedSeries; until: number }>();
  for (const { mapped, samples } of all) {
    const until = Math.max(series.get(mapped.digest)?.until ?? 0, ...samples.map(([at]) => at));
    series.set(mapped.digest, { mapped, until });
  }
  await saveSeries(statements, orgId, [...series.values()]);
  const ids = await storedSeriesOf(statements, orgId, [...series.keys()]);
  const rows = new SampleRows(moments.length);
  for (const { mapped, samples } of all)
    for (const [at, value] of samples) rows.add(ids.get(mapped.digest)?.id ?? NaN, at, value);
  await saveSamples(statements, orgId, [rows]);
}

/** Stores series with their samples as if they had been received. */
export const writeSeries = (db: pg.Pool, { id }: { id: string }, ...all: readonly ReportedSeries[]): Promise<void> =>
  keep(
    db,
    id,
    all.map(({ family, metric, kind = 'gauge', labels = {}, digest = newId(), samples, ...columns }) => ({
      mapped: { as: 'series', digest, family, metric, kind, kindIsKnown: true, columns, labels },
      samples,
    })),
  );

/** The samples of a scrape, of the series that the service makes from their labels. */
export const reportSamples = (
  { db }: Pick<Service, 'db'>,
  { id }: Pick<Organisation, 'id'>,
  samples: readonly SampleOfTests[],
): Promise<void> =>
  keep(
    db,
    id,
    samples.map((sample) => ({ mapped: seriesOf(sample), samples: [[sample.at, sample.value]] })),
  );

export function seriesOf({ name, labels = {}, kind }: Pick<SampleOfTests, 'name' | 'labels' | 'kind'>): MappedSeries {
  const mapped = mapSeries(name, new Map(Object.entries(labels)), kind);
  if (mapped.as !== 'series') throw new Error(`${name} is no series`);
  return mapped;
}

/** The lines of a page of Prometheus' text format. */
export const linesOf = (page: string): { name: string; labels: Record<string, string>; value: number }[] =>
  page.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });

/** The series of a page, each with its sample, as the service stores them. */
export const seriesOfPage = (page: string, at: number): ReportedSeries[] =>
  linesOf(page).flatMap(({ name, labels, value }) => {
    const mapped = mapSeries(name, new Map(Object.entries(labels)), undefined);
    if (mapped.as !== 'series') return [];
    const { family, metric, kind, columns, labels: rest } = mapped;
    return [{ family, metric, kind, ...columns, labels: rest, samples: [[at, valueOf(family, value)]] }];
  });
