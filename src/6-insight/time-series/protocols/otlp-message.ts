import { Reader } from 'protobufjs/minimal';
import { parseJsonInSlices } from '../../../1-platform/common/json/json-in-slices';
import { scanInSlices } from '../../../1-platform/common/json/json-structure';
import { places, TooMuchAtOnce, UnreadableBody } from './received-samples';
import { toDigits, toNumber } from './wire-integers';

/** The parts of OTLP's messages that the service reads, in the names of its JSON. */
export interface OtlpRequest {
  resourceMetrics?: Many<OtlpResourceMetrics>;
}
export interface OtlpResourceMetrics {
  resource?: { attributes?: Many<OtlpAttribute> };
  scopeMetrics?: Many<OtlpScopeMetrics>;
}
export interface OtlpScopeMetrics {
  scope?: { name?: string; version?: string; attributes?: Many<OtlpAttribute> };
  metrics?: Many<OtlpMetric>;
}
export interface OtlpMetric {
  name?: string;
  gauge?: { dataPoints?: Many<OtlpPoint> };
  sum?: { dataPoints?: Many<OtlpPoint>; aggregationTemporality?: number | string; isMonotonic?: boolean };
  histogram?: { dataPoints?: Many<unknown> };
  exponentialHistogram?: { dataPoints?: Many<unknown> };
  summary?: { dataPoints?: Many<unknown> };
}
export interface OtlpPoint {
  attributes?: Many<OtlpAttribute>;
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

/** A list of JSON, or messages of protobuf, each of which is read on demand. */
export type Many<T> = readonly T[] | Messages;

type Read = (reader: Reader) => unknown;

/** How a field is read: its name in JSON, and its value, or those of a repeated field. */
interface FieldOf {
  readonly name: string;
  readonly read?: Read;
  readonly many?: Message;
}
/** By tag. */
type Message = Readonly<Record<number, FieldOf>>;

/** Fields of one message: they are read at once, or noted, and each may be two bytes. */
const MAX_FIELDS = 100_000;
/** Bytes of a text. */
const MAX_TEXT = 1_024 * 1_024;

/** A row of messages of which only the positions are known so far. */
export class Messages implements Iterable<unknown> {
  private readonly starts = places();
  private readonly ends = places();

  constructor(
    private readonly body: Uint8Array,
    private readonly message: Message,
  ) {}

  get length(): number {
    return this.starts.length;
  }

  add(start: number, end: number): void {
    this.starts.push(start);
    this.ends.push(end);
  }

  *[Symbol.iterator](): Iterator<unknown> {
    const reader = Reader.create(this.body);
    for (let place = 0; place < this.length; place++) {
      reader.pos = this.starts.at(place);
      yield fields(reader, this.ends.at(place), this.message, this.body);
    }
  }
}

const tag = (field: number, wireType: 0 | 1 | 2 | 5): number => (field << 3) | wireType;

const text = (name: string): FieldOf => ({ name, read: textOf });
const one = (name: string, message: Message): FieldOf => ({
  name,
  read: (reader) => fields(reader, endOf(reader), message, reader.buf),
});
const many = (name: string, message: Message): FieldOf => ({ name, many: message });

function textOf(reader: Reader): string {
  const at = reader.pos;
  if (reader.uint32() > MAX_TEXT) throw new TooMuchAtOnce(`a text of more than ${MAX_TEXT} bytes`);
  reader.pos = at;
  return reader.string();
}

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

/** Of a nested message, preceded by its length. */
function endOf(reader: Reader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new UnreadableBody('ends too early');
  return end;
}

function fields(reader: Reader, end: number, message: Message, body: Uint8Array): Record<string, unknown> {
  try {
    return readFields(reader, end, message, body);
  } catch (cause) {
    if (cause instanceof UnreadableBody || cause instanceof TooMuchAtOnce) throw cause;
    throw new UnreadableBody('is no message of OTLP', { cause });
  }
}

function readFields(reader: Reader, end: number, message: Message, body: Uint8Array): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let count = 0; reader.pos < end; count++) {
    if (count === MAX_FIELDS) throw new TooMuchAtOnce(`a message of more than ${MAX_FIELDS} fields`);
    const key = reader.uint32();
    const field = message[key];
    if (field?.many) {
      const last = endOf(reader);
      ((object[field.name] ??= new Messages(body, field.many)) as Messages).add(reader.pos, last);
      reader.pos = last;
    } else if (field?.read) object[field.name] = field.read(reader);
    else reader.skipType(key & 7, 0, key >>> 3);
  }
  if (reader.pos !== end) throw new UnreadableBody('holds a message that does not end where it says');
  return object;
}

/** @throws UnreadableBody, TooMuchAtOnce; also while its lists are read */
export const readProtobuf = (body: Uint8Array): OtlpRequest => fields(Reader.create(body), body.length, REQUEST, body);

/** Of a request in JSON: a hundred thousand points of a dozen attributes each. */
const JSON_BOUNDS = { containers: 1_500_000, values: 4_000_000, text: MAX_TEXT } as const;

/** Its members may be of any type: readers must check. @throws UnreadableBody, TooMuchAtOnce */
export async function readJson(body: Buffer): Promise<OtlpRequest> {
  const { fault } = await scanInSlices(body, JSON_BOUNDS);
  if (fault !== undefined) throw new UnreadableBody(fault);
  let value: unknown;
  try {
    ({ value } = await parseJsonInSlices(body));
  } catch (cause) {
    throw new UnreadableBody('is no JSON', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableBody('is no object');
  return value;
}
