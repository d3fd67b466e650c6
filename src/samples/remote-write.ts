import { Reader } from 'protobufjs/minimal';
import { uncompress } from 'snappy';
import type { ToldKind } from './sample-mapping';
import { keyOf, MalformedSeries, TooMuchAtOnce, ToldSamples, UnreadableBody, type SeriesName } from './told-samples';
import { toNumber } from './wire-integers';

/** A tag of the wire: number and wire type of a field. */
const field = (number: number, wireType: 0 | 1 | 2): number => (number << 3) | wireType;
const VARINT = 0;
const DOUBLE = 1;
const BYTES = 2;

/** Texts of one request of version 2. */
const MAX_SYMBOLS = 500_000;

/**
 * The length that a block of snappy will have, as its own first bytes say; the decompressor allocates it before it looks further.
 * @returns undefined where they say none
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

/** Off the main thread: the largest body takes a while. @param block whose length was looked at */
export async function decompress(block: Buffer): Promise<Buffer> {
  try {
    return (await uncompress(block, { asBuffer: true, copyOutputData: true })) as Buffer;
  } catch (cause) {
    throw new UnreadableBody('is no block of snappy', { cause });
  }
}

/** @throws UnreadableBody, TooMuchAtOnce */
export function readVersion1(body: Buffer): ToldSamples {
  return reading(() => {
    const told = new ToldSamples();
    const reader = Reader.create(body);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === field(1, BYTES)) readSeries1(reader, body, told);
      else skip(reader, tag);
    }
    return told;
  });
}

function readSeries1(reader: Reader, body: Buffer, told: ToldSamples): void {
  const end = endOf(reader);
  const from = told.count;
  // Labels come in a row, before all else, from every sender there is; they need not.
  let [first, last] = [-1, -1];
  const apart: Uint8Array[] = [];
  while (reader.pos < end) {
    const at = reader.pos;
    const tag = reader.uint32();
    if (tag === field(1, BYTES)) {
      reader.skip(reader.uint32());
      if (last !== at && first !== -1) {
        apart.push(body.subarray(first, last));
        first = at;
      }
      if (first === -1) first = at;
      last = reader.pos;
    } else if (tag === field(2, BYTES)) readSample(reader, told);
    else if (tag === field(3, BYTES)) {
      told.exemplars++;
      skip(reader, tag);
    } else if (tag === field(4, BYTES)) {
      told.histograms++;
      skip(reader, tag);
    } else skip(reader, tag);
  }
  closed(reader, end);
  const run = first === -1 ? body.subarray(0, 0) : body.subarray(first, last);
  const labels = apart.length === 0 ? run : Buffer.concat([...apart, run]);
  if (told.count > from)
    told.addSeries({ key: keyOf(labels), from, to: told.count, describe: () => reading(() => named1(labels)) });
}

/** Fields 1 and 2 of both versions. */
function readSample(reader: Reader, told: ToldSamples): void {
  const end = endOf(reader);
  let [value, milliseconds] = [0, 0];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === field(1, DOUBLE)) value = reader.double();
    else if (tag === field(2, VARINT)) milliseconds = toNumber(reader.int64());
    else skip(reader, tag);
  }
  closed(reader, end);
  told.addSample(milliseconds, value);
}

/** @param bytes of labels as they stood in their series: each with its tag and length */
function named1(bytes: Uint8Array): SeriesName {
  const reader = Reader.create(bytes);
  const labels = new LabelSet();
  while (reader.pos < reader.len) {
    reader.uint32();
    const end = endOf(reader);
    let [name, value] = ['', ''];
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === field(1, BYTES)) name = reader.string();
      else if (tag === field(2, BYTES)) value = reader.string();
      else skip(reader, tag);
    }
    closed(reader, end);
    labels.add(name, value);
  }
  return labels.named(undefined);
}

/** Texts of version 2 stand once in a request, and labels are their numbers. @throws UnreadableBody, TooMuchAtOnce */
export function readVersion2(body: Buffer): ToldSamples {
  return reading(() => {
    const told = new ToldSamples();
    const symbols = readSymbols(body);
    const reader = Reader.create(body);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === field(5, BYTES)) readSeries2(reader, symbols, told);
      else skip(reader, tag);
    }
    return told;
  });
}

function readSymbols(body: Buffer): string[] {
  const reader = Reader.create(body);
  const symbols: string[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === field(4, BYTES)) {
      if (symbols.length === MAX_SYMBOLS) throw new TooMuchAtOnce(`more than ${MAX_SYMBOLS} symbols`);
      symbols.push(reader.string());
    } else skip(reader, tag);
  }
  // The specification's own: so that a reference of 0 is nothing.
  if (symbols.length > 0 && symbols[0] !== '') throw new UnreadableBody('has a first symbol that is not empty');
  return symbols;
}

/** Of the types of OpenMetrics, those that have one value a sample. */
const KINDS: Readonly<Record<number, ToldKind>> = { 1: 'counter', 2: 'gauge' };

function readSeries2(reader: Reader, symbols: readonly string[], told: ToldSamples): void {
  const end = endOf(reader);
  const from = told.count;
  const references: number[] = [];
  let kind: ToldKind;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === field(1, BYTES)) {
      const last = endOf(reader);
      while (reader.pos < last) references.push(reader.uint32());
      closed(reader, last);
    } else if (tag === field(1, VARINT)) references.push(reader.uint32());
    else if (tag === field(2, BYTES)) readSample(reader, told);
    else if (tag === field(3, BYTES)) {
      told.histograms++;
      skip(reader, tag);
    } else if (tag === field(4, BYTES)) {
      told.exemplars++;
      skip(reader, tag);
    } else if (tag === field(5, BYTES)) kind = readKind(reader);
    else skip(reader, tag);
  }
  closed(reader, end);
  if (told.count === from) return;
  const texts = references.map((reference) => symbols[reference]);
  told.takeLabels(texts.reduce((sum, text = '') => sum + text.length + 1, 0));
  told.addSeries({
    key: keyOf(JSON.stringify([texts, kind])),
    from,
    to: told.count,
    describe: () => named2(texts, kind),
  });
}

function readKind(reader: Reader): ToldKind {
  const end = endOf(reader);
  let kind: ToldKind;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === field(1, VARINT)) kind = KINDS[reader.uint32()];
    else skip(reader, tag);
  }
  closed(reader, end);
  return kind;
}

function named2(texts: readonly (string | undefined)[], kind: ToldKind): SeriesName {
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

/** Labels as Prometheus tells them: the metric's own name is one of them. */
class LabelSet {
  private readonly labels = new Map<string, string>();

  add(name: string, value: string): void {
    if (name === '') throw new MalformedSeries('has a label without a name');
    if (this.labels.has(name)) throw new MalformedSeries('has a label twice');
    this.labels.set(name, value);
  }

  named(kind: ToldKind): SeriesName {
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

/** A message that reads on behind its own end is none. */
function closed(reader: Reader, end: number): void {
  if (reader.pos !== end) throw new UnreadableBody('holds a message that does not end where it says');
}

const skip = (reader: Reader, tag: number): void => void reader.skipType(tag & 7, 0, tag >>> 3);

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof UnreadableBody || cause instanceof TooMuchAtOnce || cause instanceof MalformedSeries)
      throw cause;
    throw new UnreadableBody('is no message of its protocol', { cause });
  }
}
