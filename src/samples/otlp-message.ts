import { Reader } from 'protobufjs/minimal';
import { parseJson, structureFault } from '../common/json';
import { TooMuchAtOnce, UnreadableBody } from './told-samples';
import { toDigits, toNumber } from './wire-integers';

/** The parts of OTLP's messages that are read, in the names of its JSON. */
export interface OtlpRequest {
  resourceMetrics?: OtlpResourceMetrics[];
}
export interface OtlpResourceMetrics {
  resource?: { attributes?: OtlpAttribute[] };
  scopeMetrics?: OtlpScopeMetrics[];
}
export interface OtlpScopeMetrics {
  scope?: { name?: string; version?: string; attributes?: OtlpAttribute[] };
  metrics?: OtlpMetric[];
}
export interface OtlpMetric {
  name?: string;
  gauge?: { dataPoints?: OtlpPoint[] };
  sum?: { dataPoints?: OtlpPoint[]; aggregationTemporality?: number | string; isMonotonic?: boolean };
  histogram?: { dataPoints?: unknown[] };
  exponentialHistogram?: { dataPoints?: unknown[] };
  summary?: { dataPoints?: unknown[] };
}
export interface OtlpPoint {
  attributes?: OtlpAttribute[];
  /** Integers of 64 bits are texts in JSON. */
  timeUnixNano?: number | string;
  asDouble?: number | string;
  asInt?: number | string;
  flags?: number;
}
export interface OtlpAttribute {
  key?: string;
  value?: { stringValue?: string; boolValue?: boolean; intValue?: number | string; doubleValue?: number | string };
}

type Read = (reader: Reader, budget: Budget) => unknown;

/** How a field is read: its name in JSON, whether it comes again and again, and its value. */
interface FieldOf {
  readonly name: string;
  readonly many?: true;
  readonly read: Read;
}
/** By tag. */
type Message = Readonly<Record<number, FieldOf>>;

/** Messages and texts of one request: two bytes can be one, and are an object here. */
const MAX_PARTS = 3_000_000;

class Budget {
  private left = MAX_PARTS;

  take(): void {
    if (this.left-- === 0) throw new TooMuchAtOnce(`more than ${MAX_PARTS} parts`);
  }
}

const tag = (field: number, wireType: 0 | 1 | 2 | 5): number => (field << 3) | wireType;

const text = (name: string): FieldOf => ({ name, read: (reader) => reader.string() });
const one = (name: string, message: Message): FieldOf => ({
  name,
  read: (reader, budget) => read(reader, message, budget),
});
const many = (name: string, message: Message): FieldOf => ({ ...one(name, message), many: true });

const ANY_VALUE: Message = {
  [tag(1, 2)]: text('stringValue'),
  [tag(2, 0)]: { name: 'boolValue', read: (reader) => reader.bool() },
  [tag(3, 0)]: { name: 'intValue', read: (reader) => toDigits(reader.int64()) },
  [tag(4, 1)]: { name: 'doubleValue', read: (reader) => reader.double() },
};
const ATTRIBUTE: Message = { [tag(1, 2)]: text('key'), [tag(2, 2)]: one('value', ANY_VALUE) };
const POINT: Message = {
  [tag(7, 2)]: many('attributes', ATTRIBUTE),
  [tag(3, 1)]: { name: 'timeUnixNano', read: (reader) => toNumber(reader.fixed64()) },
  [tag(4, 1)]: { name: 'asDouble', read: (reader) => reader.double() },
  [tag(6, 1)]: { name: 'asInt', read: (reader) => toNumber(reader.sfixed64()) },
  [tag(8, 0)]: { name: 'flags', read: (reader) => reader.uint32() },
};
const UNREAD: Message = {};
const GAUGE: Message = { [tag(1, 2)]: many('dataPoints', POINT) };
const SUM: Message = {
  ...GAUGE,
  [tag(2, 0)]: { name: 'aggregationTemporality', read: (reader) => reader.uint32() },
  [tag(3, 0)]: { name: 'isMonotonic', read: (reader) => reader.bool() },
};
const COUNTED: Message = { [tag(1, 2)]: many('dataPoints', UNREAD) };
const METRIC: Message = {
  [tag(1, 2)]: text('name'),
  [tag(5, 2)]: one('gauge', GAUGE),
  [tag(7, 2)]: one('sum', SUM),
  [tag(9, 2)]: one('histogram', COUNTED),
  [tag(10, 2)]: one('exponentialHistogram', COUNTED),
  [tag(11, 2)]: one('summary', COUNTED),
};
const SCOPE: Message = {
  [tag(1, 2)]: text('name'),
  [tag(2, 2)]: text('version'),
  [tag(3, 2)]: many('attributes', ATTRIBUTE),
};
const REQUEST: Message = {
  [tag(1, 2)]: many('resourceMetrics', {
    [tag(1, 2)]: one('resource', { [tag(1, 2)]: many('attributes', ATTRIBUTE) }),
    [tag(2, 2)]: many('scopeMetrics', { [tag(1, 2)]: one('scope', SCOPE), [tag(2, 2)]: many('metrics', METRIC) }),
  }),
};

/** A message inside another: its length, then its fields. */
function read(reader: Reader, message: Message, budget: Budget): Record<string, unknown> {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new UnreadableBody('ends too early');
  return fields(reader, end, message, budget);
}

function fields(reader: Reader, end: number, message: Message, budget: Budget): Record<string, unknown> {
  budget.take();
  const object: Record<string, unknown> = {};
  while (reader.pos < end) {
    const key = reader.uint32();
    const field = message[key];
    if (!field) {
      reader.skipType(key & 7, 0, key >>> 3);
      continue;
    }
    const value = field.read(reader, budget);
    if (field.many) ((object[field.name] ??= []) as unknown[]).push(value);
    else object[field.name] = value;
  }
  if (reader.pos !== end) throw new UnreadableBody('holds a message that does not end where it says');
  return object;
}

/** @throws UnreadableBody, TooMuchAtOnce */
export function readProtobuf(body: Uint8Array): OtlpRequest {
  try {
    return fields(Reader.create(body), body.length, REQUEST, new Budget());
  } catch (cause) {
    if (cause instanceof UnreadableBody || cause instanceof TooMuchAtOnce) throw cause;
    throw new UnreadableBody('is no message of OTLP', { cause });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Its members may be of any type: whoever reads them asks. @throws UnreadableBody */
export function readJson(body: Uint8Array): OtlpRequest {
  const fault = structureFault(body);
  if (fault !== undefined) throw new UnreadableBody(fault);
  let value: unknown;
  try {
    value = parseJson(utf8.decode(body));
  } catch (cause) {
    throw new UnreadableBody('is no JSON', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableBody('is no object');
  return value;
}
