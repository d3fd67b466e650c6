import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ASKED, MANIFEST, REFERENCE, StubJob } from '../../../../../test/agent/slurm/stub-job';
import { eventually } from '../../../../../test/support/eventually';
import { AgentFailure } from '../../../failures';
import { ServiceUnreachable } from '../../../service/problems';
import { StoreUnavailable } from '../../common/reports/stored-result';
import { checkpointAndMove } from './move-work';
import { restoreJob } from './restore-work';
import type { CheckpointAsked, RestoreAsked } from './slurm-requests';

const REPORTED = [
  'put_checkpoint_info',
  'report_checkpoint_uploaded',
  'record_restore_start',
  'record_restore_success',
];

describe('The move of a job for maintenance', () => {
  let directory: string;
  let stub: StubJob;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-move-'));
    // The service goes down while the checkpoint is taken.
    stub = new StubJob(directory, (one) => (one.isDown = true));
  });
  afterEach(async () => {
    stub.kill();
    await rm(directory, { recursive: true });
  });

  const move = (asked: CheckpointAsked = ASKED, context = stub.context()) => {
    const moved = checkpointAndMove(context, asked);
    moved.catch(() => undefined);
    return moved;
  };
  const leaves = () => eventually(() => expect(stub.job).toMatchObject({ phase: 'pending', excludedNodes: 'n1' }));

  it('sends the job away from its node while the service is down, and reports it afterwards', async () => {
    const moved = move();
    await leaves();
    expect(await stub.journal.find(ASKED)).toMatchObject({ kind: 'move', reference: REFERENCE });
    expect(stub.operations).not.toContain('report_checkpoint_uploaded');
    stub.isDown = false;
    await eventually(() => expect(stub.operations.slice(-3)).toEqual(REPORTED.slice(0, 3)));
    stub.runsOn('n2');
    await moved;
    expect(stub.operations.slice(-4)).toEqual(REPORTED);
  });

  it('is reported with its checkpoint by an agent that was started after the job had left', async () => {
    const moved = move();
    await leaves();
    stub.kill();
    await expect(moved).rejects.toThrow('killed');
    stub.isDown = false;
    stub.runsOn('n2');
    const [left] = await stub.journal.open();
    await restoreJob(stub.context(), left as RestoreAsked);
    expect(stub.operations.slice(-4)).toEqual(REPORTED);
    expect(stub.job.restarts).toBe(1);
  });

  it('goes on from what the store has when the service is down at a second attempt', async () => {
    stub.isDown = true;
    await expect(move()).rejects.toThrow(ServiceUnreachable);
    expect(stub.job.restarts).toBe(0);
    const context = stub.context();
    Object.assign(context.store, { find: () => Promise.resolve(MANIFEST) });
    void move({ ...ASKED, moves: true, leaveRunning: false }, context).catch(() => undefined);
    await leaves();
  });

  describe('whose job has ended while its store is silent', () => {
    let answer: PromiseWithResolvers<object>;
    const context = (members: object = {}) => {
      answer = Promise.withResolvers();
      const store = { findsAtOnce: 1, find: () => answer.promise, manifest: () => Promise.resolve(MANIFEST) };
      return stub.context({ store, storeSilentAfterMs: 20, ...members });
    };
    const LET_GO: CheckpointAsked = { ...ASKED, moves: true, leaveRunning: false };

    it.each([
      ['the service waits for it', 'in_progress'],
      ['the service has given it up', 'error'],
    ])('is repeated, and goes on from what the store has once it answers, while %s', async (_, status) => {
      stub.action = { ...stub.action, status };
      stub.change({ phase: 'ended', state: 'FAILED' });
      const silent = context();
      const error: unknown = await move(LET_GO, silent).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect(silent.mayPass(error)).toBe(true);
      expect(stub.operations).not.toContain('put_checkpoint_info');
      answer.resolve(MANIFEST);
      void move(LET_GO, silent);
      await eventually(() => expect(stub.job).toMatchObject({ phase: 'pending', restarts: 1 }));
    });

    it('fails with its own reason if the job runs on', async () => {
      const failed = new AgentFailure({ cause: 'gpu_driver', message: 'It is too old.' });
      const said: string[] = [];
      const running = context({
        steps: { checkpoint: () => Promise.reject(failed) },
        say: (line: string) => void said.push(line),
      });
      await move({ ...ASKED, moves: false }, running);
      expect(said).toEqual([expect.stringContaining('It is too old. (gpu_driver)')]);
      expect(stub.operations.at(-1)).toBe('put_checkpoint_info');
    });
  });
});
