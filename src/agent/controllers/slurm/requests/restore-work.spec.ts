import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ASKED, REFERENCE, StubJob } from '../../../../../test/agent/slurm/stub-job';
import { idFor } from '../../../service/requests';
import { withInstruction } from '../../../slurm/restore-instruction';
import { restoreJob } from './restore-work';
import type { RestoreAsked } from './slurm-requests';

const AT = '2026-06-01T10:00:00.000Z';
const planned: RestoreAsked = {
  ...ASKED,
  kind: 'restore',
  reference: REFERENCE,
  plan: { startedAt: AT, run: 1, excluded: '', lifted: '' },
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
