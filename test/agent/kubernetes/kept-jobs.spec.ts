import { JOBS, trimmed, type Job } from '../../../src/agent/controllers/kubernetes/cluster/resources';
import { readJob } from '../../../src/2-inventory/jobs/job-resource';

describe('a job that the controller of Kubernetes keeps and reports', () => {
  const checkpoint = { name: 'SVC_CHECKPOINT', value: 'training/web' };
  const other = { name: 'DATA', value: 's3://data' };

  it.each<[string, object]>([
    ['', { priority: 7, containers: [{ name: 'main', image: 'train:1', env: [other, checkpoint] }] }],
    [', also of an init container', { containers: [], initContainers: [{ name: 'init', env: [checkpoint] }] }],
    [', if it names nothing', { containers: [{ name: 'main', image: 'train:1' }], volumes: [{ name: 'data' }] }],
  ])('has of its template only what the service reads%s', (_, template) => {
    const job = {
      metadata: { name: 'a', uid: 'b', ownerReferences: [{ kind: 'Workflow', name: 'w', uid: 'c' }] },
      spec: { completions: 3, parallelism: 2, template: { metadata: { labels: { a: 'b' } }, spec: template } },
      status: { succeeded: 1 },
    } as unknown as Job;
    const kept = trimmed(job, JOBS);
    const { object: _kept, ...read } = readJob(kept);
    const { object: _all, ...columns } = readJob(job);
    expect(read).toEqual(columns);
    expect(kept.metadata).toEqual(job.metadata);
    expect(JSON.stringify(kept)).not.toMatch(/image|volumes|DATA|labels/);
    // Each is trimmed when it is listed, and when it is kept.
    expect(trimmed(kept, JOBS)).toEqual(kept);
  });

  it('stays as it is without a template', () => {
    expect(trimmed({ metadata: {}, spec: {} } as unknown as Job, JOBS)).toEqual({ metadata: {}, spec: {} });
    expect(trimmed({ metadata: {} }, JOBS)).toEqual({ metadata: {} });
  });
});
