import { parseJson, type JsonObject } from '../../1-platform/common/json/json';
import type { Problem } from '../../1-platform/common/answers/problem';
import { Anything, Flag, Integer, Integers, MAX_OBJECT_BYTES, Part, readDaemonObject, Text } from './daemon-object';

class Inner {
  @Integer()
  Count?: number;
}

class Outer {
  @Text({ always: true, max: 5 })
  Name!: string;

  @Integer()
  Size?: number;

  @Flag()
  On?: boolean;

  @Integers()
  Ids?: number[];

  @Part(() => Inner)
  Inner?: Inner;

  @Anything()
  More?: unknown;
}

class Extended extends Outer {
  @Integer({ always: true })
  override Size!: number;

  @Flag({ always: true })
  Off!: boolean;
}

const read = (body: unknown, type: new () => Outer = Outer): JsonObject =>
  readDaemonObject(type, body) as unknown as JsonObject;
const faults = (body: unknown, type?: new () => Outer): string[] => {
  try {
    read(body, type);
    return [];
  } catch (problem) {
    return ((problem as Problem).errors ?? []).map(({ field, message }) => `${field} ${message}`);
  }
};

const ROUNDED = 'must be an integer that a double holds exactly (up to 2^53-1)';

describe('an object of a daemon', () => {
  it('is stored as received, in its order', () => {
    const body = {
      Inner: { x: null, Count: 2 },
      Zebra: [1, { a: '' }],
      Name: 'a',
      On: false,
      Size: 0,
      Ids: [],
      More: 0,
    };
    expect(JSON.stringify(read(body))).toBe(JSON.stringify(body));
  });

  it('gets zeros for required members, and for no others', () => {
    expect(read({})).toEqual({ Name: '' });
    expect(read({}, Extended)).toEqual({ Name: '', Size: 0, Off: false });
    expect(read({ Name: 'a', Size: 3, Off: true }, Extended)).toEqual({ Name: 'a', Size: 3, Off: true });
  });

  it('treats null in a known member as missing, at every level, and keeps it elsewhere', () => {
    const body = { Name: null, Size: null, On: null, Ids: null, Inner: { Count: null, x: null }, More: null, y: null };
    expect(read(body)).toEqual({ Name: '', Inner: { x: null }, More: null, y: null });
    expect(read({ Name: 'a', Inner: null })).toEqual({ Name: 'a' });
  });

  it.each<[unknown, string]>([
    [{ Name: 1 }, 'Name must be a string'],
    [{ Name: ['a'] }, 'Name must be a string'],
    [{ Name: '123456' }, 'Name must have at most 5 characters'],
    [{ Size: '1' }, `Size ${ROUNDED}`],
    [{ Size: 1.5 }, `Size ${ROUNDED}`],
    [{ Size: true }, `Size ${ROUNDED}`],
    [{ Size: 2 ** 53 }, `Size ${ROUNDED}`],
    [parseJson('{"Size":9007199254740993}'), `Size ${ROUNDED}`],
    [{ On: 0 }, 'On must be true or false'],
    [{ On: 'true' }, 'On must be true or false'],
    [{ Ids: 1 }, 'Ids must be an array'],
    [{ Ids: {} }, 'Ids must be an array'],
    [{ Ids: [0, null] }, `Ids[1] ${ROUNDED}`],
    [{ Ids: [0, 1, '2'] }, `Ids[2] ${ROUNDED}`],
    [{ Inner: [] }, 'Inner must be an object'],
    [{ Inner: '' }, 'Inner must be an object'],
    [parseJson('{"Inner":18446744073709551615}'), 'Inner must be an object'],
    [{ Inner: { Count: '' } }, `Inner.Count ${ROUNDED}`],
    [undefined, 'body is required'],
    [null, 'body is required'],
    [[], 'body must be a JSON object'],
    ['x', 'body must be a JSON object'],
    [parseJson('18446744073709551615'), 'body must be a JSON object'],
  ])('is refused as %j', (body, fault) => {
    expect(faults(body)).toEqual([fault]);
  });

  it('is refused with every fault', () => {
    expect(faults({ Name: 1, Inner: { Count: [] }, Size: {} })).toEqual([
      'Name must be a string',
      `Inner.Count ${ROUNDED}`,
      `Size ${ROUNDED}`,
    ]);
  });

  it('has the members of the class that its own extends', () => {
    expect(faults({ Name: 1, Off: 1 }, Extended)).toEqual(['Name must be a string', 'Off must be true or false']);
    expect(faults({ Off: 1 })).toEqual([]);
  });

  it('accepts the limits of what a double holds exactly', () => {
    const body = { Name: '', Size: Number.MAX_SAFE_INTEGER, Ids: [-Number.MAX_SAFE_INTEGER, 0] };
    expect(read(body)).toEqual(body);
  });

  it("keeps members with the names of every object's properties", () => {
    const text = '{"Name":"","__proto__":{"a":1},"constructor":2,"Inner":{"__proto__":3,"toString":4}}';
    expect(JSON.stringify(read(JSON.parse(text)))).toBe(text);
  });

  it('keeps the digits of unknown members', () => {
    const text = '{"Name":"","big":123456789012345678901,"Inner":{"fine":0.1234567890123456789},"More":[1e999]}';
    expect(JSON.stringify(read(parseJson(text)))).toBe(text);
  });

  it('has at most 256 KiB, in bytes', () => {
    const of = (length: number) => ({ Name: '', more: 'é'.repeat(length) });
    const most = (MAX_OBJECT_BYTES - JSON.stringify(of(0)).length) / 2;
    expect(faults(of(Math.floor(most)))).toEqual([]);
    expect(faults(of(Math.floor(most) + 1))).toEqual(['body must be at most 262144 bytes of JSON']);
  });
});
