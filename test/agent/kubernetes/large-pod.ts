import { randomUUID } from 'node:crypto';

const IMAGE = 'registry.example.com/team/trainer:2026.05.01';
const CAPABILITIES = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID', 'SETPCAP', 'NET_ADMIN', 'SYS_CHROOT'],
  ...['SYS_PTRACE', 'SYS_ADMIN', 'SYS_TIME'],
];
const SETTINGS = [
  'CCP_URL',
  'CCP_TOKEN_FILE',
  'CCP_STATE_DIR',
  'CCP_STORE',
  'CCP_STORE_KEY_FILE',
  'CCP_CONTAINER_NAME',
];
const OUTPUT = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };
const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

const fieldRef = (fieldPath: string) => ({ fieldRef: { apiVersion: 'v1', fieldPath } });
const hexadecimal = (): string => `${randomUUID()}${randomUUID()}`.replaceAll('-', '');

/** The token of a service account, as the API server adds it. */
const tokenVolume = (name: string) => ({
  name,
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', ...fieldRef('metadata.namespace') }] } },
    ],
  },
});

export interface LargePod {
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: object;
  readonly status: object;
}

/** Its job as the API server writes it, with the same template. */
export function jobOf({ metadata: { namespace, labels }, spec }: LargePod): object {
  const at = '2026-05-01T00:00:00Z';
  const name = labels['job-name'];
  return {
    metadata: {
      ...{ name, namespace, uid: randomUUID(), resourceVersion: '1000000', generation: 1, creationTimestamp: at },
      labels: { app: 'train' },
      managedFields: [{ manager: 'kube-controller-manager', operation: 'Update', fieldsV1: { 'f:status': {} } }],
    },
    spec: {
      ...{ parallelism: 1, completions: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false },
      ...{ manualSelector: false, podReplacementPolicy: 'TerminatingOrFailed' },
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': labels['controller-uid'] } },
      template: { metadata: { labels }, spec },
    },
    status: { active: 1, ready: 1, terminating: 0, startTime: at, uncountedTerminatedPods: {} },
  };
}

/**
 * A pod of a job as the API server writes it: prepared as docs/guides/agents-kubernetes.md shows, with 27
 * variables, 6 volumes, and what kubelet and the network have added.
 */
export function largePod(index: number): LargePod {
  const job = `train-resnet50-${index}`;
  const at = new Date(Date.UTC(2026, 4, 1) + index * 1_000).toISOString().replace(/\.\d+Z/, 'Z');
  const ip = `10.1.${index % 250}.7`;
  const token = `kube-api-access-${randomUUID().slice(0, 5)}`;
  const mounts = ['ccp', 'secret', 'data', 'scratch', 'shm', token].map((name) => ({
    name,
    mountPath: `/mnt/${name}`,
    ...(name === token && { readOnly: true }),
  }));
  const resources = { cpu: '8', memory: '64Gi', 'nvidia.com/gpu': '1' };
  const stateOf = (name: string, state: object) => ({
    ...{ name, image: IMAGE, imageID: `${IMAGE.split(':')[0]}@sha256:${hexadecimal()}`, state, lastState: {} },
    ...{ containerID: `containerd://${hexadecimal()}`, ready: true, restartCount: 0, started: true },
    volumeMounts: mounts.map((mount) => ({ ...mount, recursiveReadOnly: 'Disabled' })),
  });
  return {
    metadata: {
      name: `${job}-${randomUUID().slice(0, 5)}`,
      generateName: `${job}-`,
      namespace: 'training',
      uid: randomUUID(),
      resourceVersion: String(1_000_000 + index),
      creationTimestamp: at,
      labels: {
        app: 'train',
        'batch.kubernetes.io/job-name': job,
        'batch.kubernetes.io/controller-uid': randomUUID(),
        'job-name': job,
        'controller-uid': randomUUID(),
      },
      annotations: {
        'ccp-agent/program': '/opt/ccp/bin/ccp-agent',
        'cni.projectcalico.org/podIP': `${ip}/32`,
        'cni.projectcalico.org/containerID': hexadecimal(),
      },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: job,
          uid: randomUUID(),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      finalizers: ['batch.kubernetes.io/job-tracking'],
      managedFields: [
        { manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': { 'f:phase': {}, 'f:podIP': {} } } },
      ],
    },
    spec: {
      volumes: [
        ...mounts.filter(({ name }) => name !== token).map(({ name }) => ({ name, emptyDir: {} })),
        tokenVolume(token),
      ],
      initContainers: [
        {
          name: 'agent',
          image: 'ccp-agent:0.1.0',
          imagePullPolicy: 'IfNotPresent',
          command: ['/opt/ccp/bin/install', '/kit'],
          resources: {},
          volumeMounts: [mounts[0], mounts[5]],
          ...OUTPUT,
        },
      ],
      containers: [
        {
          name: 'trainer',
          image: IMAGE,
          imagePullPolicy: 'IfNotPresent',
          command: ['/opt/ccp/bin/ccp-agent', 'run', '--', 'python3', '-m', 'train', `--seed=${index}`],
          env: [
            ...SETTINGS.map((name) => ({ name, value: `/var/lib/${name.toLowerCase()}` })),
            ...['name', 'namespace', 'uid'].map((member) => ({
              name: `CCP_POD_${member.toUpperCase()}`,
              valueFrom: fieldRef(`metadata.${member}`),
            })),
            ...Array.from({ length: 18 }, (_, option) => ({
              name: `TRAINING_OPTION_${option}`,
              value: `s3://datasets/imagenet/shard-${index}-${option}`,
            })),
          ],
          volumeMounts: mounts,
          resources: { limits: resources, requests: resources },
          securityContext: {
            runAsUser: 0,
            seccompProfile: { type: 'Unconfined' },
            capabilities: { add: CAPABILITIES },
          },
          ...OUTPUT,
        },
      ],
      ...{ restartPolicy: 'OnFailure', dnsPolicy: 'ClusterFirst', nodeName: `gpu-node-${index % 500}`, priority: 0 },
      ...{ serviceAccountName: 'default', serviceAccount: 'default', schedulerName: 'default-scheduler' },
      ...{ terminationGracePeriodSeconds: 30, securityContext: {}, enableServiceLinks: true },
      tolerations: ['not-ready', 'unreachable'].map((state) => ({
        ...{ key: `node.kubernetes.io/${state}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      })),
    },
    status: {
      ...{ phase: 'Running', hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.1' }], podIP: ip, podIPs: [{ ip }] },
      ...{ startTime: at, qosClass: 'Guaranteed' },
      conditions: CONDITIONS.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: at })),
      initContainerStatuses: [
        stateOf('agent', { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } }),
      ],
      containerStatuses: [stateOf('trainer', { running: { startedAt: at } })],
    },
  };
}
