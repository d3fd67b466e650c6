import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Criu } from '../../../src/agent/criu/criu';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { freePorts } from '../../support/free-ports';
import { runs, Workbench } from './workloads';

interface Count {
  readonly pid: number;
  readonly count: number;
  readonly child: number;
  readonly ticks: readonly [number, number];
  readonly memory: string;
}

const hashes = (directory: string): string[] =>
  readdirSync(directory)
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}`,
    );

describeWith(['CRIU'], 'A dump and a restore by CRIU', () => {
  let criu: Criu;
  let bench: Workbench;
  beforeAll(async () => (criu = await Criu.find()));
  beforeEach(() => (bench = new Workbench(criu)));
  afterEach(() => bench.end());

  const counts = (): Count[] =>
    bench.lines().map((line) => {
      const [pid, count, child, one, other, memory] = line.split(' ');
      return {
        pid: Number(pid),
        count: Number(count),
        child: Number(child),
        ticks: [Number(one), Number(other)],
        memory: memory!,
      };
    });
  const last = (): Count => counts().at(-1)!;
  const countsBeyond = (count: number): Promise<unknown> =>
    eventually(() => expect(last().count).toBeGreaterThan(count));

  it('continues memory, a file, a pipe to a child, threads and a listening socket', async () => {
    const [port] = await freePorts(1);
    const { pid } = await bench.start('count.py', [String(port)]);
    await countsBeyond(5);
    const { statistics } = await bench.dump(pid);
    // 8 MiB of memory are 2048 pages.
    expect(statistics.pages_written).toBeGreaterThan(2_048);
    await eventually(() => expect(runs(pid)).toBe(false));
    const before = counts();
    const { count, child, ticks } = before.at(-1)!;

    const restored = await bench.restore();
    // CRIU does not count the pages of children.
    expect(restored.statistics.pages_restored).toBeGreaterThan(2_048);
    await countsBeyond(count + 5);
    // Not one count is lost or repeated.
    expect(counts().map((line) => line.count)).toEqual(counts().map((_, index) => index + 1));
    const after = last();
    expect(after).toMatchObject({ pid: 1, child: child + after.count - count, memory: 'intact' });
    expect(Math.min(after.ticks[0] - ticks[0], after.ticks[1] - ticks[1])).toBeGreaterThan(0);
    const answer = await text(connect(port!, '127.0.0.1'));
    expect(Number(answer)).toBeGreaterThan(count);
  });

  it('restores two copies at once from images that it does not change', async () => {
    const { pid } = await bench.start('count.py', ['0']);
    await countsBeyond(5);
    await bench.dump(pid);
    const images = hashes(bench.path('images'));
    const before = counts().length;
    const copies = await Promise.all([bench.restore(), bench.restore()]);
    // Both write to one log, in append mode: each count comes twice, and one copy may run ahead.
    await eventually(() => {
      const seen = counts().slice(before);
      expect(seen.length - new Set(seen.map(({ count }) => count)).size).toBeGreaterThanOrEqual(5);
    });
    expect(hashes(bench.path('images'))).toEqual(images);
    expect(copies.map((copy) => runs(copy.process.pid))).toEqual([true, true]);
  });

  it('leaves the workload running if asked, and its images can be restored beside it', async () => {
    const { pid } = await bench.start('count.py', ['0']);
    await countsBeyond(5);
    await bench.dump(pid, { afterwards: 'running' });
    const { count } = last();
    await countsBeyond(count + 3);
    await bench.restore();
    expect(runs(pid)).toBe(true);
  });

  it('reports the exit code of a restored workload, and 128 and the signal that ended it', async () => {
    const { pid } = await bench.start('count.py', ['0']);
    await countsBeyond(2);
    await bench.dump(pid);
    const [one, other] = [await bench.restore(), await bench.restore()];
    expect(one.process.kill('SIGTERM')).toBe(true);
    expect(await one.process.exited).toBe(7);
    expect(one.process.kill('SIGTERM')).toBe(false);
    other.process.kill('SIGKILL');
    expect(await other.process.exited).toBe(137);
  });

  it('leaves nothing of an aborted restore, also of one whose images end too early', async () => {
    const { pid } = await bench.start('count.py', ['0']);
    await countsBeyond(2);
    await bench.dump(pid);
    const children = (): string => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
    const living = (): number[] => children().split(' ').filter(Boolean).map(Number).filter(runs);
    const before = living();
    for (const milliseconds of [1, 20, 60, 90])
      await bench.restore({ timeLimitMs: milliseconds }).then(
        ({ process }) => process.kill('SIGKILL'),
        (error: unknown) => expect(String(error)).toMatch(/took longer than/),
      );
    // CRIU reads the missing bytes again and again, in a process that has no name and no environment.
    truncateSync(bench.path('images/pages-1.img'), 1024 ** 2);
    await expect(bench.restore({ timeLimitMs: 1_000 })).rejects.toThrow('took longer than 1 s');
    await eventually(() => expect(living().filter((one) => !before.includes(one))).toEqual([]));
  });

  it('checks the machine', async () => {
    expect(await criu.check()).toMatchObject({ good: true, problems: [] });
    const facts = { cause: 'criu_missing', remedy: 'Install CRIU 4.0.0 or newer.' };
    await expect(Criu.find('/nowhere/criu')).rejects.toMatchObject({ facts });
    await expect(Criu.find('/bin/true')).rejects.toMatchObject({ facts: { cause: 'criu_missing' } });
  });
});
