import { Writer } from 'protobufjs/minimal';
import { isRawNumber } from '../../../1-platform/common/json/json';
import { type Steps } from '../../../1-platform/common/work/slices';
import {
  Messages,
  type OtlpAttribute,
  type OtlpMetric,
  type OtlpPoint,
  type OtlpRequest,
  type OtlpResourceMetrics,
  type OtlpScopeMetrics,
} from './otlp-message';
import type { MetricKind } from '../rows/sample-mapping';
import {
  keyOf,
  MalformedSeries,
  MAX_LABELS_READ,
  MAX_SERIES_CHARACTERS,
  ReceivedSamples,
  type SeriesName,
  type SeriesNames,
} from './received-samples';

/** Flag of a data point: no value was recorded. */
const NO_RECORDED_VALUE = 1;

/** How sums are reported: since the start, or since the last time. */
const DELTA = new Set<unknown>([1, '1', 'AGGREGATION_TEMPORALITY_DELTA']);

/** Names of the series of a request: all that distinguishes them, as JSON. */
class OtlpNames implements SeriesNames {
  private readonly identities: string[] = [];
  private characters = 0;

  get bytes(): number {
    return this.characters + 32 * this.identities.length;
  }

  add(identity: string): void {
    this.identities.push(identity);
    this.characters += identity.length;
  }

  keyOf(series: number): string {
    return keyOf(this.identities[series] as string);
  }

  describe(series: number): SeriesName {
    const [name, kind, delta, ...labels] = JSON.parse(this.identities[series] as string) as Identity;
    if (name === null || name === '') throw new MalformedSeries('has no name');
    if (delta) throw new MalformedSeries('is a sum of differences (delta); cumulative ones are stored');
    return { name, labels: new Map(labels), kind };
  }
}

type Identity = [name: string | null, kind: MetricKind, delta: boolean, ...labels: [string, string][]];

/**
 * The samples of a request. Attributes of resource, scope and data point are the labels of a series; of equal
 * names, the one closest to the value counts.
 * @throws UnreadableBody, TooMuchAtOnce
 */
export function* samplesOf(request: OtlpRequest): Steps<ReceivedSamples> {
  const names = new OtlpNames();
  const received = new ReceivedSamples(names);
  for (const ofResource of list<OtlpResourceMetrics>(request.resourceMetrics)) {
    if (received.part()) yield;
    if (!isObject(ofResource)) continue;
    const resource = new Map<string, string>();
    addAttributes(resource, ofResource.resource?.attributes);
    for (const ofScope of list<OtlpScopeMetrics>(ofResource.scopeMetrics)) {
      if (received.part()) yield;
      if (!isObject(ofScope)) continue;
      const outer = new Map(resource);
      addScope(outer, ofScope.scope);
      for (const metric of list<OtlpMetric>(ofScope.metrics)) {
        if (received.part()) yield;
        if (isObject(metric)) yield* addMetric(received, names, outer, metric);
      }
    }
  }
  return received;
}

function* addMetric(
  received: ReceivedSamples,
  names: OtlpNames,
  outer: ReadonlyMap<string, string>,
  { name, gauge, sum, histogram, exponentialHistogram, summary }: OtlpMetric,
): Steps<void> {
  for (const counted of [histogram, exponentialHistogram, summary])
    received.histograms += list(counted?.dataPoints).length;
  const metric = typeof name === 'string' ? name.slice(0, TOO_LONG) : null;
  for (const point of list<OtlpPoint>(gauge?.dataPoints)) {
    if (received.part()) yield;
    if (isObject(point)) addPoint(received, names, outer, point, [metric, 'gauge', false]);
  }
  const kind = sum?.isMonotonic === true ? 'counter' : 'gauge';
  const delta = DELTA.has(sum?.aggregationTemporality);
  for (const point of list<OtlpPoint>(sum?.dataPoints)) {
    if (received.part()) yield;
    if (isObject(point)) addPoint(received, names, outer, point, [metric, kind, delta]);
  }
}

function addPoint(
  received: ReceivedSamples,
  names: OtlpNames,
  outer: ReadonlyMap<string, string>,
  point: OtlpPoint,
  metric: readonly [name: string | null, kind: MetricKind, delta: boolean],
): void {
  received.beginSeries();
  const labels = new Map(outer);
  addAttributes(labels, point.attributes);
  received.addSample(numberIn(point.timeUnixNano) / 1e6, valueOf(point));
  let characters = metric[0]?.length ?? 0;
  for (const [label, value] of labels) characters += label.length + value.length;
  received.endSeries(characters);
  // Not written out if it is not read: see `MAX_SERIES_CHARACTERS`.
  names.add(characters > MAX_SERIES_CHARACTERS ? '' : JSON.stringify([...metric, ...labels]));
}

/** A value that is not a number is stored as null. */
function valueOf({ flags, asDouble, asInt }: OtlpPoint): number {
  return (numberIn(flags) & NO_RECORDED_VALUE) === 0 ? numberIn(asDouble ?? asInt) : NaN;
}

/**
 * A number, in JSON also as text or with more digits than a double holds. Everything else is treated as
 * missing.
 */
function numberIn(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value === '' ? NaN : Number(value);
  return isRawNumber(value) ? Number(value.rawJSON) : NaN;
}

function addScope(labels: Map<string, string>, scope: OtlpScopeMetrics['scope']): void {
  if (typeof scope?.name === 'string' && scope.name !== '') addLabel(labels, 'otel_scope_name', scope.name);
  if (typeof scope?.version === 'string' && scope.version !== '') addLabel(labels, 'otel_scope_version', scope.version);
  addAttributes(labels, scope?.attributes);
}

/** Attributes whose value is one text, number or boolean; lists and maps are not used as labels. */
function addAttributes(labels: Map<string, string>, attributes: unknown): void {
  let read = 0;
  for (const attribute of list<OtlpAttribute>(attributes)) {
    // Far more than can be stored: the series is refused because of the labels read so far.
    if (read++ === MAX_LABELS_READ) return;
    if (!isObject(attribute)) continue;
    const { key, value } = attribute;
    const scalar = value?.stringValue ?? value?.boolValue ?? value?.intValue ?? value?.doubleValue;
    if (typeof key !== 'string') continue;
    if (isRawNumber(scalar)) addLabel(labels, key, scalar.rawJSON);
    else if (['string', 'boolean', 'number'].includes(typeof scalar)) addLabel(labels, key, String(scalar));
  }
}

/** Longer than any name or value that can be stored: a text that is cut here is refused later. */
const TOO_LONG = 4_096;

const addLabel = (labels: Map<string, string>, name: string, value: string): void =>
  void labels.set(name.slice(0, TOO_LONG).replaceAll(/[^a-zA-Z0-9_]/g, '_'), value.slice(0, TOO_LONG));

/** In JSON any value may take the place of a list, or of its elements. */
const list = <T>(value: unknown): Iterable<T> & { readonly length: number } =>
  Array.isArray(value) || value instanceof Messages ? (value as unknown as readonly T[]) : [];

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** `ExportMetricsServiceResponse`; empty if nothing was rejected. */
export function answerJson(rejected: number, message: string): string {
  return rejected === 0
    ? '{}'
    : JSON.stringify({ partialSuccess: { rejectedDataPoints: String(rejected), errorMessage: message } });
}

export function answerProtobuf(rejected: number, message: string): Buffer {
  const writer = Writer.create();
  if (rejected > 0) writer.uint32(10).fork().uint32(8).int64(rejected).uint32(18).string(message).ldelim();
  return Buffer.from(writer.finish());
}
