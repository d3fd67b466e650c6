import fc from 'fast-check';
import { middleOf } from './sketch';

/** As the database computes it: see `octaveOf` and `placeOf`. */
function placeIn(value: bigint): [octave: number, place: number] {
  const octave = Math.max(value.toString(2).length - 1, 5);
  return [octave, Number((value >> BigInt(Math.max(octave - 6, 0))) & 63n)];
}

it('the middle of a place differs from each whole number in it by at most 1/128', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, BigInt(Number.MAX_SAFE_INTEGER)), (value) => {
      const middle = middleOf(...placeIn(value));
      expect(Number.isSafeInteger(middle)).toBe(true);
      expect(Math.abs(middle - Number(value))).toBeLessThanOrEqual(Number(value) / 128);
    }),
  );
});

it('each whole number below 128 has a place of its own', () => {
  for (let value = 0; value < 128; value++) expect(middleOf(...placeIn(BigInt(value)))).toBe(value);
});

it('greater numbers never have lower middles', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      expect(middleOf(...placeIn(BigInt(low)))).toBeLessThanOrEqual(middleOf(...placeIn(BigInt(high))));
    }),
  );
});
