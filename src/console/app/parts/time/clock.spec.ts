import { mock } from 'node:test';
import { now, shownNow, subscribe } from './clock';

const nobody = (): void => undefined;

describe('the time that all components show', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1_000_000 }));
  afterEach(() => mock.timers.reset());

  it('moves on for everybody every few seconds', () => {
    const seen: number[] = [];
    const ends = [1, 2].map(() => subscribe(() => seen.push(shownNow())));
    mock.timers.tick(5_000);
    mock.timers.tick(5_000);
    expect(seen).toEqual([1_005_000, 1_005_000, 1_010_000, 1_010_000]);
    for (const end of ends) end();
  });

  it('is the present one for whoever comes after a while in which nobody looked', () => {
    subscribe(nobody)();
    mock.timers.tick(60_000);
    const end = subscribe(nobody);
    expect([shownNow(), now()]).toEqual([1_060_000, 1_060_000]);
    end();
  });
});
