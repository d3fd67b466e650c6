import { MOST_PAGES, newestRows } from './newest-rows';

describe('the newest rows of a name', () => {
  /** Pages of names, each of which begins behind the number of the one before. */
  const listOf =
    (pages: readonly (readonly string[])[], asked: (string | undefined)[]) => (after: string | undefined) => {
      asked.push(after);
      const place = after === undefined ? 0 : Number(after);
      const next = place + 1 < pages.length ? { after: String(place + 1) } : undefined;
      return Promise.resolve({ rows: [...(pages[place] ?? [])], next });
    };
  const isIt = (name: string): boolean => name === 'train-1';

  it('are found behind pages of longer names', async () => {
    const asked: (string | undefined)[] = [];
    const pages = [['train-10', 'train-11'], ['train-10'], ['train-12', 'train-1']];
    expect(await newestRows(10, isIt, listOf(pages, asked))).toEqual({ rows: ['train-1'], isPart: false });
    expect(asked).toEqual([undefined, '1', '2']);
  });

  it('are read no further than they are wanted', async () => {
    const asked: (string | undefined)[] = [];
    const pages = [['train-1', 'train-1', 'train-1'], ['train-1']];
    expect(await newestRows(2, isIt, listOf(pages, asked))).toEqual({ rows: ['train-1', 'train-1'], isPart: true });
    expect(asked).toHaveLength(1);
  });

  it('are given up after some pages, which is said', async () => {
    const asked: (string | undefined)[] = [];
    const pages = Array.from({ length: MOST_PAGES + 1 }, () => ['train-10']);
    expect(await newestRows(10, isIt, listOf(pages, asked))).toEqual({ rows: [], isPart: true });
    expect(asked).toHaveLength(MOST_PAGES);
  });
});
