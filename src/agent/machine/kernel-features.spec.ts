import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { kernelFeatures } from './kernel-features';

describe('Features of the kernel', () => {
  it('are those that can be used here', async () => {
    const features = await kernelFeatures();
    expect(features).toEqual([...features].sort());
    expect(features).toContain('inotify');
    expect(features.includes('tun')).toBe(existsSync('/dev/net/tun'));
    const server = createServer().listen(0, '::');
    const listens = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]);
    expect(features.includes('ipv6')).toBe(listens);
    server.close();
  });
});
