import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ASKED, CHECKPOINT, MANIFEST, REFERENCE, StubJob } from '../../../../../test/agent/slurm/stub-job';
import { eventually } from '../../../../../test/support/eventually';
import { AgentFailure } from '../../../failures';
import { ServiceUnreachable } from '../../../service/problems';
import type { SlurmJob } from '../../../slurm/records';
import { SlurmUnavailable } from '../../../slurm/slurm-commands';
import { checkpointAndMove } from './move-work';
import { restoreJob } from './restore-work';
import type { CheckpointAsked, RestoreAsked } from './slurm-requests';

const REPORTED = [
  'put_checkpoint_info',
  'report_checkpoint_uploaded',
  'record_restore_start',
  'record_restore_success',
];

/** Since a checkpoint that let a job go. */
interface Meanwhile {
  /** What the supervisor of the job says; an error: it does not. */
  readonly restored?: object | Error | null;
  readonly phase?: string;
  /** The newest checkpoint of the job. */
  readonly later?: object;
}

/** What the store has of a checkpoint of the job. @param jobRun undefined: it was not noted */
const taken = (id: string, minutes: number, jobRun?: number) => ({
  ...{ ...MANIFEST, id, reference: REFERENCE.replace(CHECKPOINT, id) },
  createdAt: new Date(Date.UTC(2026, 5, 1, 10, minutes)).toISOString(),
  workload: { ...MANIFEST.workload, ...(jobRun !== undefined && { jobRun }) },
});

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

  it('does not begin for a part of a heterogeneous job, whose other parts would be lost', async () => {
    stub.change({ record: { het_job_id: 7 }, isRequeueable: false });
    await move();
    expect(stub.isDown).toBe(false);
    expect(stub.operations.at(-1)).toBe('put_checkpoint_info');
    expect(stub.changes).toEqual([]);
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

  describe('whose action is over while the supervisor stores the checkpoint', () => {
    let taken: number;
    const goesOn = (hasAttempt: boolean, checkpoint: () => Promise<object>) => {
      taken = 0;
      stub.action = { status: 'error', reason: 'maintenance', details: null, restore_path: REFERENCE };
      const steps = {
        hasAttempt: () => Promise.resolve(hasAttempt),
        checkpoint: () => (taken++, checkpoint()),
      };
      const find = () => Promise.resolve('missing');
      const context = stub.context({ steps });
      Object.assign(context.store, { find });
      return move({ ...ASKED, moves: true, leaveRunning: false }, context);
    };
    const stored = () => Promise.resolve({ reference: REFERENCE, bytes: 1, stages: [], criu: {} });

    it('waits for the checkpoint, and brings the job back that is let go by it', async () => {
      void goesOn(true, stored).catch(() => undefined);
      await leaves();
    });

    it('leaves the job alone if nothing is being stored, or if it fails', async () => {
      await goesOn(false, stored);
      expect(taken).toBe(0);
      await goesOn(true, () => Promise.reject(new AgentFailure({ cause: 'store_failed', message: 'No room.' })));
      expect(taken).toBe(1);
      expect(stub.job).toMatchObject({ phase: 'running', restarts: 0, adminComment: '' });
    });

    it('takes no checkpoint for it that is not the one that was requested', async () => {
      const other = '/store/checkpoints/c01228a1-b05b-4ea2-860c-b02d913150b5';
      await goesOn(true, () => Promise.resolve({ reference: other, bytes: 1, stages: [], criu: {} }));
      expect(taken).toBe(1);
      expect(stub.job).toMatchObject({ phase: 'running', restarts: 0, adminComment: '' });
    });

    it('is tried again while Slurm does not answer', async () => {
      const silent = new SlurmUnavailable('srun: no answer');
      await expect(goesOn(true, () => Promise.reject(silent))).rejects.toThrow(silent);
    });
  });

  describe('that goes on late', () => {
    const said: string[] = [];
    /** Its supervisor let it go in its first run. The service has given its action up meanwhile. */
    const goesOn = (
      members: Partial<SlurmJob>,
      jobRun?: number,
      { restored = null, phase = 'running', later }: Meanwhile = {},
    ) => {
      said.length = 0;
      stub.action = { status: 'error', reason: 'maintenance', details: null, restore_path: REFERENCE };
      stub.change(members);
      const manifest = taken(CHECKPOINT, 0, jobRun);
      const store = {
        manifest: () => Promise.resolve(manifest),
        find: () => Promise.resolve(manifest),
        newestFirst: () => [...(later ? [later] : []), manifest, older],
      };
      const context = stub.context({ store, say: (one: string) => void said.push(one) });
      const status = { uid: 'u', phase, restored, startedAt: '2026-06-01' };
      Object.assign(context.steps, {
        statusIfAny: () => (restored instanceof Error ? Promise.reject(restored) : Promise.resolve(status)),
      });
      return move({ ...ASKED, moves: true, leaveRunning: false }, context);
    };

    const runs = { phase: 'running', restarts: 1, batchHost: 'n2' } as const;
    const waits = { phase: 'pending', restarts: 2, batchHost: '' } as const;
    const restored = { reference: REFERENCE };
    const later = taken('c01228a1-b05b-4ea2-860c-b02d913150b5', 1, 1);
    /** It does not count. */
    const older = taken('d01228a1-b05b-4ea2-860c-b02d913150b5', -1, 9);

    it.each([
      ['runs from a checkpoint', runs, { restored }],
      ['runs, and has a later checkpoint', runs, { later }],
      ['waits, and has a later checkpoint', waits, { later }],
      ['has run again and ended', { phase: 'ended', state: 'FAILED', restarts: 1 }, {}],
    ] as const)('leaves a job alone that %s, and says where its checkpoint is', async (_which, members, meanwhile) => {
      await goesOn(members, 0, meanwhile);
      expect(stub.job).toMatchObject({ ...members, adminComment: '' });
      expect(stub.operations.at(-1)).toBe('record_restore_error');
      expect(said.join()).toContain(`so it was not moved. That checkpoint is ${REFERENCE}.`);
    });

    it.each([
      ['has begun from nothing', runs, {}],
      ['shows what an earlier run had restored', runs, { restored, phase: 'gone' }],
      ['has a later checkpoint of the same run', runs, { later: taken(later.id, 1, 0) }],
      ['has a later checkpoint of which nobody knows the run', runs, { later: taken(later.id, 1) }],
      ['waits, without a later checkpoint', waits, { restored }],
    ] as const)('moves a job that has run again by itself and %s', async (_which, members, meanwhile) => {
      void goesOn(members, 0, meanwhile).catch(() => undefined);
      await eventually(() => expect(stub.job.adminComment).toContain('ccp-agent-restore='));
      expect(stub.job.phase).toBe('pending');
    });

    it('is tried again if nobody can say what the job goes on from', async () => {
      const silent = new SlurmUnavailable('srun: no answer');
      await expect(goesOn(runs, 0, { restored: silent })).rejects.toThrow(silent);
      expect(stub.job).toMatchObject({ ...runs, adminComment: '' });
    });

    it.each([
      ['that has ended', { phase: 'ended', state: 'FAILED' }],
      ['that its supervisor has kept', { phase: 'running' }],
    ] as const)('moves a job %s since it was let go', async (_which, members) => {
      void goesOn(members, 0).catch(() => undefined);
      await leaves();
    });

    it('gives its instruction to a job that waits for its first run since then', async () => {
      void goesOn({ phase: 'pending', restarts: 1, batchHost: '' }, 0).catch(() => undefined);
      await eventually(() => expect(stub.job.adminComment).toContain('ccp-agent-restore='));
      expect(stub.job.restarts).toBe(1);
    });
  });
});
