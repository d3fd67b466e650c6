import type { KnownRun } from '../../workers/worker-runs';
import { SlurmWorkerRuns, type SlurmWorkerTools } from './slurm-worker-runs';

describe('The job of a worker that has ended', () => {
  const run: KnownRun = { uid: '11111111-2222-4333-8444-555555555555', name: 'llama-0', network: 'host', port: 1 };

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
    const job = { jobId: 7, name: 'llama-0', phase: 'ended', state, reason: '', batchHost: 'n1', mark: run };
    const tools = {
      context: { directory: '/nowhere', signal: new AbortController().signal },
      jobs: { look: () => Promise.resolve({ workers: new Map([[run.uid, job]]), doubles: [] }) },
    } as unknown as SlurmWorkerTools;
    const status = await new SlurmWorkerRuns(tools).status(run);
    expect([status?.state, status?.state === 'ended' && status.isAsked]).toStrictEqual(['ended', isAsked]);
  });
});
