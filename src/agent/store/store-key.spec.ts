import { mayOthersRead } from './store-key';

describe('the file of a store key', () => {
  const self = { uid: 1_000, groups: [1_000] };
  const file = { mode: 0o100440, uid: 0, gid: 1_000 };

  it('may be readable by the group of a process that is not root, if root owns it, as in a Secret', () => {
    expect(mayOthersRead(file, self)).toBe(false);
    expect(mayOthersRead({ ...file, mode: 0o100400 }, self)).toBe(false);
  });

  it.each([
    ['everybody', { ...file, mode: 0o100444 }, self],
    ['another group', { ...file, gid: 7 }, self],
    ['a group that its own user let in', { ...file, uid: 1_000 }, self],
    ['a group, although the process is root', file, { uid: 0, groups: [0, 1_000] }],
  ])('must not be readable by %s', (_who, stat, reader) => {
    expect(mayOthersRead(stat, reader)).toBe(true);
  });
});
