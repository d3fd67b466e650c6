import { remembering } from './rules-of-classes';

class First {}
class Second {}

describe('the rules of a class', () => {
  it('are looked up once per class', () => {
    const find = jest.fn((type: unknown) => [type]);
    const remembered = remembering(find as never);
    const [first, second] = [First, Second].map((type) => remembered(type, '', false, false));
    expect([first, second]).toEqual([[First], [Second]]);
    expect(remembered(First, '', false, false)).toBe(first);
    expect(remembered(Second, '', false, false)).toBe(second);
    expect(find).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['a schema', ['schema', false, false, undefined]],
    ['always', ['', true, false, undefined]],
    ['strict groups', ['', false, true, undefined]],
    ['groups', ['', false, false, ['group']]],
  ] as const)('are looked up every time with %s', (_what, [schema, always, strict, groups]) => {
    const find = jest.fn(() => []);
    const remembered = remembering(find);
    const ask = () => remembered(First, schema, always, strict, groups as string[] | undefined);
    ask();
    ask();
    expect(find).toHaveBeenCalledTimes(2);
  });
});
