import { trimmed, type Pod } from './resources';

describe('an object that is kept', () => {
  it('is without what only the API server and kubectl need', () => {
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: 'yes' };
    const pod = {
      metadata: { name: 'a', managedFields: [{ manager: 'kubelet' }], annotations: applied },
      spec: { containers: [{ name: 'main' }] },
    } as unknown as Pod;
    expect(trimmed(pod)).toEqual({
      metadata: { name: 'a', annotations: { mine: 'yes' } },
      spec: { containers: [{ name: 'main' }] },
    });
    // The object of a caller stays as it is.
    expect(pod.metadata?.annotations).toEqual(applied);
    expect(trimmed({ metadata: { name: 'b' } })).toEqual({ metadata: { name: 'b' } });
  });
});
