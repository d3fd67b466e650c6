import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkloadStatus } from '../../../src/agent/supervisor/control/control-protocol';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { AgentUnderTest, expectGone, runs } from '../support/agent';

const WAIT = 'import time; print("up", flush=True)\nwhile True: time.sleep(0.05)';
const MAX_IDLE_BYTES = 70e6;

describeWith(['CRIU'], 'A supervisor', () => {
  let agent: AgentUnderTest;
  beforeAll(() => (agent = new AgentUnderTest()));
  afterEach(() => agent.killAll());
  afterAll(() => agent.remove());

  const python = (name: string, program: string, options: readonly string[] = []) =>
    agent.run(name, ['python3', '-c', program], options);

  it.each([
    ['its own', 'exit 7', 7],
    ['that of success', 'true', 0],
    ['127 if there is no such program', 'exec /nowhere/at/all', 127],
  ])('ends with the exit code of its command: %s', async (_, script, code) => {
    expect((await agent.run('code', ['sh', '-c', script]).ended).code).toBe(code);
  });

  it('ends with 128 + SIGKILL if somebody kills its command', async () => {
    const supervisor = python('killed', WAIT);
    await supervisor.printed('up');
    process.kill((await agent.status('killed')).pid!, 'SIGKILL');
    expect((await supervisor.ended).code).toBe(137);
  });

  it('goes on printing after people cut the log to free its space', async () => {
    const program = 'echo a long line that is cut; while [ ! -e "$1" ]; do sleep 0.05; done; echo short';
    const cut = join(agent.root, 'cut');
    const supervisor = agent.run('cut', ['sh', '-c', program, 'sh', cut]);
    await supervisor.printed('a long line that is cut');
    truncateSync(join(agent.folder('cut'), 'log'));
    writeFileSync(cut, '');
    expect((await supervisor.ended).out).toBe('a long line that is cut\nshort\n');
  });

  it('prints output and errors of its command as one stream, which is also the log', async () => {
    const { out } = await agent.run('stream', ['sh', '-c', 'for i in 1 2 3; do echo out $i; echo err $i >&2; done'])
      .ended;
    expect(out).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n');
    expect(readFileSync(join(agent.folder('stream'), 'log'), 'utf8')).toBe(out);
  });

  it('prints each of many lines once and in order', async () => {
    const { out } = await agent.run('many', ['sh', '-c', 'seq 1 200000']).ended;
    expect(out === Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join('')).toBe(true);
  });

  it('carries out the default action of a signal, which the kernel does not do for process 1', async () => {
    const supervisor = agent.run('default', ['sh', '-c', 'echo up; exec sleep 1000']);
    await supervisor.printed('up');
    supervisor.child.kill('SIGTERM');
    expect((await supervisor.ended).code).toBe(143);
  });

  it('passes a signal on to the handler of its command', async () => {
    const handler =
      'import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\nprint("up", flush=True)\n' +
      'while True: time.sleep(0.05)';
    const supervisor = python('handler', handler);
    await supervisor.printed('up');
    supervisor.child.kill('SIGTERM');
    expect((await supervisor.ended).code).toBe(9);
  });

  it('drops a signal that its command ignores', async () => {
    const ignoring =
      'import signal, time\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\nprint("up", flush=True)\n' +
      'while True: time.sleep(0.05)';
    const supervisor = python('ignoring', ignoring);
    await supervisor.printed('up');
    supervisor.child.kill('SIGHUP');
    supervisor.child.kill('SIGTERM');
    expect((await supervisor.ended).code).toBe(143);
  });

  it('takes its command and all of its children with it when it is killed', async () => {
    const supervisor = agent.run('family', ['sh', '-c', 'sleep 1000 & echo up; wait']);
    await supervisor.printed('up');
    const { pid } = await agent.status('family');
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    expect(runs(child!)).toBe(true);
    await supervisor.kill();
    await expectGone(pid!);
    await expectGone(child!);
    expect(await agent.status('family')).toMatchObject({ phase: 'gone', pid: null, exitCode: null });
  });

  it('refuses a second one of its name, until it has ended or was killed', async () => {
    const first = python('twin', WAIT);
    await first.printed('up');
    const second = await agent.run('twin', ['true']).ended;
    expect(second.code).toBe(3);
    expect(second.err).toContain('Another supervisor runs the workload twin in the namespace default.');
    expect((await agent.run('twin', ['true'], ['--namespace', 'other']).ended).code).toBe(0);
    await first.kill();
    expect((await agent.run('twin', ['true']).ended).code).toBe(0);
  });

  it('answers on a socket for its owner only, however long the path is', async () => {
    const state = join(agent.root, 'a-deep-folder-'.repeat(10), 'state');
    const supervisor = python('deep', WAIT, ['--state-dir', state]);
    await supervisor.printed('up');
    const socket = join(agent.folder('deep', state), 'control.sock');
    expect(socket.length).toBeGreaterThan(108);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(agent.folder('deep', state)).mode & 0o777).toBe(0o700);
    expect(await agent.status('deep', '--state-dir', state)).toMatchObject({ phase: 'running', exitCode: null });
  });

  it('lists what runs and what has ended', async () => {
    const supervisor = python('listed', WAIT);
    await supervisor.printed('up');
    await agent.run('over', ['sh', '-c', 'exit 4']).ended;
    const { out } = await agent.call('status', '--json');
    const workloads = (JSON.parse(out) as { workloads: { name: string; phase: string; exitCode: number }[] }).workloads;
    expect(workloads.find(({ name }) => name === 'listed')).toMatchObject({ phase: 'running' });
    expect(workloads.find(({ name }) => name === 'over')).toMatchObject({ phase: 'ended', exitCode: 4 });
    expect((await agent.call('status')).out).toMatch(/^default +listed +running/m);
  });

  it('is waited for, also before it is there', async () => {
    const waiting = agent.call('status', 'late', '--wait', '60', '--json');
    const supervisor = python('late', WAIT);
    await supervisor.printed('up');
    expect(JSON.parse((await waiting).out)).toMatchObject({ name: 'late', phase: 'running' });
    // When the time is over, it is as it is then.
    expect(await agent.call('status', 'never', '--wait', '0.1')).toMatchObject({
      out: '',
      err: expect.stringContaining('never'),
    });
    expect((await agent.call('status', 'late', '--wait', 'long')).err).toContain('"long" is not a time in seconds');
  });

  it('takes its order from its environment, which its command does not get', async () => {
    const uid = '11111111-2222-4333-8444-555555555555';
    const command = ['sh', '-c', 'echo "$GREETING ${CCP_ORDER-none}"'];
    const order = { uid, name: 'ordered', command, variables: { GREETING: 'hello' } };
    const supervisor = agent.start(['run', '--ordered'], { CCP_ORDER: JSON.stringify(order) });
    expect(await supervisor.ended).toMatchObject({ code: 0, out: 'hello none\n' });
    expect(await agent.status('ordered')).toMatchObject({ uid });
    const cut = agent.start(['run', '--ordered'], { CCP_ORDER: '{' });
    expect((await cut.ended).err).toContain('The order of this supervisor is not complete.');
  });

  it('keeps the token from its command', async () => {
    const supervisor = agent.start(['run', '--name', 'secret', '--', 'env'], {
      CCP_TOKEN: 'token-of-nobody-else',
      CCP_TOKEN_FILE: '/x',
    });
    expect((await supervisor.ended).out).not.toMatch(/CCP_TOKEN|token-of-nobody-else/);
  });

  it('does not pass on files that it inherited', async () => {
    const inherited = 30;
    const stdio = Array.from({ length: inherited + 1 }, (_, fd) => (fd === 1 || fd === inherited ? 'pipe' : 'ignore'));
    const args = [agent.main, 'run', '--name', 'files', '--', 'readlink', `/proc/self/fd/${inherited}`];
    const child = spawn(process.execPath, args, { env: agent.env, stdio });
    let out = '';
    child.stdout!.on('data', (text: Buffer) => (out += text.toString()));
    await once(child, 'close');
    expect(out).toBe('/dev/null\n');
  });

  it('says which capability is missing, and starts nothing', async () => {
    const before = ['setpriv', '--bounding-set', '-sys_admin'];
    const refused = await agent.start(['run', '--name', 'weak', '--', 'echo', 'started'], {}, before).ended;
    expect(refused).toMatchObject({ code: 3, out: '' });
    expect(refused.err).toContain('CAP_SYS_ADMIN');
  });

  it.each([
    ['an unknown option', ['run', '--unknown'], 2],
    ['no command', ['run', '--name', 'x'], 2],
    ['an invalid name', ['run', '--name', 'Not_A_Name', '--', 'true'], 2],
    ['an unknown signal', ['run', '--notify-signal', 'SIGNONE', '--', 'true'], 2],
    ['a workload that never was', ['status', 'never'], 4],
    ['the version', ['--version'], 0],
    ['help', ['run', '--help'], 0],
  ])('has an exit code for %s', async (_, args, code) => {
    expect((await agent.call(...args)).code).toBe(code);
  });

  it('is listed as silent while it does not answer, and keeps no other one from the list', async () => {
    const [silent, other] = [python('silent', WAIT), python('other', WAIT)];
    await Promise.all([silent.printed('up'), other.printed('up')]);
    silent.child.kill('SIGSTOP');
    const { code, out } = await agent.call('status', '--json');
    const { workloads } = JSON.parse(out) as { workloads: (WorkloadStatus & { silent?: true })[] };
    expect(code).toBe(0);
    const found = workloads.filter(({ name }) => ['silent', 'other'].includes(name));
    expect(found.map((one) => [one.name, one.phase, one.silent])).toEqual([
      ['other', 'running', undefined],
      ['silent', 'running', true],
    ]);
  });

  it('prints a failure as a document if it is asked to', async () => {
    const { out } = await agent.call('status', 'never', '--json');
    expect(JSON.parse(out)).toMatchObject({ failure: { cause: 'workload_missing' } });
  });

  it('removes what a Slurm job has left, a day after that ended, while its own command runs', async () => {
    const job = (number: number, ...command: string[]) =>
      agent.start(['run', '--', ...command], { SLURM_JOB_ID: String(number), SLURM_CLUSTER_NAME: 'hpc' });
    const folder = (number: number) => join(agent.state, 'workloads/slurm-hpc', `job-${number}`);
    for (const number of [1, 2]) expect((await job(number, 'true').ended).code).toBe(0);
    const at = statSync(join(folder(1), 'status.json')).mtimeMs / 1_000 - 25 * 3_600;
    for (const name of ['status.json', 'log']) utimesSync(join(folder(1), name), at, at);
    const next = job(3, 'sh', '-c', 'while [ -e "$1" ]; do sleep 0.05; done', 'sh', folder(1));
    expect((await next.ended).code).toBe(0);
    expect([1, 2, 3].map((number) => existsSync(folder(number)))).toEqual([false, true, true]);
  });

  it('needs little memory while its command runs', async () => {
    const supervisor = python('idle', WAIT);
    await supervisor.printed('up');
    await agent.status('idle');
    await eventually(() => {
      const kib = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${supervisor.pid}/status`, 'utf8'))![1];
      expect(Number(kib) * 1024).toBeLessThan(MAX_IDLE_BYTES);
    });
  });
});
