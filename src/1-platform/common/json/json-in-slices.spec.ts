import fc from 'fast-check';
import { parseJson } from './json';
import { NotUtf8, parseJsonInSlices } from './json-in-slices';
import { inForm } from '../../../../test/support/form';

const parsed = async (text: string, runBytes?: number): Promise<unknown> =>
  (await parseJsonInSlices(Buffer.from(text), runBytes)).value;

describe('a JSON text that is parsed in slices', () => {
  it('has the value of the whole text, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 40 }), async (value, runBytes) => {
        for (const text of [JSON.stringify(value), JSON.stringify(value, null, '\r\n\t ')])
          expect(JSON.stringify(await parsed(text, runBytes))).toBe(JSON.stringify(parseJson(text)));
      }),
      { seed: 1, numRuns: inForm(100, 500) },
    );
  });

  /** The result of parsing a text, for comparison. */
  const outcome = async (work: () => unknown) => {
    try {
      return JSON.stringify(await work());
    } catch {
      return 'refused';
    }
  };

  it('is refused if the whole text is, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', ',', '[', ']', '{', '}', ':', '"', '1', ' ', 'x', '\\'),
        fc.boolean(),
        fc.integer({ min: 1, max: 20 }),
        async (value, place, inserted, replaces, runBytes) => {
          const text = JSON.stringify(value);
          const at = place % (text.length + 1);
          const broken = text.slice(0, at) + inserted + text.slice(at + (replaces ? 1 : 0));
          expect(await outcome(() => parsed(broken, runBytes))).toBe(await outcome(() => parseJson(broken)));
        },
      ),
      { seed: 2, numRuns: inForm(375, 3_000) },
    );
  });

  it('is accepted exactly if the whole text is, with pieces of values beside its brackets, commas and colons', async () => {
    const pieces = [
      '',
      ' ',
      '0',
      '12',
      '-',
      '1e',
      '1.',
      '1e5',
      'true',
      'nul',
      'null',
      '"',
      '"a"',
      '"a":',
      ',',
      ':',
      '[]',
      '{}',
      '[',
      '}',
    ];
    const list = fc.array(fc.oneof(fc.integer(), fc.string(), fc.jsonValue({ maxDepth: 2 })), { minLength: 5 });
    const large = fc.oneof(
      fc.dictionary(fc.string(), list, { minKeys: 1, maxKeys: 4 }),
      fc.array(fc.oneof(list, fc.dictionary(fc.string(), list, { maxKeys: 2 })), { minLength: 1, maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(
        large,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...pieces), fc.boolean()), { minLength: 1, maxLength: 2 }),
        fc.constantFrom(undefined, ' ', '\t'),
        fc.integer({ min: 1, max: 60 }),
        async (value, mutations, indent, runBytes) => {
          let text = JSON.stringify(value, null, indent);
          for (const [place, piece, replaces] of mutations) {
            const structure = [...text.matchAll(/[[\]{},:]/g)];
            const at = structure[place % structure.length]?.index ?? 0;
            text = text.slice(0, replaces ? at : at + 1) + piece + text.slice(at + 1);
          }
          expect(await outcome(() => parsed(text, runBytes))).toBe(await outcome(() => parseJson(text)));
        },
      ),
      { seed: 4, numRuns: inForm(500, 4_000) },
    );
  });

  it.each(['12', '-', '1e', '1.', '1e5', 'nul', 'true', '"x"', '12 ', ' -', ',', '"b":'])(
    'is refused if %j is between the name and the value of a large member',
    async (piece) => {
      const list = Array(40_000).fill(1).join();
      for (const value of [`[${list}]`, `{"list":[${list}]}`]) {
        const text = `{"items":${piece}${value}}`;
        expect(() => JSON.parse(text)).toThrow(SyntaxError);
        await expect(parsed(text)).rejects.toThrow(SyntaxError);
      }
    },
  );

  it.each([
    '[1,2,]',
    '[,1]',
    '[1,,2]',
    '{"a":1,}',
    '{,"a":1}',
    '[1}',
    '{"a":[1,2}}',
    '[[1],[2]] []',
    '[] []',
    '1 2',
    '[1',
    '',
    '{"a":1 "b":[1,2]}',
    '[1 [2]]',
    '[[2] 1]',
    '{[1]}',
    '{"a" [1,2]}',
    ']',
    '\ufeff[\ufeff1]',
  ])('is refused if it is %s', async (text) => {
    for (let runBytes = 1; runBytes <= text.length + 1; runBytes++)
      await expect(parsed(text, runBytes)).rejects.toThrow(SyntaxError);
  });

  it('keeps members named __proto__ and constructor', async () => {
    const text = '{"a":{"__proto__":{"x":[1]},"constructor":[2]},"__proto__":[{"y":1}]}';
    for (let runBytes = 1; runBytes <= text.length; runBytes++) {
      const value = await parsed(text, runBytes);
      expect(JSON.stringify(value)).toBe(text);
      expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(JSON.parse('{}')));
    }
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('keeps numbers that a double cannot hold', async () => {
    const text = `[${Array(100).fill('{"n":12345678901234567890}').join()}]`;
    for (const runBytes of [10, 100, 10_000]) expect(JSON.stringify(await parsed(text, runBytes))).toBe(text);
  });

  it('reports whether it has escapes of characters that cannot be stored', async () => {
    const suspect = async (text: string) => (await parseJsonInSlices(Buffer.from(text), 4)).suspect;
    expect(await suspect('[["a"],["b\\u0000"],["c"]]')).toBe(true);
    expect(await suspect('[{"\\ud800":["x","y"]}]')).toBe(true);
    expect(await suspect('[["a"],["\\u00e9"],["c"]]')).toBe(false);
  });

  it('is refused if it is not UTF-8', async () => {
    const bytes = Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]);
    await expect(parseJsonInSlices(bytes)).rejects.toThrow(NotUtf8);
  });

  it('yields while a large text is parsed', async () => {
    const text = JSON.stringify(
      Array.from({ length: 200_000 }, (_, n) => ({ name: `pod-${n}`, labels: { app: 'x' } })),
    );
    let turns = 0;
    let ended = false;
    const work = parsed(text).then((value) => {
      ended = true;
      return value;
    });
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect(turns).toBeGreaterThan(5);
    expect(await work).toEqual(JSON.parse(text));
  });
});
