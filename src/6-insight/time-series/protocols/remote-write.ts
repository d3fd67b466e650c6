import { type Steps } from '../../../1-platform/common/work/slices';
import { Reader } from 'protobufjs/minimal';
import type { ReportedKind } from '../rows/sample-mapping';
import {
  keyOf,
  MalformedSeries,
  MAX_LABELS_READ,
  places,
  TooManyLabels,
  TooMuchAtOnce,
  ReceivedSamples,
  UnreadableBody,
  type SeriesName,
  type SeriesNames,
} from './received-samples';
import { toNumber } from './wire-integers';

/** A tag of the wire format: number and wire type of a field. */
const field = (number: number, wireType: 0 | 1 | 2): number => (number << 3) | wireType;
const VARINT = 0;
const DOUBLE = 1;
const BYTES = 2;

/** Symbols of one request of version 2. */
const MAX_SYMBOLS = 500_000;
/** Fields of a message that is read at once. */
const MAX_FIELDS = 1_000;
/** Metrics whose type one request may report; the rest is not read. */
const MAX_KINDS = 10_000;
/** Bytes of a text; a label may have 2,048 characters. */
const MAX_TEXT = 16 * 1_024;

/**
 * The uncompressed length of a snappy block, from its first bytes; the decompressor allocates it before
 * anything else.
 * @returns undefined if they do not contain it
 */
export function uncompressedLength(block: Uint8Array): number | undefined {
  let length = 0;
  for (let place = 0; place < 5; place++) {
    const byte = block[place];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 2 ** (7 * place);
    if (byte < 0x80) return length < 2 ** 32 ? length : undefined;
  }
  return undefined;
}

/** A body of this size is inflated in less time than another thread takes to answer. */
const INFLATED_AT_ONCE = 128 * 1_024;
const AS_COPY = { asBuffer: true, copyOutputData: true };

/** Off the main thread if it is large, since that takes long. @param length once it is inflated, checked */
export async function decompress(block: Buffer, length: number): Promise<Buffer> {
  // Only here: few services receive samples, and it is a library of its own that takes 3 MB.
  const { uncompress, uncompressSync } = await import('snappy');
  try {
    return (length <= INFLATED_AT_ONCE ? uncompressSync(block, AS_COPY) : await uncompress(block, AS_COPY)) as Buffer;
  } catch (cause) {
    throw new UnreadableBody('is no block of snappy', { cause });
  }
}

/** Names of the series of version 1: the bytes of their labels, as they are in the body. */
class Names1 implements SeriesNames {
  private readonly starts = places();
  private readonly ends = places();
  /** Of series whose labels are not contiguous. */
  private readonly pieces = new Map<number, Buffer>();
  private piecesBytes = 0;

  constructor(private readonly body: Buffer) {}

  get bytes(): number {
    return 8 * this.starts.length + this.piecesBytes;
  }

  add(start: number, end: number, before: readonly Uint8Array[]): number {
    if (before.length > 0) {
      const whole = Buffer.concat([...before, this.body.subarray(start, end)]);
      this.pieces.set(this.starts.length, whole);
      this.piecesBytes += whole.length;
    }
    this.starts.push(start);
    this.ends.push(end);
    return before.reduce((sum, { length }) => sum + length, end - start);
  }

  keyOf(series: number): string {
    return keyOf(this.labelsOf(series));
  }

  formOf(series: number): string {
    return this.labelsOf(series).toString('latin1');
  }

  hasForm(series: number, form: string): boolean {
    if (this.pieces.has(series)) return false;
    const [start, end] = [this.starts.at(series), this.ends.at(series)];
    return end - start === form.length && this.body.toString('latin1', start, end) === form;
  }

  describe(series: number): SeriesName {
    return checked(() => named1(this.labelsOf(series)));
  }

  private labelsOf(series: number): Buffer {
    return this.pieces.get(series) ?? this.body.subarray(this.starts.at(series), this.ends.at(series));
  }
}

/** @throws UnreadableBody, TooMuchAtOnce */
export const readVersion1 = (body: Buffer): Steps<ReceivedSamples> => reading(version1(body));

function* version1(body: Buffer): Steps<ReceivedSamples> {
  const names = new Names1(body);
  const received = new ReceivedSamples(names);
  const reader = Reader.create(body);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === field(1, BYTES)) yield* readSeries1(reader, body, received, names);
    else if (tag === field(3, BYTES)) readMetadata(reader, received);
    else skip(reader, tag);
    if (received.part()) yield;
  }
  return received;
}

function* readSeries1(reader: Reader, body: Buffer, received: ReceivedSamples, names: Names1): Steps<void> {
  received.beginSeries();
  const end = endOf(reader);
  const from = received.samples;
  // All known senders write labels in a row, before everything else; the format does not require it.
  let [first, last] = [0, -1];
  const before: Uint8Array[] = [];
  while (reader.pos < end) {
    const at = reader.pos;
    const tag = reader.uint32();
    if (tag === field(1, BYTES)) {
      reader.skip(reader.uint32());
      if (last !== at) {
        if (last !== -1 && before.length < MAX_LABELS_READ) before.push(body.subarray(first, last));
        first = at;
      }
      last = reader.pos;
    } else if (tag === field(2, BYTES)) readSample(reader, received);
    else if (tag === field(3, BYTES)) {
      received.exemplars++;
      skip(reader, tag);
    } else if (tag === field(4, BYTES)) {
      received.histograms++;
      skip(reader, tag);
    } else skip(reader, tag);
    if (received.part()) yield;
  }
  closed(reader, end);
  if (received.samples > from) received.endSeries(names.add(first, Math.max(first, last), before));
}

/** The type of a metric, by the name of its family. Prometheus sends it separately from the samples. */
function readMetadata(reader: Reader, received: ReceivedSamples): void {
  const end = endOf(reader);
  let kind: ReportedKind;
  let name = '';
  eachField(reader, end, (tag) => {
    if (tag === field(1, VARINT)) kind = KINDS[reader.uint32()];
    else if (tag === field(2, BYTES)) name = shortText(reader);
    else skip(reader, tag);
  });
  if (kind !== undefined && received.kinds.size < MAX_KINDS) received.kinds.set(name, kind);
}

/** Fields 1 and 2 of both versions. */
function readSample(reader: Reader, received: ReceivedSamples): void {
  const end = endOf(reader);
  let [value, milliseconds] = [0, 0];
  eachField(reader, end, (tag) => {
    if (tag === field(1, DOUBLE)) value = reader.double();
    else if (tag === field(2, VARINT)) milliseconds = toNumber(reader.int64());
    else skip(reader, tag);
  });
  received.addSample(milliseconds, value);
}

/** Reads the few fields of a small message at once. */
function eachField(reader: Reader, end: number, read: (tag: number) => void): void {
  for (let fields = 0; reader.pos < end; fields++) {
    if (fields === MAX_FIELDS) throw new TooMuchAtOnce(`a message of more than ${MAX_FIELDS} fields`);
    read(reader.uint32());
  }
  closed(reader, end);
}

/** A text that is too long to be stored becomes one that cannot be stored either. */
function shortText(reader: Reader): string {
  const at = reader.pos;
  const length = reader.uint32();
  if (length > MAX_TEXT) {
    reader.skip(length);
    return '\0';
  }
  reader.pos = at;
  return reader.string();
}

/** @param bytes of labels as they were in their series: each with its tag and length */
function named1(bytes: Uint8Array): SeriesName {
  const reader = Reader.create(bytes);
  const labels = new LabelSet();
  while (reader.pos < reader.len) {
    reader.uint32();
    let [name, value] = ['', ''];
    eachField(reader, endOf(reader), (tag) => {
      if (tag === field(1, BYTES)) name = shortText(reader);
      else if (tag === field(2, BYTES)) value = shortText(reader);
      else skip(reader, tag);
    });
    labels.add(name, value);
  }
  return labels.named(undefined);
}

/** Names of the series of version 2: each text occurs once in a request, and labels are indexes. */
class Names2 implements SeriesNames {
  readonly symbols: string[] = [];
  private characters = 0;
  private readonly references = places();
  private readonly ends = places();
  private readonly kinds = places();

  get bytes(): number {
    return this.characters + 32 * this.symbols.length + 4 * this.references.length + 8 * this.ends.length;
  }

  addSymbol(symbol: string): void {
    if (this.symbols.length === MAX_SYMBOLS) throw new TooMuchAtOnce(`more than ${MAX_SYMBOLS} symbols`);
    this.symbols.push(symbol);
    this.characters += symbol.length;
  }

  /** @returns characters of its labels */
  add(references: readonly number[], kind: number): number {
    let characters = 0;
    for (const reference of references) {
      this.references.push(reference);
      characters += (this.symbols[reference]?.length ?? 0) + 1;
    }
    this.ends.push(this.references.length);
    this.kinds.push(kind);
    return characters;
  }

  keyOf(series: number): string {
    return keyOf(JSON.stringify([this.textsOf(series), this.kinds.at(series)]));
  }

  describe(series: number): SeriesName {
    return named2(this.textsOf(series), KINDS[this.kinds.at(series)]);
  }

  private textsOf(series: number): (string | undefined)[] {
    const texts: (string | undefined)[] = [];
    for (let at = series === 0 ? 0 : this.ends.at(series - 1); at < this.ends.at(series); at++)
      texts.push(this.symbols[this.references.at(at)]);
    return texts;
  }
}

/** @throws UnreadableBody, TooMuchAtOnce */
export const readVersion2 = (body: Buffer): Steps<ReceivedSamples> => reading(version2(body));

function* version2(body: Buffer): Steps<ReceivedSamples> {
  const names = new Names2();
  const received = new ReceivedSamples(names);
  yield* readSymbols(body, received, names);
  const reader = Reader.create(body);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === field(5, BYTES)) yield* readSeries2(reader, received, names);
    else skip(reader, tag);
    if (received.part()) yield;
  }
  return received;
}

function* readSymbols(body: Buffer, received: ReceivedSamples, names: Names2): Steps<void> {
  const reader = Reader.create(body);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === field(4, BYTES)) names.addSymbol(shortText(reader));
    else skip(reader, tag);
    if (received.part()) yield;
  }
  // Required by the specification: a reference of 0 means nothing.
  if (names.symbols.length > 0 && names.symbols[0] !== '')
    throw new UnreadableBody('has a first symbol that is not empty');
}

/** The types of both versions with one value per sample. */
const KINDS: Readonly<Record<number, ReportedKind>> = { 1: 'counter', 2: 'gauge' };

function* readSeries2(reader: Reader, received: ReceivedSamples, names: Names2): Steps<void> {
  received.beginSeries();
  const end = endOf(reader);
  const from = received.samples;
  const references: number[] = [];
  const refer = (): void => {
    const reference = reader.uint32();
    if (references.length < 2 * MAX_LABELS_READ) references.push(reference);
  };
  let kind = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === field(1, BYTES)) {
      const last = endOf(reader);
      while (reader.pos < last) {
        refer();
        if (received.part()) yield;
      }
      closed(reader, last);
    } else if (tag === field(1, VARINT)) refer();
    else if (tag === field(2, BYTES)) readSample(reader, received);
    else if (tag === field(3, BYTES)) {
      received.histograms++;
      skip(reader, tag);
    } else if (tag === field(4, BYTES)) {
      received.exemplars++;
      skip(reader, tag);
    } else if (tag === field(5, BYTES)) kind = readKind(reader);
    else skip(reader, tag);
    if (received.part()) yield;
  }
  closed(reader, end);
  if (received.samples > from) received.endSeries(names.add(references, kind));
}

function readKind(reader: Reader): number {
  let kind = 0;
  eachField(reader, endOf(reader), (tag) => {
    if (tag === field(1, VARINT)) kind = reader.uint32();
    else skip(reader, tag);
  });
  return kind;
}

function named2(texts: readonly (string | undefined)[], kind: ReportedKind): SeriesName {
  if (texts.length % 2 !== 0) throw new MalformedSeries('has a label without a value');
  const labels = new LabelSet();
  for (let place = 0; place < texts.length; place += 2) {
    const [name, value] = [texts[place], texts[place + 1]];
    if (name === undefined || value === undefined) throw new MalformedSeries('refers to a symbol that is not there');
    labels.add(name, value);
  }
  return labels.named(kind);
}

const METRIC_NAME = '__name__';

/** Labels in Prometheus' form: the metric's own name is one of them. */
class LabelSet {
  private readonly labels = new Map<string, string>();

  add(name: string, value: string): void {
    if (name === '') throw new MalformedSeries('has a label without a name');
    if (this.labels.has(name)) throw new MalformedSeries('has a label twice');
    if (this.labels.size === MAX_LABELS_READ) throw new TooManyLabels();
    this.labels.set(name, value);
  }

  named(kind: ReportedKind): SeriesName {
    const name = this.labels.get(METRIC_NAME);
    if (name === undefined || name === '') throw new MalformedSeries('has no name');
    this.labels.delete(METRIC_NAME);
    return { name, labels: this.labels, kind };
  }
}

function endOf(reader: Reader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new UnreadableBody('ends too early');
  return end;
}

/** A message that reads past its own end is invalid. */
function closed(reader: Reader, end: number): void {
  if (reader.pos !== end) throw new UnreadableBody('holds a message that does not end where it says');
}

const skip = (reader: Reader, tag: number): void => void reader.skipType(tag & 7, 0, tag >>> 3);

function* reading<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (cause) {
    throw faultOf(cause);
  }
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw faultOf(cause);
  }
}

/** Any error of the reader about the bytes is the sender's error. */
function faultOf(cause: unknown): Error {
  const known = [UnreadableBody, TooMuchAtOnce, MalformedSeries, TooManyLabels];
  if (known.some((fault) => cause instanceof fault)) return cause as Error;
  return new UnreadableBody('is no message of its protocol', { cause });
}
