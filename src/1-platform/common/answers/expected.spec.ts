import { differenceOf } from './expected';

interface Stored {
  readonly name: string;
  readonly models: readonly string[];
  readonly budget: number | null;
}
const STORED: Stored = { name: 'a', models: ['m', 'n'], budget: null };

const found = (expected: Partial<Stored>) => differenceOf('The thing', expected, STORED);

describe('the difference from what a caller expects', () => {
  it('is none if all of it is so, or nothing is expected', () => {
    for (const expected of [{}, { budget: null }, { name: 'a', models: ['m', 'n'] }, STORED, { name: undefined }])
      expect(found(expected)).toBeUndefined();
  });

  it('names each member that is different, with what is stored', () => {
    expect(found({ name: 'a', budget: 5, models: ['n', 'm'] })).toBe(
      'The thing was changed meanwhile: models is ["m","n"], and not ["n","m"]; budget is null, and not 5. Nothing of this change was done.',
    );
  });

  it('has the beginning of a value that is long', () => {
    const difference = differenceOf('It', { name: 'b' }, { name: `😀${'x'.repeat(500)}` });
    expect(difference).toContain('xxx…, and not "b"');
    expect(difference?.length).toBeLessThan(200);
    expect(found({ name: `${'x'.repeat(98)}😀` })?.isWellFormed()).toBe(true);
  });
});
