import { MEMORY_MOUNT_BYTES } from '../criu/limits';
import { ownMounts } from './inspect';

describe('Mounts of its own', () => {
  const root = { pid: 7, name: 'server' };

  it('are reported with the bytes in memory that a dump copies', () => {
    expect(ownMounts(root, 0)).toMatchObject({
      severity: 'warn',
      message: 'The process 7 (server) has mounts of its own; a restore needs them declared.',
    });
    expect(ownMounts(root, MEMORY_MOUNT_BYTES)).toMatchObject({
      severity: 'warn',
      message: expect.stringContaining(`a dump copies the ${MEMORY_MOUNT_BYTES} bytes that those of type tmpfs hold`),
    });
  });

  it('prevent a checkpoint if a dump would copy more than a gibibyte of what others may have there', () => {
    expect(ownMounts(root, MEMORY_MOUNT_BYTES + 1)).toMatchObject({
      cause: 'mount_missing',
      severity: 'block',
      message: expect.stringMatching(/ More than 1073741824 bytes are refused\.$/),
      remedy: expect.stringContaining('such as /dev/shm'),
    });
  });
});
