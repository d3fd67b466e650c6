/** Pseudo-random numbers (mulberry32), the same in every run, from 0 up to but not including 1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Processes the items, a few at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Texts of characters of three bytes each, which PostgreSQL cannot compress: an index has room for few. */
export const incompressible =
  (random: () => number) =>
  (length: number): string =>
    String.fromCodePoint(...Array.from({ length }, () => 0x4e00 + Math.floor(random() * 0x5000)));
