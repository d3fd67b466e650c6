import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentUnderTest, type AgentProcess } from '../../agent/support/agent';
import { eventually } from '../../support/eventually';
import { Service, type Organisation } from '../../support/service';
import { AGENT_IMAGE, Images, PYTHON_IMAGE } from './images';
import { Kubernetes, type KubernetesOptions } from './kubernetes';

const ROLE = join(__dirname, '../../../docker/kubernetes/base/controller/rbac.yaml');
const COUNTER = join(__dirname, '../../agent/support/count.py');
/** Pods end slowly, and the machine is busy. */
export const PATIENCE_MS = 60_000;

export interface KubePod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string };
}

export interface CountingPod {
  readonly name: string;
  readonly node?: string;
  readonly run?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly members?: object;
}

/** A real Kubernetes, a service, and the controller between them, with the rights of its role. */
export class ControlledCluster {
  kubernetes!: Kubernetes;
  service!: Service;
  org!: Organisation;
  agent!: AgentUnderTest;
  private kubeconfig = '';
  private controllers = 0;
  /** Seen by all nodes and the controller under the same path, as a file system for checkpoints is. */
  private readonly shared = mkdtempSync(join(tmpdir(), 'kubernetes-shared-'));
  private readonly images = mkdtempSync(join(tmpdir(), 'kubernetes-images-'));

  /** What was started ends by `stop`, also if this fails. */
  async start(options: KubernetesOptions = {}): Promise<void> {
    this.service = await Service.start();
    // Facts have the time of day, as outside of tests.
    this.service.clock.now = () => new Date();
    await this.startKubernetes(options);
  }

  private async startKubernetes(options: KubernetesOptions): Promise<void> {
    mkdirSync(this.store, { mode: 0o700 });
    writeFileSync(join(this.shared, 'key'), 'k'.repeat(64), { mode: 0o600 });
    this.agent = new AgentUnderTest();
    const made = new Images(this.images);
    const images =
      (options.nodes ?? 0) > 0 ? [made.pause(), made.python([COUNTER]), made.agent(join(this.agent.root, 'dist'))] : [];
    this.kubernetes = await Kubernetes.start({ ...options, images });
    await this.kubernetes.kubectl('apply', '--namespace=default', '-f', ROLE);
    this.kubeconfig = this.kubernetes.kubeconfigOf('controller', await this.kubernetes.tokenOf('ccp-controller'));
  }

  async stop(): Promise<void> {
    await this.agent?.killAll();
    await this.kubernetes?.stop();
    await this.service?.close();
    this.agent?.remove();
    for (const directory of [this.shared, this.images]) rmSync(directory, { recursive: true, force: true });
  }

  get store(): string {
    return join(this.shared, 'store');
  }

  async newOrganisation(): Promise<void> {
    this.org = await this.service.organisation();
  }

  /** Each has a state directory of its own, as pods have. */
  controller(options: readonly string[] = [], url = this.service.url): AgentProcess {
    const state = join(this.agent.root, `controller-${++this.controllers}`);
    const args = [
      'kubernetes',
      '--cluster',
      'real',
      '--kubeconfig',
      this.kubeconfig,
      '--log-level',
      'info',
      ...options,
    ];
    return this.agent.start(args, {
      CCP_URL: url,
      CCP_TOKEN: this.org.controller.token,
      CCP_STATE_DIR: state,
      CCP_STORE: this.store,
      CCP_STORE_KEY_FILE: join(this.shared, 'key'),
    });
  }

  /** A pod with the image of a user, into which an init container brings the agent and CRIU. */
  countingPod({ name, node, run = [], env = {}, members = {} }: CountingPod): object {
    const field = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', annotations: { 'ccp-agent/program': '/opt/ccp/bin/ccp-agent' } },
      spec: {
        ...(node === undefined ? {} : { affinity: onNode(node) }),
        hostNetwork: true,
        terminationGracePeriodSeconds: 2,
        volumes: [
          { name: 'ccp', emptyDir: {} },
          { name: 'shared', hostPath: { path: this.shared } },
        ],
        initContainers: [
          {
            name: 'agent',
            image: AGENT_IMAGE,
            imagePullPolicy: 'Never',
            command: ['/ccp/install', '/shared'],
            volumeMounts: [{ name: 'ccp', mountPath: '/shared' }],
          },
        ],
        containers: [
          {
            name: 'counter',
            image: PYTHON_IMAGE,
            imagePullPolicy: 'Never',
            command: [
              '/opt/ccp/bin/ccp-agent',
              'run',
              ...run,
              '--',
              'python3',
              '/programs/count.py',
              join(this.shared, `${name}.kept`),
            ],
            env: [
              field('CCP_POD_NAME', 'metadata.name'),
              field('CCP_POD_NAMESPACE', 'metadata.namespace'),
              field('CCP_POD_UID', 'metadata.uid'),
              { name: 'CCP_STATE_DIR', value: '/var/lib/ccp' },
              { name: 'CCP_STORE', value: this.store },
              { name: 'CCP_STORE_KEY_FILE', value: join(this.shared, 'key') },
              ...Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
            ],
            securityContext: { privileged: true },
            volumeMounts: [
              { name: 'ccp', mountPath: '/opt/ccp' },
              { name: 'shared', mountPath: this.shared },
            ],
          },
        ],
        ...members,
      },
    };
  }

  async pods(): Promise<KubePod[]> {
    const list = await this.kubernetes.kubectl('get', 'pods', '--namespace=default', '--output=json');
    return (JSON.parse(list) as { items: KubePod[] }).items;
  }

  /** What a pod has counted, from its own log. */
  async counted(pod: string): Promise<number[]> {
    let numbers: number[] = [];
    // A kubelet that is busy does not find the log for a moment.
    await eventually(async () => {
      const log = await this.kubernetes.kubectl('logs', pod, '--container=counter');
      numbers = log
        .split('\n')
        .filter((line) => /^\d+$/.test(line))
        .map(Number);
      if (numbers.length === 0) throw new Error(`The pod ${pod} has counted nothing:\n${log}`);
    }, PATIENCE_MS);
    return numbers;
  }

  async countsBeyond(pod: string, number: number): Promise<void> {
    await eventually(async () => {
      if (((await this.counted(pod)).at(-1) ?? 0) > number) return;
      const state = await this.kubernetes.kubectl('get', 'pod', pod, '--output=jsonpath={.status}');
      throw new Error(`The pod ${pod} has not counted beyond ${number}: ${state}`);
    }, PATIENCE_MS);
  }

  /** Applies pods, and waits until they run, count, and the service shows them. */
  async counting(...pods: CountingPod[]): Promise<KubePod[]> {
    await this.kubernetes.apply(...pods.map((pod) => this.countingPod(pod)));
    for (const { name } of pods) await this.countsBeyond(name, 3);
    const all = await this.pods();
    const found = pods.map(({ name }) => all.find(({ metadata }) => metadata.name === name)!);
    for (const { metadata } of found) await this.synced(metadata.uid);
    return found;
  }

  async synced(uid: string, expected: object = { status: 'Running' }): Promise<void> {
    await eventually(
      async () => expect((await this.org.viewer.get(`/v1/pods?id=${uid}`)).body).toMatchObject([expected]),
      PATIENCE_MS,
    );
  }

  async checkpoint(pod_id: string, members: object = {}): Promise<string> {
    return (await this.org.operator.post('/v1/checkpoint/pod', { pod_id, ...members })).text;
  }

  async restore(action_id: string, members: object = {}): Promise<string> {
    return (await this.org.operator.post('/v1/restore/pod', { action_id, reason: 'manual', ...members })).text;
  }

  /** @returns why it failed, if it did */
  async settled(action: string, status: string, controller?: AgentProcess): Promise<string> {
    let error = '';
    await eventually(async () => {
      const { body } = await this.org.viewer.get(`/v1/actions/${action}`);
      error = String(body.error);
      if (body.status !== status)
        throw new Error(`${body.status}: ${error}\n${controller?.out ?? ''}\n${controller?.err.slice(-6_000) ?? ''}`);
    }, PATIENCE_MS);
    return error;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as Answer.body
  async restoresOf(query: string): Promise<any[]> {
    return (await this.org.viewer.get(`/v1/restores?${query}`)).body;
  }

  async deletePod(name: string): Promise<void> {
    await this.kubernetes.kubectl('delete', 'pod', name, '--wait=true', '--grace-period=1');
  }

  async deleteAll(): Promise<void> {
    await this.kubernetes.kubectl(
      'delete',
      'deployments,statefulsets,jobs,pods',
      '--all',
      '--wait=true',
      '--grace-period=0',
      '--force',
    );
  }

  /** The rules of the role, for a test that takes one away. */
  role(): string {
    return readFileSync(ROLE, 'utf8');
  }
}

/** Like a node that a person chose, and unlike `nodeName`, as the scheduler does it. */
const onNode = (name: string): object => ({
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        preference: { matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] },
      },
    ],
  },
});
