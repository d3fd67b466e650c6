import * as fc from 'fast-check';

/** A JSON text, and all the ways to write it. */
export const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const oneOfAsMany = <T>(...values: T[]) => fc.constantFrom(...values);
const numberText = fc.oneof(
  oneOfAsMany('0', '-0', '1e400', '-1E+5', '0.1000', '-1.5e-7', '12345678901234567890', '0.30000000000000004', '1.0'),
  fc.integer().map(String),
);
/** Each character literally, or escaped in one of two ways. */
const quoted = (text: string, ways: readonly number[]): string =>
  `"${[...text]
    .map((character, place) => {
      const way = ways[place % Math.max(ways.length, 1)] ?? 0;
      const escaped = [...Array(character.length).keys()]
        .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
        .join('');
      return way === 1
        ? escaped
        : way === 2
          ? escaped.toUpperCase().replaceAll('\\U', '\\u')
          : JSON.stringify(character).slice(1, -1);
    })
    .join('')}"`;
const ways = fc.array(fc.nat({ max: 2 }), { maxLength: 4 });
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  oneOfAsMany('', '"', '\\', '\\"', '\\\\"}', '{', '}', '[', ']', ',', ':', '","model":"', '\u2028', '😀', '__proto__'),
);
const stringText = fc.tuple(anyText, ways).map(([text, how]) => quoted(text, how));
export const names = fc.oneof(
  oneOfAsMany('model', 'stream_options', 'messages', 'a', '__proto__', 'constructor', ''),
  anyText,
);

export interface Written {
  readonly name: string;
  /** The text up to its value, and the value. */
  readonly head: string;
  readonly value: string;
  readonly tail: string;
}
export const written = (names: fc.Arbitrary<string>) =>
  fc.letrec<{ value: string; members: Written[] }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      oneOfAsMany('true', 'false', 'null'),
      numberText,
      stringText,
      fc
        .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }))
        .map(([empty, items]) => `[${items.length === 0 ? empty : items.map((item) => item.join('')).join(',')}]`),
      fc.tuple(space, tie('members')).map(([empty, members]) => `{${joined(members) || empty}}`),
    ),
    members: fc.array(
      fc
        .record({ name: names, how: ways, spaces: fc.tuple(space, space, space, space), value: tie('value') })
        .map(({ name, how, spaces: [before, behind, ahead, tail], value }) => ({
          name,
          head: `${before}${quoted(name, how)}${behind}:${ahead}`,
          value,
          tail,
        })),
      { maxLength: 5 },
    ),
  }));
export const joined = (members: readonly Written[]): string =>
  members.map(({ head, value, tail }) => head + value + tail).join(',');
