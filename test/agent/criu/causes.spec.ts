import { appendFileSync, rmdirSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { Criu, type DumpOptions } from '../../../src/agent/criu/criu';
import type { Cause } from '../../../src/agent/failures';
import { isBlocking } from '../../../src/agent/inspection/finding';
import { inspect } from '../../../src/agent/inspection/inspect';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { freePorts } from '../../support/free-ports';
import { runs, Workbench } from './workloads';

/** As a workload that nobody supervises. */
const OWN_PIDS = ['--pid', '--fork', '--kill-child'];

describeWith(['CRIU'], 'What keeps CRIU from its work', () => {
  let criu: Criu;
  let bench: Workbench;
  let server: Server | undefined;
  beforeAll(async () => (criu = await Criu.find()));
  beforeEach(() => (bench = new Workbench(criu)));
  afterEach(async () => {
    server?.close();
    server = undefined;
    await bench.end();
  });

  const failure = (cause: Cause, message: RegExp) => ({
    facts: { cause, message: expect.stringMatching(message), remedy: expect.any(String), log: expect.any(Array) },
  });

  it.each<[string, string, Cause, RegExp, Partial<DumpOptions>]>([
    ['io_uring', 'uring', 'io_uring', /io_uring/, {}],
    ['a device', 'device=/dev/loop-control', 'device_file', /device 10:237/, {}],
    ['a file that was removed and has another name', 'linked=FILE', 'file_changed', /FILE/, {}],
    ['a socket of virtual machines', 'vsock', 'unclassified', /family 40/, {}],
    ['System V shared memory', 'sysv', 'unclassified', /System V/, {}],
    [
      'an established connection that must not close',
      'tcp',
      'tcp_connection',
      /established/,
      { connections: 'refuse' },
    ],
  ])(
    'a dump fails for %s, names the cause, and leaves the workload running',
    async (_, held, cause, message, options) => {
      const { pid } = await bench.start('hold.py', [held.replace('FILE', bench.path('FILE'))]);
      const found = await inspect(pid);
      await expect(bench.dump(pid, options)).rejects.toMatchObject(failure(cause, message));
      await eventually(() => expect(runs(pid)).toBe(true));
      // And the inspection has reported it before; it cannot see a socket's family.
      if (held !== 'vsock') expect(found.map((finding) => finding.cause)).toContain(cause);
    },
  );

  it('a dump fails for a Unix socket to a process outside, which an inspection reports before', async () => {
    const path = bench.path('socket');
    let accepted = false;
    server = createServer(() => (accepted = true)).listen(path);
    const { pid } = await bench.start('hold.py', [`unix=${path}`, 'pair']);
    await eventually(() => expect(accepted).toBe(true));
    // The pair inside the workload is in nobody's way.
    expect((await inspect(pid)).filter(isBlocking)).toMatchObject([
      { cause: 'external_socket', message: expect.stringContaining('outside the workload') },
    ]);
    await expect(bench.dump(pid)).rejects.toMatchObject(failure('external_socket', /Unix socket/));
    await eventually(() => expect(runs(pid)).toBe(true));
  });

  it('a dump fails for a foreign session, which an inspection reports before', async () => {
    const { pid } = await bench.start('hold.py', [], OWN_PIDS);
    expect(await inspect(pid)).toMatchObject([{ severity: 'block', message: expect.stringContaining('session') }]);
    await expect(bench.dump(pid)).rejects.toMatchObject(failure('unclassified', /session/));
    expect(runs(pid)).toBe(true);
  });

  it('a dump fails for a process that is not there', async () => {
    const { pid, parent } = await bench.start('hold.py', []);
    parent.kill('SIGKILL');
    await eventually(() => expect(runs(pid)).toBe(false));
    await expect(bench.dump(pid)).rejects.toMatchObject({ facts: { cause: 'workload_ended' } });
    await expect(inspect(pid)).rejects.toMatchObject({ facts: { cause: 'workload_ended' } });
  });

  it.each<[string, (path: string) => void, Cause, RegExp]>([
    ['grew', (path) => appendFileSync(path, 'more'), 'file_changed', /\/open has 14 bytes, and had 10/],
    ['is gone', (path) => unlinkSync(path), 'file_changed', /\/open, .*cannot be opened/],
  ])('a restore fails for an open file that %s', async (_, change, cause, message) => {
    const path = bench.path('open');
    const { pid } = await bench.start('hold.py', [`file=${path}`]);
    expect(await inspect(pid)).toMatchObject([{ cause: 'file_changed', severity: 'warn' }]);
    await bench.dump(pid);
    change(path);
    await expect(bench.restore()).rejects.toMatchObject(failure(cause, message));
  });

  it('a restore fails for a watched path that is gone', async () => {
    const path = bench.path('watched');
    const { pid } = await bench.start('hold.py', [`inotify=${path}`]);
    expect(await inspect(pid)).toMatchObject([{ cause: 'inotify', severity: 'warn' }]);
    await bench.dump(pid);
    rmdirSync(path);
    await expect(bench.restore()).rejects.toMatchObject(failure('inotify', /\/watched/));
  });

  it('a restore fails for a port on which another process listens', async () => {
    const [port] = await freePorts(1);
    const { pid } = await bench.start('hold.py', [`listen=${port}`]);
    await bench.dump(pid, { afterwards: 'running' });
    await expect(bench.restore()).rejects.toMatchObject(failure('port_taken', /listens/));
  });

  it('a restore fails for a process id that is in use, if the workload has none of its own', async () => {
    const { pid } = await bench.start('hold.py', [], ['setsid']);
    expect(await inspect(pid)).toMatchObject([{ cause: 'pid_taken', severity: 'warn' }]);
    await bench.dump(pid, { afterwards: 'running' });
    await expect(bench.restore()).rejects.toMatchObject(failure('pid_taken', new RegExp(`id ${pid} is in use`)));
  });

  it('an ordinary workload has no findings', async () => {
    const [port] = await freePorts(1);
    const { pid } = await bench.start('hold.py', [
      'pipe',
      'pair',
      `listen=${port}`,
      `removed=${bench.path('removed')}`,
      'device=/dev/null',
    ]);
    expect(await inspect(pid)).toEqual([]);
    await bench.dump(pid);
    await bench.restore();
  });
});
