type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** What follows the family's name, such as `_bucket`. */
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

/** Prometheus' text format, version 0.0.4. */
export const expose = (families: readonly Family[]): string => families.map(exposeFamily).join('');

function exposeFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${exposeLabels(labels)} ${exposeNumber(value)}`,
  );
  return [`# HELP ${name} ${escape(help, false)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function exposeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value, true)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escape(text: string, quotes: boolean): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return quotes ? escaped.replaceAll('"', '\\"') : escaped;
}

const exposeNumber = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);

/** @param counts of each bucket and all below it; one more than the bounds */
export function histogram(labels: Labels, bounds: readonly number[], counts: readonly number[], sum: number): Sample[] {
  const buckets = counts.map((value, index) => ({
    suffix: '_bucket',
    labels: { ...labels, le: String(bounds[index] ?? '+Inf') },
    value,
  }));
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: counts.at(-1) ?? 0 }];
}
