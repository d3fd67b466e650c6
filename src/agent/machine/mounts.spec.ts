import { mountOf, mountsIn, mountsOf } from './mounts';

const MOUNT_INFO = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 22 0:40 / /data rw shared:9 - nfs4 server:/export rw,vers=4.2',
  String.raw`31 22 0:41 / /with\040blank rw - tmpfs tmpfs rw`,
  '32 30 0:42 /models /data/models ro - overlay overlay ro',
  '',
].join('\n');

describe('Mounts', () => {
  const mounts = mountsIn(MOUNT_INFO);

  it('are read with their types, and with blanks in their paths', () => {
    expect(mounts).toEqual([
      { point: '/', type: 'ext4' },
      { point: '/data', type: 'nfs4' },
      { point: '/with blank', type: 'tmpfs' },
      { point: '/data/models', type: 'overlay' },
    ]);
  });

  it.each([
    ['/etc/hosts', '/'],
    ['/data', '/data'],
    ['/data/set/1', '/data'],
    ['/data/models/7b', '/data/models'],
    ['/database', '/'],
  ])('have the path %s on %s', (path, point) => {
    expect(mountOf(path, mounts)?.point).toBe(point);
  });

  it('are those of a process, and none of one that is not there', async () => {
    expect(await mountsOf('self')).toContainEqual(expect.objectContaining({ point: '/' }));
    expect(await mountsOf(2 ** 30)).toEqual([]);
    expect(mountOf('/etc', [])).toBeUndefined();
  });
});
