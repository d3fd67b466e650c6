import { constants } from 'node:fs';
import { GHOST_FILE_BYTES } from '../criu/limits';
import { findFiles } from './files';
import type { OpenFile, ProcessFacts } from './process-tree';

describe('The inspection of open files', () => {
  const removed = (bytes: number): OpenFile => ({
    descriptor: 3,
    target: '/tmp/gone (deleted)',
    mode: constants.S_IFREG | 0o600,
    device: 0,
    links: 0,
    bytes,
    flags: constants.O_RDWR,
    mount: '1',
    information: '',
  });
  const findings = (file: OpenFile) => {
    const process: ProcessFacts = {
      ...{ pid: 7, name: 'sh', session: 7, status: new Map(), files: [file], mapped: [], profile: '' },
      ...{ namespaces: { pid: '', mnt: '', net: '', ipc: '' }, mountIds: new Set(['1']) },
    };
    return findFiles({ processes: [process], cut: false });
  };

  it('finds that a removed file has more bytes than the images take, and nothing in a smaller one', () => {
    expect(findings(removed(GHOST_FILE_BYTES))).toEqual([]);
    expect(findings(removed(GHOST_FILE_BYTES + 512))).toMatchObject([
      {
        cause: 'file_changed',
        severity: 'block',
        message: expect.stringMatching(/has \/tmp\/gone open, which was removed; its 1073742336 bytes are too many/),
      },
    ]);
  });
});
