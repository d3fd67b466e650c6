import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const SOURCE = join(__dirname, 'leave.ts');

describe('A process that leaves', () => {
  const ended = async (...shell: string[]) => {
    const script = 'import(process.argv[1]).then(({ leave }) => leave(7, ...process.argv.slice(2)))';
    // Only types are removed from the source: it imports nothing but modules of Node.
    const child = spawn(process.execPath, ['--no-warnings', '-e', script, SOURCE, ...shell], { stdio: 'ignore' });
    return (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  };

  it('keeps its exit code', async () => {
    expect(await ended()).toEqual([7, null]);
  });

  it.each([
    ['there is none', '/nowhere/sh'],
    ['it is no program', '/etc/passwd'],
    ['it is a directory', '/etc'],
  ])('is killed, and does not abort, without a shell: %s', async (_case, shell) => {
    expect(await ended(shell)).toEqual([null, 'SIGKILL']);
  });
});
