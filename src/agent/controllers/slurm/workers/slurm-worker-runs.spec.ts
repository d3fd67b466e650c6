import { passTime } from '../../../../../test/support/monotonic-time';
import type { KnownRun } from '../../workers/worker-runs';
import { SlurmWorkerRuns, type SlurmWorkerTools } from './slurm-worker-runs';

describe('The job of a worker that has ended', () => {
  const run: KnownRun = { uid: '11111111-2222-4333-8444-555555555555', name: 'llama-0', network: 'host', port: 1 };

  const failure = { cause: 'checkpoint_damaged', message: 'It is damaged.' };
  const begun = { cluster: 'c', host: null, port: null };

  function runsWith(job: object): SlurmWorkerRuns {
    const usual = { jobId: 7, name: 'llama-0', reason: '', batchHost: 'n1', mark: run };
    return new SlurmWorkerRuns({
      context: { directory: '/nowhere', signal: new AbortController().signal },
      jobs: { look: () => Promise.resolve({ workers: new Map([[run.uid, { ...usual, ...job }]]), doubles: [] }) },
    } as unknown as SlurmWorkerTools);
  }

  it.each([
    ['NODE_FAIL', true],
    ['BOOT_FAIL', true],
    ['PREEMPTED', true],
    ['REVOKED', true],
    ['CANCELLED', true],
    ['TIMEOUT', undefined],
    ['DEADLINE', undefined],
    ['OUT_OF_MEMORY', undefined],
    ['FAILED', undefined],
  ])('is one that others have ended, if Slurm names it %s: %s', async (state, isAsked) => {
    const status = await runsWith({ phase: 'ended', state }).status(run);
    expect([status?.state, status?.state === 'ended' && status.isAsked]).toStrictEqual(['ended', isAsked]);
  });

  it.each([
    ['one that others have ended if its supervisor left no word', 'starting', 'scheduler_refused', true],
    ['what its supervisor says of it', 'ended', 'checkpoint_damaged', undefined],
    ['a failure if its supervisor did not even begin', undefined, 'scheduler_refused', undefined],
  ] as const)('is, while its epilog runs, %s', async (_what, phase, cause, isAsked) => {
    const said = phase && { ...begun, phase, ...(phase === 'ended' && { failure }) };
    const runs = runsWith({ phase: 'settling', state: 'COMPLETING', mark: { ...run, said } });
    expect(await runs.status(run)).toMatchObject({ state: 'starting' });
    passTime(5_000);
    const status = await runs.status(run);
    expect(status).toMatchObject({ state: 'ended', failure: { cause } });
    expect(status?.state === 'ended' && status.isAsked).toBe(isAsked);
  });

  it.each([
    ['starting', 'scheduler_refused', 'The job 7 on n1 ended without a word: FAILED.'],
    ['ended', 'checkpoint_damaged', 'It is damaged.'],
  ] as const)('has the cause that its supervisor wrote, if any (%s)', async (phase, cause, message) => {
    const said = { ...begun, phase, ...(phase === 'ended' && { failure }) };
    const status = await runsWith({ phase: 'ended', state: 'FAILED', mark: { ...run, said } }).status(run);
    expect(status).toEqual({ state: 'ended', failure: { cause, message } });
  });
});
