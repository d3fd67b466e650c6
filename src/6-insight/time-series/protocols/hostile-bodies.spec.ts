import { stepsAtOnce } from '../../../1-platform/common/work/slices';
import fc from 'fast-check';
import { Writer } from 'protobufjs/minimal';
import { readJson, readProtobuf } from './otlp-message';
import { samplesOf } from './otlp';
import { readVersion1, readVersion2, uncompressedLength } from './remote-write';
import {
  MalformedSeries,
  TooManyLabels,
  TooMuchAtOnce,
  UnreadableBody,
  type ReceivedSamples,
} from './received-samples';
import { inForm } from '../../../../test/support/form';

/** A message-like body: fields with the numbers that are read, of any type and any content, nested. */
const message = fc.letrec<{ message: Buffer }>((tie) => ({
  message: fc
    .array(
      fc.record({
        field: fc.integer({ min: 1, max: 12 }),
        content: fc.oneof(
          { depthSize: 'small' },
          fc.double(),
          fc.maxSafeInteger(),
          fc.uint8Array({ maxLength: 12 }),
          tie('message'),
        ),
      }),
      { maxLength: 6 },
    )
    .map((fields) => {
      const writer = Writer.create();
      for (const { field, content } of fields) {
        if (content instanceof Uint8Array) writer.uint32((field << 3) | 2).bytes(content);
        else if (Number.isSafeInteger(content)) writer.uint32(field << 3).int64(content);
        else writer.uint32((field << 3) | 1).double(content);
      }
      return Buffer.from(writer.finish());
    }),
})).message;

const bytes = fc.oneof(
  message,
  fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
  fc.tuple(message, fc.nat(60)).map(([whole, end]) => whole.subarray(0, end)),
);

const FAULTS = [UnreadableBody, TooMuchAtOnce, MalformedSeries, TooManyLabels];

/** Any body is read, or refused with a client error. */
function isHeld(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!FAULTS.some((fault) => error instanceof fault)) throw error;
  }
}

function describeAll(received: ReceivedSamples): void {
  for (let series = 0; series < received.series; series++) {
    expect(received.names.keyOf(series)).toEqual(expect.any(String));
    isHeld(() => received.describe(series));
  }
}

describe('a random body', () => {
  it.each([
    ['remote-write 1.0', readVersion1],
    ['remote-write 2.0', readVersion2],
    ['OTLP', (body: Buffer) => samplesOf(readProtobuf(body))],
  ])('is read as %s, or refused', (_protocol, read) => {
    fc.assert(
      fc.property(bytes, (body) => {
        isHeld(() => describeAll(stepsAtOnce(read(body))));
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });

  it('is read as OTLP in JSON, or refused', async () => {
    // Three show what a hundred do, and are built in a tenth of the time.
    const list = <T>(element: fc.Arbitrary<T>) => fc.array(element, { maxLength: 3 });
    const point = fc.record({
      attributes: fc.jsonValue(),
      timeUnixNano: fc.jsonValue(),
      asDouble: fc.jsonValue(),
      flags: fc.jsonValue(),
    });
    const metric = fc.record({
      name: fc.jsonValue(),
      gauge: fc.oneof(fc.jsonValue(), fc.record({ dataPoints: list(point) })),
      sum: fc.jsonValue(),
    });
    const body = fc.record({
      resourceMetrics: fc.oneof(
        fc.jsonValue(),
        list(
          fc.record({
            resource: fc.jsonValue(),
            scopeMetrics: fc.array(fc.record({ scope: fc.jsonValue(), metrics: list(metric) })),
          }),
        ),
      ),
    });
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        const request = await readJson(Buffer.from(JSON.stringify(value)));
        isHeld(() => describeAll(stepsAtOnce(samplesOf(request))));
      }),
      { numRuns: inForm(125, 1_000) },
    );
  }, 300_000);

  describe('whose labels are many times as long as it is, when written out,', () => {
    const long = 'x'.repeat(4_000);

    it('is refused as remote-write 2.0: a symbol that series refer to again and again', () => {
      const writer = Writer.create();
      for (const symbol of ['', '__name__', long]) writer.uint32(34).string(symbol);
      const series = [1, ...Array.from({ length: 1_999 }, () => 2)];
      for (let i = 0; i < 9; i++) {
        writer.uint32(42).fork().uint32(10).fork();
        for (const reference of series) writer.uint32(reference);
        writer.ldelim().uint32(18).fork().ldelim().ldelim();
      }
      expect(() => stepsAtOnce(readVersion2(Buffer.from(writer.finish())))).toThrow(TooMuchAtOnce);
    });

    it('is refused as OTLP: an attribute of the resource of many points', () => {
      const gauge = { dataPoints: Array.from({ length: 100 }, () => ({ asInt: 1 })) };
      const attributes = Array.from({ length: 500 }, (_, n) => ({ key: `a${n}`, value: { stringValue: long } }));
      const resource = { attributes };
      const request = { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [{ name: 'system.x', gauge }] }] }] };
      expect(() => stepsAtOnce(samplesOf(request))).toThrow(TooMuchAtOnce);
    });
  });

  it('states the uncompressed length of a snappy block', () => {
    expect(uncompressedLength(Buffer.from([0]))).toBe(0);
    expect(uncompressedLength(Buffer.from([0xfe, 0xff, 0x7f]))).toBe(2_097_150);
    expect(uncompressedLength(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]))).toBe(2 ** 32 - 1);
    for (const none of [[], [0x80], [0xff, 0xff, 0xff, 0xff, 0x7f], [0x80, 0x80, 0x80, 0x80, 0x80, 0]])
      expect(uncompressedLength(Buffer.from(none))).toBeUndefined();
  });
});
