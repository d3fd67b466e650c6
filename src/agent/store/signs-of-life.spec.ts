import { eventually } from '../../../test/support/eventually';
import { LEFTOVER_MS } from './checkpoint-store';
import { SignsOfLife } from './signs-of-life';

describe('Signs of life of a draft', () => {
  let [given, now] = [0, 0];
  let answer: () => Promise<void>;
  let signs: SignsOfLife;

  beforeEach(() => {
    [given, now] = [0, 0];
    answer = () => Promise.resolve();
    signs = new SignsOfLife(
      () => (given++, answer()),
      () => now,
      10,
    );
  });
  afterEach(() => signs.end());

  it('are given again and again, until they end', async () => {
    await eventually(() => expect(given).toBeGreaterThan(2));
    signs.end();
    const before = given;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(given).toBe(before);
  });

  it('are given one at a time while a disk does not answer', async () => {
    answer = () => new Promise(() => {});
    await eventually(() => expect(given).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(given).toBe(1);
  });

  it('are missing if none succeeded for long, and not any more once one has', async () => {
    answer = () => Promise.reject(new Error('EIO'));
    expect(signs.areMissing).toBe(false);
    now = LEFTOVER_MS / 2 + 1;
    await eventually(() => expect(given).toBeGreaterThan(1));
    expect(signs.areMissing).toBe(true);
    answer = () => Promise.resolve();
    await eventually(() => expect(signs.areMissing).toBe(false));
  });
});
