import { execFile, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KUBERNETES_PROGRAMS } from '../../support/components';
import { BackgroundPrograms, stopDaemon } from '../../support/background-programs';
import { eventually } from '../../support/eventually';
import { freePorts } from '../../support/free-ports';
import { HollowNodes } from './hollow-nodes';
import { RealNode } from './real-node';

const START_TIMEOUT_MS = 60_000;
const ADMINISTRATOR = { token: 'administrator-of-the-tests', user: 'admin' };

export interface KubernetesOptions {
  /** Nodes with a kubelet and a containerd of their own. They share this machine's kernel and network. */
  readonly nodes?: number;
  /** Archives of images that the real nodes have, as `docker save` writes them. */
  readonly images?: readonly string[];
  /** Nodes whose kubelet says that each pod runs, and starts none. */
  readonly hollowNodes?: number;
}

/** A real Kubernetes in one directory, with etcd, on its own ports of the loopback interface. */
export class Kubernetes {
  readonly daemons: BackgroundPrograms;
  private apiServer: { process: ChildProcess; args: readonly string[] } | undefined;
  private readonly nodes: RealNode[] = [];
  private port = 0;

  private constructor(readonly directory: string) {
    this.daemons = new BackgroundPrograms(this.path('log'));
  }

  /** If the start fails, it stops everything it started. */
  static async start({ nodes = 0, images = [], hollowNodes = 0 }: KubernetesOptions = {}): Promise<Kubernetes> {
    const kubernetes = new Kubernetes(mkdtempSync(join(tmpdir(), 'kubernetes-test-')));
    try {
      await kubernetes.startControlPlane();
      for (let number = 1; number <= nodes; number++) kubernetes.nodes.push(new RealNode(kubernetes, number));
      const starts = kubernetes.nodes.map((node) => node.start(images));
      await Promise.all([...starts, new HollowNodes(kubernetes).start(hollowNodes)]);
      await kubernetes.ready(nodes + hollowNodes);
      return kubernetes;
    } catch (error) {
      await kubernetes.stop();
      throw error;
    }
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts);
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Of the administrator. */
  get kubeconfig(): string {
    return this.path(`kubeconfig-${ADMINISTRATOR.user}`);
  }

  /** Writes a kubeconfig for another bearer, such as one of `tokenOf`. @returns its path */
  kubeconfigOf(name: string, token: string): string {
    const file = this.path(`kubeconfig-${name}`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster: { server: this.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name, user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
      'current-context': 'test',
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  /** The token of a service account, once the controller manager has made it. */
  async tokenOf(account: string, namespace = 'default'): Promise<string> {
    let token = '';
    await eventually(async () => {
      const { secrets = [] } = await this.get<{ secrets?: { name: string }[] }>('serviceaccount', account, namespace);
      const secret = await this.get<{ data: { token: string } }>('secret', secrets[0]?.name ?? '-', namespace);
      token = Buffer.from(secret.data.token, 'base64').toString();
    });
    return token;
  }

  /** The output of kubectl, as the administrator. */
  async kubectl(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', this.kubeconfig, ...args], {
      maxBuffer: 256 * 1024 * 1024,
      timeout: 120_000,
    });
    return stdout;
  }

  /** Applies objects, as `kubectl apply` does with their YAML. */
  async apply(...objects: object[]): Promise<void> {
    await this.create('apply', objects);
  }

  /** Creates objects; quicker than `apply` for many. */
  async create(how: 'apply' | 'create', objects: readonly object[]): Promise<void> {
    const file = this.path(`objects-${process.hrtime.bigint()}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    await this.kubectl(how, '-f', file);
    rmSync(file);
  }

  /** An object, as the API server has it. */
  async get<T = Record<string, unknown>>(kind: string, name: string, namespace = 'default'): Promise<T> {
    return JSON.parse(await this.kubectl('get', kind, name, '--namespace', namespace, '--output=json')) as T;
  }

  /** Waits until a pod runs and is ready. */
  async running(pod: string, namespace = 'default'): Promise<void> {
    await eventually(async () => {
      const { status } = await this.get<{ status: PodStatus }>('pod', pod, namespace);
      const isReady = status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
      if (!isReady) throw new Error(`The pod ${pod} is ${JSON.stringify(status)}`);
    }, START_TIMEOUT_MS);
  }

  /** Kills the API server; etcd, kubelets and containers live on. */
  async stopApiServer(): Promise<void> {
    if (this.apiServer) await stopDaemon(this.apiServer.process);
  }

  /** Also again, after `stopApiServer`. */
  async startApiServer(): Promise<void> {
    const args = this.apiServer?.args ?? [];
    this.apiServer = { process: this.launch('kube-apiserver', args), args };
    await eventually(async () => void (await this.kubectl('get', '--raw', '/readyz')), START_TIMEOUT_MS);
  }

  /** Starts one of the programs that `provide.sh` has built. */
  launch(program: string, args: readonly string[], name = program): ChildProcess {
    return this.daemons.launch(join(KUBERNETES_PROGRAMS, program), args, name);
  }

  async stop(): Promise<void> {
    // Their containers first: these outlive the kubelets.
    for (const node of this.nodes.splice(0)) await node.stop();
    await this.daemons.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async startControlPlane(): Promise<void> {
    for (const name of ['certificates', 'log']) mkdirSync(this.path(name));
    const [etcd = 0, peers = 0, port = 0] = await freePorts(3);
    this.port = port;
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    writeFileSync(this.path('accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
    writeFileSync(this.path('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    const { token, user } = ADMINISTRATOR;
    writeFileSync(this.path('tokens.csv'), `${token},${user},1,"system:masters"\n`);
    this.kubeconfigOf(user, token);

    this.daemons.launch('etcd', [
      `--data-dir=${this.path('etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${etcd}`,
      `--advertise-client-urls=http://127.0.0.1:${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${peers}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peers}`,
      `--initial-cluster=default=http://127.0.0.1:${peers}`,
      '--unsafe-no-fsync',
    ]);
    const args = [
      `--etcd-servers=http://127.0.0.1:${etcd}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--secure-port=${port}`,
      `--cert-dir=${this.path('certificates')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${this.path('accounts.key')}`,
      `--service-account-key-file=${this.path('accounts.pub')}`,
      `--token-auth-file=${this.path('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--allow-privileged=true',
      '--kubelet-preferred-address-types=InternalIP',
      '--max-requests-inflight=2000',
      '--max-mutating-requests-inflight=1000',
    ];
    this.apiServer = { process: this.launch('kube-apiserver', args), args };
    await eventually(async () => void (await this.kubectl('get', '--raw', '/readyz')), START_TIMEOUT_MS);
    const common = [
      `--kubeconfig=${this.kubeconfig}`,
      '--leader-elect=false',
      '--port=0',
      `--cert-dir=${this.path('certificates')}`,
    ];
    const [manager, scheduler] = await freePorts(2);
    this.launch('kube-controller-manager', [
      ...common,
      '--bind-address=127.0.0.1',
      `--secure-port=${manager}`,
      `--service-account-private-key-file=${this.path('accounts.key')}`,
      // As tests wait for them.
      '--node-monitor-grace-period=20s',
    ]);
    this.launch('kube-scheduler', [...common, '--bind-address=127.0.0.1', `--secure-port=${scheduler}`]);
    // Pods are refused before.
    await eventually(async () => void (await this.get('serviceaccount', 'default')), START_TIMEOUT_MS);
  }

  private async ready(nodes: number): Promise<void> {
    await eventually(async () => {
      const states = await this.kubectl('get', 'nodes', '--no-headers', '--output=custom-columns=N:.spec.taints');
      const ready = states.split('\n').filter((line) => line.trim() === '<none>').length;
      if (ready < nodes) throw new Error(`${ready} of ${nodes} nodes are ready`);
    }, START_TIMEOUT_MS);
  }
}

interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
