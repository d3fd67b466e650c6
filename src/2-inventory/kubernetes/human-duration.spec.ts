import { humanDuration } from './human-duration';
import { DAY, HOUR, MINUTE, SECOND } from '../../../test/support/durations';

const YEAR = 365 * DAY;

// The expectations are those of the test table of k8s.io/apimachinery's HumanDuration.
describe('humanDuration', () => {
  it.each([
    [SECOND, '1s'],
    [70 * SECOND, '70s'],
    [190 * SECOND, '3m10s'],
    [70 * MINUTE, '70m'],
    [47 * HOUR, '47h'],
    [49 * HOUR, '2d1h'],
    [(8 * 24 + 2) * HOUR, '8d'],
    [367 * DAY, '367d'],
    [(365 * 2 + 25) * DAY, '2y25d'],
    [(365 * 8 + 2) * DAY, '8y'],
  ])('prints %d ms as %s', (milliseconds, text) => expect(humanDuration(milliseconds)).toBe(text));

  it.each([
    [0, '0s'],
    [999, '0s'],
    [2 * MINUTE - 1, '119s'],
    [2 * MINUTE, '2m'],
    [10 * MINUTE - 1, '9m59s'],
    [10 * MINUTE, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [8 * HOUR - 1, '7h59m'],
    [8 * HOUR, '8h'],
    [2 * DAY - 1, '47h'],
    [2 * DAY, '2d'],
    [8 * DAY - 1, '7d23h'],
    [8 * DAY, '8d'],
    [2 * YEAR - 1, '729d'],
    [2 * YEAR, '2y'],
    [8 * YEAR - 1, '7y364d'],
    [8 * YEAR, '8y'],
  ])('changes its unit as kubectl does: %d ms is %s', (milliseconds, text) =>
    expect(humanDuration(milliseconds)).toBe(text),
  );

  it('treats clocks that differ by up to a second as equal', () => {
    expect(humanDuration(-1_900)).toBe('0s');
    expect(humanDuration(-2_000)).toBe('<invalid>');
  });
});
