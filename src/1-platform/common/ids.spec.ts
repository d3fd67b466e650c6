import { version } from 'uuid';
import { isUuid, newId } from './ids';

describe('the ids of rows', () => {
  const ids = Array.from({ length: 20_000 }, newId);

  it('are UUIDs of version 7', () => {
    expect(ids.every((id) => isUuid(id) && version(id) === 7)).toBe(true);
  });

  it('are in the order of their creation, even within one millisecond', () => {
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('contain the time of their creation', () => {
    const createdAt = parseInt((ids.at(-1) ?? '').replaceAll('-', '').slice(0, 12), 16);
    expect(Math.abs(Date.now() - createdAt)).toBeLessThan(60_000);
  });

  it('do not share their randomness', () => {
    const tails = new Set(ids.map((id) => id.slice(-10)));
    expect(tails.size).toBeGreaterThan(ids.length - 10);
  });
});
