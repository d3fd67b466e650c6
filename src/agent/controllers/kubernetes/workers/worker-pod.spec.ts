import { orderIn } from '../../../supervisor/standby';
import type { RunWish } from '../../workers/worker-runs';
import { podNameOf, podOf, type WorkerPods } from './worker-pod';
import { isOnVolume, NO_TEMPLATE, templateIn } from './worker-template';

const UID = '11111111-2222-4333-8444-555555555555';
const TEMPLATE = `
metadata:
  labels: { team: models }
spec:
  nodeSelector: { pool: gpu }
  volumes: [{ name: checkpoints, persistentVolumeClaim: { claimName: checkpoints } }]
  initContainers:
    - { name: agent, imagePullPolicy: Always }
    - { name: model, image: model:1 }
  containers:
    - name: worker
      image: usual:1
      env: [{ name: HF_TOKEN, valueFrom: { secretKeyRef: { name: hub, key: token } } }]
      volumeMounts: [{ name: checkpoints, mountPath: /checkpoints }]
      resources: { limits: { memory: 1Gi, ephemeral-storage: 5Gi } }
    - { name: proxy, image: proxy:1 }
`;

const wish = (members: Partial<RunWish> = {}): RunWish => ({
  ...{ uid: UID, name: 'llama-0123456789-0', command: ['serve', '--fast'], image: 'engine:1', stopGraceMs: 5_000 },
  ...{ variables: { A: 'b' }, network: 'isolated', port: 0, reference: undefined, store: 'directory' },
  ...{ resources: { cpus: 2, memoryMib: 4_096, gpus: 1 }, record: { uid: UID } },
  ...members,
});

const pods = (template = templateIn(TEMPLATE, 'w.yaml'), store = '/checkpoints/store'): WorkerPods => ({
  ...{ namespace: 'models', owner: () => 'cluster', agentImage: 'agent:1', secret: 'workers', template },
  settings: {
    ...{ url: 'http://service', stateDir: '/state', store, storeKeyFile: '/key', verify: 'changed' },
    ...{ parallelDumps: 1, token: 'secret-token', tokenFile: undefined },
  },
});

const podFor = (members: Partial<RunWish> = {}, of = pods()) => {
  const pod = podOf(wish(members), of);
  const [worker] = pod.spec!.containers;
  const env = Object.fromEntries((worker!.env ?? []).map(({ name, value }) => [name, value]));
  // As Kubernetes gives it to the container.
  const order = orderIn(env.CCP_ORDER!.replaceAll('$$', () => '$'));
  return { pod, spec: pod.spec!, worker: worker!, env, order };
};

describe('The pod of a worker', () => {
  it('has a name that follows from its uid, and is found by its labels', () => {
    const { pod } = podFor();
    expect(pod.metadata).toMatchObject({
      ...{ name: 'llama-0123456789-0-11111111', namespace: 'models' },
      labels: { team: 'models', 'ccp-agent/worker-uid': UID, 'ccp-agent/workers-of': 'cluster' },
      annotations: { 'ccp-agent/program': '/opt/ccp/bin/ccp-agent', 'ccp-agent/worker-record': `{"uid":"${UID}"}` },
    });
    expect(podNameOf({ name: 'n'.repeat(63), uid: UID })).toBe(`${'n'.repeat(54)}-11111111`);
  });

  it('runs the command of the profile under a supervisor that an init container brings', () => {
    const { spec, worker, order } = podFor({ port: 80 });
    expect(spec.initContainers).toMatchObject([
      { name: 'agent', image: 'agent:1', imagePullPolicy: 'Always', command: ['/opt/ccp/bin/install', '/ccp-agent'] },
      { name: 'model' },
    ]);
    expect(spec.containers.map(({ name }) => name)).toEqual(['worker', 'proxy']);
    expect(worker.command!.join(' ')).toBe('/opt/ccp/bin/ccp-agent run --ordered --publish-address $(CCP_POD_IP)');
    expect(order).toEqual({
      ...{ uid: UID, name: 'llama-0123456789-0', command: ['serve', '--fast'], variables: { A: 'b' } },
      ...{ network: 'isolated', publish: '80:80' },
    });
    expect(spec).toMatchObject({
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 5,
      nodeSelector: { pool: 'gpu' },
    });
    expect(worker.securityContext!.privileged).toBeUndefined();
    expect(worker.securityContext!.capabilities!.add).toContain('SYS_ADMIN');
  });

  it('says what it restores, and from which store', () => {
    const reference = '/checkpoints/store/checkpoints/one';
    expect(podFor({ reference }).order).toMatchObject({ restore: reference, restoreStore: '/checkpoints/store' });
    expect(podFor({ reference: 'service:one' }).order.restoreStore).toBe('service');
  });

  it('gets what the profile reserves as requests and as limits', () => {
    const asked = { cpu: '2', memory: '4096Mi', 'nvidia.com/gpu': '1' };
    expect(podFor().worker.resources).toEqual({
      requests: asked,
      limits: { ...asked, 'ephemeral-storage': '5Gi' },
    });
    const nothing = { cpus: undefined, memoryMib: undefined, gpus: undefined };
    expect(podFor({ resources: nothing }).worker.resources!.limits).toEqual({
      memory: '1Gi',
      'ephemeral-storage': '5Gi',
    });
  });

  it('never has the token of the controller, and gets one of its own only for the object storage', () => {
    const { pod, env, spec } = podFor();
    expect(JSON.stringify(pod)).not.toContain('secret-token');
    expect(env.CCP_TOKEN_FILE).toBeUndefined();
    expect(spec.volumes!.at(-1)!.secret!.items).toEqual([{ key: 'store-key', path: 'store-key' }]);
    const service = podFor({ store: 'service' });
    expect(service.env.CCP_TOKEN_FILE).toBe('/etc/ccp-agent/token');
    expect(service.spec.volumes!.at(-1)!.secret!.items!.map(({ key }) => key)).toEqual(['store-key', 'token']);
    // Also to restore from there.
    expect(podFor({ reference: 'service:one' }).env.CCP_TOKEN_FILE).toBe('/etc/ccp-agent/token');
  });

  it('keeps dollars of a command, which Kubernetes would replace', () => {
    const command = ['sh', '-c', 'echo $(CCP_POD_NAME) $$ $HOME'];
    expect(podFor({ command, variables: { A: '$(B)' } }).order).toMatchObject({ command, variables: { A: '$(B)' } });
  });

  it('chooses its port in the network of the node, where others may have the usual one', () => {
    const host = templateIn('spec: { hostNetwork: true }', 'w.yaml');
    const inHost = podFor({ store: 'service' }, pods(host, 'service'));
    expect(inHost.order.publish).toBe('0:0');
    expect(inHost.worker.ports).toBeUndefined();
    expect(podFor().order.publish).toBe('8000:0');
    expect(podFor().worker.ports).toEqual([{ name: 'worker', containerPort: 8000 }]);
    expect(podFor({ network: 'host', port: 20_001 }).order).toMatchObject({ port: '20001' });
  });

  it('names the digest of its image if the image is named by it', () => {
    const digest = `sha256:${'0a'.repeat(32)}`;
    const named = (image: string) =>
      podFor({ image }).worker.env?.find(({ name }) => name === 'CCP_IMAGE_DIGEST')?.value;
    expect(named(`registry.example/engine@${digest}`)).toBe(digest);
    expect(named('engine:1')).toBeUndefined();
  });

  it('has the usual image if the profile names none, and is refused if there is neither', () => {
    expect(podFor({ image: undefined }).worker.image).toBe('usual:1');
    expect(() => podOf(wish({ image: undefined, store: 'service' }), pods(NO_TEMPLATE, 'service'))).toThrow(
      'The profile names no image',
    );
  });

  it('is refused if its checkpoints would end with it', () => {
    expect(() => podOf(wish(), pods(NO_TEMPLATE))).toThrow('The store /checkpoints/store is on no volume');
    expect(() => podOf(wish(), pods(undefined, 'service'))).toThrow('/state/store is on no volume');
  });

  it('is refused if its command is longer than any container can get', () => {
    const command = Array.from({ length: 40 }, () => 'x'.repeat(4_000));
    expect(() => podOf(wish({ command }), pods())).toThrow('more than 131000 bytes');
  });
});

describe('The template of workers', () => {
  const refusals: readonly [string, string, string][] = [
    ['is not YAML', 'spec: [', 'it is not YAML'],
    ['is a list', '- 1', 'it must be an object'],
    ['is no pod', 'kind: Deployment', 'kind must be Pod'],
    ['has other members', 'status: {}', 'status cannot be set'],
    ['has a name', 'metadata: { name: x }', 'metadata.name cannot be set, only labels, annotations'],
    ['has a label that is no text', 'metadata: { labels: { a: 1 } }', 'metadata.labels.a must be a string'],
    [
      'has a label of the agent',
      'metadata: { labels: { ccp-agent/worker: x } }',
      'metadata.labels.ccp-agent/worker belongs to the agent',
    ],
    ['restarts', 'spec: { restartPolicy: Always }', 'spec.restartPolicy must be Never'],
    ['has containers that are no list', 'spec: { containers: {} }', 'spec.containers must be a list'],
    ['has a container without a name', 'spec: { containers: [{ image: x }] }', 'spec.containers[0].name is required'],
    [
      'has the command of the worker',
      'spec: { containers: [{ name: proxy }, { name: worker, command: [x] }] }',
      'spec.containers[1].command cannot be set',
    ],
  ];
  it.each(refusals)('refuses a template that %s, and names the member in the message', (_what, text, message) => {
    expect(() => templateIn(text, 'w.yaml')).toThrow(`The template w.yaml of workers: ${message}`);
  });

  it('may be empty, and JSON', () => {
    expect(templateIn('', 'w.yaml')).toEqual(NO_TEMPLATE);
    expect(templateIn('{"kind": "Pod", "spec": {"hostNetwork": true}}', 'w.yaml').spec).toEqual({ hostNetwork: true });
  });

  it('shares a directory between pods if a volume is at it, or above it', () => {
    const template = templateIn(TEMPLATE, 'w.yaml');
    const paths = ['/checkpoints', '/checkpoints/a', '/checkpointsa', '/'];
    expect(paths.filter((path) => isOnVolume(template, path))).toEqual(['/checkpoints', '/checkpoints/a']);
  });
});
