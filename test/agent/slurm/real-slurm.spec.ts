import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith, find } from '../../support/components';
import { eventually } from '../../support/eventually';
import { buildPolicy, maintenance, ofSlurmJobs } from '../../support/policies';
import { Service, type Organisation } from '../../support/service';
import { Slurm } from '../../support/slurm';
import { syncJobs } from '../../support/slurm-builders';
import { giveUp } from '../../support/workloads';
import { AgentUnderTest, type AgentProcess } from '../support/agent';

const COUNTER = join(__dirname, '../support/count.py');
const PATIENCE_MS = 40_000;
const SOON_SECONDS = 10;
const CLUSTER = 'hpc';

/** Real jobs on two nodes, which share this machine, and real checkpoints. */
describeWith(['Slurm', 'CRIU'], 'the agent of Slurm with a real Slurm', () => {
  let slurm: Slurm;
  let service: Service;
  let org: Organisation;
  let agent: AgentUnderTest;
  let controller: AgentProcess;
  let state: string;
  /** Options of the supervisors of jobs. */
  let hooks: string;

  beforeAll(async () => {
    agent = new AgentUnderTest();
    slurm = await Slurm.start({ nodes: 2 });
    service = await Service.start();
    // Facts have the time of day, as outside of tests.
    service.clock.now = () => new Date();
  });
  beforeEach(async () => {
    org = await service.organisation();
    state = mkdtempSync(join(agent.root, 'state-'));
    hooks = '';
    controller = startController();
  });
  afterEach(async () => {
    await slurm.cancelAll();
    await agent.killAll();
    for (const node of ['n1', 'n2']) await resume(node);
  });
  afterAll(async () => {
    await slurm?.stop();
    await service?.close();
    agent?.remove();
  });

  const startController = (environment: NodeJS.ProcessEnv = {}) =>
    agent.start(['slurm', '--cluster', CLUSTER, '--interval', '0.3', '--log-level', 'info'], {
      CCP_STATE_DIR: state,
      CCP_URL: service.url,
      CCP_TOKEN: org.controller.token,
      SLURM_CONF: slurm.environment().SLURM_CONF,
      ...environment,
    });
  /** A PATH with another program of this name. */
  const replacing = (program: string, script: string): string => {
    const directory = mkdtempSync(join(agent.root, 'bin-'));
    writeFileSync(join(directory, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return `${directory}:${process.env.PATH}`;
  };
  /** A PATH with a scontrol that answers some of its commands with an error. */
  const refusing = (pattern: string, error: string): string =>
    replacing('scontrol', `case "$*" in ${pattern}) echo '${error}' >&2; exit 1;; esac\nexec ${find('scontrol')} "$@"`);
  const resume = async (node: string) => {
    const drained = (await slurm.run('sinfo', '--noheader', `--nodes=${node}`, '--format=%T')).startsWith('drain');
    if (drained) await slurm.run('scontrol', 'update', `nodename=${node}`, 'state=resume');
  };
  const drain = (node: string) => slurm.run('scontrol', 'update', `nodename=${node}`, 'state=drain', 'reason=test');

  /** A job as the guide writes it. */
  const submit = async (name: string, ...options: string[]) => {
    const command = [process.execPath, agent.main, 'run', '--restore', 'auto', hooks, '--'];
    const script = [
      `export CCP_STATE_DIR=${state} CCP_STORE=${agent.store}`,
      `exec ${command.join(' ')} python3 ${COUNTER} ${slurm.path('jobs', `${name}.kept`)}`,
    ].join('\n');
    const output = `--output=${slurm.path('jobs', `${name}.out`)}`;
    return slurm.submit(name, script, '--requeue', '--open-mode=append', output, ...options);
  };
  const counted = (name: string): number[] =>
    readFileSync(slurm.path('jobs', `${name}.out`), 'utf8')
      .split('\n')
      .slice(0, -1)
      .filter((line) => /^\d+$/.test(line))
      .map(Number);
  const countsBeyond = (name: string, number: number) =>
    eventually(() => expect(counted(name).at(-1)).toBeGreaterThan(number), PATIENCE_MS);
  /** Nothing was lost, and nothing was done twice. */
  const countedOn = (name: string) => {
    const numbers = counted(name);
    expect(numbers).toEqual(numbers.map((_number, place) => place + 1));
  };
  const shown = async (id: number, format: string) =>
    (await slurm.run('squeue', '--noheader', '--states=all', `--jobs=${id}`, `--format=${format}`)).trim();
  const recordOf = async (id: number): Promise<{ restart_cnt: number; admin_comment: string; eligible_time: number }> =>
    JSON.parse(await slurm.run('squeue', '--json')).jobs.find(({ job_id }: { job_id: number }) => job_id === id);
  /**
   * Slurm lets a requeued job wait for two minutes, and fail if it begins in the second of its last end. What
   * begins soon is left alone: each update would put it off again.
   */
  const startNow = (id: number) =>
    eventually(async () => {
      const { restart_cnt: restarts, eligible_time: eligibleAt } = await recordOf(id);
      if (restarts > 0 && (await shown(id, '%T')) === 'RUNNING') return;
      if (eligibleAt > Date.now() / 1_000 + SOON_SECONDS)
        await slurm.run('scontrol', 'update', `jobid=${id}`, 'StartTime=now+1');
      throw new Error(`The job ${id} does not run yet: ${await shown(id, '%T %r %S')}`);
    }, PATIENCE_MS);
  const clusterId = async (): Promise<string> => (await org.viewer.get('/v1/cluster')).body[0].id;
  const synced = (id: number, expected: object) =>
    eventually(
      async () => expect((await org.viewer.get(`/v1/slurm/jobs?job_ids=${id}`)).body).toMatchObject([expected]),
      PATIENCE_MS,
    );
  const askCheckpoint = async (id: number, members: object = {}) => {
    // A job may run and count before its controller has registered the cluster, and reported it.
    await synced(id, { job_id: expect.anything() });
    const body = { cluster_id: await clusterId(), job_id: String(id), ...members };
    return (await org.operator.post('/v1/slurm/checkpoint/job', body)).text;
  };
  const askRestore = async (action_id: string, reason = 'manual') =>
    (await org.operator.post('/v1/slurm/restore/job', { action_id, reason })).text;
  const settled = async (action: string, expected: string): Promise<string | null> => {
    let error: string | null = null;
    await eventually(async () => {
      const { body } = await org.viewer.get(`/v1/actions/${action}`);
      error = body.error;
      if (body.status !== expected) throw new Error(`${body.status}: ${error}\n${controller.out}\n${controller.err}`);
    }, PATIENCE_MS);
    return error;
  };

  /** Jobs that count, all on one node. @param names each with more options of sbatch behind it */
  const submitOn = async (node: 'n1' | 'n2', ...names: string[]): Promise<number[]> => {
    const other = node === 'n1' ? 'n2' : 'n1';
    const named = names.map((name) => name.split(' '));
    await drain(other);
    const jobs: number[] = [];
    for (const [name = '', ...options] of named) jobs.push(await submit(name, ...options));
    for (const job of jobs) await synced(job, { status: 'RUNNING', nodes: node });
    await resume(other);
    for (const [name = ''] of named) await countsBeyond(name, 3);
    return jobs;
  };
  const restoreOf = async (members: object): Promise<{ status: string; error_message?: string; metadata: object }> => {
    const found: { status: string }[] = [];
    await eventually(async () => {
      const { body } = await org.viewer.get('/v1/restores');
      found.push(
        ...(body as { status: string }[]).filter((one) => expect.objectContaining(members).asymmetricMatch(one)),
      );
      expect(found).not.toEqual([]);
    }, PATIENCE_MS);
    return found[0] as never;
  };
  const journal = () => {
    const root = join(state, 'slurm');
    return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /requests\/.+\.json$/.test(path));
  };

  it('moves a job to the other node and back to the requested checkpoint, and its output goes on', async () => {
    const [job = 0] = await submitOn('n1', 'moved');
    const action = await askCheckpoint(job);
    await settled(action, 'ready');
    const first = counted('moved').at(-1)!;
    await countsBeyond('moved', first + 2);
    await settled(await askCheckpoint(job), 'ready');
    await settled(await askRestore(action, 'nodeTermination'), 'ready');
    // The job counted on until it was stopped: only what comes from here on is of the restored one.
    const before = counted('moved').length;
    await eventually(() => expect(counted('moved').length).toBeGreaterThan(before + 3));
    expect(await shown(job, '%N')).toBe('n2');

    const numbers = counted('moved');
    const back = numbers.findIndex((number, place) => place > 0 && number !== numbers[place - 1]! + 1);
    expect(numbers[back]).toBeLessThanOrEqual(first + 1);
    expect(numbers).toEqual(
      numbers.map((_number, place) => (place < back ? place + 1 : numbers[back]! + place - back)),
    );
    const { status, metadata } = await restoreOf({ workload_type: 'slurm', checkpoint_action_id: action });
    expect({ status, metadata }).toEqual({
      status: 'succeeded',
      metadata: { job_id: job, node_name: 'n2', restored_by: expect.stringMatching(/^ccp-agent slurm on /) },
    });
    // Back again: it is kept away from the second node now, and no longer from the first one.
    const again = await askCheckpoint(job);
    await settled(again, 'ready');
    await settled(await askRestore(again, 'nodeTermination'), 'ready');
    expect(await shown(job, '%N')).toBe('n1');
  });

  it('reports stages that add up to the time from the request to the report, within 10 %', async () => {
    hooks = "--quiesce 'sleep 2'";
    const [job = 0] = await submitOn('n1', 'added');
    const action = await askCheckpoint(job);
    await settled(action, 'ready');
    const [id] = (await org.viewer.get(`/v1/actions/${action}`)).body.checkpoint_ids as string[];
    const { stages, duration_ns } = (await org.viewer.get(`/v1/operations/${id}`)).body as {
      stages: { duration_ns: number }[];
      duration_ns: number;
    };
    const seconds = async (query: string) => {
      const { rows } = await service.db.query<{ at: Date }>(query, [id]);
      return rows[0]!.at.getTime() / 1e3;
    };
    // The agent has begun behind the request, and before its first report; its last one follows the end.
    const requested = await seconds('select created_at as at from checkpoints where id = $1');
    const takenUp = await seconds('select min(occurred_at) as at from audit_entries where resource_id = $1::text');
    const uploaded = await seconds('select uploaded_at as at from checkpoints where id = $1');
    const informed = await seconds(
      "select occurred_at as at from audit_entries where action = 'put_slurm_checkpoint_info' and resource_id = $1::text",
    );
    const sum = stages.reduce((ns, one) => ns + one.duration_ns, 0);
    for (const measured of [sum, duration_ns].map((ns) => ns / 1e9)) {
      expect(measured).toBeGreaterThanOrEqual(Math.max(2, (informed - takenUp) * 0.9));
      expect(measured).toBeLessThanOrEqual((uploaded - requested) * 1.1);
    }
  });

  it('empties a node for the window of a maintenance policy, and loses and repeats no count', async () => {
    const jobs = await submitOn('n1', 'one', 'two');
    const policy = await buildPolicy(org, ofSlurmJobs(await clusterId(), ...jobs), maintenance(-1, 40));
    await service.sweep('policies');
    // While its jobs leave it. The window may be over when they run on the other one.
    await eventually(async () =>
      expect(await slurm.run('sinfo', '--noheader', '--nodes=n1', '--format=%T %E')).toMatch(/^drain.* ccp-agent: /),
    );
    for (const job of jobs)
      await eventually(async () => expect(await shown(job, '%T %N')).toBe('RUNNING n2'), PATIENCE_MS);
    for (const name of ['one', 'two']) {
      const length = counted(name).length;
      await eventually(() => expect(counted(name).length).toBeGreaterThan(length + 3));
      countedOn(name);
    }
    await eventually(async () => {
      const restores = (await org.viewer.get('/v1/restores')).body as { status: string; reason: string }[];
      expect(restores.map(({ status, reason }) => `${status} ${reason}`)).toEqual(
        Array(2).fill('succeeded maintenance'),
      );
    });
    expect((await org.viewer.get(`/v1/policy/${policy}/activity`)).body).toMatchObject({ successful_checkpoints: 2 });
    // Once the window is over.
    await eventually(
      async () => expect((await slurm.run('sinfo', '--noheader', '--nodes=n1', '--format=%T')).trim()).toBe('idle'),
      2 * PATIENCE_MS,
    );
  });

  it('keeps a job away from its node for maintenance where Slurm does not let it drain the node', async () => {
    await controller.kill();
    // As for a user who is no operator of Slurm.
    controller = startController({ PATH: refusing('*State=DRAIN*', 'slurm_update error: Invalid user id') });
    const [job = 0] = await submitOn('n1', 'kept-away');
    await buildPolicy(org, ofSlurmJobs(await clusterId(), job), maintenance(-1, 60));
    await service.sweep('policies');
    await eventually(async () => expect(await shown(job, '%T %N %x')).toBe('RUNNING n2 n1'), PATIENCE_MS);
    expect(controller.out).toMatch(/^The node n1 was not drained: Slurm refused scontrol .*Invalid user id/m);
    expect(await slurm.run('sinfo', '--noheader', '--nodes=n1', '--format=%T')).toBe('idle\n');
    const length = counted('kept-away').length;
    await eventually(() => expect(counted('kept-away').length).toBeGreaterThan(length));
    countedOn('kept-away');
  });

  it('knows the last checkpoint of a job that got the token and a SIGTERM, and restores it', async () => {
    const token = join(agent.root, 'token');
    writeFileSync(token, org.controller.token!, { mode: 0o600 });
    const command = [process.execPath, agent.main, 'run', '--restore', 'auto', '--checkpoint-on-term', '--'];
    const script = [
      `export CCP_STATE_DIR=${state} CCP_STORE=${agent.store} CCP_URL=${service.url} CCP_TOKEN_FILE=${token}`,
      `exec ${command.join(' ')} python3 ${COUNTER} ${slurm.path('jobs', 'last.kept')}`,
    ].join('\n');
    const output = `--output=${slurm.path('jobs', 'last.out')}`;
    const job = await slurm.submit('last', script, '--requeue', '--open-mode=append', output);
    await synced(job, { status: 'RUNNING' });
    await countsBeyond('last', 3);
    // As Slurm does before it preempts a job.
    await slurm.run('scancel', '--batch', '--signal=TERM', String(job));
    let action = '';
    await eventually(async () => {
      const [found, ...others] = (await org.viewer.get('/v1/actions')).body as { action_id: string }[];
      expect(others).toEqual([]);
      expect(found).toMatchObject({ status: 'ready' });
      action = found!.action_id;
    }, PATIENCE_MS);
    await eventually(async () => expect(await shown(job, '%T')).not.toBe('RUNNING'), PATIENCE_MS);
    const last = counted('last').at(-1)!;
    await settled(await askRestore(action), 'ready');
    await countsBeyond('last', last + 2);
    countedOn('last');
  });

  it('begins anew when a job is requeued whose number only an earlier job had at a checkpoint', async () => {
    const [job = 0] = await submitOn('n1', 'numbered --comment=team=nlp');
    await settled(await askCheckpoint(job), 'ready');
    const [, since = ''] = /^team=nlp ccp-agent-since=(\d+)$/.exec(await shown(job, '%k')) ?? [];
    expect(Date.now() / 1_000 - Number(since)).toBeLessThan(120);
    // As if the job that has the number now was another one.
    const noted = `team=nlp ccp-agent-since=${Number(since) + 1}`;
    await slurm.run('scontrol', 'update', `jobid=${job}`, `Comment=${noted}`);
    const before = counted('numbered').length;
    await slurm.run('scontrol', 'requeue', String(job));
    await startNow(job);
    await eventually(() => expect(counted('numbered').slice(before)).toContain(1), PATIENCE_MS);
    await countsBeyond('numbered', 3);
    await settled(await askCheckpoint(job), 'ready');
    await slurm.run('scontrol', 'requeue', String(job));
    await eventually(async () => expect(await shown(job, '%T')).toBe('PENDING'), PATIENCE_MS);
    const again = counted('numbered').length;
    await startNow(job);
    await eventually(() => expect(counted('numbered').length).toBeGreaterThan(again + 3), PATIENCE_MS);
    expect(counted('numbered').slice(again)).not.toContain(1);
    expect(await shown(job, '%k')).toBe(noted);
  });

  it('removes what a job left that was killed on another node, once Slurm has forgotten it', async () => {
    const known = await submit('known');
    await synced(known, { status: 'RUNNING' });
    await slurm.run('scancel', String(known));
    await synced(known, { status: 'CANCELLED' });
    const left = (id: number) => {
      const folder = join(state, 'workloads', 'slurm-test', `job-${id}`);
      mkdirSync(folder, { recursive: true });
      for (const file of readdirSync(folder)) utimesSync(join(folder, file), 1, 1);
      writeFileSync(join(folder, 'status.json'), JSON.stringify({ phase: 'running', machine: 'another' }));
      utimesSync(join(folder, 'status.json'), 1, 1);
    };
    [known, 900_000].forEach(left);
    await submitOn('n1', 'tidies');
    const folders = () => readdirSync(join(state, 'workloads', 'slurm-test'));
    await eventually(() => expect(folders()).not.toContain('job-900000'), PATIENCE_MS);
    expect(folders()).toContain(`job-${known}`);
  });

  it('brings back a task of an array that was let go, once, however often it is killed', async () => {
    const [job = 0] = await submitOn('n1', 'killed --array=3');
    // Its end is known only after the job itself has ended.
    const action = await askCheckpoint(job, { leave_running: false });
    await settled(action, 'ready');
    await eventually(async () => expect(await shown(job, '%T')).toBe('FAILED'), PATIENCE_MS);
    const asked = await askRestore(action, 'nodeUnschedulable');
    // At moments that lie further and further behind the request, until it is done.
    for (let pauseMs = 50; pauseMs <= 1_600; pauseMs *= 2) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await controller.kill();
      controller = startController();
    }
    await settled(asked, 'ready');
    expect((await org.viewer.get(`/v1/restores?action_id=${asked}`)).body).toHaveLength(1);
    expect((await recordOf(job)).restart_cnt).toBe(1);
    await eventually(() => expect(journal()).toEqual([]));
    expect(await shown(job, '%N')).toBe('n2');
    countedOn('killed');
  });

  it('restores each task of an array from its own checkpoint, also the one that has the number of the array', async () => {
    const task = `tasks-$SLURM_ARRAY_TASK_ID`;
    const run = `${process.execPath} ${agent.main} run --restore auto -- python3 ${COUNTER}`;
    const script = [
      `export CCP_STATE_DIR=${state} CCP_STORE=${agent.store}`,
      `exec ${run} ${slurm.path('jobs', `${task}.kept`)} >>${slurm.path('jobs', `${task}.out`)}`,
    ].join('\n');
    const array = await slurm.submit('tasks', script, '--requeue', '--array=1-2');
    await eventually(async () => expect((await shown(array, '%T')).split('\n')).toEqual(Array(2).fill('RUNNING')));
    const ids = (await shown(array, '%A %K')).split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    const ofTask = new Map(ids.map(([id = 0, number]) => [`tasks-${number}`, id]));
    expect([...ofTask.values()]).toContain(array);
    // Those with the instructions that the last one is shown beside its own.
    const names = [...ofTask].sort(([, one], [, other]) => other - one).map(([name]) => name);
    const id = (name: string) => ofTask.get(name)!;
    for (const name of names) await countsBeyond(name, 3);
    const actions = await Promise.all(names.map((name) => askCheckpoint(id(name))));
    for (const action of actions) await settled(action, 'ready');
    for (const action of actions) await settled(await askRestore(action), 'ready');
    for (const name of names) {
      const before = counted(name).length;
      await eventually(() => expect(counted(name).length).toBeGreaterThan(before + 3), PATIENCE_MS);
      expect(counted(name).filter((number) => number === 1)).toHaveLength(1);
    }
  });

  it.each([
    ['', 'uncommented'],
    ['of an operator', 'commented'],
  ])(
    'takes the instruction of a restore back that the service gave up, and leaves the comment "%s"',
    async (comment, name) => {
      const [job = 0] = await submitOn('n1', name);
      await slurm.run('scontrol', 'update', `jobid=${job}`, `AdminComment=${comment}`);
      const earlier = await askCheckpoint(job);
      await settled(earlier, 'ready');
      // It is killed between the instruction and the requeue.
      await controller.kill();
      controller = startController({ PATH: refusing('requeue*', 'Unable to contact slurm controller') });
      const restore = await askRestore(earlier);
      await eventually(
        async () => expect((await recordOf(job)).admin_comment).toContain('ccp-agent-restore='),
        PATIENCE_MS,
      );
      await controller.kill();
      await giveUp(service, org, restore);
      controller = startController();
      await eventually(async () => expect((await recordOf(job)).admin_comment).toBe(comment), PATIENCE_MS);
      await eventually(() => expect(journal()).toEqual([]));
      expect(await shown(job, '%T %N')).toBe('RUNNING n1');

      // Its next run, which somebody else causes, continues from the newest checkpoint.
      await countsBeyond(name, counted(name).at(-1)! + 3);
      const before = counted(name).at(-1)!;
      await settled(await askCheckpoint(job), 'ready');
      const length = counted(name).length;
      await slurm.run('scontrol', 'requeue', String(job));
      await startNow(job);
      await eventually(() => expect(counted(name).length).toBeGreaterThan(length + 5), PATIENCE_MS);
      expect(Math.min(...counted(name).slice(length))).toBeGreaterThan(before);
    },
  );

  it('leaves no instruction in a job that Slurm does not requeue', async () => {
    const [job = 0] = await submitOn('n1', 'refused');
    await slurm.run('scontrol', 'update', `jobid=${job}`, 'AdminComment=of an operator');
    const action = await askCheckpoint(job);
    await settled(action, 'ready');
    await controller.kill();
    const refusal = 'Requested operation is presently disabled';
    controller = startController({ PATH: refusing('requeue*', refusal) });
    expect(await settled(await askRestore(action), 'error')).toMatch(
      new RegExp(`^scheduler_refused: Slurm refused scontrol requeue: ${refusal}`),
    );
    expect(await recordOf(job)).toMatchObject({ restart_cnt: 0, admin_comment: 'of an operator' });
    expect(await shown(job, '%T %N')).toBe('RUNNING n1');
    await eventually(() => expect(journal()).toEqual([]));
  });

  it('restores a job that waits when it starts, and leaves it the time at which its owner lets it start', async () => {
    const [job = 0] = await submitOn('n1', 'delayed');
    const action = await askCheckpoint(job);
    await settled(action, 'ready');
    await countsBeyond('delayed', counted('delayed').at(-1)! + 2);
    await settled(await askCheckpoint(job), 'ready');
    await slurm.run('scontrol', 'requeue', String(job));
    await eventually(async () => expect(await shown(job, '%T')).toBe('PENDING'), PATIENCE_MS);
    await slurm.run('scontrol', 'update', `jobid=${job}`, 'StartTime=now+3600');
    await eventually(async () => expect(await shown(job, '%r')).toBe('BeginTime'), PATIENCE_MS);
    const { eligible_time: eligibleAt } = await recordOf(job);
    await controller.kill();
    const looks = join(agent.root, 'looks');
    controller = startController({ PATH: replacing('squeue', `echo >>${looks}\nexec ${find('squeue')} "$@"`) });
    const restore = await askRestore(action);
    await eventually(
      async () => expect((await recordOf(job)).admin_comment).toContain('ccp-agent-restore='),
      PATIENCE_MS,
    );
    // Each look at a waiting job may change it.
    const before = readFileSync(looks, 'utf8').length;
    await eventually(() => expect(readFileSync(looks, 'utf8').length).toBeGreaterThan(before + 5), PATIENCE_MS);
    expect(await recordOf(job)).toMatchObject({ eligible_time: eligibleAt, restart_cnt: 1 });
    const length = counted('delayed').length;
    await startNow(job);
    await settled(restore, 'ready');
    await eventually(() => expect(counted('delayed').length).toBeGreaterThan(length + 3), PATIENCE_MS);
    // From the first of the two checkpoints.
    expect(counted('delayed')[length]).toBeLessThan(counted('delayed')[length - 1]!);
    expect((await recordOf(job)).restart_cnt).toBe(1);
  });

  it('says why it cannot, and leaves the job as it is', async () => {
    const [fixed = 0] = await submitOn('n1', 'fixed');
    await slurm.run('scontrol', 'update', `jobid=${fixed}`, 'requeue=0');
    const wide = await slurm.submit('wide', 'sleep 300', '--nodes=2');
    const plain = await slurm.submit('plain', 'sleep 300');
    for (const job of [wide, plain]) await synced(job, { status: 'RUNNING' });
    const [good, ofWide, ofPlain] = [await askCheckpoint(fixed), await askCheckpoint(wide), await askCheckpoint(plain)];
    expect(await settled(ofWide, 'error')).toMatch(/^several_nodes: .* runs on 2 nodes/);
    expect(await settled(ofPlain, 'error')).toMatch(/^workload_missing: /);
    await settled(good, 'ready');
    expect(await settled(await askRestore(good), 'error')).toMatch(/^not_requeueable: /);
    await countsBeyond('fixed', counted('fixed').at(-1)!);
    // As if the restore named another cluster, which has a job with this number.
    await service.db.query('update actions set slurm_job_id = $2 where id = $1', [good, plain]);
    expect(await settled(await askRestore(good), 'error')).toMatch(/^incompatible: The checkpoint is of /);
    expect(await shown(plain, '%T')).toBe('RUNNING');
  });

  it('ends what it was asked when the job ends first, or when its checkpoint is damaged', async () => {
    const [ended = 0, waiting = 0, damaged = 0] = await submitOn('n1', 'ended', 'waiting', 'damaged');
    const [ofWaiting, ofDamaged] = [await askCheckpoint(waiting), await askCheckpoint(damaged)];
    for (const action of [ofWaiting, ofDamaged]) await settled(action, 'ready');
    await controller.kill();
    const ofEnded = await askCheckpoint(ended);
    await slurm.run('scancel', String(ended));
    // The event is lost, so that only the state of the service shows it.
    await org.viewer.get('/v1/inference/outbox?consumer_id=other');
    const gone = [org.id, [ofWaiting, ofDamaged, ofEnded]];
    const lost = await service.db.query('delete from outbox_events where org_id = $1 and aggregate_id = any($2)', gone);
    expect(lost.rowCount).toBe(3);
    const { restore_path: path } = (await org.viewer.get(`/v1/actions/${ofDamaged}`)).body;
    appendFileSync(join(path, 'images/inventory.img'), 'x');
    controller = startController();
    expect(await settled(ofEnded, 'error')).toMatch(/^workload_ended: The job \d+ does not run: CANCELLED/);
    expect(await settled(await askRestore(ofDamaged), 'error')).toMatch(/^checkpoint_damaged: /);
    for (const node of ['n1', 'n2']) await drain(node);
    const restore = await askRestore(ofWaiting);
    await eventually(async () => expect(await shown(waiting, '%T')).toBe('PENDING'), PATIENCE_MS);
    await slurm.run('scancel', String(waiting));
    expect(await settled(restore, 'error')).toMatch(/^workload_ended: The job \d+ ended \(CANCELLED\)/);
  });

  it('reports nodes, partitions and reservations, and nothing as gone while Slurm is down', async () => {
    const [job = 0] = await submitOn('n1', 'survivor');
    await slurm.run(
      'scontrol',
      'create',
      'reservation',
      'reservationname=fw',
      'starttime=now+3600',
      'duration=60',
      'nodes=n2',
      'user=root',
    );
    const cluster = async () => ({
      nodes: (await org.viewer.get('/v1/slurm/nodes')).body.map(({ name }: { name: string }) => name).sort(),
      partitions: (await org.viewer.get('/v1/slurm/partitions')).body,
      windows: (await org.viewer.get('/v1/slurm/maintenance_window')).body,
    });
    const expected = {
      nodes: ['n1', 'n2'],
      partitions: [
        expect.objectContaining({ name: 'batch', state: 'UP', nodes: 'n[1-2]', total_cpus: 16, max_time: -1 }),
      ],
      windows: [expect.objectContaining({ name: 'fw', nodes: ['n2'], status: 'scheduled' })],
    };
    await eventually(async () => expect(await cluster()).toEqual(expected));
    await slurm.stopController();
    await eventually(() => expect(controller.err).toContain('the inventory was not reported'), PATIENCE_MS);
    const action = await askCheckpoint(job);
    expect(await cluster()).toEqual(expected);
    slurm.startController();
    await settled(action, 'ready');
    await synced(job, { status: 'RUNNING' });
    await slurm.run('scontrol', 'delete', 'reservationname=fw');
    await eventually(async () =>
      expect((await cluster()).windows).toEqual([expect.objectContaining({ status: 'ended' })]),
    );
  });

  it('reads the end of a job that Slurm has forgotten from the accounting, if there is one', async () => {
    const job = await submit('stays');
    await synced(job, { status: 'RUNNING' });
    await controller.kill();
    const forgotten = { job_id: 900_000, name: 'forgotten', submit_time: 1_000, start_time: 1_010 };
    await syncJobs(org.controller, await clusterId(), [{ ...forgotten, job_state: ['RUNNING'] }]);
    controller = startController();
    await eventually(() => expect(controller.err).toContain('accounting storage is disabled'), PATIENCE_MS);
    await synced(900_000, { status: 'RUNNING' });
    await controller.kill();
    const time = { submission: 1_000, start: 1_010, end: 1_020 };
    const kept = { job_id: 900_000, name: 'forgotten', state: { current: 'NODE_FAIL' }, time };
    controller = startController({
      PATH: replacing('sacct', `echo '${JSON.stringify({ jobs: [kept], errors: [] })}'`),
    });
    await synced(900_000, { status: 'NODE_FAIL', end_time: 1_020 });
    const events = (await org.viewer.get('/v1/slurm/events?status=NODE_FAIL')).body;
    expect(events).toMatchObject([{ job_id: 900_000, status: 'NODE_FAIL' }]);
    await synced(job, { status: 'RUNNING' });
  });
});
