import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ProcessTree } from './process-tree';
import { findSockets } from './sockets';

/** Of other processes: more than fits into the output of a program that people read. */
const OTHERS = 3_000;

describe('An inspection of Unix sockets', () => {
  const path = process.env.PATH;
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'sockets-'))));
  afterEach(() => {
    process.env.PATH = path;
    rmSync(directory, { recursive: true });
  });

  const socketsHere = (): string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });

  it('finds the other end of one on a machine that has thousands', async () => {
    const server = createServer().listen(join(directory, 'socket'));
    await once(server, 'listening');
    const before = new Set(socketsHere());
    const client = connect(join(directory, 'socket'));
    await once(client, 'connect');
    try {
      const [inode] = socketsHere().filter((one) => !before.has(one));
      const line = (own: number | string, peer: number): string => `u_str ESTAB 0 0 * ${own} * ${peer}`;
      const others = Array.from({ length: OTHERS }, (_, n) => line(90_000_000 + n, 80_000_000 + n));
      writeFileSync(join(directory, 'printed'), [line(inode!, 70_000_000), ...others, ''].join('\n'));
      writeFileSync(join(directory, 'ss'), `#!/bin/sh\nexec cat ${directory}/printed\n`, { mode: 0o755 });
      process.env.PATH = [directory, path].join(delimiter);
      const own = {
        pid: process.pid,
        name: 'own',
        files: [{ target: `socket:[${inode}]` }],
        namespaces: { net: 'net' },
      };
      const found = await findSockets({ processes: [own] } as unknown as ProcessTree);
      expect(found).toMatchObject([
        { cause: 'external_socket', severity: 'block', message: expect.stringContaining('outside the workload') },
      ]);
    } finally {
      client.destroy();
      server.close();
    }
  });
});
