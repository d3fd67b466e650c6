import { execFile, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { stopDaemon } from '../../support/background-programs';
import { eventually } from '../../support/eventually';
import { freePorts } from '../../support/free-ports';
import { PAUSE_IMAGE } from './images';
import type { Kubernetes } from './kubernetes';

const START_TIMEOUT_MS = 30_000;
/** For documentation, so nobody else has its addresses. A kubelet takes none of the loopback network. */
const NETWORK = '192.0.2';

/** A node with a kubelet and a containerd of its own. Its pods use this machine's network (`hostNetwork`). */
export class RealNode {
  readonly name: string;
  private kubelet: ChildProcess | undefined;
  private address: string | undefined;

  constructor(
    private readonly kubernetes: Kubernetes,
    number: number,
  ) {
    this.name = `real-${number}`;
  }

  /** @param images archives that it gets. What was started ends by `stop`, also if this fails. */
  async start(images: readonly string[]): Promise<void> {
    this.address = await addAddress();
    await this.startContainerd(images);
    await this.startKubelet(this.address);
  }

  async stop(): Promise<void> {
    if (this.kubelet) await stopDaemon(this.kubelet);
    // Containers outlive containerd.
    for (const container of await this.list('tasks')) {
      await this.ctr('tasks', 'kill', '--signal', 'SIGKILL', container).catch(() => undefined);
      await this.ctr('tasks', 'rm', '--force', container).catch(() => undefined);
    }
    for (const mount of mountsBelow(this.path())) await run('umount', '--lazy', mount).catch(() => undefined);
    if (this.address !== undefined) await run('ip', 'address', 'delete', `${this.address}/32`, 'dev', 'lo');
  }

  private async startContainerd(images: readonly string[]): Promise<void> {
    for (const name of ['containerd', 'state', 'networks', 'kubelet', 'certificates'])
      mkdirSync(this.path(name), { recursive: true });
    const loopback = { cniVersion: '0.4.0', name: 'loopback', type: 'loopback' };
    writeFileSync(this.path('networks', '10-loopback.conf'), JSON.stringify(loopback));
    writeFileSync(this.path('containerd.toml'), this.containerdConfiguration());
    const { daemons } = this.kubernetes;
    daemons.launch('containerd', ['--config', this.path('containerd.toml')], `containerd-${this.name}`);
    await eventually(async () => void (await this.ctr('version')), START_TIMEOUT_MS);
    for (const archive of images) await this.ctr('images', 'import', archive);
  }

  private async startKubelet(address: string): Promise<void> {
    const [port = 0] = await freePorts(1);
    writeFileSync(this.path('kubelet.json'), JSON.stringify(kubeletConfiguration(address, port)));
    this.kubelet = this.kubernetes.launch(
      'kubelet',
      [
        `--config=${this.path('kubelet.json')}`,
        `--kubeconfig=${this.kubernetes.kubeconfig}`,
        `--hostname-override=${this.name}`,
        `--node-ip=${address}`,
        `--root-dir=${this.path('kubelet')}`,
        `--cert-dir=${this.path('certificates')}`,
        '--container-runtime=remote',
        `--container-runtime-endpoint=unix://${this.path('containerd.sock')}`,
        '--feature-gates=LocalStorageCapacityIsolation=false',
      ],
      `kubelet-${this.name}`,
    );
  }

  private path(...parts: string[]): string {
    return this.kubernetes.path(this.name, ...parts);
  }

  private async list(what: 'tasks'): Promise<string[]> {
    const listed = await this.ctr(what, 'list', '--quiet').catch(() => '');
    return listed.split('\n').filter((name) => name !== '');
  }

  private ctr(...args: string[]): Promise<string> {
    return run('ctr', '--address', this.path('containerd.sock'), '--namespace', 'k8s.io', ...args);
  }

  private containerdConfiguration(): string {
    return `
version = 2
root = "${this.path('containerd')}"
state = "${this.path('state')}"
[grpc]
  address = "${this.path('containerd.sock')}"
[ttrpc]
  address = "${this.path('containerd.ttrpc')}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  disable_apparmor = true
  # A machine that is itself a container may not lower it.
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${this.path('networks')}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;
  }
}

/** Changes nothing of the machine but the node's own directory, and counts no disk space. */
const kubeletConfiguration = (address: string, port: number) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address,
  port,
  readOnlyPort: 0,
  healthzPort: 0,
  cgroupDriver: 'cgroupfs',
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  failSwapOn: false,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  evictionHard: {},
  makeIPTablesUtilChains: false,
  syncFrequency: '1s',
  nodeStatusUpdateFrequency: '1s',
  nodeStatusReportFrequency: '5s',
});

async function addAddress(): Promise<string> {
  const taken = new Set((networkInterfaces().lo ?? []).map(({ address }) => address));
  for (;;) {
    const address = `${NETWORK}.${randomInt(1, 255)}`;
    if (taken.has(address)) continue;
    // Another node may take it in the same moment.
    const added = await run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo').catch(() => undefined);
    if (added !== undefined) return address;
    taken.add(address);
  }
}

/** The innermost first. */
const mountsBelow = (directory: string): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${directory}/`))
    .reverse();

async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { timeout: 120_000 });
  return stdout;
}
