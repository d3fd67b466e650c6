import { Int, Json, ListOf, Obj, OneOf, Str, Strings, Time, Uuid, Variant } from '../../common/fields/fields';
import { parseJson } from '../../common/json/json';
import type { Problem } from '../../common/answers/problem';
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

  @Strings({ optional: true, maxItems: 3, unique: true })
  names?: string[];

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
    [{ words: ['a', 'a'] }, []],
    [{ names: ['a', 'A', ''] }, []],
    [{ names: ['a', 'b', 'a'] }, ['names [2] stands twice']],
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
  ])('are validated field by field: %j', (value, expected) => {
    expect(faults(value).sort()).toEqual(expected.sort());
  });

  it('keep a member of any type as received, with inherited names too', () => {
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

class Circle {
  @OneOf(['circle'])
  type!: 'circle';

  @Int({ min: 1 })
  radius!: number;
}

class Label {
  @OneOf(['label'])
  type!: 'label';

  @Obj(() => Inner)
  inner!: Inner;
}

class Drawing {
  @Variant({ circle: Circle, label: Label })
  shape!: Circle | Label;

  @Variant({ circle: Circle }, { optional: true, nullable: true })
  frame?: Circle | null;
}

describe('a member of one of several classes', () => {
  const circle = { type: 'circle', radius: 1 };

  it('becomes an instance of the class of its type, nested objects too', () => {
    const make = (value: unknown) => pipe.transform(value, { type: 'body', metatype: Drawing }) as Drawing;
    expect(make({ shape: circle }).shape).toBeInstanceOf(Circle);
    const { shape } = make({ shape: { type: 'label', inner: { name: 'x' } } });
    expect(shape).toBeInstanceOf(Label);
    expect((shape as Label).inner).toBeInstanceOf(Inner);
    expect(make({ shape: circle, frame: null })).toEqual({ shape: circle, frame: null });
    expect(Object.keys(make({ shape: circle }))).toEqual(['shape']);
  });

  it.each<[unknown, string[]]>([
    [{}, ['shape is required']],
    [{ shape: null }, ['shape must not be null']],
    [{ shape: 'circle' }, ['shape must be an object']],
    [{ shape: [circle] }, ['shape must be an object']],
    [{ shape: {} }, ['shape type must be one of circle, label']],
    [{ shape: { type: 'square', side: 1 } }, ['shape type must be one of circle, label']],
    [{ shape: { type: null } }, ['shape type must be one of circle, label']],
    [{ shape: { type: ['circle'], radius: 1 } }, ['shape type must be one of circle, label']],
    [{ shape: { type: 'constructor' } }, ['shape type must be one of circle, label']],
    [{ shape: { type: '__proto__' } }, ['shape type must be one of circle, label']],
    [{ shape: { type: 'circle' } }, ['shape.radius is required']],
    [{ shape: { type: 'circle', radius: 0 } }, ['shape.radius must be at least 1']],
    [{ shape: { ...circle, inner: { name: 'x' } } }, ['shape.inner is not a member of this body']],
    [{ shape: { ...circle, toString: 1 } }, ['shape.toString is not a member of this body']],
    [{ shape: { type: 'label', inner: {} } }, ['shape.inner.name is required']],
    [{ shape: { type: 'label', inner: { name: 'x', y: 1 } } }, ['shape.inner.y is not a member of this body']],
    [{ shape: circle, frame: { type: 'label', inner: { name: 'x' } } }, ['frame type must be one of circle']],
  ])('is refused with its fault: %j', (value, expected) => {
    expect(faults(value, Drawing)).toEqual(expected);
  });
});
