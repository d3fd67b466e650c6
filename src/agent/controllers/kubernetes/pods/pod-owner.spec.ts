import { livingOwner, ownerOf, unreplaceable, whyAdopted } from './pod-owner';
import type { Pod } from '../cluster/resources';
import { hasLastingName, placeOf, restoresItself, workloadNameOf, type Container } from './pod-state';

const owner = (kind: string) => ({ kind, name: 'web', uid: 'u' });
const ofLabel = { name: 'CCP_WORKLOAD_NAME', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } };
const container = (members: Partial<Container> = {}): Container => ({
  name: 'main',
  command: ['ccp-agent', 'run', '--restore', 'auto', '--', 'python3', 'train.py'],
  ...members,
});

describe('A pod that its owner replaces', () => {
  it('belongs to the owner that controls it', () => {
    const references = [
      { apiVersion: 'v1', kind: 'Other', name: 'other', uid: 'o' },
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true },
    ];
    expect(ownerOf({ ownerReferences: references })).toEqual(owner('StatefulSet'));
    expect(ownerOf({ ownerReferences: references.slice(0, 1) })).toBeUndefined();
  });

  it('goes on if its command takes the newest checkpoint, and its name stays', () => {
    expect(unreplaceable(owner('StatefulSet'), [container()])).toBeUndefined();
    expect(unreplaceable(owner('ReplicaSet'), [container({ env: [ofLabel] })])).toBeUndefined();
    expect(unreplaceable(owner('Job'), [container({ env: [ofLabel] })])).toBeUndefined();
  });

  it.each([
    ['StatefulSet', container({ command: ['ccp-agent', 'run', '--', 'x'] }), /its container main would start anew/],
    ['ReplicaSet', container(), /gives each pod another name/],
    ['Job', container(), /gives each pod another name/],
    ['DaemonSet', container({ env: [ofLabel] }), /does not know how that replaces its pods/],
  ])('refuses a pod of a %s, with the cause', (kind, of, message) => {
    const refusal = unreplaceable(owner(kind), [of]);
    expect(refusal).toMatchObject({ cause: 'not_requeueable', message: expect.stringMatching(message) });
    expect(refusal!.remedy).toBeTruthy();
  });

  describe('of a Job', () => {
    const metadata = { ownerReferences: [{ apiVersion: 'batch/v1', ...owner('Job'), controller: true }] };
    const refusalOf = async (spec: object, status: object, leaving?: number) => {
      const get = () => Promise.resolve({ metadata: { uid: 'u' }, spec, status });
      const living = await livingOwner({ client: { get } } as never, metadata);
      return living && unreplaceable(living, [container({ env: [ofLabel] })], leaving);
    };
    const ignoring = (rule: object) => ({
      ...{ podReplacementPolicy: 'Failed', podFailurePolicy: { rules: [{ action: 'Ignore', ...rule }] } },
    });

    it.each([
      [{ backoffLimit: 0 }, {}],
      [{ backoffLimit: 2 }, { failed: 2 }],
      [{ backoffLimit: 2 }, { failed: 1, uncountedTerminatedPods: { failed: ['other'] } }],
      [{}, { failed: 6 }],
      [{ backoffLimit: 0, podReplacementPolicy: 'Failed' }, {}],
      [
        { backoffLimit: 2, podReplacementPolicy: 'Failed' },
        { failed: 1, terminating: 1 },
      ],
      [{ backoffLimit: 0, ...ignoring({ onPodConditions: [{ type: 'DisruptionTarget' }] }) }, {}],
    ])('stays where the Job would fail: %j, %j', async (spec, status) => {
      expect(await refusalOf(spec, status)).toMatchObject({
        cause: 'not_requeueable',
        message: expect.stringContaining('The Job web would fail'),
        remedy: expect.stringContaining('backoffLimit'),
      });
    });

    it('stays where others that leave use up what is left', async () => {
      expect(await refusalOf({ backoffLimit: 3 }, {}, 2)).toBeUndefined();
      expect(await refusalOf({ backoffLimit: 3 }, {}, 3)).toMatchObject({ cause: 'not_requeueable' });
    });

    it.each([
      [{ backoffLimit: 1 }, {}],
      [{}, { failed: 5 }],
      [{ backoffLimit: 2 }, { failed: 1, terminating: 1 }],
      [{ backoffLimit: 0, ...ignoring({ onExitCodes: { operator: 'In', values: [143] } }) }, {}],
    ])('is replaced where the Job goes on, or may: %j, %j', async (spec, status) => {
      expect(await refusalOf(spec, status)).toBeUndefined();
    });
  });

  it.each([
    [['ccp-agent', 'run', '--restore', 'auto'], true],
    [['sh', '-c', 'exec ccp-agent run --restore=auto -- x'], true],
    [['ccp-agent', 'run', '--restore', 'automatic'], false],
    [['ccp-agent', 'run', '--restore', '/store/1'], false],
  ])('%j restores by itself: %s', (command, expected) => {
    expect(restoresItself({ name: 'main', command })).toBe(expected);
    expect(restoresItself({ name: 'main', args: command })).toBe(expected);
  });
});

describe('A pod beside an owner', () => {
  const LIVING: Pod = { status: { phase: 'Running' } };
  const whyIn = (kind: string, namespace: string, pods = [LIVING]) =>
    whyAdopted({ client: {}, pods: { byOwner: (uid: string) => (uid === 'u' ? pods : []) } } as never, owner(kind), {
      kept: { metadata: { name: 'web-1', namespace: 'default', labels: { app: 'web' } } },
      namespace,
    });

  it.each(['DaemonSet', 'ReplicationController', 'PyTorchJob'])(
    'is refused where a %s, whose labels nobody knows, could take it',
    async (kind) => {
      expect(await whyIn(kind, 'default')).toMatchObject({
        cause: 'not_requeueable',
        message: expect.stringContaining(`The ${kind} web could take`),
        remedy: expect.stringContaining('another namespace'),
      });
      expect(await whyIn(kind, 'elsewhere')).toBeUndefined();
    },
  );

  it.each([
    ['has none there, as of another cluster', []],
    ['has none that lives', [{ status: { phase: 'Failed' } }, { metadata: { deletionTimestamp: '2026-11-29' } }]],
  ])('stays by itself where an owner of an unknown kind %s', async (_, pods) => {
    expect(await whyIn('PyTorchJob', 'default', pods)).toBeUndefined();
    expect(await whyIn('PyTorchJob', 'default', [...pods, LIVING])).toMatchObject({ cause: 'not_requeueable' });
  });

  it.each(['Job', 'StatefulSet'])('stays by itself where it has none of the labels of a %s', async (kind) => {
    expect(await whyIn(kind, 'default')).toBeUndefined();
  });
});

describe('A pod beside its ReplicaSet', () => {
  const labels = { app: 'web', 'pod-template-hash': '7d4f' };
  const whyIn = (selector: object, namespace = 'default') =>
    whyAdopted({ client: { get: () => Promise.resolve({ spec: { selector } }) } } as never, owner('ReplicaSet'), {
      kept: { metadata: { name: 'web-1', namespace: 'default', labels } },
      namespace,
    });

  it.each([
    { matchLabels: { app: 'web' } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] },
    { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    { matchExpressions: [{ key: 'pod-template-hash', operator: 'DoesNotExist' }] },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] },
  ])('is refused where the selector %j would take it', async (selector) => {
    expect(await whyIn(selector)).toMatchObject({ cause: 'not_requeueable', remedy: expect.any(String) });
    expect(await whyIn(selector, 'elsewhere')).toBeUndefined();
  });

  it.each([
    { matchLabels: labels },
    { matchLabels: { app: 'db' } },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
    { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' }] },
  ])('stays by itself where the selector is %j', async (selector) => {
    expect(await whyIn(selector)).toBeUndefined();
  });
});

describe('The workload of a container', () => {
  const metadata = { name: 'web-7d4f-x2k', labels: { app: 'web' } };

  it('has the name of the pod, or the one that its manifest gives it', () => {
    expect(workloadNameOf(metadata, container())).toBe('web-7d4f-x2k');
    expect(workloadNameOf(metadata, container({ env: [ofLabel] }))).toBe('web');
    expect(workloadNameOf(metadata, container({ env: [{ name: 'CCP_WORKLOAD_NAME', value: 'mine' }] }))).toBe('mine');
  });

  it('keeps a name that is no pod’s own', () => {
    const ofName = { name: 'CCP_WORKLOAD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
    expect([container(), container({ env: [ofLabel] }), container({ env: [ofName] })].map(hasLastingName)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is asked by the program that the annotation of its pod names', () => {
    const annotations = { 'ccp-agent/program': '/opt/ccp/bin/ccp-agent --state-dir /state' };
    const at = (of: object) => placeOf({ metadata: { name: 'a', namespace: 'b', ...of } }, 'main');
    expect(at({})).toEqual({ namespace: 'b', pod: 'a', container: 'main', program: ['ccp-agent'] });
    expect(at({ annotations }).program).toEqual(['/opt/ccp/bin/ccp-agent', '--state-dir', '/state']);
  });
});
