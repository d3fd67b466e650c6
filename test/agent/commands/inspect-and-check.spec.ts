import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { PROGRAM_DIRECTORIES } from '../../../src/agent/criu/command';
import { findKernelFeatures } from '../../../src/agent/machine/kernel-features';
import { describeWith, find } from '../../support/components';
import { eventually } from '../../support/eventually';
import { freePorts } from '../../support/free-ports';
import type { Ended } from '../../support/started-program';
import { AgentUnderTest } from '../support/agent';

const HOLD = join(__dirname, '../programs/hold.py');

interface Finding {
  readonly cause: string;
  readonly severity: string;
  readonly message: string;
  readonly remedy: string;
}
interface Line {
  readonly what: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy?: string;
}

describeWith(['CRIU'], 'The command', () => {
  let agent: AgentUnderTest;
  let children: ChildProcess[];
  let server: Server;
  beforeAll(async () => {
    agent = new AgentUnderTest();
    children = [];
    server = createServer().listen(join(agent.root, 'outside.sock'));
    await once(server, 'listening');
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    server.close();
    await agent.killAll();
    agent.remove();
  });

  /** A process that nobody supervises, once it holds what its arguments name. @returns its pid */
  const hold = async (args: readonly string[], before: readonly string[] = ['setsid']): Promise<number> => {
    const [program, ...rest] = [...before, 'python3', HOLD, ...args];
    // A file: what Node calls a pipe is a socket, which leads out of the workload.
    const log = join(agent.root, `held-${children.length}`);
    const fd = openSync(log, 'a');
    const child = spawn(program!, rest, { stdio: ['ignore', fd, fd] });
    closeSync(fd);
    children.push(child);
    await eventually(() => expect(readFileSync(log, 'utf8')).toBe('ready\n'));
    return child.pid!;
  };
  const inspected = async (target: string | number): Promise<Ended & { findings: Finding[]; possible: boolean }> => {
    const ended = await agent.call('inspect', String(target), '--json');
    return { ...ended, ...(JSON.parse(ended.out) as { findings: Finding[]; possible: boolean }) };
  };
  /** What an inspection must not change: descriptors, memory, signals, state, and who traces it. */
  const pictureOf = (pid: number): object => {
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    const lines = read('status').split('\n');
    // All but SigQ, which counts the queued signals of all processes of the user.
    return {
      files: readdirSync(`/proc/${pid}/fd`).map((fd) => `${fd} ${readlinkSync(`/proc/${pid}/fd/${fd}`)}`),
      maps: read('maps'),
      status: lines.filter((line) => /^(State|TracerPid|Sig[^Q]|Shd|Threads|voluntary)/.test(line)),
    };
  };

  describe('inspect', () => {
    it('finds whatever blocks a checkpoint, with a remedy each, and leaves the process as it was', async () => {
      const at = (name: string) => join(agent.root, name);
      const pid = await hold([
        'uring',
        'device=/dev/loop-control',
        'terminal',
        'userfault',
        `linked=${at('linked')}`,
        'sysv',
        `unix=${at('outside.sock')}`,
        'traced',
        `detached=${at('mount')}`,
      ]);
      const before = pictureOf(pid);
      const { code, possible, findings } = await inspected(pid);
      expect({ code, possible }).toEqual({ code: 3, possible: false });
      const blocking = findings.filter(({ severity }) => severity === 'block');
      const said = blocking.map(({ cause, message }) => `${cause}: ${message}`).join('\n');
      for (const expected of [
        /^io_uring: The process \d+ \(python3\) uses io_uring/m,
        /^device_file: .*\/dev\/loop-control/m,
        /^device_file: .*a terminal/m,
        /^unclassified: .*a userfaultfd/m,
        /^file_changed: .*linked open, which was removed and still has another name/m,
        /^unclassified: .*System V shared memory/m,
        /^external_socket: .*to a process outside the workload/m,
        /^unclassified: .*is traced by the process/m,
        /^mount_missing: .*on a mount that it does not have/m,
      ])
        expect(said).toMatch(expected);
      expect(findings.filter(({ remedy }) => !/^[A-Z].*\.$/.test(remedy))).toEqual([]);
      // What blocks comes first.
      expect(findings.slice(0, blocking.length)).toEqual(blocking);
      expect(findings.map(({ message }) => message).join()).toContain('has mounts of its own');
      expect(pictureOf(pid)).toEqual(before);
    });

    it('finds what a restore depends on, which does not block', async () => {
      const at = (name: string) => join(agent.root, name);
      const args = [
        'tcp',
        'half',
        'seccomp',
        `file=${at('file')}`,
        `inotify=${at('watched')}`,
        `library=${at('own.so')}`,
      ];
      const pid = await hold(args);
      const before = pictureOf(pid);
      const { code, possible, findings } = await inspected(pid);
      expect({ code, possible }).toEqual({ code: 0, possible: true });
      expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(['warn']));
      const said = findings.map(({ cause, message }) => `${cause}: ${message}`).join('\n');
      for (const expected of [
        /^tcp_connection: .*2 established TCP connections/m,
        /^unclassified: .*writes to a process outside the workload, by the pipe/m,
        /^security_profile: .*seccomp filter/m,
        /^file_changed: .*writes to \S+file;/m,
        /^file_changed: .*own\.so, which was replaced/m,
        /^inotify: .*watches 1 paths/m,
        /^pid_taken: .*no process ids of its own/m,
      ])
        expect(said).toMatch(expected);
      expect(pictureOf(pid)).toEqual(before);
    });

    it('counts the bytes in memory that a dump of a workload with mounts of its own copies', async () => {
      const memory = join(agent.root, 'memory');
      mkdirSync(memory);
      // What the machine has in memory beside it is counted too.
      const script = `mount -t tmpfs none ${memory}; head -c 33554432 /dev/zero >${memory}/file; exec "$@"`;
      const pid = await hold([], ['setsid', 'unshare', '--mount', 'sh', '-c', script, 'sh']);
      const { findings } = await inspected(pid);
      const said = findings.map(({ message }) => message).join('\n');
      const bytes = /has mounts of its own; a dump copies the (\d+) bytes that those of type tmpfs hold/.exec(
        said,
      )?.[1];
      expect(Number(bytes)).toBeGreaterThanOrEqual(33_554_432);
    });

    it('takes the name of a workload too, and has nothing to say about an ordinary one', async () => {
      const supervisor = agent.run('plain', ['python3', HOLD]);
      await supervisor.printed('ready');
      expect(await inspected('plain')).toMatchObject({ code: 0, possible: true, findings: [] });
      expect((await agent.call('inspect', 'plain')).out).toMatch(/^Nothing is in the way of a checkpoint/);
      expect((await agent.call('inspect', 'unknown')).code).toBe(4);
      await supervisor.kill();
      expect((await agent.call('inspect', 'plain')).code).toBe(1);
    });
  });

  describe('check', () => {
    const checked = async (
      options: readonly string[],
      before: readonly string[] = [],
    ): Promise<{ code: number | null; works: boolean; line: (what: string) => Line | undefined }> => {
      const { code, out } = await agent.start(['check', '--json', ...options], {}, before).ended;
      const { lines, works } = JSON.parse(out) as { lines: Line[]; works: boolean };
      return { code, works, line: (what) => lines.find((one) => one.what === what) };
    };
    /** With mounts of its own, where a shell can hide programs. */
    const where = (commands: string): string[] => ['unshare', '--mount', 'sh', '-c', `${commands}; exec "$@"`, 'sh'];
    const missing = { state: 'missing', remedy: expect.any(String) };
    const limited = { state: 'limited', remedy: expect.any(String) };

    it('says that checkpoints work here, and what only the service needs', async () => {
      const [port] = await freePorts(1);
      const { code, works, line } = await checked(['--url', `http://127.0.0.1:${port}`]);
      expect({ code, works }).toEqual({ code: 0, works: true });
      const basics = ['permissions', 'Node', 'CRIU', 'unshare', 'setsid', 'flock', 'network namespace'];
      for (const what of [...basics, 'state directory', 'memory tracking', 'seccomp', 'firewall rules'])
        expect(line(what)).toMatchObject({ what, state: 'good' });
      expect(line('kernel')).toMatchObject({ state: 'good', detail: expect.stringMatching(/^has [^;]*inotify/) });
      for (const [feature, has] of Object.entries(await findKernelFeatures()))
        expect([feature, line(`kernel: ${feature}`)?.state]).toEqual([feature, has === false ? 'limited' : undefined]);
      const hasGpu = find('nvidia-smi') !== undefined || existsSync('/proc/driver/nvidia/gpus');
      expect(line('GPU') !== undefined).toBe(hasGpu);
      expect(line('store')).toMatchObject({ state: 'good' });
      expect(line('CRIU')!.detail).toMatch(/^4\./);
      expect(line('service')).toMatchObject({ ...limited, detail: expect.stringContaining('cannot be reached') });
      expect(line('token')).toMatchObject({ ...limited, remedy: expect.stringContaining('CCP_TOKEN_FILE') });
    });

    it('names each program that is missing, with the package that has it', async () => {
      // Each by mount, which is therefore the last.
      const hide = ['criu', 'unshare', 'setsid', 'flock', 'ss', 'nsenter', 'mount']
        .map((name) => `for f in $(which -a ${name}); do mount --bind /dev/null $f; done`)
        .join('; ');
      const { code, works, line } = await checked([], where(hide));
      expect({ code, works }).toEqual({ code: 3, works: false });
      expect(line('CRIU')).toMatchObject({ ...missing, detail: 'The program criu is not on this machine.' });
      expect(line('unshare')).toMatchObject({ ...missing, remedy: 'Install util-linux.' });
      expect(line('setsid')).toMatchObject({ ...missing, remedy: 'Install util-linux.' });
      expect(line('flock')).toMatchObject({ ...missing, remedy: 'Install util-linux.' });
      expect(line('ss')).toMatchObject({ ...limited, remedy: 'Install iproute2.' });
      expect(line('nsenter')).toMatchObject({ ...limited, remedy: 'Install util-linux.' });
      expect(line('mount')).toMatchObject({ ...limited, remedy: expect.stringMatching(/^Install mount, /) });
      expect(line('network namespace')).toMatchObject({
        ...limited,
        detail: 'The workload cannot get a network of its own: the program unshare is missing.',
      });
    });

    it('names the GPU, and what would be needed for its memory', async () => {
      const programs = join(agent.root, 'programs');
      mkdirSync(programs);
      for (const name of ['nvidia-smi', 'cuda-checkpoint'])
        writeFileSync(join(programs, name), '#!/bin/sh\n', { mode: 0o755 });
      const { works, line } = await checked([], ['env', `PATH=${programs}:${process.env.PATH}`]);
      expect(works).toBe(true);
      // Where CRIU looks for it.
      const isThere = PROGRAM_DIRECTORIES.some((directory) => existsSync(join(directory, 'cuda-checkpoint')));
      expect(line('GPU')).toMatchObject({
        ...limited,
        detail: expect.stringMatching(
          new RegExp(
            `while it uses the GPU \\(.*\\); cuda-checkpoint is ${isThere ? '' : 'not '}there; ` +
              `CRIU's plugin for CUDA is .*there; the agent does not ask for them$`,
          ),
        ),
      });
    });

    it('does not say what CRIU can do where CRIU may not look', async () => {
      const { works, line } = await checked([], ['setpriv', '--bounding-set=-all']);
      expect(works).toBe(false);
      expect(line('CRIU')).toMatchObject(missing);
      expect(line('seccomp')).toMatchObject({ ...limited, detail: expect.stringContaining('it is not known whether') });
      expect(line('memory tracking')!.detail).toMatch(/^not known: /);
    });

    it('says what each feature is for that the kernel lacks', async () => {
      const { works, line } = await checked([], where('mount -t tmpfs none /dev/net || true'));
      expect(works).toBe(true);
      expect(line('kernel: tun')).toEqual({
        what: 'kernel: tun',
        state: 'limited',
        detail: '/dev/net/tun cannot be opened, so workloads that use /dev/net/tun cannot be restored here',
        remedy: expect.stringMatching(/^Load the module tun, and give containers the device/),
      });
    });

    it('finds a missing capability, a store that is full, and a state directory that cannot be written to', async () => {
      const [full, fixed] = [join(agent.root, 'full'), join(agent.root, 'fixed')];
      for (const directory of [full, fixed]) mkdirSync(directory);
      const mounts = where(`mount -t tmpfs -o size=1m none ${full}; mount -t tmpfs -o ro none ${fixed}`);
      const dirs = ['--store', join(full, 'store'), '--state-dir', join(fixed, 'state')];
      const { code, line } = await checked(dirs, [...mounts, 'setpriv', '--bounding-set', '-sys_ptrace,-net_admin']);
      expect(code).toBe(3);
      expect(line('permissions')).toMatchObject({ ...missing, detail: expect.stringContaining('CAP_SYS_PTRACE') });
      expect(line('network namespace')).toMatchObject({
        ...limited,
        detail: expect.stringContaining(': its loopback device cannot be brought up.'),
      });
      expect(line('store')).toMatchObject({ ...limited, detail: expect.stringContaining('0.0 GiB free') });
      expect(line('state directory')).toMatchObject({
        ...missing,
        detail: expect.stringContaining('cannot be written'),
      });
    });

    it('looks at the service, its clock, and the token', async () => {
      const http: HttpServer = createHttpServer((_, answer) => {
        answer.writeHead(503, { date: new Date(Date.now() - 3_600_000).toUTCString() }).end();
      }).listen(0, '127.0.0.1');
      await once(http, 'listening');
      const { port } = http.address() as AddressInfo;
      const token = join(agent.root, 'token');
      writeFileSync(token, 'secret\n', { mode: 0o600 });
      try {
        const { works, line } = await checked(['--url', `http://127.0.0.1:${port}`, '--token-file', token]);
        expect(works).toBe(true);
        expect(line('service')).toMatchObject({ ...limited, detail: expect.stringContaining('answers 503') });
        expect(line('clock')).toMatchObject({ ...limited, detail: expect.stringMatching(/^3(599|600|601) s/) });
        expect(line('token')).toEqual({ what: 'token', state: 'good', detail: 'set' });
        const gone = await checked(['--url', `http://127.0.0.1:${port}`, '--token-file', `${token}.gone`]);
        expect(gone.line('token')).toMatchObject({ state: 'limited', detail: expect.stringContaining('token.gone') });
      } finally {
        http.close();
      }
    });
  });
});
