import fc from 'fast-check';
import { cut, shown, shownJson, widthOf } from './shown';
import { tableOf } from './table';

const plain = { paint: (text: string) => text };

describe('a table', () => {
  it('aligns its columns, also those of wide scripts', () => {
    const rows = [
      ['名前', 'x'],
      ['abc', 'y'],
    ];
    expect(tableOf(['NAME', 'Z'], rows, plain)).toEqual(['NAME  Z', '名前  x', 'abc   y']);
  });

  it('cuts the widest column to the width of a terminal', () => {
    const rows = [['short', 'a'.repeat(60), 'end']];
    const [line] = tableOf(undefined, rows, { ...plain, width: 40 });
    expect(line).toBe(`short  ${'a'.repeat(27)}…  end`);
  });

  it('never is wider than the terminal, whatever it shows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 })),
        fc.integer({ min: 1, max: 90 }),
        (rows, width) => {
          for (const line of tableOf(undefined, rows, { ...plain, width }))
            expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('paints texts without changing the columns', () => {
    const paint = (text: string): string => `<${text}>`;
    expect(
      tableOf(
        undefined,
        [
          [{ text: 'ab', tone: 'good' }, 'x'],
          ['abc', 'y'],
        ],
        { paint },
      ),
    ).toEqual(['<ab>   x', 'abc  y']);
  });
});

describe('a text of the service', () => {
  it('has no character that a terminal obeys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(shown(text)).not.toMatch(/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u);
        expect(shownJson(text)).not.toMatch(/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u);
        expect(JSON.parse(shownJson(text))).toBe(text);
      }),
    );
  });

  it('is cut by the columns that it takes', () => {
    expect([cut('名前名前', 5), cut('abcdef', 4), cut('abc', 3)]).toEqual(['名前…', 'abc…', 'abc']);
  });
});
