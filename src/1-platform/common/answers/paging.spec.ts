import { Page, sliceOf } from './paging';

describe('a page', () => {
  it.each([
    [{}, { limit: 1000, offset: 0 }],
    [{ limit: 5 }, { limit: 5, offset: 0 }],
    [
      { limit: 5, offset: 7 },
      { limit: 5, offset: 7 },
    ],
  ])('reads the query %j as the page %j', (query, slice) => {
    expect(sliceOf(query)).toEqual(slice);
  });

  it('uses the default of its list', () => {
    expect(sliceOf({}, 100)).toEqual({ limit: 100, offset: 0 });
  });

  it('has a next page if one row more than the limit was found', () => {
    const page = Page.of([1, 2, 3], { limit: 2, offset: 4 });
    expect(page.rows).toEqual([1, 2]);
    expect(page.next).toEqual({ limit: 2, offset: 6 });
  });

  it('is the last page otherwise', () => {
    for (const found of [[1, 2], [1], []]) {
      const page = Page.of(found, { limit: 2, offset: 0 });
      expect([page.rows, page.next]).toEqual([found, undefined]);
    }
  });

  it('keeps its position when its rows are mapped', () => {
    const page = Page.of([1, 2, 3], { limit: 2, offset: 0 }).map((row) => `row ${row}`);
    expect([page.rows, page.next]).toEqual([['row 1', 'row 2'], { limit: 2, offset: 2 }]);
  });
});
