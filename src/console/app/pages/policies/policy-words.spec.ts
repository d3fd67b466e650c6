import { planWords } from './policy-words';

describe('what a policy would do now', () => {
  it.each([
    ['slurm_jobs', 0, 0, '0 running jobs of 0 matching jobs would be checkpointed.'],
    ['slurm_jobs', 1, 2, '1 running job of 2 matching jobs would be checkpointed.'],
    ['namespace', 0, 0, '0 running pods would be checkpointed.'],
    ['jobs', 3, 1, '3 running pods would be checkpointed, of 1 job.'],
  ] as const)('uses the words of its filter: %s, %i of %i', (resource, workload_count, job_count, words) => {
    expect(planWords({ workload_count, job_count }, resource)).toBe(words);
  });
});
