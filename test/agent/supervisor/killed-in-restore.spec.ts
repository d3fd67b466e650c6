import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../../src/1-platform/common/ids';
import { leftByRestore } from '../../../src/agent/criu/restore-directory';
import { childrenOf } from '../../../src/agent/processes/processes';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { AgentUnderTest, runs, type AgentProcess } from '../support/agent';
import { programs } from '../support/running-engines';
import { WaitingCriu } from '../support/waiting-criu';

/** On the command lines of all engines of this file. */
const MARK = `engine-${newId()}`;
const ENGINE = ['python3', '-c', 'import time; print("up", flush=True)\nwhile True: time.sleep(0.05)', MARK];
const LOOK_EVERY_MS = 10;
const WITHIN_MS = 10_000;

describeWith(['CRIU'], 'What a killed supervisor was restoring', () => {
  let agent: AgentUnderTest;
  let criu: WaitingCriu;
  let reference: string;
  let names = 0;
  let most = 0;
  let looks: NodeJS.Timeout;
  beforeAll(async () => {
    agent = new AgentUnderTest();
    criu = new WaitingCriu(agent.root);
    const first = agent.run('first', ENGINE);
    await first.printed('up');
    ({ reference } = await agent.checkpoint('first', '--let-go'));
    await first.ended;
  });
  beforeEach(() => {
    most = 0;
    looks = setInterval(() => (most = Math.max(most, engines().length)), LOOK_EVERY_MS);
  });
  afterEach(async () => {
    clearInterval(looks);
    await agent.killAll();
    for (const pid of engines()) process.kill(pid, 'SIGKILL');
  });
  afterAll(() => agent.remove());

  const engines = (): number[] =>
    programs('python3').flatMap(({ pid, args }) => (args.includes(MARK) && runs(pid) ? [pid] : []));
  const childWith = (text: string, { pid }: AgentProcess): number | undefined =>
    childrenOf(pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(text));
  const guardOf = (supervisor: AgentProcess): number => childWith('read -r', supervisor)!;
  const restored = async (): Promise<number> => {
    await eventually(() => expect(engines()).toHaveLength(1), WITHIN_MS);
    return engines()[0]!;
  };
  const succeed = (name: string): AgentProcess => agent.run(name, ENGINE);
  /** It waits for the lock of its name, or it did not. */
  const waitsOrRuns = (supervisor: AgentProcess): boolean =>
    childWith('--timeout', supervisor) !== undefined || supervisor.lines.includes('up');
  /** Begins a restore. CRIU goes on with it when `then` is done. */
  const restoring = async (then: (supervisor: AgentProcess, name: string) => void | Promise<void>) => {
    const name = `worker-${names++}`;
    const supervisor = agent.start(['run', '--name', name, '--restore', reference], criu.environment);
    await criu.during('restore', () => then(supervisor, name));
    return name;
  };

  it('ends before the next supervisor of its name starts anything, however late its guard is', async () => {
    let guard = 0;
    const name = await restoring(async (supervisor) => {
      guard = guardOf(supervisor);
      process.kill(guard, 'SIGSTOP');
      await supervisor.kill();
    });
    const left = await restored();
    const next = succeed(name);
    await eventually(() => expect(waitsOrRuns(next)).toBe(true), WITHIN_MS);
    expect(engines()).toEqual([left]);
    process.kill(guard, 'SIGCONT');
    await next.printed('up');
    expect(runs(left)).toBe(false);
    expect(engines()).toHaveLength(1);
    expect(most).toBe(1);
  });

  it('keeps its name if the guard was killed too, and the next supervisor names it', async () => {
    let next: AgentProcess;
    const name = await restoring(async (supervisor, itsName) => {
      process.kill(guardOf(supervisor), 'SIGKILL');
      await supervisor.kill();
      next = succeed(itsName);
      await eventually(() => expect(waitsOrRuns(next)).toBe(true), WITHIN_MS);
    });
    const left = await restored();
    const work = join(agent.folder(name), 'criu');
    await eventually(() => expect(leftByRestore(work)).toBe(left), WITHIN_MS);
    // A process that is younger than what CRIU wrote is another one with the same pid.
    expect(leftByRestore(work, () => Date.now() + 60_000)).toBeUndefined();
    expect(await next!.ended).toMatchObject({
      code: 3,
      err: expect.stringContaining(`its process ${left} still runs`),
    });
    expect(most).toBe(1);
    process.kill(left, 'SIGKILL');
    await succeed(name).printed('up');
  });

  it('does not have the lock of its name open once it runs', async () => {
    const name = await restoring(() => {});
    await eventually(async () => expect(await agent.status(name)).toMatchObject({ phase: 'running' }), WITHIN_MS);
    const { pid } = await agent.status(name);
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    expect(open).toContain(join(agent.folder(name), 'log'));
    expect(open).not.toContain(join(agent.folder(name), 'lock'));
  });
});
