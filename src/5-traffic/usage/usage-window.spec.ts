import fc from 'fast-check';
import {
  alignedDown,
  alignedUp,
  piecesOf,
  piecesPast,
  ROLLUP_STEPS,
  type Piece,
  type RollupStep,
} from './usage-window.queries';
import { DAY, HOUR, MINUTE } from '../../../test/support/durations';
import { inForm } from '../../../test/support/form';

/** Times that are often on, or next to, a border. */
const moment = fc
  .tuple(
    fc.integer({ min: -25 * 24, max: 25 * 24 }),
    fc.integer({ min: 0, max: 59 }),
    fc.oneof(fc.constantFrom(0, 1, MINUTE - 1), fc.integer({ min: 0, max: MINUTE - 1 })),
  )
  .map(([hour, minute, rest]) => hour * HOUR + minute * MINUTE + rest);
const window = fc.tuple(moment, moment).map((ends) => {
  const [from = 0, to = 0] = ends.sort((a, b) => a - b);
  return { from: new Date(from), to: new Date(to) };
});
const longest = fc.constantFrom<RollupStep>(...ROLLUP_STEPS);
const upTo = (most: RollupStep) => ROLLUP_STEPS.filter((step) => step <= most);

describe('a composed window', () => {
  it('is its head, its pieces and its tail, one after the other, without a gap', () => {
    fc.assert(
      fc.property(window, longest, ({ from, to }, step) => {
        const { pieces, head, tail } = piecesOf(from, to, upTo(step));
        const parts = [head, ...pieces.toSorted((a, b) => a.since.getTime() - b.since.getTime()), tail];
        expect(parts[0]?.since).toEqual(from);
        expect(parts.at(-1)?.until).toEqual(to);
        for (const [place, { since, until }] of parts.entries()) {
          expect(since.getTime()).toBeLessThanOrEqual(until.getTime());
          if (place > 0) expect(since).toEqual(parts[place - 1]?.until);
        }
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });

  it('has whole rollups as pieces, none of them empty and none longer than allowed', () => {
    fc.assert(
      fc.property(window, longest, ({ from, to }, most) => {
        for (const { step, since, until } of piecesOf(from, to, upTo(most)).pieces) {
          expect(step).toBeLessThanOrEqual(most);
          expect(since < until).toBe(true);
          // The remainder of a time before 1970 is -0.
          expect([since, until].map((end) => Math.abs(end.getTime() % (step * 1_000)))).toEqual([0, 0]);
        }
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });

  it('leaves less than a minute at either end to single records, and less than two if no minute lies completely in it', () => {
    fc.assert(
      fc.property(window, longest, ({ from, to }, most) => {
        const { pieces, head, tail } = piecesOf(from, to, upTo(most));
        const [before, after] = [head, tail].map(({ since, until }) => until.getTime() - since.getTime());
        expect(before).toBeLessThan(pieces.length > 0 ? MINUTE : 2 * MINUTE);
        expect(after).toBeLessThan(MINUTE);
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });

  it('uses few rollups: at either end fewer of each length than make up a longer one', () => {
    fc.assert(
      fc.property(window, ({ from, to }) => {
        const { pieces } = piecesOf(from, to, upTo(3_600));
        const count = (step: RollupStep) =>
          pieces.filter((piece) => piece.step === step).map(({ since, until }) => (+until - +since) / (step * 1_000));
        for (const minutes of count(60)) expect(minutes).toBeLessThan(pieces.length > 1 ? 15 : 29);
        for (const quarters of count(900)) expect(quarters).toBeLessThan(count(3_600).length > 0 ? 4 : 7);
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });

  const at = (time: string) => new Date(`2026-03-29T${time}Z`);
  const piece = (step: RollupStep, since: string, until: string): Piece => ({
    step,
    since: at(since),
    until: at(until),
  });

  it('may reach past its end, and is the same if that is subtracted', () => {
    fc.assert(
      fc.property(window, fc.array(moment, { minLength: 1, maxLength: 20 }), ({ from, to }, moments) => {
        const { pieces, head, behind } = piecesPast(from, to, ROLLUP_STEPS);
        for (const at of [...moments, +from, +from - 1, +to, +to - 1]) {
          const isIn = ({ since, until }: { since: Date; until: Date }) => Number(+since <= at && at < +until);
          const times = pieces.reduce((sum, piece) => sum + piece.sign * isIn(piece), isIn(head) - isIn(behind));
          expect([at, times]).toEqual([at, Number(+from <= at && at < +to)]);
        }
        for (const { step } of pieces) expect(step * 1_000).toBeLessThanOrEqual(+to - +from);
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });

  it.each([1, 9, 90])('is few rollups up to its end for the last %i days', (days) => {
    fc.assert(
      fc.property(moment, (to) => {
        const { pieces } = piecesPast(new Date(to - days * DAY), new Date(to), ROLLUP_STEPS);
        const until = Math.max(...pieces.filter(({ sign }) => sign === 1).map((piece) => +piece.until));
        const last = pieces.filter((piece) => piece.sign === 1 && +piece.until === until);
        expect(last.map(({ step }) => step)).toEqual([days < 10 ? 86_400 : 864_000]);
        expect(pieces.filter(({ sign, since }) => sign === -1 && +since < to)).toEqual([]);
      }),
      { numRuns: inForm(100, 1_000) },
    );
  });

  it('uses hours in the middle, quarters and minutes around them, and records for the rest', () => {
    expect(piecesOf(at('00:43:59.999'), at('03:16:00.001'), upTo(3_600))).toEqual({
      pieces: [
        piece(3_600, '01:00:00', '03:00:00'),
        piece(900, '00:45:00', '01:00:00'),
        piece(900, '03:00:00', '03:15:00'),
        piece(60, '00:44:00', '00:45:00'),
        piece(60, '03:15:00', '03:16:00'),
      ],
      head: { since: at('00:43:59.999'), until: at('00:44:00') },
      tail: { since: at('03:16:00'), until: at('03:16:00.001') },
    });
  });

  it.each([
    ['an hour', '01:00:00', '02:00:00', 3_600],
    ['a quarter', '01:15:00', '01:30:00', 900],
    ['a minute', '01:59:00', '02:00:00', 60],
  ] as const)('is one rollup for %s', (_what, from, to, step) => {
    const { pieces, head, tail } = piecesOf(at(from), at(to), upTo(3_600));
    expect(pieces).toEqual([piece(step, from, to)]);
    expect([head, tail]).toEqual([
      { since: at(from), until: at(from) },
      { since: at(to), until: at(to) },
    ]);
  });

  it.each([
    ['empty', '01:00:00', '01:00:00'],
    ['within a minute', '01:00:00.001', '01:00:59.999'],
    ['across a border, without a whole minute', '00:59:00.001', '01:00:59.999'],
  ])('is records alone for a window %s', (_what, from, to) => {
    expect(piecesOf(at(from), at(to), upTo(3_600))).toEqual({
      pieces: [],
      head: { since: at(from), until: at(to) },
      tail: { since: at(to), until: at(to) },
    });
  });

  it('is aligned to 1970, also before that', () => {
    const before = new Date(-1);
    expect([alignedDown(before, 3_600), alignedUp(before, 3_600)]).toEqual([new Date(-HOUR), new Date(0)]);
    expect([alignedDown(new Date(-HOUR), 3_600), alignedUp(new Date(-HOUR), 3_600)]).toEqual([
      new Date(-HOUR),
      new Date(-HOUR),
    ]);
  });
});
