import type { RestoreMark } from './marks';
import { MOVING, RESTORE } from './marks';
import { restoredPod, type KeptPod } from './restored-pod';

const TOKENS = '/var/run/secrets/kubernetes.io/serviceaccount';
const mark: RestoreMark = {
  kind: 'restore',
  actionId: 'a01228a1-b05b-4ea2-860c-b02d913150b5',
  checkpointId: 'b01228a1-b05b-4ea2-860c-b02d913150b5',
  startedAt: '2026-11-23T12:00:00.000Z',
  origin: 'train',
};
const instruction = { reference: '/store/1', uid: mark.actionId, at: mark.startedAt };

const kept: KeptPod = {
  metadata: {
    name: 'train-x7k2p',
    namespace: 'training',
    uid: 'c01228a1-b05b-4ea2-860c-b02d913150b5',
    resourceVersion: '7',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'train', uid: 'u', controller: true }],
    labels: { app: 'train', 'pod-template-hash': '7d4f', 'batch.kubernetes.io/job-name': 'x' },
    annotations: { 'ccp-agent/program': '/opt/ccp/bin/ccp-agent', [MOVING]: '{}', 'cni.projectcalico.org/podIP': '1' },
  },
  spec: {
    nodeName: 'n1',
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    serviceAccount: 'trainer',
    serviceAccountName: 'trainer',
    restartPolicy: 'Always',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'gpu', operator: 'Exists' },
    ],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'default-token-abcde', secret: { secretName: 'default-token-abcde' } },
      { name: 'kube-api-access-xyz', projected: { sources: [] } },
      { name: 'my-token-abcde', secret: { secretName: 'my-token-abcde' } },
    ],
    containers: [
      {
        name: 'trainer',
        image: 'trainer:1',
        env: [
          { name: 'STEPS', value: '9' },
          { name: 'SVC_CHECKPOINT', value: 'old/one' },
          { name: 'CCP_RESTORE_UID', value: 'old' },
        ],
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'default-token-abcde', mountPath: TOKENS },
          { name: 'my-token-abcde', mountPath: '/token' },
        ],
      },
      { name: 'side', image: 'side:1', volumeMounts: [{ name: 'kube-api-access-xyz', mountPath: TOKENS }] },
    ],
  },
};

const restored = (of = kept, away?: string) =>
  restoredPod(of, {
    namespace: 'training',
    name: 'train-a01228a1',
    mark,
    instructions: new Map([['trainer', { instruction, checkpointName: 'training/train-x7k2p' }]]),
    away,
  });

describe('A pod that restores another one', () => {
  it('has what people wrote, and nothing that the API server or a node has set', () => {
    const { metadata, spec } = restored();
    expect(metadata).toEqual({
      name: 'train-a01228a1',
      namespace: 'training',
      labels: { app: 'train' },
      annotations: { 'ccp-agent/program': '/opt/ccp/bin/ccp-agent', [RESTORE]: JSON.stringify(mark) },
    });
    expect(Object.keys(spec!).sort()).toEqual(
      ['containers', 'restartPolicy', 'serviceAccountName', 'tolerations', 'volumes'].sort(),
    );
    expect(spec!.tolerations).toEqual([{ key: 'gpu', operator: 'Exists' }]);
  });

  describe('in a network', () => {
    const annotationsOf = (annotations: Record<string, string>) =>
      Object.keys(restored({ ...kept, metadata: { ...kept.metadata, annotations } }).metadata!.annotations!);

    it.each([
      ...['cni.projectcalico.org/podIP', 'cni.projectcalico.org/podIPs', 'cni.projectcalico.org/containerID'],
      ...['k8s.v1.cni.cncf.io/network-status', 'k8s.v1.cni.cncf.io/networks-status', 'k8s.ovn.org/pod-networks'],
      ...['allocated', 'routed', 'ip_address', 'mac_address', 'cidr', 'gateway', 'logical_router', 'vpc', 'vlan_id']
        .map((name) => [`ovn.kubernetes.io/${name}`, `second.training.ovn.kubernetes.io/${name}`])
        .flat(),
      ...['attached.training.kubernetes.io/ip_address', 'vpc.amazonaws.com/pod-eni'],
      'ovn.kubernetes.io/provider_network',
    ])('does not have the %s of the pod before', (name) => {
      expect(annotationsOf({ [name]: 'x' })).toEqual([RESTORE]);
    });

    it.each([
      ...['k8s.v1.cni.cncf.io/networks', 'v1.multus-cni.io/default-network', 'cni.projectcalico.org/ipv4pools'],
      ...['cni.projectcalico.org/ipAddrs', 'ovn.kubernetes.io/ip_pool', 'ovn.kubernetes.io/logical_switch'],
      ...['second.training.ovn.kubernetes.io/security_groups', 'kubernetes.io/egress-bandwidth'],
    ])('has the %s that somebody requested', (name) => {
      expect(annotationsOf({ [name]: 'x' })).toEqual([name, RESTORE]);
    });
  });

  it('leaves the tokens of its service account to the API server, and keeps secrets of people', () => {
    const { spec } = restored();
    expect(spec!.volumes!.map(({ name }) => name)).toEqual(['data', 'my-token-abcde']);
    expect(spec!.containers[0]!.volumeMounts!.map(({ name }) => name)).toEqual(['data', 'my-token-abcde']);
    expect(spec!.containers[1]!.volumeMounts).toEqual([]);
  });

  it('instructs the containers of the checkpoint, in the place of an earlier instruction', () => {
    const [trainer, side] = restored().spec!.containers;
    expect(trainer!.env).toEqual([
      { name: 'STEPS', value: '9' },
      { name: 'SVC_CHECKPOINT', value: 'training/train-x7k2p' },
      { name: 'CCP_RESTORE_REFERENCE', value: '/store/1' },
      { name: 'CCP_RESTORE_UID', value: mark.actionId },
      { name: 'CCP_RESTORE_AT', value: mark.startedAt },
    ]);
    expect(side!.env).toEqual([]);
  });

  const elsewhere = { key: 'metadata.name', operator: 'NotIn', values: ['n1'] };
  const termsOf = (pod: ReturnType<typeof restored>) =>
    pod.spec!.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!.nodeSelectorTerms;

  it('stays away from a node that it leaves', () => {
    expect(restored().spec!.affinity).toBeUndefined();
    expect(termsOf(restored(kept, 'n1'))).toEqual([{ matchFields: [elsewhere] }]);
  });

  it('stays away from it by each of its alternatives', () => {
    const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
    const field = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] }] };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zone, field] } };
    const of = { ...kept, spec: { ...kept.spec, affinity: { nodeAffinity: required } } };
    expect(termsOf(restored(of, 'n1'))).toEqual([
      { ...zone, matchFields: [elsewhere] },
      { matchFields: [...field.matchFields, elsewhere] },
    ]);
  });

  describe('of a pod that was restored before', () => {
    const again = (pod: ReturnType<typeof restored>, away?: string) =>
      restored({ metadata: pod.metadata, spec: pod.spec! }, away);

    it('stays away from the last node only', () => {
      const third = again(again(restored(kept, 'n1'), 'n2'), 'n3');
      expect(termsOf(third)).toEqual([{ matchFields: [{ ...elsewhere, values: ['n3'] }] }]);
      expect(again(third).spec!.affinity?.nodeAffinity).toEqual({});
    });

    it('keeps the conditions of its manifest', () => {
      const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
      const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [] };
      const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zone] } };
      const of = { ...kept, spec: { ...kept.spec, affinity: { podAffinity, nodeAffinity: required } } };
      expect(again(restored(of, 'n1')).spec!.affinity).toEqual({ podAffinity, nodeAffinity: required });
    });
  });

  it('is refused if it may run on no other node', () => {
    const of = { ...kept, spec: { ...kept.spec, nodeSelector: { 'kubernetes.io/hostname': 'n1' } } };
    expect(() => restored(of, 'n1')).toThrow('its nodeSelector says so');
    expect(restored(of).spec!.nodeSelector).toEqual({ 'kubernetes.io/hostname': 'n1' });
  });
});
