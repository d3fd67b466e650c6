import { jsonParts } from './json-parts';

const partsOf = async (rows: object[]): Promise<number[]> => {
  const sizes: number[] = [];
  const seen: object[] = [];
  for await (const { rows: part, json } of jsonParts(rows)) {
    expect(JSON.parse(json)).toEqual(part);
    sizes.push(part.length);
    seen.push(...part);
  }
  expect(seen).toEqual(rows);
  return sizes;
};
const row = (characters: number) => ({ text: 'x'.repeat(characters) });

describe('rows in parts of a statement', () => {
  it('are 500 a part at the most, in their order', async () => {
    expect(await partsOf([])).toEqual([]);
    expect(await partsOf(Array.from({ length: 1_201 }, (_, n) => ({ n })))).toEqual([500, 500, 201]);
  });

  it('are 2 MiB a part at the most, but for a row that is larger', async () => {
    const mebibyte = 1024 * 1024;
    expect(await partsOf(Array(5).fill(row(mebibyte * 0.9)))).toEqual([2, 2, 1]);
    expect(await partsOf([row(1), row(3 * mebibyte), row(1)])).toEqual([1, 1, 1]);
  });
});
