import * as fc from 'fast-check';
import { stepsAtOnce } from '../../../1-platform/common/work/slices';
import { edited, JsonScan, membersOf, replacements } from './json-scan';
import { joined, names, space, written } from '../../../../test/support/json-texts';
import { inForm } from '../../../../test/support/form';

function withMembers(text: string, changed: ReadonlyMap<string, string>): string {
  const bytes = Buffer.from(text);
  const object = stepsAtOnce(membersOf(bytes, new Set(changed.keys())));
  if (typeof object === 'string') throw new Error(object);
  return edited(bytes, replacements(object, changed)).toString();
}

/** An object, and members to replace or to append. */
const objectsAndChanges = (names: fc.Arbitrary<string>) => {
  const { value, members } = written(names);
  return {
    objects: fc.record({ before: space, members, empty: space, behind: space }),
    changes: fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, maxLength: 3 }),
  };
};

describe('an object with replaced members', () => {
  it('is byte for byte the same everywhere else', () => {
    const { objects, changes } = objectsAndChanges(names);
    fc.assert(
      fc.property(objects, changes, ({ before, members, empty, behind }, changed) => {
        const wanted = new Map(changed);
        const text = `${before}{${joined(members) || empty}}${behind}`;
        const replaced = members.map((member) => ({ ...member, value: wanted.get(member.name) ?? member.value }));
        const added = changed
          .filter(([name]) => members.every((member) => member.name !== name))
          .map(([name, value]) => `${JSON.stringify(name)}:${value}`);
        const within = [joined(replaced) || empty + added.join(), ...(members.length > 0 ? added : [])].join();
        expect(withMembers(text, wanted)).toBe(`${before}{${within}}${behind}`);
      }),
      { numRuns: inForm(125, 1_000) },
    );
  });

  const sorted = (object: object) =>
    Object.entries(object).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));

  it('has the same meaning, with the replaced members', () => {
    // Node's own JSON.parse (V8 13.6) takes a name with an escape for one that
    // ends with a backslash, once it has read such a one.
    const { objects, changes } = objectsAndChanges(names.filter((name) => !name.includes('\\')));
    fc.assert(
      fc.property(objects, changes, ({ before, members, empty, behind }, changed) => {
        const text = `${before}{${joined(members) || empty}}${behind}`;
        const parsed = JSON.parse(text) as object;
        const others = changed.map(([name, value]) => [name, JSON.parse(value) as unknown] as const);
        const written = JSON.parse(withMembers(text, new Map(changed))) as object;
        expect(sorted(written)).toEqual(sorted({ ...parsed, ...Object.fromEntries(others) }));
      }),
      { numRuns: inForm(125, 1_000) },
    );
  });

  it.each<[text: string, written: string]>([
    ['{"model":"m"}', '{"model":"exact"}'],
    ['{}', '{"model":"exact"}'],
    [' { \n } ', ' { \n "model":"exact"} '],
    ['{"a":1}', '{"a":1,"model":"exact"}'],
    ['{"a":1 , "model" :\t"m" ,"b":[{"model":"m"}]}', '{"a":1 , "model" :\t"exact" ,"b":[{"model":"m"}]}'],
    ['{"model":"a","model":"b"}', '{"model":"exact","model":"exact"}'],
    ['{"\\u006dodel":"m"}', '{"\\u006dodel":"exact"}'],
    ['{"a":"\\"model\\":1","model":{"model":2}}', '{"a":"\\"model\\":1","model":"exact"}'],
    ['{"a":"\\\\","model":null}', '{"a":"\\\\","model":"exact"}'],
    ['{"a":12345678901234567890,"model":-1.5E+3}', '{"a":12345678901234567890,"model":"exact"}'],
  ])('%s becomes %s', (text, written) => {
    expect(withMembers(text, new Map([['model', '"exact"']]))).toBe(written);
  });
});

describe('JSON text that is read from its bytes', () => {
  const PIECES = [
    '',
    ',',
    '[',
    ']',
    '{',
    '}',
    ':',
    '"',
    '0',
    '1',
    '-',
    '.',
    'e',
    '+',
    ' ',
    'x',
    '\\',
    '\\u',
    '\n',
    '\u0001',
  ];
  const isJson = (text: string, stepBytes: number): boolean => {
    const scan = new JsonScan(Buffer.from(text));
    while (scan.advance(stepBytes));
    return scan.isJson;
  };
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  it('is valid if JSON.parse accepts it, in steps of any size', () => {
    const { value } = written(names);
    fc.assert(
      fc.property(
        value,
        fc.nat(),
        fc.constantFrom(...PIECES),
        fc.nat({ max: 2 }),
        fc.integer({ min: 1, max: 30 }),
        (text, place, inserted, removed, stepBytes) => {
          expect(isJson(text, stepBytes)).toBe(true);
          const at = place % (text.length + 1);
          const changed = text.slice(0, at) + inserted + text.slice(at + removed);
          // Half a surrogate pair would become another character as bytes.
          fc.pre(changed.isWellFormed());
          expect([changed, isJson(changed, stepBytes)]).toEqual([changed, parses(changed)]);
        },
      ),
      { numRuns: inForm(625, 5_000) },
    );
  });

  it.each([
    ...['', ' ', '-', '01', '1.', '.1', '1e', '1e+', '-01', '+1', '1.e1', '0x1', 'tru', 'truex', 'nul', 'True', 'NaN'],
    ...[
      '1 2',
      '[1,]',
      '[,1]',
      '[1 2]',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{a:1}',
      '{"a":1]',
      '[1}',
      '[',
      ']',
      '[[]',
      '[]]',
    ],
    ...['"', '"\\"', '"\\x"', '"\\u12"', '"\\u12g4"', '"\t"', '"a""b"', "'a'", '{"a":1 "b":2}', '{"a" 1}', '\u00a01'],
  ])('is invalid as %j', (text) => {
    expect(parses(text)).toBe(false);
    for (let stepBytes = 1; stepBytes <= text.length + 1; stepBytes++) expect(isJson(text, stepBytes)).toBe(false);
  });

  it('has its elements, and the number of their own, where JSON.parse finds them', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.integer({ min: 1, max: 30 }), (values, stepBytes) => {
        const bytes = Buffer.from(JSON.stringify(values, null, 1));
        const found: unknown[] = [];
        const sizes: number[] = [];
        const scan = new JsonScan(bytes, (start, end, size) => {
          found.push(JSON.parse(bytes.toString('utf8', start, end)));
          sizes.push(size);
        });
        while (scan.advance(stepBytes));
        expect(JSON.stringify(found)).toBe(JSON.stringify(values));
        const sizeOf = (value: unknown) => (typeof value === 'object' && value ? Object.keys(value).length : 0);
        expect(sizes).toEqual(values.map(sizeOf));
      }),
    );
  });
});
