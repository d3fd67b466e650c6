import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from '../../../../test/support/eventually';
import { SlurmUnavailable } from '../../slurm/slurm-commands';
import { JobSteps } from './job-steps';

const ID = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
const SILENCE_MS = 400;
/** Where lines must come in time: longer than a busy machine takes to start a shell. */
const LONG_MS = 3_000;
const job = { jobId: 7, reference: '7', cluster: 'hpc', batchHost: 'n1' };
const result = { reference: '/store/1', bytes: 1, stages: [], criu: {} };
const progress = { progress: { stage: 'dump', bytesDone: 0, bytesTotal: null } };
const statusWith = (...ids: string[]) => ({
  phase: 'running',
  uid: 'u',
  checkpoints: ids.map((id) => ({ id, state: 'in_progress', progress: null })),
});

describe('A step in a job', () => {
  const { PATH } = process.env;
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ccp-srun-'));
    process.env.PATH = `${directory}${delimiter}${PATH}`;
  });
  afterEach(async () => {
    process.env.PATH = PATH;
    await rm(directory, { recursive: true });
  });

  /** An srun that prints what the agent on the node would print. The first checkpoint step differs. */
  const srun = async (first: string, { status, later = printed(result) }: { status: string; later?: string }) => {
    const script = [
      '#!/bin/sh',
      `case "$*" in`,
      `  *" status "*) echo status >> ${directory}/steps; ${status} ;;`,
      `  *) echo checkpoint >> ${directory}/steps`,
      `    if [ "$(grep -c checkpoint ${directory}/steps)" = 1 ]; then ${first}; else ${later}; fi ;;`,
      'esac',
    ].join('\n');
    await writeFile(join(directory, 'srun'), script);
    await chmod(join(directory, 'srun'), 0o755);
  };
  const printed = (document: object) => `echo '${JSON.stringify(document)}'`;
  const silent = 'exec sleep 60';
  const take = ({ silenceMs = SILENCE_MS, hungAfterMs }: { silenceMs?: number; hungAfterMs?: number } = {}) =>
    new JobSteps(['ccp-agent'], '/state', new AbortController().signal, silenceMs, hungAfterMs).checkpoint(
      job,
      { id: ID, leaveRunning: true },
      () => {},
    );
  const steps = async () => (await readFile(join(directory, 'steps'), 'utf8')).trim().split('\n');

  it('is repeated when it was silent and the supervisor goes on with the checkpoint', async () => {
    await srun(`${printed(progress)}; ${silent}`, { status: printed(statusWith(ID)) });
    expect(await take({ silenceMs: LONG_MS })).toEqual(result);
    expect(await steps()).toEqual(['checkpoint', 'status', 'checkpoint']);
  });

  it.each(['kill -KILL $$', "echo 'srun: error: Job step aborted: Waiting' >&2; exit 1"])(
    'is repeated when it was lost and the supervisor goes on with the checkpoint: %s',
    async (loss) => {
      await srun(`${printed(progress)}; ${loss}`, { status: printed(statusWith(ID)) });
      expect(await take()).toEqual(result);
    },
  );

  it.each([
    ['knows nothing of the checkpoint', statusWith()],
    ['is not there', { failure: { cause: 'workload_missing', message: 'Nothing.' } }],
  ])('has failed when the supervisor %s', async (_case, status) => {
    await srun(silent, { status: printed(status) });
    await expect(take()).rejects.toMatchObject({ facts: { cause: 'scheduler_refused' } });
  });

  it.each([
    ['Slurm cannot be reached', "echo 'srun: error: Unable to contact slurm controller' >&2; exit 1"],
    ['Slurm creates no step', "echo 'srun: error: Unable to create step for job 7: Slurm backup' >&2; exit 1"],
    ['the step is lost', 'exit 1'],
    ['the supervisor is silent', printed({ failure: { cause: 'busy', message: 'Later.' } })],
  ])('may succeed later when nobody can say whether the checkpoint goes on: %s', async (_case, status) => {
    await srun(silent, { status });
    await expect(take()).rejects.toThrow(SlurmUnavailable);
  });

  it('gives the failure that the supervisor reports, without another step', async () => {
    const failure = { failure: { cause: 'io_uring', message: 'No.' } };
    await srun(printed(failure), { status: printed(statusWith(ID)) });
    await expect(take({ silenceMs: 60_000 })).rejects.toMatchObject({ facts: { cause: 'io_uring' } });
    expect(await steps()).toEqual(['checkpoint']);
  });

  it('does not wait for any number of checkpoints that are only being stored', async () => {
    const go = join(directory, 'go');
    const storing = { progress: { ...progress.progress, stage: 'hash' } };
    const stores = `${printed(storing)}; while [ ! -e ${go} ]; do sleep 0.05; done; ${printed(result)}`;
    await srun(stores, { status: printed(statusWith(ID)), later: stores });
    const all = new JobSteps(['ccp-agent'], '/state', new AbortController().signal);
    // So many may dump at once.
    const taken = Array.from({ length: 32 + 1 }, () => all.checkpoint(job, { id: ID, leaveRunning: true }, () => {}));
    await eventually(async () => expect(await steps()).toHaveLength(33));
    await writeFile(go, '');
    expect(await Promise.all(taken)).toEqual(taken.map(() => result));
  });

  it('waits for a checkpoint behind another one as long as the supervisor repeats its line', async () => {
    const waiting = { progress: { stage: 'wait', bytesDone: 0, bytesTotal: null } };
    const lines = `for line in $(seq 25); do ${printed(waiting)}; sleep 0.1; done`;
    await srun(`${lines}; ${printed(result)}`, { status: printed(statusWith(ID)) });
    // Shorter than that, and longer than a busy machine delays a line.
    expect(await take({ hungAfterMs: 5 * SILENCE_MS })).toEqual(result);
  });

  it.each([
    ['repeats its line', `while :; do ${printed(progress)}; sleep 0.1; done`],
    ['is lost again and again', `${printed(progress)}; exit 1`],
  ])('is given up when its checkpoint does not move: it %s', async (_case, step) => {
    await srun(step, { status: printed(statusWith(ID)), later: step });
    await expect(take({ silenceMs: LONG_MS, hungAfterMs: 2 * LONG_MS })).rejects.toMatchObject({
      facts: { cause: 'checkpoint_hung', message: expect.stringContaining('"dump"') },
    });
  });
});
