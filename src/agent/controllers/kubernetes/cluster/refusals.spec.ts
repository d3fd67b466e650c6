import { ApiRefusal, isOverQuota } from './refusals';
import { PODS } from './resources';

const asked = { verb: 'create', resource: PODS, place: { namespace: 'ml' } } as const;
const refusal = (status: number, message: string) => ApiRefusal.of(asked, status, { reason: 'Forbidden', message });

describe('The API server’s 403', () => {
  it('is a missing right only where a role lacks one', () => {
    const words = 'pods is forbidden: User "agent" cannot create resource "pods" in API group "" in the namespace "ml"';
    expect(refusal(403, words).facts).toMatchObject({
      cause: 'permission_missing',
      remedy: 'Add the verb "create" for "pods" to the role of the agent.',
    });
    expect(isOverQuota(refusal(403, words))).toBe(false);
  });

  it.each([
    'pods "web" is forbidden: User "system:serviceaccount:ccp:ccp-agent" cannot get resource "pods" in API group ""',
    'forbidden: User "agent" cannot get path "/version"',
    'This agent cannot create resource "pods/exec", or, up to Kubernetes 1.34, cannot get it.',
  ])('is a missing right in these words: %s', (words) => {
    expect(refusal(403, words).facts.cause).toBe('permission_missing');
  });

  const QUOTA =
    'pods "web" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, ' +
    'used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8';

  it.each([
    ['a quota', QUOTA, 'kubectl describe resourcequota --namespace ml'],
    [
      'PodSecurity',
      'pods "web" is forbidden: violates PodSecurity "restricted:latest": privileged (…)',
      'Label the namespace ml',
    ],
    ['an admission webhook', 'admission webhook "validate.kyverno.svc" denied the request: no latest tags', undefined],
    [
      'a webhook in similar words',
      'admission webhook "labels.example" denied the request: cannot create resource without label team',
      undefined,
    ],
    ['a limit range', 'pods "web" is forbidden: maximum memory usage per Container is 1Gi', undefined],
  ])('is no missing right where %s forbids the object, and has its words', (_, words, remedy) => {
    const { facts } = refusal(403, words);
    expect(facts).toMatchObject({ cause: 'scheduler_refused', message: expect.stringContaining(words) });
    if (remedy === undefined) expect(facts.remedy).toBeUndefined();
    else expect(facts.remedy).toContain(remedy);
  });

  it('is of a quota where that is used up, or not counted yet', () => {
    expect(isOverQuota(refusal(403, QUOTA))).toBe(true);
    const unknown = 'pods "web" is forbidden: status unknown for quota: gpus, resources: pods';
    expect(isOverQuota(refusal(403, unknown))).toBe(true);
    expect(isOverQuota(refusal(403, 'pods "web" is forbidden: failed quota: gpus: must specify limits.cpu'))).toBe(
      false,
    );
    expect(isOverQuota(refusal(409, QUOTA))).toBe(false);
  });
});
