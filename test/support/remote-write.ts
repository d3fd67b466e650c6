import { Writer } from 'protobufjs/minimal';
import { compressSync } from 'snappy';

/** A series of samples, each a time in milliseconds and a value. */
export interface BuiltSeries {
  labels: Record<string, string>;
  samples: [number, number][];
  exemplars?: number;
  histograms?: number;
}

const entries = (labels: Record<string, string>) => Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));

function writeSamples(writer: Writer, { samples }: BuiltSeries): void {
  for (const [time, value] of samples) writer.uint32(18).fork().uint32(9).double(value).uint32(16).int64(time).ldelim();
}

/** An uncompressed `prometheus.WriteRequest`. */
export function message1(...series: BuiltSeries[]): Buffer {
  const writer = Writer.create();
  for (const one of series) {
    writer.uint32(10).fork();
    for (const [name, value] of entries(one.labels))
      writer.uint32(10).fork().uint32(10).string(name).uint32(18).string(value).ldelim();
    writeSamples(writer, one);
    for (let i = 0; i < (one.exemplars ?? 0); i++) writer.uint32(26).fork().uint32(17).double(1).ldelim();
    for (let i = 0; i < (one.histograms ?? 0); i++) writer.uint32(34).fork().uint32(8).uint64(1).ldelim();
    writer.ldelim();
  }
  return Buffer.from(writer.finish());
}

/** Metadata of version 1: the number of a metric's type, by name. */
export function metadata1(kinds: Record<string, number>): Buffer {
  const writer = Writer.create();
  for (const [name, kind] of Object.entries(kinds))
    writer.uint32(26).fork().uint32(8).uint32(kind).uint32(18).string(name).ldelim();
  return Buffer.from(writer.finish());
}

/** An uncompressed `io.prometheus.write.v2.Request`. @param kind number of a metric's type */
function message2(kind: number, ...series: BuiltSeries[]): Buffer {
  const symbols = ['', ...new Set(series.flatMap(({ labels }) => entries(labels).flat()))];
  const writer = Writer.create();
  for (const symbol of symbols) writer.uint32(34).string(symbol);
  for (const one of series) {
    writer.uint32(42).fork().uint32(10).fork();
    for (const text of entries(one.labels).flat()) writer.uint32(symbols.indexOf(text));
    writer.ldelim();
    writeSamples(writer, one);
    for (let i = 0; i < (one.histograms ?? 0); i++) writer.uint32(26).fork().uint32(8).uint64(1).ldelim();
    for (let i = 0; i < (one.exemplars ?? 0); i++) writer.uint32(34).fork().uint32(17).double(1).ldelim();
    writer.uint32(42).fork().uint32(8).uint32(kind).ldelim();
    writer.ldelim();
  }
  return Buffer.from(writer.finish());
}

export const HEADERS_1 = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};
export const HEADERS_2 = {
  ...HEADERS_1,
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
  'x-prometheus-remote-write-version': '2.0.0',
};

export const body1 = (...series: BuiltSeries[]): Buffer => compressSync(message1(...series));
/** Concatenates, because a call cannot take as many arguments as there are series. */
export function largeBody1(series: readonly BuiltSeries[]): Buffer {
  const parts: Buffer[] = [];
  for (let from = 0; from < series.length; from += 10_000) parts.push(message1(...series.slice(from, from + 10_000)));
  return compressSync(Buffer.concat(parts));
}
export const body2 = (kind: number, ...series: BuiltSeries[]): Buffer => compressSync(message2(kind, ...series));
