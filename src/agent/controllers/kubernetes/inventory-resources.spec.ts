import { forgottenNode, forgottenResource, goneResource, isReporting } from './inventory-resources';

const NOW = '2026-11-23T12:00:00.000Z';
const metadata = { name: 'a', uid: 'u', resourceVersion: '7', finalizers: ['x'] };

describe('An object that is gone', () => {
  it('has no version and no finalizer, so that the service takes it for deleted', () => {
    const { metadata: reported } = goneResource('Node', { kind: 'Node', metadata }, NOW);
    expect(reported).toEqual({ name: 'a', uid: 'u', deletionTimestamp: NOW });
  });

  it.each([
    ['Running', 'Failed'],
    ['Pending', 'Failed'],
    ['Succeeded', 'Succeeded'],
    ['Failed', 'Failed'],
  ])('was a pod that was %s, and is %s', (phase, expected) => {
    const pod = { kind: 'Pod', metadata, status: { phase, podIP: '10.0.0.1' } };
    expect(goneResource('Pod', pod, NOW).status).toMatchObject({ phase: expected, podIP: '10.0.0.1' });
  });

  it('was a job that has failed, unless it was complete', () => {
    const conditions = (type: string) => [{ type, status: 'True' }];
    expect(goneResource('Job', { metadata, status: { conditions: conditions('Complete') } } as object, NOW)).toEqual(
      expect.objectContaining({ status: { conditions: conditions('Complete') } }),
    );
    expect(goneResource('Job', { metadata }, NOW)).toMatchObject({
      status: { conditions: [{ type: 'Failed', status: 'True', reason: 'Deleted' }] },
    });
  });

  it('may be known by its name only', () => {
    expect(forgottenNode('n1', NOW)).toMatchObject({ type: 'Node', metadata: { name: 'n1', deletionTimestamp: NOW } });
    expect(forgottenResource('Pod', { uid: 'u', name: 'p', namespace: 'd' }, NOW)).toMatchObject({
      type: 'Pod',
      metadata: { uid: 'u', name: 'p', namespace: 'd', deletionTimestamp: NOW },
      status: { phase: 'Failed' },
    });
  });
});

describe('A node', () => {
  const withReady = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } });

  it('counts as reporting until Kubernetes calls its state unknown', () => {
    expect([withReady('True'), withReady('False'), withReady('Unknown'), {}].map((node) => isReporting(node))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
