import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { CAUSE_ROWS, knownError, type CauseRow } from '../../../src/agent/criu/causes';
import { errorLines } from '../../../src/agent/criu/criu-log';
import { Criu, type DumpOptions } from '../../../src/agent/criu/criu';
import type { AgentFailure, Cause } from '../../../src/agent/failures';
import { isBlocking } from '../../../src/agent/inspection/finding';
import { inspect } from '../../../src/agent/inspection/inspect';
import { describeWith, find } from '../../support/components';
import { eventually } from '../../support/eventually';
import { freePorts } from '../../support/free-ports';
import { runs, Workbench } from './workloads';

/** As a workload that nobody supervises. */
const OWN_PIDS = ['--pid', '--fork', '--kill-child'];
/** Of documentation, so no machine has it. */
const FOREIGN_ADDRESS = '192.0.2.77';
const TUN = '/dev/net/tun';
/** The file may be there without its driver, or refused. */
const HAS_TUN = (() => {
  try {
    closeSync(openSync(TUN, 'r+'));
    return true;
  } catch {
    return false;
  }
})();
/** A module whose profiles this kernel does not have. */
const OTHER_MODULE = existsSync('/sys/kernel/security/apparmor') ? 'selinux' : 'apparmor';

/** A line of each error that nothing below provokes, and why not. */
const NOT_HERE: readonly (readonly [line: string, why: string])[] = [
  [
    "mnt-v2: Can't mount at /data",
    'CRIU restores mounts only of a workload with a mount namespace, for which it needs --root: it ends before it ' +
      'mounts anything. The agent compares mounts itself: test/agent/supervisor/required-files.spec.ts.',
  ],
  [
    "cg: Can't make cgroup dir /x",
    'The agent tells CRIU to leave control groups alone (--manage-cgroups=ignore), and compares their mode itself.',
  ],
  [
    'cpu: CPU capabilities do not match run time',
    'CRIU compares CPUs only with --cpu-cap, and no CPU here lacks anything. The agent compares their flags itself: ' +
      'test/agent/supervisor/required-files.spec.ts.',
  ],
  [
    'vdso: Unexpected rt vDSO area bounds',
    'It takes a CRIU before 4, which the agent refuses, on a kernel that is newer than it.',
  ],
  ...(HAS_TUN ? [] : [['tun: Net namespace is required to dump tun link', `${TUN} cannot be opened.`] as const]),
];

/** What a workload has, as words and for `hold.py`, and how a dump of it fails. */
type Held = [what: string, held: string, cause: Cause, message: RegExp, options: Partial<DumpOptions>];

const NETWORK_DEVICE: Held = ['a device of the network', `device=${TUN}`, 'device_file', /net\/tun/, {}];

/** Rows of the table whose error a real CRIU has written in this file. */
const provoked = new Set<CauseRow>();

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

  /** All errors of the newest log: a failure has only the last ones. Some runs of CRIU have no log. */
  const errorsInLog = (): string[] => {
    const [newest] = readdirSync(bench.directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\/(dump|restore)\.log$/.test(name))
      .map((name) => bench.path(name))
      .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
    return newest === undefined ? [] : errorLines(readFileSync(newest, 'utf8'));
  };

  const expectFailure = async (work: Promise<unknown>, cause: Cause, message: RegExp): Promise<void> => {
    const error = (await work.then(
      () => new Error('It did not fail.'),
      (thrown: unknown) => thrown,
    )) as AgentFailure;
    const facts = { cause, message: expect.stringMatching(message), remedy: expect.any(String) };
    expect(error).toMatchObject({ facts: { ...facts, log: expect.any(Array) } });
    const { row } = (knownError(errorsInLog()) ?? knownError(error.facts.log!))!;
    expect(row.cause).toBe(cause);
    provoked.add(row);
  };

  /** The same CRIU in other circumstances. @param script of sh; `CRIU` stands for the program */
  const criuWith = (script: string): Promise<Criu> => {
    const program = bench.path('criu');
    writeFileSync(program, `#!/bin/sh\n${script.replace('CRIU', find('criu')!)}\n`, { mode: 0o755 });
    return Criu.find(program);
  };

  it.each<Held>([
    ['io_uring', 'uring', 'io_uring', /io_uring/, {}],
    ['a device', 'device=/dev/loop-control', 'device_file', /device 10:237/, {}],
    ...(HAS_TUN ? [NETWORK_DEVICE] : []),
    ['a file that was removed and has another name', 'linked=FILE', 'file_changed', /FILE/, {}],
    [
      'a working directory that was removed',
      'removed_around=FILE',
      'file_changed',
      /working directory .* was removed/,
      {},
    ],
    ['a working directory with the one of CRIU in it', 'taken=FILE', 'busy', /proc\.crtools is in the working/, {}],
    ['a file of a mount that is gone', 'detached=FILE', 'mount_missing', /on a mount that the workload/, {}],
    ['a socket of virtual machines', 'vsock', 'unclassified', /family 40/, {}],
    ['System V shared memory', 'sysv', 'unclassified', /System V/, {}],
    ['faults of memory that a process handles itself', 'userfault', 'unclassified', /a userfaultfd/, {}],
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
      await expectFailure(bench.dump(pid, options), cause, message);
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
    await expectFailure(bench.dump(pid), 'external_socket', /Unix socket/);
    await eventually(() => expect(runs(pid)).toBe(true));
  });

  it('a dump fails for a foreign session, which an inspection reports before', async () => {
    const { pid } = await bench.start('hold.py', [], OWN_PIDS);
    expect(await inspect(pid)).toMatchObject([{ severity: 'block', message: expect.stringContaining('session') }]);
    await expectFailure(bench.dump(pid), 'unclassified', /session/);
    expect(runs(pid)).toBe(true);
  });

  it('a dump fails for a process that is not there', async () => {
    const { pid, parent } = await bench.start('hold.py', []);
    parent.kill('SIGKILL');
    await eventually(() => expect(runs(pid)).toBe(false));
    await expectFailure(bench.dump(pid), 'workload_ended', /has ended/);
    await expect(inspect(pid)).rejects.toMatchObject({ facts: { cause: 'workload_ended' } });
  });

  it('a dump fails for a process without rights of root, which an inspection reports before', async () => {
    const { pid } = await bench.start('hold.py', ['unprivileged']);
    try {
      expect((await inspect(pid)).filter(isBlocking)).toMatchObject([{ cause: 'permission_missing' }]);
      await expectFailure(bench.dump(pid), 'permission_missing', /gave up rights of root/);
      expect(runs(pid)).toBe(true);
    } finally {
      // Another user's process does not end with its parent.
      process.kill(pid, 'SIGKILL');
    }
  });

  it('a dump fails in a working directory that is read-only, which an inspection reports before', async () => {
    const path = bench.path('read-only');
    mkdirSync(path);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', path]).status).toBe(0);
    try {
      const { pid } = await bench.start('hold.py', [`inside=${path}`]);
      expect((await inspect(pid)).filter(isBlocking)).toMatchObject([
        { cause: 'mount_missing', message: expect.stringContaining(`${path}, which is read-only`) },
      ]);
      await expectFailure(bench.dump(pid), 'mount_missing', /working directory .* is read-only/);
      await eventually(() => expect(runs(pid)).toBe(true));
    } finally {
      spawnSync('umount', ['--lazy', path]);
    }
  });

  it('a dump fails for a watch of what has no path', async () => {
    const { pid } = await bench.start('hold.py', ['inotify=/proc/self']);
    await expectFailure(bench.dump(pid), 'inotify', /cannot be saved: Can't dump that handle/);
  });

  it.each<[string, string[], string, Cause, RegExp]>([
    ['without capabilities', [], 'exec setpriv --bounding-set=-all CRIU "$@"', 'permission_missing', /capability CAP_/],
    // As in a container with a seccomp profile.
    [
      'that is under a seccomp filter itself',
      ['seccomp'],
      `exec python3 -c '
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
program = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
filters = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(program)))
libc.prctl(38, 1, 0, 0, 0)
libc.prctl(22, 2, filters)
os.execv(sys.argv[1], sys.argv[1:])' CRIU "$@"`,
      'security_profile',
      /seccomp filter/,
    ],
    ['that may keep little of a removed file', ['removed=FILE'], 'CRIU "$@" --ghost-limit 4', 'file_changed', /large/],
  ])('a dump fails by a CRIU %s, and the workload runs on', async (_, held, script, cause, message) => {
    const other = await criuWith(script);
    const { pid } = await bench.start(
      'hold.py',
      held.map((argument) => argument.replace('FILE', bench.path('FILE'))),
    );
    mkdirSync(bench.path('images'));
    const dump = other.dump({ pid, directory: bench.path('images'), workDirectory: bench.path('work') });
    await expectFailure(dump, cause, message);
    await eventually(() => expect(runs(pid)).toBe(true));
  });

  it('a dump of a network of its own needs no firewall, unless connections must not close', async () => {
    mkdirSync(bench.path('programs'));
    symlinkSync(find('ip')!, bench.path('programs/ip'));
    const other = await criuWith(`PATH=${bench.path('programs')} exec CRIU "$@"`);
    const { pid } = await bench.start('hold.py', [], ['--net', '--pid', '--fork', '--kill-child', 'setsid']);
    mkdirSync(bench.path('images'));
    const where = { directory: bench.path('images'), workDirectory: bench.path('work') };
    const dump = other.dump({ pid, ...where, connections: 'refuse' });
    await expectFailure(dump, 'tcp_connection', /cannot be held/);
    await eventually(() => expect(runs(pid)).toBe(true));
    // Nothing has to be held of connections that are closed.
    await other.dump({ pid, ...where, afterwards: 'running' });
    await eventually(() => expect(runs(pid)).toBe(true));
  });

  it('a dump fails on a full disk, and the workload runs on', async () => {
    const images = bench.path('images');
    const { pid } = await bench.start('hold.py', []);
    mkdirSync(images);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', images]).status).toBe(0);
    try {
      await expectFailure(bench.dump(pid), 'store_failed', /full/);
    } finally {
      spawnSync('umount', ['--lazy', images]);
    }
    await eventually(() => expect(runs(pid)).toBe(true));
  });

  it.each<[string, (path: string) => void, Cause, RegExp]>([
    ['grew', (path) => appendFileSync(path, 'more'), 'file_changed', /\/open has 14 bytes, and had 10/],
    ['is gone', (path) => unlinkSync(path), 'file_changed', /\/open, .*cannot be opened/],
    ['has another mode', (path) => chmodSync(path, 0o600), 'file_changed', /\/open has another mode/],
  ])('a restore fails for an open file that %s', async (_, change, cause, message) => {
    const path = bench.path('open');
    const { pid } = await bench.start('hold.py', [`file=${path}`]);
    expect(await inspect(pid)).toMatchObject([{ cause: 'file_changed', severity: 'warn' }]);
    await bench.dump(pid);
    change(path);
    await expectFailure(bench.restore(), cause, message);
  });

  it.each<[string, string, (path: string) => void]>([
    ['lack the memory', 'pages-1.img', (path) => rmSync(path)],
    ['are no images', 'core-1.img', (path) => writeFileSync(path, 'x'.repeat(500))],
  ])('a restore fails for images that %s', async (_, image, change) => {
    const { pid } = await bench.start('hold.py', []);
    await bench.dump(pid);
    change(bench.path(`images/${image}`));
    await expectFailure(bench.restore(), 'checkpoint_damaged', /not complete/);
  });

  it('a restore fails for a watched path that is gone', async () => {
    const path = bench.path('watched');
    const { pid } = await bench.start('hold.py', [`inotify=${path}`]);
    expect(await inspect(pid)).toMatchObject([{ cause: 'inotify', severity: 'warn' }]);
    await bench.dump(pid);
    rmdirSync(path);
    await expectFailure(bench.restore(), 'inotify', /\/watched/);
  });

  it('a restore fails for a port on which another process listens', async () => {
    const [port] = await freePorts(1);
    const { pid } = await bench.start('hold.py', [`listen=${port}`]);
    await bench.dump(pid, { afterwards: 'running' });
    await expectFailure(bench.restore(), 'port_taken', /listens/);
  });

  it('a restore fails for an address that the machine no longer has', async () => {
    const address = (change: 'add' | 'del') =>
      spawnSync('ip', ['address', change, `${FOREIGN_ADDRESS}/32`, 'dev', 'lo']).status;
    expect(address('add')).toBe(0);
    try {
      const { pid } = await bench.start('hold.py', [`listen=${FOREIGN_ADDRESS}:0`]);
      await bench.dump(pid);
    } finally {
      address('del');
    }
    await expectFailure(bench.restore(), 'tcp_connection', /does not have the network address/);
  });

  it('a restore fails for a security profile that the kernel does not know', async () => {
    const { pid } = await bench.start('hold.py', []);
    await bench.dump(pid);
    const other = await criuWith(`CRIU "$@" --lsm-profile ${OTHER_MODULE}:confined`);
    const restore = other.restore({
      directory: bench.path('images'),
      workDirectory: bench.path('work'),
      timeLimitMs: 60_000,
    });
    await expectFailure(restore, 'security_profile', new RegExp(`The ${OTHER_MODULE} profile`));
  });

  it('a restore fails for a process id that is in use, if the workload has none of its own', async () => {
    const { pid } = await bench.start('hold.py', [], ['setsid']);
    expect(await inspect(pid)).toMatchObject([{ cause: 'pid_taken', severity: 'warn' }]);
    await bench.dump(pid, { afterwards: 'running' });
    await expectFailure(bench.restore(), 'pid_taken', new RegExp(`id ${pid} is in use`));
  });

  it('an ordinary workload has no findings', async () => {
    const [port] = await freePorts(1);
    const { pid } = await bench.start('hold.py', [
      'pipe',
      'pair',
      `listen=${port}`,
      `removed=${bench.path('removed')}`,
      // Of 2 GiB, and hardly any of it is not a hole.
      `large=${bench.path('large')}`,
      'device=/dev/null',
    ]);
    expect(await inspect(pid)).toEqual([]);
    await bench.dump(pid);
    await bench.restore();
  });

  // The last one, because it counts what those before it have seen.
  it('each row of the table was provoked by this CRIU, or has a reason why it cannot be here', () => {
    if (!(globalThis as { runsWholeFile?: boolean }).runsWholeFile) return;
    const listed = NOT_HERE.map(([line]) => knownError([line])!.row);
    const shown = (rows: Iterable<CauseRow>) => [...rows].map(({ cause, pattern }) => `${cause} ${pattern.source}`);
    expect(shown(CAUSE_ROWS.filter((row) => !provoked.has(row) && !listed.includes(row)))).toEqual([]);
    expect(shown(listed.filter((row) => provoked.has(row)))).toEqual([]);
  });
});
