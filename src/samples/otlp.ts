import { Writer } from 'protobufjs/minimal';
import { isRawNumber } from '../common/json';
import type {
  OtlpAttribute,
  OtlpMetric,
  OtlpPoint,
  OtlpRequest,
  OtlpResourceMetrics,
  OtlpScopeMetrics,
} from './otlp-message';
import type { ToldKind } from './sample-mapping';
import { keyOf, MalformedSeries, ToldSamples } from './told-samples';

/** Of a data point: nothing was recorded for it. */
const NO_RECORDED_VALUE = 1;

/** How sums are told: since the start, or since the last time. */
const DELTA = new Set<unknown>([1, '1', 'AGGREGATION_TEMPORALITY_DELTA']);

/**
 * The samples of a request. Attributes of resource, scope and data point are the labels of a series; of one name, that which is nearer
 * to the value stands.
 */
export function toldBy(request: OtlpRequest): ToldSamples {
  const told = new ToldSamples();
  for (const ofResource of list<OtlpResourceMetrics>(request.resourceMetrics)) {
    const resource = new Map<string, string>();
    addAttributes(resource, ofResource.resource?.attributes);
    for (const ofScope of list<OtlpScopeMetrics>(ofResource.scopeMetrics)) {
      const outer = new Map(resource);
      addScope(outer, ofScope.scope);
      for (const metric of list<OtlpMetric>(ofScope.metrics)) addMetric(told, outer, metric);
    }
  }
  return told;
}

function addMetric(told: ToldSamples, outer: ReadonlyMap<string, string>, metric: OtlpMetric): void {
  const { gauge, sum, histogram, exponentialHistogram, summary } = metric;
  for (const counted of [histogram, exponentialHistogram, summary]) told.histograms += list(counted?.dataPoints).length;
  for (const point of list<OtlpPoint>(gauge?.dataPoints)) addPoint(told, outer, metric, point, 'gauge', false);
  const kind = sum?.isMonotonic === true ? 'counter' : 'gauge';
  const delta = DELTA.has(sum?.aggregationTemporality);
  for (const point of list<OtlpPoint>(sum?.dataPoints)) addPoint(told, outer, metric, point, kind, delta);
}

function addPoint(
  told: ToldSamples,
  outer: ReadonlyMap<string, string>,
  { name }: OtlpMetric,
  point: OtlpPoint,
  kind: ToldKind,
  delta: boolean,
): void {
  const labels = new Map(outer);
  addAttributes(labels, point.attributes);
  const identity = JSON.stringify([name, kind, delta, ...labels]);
  told.takeLabels(identity.length);
  const from = told.count;
  told.addSample(numberIn(point.timeUnixNano) / 1e6, valueOf(point));
  told.addSeries({
    key: keyOf(identity),
    from,
    to: told.count,
    describe() {
      if (typeof name !== 'string' || name === '') throw new MalformedSeries('has no name');
      if (delta) throw new MalformedSeries('is a sum of differences (delta); cumulative ones are stored');
      return { name, labels, kind };
    },
  });
}

/** What is no number is none: it is stored as null. */
function valueOf({ flags, asDouble, asInt }: OtlpPoint): number {
  return (numberIn(flags) & NO_RECORDED_VALUE) === 0 ? numberIn(asDouble ?? asInt) : NaN;
}

/** A number, in JSON also as text or with more digits than a double holds. Anything else is none. */
function numberIn(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value === '' ? NaN : Number(value);
  return isRawNumber(value) ? Number(value.rawJSON) : NaN;
}

function addScope(labels: Map<string, string>, scope: OtlpScopeMetrics['scope']): void {
  if (typeof scope?.name === 'string' && scope.name !== '') labels.set('otel_scope_name', scope.name);
  if (typeof scope?.version === 'string' && scope.version !== '') labels.set('otel_scope_version', scope.version);
  addAttributes(labels, scope?.attributes);
}

/** Attributes whose value is one text, number or truth; lists and maps are no labels. */
function addAttributes(labels: Map<string, string>, attributes: unknown): void {
  for (const { key, value } of list<OtlpAttribute>(attributes)) {
    const scalar = value?.stringValue ?? value?.boolValue ?? value?.intValue ?? value?.doubleValue;
    if (typeof key !== 'string' || !['string', 'boolean', 'number'].includes(typeof scalar)) continue;
    labels.set(key.replaceAll(/[^a-zA-Z0-9_]/g, '_'), String(scalar));
  }
}

/** In JSON anything may stand in the place of a list, and in a list. */
const list = <T>(value: unknown): T[] =>
  Array.isArray(value) ? (value.filter((one) => typeof one === 'object' && one !== null) as T[]) : [];

/** `ExportMetricsServiceResponse`; nothing rejected is an empty one. */
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
