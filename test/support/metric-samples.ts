import { mapSeries, type MappedSeries, type ToldKind } from '../../src/samples/sample-mapping';
import type { Organisation, Service } from './service';

/** A sample as a scrape has it. */
export interface SampleOfTests {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly kind?: ToldKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number | null;
}

/** The lines of a page of Prometheus' text format. */
export const linesOf = (page: string): { name: string; labels: Record<string, string>; value: number }[] =>
  page.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });

export function seriesOf({ name, labels = {}, kind }: Pick<SampleOfTests, 'name' | 'labels' | 'kind'>): MappedSeries {
  const mapped = mapSeries(name, new Map(Object.entries(labels)), kind);
  if (mapped.as !== 'series') throw new Error(`${name} is no series`);
  return mapped;
}

const DAY_MS = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Partitions of the days of these moments. */
export async function makeDays({ db }: Pick<Service, 'db'>, moments: readonly number[]): Promise<void> {
  for (const day of new Set(moments.map(dayOf))) {
    const next = dayOf(Date.parse(day) + DAY_MS);
    await db.query(
      `create table if not exists metric_samples_${day.replaceAll('-', '')} partition of metric_samples
       for values from ('${day} 00:00:00+00') to ('${next} 00:00:00+00')`,
    );
  }
}

/** Samples and their series, as the service keeps what it was told. */
export async function tellSamples(
  service: Pick<Service, 'db'>,
  { id: orgId }: Pick<Organisation, 'id'>,
  samples: readonly SampleOfTests[],
): Promise<void> {
  await makeDays(
    service,
    samples.map(({ at }) => at),
  );
  for (const sample of samples) {
    const { columns, ...series } = seriesOf(sample);
    const row = { ...columns, ...series, last_sampled_on: dayOf(sample.at) };
    await service.db.query(
      `with s as (
         insert into metric_series as s (org_id, digest, family, metric, kind, node_name, gpu_uuid, gpu_index, model_name, namespace, pod_name,
           pod_uid, container, partition, state, collector, cpu_core, cpu_mode, filesystem, mountpoint, labels, last_sampled_on)
         select $1, digest, family, metric, kind, node_name, gpu_uuid, gpu_index, model_name, namespace, pod_name,
           pod_uid, container, partition, state, collector, cpu_core, cpu_mode, filesystem, mountpoint, labels, last_sampled_on
         from json_populate_record(null::metric_series, $2)
         on conflict (org_id, digest) do update set last_sampled_on = greatest(s.last_sampled_on, excluded.last_sampled_on)
         returning id
       )
       insert into metric_samples (org_id, series_id, sampled_at, value)
       select $1, id, to_timestamp($3::float8 / 1000), $4 from s on conflict do nothing`,
      [orgId, JSON.stringify(row), sample.at, sample.value],
    );
  }
}
