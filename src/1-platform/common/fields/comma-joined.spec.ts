import { newId } from '../ids';
import { commaJoined, joinedIds, joinedUuids } from './comma-joined';

describe('comma-joined ids', () => {
  it.each<[string | undefined, string[] | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b', ['a', 'b']],
    ['a,a', ['a', 'a']],
  ])('%j are %j', (text, ids) => {
    expect(joinedIds('ids', text)).toEqual(ids);
  });

  it.each([',', ' ', 'a,', ',a', 'a,,b'])('%j contains an empty id', (text) => {
    expect(() => joinedIds('ids', text)).toThrow('ids must be at most 1000 ids, separated by commas');
  });

  it('are limited to a thousand', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => String(i));
    expect(joinedIds('ids', ids(1_000).join())).toHaveLength(1_000);
    expect(() => joinedIds('ids', ids(1_001).join())).toThrow('ids must be at most 1000 ids');
  });

  it('are at most 450 if they are UUIDs', () => {
    const ids = (count: number) => Array.from({ length: count }, newId);
    expect(joinedUuids('ids', ids(450).join())).toHaveLength(450);
    expect(() => joinedUuids('ids', ids(451).join())).toThrow('ids must be at most 450 UUIDs');
  });

  it('are UUIDs if required', () => {
    const [one, other] = [newId(), newId()];
    expect(joinedUuids('ids', `${one},${other}`)).toEqual([one, other]);
    expect(() => joinedUuids('ids', `${one},7`)).toThrow('ids must be at most 450 UUIDs, separated by commas');
  });

  it('are converted by their reader', () => {
    const odd = (text: string) => (Number(text) % 2 === 1 ? Number(text) : undefined);
    expect(commaJoined('ids', '1,3', odd, 'odd numbers')).toEqual([1, 3]);
    expect(() => commaJoined('ids', '1,2', odd, 'odd numbers')).toThrow('ids must be at most 1000 odd numbers');
  });
});
