import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLock } from '../supervisor/state/file-lock';
import { ProcessGuard } from './process-guard';
import { childrenOf } from './processes';

describe('A guard', () => {
  it('takes the next work once, if it was prepared', async () => {
    await ProcessGuard.prepare();
    const prepared = childrenOf(process.pid);
    const guard = await ProcessGuard.start();
    expect(childrenOf(process.pid)).toEqual(prepared);
    const watched = spawn('sleep', ['600']);
    const ended = once(watched, 'exit');
    guard.watchRoot(watched.pid!);
    await guard.end();
    expect(await ended).toEqual([null, 'SIGKILL']);
    const next = await ProcessGuard.start();
    expect(childrenOf(process.pid).filter((pid) => !prepared.includes(pid))).toHaveLength(1);
    await next.end();
  });

  it('is replaced if it ended before it was needed', async () => {
    const before = childrenOf(process.pid);
    await ProcessGuard.prepare();
    const [prepared] = childrenOf(process.pid).filter((pid) => !before.includes(pid));
    process.kill(prepared!, 'SIGKILL');
    while (childrenOf(process.pid).includes(prepared!)) await new Promise((resolve) => setTimeout(resolve, 5));
    const guard = await ProcessGuard.start();
    const watched = spawn('sleep', ['600']);
    const ended = once(watched, 'exit');
    guard.watchRoot(watched.pid!);
    await guard.end();
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('holds a lock until what it watches has ended, also after whoever took the lock', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'guard-'));
    const path = join(directory, 'lock');
    const lock = (await FileLock.take(path))!;
    const guard = await ProcessGuard.start(lock.file);
    const watched = spawn('sleep', ['600']);
    const ended = once(watched, 'exit');
    guard.watchRoot(watched.pid!);
    lock.release();
    expect(await FileLock.take(path)).toBeUndefined();
    await guard.end();
    expect((await ended)[1]).toBe('SIGKILL');
    (await FileLock.take(path))!.release();
    rmSync(directory, { recursive: true });
  });

  it('ends what writes to the log of a restore that failed, and nothing that reads it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'guard-'));
    const log = join(directory, 'log');
    const files = ['a', 'w+', 'r'].map((flags) => openSync(log, flags));
    const [appending, writing, reading] = files.map((file) => spawn('sleep', ['600'], { stdio: ['ignore', file] }));
    files.forEach(closeSync);
    const ends = [appending, writing].map((child) => once(child!, 'exit'));
    const guard = await ProcessGuard.start();
    guard.watchRestore(log, join(directory, 'pid'));
    const { program, args, files: given } = guard.watched('true', [], []);
    await once(spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', ...given] as StdioOptions }), 'exit');
    await guard.end();
    expect(await Promise.all(ends)).toEqual([
      [null, 'SIGKILL'],
      [null, 'SIGKILL'],
    ]);
    expect([reading!.exitCode, reading!.signalCode]).toEqual([null, null]);
    reading!.kill();
    expect((await once(reading!, 'exit'))[1]).toBe('SIGTERM');
    rmSync(directory, { recursive: true });
  });

  it('refuses paths of a restore that it could not read', async () => {
    const guard = await ProcessGuard.start();
    expect(() => guard.watchRestore('/state\n/log', '/state/pid')).toThrow('several lines');
    await guard.end();
  });
});
