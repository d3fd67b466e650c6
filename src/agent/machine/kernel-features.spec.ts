import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findKernelFeatures, kernelFeatures } from './kernel-features';

describe('Features of the kernel', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'features-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const found = () => {
    const at = (name: string): string => join(directory, name);
    return findKernelFeatures({
      ...{ fileSystems: at('fs'), inotify: at('fs/inotify'), seccomp: at('actions') },
      ...{ status: at('status'), tun: at('tun') },
    });
  };
  const opens = (path: string): boolean => {
    try {
      closeSync(openSync(path, 'r+'));
      return true;
    } catch {
      return false;
    }
  };

  it('are those that can be used here', async () => {
    const features = await kernelFeatures();
    expect(features).toEqual([...features].sort());
    expect(features).toContain('inotify');
    expect((await findKernelFeatures()).tun === true).toBe(opens('/dev/net/tun'));
    const server = createServer().listen(0, '::');
    const listens = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]);
    expect(features.includes('ipv6')).toBe(listens);
    server.close();
  });

  it('are not known where /proc does not show them', async () => {
    expect(await found()).toMatchObject({ inotify: undefined, seccomp: undefined, tun: false });
    writeFileSync(join(directory, 'status'), 'Name:\tnode\nSeccomp:\t0\n');
    // As a device that this user may not open.
    mkdirSync(join(directory, 'tun'));
    expect(await found()).toMatchObject({ seccomp: undefined, tun: undefined });
  });

  it('are lacking where /proc shows the rest', async () => {
    mkdirSync(join(directory, 'fs'));
    writeFileSync(join(directory, 'status'), 'Name:\tnode\n');
    expect(await found()).toMatchObject({ inotify: false, seccomp: false });
  });

  it('are there if their signs are', async () => {
    mkdirSync(join(directory, 'fs/inotify'), { recursive: true });
    for (const name of ['actions', 'tun']) writeFileSync(join(directory, name), '');
    expect(await found()).toMatchObject({ inotify: true, seccomp: true, tun: true });
  });
});
