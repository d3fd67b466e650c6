import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../../../test/support/eventually';
import { ServiceUnreachable } from '../../../service/problems';
import { idFor } from '../../../service/requests';
import type { SlurmJob } from '../../../slurm/records';
import { RequestJournal } from '../../common/requests/request-journal';
import { checkpointAndMove } from './move-work';
import { restoreJob } from './restore-work';
import type { CheckpointAsked, Request, RestoreAsked } from './slurm-requests';
import type { WorkContext } from './work-context';

const ID = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
const ACTION = 'b01228a1-b05b-4ea2-860c-b02d913150b5';
const reference = `/store/checkpoints/${ID}`;
const asked: CheckpointAsked = {
  ...{ kind: 'checkpoint', actionId: ACTION, eventId: 1, checkpointId: ID, jobId: 7, leaveRunning: true },
};

describe('The move of a job for maintenance', () => {
  let directory: string;
  let journal: RequestJournal<Request>;
  let job: SlurmJob;
  let isDown: boolean;
  /** Operations that the service has got. */
  let reports: string[];
  let taken: () => void;
  let stop: AbortController;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-move-'));
    journal = new RequestJournal(directory);
    [isDown, reports, taken, stop] = [false, [], () => {}, new AbortController()];
    job = {
      ...{ jobId: 7, reference: '7', cluster: 'hpc', phase: 'running', state: 'RUNNING', restarts: 0 },
      ...{ isRequeueable: true, batchHost: 'n1', nodes: 'n1', nodeCount: 1, excludedNodes: '', adminComment: '' },
      record: {},
    } as unknown as SlurmJob;
  });
  afterEach(async () => {
    stop.abort(new Error('stopped'));
    await rm(directory, { recursive: true });
  });

  const answers: Record<string, unknown> = {
    get_action: { status: 'in_progress', reason: 'maintenance', details: null },
    create_checkpoint: ID,
  };
  const context = (): WorkContext => {
    const service = {
      send: (operation: string) => {
        if (isDown) return Promise.reject(new ServiceUnreachable(operation, 'ECONNREFUSED'));
        reports.push(operation);
        return Promise.resolve(answers[operation] ?? '');
      },
    };
    const cluster = {
      jobs: () => sleep(5).then(() => new Map([[7, job]])),
      hostnames: (list: string) => Promise.resolve(list.split(',').filter(Boolean)),
      updateJob: (_job: SlurmJob, ...changes: string[]) => {
        for (const change of changes)
          if (change.startsWith('ExcNodeList=')) job = { ...job, excludedNodes: change.slice(12) };
          else if (change.startsWith('AdminComment=')) job = { ...job, adminComment: change.slice(13) };
        return Promise.resolve('');
      },
      requeue: () => Promise.resolve(void (job = { ...job, phase: 'pending', restarts: 1, batchHost: '' })),
    };
    const steps = {
      checkpoint: () => {
        taken();
        return Promise.resolve({ reference, bytes: 1, stages: [], criu: {}, machine: {} });
      },
      status: () => Promise.resolve({ uid: idFor(asked, 'pod'), restored: { stages: [] }, startedAt: '2026-06-01' }),
    };
    const log = { info: () => {}, warn: () => {} };
    return {
      ...{ service, cluster, steps, journal, log, say: () => {}, signal: stop.signal, clusterId: () => 'c' },
      store: { manifest: () => Promise.resolve({ workload: { namespace: 'slurm-hpc', name: 'job-7' } }) },
      mayPass: (error: unknown) => error instanceof ServiceUnreachable,
      drained: undefined,
      agent: 'test',
    } as unknown as WorkContext;
  };
  const runs = () => void (job = { ...job, phase: 'running', batchHost: 'n2' });
  const REPORTED = ['put_checkpoint_info', 'report_checkpoint_uploaded', 'record_restore_start'];

  it('sends the job away from its node while the service is down, and reports it afterwards', async () => {
    taken = () => (isDown = true);
    const moved = checkpointAndMove(context(), asked);
    moved.catch(() => undefined);
    await eventually(() => expect(job).toMatchObject({ phase: 'pending', excludedNodes: 'n1' }));
    expect(await journal.find(asked)).toMatchObject({ kind: 'move', reference });
    expect(reports).not.toContain('report_checkpoint_uploaded');
    isDown = false;
    await eventually(() => expect(reports).toEqual(expect.arrayContaining(REPORTED)));
    runs();
    await moved;
    expect(reports.slice(-REPORTED.length - 1)).toEqual([...REPORTED, 'record_restore_success']);
  });

  it('is reported with its checkpoint by an agent that was started after the job had left', async () => {
    taken = () => (isDown = true);
    const moved = checkpointAndMove(context(), asked);
    moved.catch(() => undefined);
    await eventually(() => expect(job.excludedNodes).toBe('n1'));
    stop.abort(new Error('killed'));
    await moved.catch(() => undefined);
    [stop, isDown] = [new AbortController(), false];
    runs();
    const [left] = await journal.open();
    await restoreJob(context(), left as RestoreAsked);
    expect(reports.slice(-REPORTED.length - 1)).toEqual([...REPORTED, 'record_restore_success']);
    expect(job.restarts).toBe(1);
  });

  it('goes on from what the store has when the service is down at a second attempt', async () => {
    isDown = true;
    await expect(checkpointAndMove(context(), asked)).rejects.toThrow(ServiceUnreachable);
    expect(job.restarts).toBe(0);
    const second = context();
    const manifest = { reference, bytes: 1, stages: [] };
    Object.assign(second.store, { find: () => Promise.resolve(manifest) });
    const moved = checkpointAndMove(second, { ...asked, moves: true, leaveRunning: false });
    moved.catch(() => undefined);
    await eventually(() => expect(job).toMatchObject({ phase: 'pending', excludedNodes: 'n1' }));
  });
});
