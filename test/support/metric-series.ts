import type pg from 'pg';
import { newId } from '../../src/common/ids';
import { mapSeries } from '../../src/samples/sample-mapping';
import { valueOf } from '../../src/samples/sample-values';
import { linesOf, makeDays } from './metric-samples';

/** Labels of a series that are columns, and the others. */
export interface SeriesLabels {
  readonly node_name?: string;
  readonly gpu_uuid?: string;
  readonly gpu_index?: string;
  readonly model_name?: string;
  readonly namespace?: string;
  readonly pod_name?: string;
  readonly pod_uid?: string;
  readonly container?: string;
  readonly partition?: string;
  readonly state?: string;
  readonly collector?: string;
  readonly cpu_core?: string;
  readonly cpu_mode?: string;
  readonly filesystem?: string;
  readonly mountpoint?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** When, in milliseconds since 1970, and what; null where nothing could be measured. */
export type ToldSample = readonly [at: number, value: number | null];

export interface ToldSeries extends SeriesLabels {
  readonly family: 'gpu' | 'pod' | 'host' | 'slurm';
  readonly metric: string;
  readonly kind?: 'gauge' | 'counter';
  readonly samples: readonly ToldSample[];
}

const COLUMNS = [
  'node_name',
  'gpu_uuid',
  'gpu_index',
  'model_name',
  'namespace',
  'pod_name',
  'pod_uid',
  'container',
  'partition',
  'state',
  'collector',
  'cpu_core',
  'cpu_mode',
  'filesystem',
  'mountpoint',
].map((name) => `"${name}"`);

const SERIES = `
  insert into metric_series (org_id, digest, family, metric, kind, ${COLUMNS.join(', ')}, labels, last_sampled_on)
  select $1, $2, r.family, r.metric, coalesce(r.kind, 'gauge'), ${COLUMNS.map((name) => `r.${name}`).join(', ')}, coalesce(r.labels, '{}'), $4
  from json_to_record($3::json) as r(family text, metric text, kind text, ${COLUMNS.map((name) => `${name} text`).join(', ')}, labels json)
  returning id`;
const SAMPLES = `
  insert into metric_samples (org_id, series_id, sampled_at, value)
  select $1, $2, timestamptz '1970-01-01 00:00:00Z' + at * interval '1 millisecond', value from unnest($3::float8[], $4::float8[]) r(at, value)`;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Series with their samples, as if they had been told. */
export async function writeSeries(
  db: pg.Pool,
  { id: orgId }: { id: string },
  ...all: readonly ToldSeries[]
): Promise<void> {
  await makeDays(
    { db },
    all.flatMap(({ samples }) => samples.map(([at]) => at)),
  );
  for (const { samples, ...series } of all) {
    const newest = dayOf(Math.max(...samples.map(([at]) => at)));
    const { rows } = await db.query<{ id: string }>(SERIES, [orgId, newId(), JSON.stringify(series), newest]);
    await db.query(SAMPLES, [orgId, rows[0]?.id, samples.map(([at]) => at), samples.map(([, value]) => value)]);
  }
}

/** The series of a page of Prometheus' text format, each with its sample, as the service keeps them. */
export const seriesOfPage = (page: string, at: number): ToldSeries[] =>
  linesOf(page).flatMap(({ name, labels, value }) => {
    const mapped = mapSeries(name, new Map(Object.entries(labels)), undefined);
    if (mapped.as !== 'series') return [];
    const { family, metric, kind, columns, labels: rest } = mapped;
    return [{ family, metric, kind, ...columns, labels: rest, samples: [[at, valueOf(family, value)]] }];
  });
