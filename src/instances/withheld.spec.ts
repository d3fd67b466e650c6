import { tells } from './withheld';

describe('a text that may hold a secret', () => {
  it.each<[string, string[], boolean]>([
    ['os is not supported', ['hunter2-hunter2'], false],
    ['bad value hunter2-hunter2', ['hunter2-hunter2'], true],
    ['bad value hunter…', ['hunter2-hunter2'], true],
    ['bad value …ter2-h…', ['hunter2-hunter2'], true],
    ['bad value hunte', ['hunter2-hunter2'], false],
    ['bad value abc', ['abc'], true],
    ['bad value ab', ['abc'], false],
    ['anything', [''], false],
    ['anything', [], false],
    ['second one: swordfish', ['hunter2', 'swordfish'], true],
  ])('%j with %j: %s', (text, secrets, told) => {
    expect(tells(text, secrets)).toBe(told);
  });
});
