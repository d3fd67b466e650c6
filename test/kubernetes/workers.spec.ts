import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { AgentUnderTest, processesWith, type AgentProcess } from '../agent/support/agent';
import { Watchpoint } from '../agent/support/watchpoint';
import { ServedProfile } from '../agent/workers/served-profile';
import { describeWith } from '../support/components';
import { engineCommand } from '../support/engine/engine';
import { eventually } from '../support/eventually';
import { temporaryDirectory } from '../support/plugins';
import { Service, type Organisation } from '../support/service';
import { AGENT_IMAGE, Images, PYTHON_IMAGE } from './support/images';
import { Kubernetes } from './support/kubernetes';

const ENGINE = join(__dirname, '../support/engine/engine.py');
/** Pods end slowly, and the machine is busy. */
const PATIENCE_MS = 120_000;
const EVENT = /^POST \/v1\/inference\/lifecycle-events/;
const REGISTER = /^POST \/v1\/inference\/artifacts$/;
const REPORT = /^POST \/v1\/inference\/activations\/report/;
const NAMESPACE = 'models';

interface Comparison {
  readonly profile_id: string;
  readonly speedup: number;
  readonly cold: { readonly p50_ms: number };
  readonly restored: { readonly p50_ms: number };
}

interface WorkerPod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string };
}

/** Real pods on two nodes, which share this machine, and real checkpoints. */
describeWith(['Kubernetes', 'CRIU'], 'Workers of profiles as pods of Kubernetes', () => {
  let kubernetes: Kubernetes;
  let service: Service;
  let org: Organisation;
  let agent: AgentUnderTest;
  let watchpoint: Watchpoint;
  let url: string;
  let controller: AgentProcess;
  let states = 0;
  /** Seen by all nodes and the controller under the same path, as a file system for checkpoints is. */
  const shared = mkdtempSync(join(tmpdir(), 'kubernetes-workers-'));
  const store = join(shared, 'store');
  const template = join(shared, 'template.yaml');
  const key = join(shared, 'key');

  beforeAll(async () => {
    mkdirSync(store, { mode: 0o700 });
    writeFileSync(key, 'k'.repeat(64), { mode: 0o600 });
    writeFileSync(template, TEMPLATE(shared));
    agent = new AgentUnderTest();
    const made = new Images(mkdtempSync(join(shared, 'images-')));
    const images = [made.pause(), made.python([ENGINE]), made.agent(join(agent.root, 'dist'))];
    const starting = Kubernetes.start({ nodes: 2, images });
    const storage = { objectStorageDir: temporaryDirectory(), objectUrlSeconds: 600 };
    service = await Service.start({ workerEndpointAllow: ['192.0.2.0/24'], ...storage }, { sweeping: true });
    service.clock.now = () => new Date();
    org = await service.organisation();
    watchpoint = new Watchpoint(service.url);
    url = await watchpoint.listen();
    kubernetes = await starting;
    const secret = { 'store-key': 'k'.repeat(64), token: org.controller.token! };
    await kubernetes.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'workers', namespace: NAMESPACE }, stringData: secret },
    );
    start();
  });
  afterAll(async () => {
    await agent?.killAll();
    await kubernetes?.stop();
    await watchpoint?.close();
    await service?.close();
    agent?.remove();
    rmSync(shared, { recursive: true, force: true });
  });

  const start = (state = `state-${++states}`) => {
    const options = ['--agent-image', AGENT_IMAGE, '--worker-secret', 'workers', '--worker-template', template];
    const args = ['kubernetes', '--cluster', 'kube', '--log-level', 'info', '--worker-namespace', NAMESPACE];
    controller = agent.start([...args, '--kubeconfig', kubernetes.kubeconfig, '--workers', ...options], {
      ...{ CCP_STATE_DIR: join(agent.root, state), CCP_STORE: store, CCP_STORE_KEY_FILE: key },
      ...{ CCP_URL: url, CCP_TOKEN: org.controller.token },
    });
  };
  const engine = async (worker: JsonObject = {}, members: JsonObject = {}, options = {}, flags: string[] = []) => {
    const profile = new ServedProfile(org, options);
    const command = engineCommand(profile.options).map((word) => (word === ENGINE ? '/programs/engine.py' : word));
    return profile.create({ command: [...command, ...flags], ...worker }, members);
  };
  const podsOf = async (profile: ServedProfile): Promise<WorkerPod[]> => {
    const all = await kubernetes.kubectl('get', 'pods', '--namespace', NAMESPACE, '--output=json');
    return (JSON.parse(all) as { items: WorkerPod[] }).items.filter(({ metadata }) =>
      metadata.name.startsWith(profile.id.slice(0, 30)),
    );
  };
  const live = async (profile: ServedProfile) =>
    (await podsOf(profile)).filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status.phase),
    );
  /** How many pods it ever had, also those that are gone, as the scheduler knows them. */
  const everMade = async (profile: ServedProfile): Promise<number> => {
    const options = [
      '--field-selector=reason=Scheduled',
      '--output=custom-columns=P:.involvedObject.name',
      '--no-headers',
    ];
    const scheduled = await kubernetes.kubectl('get', 'events', '--namespace', NAMESPACE, ...options);
    return new Set(scheduled.split('\n').filter((name) => name.startsWith(profile.id.slice(0, 30)))).size;
  };
  const engines = (profile: ServedProfile) => processesWith(profile.id).filter((pid) => pid !== process.pid);
  const shown = async <T>(step: () => Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${controller.out}\n${controller.err.slice(-6_000)}`, {
        cause: error,
      });
    }
  };
  /** Waits until the newest controller acts, and sees that the workers are ready. */
  const takenOver = async (profile: ServedProfile) => {
    await eventually(() => expect(controller.out).toContain('Cluster kube'), PATIENCE_MS);
    const since = new Date().toISOString();
    await profile.when((activation) => {
      expect(activation).toMatchObject({ phase: 'Ready', workers: [{ ready: true }] });
      expect((activation as { updated_at?: string }).updated_at! > since).toBe(true);
    });
  };
  const asleep = (profile: ServedProfile) =>
    shown(async () => {
      await profile.want('Suspended');
      await profile.suspended();
    });

  it('start at a chat, sleep with a checkpoint, and wake from it sooner than they started', async () => {
    // Seconds of computation, as a model has them.
    const profile = await engine({ resources: { cpus: 1, memory_mib: 600 } }, {}, { hashes: 60 });
    const began = performance.now();
    const cold = await shown(() => profile.chat());
    const coldMs = performance.now() - began;
    expect(cold.headers['x-start-kind']).toBe('cold');
    const [pod] = await live(profile);
    expect(pod!.spec.nodeName).toMatch(/^real-[12]$/);

    await asleep(profile);
    expect(await live(profile)).toEqual([]);
    expect(engines(profile)).toEqual([]);
    const [artifact, ...others] = await profile.artifacts();
    expect(others).toEqual([]);
    expect(artifact).toMatchObject({ status: 'ready', storage_tier: 'shared' });

    const wokenAt = performance.now();
    const woken = await shown(() => profile.chat('And now?'));
    const wokenMs = performance.now() - wokenAt;
    expect(woken.headers['x-start-kind']).toBe('restored');
    expect(await profile.ready()).toMatchObject([{ start_kind: 'restore', artifact_id: artifact!.artifact_id }]);
    // They are workers, and no pods that a policy may move.
    expect((await org.viewer.get('/v1/pods')).body).toEqual([]);
    const { body } = await org.viewer.get('/v1/inference/startup-comparison');
    const compared = (body as Comparison[]).find(({ profile_id: id }) => id === profile.id);
    expect(compared!.speedup).toBeGreaterThan(1);
    const starts = [compared!.cold, compared!.restored].map(({ p50_ms: ms }) => ms);
    const inAll = [coldMs, wokenMs].map(Math.round);
    process.stderr.write(
      `Cold and restored: starts ${starts.join(', ')} ms, from chat to answer ${inAll.join(', ')} ms\n`,
    );
    await asleep(profile);

    const images = join(artifact!.uri, 'images');
    const pages = readdirSync(images).find((name) => name.startsWith('pages-'))!;
    writeFileSync(join(images, pages), 'nothing of it is left');
    // Whoever may not wait so long asks again.
    await shown(() => eventually(async () => void (await profile.chat('Can you still answer?')), PATIENCE_MS));
    const [again] = await profile.ready();
    expect(again).toMatchObject({ start_kind: 'cold', artifact_id: null });
    // The supervisor in the pod has said why.
    expect(again!.message).toMatch(`The restore of the artifact ${artifact!.artifact_id} failed: `);
    expect(again!.message).toContain(pages);
    await asleep(profile);
  });

  it('are found again by a controller that was killed, also by another one, and never made twice', async () => {
    const profile = await engine({ store: 'service' });
    const kill = () => void controller.child.kill('SIGKILL');
    /** @param state of the next controller: that of the killed one, or a new one, as another pod has it */
    const killed = async (
      wanted: 'Active' | 'Suspended',
      report: RegExp,
      moment: 'before' | 'after',
      state?: string,
    ) => {
      watchpoint.at(report, moment, kill);
      await profile.want(wanted);
      await controller.ended;
      start(state);
      await shown<unknown>(() => (wanted === 'Active' ? profile.ready() : profile.suspended()));
    };
    const own = () => `state-${states}`;
    await killed('Active', EVENT, 'before', own());
    const [first] = await live(profile);
    // Another replica of the controller knows only what the pods say. They serve meanwhile.
    kill();
    await controller.ended;
    start();
    await profile.chat('One?');
    await shown(() => takenOver(profile));
    expect(await live(profile)).toMatchObject([{ metadata: { uid: first!.metadata.uid } }]);
    await killed('Suspended', REGISTER, 'before', own());
    expect(await profile.artifacts()).toMatchObject([{ status: 'ready', storage_tier: 'object' }]);
    await killed('Active', REPORT, 'after', own());
    await shown(() => profile.ready());
    await profile.chat('Two?');
    await killed('Suspended', EVENT, 'after', own());
    expect(await profile.artifacts()).toHaveLength(1);
    expect(await live(profile)).toEqual([]);
    expect(engines(profile)).toEqual([]);
    // One that started, one that was restored, and none beside them.
    expect(await everMade(profile)).toBe(2);
    const events = await profile.events();
    const count = (kind: string) => events.filter((one) => one === kind).length;
    expect(['worker.scheduled', 'model.ready', 'restore.completed', 'checkpoint.completed'].map(count)).toEqual([
      ...[2, 2, 1, 1],
    ]);
  }, 480_000);

  it('are replaced when they are killed or deleted, and end when nobody has recorded them', async () => {
    const profile = await engine();
    await profile.want('Active');
    const [old] = await shown(() => profile.ready());
    for (const pid of engines(profile).filter(isEngine)) process.kill(pid, 'SIGKILL');
    await shown(() =>
      profile.when(({ message }) =>
        expect(message).toContain('ended: It ended with the exit code 137. It is replaced'),
      ),
    );
    await shown(() => profile.when(({ workers = [] }) => expect(workers).toMatchObject([{ ready: true }])));
    const [second] = await profile.ready();
    expect(second!.workload_uid).not.toBe(old!.workload_uid);
    const [pod] = await live(profile);
    await kubernetes.kubectl('delete', 'pod', pod!.metadata.name, '--namespace', NAMESPACE, '--wait=false');
    // A failure if the controller sees the end first, and a worker that leaves if it sees the deletion first.
    await shown(() =>
      profile.when(({ workers = [] }) => {
        expect(workers).toMatchObject([{ ready: true }]);
        expect(workers[0]!.workload_uid).not.toBe(second!.workload_uid);
      }),
    );

    // A pod of a worker that nobody knows, not even the pod itself.
    const [there] = await live(profile);
    const { metadata, spec } = await kubernetes.get<{ metadata: WorkerPod['metadata']; spec: object }>(
      'pod',
      there!.metadata.name,
      NAMESPACE,
    );
    const worker = { 'ccp-agent/worker': 'nobody-0', 'ccp-agent/worker-uid': '99999999-9999-4999-8999-999999999999' };
    const strangers = [
      { name: 'nobody-0-99999999', labels: { ...metadata.labels, ...worker } },
      // A copy that somebody has made by hand.
      { name: 'copy', labels: metadata.labels },
    ];
    await kubernetes.apply(
      ...strangers.map((one) => ({
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { ...one, namespace: NAMESPACE } },
        spec: { ...spec, nodeName: undefined },
      })),
    );
    await eventually(async () => {
      const names = await kubernetes.kubectl('get', 'pods', '--namespace', NAMESPACE, '--output=name');
      for (const { name } of strangers) expect(names).not.toContain(name);
    }, PATIENCE_MS);
    expect(await live(profile)).toMatchObject([{ metadata: { uid: there!.metadata.uid } }]);
    await asleep(profile);
  });

  it('Workers of profiles as pods of Kubernetes that Kubernetes lets wait, or cannot start, are reported in words', async () => {
    const large = await engine({ resources: { cpus: 4_000 } });
    const imageless = await engine({ image: 'docker.io/local/missing:1' });
    const broken = await engine({ command: ['sh', '-c', 'exit 3'] });
    for (const profile of [large, imageless, broken]) await profile.want('Active');
    const says = (profile: ServedProfile, message: RegExp) =>
      shown(() => profile.when((activation) => expect(activation.message).toMatch(message)));
    await says(broken, /did not start: It ended with the exit code 3\. It is replaced/);
    await says(large, /The pod models\S+ waits for a node: 0\/2 nodes are available: 2 Insufficient cpu/);
    await says(
      imageless,
      /waits on the node real-\d for the image docker\.io\/local\/missing:1, which cannot be pulled/,
    );
    for (const profile of [large, imageless, broken]) await asleep(profile);
  });

  it('Workers of profiles as pods of Kubernetes in the network of their pod listen at a port that the agent chooses, and are not checkpointed', async () => {
    const profile = await engine({}, { hosting_mode: 'dedicated' }, {}, ['--host', '0.0.0.0']);
    await profile.want('Active', 2);
    const workers = await shown(() => profile.ready(2));
    expect(new Set(workers.map(({ endpoint }) => endpoint)).size).toBe(2);
    await profile.chat();
    await asleep(profile);
    expect(await profile.artifacts()).toEqual([]);
  });
});

/** The engine itself, without what stands around it. */
function isEngine(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]!.endsWith('python3');
  } catch {
    return false;
  }
}

const TEMPLATE = (directory: string): string => `
metadata:
  labels: { team: models }
spec:
  hostNetwork: true
  volumes:
    - { name: shared, hostPath: { path: ${directory} } }
  initContainers:
    - { name: agent, imagePullPolicy: Never, command: [/ccp/install, /ccp-agent] }
  containers:
    - name: worker
      image: ${PYTHON_IMAGE}
      imagePullPolicy: Never
      volumeMounts: [{ name: shared, mountPath: ${directory} }]
`;
