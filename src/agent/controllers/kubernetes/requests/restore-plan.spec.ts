import { placeOfRestored } from './restore-plan';

const asked = { kind: 'restore', actionId: 'a01228a1-b05b-4ea2-860c-b02d913150b5', checkpointId: 'c' } as const;
const placeFor = (name: string, overrides: object = {}) =>
  placeOfRestored(asked, { pod_metadata: { name, namespace: 'training' }, details: { overrides } });

describe('The place of a restored pod', () => {
  it('is the same for each attempt, and may be chosen', () => {
    expect(placeFor('train')).toEqual(placeFor('train'));
    expect(placeFor('train')).toMatchObject({
      namespace: 'training',
      name: expect.stringMatching(/^train-[0-9a-f]{8}$/),
    });
    expect(placeFor('train', { pod_name: 'mine', namespace: 'web' })).toMatchObject({ namespace: 'web', name: 'mine' });
  });

  it.each(['.', '-', '-.', '.-'])('has a valid name where a long one is cut behind "%s"', (end) => {
    const { name } = placeFor(`${'a'.repeat(54 - end.length)}${end}${'b'.repeat(20)}`);
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    expect(name.length).toBeLessThanOrEqual(63);
    expect(name).toMatch(/^a+-[0-9a-f]{8}$/);
  });
});
