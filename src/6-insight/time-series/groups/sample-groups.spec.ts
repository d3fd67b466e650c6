import fc from 'fast-check';
import { SampleRows } from '../rows/sample-rows';
import { groupOf, SampleGroups, SERIES_OF_A_GROUP, type StoredGroup } from './sample-groups';

interface Sample {
  readonly id: number;
  readonly time: number;
  readonly value: number;
}

const rowsOf = (samples: readonly Sample[]): SampleRows => {
  const rows = new SampleRows(samples.length);
  samples.forEach(({ id, time, value }, place) => rows.add(id, time, Number.isNaN(value) ? null : value, place));
  return rows;
};

const keyOf = ({ id, time }: Pick<Sample, 'id' | 'time'>): string => `${id} ${time}`;

/** Which bits of a row are set, by the definition of its column: one number of 64 bits. */
const placesOf = ({ high, low }: { high: number; low: number }): number[] => {
  const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return Array.from({ length: SERIES_OF_A_GROUP }, (_, place) => place).filter((place) => (bits >> BigInt(place)) & 1n);
};

/** Each sample of the rows, by its series and time. */
function unpacked({ rows, values }: SampleGroups): Map<string, number> {
  return new Map(
    rows.flatMap((row) =>
      placesOf(row).map((place, nth): [string, number] => [
        keyOf({ id: row.group * SERIES_OF_A_GROUP + place, time: row.time }),
        values[row.first + nth] as number,
      ]),
    ),
  );
}

const sample = fc.record({
  id: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 2 ** 40, max: 2 ** 40 + 70 })),
  time: fc.integer({ min: 0, max: 3 }),
  value: fc.oneof(fc.constantFrom(NaN, 0, 1, -1, 1e300), fc.double({ noDefaultInfinity: true })),
});
const requests = fc.array(fc.array(sample, { maxLength: 150 }), { minLength: 1, maxLength: 4 });

describe('samples in groups', () => {
  it('are the first of each series and time, each once, whatever their order', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (all) => {
        const expected = new Map<string, number>();
        for (const one of all.flat()) if (!expected.has(keyOf(one))) expected.set(keyOf(one), one.value);
        const groups = await SampleGroups.of(all.map(rowsOf));
        expect(unpacked(groups)).toEqual(expected);
        expect(groups.values.length).toBe(expected.size);
        const keys = groups.rows.map(({ group, time }) => `${group} ${time}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  it('know which of their rows have a series and time twice', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (all) => {
        const groups = await SampleGroups.of(all.map(rowsOf));
        const seen = new Set<string>();
        const twice = new Set<string>();
        for (const one of all.flat()) {
          if (seen.has(keyOf(one))) twice.add(`${groupOf(one.id)} ${one.time}`);
          seen.add(keyOf(one));
        }
        const repeated = [...groups.repeated].map((row) => groups.rows[row]);
        expect(new Set(repeated.map((row) => `${row?.group} ${row?.time}`))).toEqual(twice);
      }),
    );
  });

  it('find the samples that differ from what is stored', async () => {
    await fc.assert(
      fc.asyncProperty(requests, fc.array(sample, { maxLength: 150 }), async (all, before) => {
        const stands = new Map<string, number>();
        for (const one of [...before, ...all.flat()]) if (!stands.has(keyOf(one))) stands.set(keyOf(one), one.value);
        const groups = await SampleGroups.of(all.map(rowsOf));
        // Rows as the database would have them: with the places of both.
        const stored = new Map<number, StoredGroup>();
        groups.rows.forEach(({ group, time }, row) => {
          const places = Array.from({ length: SERIES_OF_A_GROUP }, (_, place) => place).filter((place) =>
            stands.has(keyOf({ id: group * SERIES_OF_A_GROUP + place, time })),
          );
          const half = (from: number): number =>
            places.reduce((bits, place) => (place >> 5 === from ? bits + 2 ** (place % 32) : bits), 0);
          const values = places.map(
            (place) => stands.get(keyOf({ id: group * SERIES_OF_A_GROUP + place, time })) as number,
          );
          stored.set(row, { high: half(1), low: half(0), values });
        });
        const expected = all.flat().flatMap((one, place) => {
          const there = stands.get(keyOf(one)) as number;
          return there === one.value || (Number.isNaN(there) && Number.isNaN(one.value)) ? [] : [place];
        });
        expect(await groups.differing(stored)).toEqual(expected);
      }),
    );
  });

  it('do not differ if their rows are not looked up', async () => {
    const groups = await SampleGroups.of([rowsOf([{ id: 1, time: 1, value: 1 }])]);
    expect(await groups.differing(new Map())).toEqual([]);
  });
});
