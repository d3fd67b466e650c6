import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ASKED, MANIFEST, REFERENCE, StubJob } from '../../../../../test/agent/slurm/stub-job';
import { eventually } from '../../../../../test/support/eventually';
import { AgentFailure } from '../../../failures';
import { idFor } from '../../../service/requests';
import { withSince } from '../../../slurm/job-since';
import { instructionIn, isFollowed, withInstruction } from '../../../slurm/restore-instruction';
import { SlurmUnavailable } from '../../../slurm/slurm-commands';
import { giveUpRestore, restoreJob } from './restore-work';
import type { RestoreAsked } from './slurm-requests';

const AT = '2026-06-01T10:00:00.000Z';
const planned: RestoreAsked = {
  ...ASKED,
  kind: 'restore',
  reference: REFERENCE,
  plan: { startedAt: AT, run: 1, requeues: true, excluded: '', lifted: '' },
};
const instruction = { reference: REFERENCE, uid: idFor(ASKED, 'pod'), run: 1, at: AT, excluded: '' };

describe('The restore of a job that the service has given up', () => {
  let directory: string;
  let stub: StubJob;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-restore-'));
    stub = new StubJob(directory);
    stub.action = { status: 'error', reason: 'manual', details: null, restore_path: REFERENCE };
  });
  afterEach(async () => {
    stub.kill();
    await rm(directory, { recursive: true });
  });

  it('is not begun, and leaves a job that runs as it is', async () => {
    await restoreJob(stub.context(), planned);
    expect(stub.job).toMatchObject({ phase: 'running', restarts: 0, adminComment: '' });
    expect(stub.operations).toEqual(['get_action']);
  });

  it('is not begun in a job that waits for its next run', async () => {
    stub.change({ phase: 'pending', restarts: 1 });
    await restoreJob(stub.context(), planned);
    expect(stub.job.adminComment).toBe('');
    expect(stub.operations).toEqual(['get_action']);
  });

  it('takes back an instruction that a later run would follow, and nothing else', async () => {
    stub.change({ adminComment: withInstruction('of an operator', instruction) });
    await restoreJob(stub.context(), planned);
    expect(stub.job).toMatchObject({ phase: 'running', restarts: 0, adminComment: 'of an operator' });
  });

  it('is reported if it was begun before', async () => {
    stub.change({ restarts: 1, batchHost: 'n2', adminComment: withInstruction('', instruction) });
    await restoreJob(stub.context(), planned);
    expect(stub.operations).toEqual(['get_action', 'record_restore_start', 'record_restore_success']);
  });
});

describe('The restore of a job whose record is lost', () => {
  const unplanned: RestoreAsked = { ...ASKED, kind: 'restore', reference: REFERENCE };
  let directory: string;
  let stub: StubJob;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-restore-'));
    stub = new StubJob(directory);
    stub.action = { status: 'in_progress', reason: 'nodeTermination', details: null, restore_path: REFERENCE };
  });
  afterEach(async () => {
    stub.kill();
    await rm(directory, { recursive: true });
  });

  /** The job runs on another node as soon as it is requeued. */
  const context = () => {
    const made = stub.context();
    let requeued = 0;
    const requeue = () => {
      requeued++;
      stub.change({ phase: 'running', restarts: stub.job.restarts + 1, batchHost: 'n2' });
      return Promise.resolve();
    };
    Object.assign(made.cluster, { requeue });
    return { made, requeued: () => requeued };
  };

  it('is reported, and the job is not requeued again', async () => {
    const first = context();
    await restoreJob(first.made, unplanned);
    await stub.journal.done(unplanned);
    const second = context();
    await restoreJob(second.made, unplanned);
    expect([first.requeued(), second.requeued(), stub.job.restarts]).toEqual([1, 0, 1]);
    const reports = ['get_action', 'record_restore_start', 'record_restore_success'];
    expect(stub.operations).toEqual([...reports, ...reports]);
    // The node that it left is still excluded by the same instruction.
    const [kept] = await stub.journal.open();
    expect(kept).toMatchObject({ plan: { run: 1, excluded: 'n1' } });
  });

  it('is requeued if the job has its instruction only', async () => {
    stub.change({ adminComment: withInstruction('', instruction) });
    const only = context();
    await restoreJob(only.made, unplanned);
    expect([only.requeued(), stub.job.restarts]).toEqual([1, 1]);
  });

  it('keeps its instruction in a job that follows it, also if the service has given it up', async () => {
    stub.action = { status: 'error', reason: 'manual', details: null, restore_path: REFERENCE };
    stub.change({ restarts: 1, batchHost: 'n2', adminComment: withInstruction('', instruction) });
    const { adminComment } = stub.job;
    await restoreJob(stub.context(), unplanned);
    expect(stub.job.adminComment).toBe(adminComment);
    expect(stub.operations).toEqual(['get_action', 'record_restore_start', 'record_restore_success']);
  });
});

describe('The restore of a job that waits in the queue', () => {
  let directory: string;
  let stub: StubJob;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-restore-'));
    stub = new StubJob(directory);
    stub.action = { status: 'in_progress', reason: 'manual', details: null, restore_path: REFERENCE };
    stub.change({ phase: 'pending', restarts: 1, batchHost: '' });
  });
  afterEach(async () => {
    stub.kill();
    await rm(directory, { recursive: true });
  });

  const asked: RestoreAsked = { ...ASKED, kind: 'restore' };
  const ofAnother = { ...MANIFEST, workload: { namespace: 'slurm-hpc', name: 'job-8' } };
  const noted = { ...MANIFEST, workload: { ...MANIFEST.workload, jobSince: 5 } };

  it.each([
    ['the service names no checkpoint', 'does not know where the checkpoint is', { path: null }],
    ['it is of another job', 'The checkpoint is of slurm-hpc/job-8', { manifest: ofAnother }],
    ['it is of an earlier job with its number', 'The checkpoint is of an earlier job', { manifest: noted }],
    ['it must not be requeued', 'is not a batch job that may be requeued', { isRequeueable: false }],
  ])('is refused, and gives the job no instruction, if %s', async (_why, expected, given) => {
    const {
      path = REFERENCE,
      manifest = MANIFEST,
      isRequeueable = true,
    } = given as {
      path?: string | null;
      manifest?: object;
      isRequeueable?: boolean;
    };
    stub.action = { ...stub.action, restore_path: path };
    stub.change({ isRequeueable, comment: withSince('', 6) });
    const said: string[] = [];
    const store = { manifest: () => Promise.resolve(manifest) };
    await restoreJob(stub.context({ store, say: (one: string) => void said.push(one) }), asked);
    expect(said.join()).toContain(expected);
    expect(stub.changes).toEqual([]);
    expect(stub.operations.at(-1)).toBe('record_restore_error');
  });

  it('gives the job its instruction later if Slurm refuses it for a moment', async () => {
    const context = stub.context();
    const updateJob = context.cluster.updateJob.bind(context.cluster);
    let refused = 0;
    const busy = new AgentFailure({ cause: 'scheduler_refused', message: 'Job is being scheduled.' });
    const update: typeof updateJob = (...change) => (refused++ < 2 ? Promise.reject(busy) : updateJob(...change));
    Object.assign(context.cluster, { updateJob: update });
    const restored = restoreJob(context, asked);
    while (stub.job.adminComment === '') await Promise.race([restored, sleep(5)]);
    stub.runsOn('n2');
    await restored;
    expect(stub.operations.at(-1)).toBe('record_restore_success');
  });

  it.each([
    [3_000, 3],
    [7_000, 2],
  ])(
    'fails within seconds, with the words of Slurm, if Slurm refuses the instruction each time after %s ms',
    async (thinksMs, tries) => {
      const said: string[] = [];
      const context = stub.context({ say: (one: string) => void said.push(one) });
      const never = new AgentFailure({ cause: 'scheduler_refused', message: 'Access denied.' });
      let tried = 0;
      let now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      const updateJob = () => {
        tried++;
        now += thinksMs;
        return Promise.reject(never);
      };
      Object.assign(context.cluster, { updateJob });
      await restoreJob(context, asked).finally(() => jest.restoreAllMocks());
      // Five seconds behind the first refusal, however long Slurm has thought about it.
      expect(tried).toBe(tries);
      expect(stub.operations.at(-1)).toBe('record_restore_error');
      expect(said).toEqual(['The job 7 was not restored: Access denied. (scheduler_refused)']);
      expect(stub.job.adminComment).toBe('');
    },
  );

  it('gives the job its instruction once, and does not requeue it', async () => {
    const restored = restoreJob(stub.context(), asked);
    while (stub.job.adminComment === '') await sleep(5);
    stub.runsOn('n2');
    await restored;
    expect(stub.changes.filter((change) => change.startsWith('AdminComment='))).toHaveLength(1);
    expect(stub.operations.at(-1)).toBe('record_restore_success');
  });

  const earlier = { ...instruction, uid: MANIFEST.id, excluded: 'n3' };

  it.each([
    ['', '', /^AdminComment=ccp-agent-restore=\S+$/],
    [', also if it may return to a node', withInstruction('', earlier), /^AdminComment=\S+\nExcNodeList=$/],
    [', also if the record of the request is lost', withInstruction('', instruction), /^$/],
  ])('leaves it the time at which its owner lets it start%s', async (_which, adminComment, expected) => {
    const excludedNodes = adminComment.includes('n3') ? 'n3' : '';
    stub.change({ adminComment, excludedNodes, record: { state_reason: 'BeginTime' } });
    const context = stub.context();
    const jobs = context.cluster.jobs.bind(context.cluster);
    let looks = 0;
    Object.assign(context.cluster, { jobs: () => (looks++, jobs()) });
    const restored = restoreJob(context, asked);
    // Each look at a waiting job may change it.
    await eventually(() => expect(looks).toBeGreaterThan(5));
    stub.runsOn('n2');
    await restored;
    expect(stub.changes.join('\n')).toMatch(expected);
    expect(stub.operations.at(-1)).toBe('record_restore_success');
  });

  describe('and starts just before it gets its instruction', () => {
    let requeued: number;
    /** @param follows whether it reads the instruction all the same */
    const context = (follows: boolean) => {
      requeued = 0;
      const uid = () => (follows || stub.job.restarts > 1 ? idFor(ASKED, 'pod') : 'of-another');
      const steps = {
        status: () =>
          Promise.resolve({ uid: uid(), phase: 'running', restored: { stages: [] }, startedAt: '2026-06-01' }),
      };
      const made = stub.context({ steps });
      const updateJob = made.cluster.updateJob.bind(made.cluster);
      const requeue = () => {
        requeued++;
        stub.change({ phase: 'running', restarts: stub.job.restarts + 1, batchHost: 'n2' });
        return Promise.resolve('');
      };
      const update: typeof updateJob = (...change) => {
        if (stub.job.phase === 'pending') stub.runsOn('n1');
        return updateJob(...change);
      };
      return Object.assign(made, { cluster: Object.assign(made.cluster, { updateJob: update, requeue }) });
    };

    it('fails, and leaves the job as it runs, without the instruction', async () => {
      stub.action = { ...stub.action, reason: 'nodeTermination' };
      await restoreJob(context(false), asked);
      expect(requeued).toBe(0);
      expect(stub.job).toMatchObject({ phase: 'running', restarts: 1, adminComment: '' });
      expect(stub.operations.at(-1)).toBe('record_restore_error');
    });

    it('fails where another restore has replaced the instruction, and leaves that one in the job', async () => {
      const made = context(false);
      const { cluster } = made;
      const updateJob = cluster.updateJob.bind(cluster);
      const other = withInstruction('', { ...instruction, uid: MANIFEST.id });
      const update: typeof updateJob = async (...change) => {
        const text = await updateJob(...change);
        stub.change({ adminComment: other });
        return text;
      };
      Object.assign(cluster, { updateJob: update });
      await restoreJob(made, asked);
      expect(requeued).toBe(0);
      expect(stub.job).toMatchObject({ phase: 'running', restarts: 1, adminComment: other });
      expect(stub.operations.at(-1)).toBe('record_restore_error');
    });

    it('is not requeued if it follows the instruction', async () => {
      await restoreJob(context(true), asked);
      expect([requeued, stub.job.restarts]).toEqual([0, 1]);
      expect(stub.operations.at(-1)).toBe('record_restore_success');
    });
  });
});

describe('The restore of a job that fails', () => {
  let directory: string;
  let stub: StubJob;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-restore-'));
    stub = new StubJob(directory);
    stub.action = { status: 'in_progress', reason: 'manual', details: null, restore_path: REFERENCE };
    stub.change({ adminComment: 'of an operator' });
  });
  afterEach(async () => {
    stub.kill();
    await rm(directory, { recursive: true });
  });

  /** The comment of the job when the failure is reported. */
  const withReports = (members: object = {}) => {
    const context = stub.context(members);
    const reported: string[] = [];
    const send = context.service.send.bind(context.service);
    const noting: typeof send = (operation, ...rest) => {
      if (operation === 'record_restore_error') reported.push(stub.job.adminComment);
      return send(operation, ...rest);
    };
    Object.assign(context.service, { send: noting });
    return { context, reported };
  };
  const refusal = new AgentFailure({ cause: 'scheduler_refused', message: 'Requeue is disabled.' });

  it.each(['restore', 'move'] as const)(
    'leaves no instruction in a job that Slurm does not requeue for a %s',
    async (kind) => {
      const { context, reported } = withReports();
      let instructed = '';
      Object.assign(context.cluster, {
        requeue: () => {
          instructed = stub.job.adminComment;
          return Promise.reject(refusal);
        },
      });
      await restoreJob(context, { ...planned, kind });
      expect(instructed).toContain('ccp-agent-restore=');
      expect(reported).toEqual(['of an operator']);
      expect(stub.job).toMatchObject({ phase: 'running', restarts: 0, adminComment: 'of an operator' });
    },
  );

  it('goes on if Slurm has sent the job back at that moment, and refuses to do it again', async () => {
    const { context, reported } = withReports();
    let isSentBack = false;
    Object.assign(context.cluster, {
      requeue: () => {
        stub.change({ phase: 'pending', restarts: 1, batchHost: '' });
        isSentBack = true;
        const message = 'Slurm refused scontrol requeue: Job is pending execution';
        return Promise.reject(new AgentFailure({ cause: 'scheduler_refused', message }));
      },
    });
    const restored = restoreJob(context, planned);
    await eventually(() => expect(isSentBack).toBe(true));
    stub.runsOn('n2');
    await restored;
    expect(reported).toEqual([]);
    expect(stub.operations.at(-1)).toBe('record_restore_success');
  });

  it('goes on if Slurm sends the job back, and shows the end of the run before for a moment', async () => {
    const { context, reported } = withReports();
    let looks = 0;
    Object.assign(context.cluster, {
      requeue: () => {
        stub.change({ phase: 'ended', state: 'NODE_FAIL' });
        const jobs = context.cluster.jobs.bind(context.cluster);
        Object.assign(context.cluster, {
          jobs: () => {
            if (++looks === 3) stub.change({ phase: 'pending', restarts: 1, batchHost: '' });
            if (looks === 6) stub.runsOn('n2');
            return jobs();
          },
        });
        return Promise.reject(refusal);
      },
    });
    await restoreJob(context, planned);
    expect(reported).toEqual([]);
    expect(stub.operations.at(-1)).toBe('record_restore_success');
  });

  it('puts back the instruction of an earlier restore', async () => {
    const before = withInstruction('of an operator', { ...instruction, uid: MANIFEST.id, run: 0, excluded: 'n3' });
    stub.change({ adminComment: before, excludedNodes: 'n3' });
    const { context, reported } = withReports();
    Object.assign(context.cluster, { requeue: () => Promise.reject(refusal) });
    await restoreJob(context, { ...ASKED, kind: 'restore' });
    expect(reported).toEqual([before]);
  });

  it('does not put back that of a restore which asked for the same run, and may fail as well', async () => {
    stub.change({ adminComment: withInstruction('of an operator', { ...instruction, uid: MANIFEST.id }) });
    const { context, reported } = withReports();
    Object.assign(context.cluster, { requeue: () => Promise.reject(refusal) });
    await restoreJob(context, { ...ASKED, kind: 'restore' });
    expect(reported).toEqual(['of an operator']);
  });

  it('leaves a note of the node that the job is kept away from, which no run follows', async () => {
    const excluding = { ...instruction, excluded: 'n1' };
    stub.change({ restarts: 1, excludedNodes: 'n1', adminComment: withInstruction('', excluding) });
    const running = { uid: 'of-another', phase: 'running', restored: null, failure: null, startedAt: '2026-06-01' };
    const { context, reported } = withReports({ steps: { status: () => Promise.resolve(running) } });
    await restoreJob(context, { ...planned, plan: { ...planned.plan!, excluded: 'n1' } });
    const left = instructionIn(reported[0]!)!;
    expect(left.excluded).toBe('n1');
    expect(left.uid).not.toBe(instruction.uid);
    for (const restarts of [1, 2, 1_000]) expect(isFollowed(left, restarts, undefined)).toBe(false);
    // The next restore lifts that.
    const restored = restoreJob(stub.context(), { ...ASKED, kind: 'restore', actionId: MANIFEST.id });
    await eventually(() => expect(stub.job.phase).toBe('pending'));
    await eventually(() => expect(stub.job.excludedNodes).toBe(''));
    stub.kill();
    await expect(restored).rejects.toThrow('killed');
  });

  it('takes the instruction back before the move of a job is reported, which may take hours', async () => {
    const { context } = withReports();
    Object.assign(context.cluster, { requeue: () => Promise.reject(refusal) });
    stub.isDown = true;
    const moved = restoreJob(context, { ...planned, kind: 'move' });
    moved.catch(() => undefined);
    await eventually(() => expect(stub.changes).toHaveLength(2));
    expect(stub.job.adminComment).toBe('of an operator');
    expect(stub.operations).toEqual([]);
  });

  it('leaves no instruction in a job that was requeued and runs without it', async () => {
    stub.change({ restarts: 1, adminComment: withInstruction('', instruction) });
    const running = { uid: 'of-another', phase: 'running', restored: null, failure: null, startedAt: '2026-06-01' };
    const { context, reported } = withReports({ steps: { status: () => Promise.resolve(running) } });
    await restoreJob(context, planned);
    expect(reported).toEqual(['']);
    expect(stub.job).toMatchObject({ phase: 'running', restarts: 1 });
  });

  it('keeps its instruction in the run that follows it', async () => {
    stub.change({ restarts: 1, adminComment: withInstruction('', instruction) });
    const failure = { cause: 'incompatible', message: 'Another processor.' };
    const failing = { uid: instruction.uid, phase: 'ended', restored: null, failure, startedAt: '2026-06-01' };
    const { context, reported } = withReports({ steps: { status: () => Promise.resolve(failing) } });
    await restoreJob(context, planned);
    expect(reported).toEqual([withInstruction('', instruction)]);
  });

  it('is not reported as long as Slurm does not take the instruction back', async () => {
    const silent = new SlurmUnavailable('scontrol: no answer');
    const { context, reported } = withReports();
    const updateJob = context.cluster.updateJob.bind(context.cluster);
    const update: typeof updateJob = (job, ...changes) =>
      changes.some((change) => change.includes('ccp-agent-restore='))
        ? updateJob(job, ...changes)
        : Promise.reject(silent);
    Object.assign(context.cluster, { requeue: () => Promise.reject(refusal), updateJob: update });
    await expect(restoreJob(context, planned)).rejects.toThrow(silent);
    expect(reported).toEqual([]);
  });

  describe('because the agent itself does', () => {
    const failure = { cause: 'unclassified', message: 'No room.' } as const;

    it.each([
      ['in_progress', ['of an operator']],
      ['error', []],
    ])('leaves no instruction in the job, and is reported unless its action is over: %s', async (status, expected) => {
      stub.action = { ...stub.action, status };
      stub.change({ adminComment: withInstruction('of an operator', instruction) });
      const { context, reported } = withReports();
      expect(await giveUpRestore(context, planned, failure)).toBe(true);
      expect(reported).toEqual(expected);
      expect(stub.job.adminComment).toBe('of an operator');
    });

    it('goes on in a job that was sent back for it, with its instruction', async () => {
      const adminComment = withInstruction('', instruction);
      stub.change({ phase: 'pending', restarts: 1, batchHost: '', adminComment });
      const { context, reported } = withReports();
      expect(await giveUpRestore(context, planned, failure)).toBe(false);
      expect(reported).toEqual([]);
      expect(stub.job.adminComment).toBe(adminComment);
    });
  });
});

describe('The restore of a job that runs', () => {
  let directory: string;
  let stub: StubJob;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-restore-'));
    stub = new StubJob(directory);
    stub.change({ record: { state_reason: 'BeginTime' } });
  });
  afterEach(async () => {
    stub.kill();
    await rm(directory, { recursive: true });
  });

  it('lets the next run begin behind the second in which the last one ended', async () => {
    const restored = restoreJob(stub.context(), planned);
    while (!stub.changes.some((change) => change.startsWith('StartTime='))) await sleep(5);
    stub.runsOn('n1');
    await restored;
    // With less, a node that gets the job again refuses it, and the job has failed.
    expect(stub.changes.filter((change) => change.startsWith('StartTime='))).toEqual(['StartTime=now+1']);
  });
});

describe('The wait for a restored job', () => {
  const MINUTES_MS = 60_000;
  let directory: string;
  let stub: StubJob;
  /** What the supervisor answers, one after the other; the last one again and again. */
  let answers: (object | Error)[];
  let asked: number;
  /** How far the clock goes ahead with each answer. */
  let aheadMs: number;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-restore-'));
    stub = new StubJob(directory);
    stub.action = { status: 'in_progress', reason: 'manual', details: null, restore_path: REFERENCE };
    stub.change({ restarts: 1, batchHost: 'n2', adminComment: withInstruction('', instruction) });
    [asked, aheadMs] = [0, 11 * MINUTES_MS];
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + asked * aheadMs);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    stub.kill();
    await rm(directory, { recursive: true });
  });

  const uid = idFor(ASKED, 'pod');
  const starting = { uid, phase: 'starting', restored: null, failure: null };
  const restoring = { ...starting, phase: 'restoring' };
  const restored = { ...starting, phase: 'running', restored: { stages: [] }, startedAt: '2026-06-01' };
  const wait = async (cluster: object = {}) => {
    const said: string[] = [];
    const status = () => {
      const answer = answers[Math.min(asked++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const context = stub.context({ steps: { status }, say: (one: string) => void said.push(one) });
    Object.assign(context.cluster, cluster);
    await restoreJob(context, planned);
    return said.join();
  };

  it('ends when nobody has restored for half an hour', async () => {
    answers = [starting];
    expect(await wait()).toContain('The job 7 runs on n2, and nobody has restored in it for 30 minutes. (busy)');
    expect(asked).toBe(3);
  });

  it('goes on for as long as the supervisor restores, and starts anew from the last time that it did', async () => {
    answers = [restoring, restoring, restoring, restoring, restoring, starting, starting, restored];
    expect(await wait()).toContain('Restored the job 7');
    answers = [restoring, restoring, starting];
    asked = 0;
    expect(await wait()).toContain('nobody has restored');
    expect(asked).toBe(5);
  });

  it('does not end because the supervisor is silent for a while', async () => {
    const silent = new AgentFailure({ cause: 'busy', message: 'The supervisor is silent for 10 seconds.' });
    answers = [restoring, silent, restored];
    expect(await wait()).toContain('Restored the job 7');
  });

  it('has half an hour in each run of the job: it does not count while it waits in the queue', async () => {
    aheadMs = 20 * MINUTES_MS;
    answers = [starting, starting, restored];
    const phases = ['running', 'running', 'pending'] as const;
    let looks = 0;
    const jobs = () => {
      stub.change({ phase: phases[looks++] ?? 'running' });
      return sleep(5).then(() => new Map([[7, stub.job]]));
    };
    expect(await wait({ jobs })).toContain('Restored the job 7');
  });
});
