import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith, find } from '../../support/components';
import { eventually } from '../../support/eventually';
import { AgentUnderTest, expectGone, runs, type AgentProcess } from '../support/agent';

const COUNT = 'import time\nn = 0\nwhile True:\n  n += 1\n  print(n, flush=True)\n  time.sleep(0.02)';
const LOOP = 'echo up; while :; do sleep 0.05; done';
const DISK = '512k';

describeWith(['CRIU'], 'A supervised workload', () => {
  let agent: AgentUnderTest;
  const mounted: string[] = [];
  beforeAll(() => (agent = new AgentUnderTest()));
  afterEach(async () => {
    await agent.killAll();
    for (const path of mounted.splice(0)) spawnSync('umount', ['--lazy', path]);
  });
  afterAll(() => agent.remove());

  const grows = async (supervisor: AgentProcess): Promise<void> => {
    const { length } = supervisor.lines;
    await eventually(() => expect(supervisor.lines.length).toBeGreaterThan(length + 3));
  };

  describe('that gives up privileges', () => {
    const dropped = [
      'env',
      '--chdir=/tmp',
      'setpriv',
      '--reuid',
      '65534',
      '--regid',
      '65534',
      '--clear-groups',
      'sh',
      '-c',
      LOOP,
    ];

    it('ends with its supervisor', async () => {
      const supervisor = agent.run('drop', dropped);
      await supervisor.printed('up');
      const { pid } = await agent.status('drop');
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s+65534/m);
      await supervisor.kill();
      await expectGone(pid!);
    });

    it('is not touched by a checkpoint, which names what is in the way', async () => {
      const supervisor = agent.run('refused', dropped);
      await supervisor.printed('up');
      const refused = await agent.call('checkpoint', 'refused');
      expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('gave up rights of root') });
    });

    it('keeps its name while it runs without its supervisor', async () => {
      const first = agent.run('orphan', dropped);
      await first.printed('up');
      const { pid } = await agent.status('orphan');
      const children = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8').trim().split(' ');
      const guards = children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('read -r'));
      expect(guards).toHaveLength(1);
      process.kill(Number(guards[0]), 'SIGKILL');
      await first.kill();
      try {
        expect(runs(pid!)).toBe(true);
        const second = await agent.run('orphan', ['true']).ended;
        expect(second.code).toBe(3);
        expect(second.err).toContain(`its process ${pid} still runs`);
      } finally {
        process.kill(pid!, 'SIGKILL');
      }
      await expectGone(pid!);
      expect((await agent.run('orphan', ['true']).ended).code).toBe(0);
    });
  });

  describe('whose state is on a full disk', () => {
    const state = () => join(agent.root, 'small');
    const filler = () => join(state(), 'filler');
    const fill = () => spawnSync('dd', ['if=/dev/zero', `of=${filler()}`, 'bs=1k'], { stdio: 'ignore' });
    const checkpoint = (id: string) =>
      agent.start(['checkpoint', 'full', '--id', id, '--json', '--state-dir', state()]).ended;

    it('runs on, answers every request, can be checkpointed once there is room, and ends with its code', async () => {
      mkdirSync(state(), { mode: 0o700 });
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=700`, 'none', state()]).status).toBe(0);
      mounted.push(state());
      // Its own output would not fit either.
      const program = `import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print("up", flush=True)
while True: time.sleep(0.02)`;
      const supervisor = agent.run('full', ['python3', '-c', program], ['--state-dir', state()]);
      await supervisor.printed('up');
      fill();
      // Whether CRIU needs room there is its matter. Each attempt is answered, a repetition like the first.
      const ids = [randomUUID(), randomUUID()] as const;
      const answers = [await checkpoint(ids[0]), await checkpoint(ids[1]), await checkpoint(ids[0])];
      expect(answers[2]).toMatchObject({ code: answers[0]!.code, out: answers[0]!.out });
      expect((await agent.status('full', '--state-dir', state())).phase).toBe('running');
      expect(supervisor.err.match(/The state in .* cannot be written/g)).toHaveLength(1);

      rmSync(filler());
      expect(await checkpoint(randomUUID())).toMatchObject({ code: 0 });

      fill();
      supervisor.child.kill('SIGTERM');
      expect((await supervisor.ended).code).toBe(7);
    });
  });

  describe('whose supervisor has something to print', () => {
    // Its hook fails, which it prints.
    const args = ['run', '--name', 'prints', '--quiesce', 'true', '--resume', 'exit 1', '--', 'sh', '-c', LOOP];
    const survives = async (supervisor: AgentProcess) => {
      const { pid } = await agent.status('prints');
      await agent.checkpoint('prints');
      expect((await agent.status('prints')).phase).toBe('running');
      expect(runs(pid!)).toBe(true);
      supervisor.child.kill('SIGTERM');
      expect((await supervisor.ended).code).toBe(143);
    };

    it('runs on while the disk of that output is full', async () => {
      const supervisor = agent.start(args, {}, ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh']);
      await supervisor.printed('up');
      await survives(supervisor);
    });

    it('ends with its code also if none of its output could be written', async () => {
      const full = ['sh', '-c', 'exec "$@" >/dev/full', 'sh'];
      const { code } = await agent.start(['run', '--name', 'unread', '--', 'echo', 'up'], {}, full).ended;
      expect(code).toBe(0);
    });

    it('passes on all of its output, also if the disk had room for a part of it', async () => {
      const disk = join(agent.root, 'output');
      mkdirSync(disk);
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'none', disk]).status).toBe(0);
      mounted.push(disk);
      // What is left is no multiple of what is passed on at a time.
      writeFileSync(join(disk, 'filler'), Buffer.alloc(100 * 1024));
      const output = join(disk, 'output');
      const program = `import time
for n in range(80000): print(n)
print("last", flush=True)
time.sleep(3600)`;
      const full = ['sh', '-c', `exec "$@" >${output}`, 'sh'];
      agent.start(['run', '--name', 'long', '--', 'python3', '-c', program], {}, full);
      const log = join(agent.folder('long'), 'log');
      await eventually(() => expect(readFileSync(log, 'utf8')).toMatch(/last\n$/));
      await eventually(() => expect(statfsSync(disk).bfree).toBe(0));
      expect(spawnSync('mount', ['-o', 'remount,size=4m', disk]).status).toBe(0);
      await eventually(() => expect(statSync(output).size).toBe(statSync(log).size));
      expect(readFileSync(output).equals(readFileSync(log))).toBe(true);
    });

    it('runs on after whoever read that output has left', async () => {
      const supervisor = agent.start(args);
      await supervisor.printed('up');
      supervisor.child.stderr!.destroy();
      await survives(supervisor);
    });
  });

  /** A CRIU that does its work and then something else. */
  const criuAndThen = (script: string): NodeJS.ProcessEnv => {
    const directory = join(agent.root, 'bin');
    mkdirSync(directory, { recursive: true });
    const program = join(directory, 'criu');
    writeFileSync(program, `#!/bin/sh\n${find('criu')} "$@"\ncode=$?\n${script}\nexit $code\n`);
    chmodSync(program, 0o755);
    return { PATH: `${directory}:${process.env.PATH}` };
  };
  const started = async (
    name: string,
    env: NodeJS.ProcessEnv,
    options: readonly string[] = [],
  ): Promise<AgentProcess> => {
    const supervisor = agent.start(['run', '--name', name, ...options, '--', 'python3', '-c', COUNT], env);
    await supervisor.printed('5');
    return supervisor;
  };

  describe('that ends by itself while a checkpoint of it is on its way', () => {
    const hold = () => join(agent.root, 'hold');
    const waits = () => join(agent.root, 'waits');
    beforeEach(() => writeFileSync(hold(), ''));
    afterEach(() => [hold(), waits()].forEach((file) => rmSync(file, { force: true })));

    const crashes = (_supervisor: AgentProcess, pid: number) => process.kill(pid, 'SIGKILL');
    /** It ends behind its dump, of which nothing was stored yet. */
    const killed = async (
      name: string,
      options: readonly string[] = [],
      ofRun: readonly string[] = [],
      ends: (supervisor: AgentProcess, pid: number) => unknown = crashes,
    ) => {
      const script = `[ "$1" = dump ] && : >${waits()} && while [ -e ${hold()} ]; do sleep 0.02; done`;
      const supervisor = await started(name, criuAndThen(script), ofRun);
      const checkpoint = agent.start(['checkpoint', name, '--json', ...options]);
      await eventually(() => expect(existsSync(waits())).toBe(true));
      const { pid } = await agent.status(name);
      ends(supervisor, pid!);
      await expectGone(pid!);
      return { supervisor, checkpoint };
    };

    it('is known to have ended at once, and the checkpoint is kept if it can be stored soon', async () => {
      // However slow this machine is.
      const { supervisor, checkpoint } = await killed('soon', [], ['--checkpoint-on-term', '--grace', '300']);
      await eventually(async () =>
        expect(await agent.status('soon')).toMatchObject({ phase: 'ended', exitCode: 137, pid: null }),
      );
      expect(runs(supervisor.pid)).toBe(true);
      const second = await agent.run('soon', ['true']).ended;
      expect(second).toMatchObject({ code: 3, err: expect.stringContaining('Another supervisor runs the workload') });
      rmSync(hold());
      expect(await checkpoint.ended).toMatchObject({ code: 0 });
      expect((await supervisor.ended).code).toBe(137);
      expect(await agent.status('soon')).toMatchObject({ supervisorPid: null, checkpoints: [{ state: 'ready' }] });
    });

    it('is left by its supervisor if that takes longer, and who waits for the checkpoint learns why', async () => {
      const { supervisor, checkpoint } = await killed('late');
      const { code, err } = await supervisor.ended;
      expect([code, err]).toEqual([137, expect.stringContaining('is not waited for any longer')]);
      expect(await checkpoint.ended).toMatchObject({ code: 1, out: expect.stringContaining('"workload_ended"') });
      expect(await agent.status('late')).toMatchObject({ exitCode: 137, checkpoints: [{ state: 'failed' }] });
      expect((await agent.run('late', ['true']).ended).code).toBe(0);
    });

    it('is left at once by a supervisor that gets a signal, however long its grace period is', async () => {
      const grace = ['--checkpoint-on-term', '--grace', '86400'];
      const { supervisor, checkpoint } = await killed('signalled', [], grace);
      await eventually(async () => expect(await agent.status('signalled')).toMatchObject({ phase: 'ended' }));
      supervisor.child.kill('SIGTERM');
      expect((await supervisor.ended).code).toBe(137);
      expect(await checkpoint.ended).toMatchObject({ code: 1, out: expect.stringContaining('"workload_ended"') });
    });

    it('is waited for if it ends by a signal for its supervisor: nobody starts it again', async () => {
      const ends = ({ child }: AgentProcess) => child.kill('SIGTERM');
      const { supervisor, checkpoint } = await killed('sent-away', [], [], ends);
      expect(await agent.status('sent-away')).toMatchObject({ phase: 'checkpointing' });
      rmSync(hold());
      expect(await checkpoint.ended).toMatchObject({ code: 0 });
      expect((await supervisor.ended).code).toBe(143);
    });

    it('is waited for if the checkpoint was to end it: it has all that the workload did', async () => {
      const { supervisor, checkpoint } = await killed('last', ['--let-go']);
      expect(await agent.status('last')).toMatchObject({ phase: 'checkpointing' });
      rmSync(hold());
      expect(await checkpoint.ended).toMatchObject({ code: 0 });
      expect((await supervisor.ended).code).toBe(137);
    });
  });

  describe('whose dump goes wrong after CRIU has stopped it', () => {
    it('continues if CRIU fails', async () => {
      const supervisor = await started('failing', criuAndThen('[ "$1" = dump ] && exit 1'));
      expect((await agent.call('checkpoint', 'failing', '--let-go')).code).toBe(1);
      await grows(supervisor);
    });

    it('is stored without the statistics if they are damaged', async () => {
      const work = join(agent.folder('figures'), 'criu/stats-dump');
      const supervisor = await started('figures', criuAndThen(`[ "$1" = dump ] && : >"${work}"`));
      expect(await agent.checkpoint('figures', '--let-go')).toMatchObject({ criu: {} });
      const { pid } = await agent.status('figures');
      expect(pid).toBe(null);
      expect((await supervisor.ended).code).toBe(137);
    });
  });
});
