import { Int, Json, ListOf, Obj, OneOf, Str, Strings, Time, Uuid } from '../common/fields';
import { parseJson } from '../common/json';
import type { Problem } from '../common/problem';
import { ValidationPipe } from './validation.pipe';

class Inner {
  @Str()
  name!: string;

  @Int({ optional: true, format: 'int32', min: 0 })
  size?: number;
}

class Base {
  @Json({ optional: true })
  anything?: unknown;
}

class Body extends Base {
  @Str({ optional: true, min: 2, max: 4 })
  text?: string;

  @Str({ optional: true, nullable: true })
  nullable?: string | null;

  @Int({ optional: true })
  count?: number;

  @Uuid({ optional: true })
  id?: string;

  @Time({ optional: true })
  at?: string;

  @OneOf(['a', 'b'], { optional: true })
  choice?: string;

  @Strings({ optional: true, maxItems: 2, maxLength: 3 })
  words?: string[];

  @Obj(() => Inner, { optional: true })
  inner?: Inner;

  @ListOf(() => Inner, { optional: true, maxItems: 2 })
  list?: Inner[];

  @Json({ optional: true, maxBytes: 10 })
  small?: unknown;
}

class Query {
  @Int({ query: true, optional: true, min: 1, max: 100 })
  limit?: number;

  @Int({ query: true, optional: true, min: 0 })
  offset?: number;
}

const pipe = new ValidationPipe();
const faults = (value: unknown, metatype: new () => object = Body, type: 'body' | 'query' = 'body'): string[] => {
  try {
    pipe.transform(value, { type, metatype });
    return [];
  } catch (problem) {
    return ((problem as Problem).errors ?? []).map(({ field, message }) => `${field} ${message}`);
  }
};

describe('a body and a query', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ text: 'abc' }, []],
    [{ text: 'a' }, ['text must have at least 2 characters']],
    [{ text: 'abcde' }, ['text must have at most 4 characters']],
    [{ text: null }, ['text must not be null']],
    [{ text: 'a\0b' }, ['text must not contain the character U+0000']],
    [{ nullable: null }, []],
    [{ count: Number.MAX_SAFE_INTEGER }, []],
    [{ count: 2 ** 53 }, ['count must be an integer that a double holds exactly (up to 2^53-1)']],
    [{ count: parseJson('9007199254740993') }, ['count must be an integer that a double holds exactly (up to 2^53-1)']],
    [{ count: '7' }, ['count must be an integer that a double holds exactly (up to 2^53-1)']],
    [{ id: 'x' }, ['id must be a UUID']],
    [{ at: 'now' }, ['at must be a date-time as in RFC 3339']],
    [{ choice: 'c' }, ['choice must be one of a, b']],
    [{ choice: ['a'] }, ['choice must be one of a, b']],
    [{ words: ['abc', 'de'] }, []],
    [{ words: ['a', 'b', 'c'] }, ['words must hold at most 2 elements']],
    [{ words: ['abcd'] }, ['words [0] must be a string of at most 3 characters']],
    [{ words: 'abc' }, ['words must be an array']],
    [{ inner: { name: 'x' } }, []],
    [{ inner: {} }, ['inner.name is required']],
    [{ inner: [] }, ['inner must be an object']],
    [{ inner: 'x' }, ['inner must be an object']],
    [{ inner: { name: 'x', size: 2 ** 31 } }, ['inner.size must be at most 2147483647']],
    [{ inner: { name: 'x', other: 1 } }, ['inner.other is not a member of this body']],
    [{ list: [{ name: 'x' }, { name: 1 }] }, ['list[1].name must be a string']],
    [{ list: [{ name: 'x', toString: 1 }] }, ['list[0].toString is not a member of this body']],
    [{ list: [null] }, ['list [0] must be an object']],
    [{ list: [{ name: 'x' }, [{ name: 'x' }]] }, ['list [1] must be an object']],
    [{ list: [{ name: 'x' }, 'x'] }, ['list [1] must be an object']],
    [{ list: [{ name: 'x' }, { name: 'x' }, { name: 'x' }] }, ['list must hold at most 2 elements']],
    [{ list: { 0: { name: 'x' } } }, ['list must be an array']],
    [{ small: '12345678' }, []],
    [{ small: '123456789' }, ['small must be at most 10 bytes of JSON']],
    [{ small: 'ééééé' }, ['small must be at most 10 bytes of JSON']],
    [{ other: 1, text: 'a' }, ['text must have at least 2 characters', 'other is not a member of this body']],
  ])('are judged field by field: %j', (value, expected) => {
    expect(faults(value).sort()).toEqual(expected.sort());
  });

  it('keep a member of any type as it came, inherited ones too', () => {
    const anything = parseJson('{"__proto__":{"a":1},"big":12345678901234567890,"toString":null}');
    const made = pipe.transform({ anything }, { type: 'body', metatype: Body }) as Body;
    expect(made).toBeInstanceOf(Body);
    expect(made.anything).toBe(anything);
  });

  it.each<[string, number | string]>([
    ['1', 1],
    ['100', 100],
    ['101', 100],
    ['99999999999999999999999', 100],
    ['0', 'limit must be at least 1'],
    ['-5', 'limit must be at least 1'],
    ['ten', 'limit must be an integer that a double holds exactly (up to 2^53-1)'],
    ['1.0', 'limit must be an integer that a double holds exactly (up to 2^53-1)'],
  ])('convert and clamp limit=%s of a query', (limit, expected) => {
    if (typeof expected === 'string') expect(faults({ limit }, Query, 'query')).toEqual([expected]);
    else
      expect(pipe.transform({ limit, unknown: 'x' }, { type: 'query', metatype: Query })).toEqual({ limit: expected });
  });
});
