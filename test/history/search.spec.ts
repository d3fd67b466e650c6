import * as fc from 'fast-check';
import type { Call } from './history';
import { machine } from './models/machine';
import { check, type Model } from './search';

/** A register that starts with 0. */
const REGISTER: Model<number> = {
  initial: 0,
  reads: ['read'],
  next: (state, { operation, input, output }) =>
    operation === 'read' ? (output === state ? [state] : []) : [Number(input)],
};

const call = (operation: string, value: number, invokedAt: number, returnedAt: number): Call => ({
  client: 0,
  object: 'register',
  operation,
  input: operation === 'write' ? value : null,
  invokedAt,
  returnedAt,
  output: returnedAt === Infinity ? undefined : operation === 'write' ? 'ok' : value,
});
const write = (value: number, from: number, to: number) => call('write', value, from, to);
const read = (value: number, from: number, to: number) => call('read', value, from, to);
const isRight = (...calls: Call[]): boolean => check(calls, REGISTER).linearizable;

describe('the search for an order of calls', () => {
  it('finds that a read sees the write before it', () => {
    expect(isRight(write(1, 0, 1), read(1, 2, 3))).toBe(true);
    expect(isRight(write(1, 0, 1), read(0, 2, 3))).toBe(false);
  });

  it('lets a read beside a write see either value, but no later read the older one', () => {
    expect(isRight(write(1, 0, 10), read(0, 1, 2), read(1, 3, 4))).toBe(true);
    expect(isRight(write(1, 0, 10), read(1, 1, 2), read(0, 3, 4))).toBe(false);
  });

  it('lets a write without an answer take effect late, or never, but not twice', () => {
    expect(isRight(write(1, 0, Infinity), read(0, 5, 6), read(1, 7, 8))).toBe(true);
    expect(isRight(write(1, 0, Infinity), read(0, 5, 6), read(0, 7, 8))).toBe(true);
    expect(isRight(write(1, 0, Infinity), read(1, 5, 6), write(2, 7, 8), read(1, 9, 10))).toBe(false);
  });

  it('does not let a write take effect before it was requested', () => {
    expect(isRight(read(1, 0, 1), write(1, 2, 3))).toBe(false);
  });

  it('says which calls fit nowhere', () => {
    const { explained, left } = check([write(1, 0, 1), read(1, 2, 3), read(0, 4, 5)], REGISTER);
    expect(explained.map(({ operation }) => operation)).toEqual(['write', 'read']);
    expect(left).toEqual([read(0, 4, 5)]);
  });

  it('accepts any history that a register made, whatever overlaps and whichever answers are missing', () => {
    const made = fc.array(
      fc.record({
        writes: fc.boolean(),
        value: fc.nat({ max: 3 }),
        before: fc.nat({ max: 30 }),
        after: fc.nat({ max: 30 }),
        answered: fc.boolean(),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(made, (steps) => {
        let state = 0;
        const calls = steps.map(({ writes, value, before, after, answered }, place) => {
          if (writes) state = value;
          const returnedAt = answered ? place * 10 + after : Infinity;
          return call(writes ? 'write' : 'read', state, place * 10 - before, returnedAt);
        });
        expect(check(calls, REGISTER).linearizable).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with trying every order, for any short history', () => {
    const any = fc.array(
      fc.record({ writes: fc.boolean(), value: fc.nat({ max: 2 }), at: fc.nat({ max: 8 }), takes: fc.nat({ max: 5 }) }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(any, (steps) => {
        const calls = steps.map(({ writes, value, at, takes }) =>
          call(writes ? 'write' : 'read', value, at, at + takes),
        );
        expect(check(calls, REGISTER).linearizable).toBe(ordersOf(calls).some(isSequential));
      }),
      { numRuns: 500 },
    );
  });

  it('knows the states that a machine may have without an answer', () => {
    const model = machine('on', { on: { off: 'off' }, off: {} });
    const move: Call = { ...write(0, 0, Infinity), operation: 'move', input: 'off' };
    const shows = (state: string, at: number): Call => ({ ...read(0, at, at + 1), output: { state } });
    expect(check([move, shows('on', 1), shows('off', 3)], model).linearizable).toBe(true);
    expect(check([move, shows('off', 1), shows('on', 3)], model).linearizable).toBe(false);
  });
});

/** Orders in which no call comes before one that had been answered when it was sent. */
function ordersOf(calls: readonly Call[]): Call[][] {
  if (calls.length === 0) return [[]];
  return calls.flatMap((first, place) => {
    const others = calls.filter((_, other) => other !== place);
    if (others.some(({ returnedAt }) => returnedAt < first.invokedAt)) return [];
    return ordersOf(others).map((rest) => [first, ...rest]);
  });
}

function isSequential(calls: readonly Call[]): boolean {
  let state = 0;
  return calls.every(({ operation, input, output }) => {
    if (operation === 'write') state = Number(input);
    return operation === 'write' || output === state;
  });
}
