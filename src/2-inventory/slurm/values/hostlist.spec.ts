import { MAX_HOSTLIST, readHostlist, type HostlistBounds } from './hostlist';

const BOUNDS = { names: 10, name: 255 };
const expand = (text: string, bounds: HostlistBounds) => readHostlist(text, bounds)?.expand();

describe('readHostlist', () => {
  it.each<[string, string[] | undefined]>([
    ['', []],
    [' , ,', []],
    ['m1', ['m1']],
    ['n[1-3,7],m1', ['n1', 'n2', 'n3', 'n7', 'm1']],
    ['gpu-[08-11]', ['gpu-08', 'gpu-09', 'gpu-10', 'gpu-11']],
    ['r[1-2]n[1-2]-x', ['r1n1-x', 'r1n2-x', 'r2n1-x', 'r2n2-x']],
    ['a,b , c[5]', ['a', 'b', 'c5']],
    ['[1-2]', ['1', '2']],
    ['n[1, 3]', ['n1', 'n3']],
    ['n[1-10]', Array.from({ length: 10 }, (_, index) => `n${index + 1}`)],
    // Eleven, and invalid brackets.
    ['n[1-11]', undefined],
    ['a[1-6],b[1-6]', undefined],
    ['r[1-4]n[1-4]', undefined],
    ['n[1-999999999]', undefined],
    ['n[3-1]', undefined],
    ['n[a-b]', undefined],
    ['n[]', undefined],
    ['n[1,,2]', undefined],
    ['n[1-2', undefined],
    ['n1-2]', undefined],
    ['n[[1]]', undefined],
    ['n[1]]', undefined],
  ])('expands the host list %s, or leaves it if it is too long or invalid', (text, names) =>
    expect(expand(text, BOUNDS)).toEqual(names),
  );

  it.each<[string, number, number]>([
    ['', 0, 0],
    ['m1', 1, 2],
    ['node[1-9]', 9, 45],
    ['a[1-9],bc', 10, 20],
    ['n[001-100]', 100, 400],
    ['r[1-2]n[01-10]x', 20, 120],
    // The width of the widest number applies to all.
    ['n[1-100]', 100, 400],
  ])('counts %s', (text, names, characters) => {
    const list = readHostlist(text, { names: 1_000, name: 255 });
    expect(list).toMatchObject({ names, characters });
    const written = list?.expand() ?? [];
    expect(written).toHaveLength(names);
    expect(written.join('').length).toBeLessThanOrEqual(characters);
  });

  it('limits each name', () => {
    const longest = (text: string, name: number) => expand(text, { names: 5_000, name })?.length;
    expect([longest('n[001-100]', 4), longest('n[001-100]', 3)]).toEqual([100, undefined]);
    expect(longest(`${'x'.repeat(255)}[1-2]`, 255)).toBeUndefined();
  });

  it('counts without expanding anything', () => {
    const made = jest.spyOn(String.prototype, 'padStart');
    try {
      expand('n[01-02]', BOUNDS);
      expect(made).toHaveBeenCalled();
      made.mockClear();
      const read = (text: string) => readHostlist(text, { names: 5_000, name: 255 });
      expect(read(`${'n'.repeat(150)}[1-5000]`)).toMatchObject({ names: 5_000, characters: 5_000 * 154 });
      for (const bomb of [
        `n[1-5000]${'[1]'.repeat(5_000)}`,
        'n[1-70][1-72]',
        'n[1-5000],m',
        Array.from({ length: 100 }, (_, at) => `${at}[1-100]`).join(','),
      ])
        expect(read(bomb)).toBeUndefined();
      expect(made).not.toHaveBeenCalled();
    } finally {
      made.mockRestore();
    }
  });

  it('ignores texts above the maximum length', () => {
    const text = (length: number) => 'n,'.repeat(length / 2);
    const bounds = { names: 1e6, name: 255 };
    expect(expand(text(MAX_HOSTLIST), bounds)).toHaveLength(MAX_HOSTLIST / 2);
    expect(expand(text(MAX_HOSTLIST + 2), bounds)).toBeUndefined();
  });

  it.each<[string, string]>([
    ['commas', 'a,'],
    ['brackets that open', '[,'],
    ['brackets that close', '],'],
    ['pairs of them', '[1],'],
    ['parts that open and go on', 'a[1,'],
  ])('takes linear time for a text full of %s', (_what, piece) => {
    const bounds = { names: 1e6, name: 255 };
    const fastest = (length: number): number => {
      const text = piece.repeat(length / piece.length);
      return Math.min(
        ...Array.from({ length: 5 }, () => {
          const begun = performance.now();
          for (let round = 0; round < 5; round++) expand(text, bounds);
          return performance.now() - begun;
        }),
      );
    };
    fastest(4_096);
    // Sixteen times the text. A quadratic algorithm takes 256 times as long in every attempt; a linear one
    // may do so once on a busy machine.
    const ratios = Array.from({ length: 4 }, () => fastest(64_000) / fastest(4_000));
    expect(Math.min(...ratios)).toBeLessThan(80);
  });
});
