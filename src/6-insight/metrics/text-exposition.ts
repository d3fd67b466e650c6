import { AggregatorRegistry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** The suffix of the family's name, such as `_bucket`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Prometheus' text format, version 0.0.4. The figures are totals that the database keeps. prom-client's own
 * counters and histograms cannot be set to a total, so they are passed as another process would report them.
 */
export function expose(families: readonly Family[]): Promise<string> {
  const reported = families.map(({ samples, ...family }) => ({
    ...family,
    aggregator: 'sum',
    values: samples.map(({ suffix = '', ...sample }) => ({ ...sample, metricName: `${family.name}${suffix}` })),
  }));
  return AggregatorRegistry.aggregate([reported]).metrics();
}

/** @param counts of each bucket and all below it; one more than the bounds */
export function histogram(labels: Labels, bounds: readonly number[], counts: readonly number[], sum: number): Sample[] {
  const buckets = counts.map((value, index) => ({
    suffix: '_bucket',
    labels: { ...labels, le: String(bounds[index] ?? '+Inf') },
    value,
  }));
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: counts.at(-1) ?? 0 }];
}
