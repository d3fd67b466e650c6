import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StubSlurm } from '../../../../test/agent/slurm/stub-slurm';
import { AgentFailure } from '../../failures';
import { SlurmUnavailable } from '../../slurm/slurm-commands';
import { SlurmCluster } from './slurm-cluster';

describe('the nodes of Slurm', () => {
  let slurm: StubSlurm;
  beforeEach(() => (slurm = new StubSlurm()));
  afterEach(() => slurm.remove());

  it('are looked at once for all that ask at the same time, and again for who asks later', async () => {
    const cluster = new SlurmCluster(new AbortController().signal, 0);
    const shown = (state: string) =>
      slurm.prints('scontrol', 'show nodes --json', JSON.stringify({ nodes: [{ name: 'n1', state: [state] }] }));
    shown('IDLE');
    const asked = Array.from({ length: 100 }, () => cluster.nodes());
    const looks = new Set(await Promise.all(asked));
    expect([...looks]).toEqual([[{ name: 'n1', state: ['IDLE'] }]]);
    shown('DOWN');
    expect(await cluster.nodes()).toEqual([{ name: 'n1', state: ['DOWN'] }]);
  });
});

describe('the ends of jobs in the accounting of Slurm', () => {
  const path = process.env.PATH;
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sacct-'));
    process.env.PATH = `${directory}:${path}`;
  });
  afterEach(() => {
    process.env.PATH = path;
    rmSync(directory, { recursive: true });
  });

  const sacct = (script: string): void => {
    const noted = `echo "$*" > '${join(directory, 'arguments')}'`;
    writeFileSync(join(directory, 'sacct'), `#!/bin/sh\n${noted}\n${script}\n`, { mode: 0o755 });
  };
  const printing = (document: object): void => sacct(`cat <<'END'\n${JSON.stringify(document)}\nEND`);
  const ended = (...jobIds: number[]) => new SlurmCluster(new AbortController().signal, 0).ended(jobIds);

  it('are those of the jobs in question, from either generation of Slurm', async () => {
    const jobs = [
      { job_id: 1, state: { current: 'NODE_FAIL', reason: 'None' } },
      { job_id: 2, state: { current: ['OUT_OF_MEMORY'], reason: 'None' } },
      { job_id: 3, state: { current: 'RUNNING', reason: 'None' } },
      // An earlier run of it.
      { job_id: 4, state: { current: ['REQUEUED'] } },
      { job_id: 5, state: {} },
      // Another task of the array 1.
      { job_id: 6, state: { current: 'COMPLETED' } },
    ];
    printing({ jobs, errors: [] });
    const found = await ended(1, 2, 3, 4, 5);
    expect([...found]).toEqual(jobs.slice(0, 2).map((job) => [job.job_id, job]));
    expect(readFileSync(join(directory, 'arguments'), 'utf8').trim()).toBe('--json --allocations --jobs=1,2,3,4,5');
  });

  it('are refused where Slurm keeps none', async () => {
    sacct("echo 'Slurm accounting storage is disabled' >&2; exit 1");
    await expect(ended(1)).rejects.toThrow(AgentFailure);
    await expect(ended(1)).rejects.toThrow('accounting storage is disabled');
  });

  it('may come later from an answer that is broken, or has errors', async () => {
    printing({ jobs: [], errors: [{ error: 'no connection' }] });
    await expect(ended(1)).rejects.toThrow(SlurmUnavailable);
    printing({});
    await expect(ended(1)).rejects.toThrow(SlurmUnavailable);
  });
});
