import { expose, histogram, type Sample } from './text-exposition';

it('writes help, type and samples, and ends with a line end', async () => {
  const samples: Sample[] = [
    { labels: { a: '1', b: '2' }, value: 3 },
    { suffix: '_sum', labels: {}, value: 0.5 },
  ];
  expect(await expose([{ name: 'm', type: 'counter', help: 'Help of it', samples }])).toBe(
    '# HELP m Help of it\n# TYPE m counter\nm{a="1",b="2"} 3\nm_sum 0.5\n',
  );
});

it('escapes help and labels as the format requires', async () => {
  const text = await expose([
    { name: 'm', type: 'gauge', help: 'a\\b\n"c"', samples: [{ labels: { l: 'a\\b\n"c"' }, value: 1 }] },
  ]);
  expect(text).toBe('# HELP m a\\\\b\\n"c"\n# TYPE m gauge\nm{l="a\\\\b\\n\\"c\\""} 1\n');
});

// No figure is NaN: all are counts, sums and times of rows, in which the columns hold numbers.
it.each([
  [0, '0'],
  [0.1, '0.1'],
  [1e21, '1e+21'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
])('writes %p as %s', async (value, text) => {
  const samples = [{ labels: {}, value }];
  expect((await expose([{ name: 'm', type: 'gauge', help: 'h', samples }])).split('\n')[2]).toBe(`m ${text}`);
});

it('writes a histogram with +Inf, sum and count', () => {
  expect(histogram({ op: 'x' }, [0.5, 2], [1, 3, 4], 7.5)).toEqual([
    { suffix: '_bucket', labels: { op: 'x', le: '0.5' }, value: 1 },
    { suffix: '_bucket', labels: { op: 'x', le: '2' }, value: 3 },
    { suffix: '_bucket', labels: { op: 'x', le: '+Inf' }, value: 4 },
    { suffix: '_sum', labels: { op: 'x' }, value: 7.5 },
    { suffix: '_count', labels: { op: 'x' }, value: 4 },
  ]);
});

it('writes only help and type of a family without samples', async () => {
  expect(await expose([{ name: 'm', type: 'counter', help: 'h', samples: [] }])).toBe('# HELP m h\n# TYPE m counter\n');
});
