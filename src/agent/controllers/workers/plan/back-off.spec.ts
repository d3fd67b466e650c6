import { BackOff } from './back-off';

describe('The pause before a worker is started again', () => {
  it('doubles from a second to a minute while workers end early', () => {
    const backOff = new BackOff();
    const pauses = Array.from({ length: 8 }, (_, place) => backOff.ended(place * 100_000, 59_999) / 1_000);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(backOff.failures).toBe(8);
  });

  it('begins anew after a worker served for a minute', () => {
    const backOff = new BackOff();
    for (let times = 0; times < 5; times++) backOff.ended(0, 0);
    backOff.serves(59_999);
    expect(backOff.failures).toBe(5);
    backOff.serves(60_000);
    expect(backOff.failures).toBe(0);
    for (let times = 0; times < 5; times++) backOff.ended(0, 0);
    expect(backOff.ended(0, 60_000)).toBe(1_000);
  });

  it('is over once somebody wants workers again, and the failures before count no more', () => {
    const backOff = new BackOff();
    for (let times = 0; times < 5; times++) backOff.ended(0, 0);
    backOff.beginAnew();
    expect([backOff.failures, backOff.leftMs(0)]).toEqual([0, 0]);
    expect(backOff.ended(0, 0)).toBe(1_000);
  });

  it('is kept after the end of a worker that was started for an earlier request, which is no failure', () => {
    const backOff = new BackOff();
    backOff.ended(0, 0);
    expect([backOff.ended(0, 0, 'nothing'), backOff.ended(0, 0, 'nothing')]).toEqual([2_000, 2_000]);
    expect([backOff.failures, backOff.leftMs(0)]).toEqual([1, 2_000]);
  });

  it('doubles while the owner of their machines ends workers, which are no failures', () => {
    const backOff = new BackOff();
    expect([backOff.ended(0, 0, 'pause'), backOff.ended(0, 0, 'pause')]).toEqual([1_000, 2_000]);
    expect([backOff.failures, backOff.ended(0, 0), backOff.failures]).toEqual([0, 4_000, 1]);
    backOff.serves(60_000);
    expect([backOff.failures, backOff.ended(0, 0)]).toEqual([0, 1_000]);
  });

  it('is counted once for all workers of a drain, however long that takes', () => {
    const backOff = new BackOff();
    const asked = (nowMs: number, beganMs: number) => backOff.ended(nowMs, 0, backOff.askedFor(nowMs, beganMs));
    for (let times = 0; times < 8; times++) asked(100_000 + times * 10_000, 90_000 + times);
    expect([backOff.pauses, backOff.leftMs(170_000)]).toEqual([1, 2_000]);
    // Those that replaced them.
    for (let times = 0; times < 8; times++) asked(180_000 + times * 100, 101_000 + times * 10_000);
    expect(backOff.pauses).toBe(2);
    backOff.serves(60_000);
    expect(backOff.pauses).toBe(0);
    asked(200_000, 190_000);
    expect(backOff.pauses).toBe(1);
    backOff.beginAnew();
    expect(backOff.pauses).toBe(0);
  });

  it('is counted from the end of the worker, and the longest one stands', () => {
    const backOff = new BackOff();
    expect(backOff.leftMs(0)).toBe(0);
    backOff.ended(10_000, 0);
    expect(backOff.leftMs(10_400)).toBe(600);
    expect(backOff.leftMs(11_000)).toBe(0);
    backOff.ended(20_000, 0);
    backOff.ended(20_000, 60_000);
    expect(backOff.leftMs(20_000)).toBe(2_000);
  });
});
