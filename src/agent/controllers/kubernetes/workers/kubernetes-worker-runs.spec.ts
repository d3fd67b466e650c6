import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { eventually } from '../../../../../test/support/eventually';
import { AgentFailure, failureOf } from '../../../failures';
import type { RunWish } from '../../workers/worker-runs';
import { ApiRefusal } from '../cluster/refusals';
import { PODS, type Pod } from '../cluster/resources';
import type { Change } from '../cluster/watched';
import { KubernetesWorkerRuns, type KubernetesWorkerTools } from './kubernetes-worker-runs';
import { NO_TEMPLATE } from './worker-template';

const UID = '11111111-2222-4333-8444-555555555555';
const NAMESPACE = 'models';
const NAME = 'llama-0-11111111';
const ADDRESS = '10.0.0.7';
const RUN = { uid: UID, name: 'llama-0', network: 'isolated', port: 0 } as const;
const WISH: RunWish = {
  ...{ ...RUN, command: ['serve'], image: 'engine:1', variables: {}, reference: undefined, store: 'service' },
  ...{ resources: { cpus: undefined, memoryMib: undefined, gpus: undefined }, stopGraceMs: 0, record: { uid: UID } },
};
const RUNNING = { phase: 'Running', podIP: ADDRESS, containerStatuses: [{ name: 'worker', state: { running: {} } }] };
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

describe('Workers as pods', () => {
  const stopped = new AbortController();
  let directory: string;
  let pods: Map<string, Pod>;
  let asked: string[];
  let listeners: ((change: Change<Pod>) => void)[];
  let refusal: ApiRefusal | undefined;
  let silence: Error | undefined;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'worker-runs-'));
    [pods, asked, listeners, refusal, silence] = [new Map(), [], [], undefined, undefined];
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  afterAll(() => stopped.abort());

  const tools = (): KubernetesWorkerTools => ({
    context: { directory, signal: stopped.signal, log: pino({ level: 'silent' }) },
    client: {
      create: (_resource, pod) => {
        const name = pod.metadata!.name!;
        asked.push(`create ${name}`);
        const taken = pods.has(name);
        if (refusal ?? taken) return Promise.reject(refusal ?? refused(409, 'AlreadyExists'));
        pods.set(name, { ...pod, status: {} });
        return Promise.resolve(pod);
      },
      get: (_resource, { name }) => Promise.resolve(pods.get(name!) as never),
      delete: (_resource, { name }, { graceSeconds } = {}) => {
        asked.push(`delete ${name} ${graceSeconds ?? 'as the pod says'}`);
        return Promise.resolve();
      },
    },
    pods: {
      get: (name) => pods.get(name),
      all: () => pods.values(),
      ready: () => Promise.resolve(),
      onChange: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    },
    supervisors: {
      statusOnceUp: ({ pod }) => {
        asked.push(`ask ${pod}`);
        if (silence) return Promise.reject(silence);
        return Promise.resolve({ phase: 'running', network: { published: { port: 8_000 } } } as never);
      },
      connections: () => Promise.reject(new Error('not asked here')),
      checkpoint: () => Promise.reject(new Error('not asked here')),
    },
    wishes: {
      ...{
        namespace: NAMESPACE,
        owner: () => 'cluster',
        agentImage: 'agent',
        secret: 'workers',
        template: NO_TEMPLATE,
      },
      settings: {
        ...{ url: 'http://service', stateDir: '/state', store: 'service', storeKeyFile: '/key', verify: 'changed' },
        ...{ parallelDumps: 1, token: undefined, tokenFile: undefined },
      },
    },
  });
  const runs = () => new KubernetesWorkerRuns(tools());
  const refused = (status: number, reason: string): ApiRefusal =>
    ApiRefusal.of({ verb: 'create', resource: PODS, place: { namespace: NAMESPACE } }, status, {
      reason,
      message: reason,
    });
  const put = (status: object, metadata: object = {}, name = NAME): Pod => {
    const labels = { 'ccp-agent/worker-uid': UID, 'ccp-agent/worker': 'llama-0', 'ccp-agent/workers-of': 'cluster' };
    const pod: Pod = {
      metadata: { name, namespace: NAMESPACE, uid: `of-${name}`, labels, ...metadata },
      spec: { containers: [], nodeName: 'n1' },
      status,
    };
    pods.set(name, pod);
    return pod;
  };

  it('are made once, by however many controllers', async () => {
    await runs().start(WISH);
    await runs().start(WISH);
    // One whose receipt is lost, such as another replica.
    rmSync(join(directory, 'pods'), { recursive: true });
    await runs().start(WISH);
    expect(asked).toEqual([`create ${NAME}`, `create ${NAME}`]);
    // It was deleted meanwhile, and is not made a second time.
    pods.clear();
    await runs().start(WISH);
    expect(asked).toHaveLength(2);
    expect(await runs().status(RUN)).toBeUndefined();
  });

  it('are refused where another pod has the name, or the API server makes none', async () => {
    put(RUNNING, { labels: {} });
    expect(await runs().start(WISH).catch(failureOf)).toMatchObject({ cause: 'name_taken' });
    refusal = refused(403, 'exceeded quota');
    // It is not the fault of an artifact.
    expect(await runs().start(WISH).catch(failureOf)).toMatchObject({
      cause: 'scheduler_refused',
      message: expect.stringContaining('exceeded quota'),
    });
  });

  it('are made at the next attempt where another pod has changed their quota at the same moment', async () => {
    refusal = refused(409, 'Operation cannot be fulfilled on resourcequotas "gpus"');
    const made = runs().start(WISH);
    await eventually(() => expect(asked.length).toBeGreaterThan(0));
    refusal = undefined;
    await made;
    expect([...pods.keys()]).toEqual([NAME]);
  });

  it('are running when their supervisor says so, which is asked once', async () => {
    put(RUNNING);
    const one = runs();
    expect(await one.status(RUN)).toEqual({ state: 'starting', endpoint: undefined });
    await new Promise((resolve) => setImmediate(resolve));
    const running = { state: 'running', endpoint: `http://${ADDRESS}:8000` };
    expect([await one.status(RUN), await one.status(RUN)]).toEqual([running, running]);
    expect(asked).toEqual([`ask ${NAME}`]);
    expect(await one.status({ ...RUN, network: 'host', port: 20_001 })).toMatchObject({
      endpoint: `http://${ADDRESS}:20001`,
    });
    // Its node is drained.
    put(RUNNING, { deletionTimestamp: ago(-20_000) });
    expect(await one.status(RUN)).toEqual({ ...running, isEnding: true });
  });

  it('say why they cannot be asked where the API server is the cause, and not their container', async () => {
    put(RUNNING);
    silence = refused(500, 'the certificate of the kubelet has expired');
    const one = runs();
    await eventually(async () =>
      expect(await one.status(RUN)).toMatchObject({ state: 'starting', unasked: expect.stringContaining('expired') }),
    );
    silence = new AgentFailure({ cause: 'workload_missing', message: 'There is no program.' });
    await eventually(async () => expect(await one.status(RUN)).toEqual({ state: 'starting', endpoint: undefined }));
  });

  it('have a network of their own, unless the template gives them that of their node', () => {
    expect(runs().sharesNetwork).toBe(false);
    const { wishes, ...others } = tools();
    const template = { ...NO_TEMPLATE, spec: { hostNetwork: true } };
    expect(new KubernetesWorkerRuns({ ...others, wishes: { ...wishes, template } }).sharesNetwork).toBe(true);
  });

  it('have ended as they were last seen, when their pod is gone', async () => {
    const one = runs();
    const terminated = { exitCode: 3 };
    const pod = put({ phase: 'Failed', containerStatuses: [{ name: 'worker', state: { terminated } }] });
    pods.clear();
    for (const listener of listeners) listener({ type: 'gone', object: pod });
    expect(await one.status(RUN)).toMatchObject({ state: 'ended', failure: { message: expect.stringContaining('3') } });
  });

  it('are asked to end, then given a second, and taken from a node only if it does not answer', async () => {
    put(RUNNING);
    await runs().end(RUN, false);
    await runs().end(RUN, true);
    put(RUNNING, { deletionTimestamp: ago(-1_000), deletionGracePeriodSeconds: 1 });
    await runs().end(RUN, false);
    await runs().end(RUN, true);
    put(RUNNING, { deletionTimestamp: ago(11_000), deletionGracePeriodSeconds: 1 });
    await runs().end(RUN, true);
    expect(asked).toEqual([`delete ${NAME} as the pod says`, `delete ${NAME} 1`, `delete ${NAME} 0`]);
  });

  it('are listed while they live; copies of them, and pods that ended long ago, are deleted', async () => {
    put(RUNNING);
    put(RUNNING, {}, 'copy');
    const ended = (ms: number) => ({
      phase: 'Succeeded',
      containerStatuses: [{ name: 'worker', state: { terminated: { exitCode: 0, finishedAt: ago(ms) } } }],
    });
    put(ended(60_000), {}, 'ended');
    put(ended(3_600_000), {}, 'old');
    put(RUNNING, { labels: { 'ccp-agent/workers-of': 'another cluster' } }, 'strange');
    expect(await runs().list()).toEqual([{ uid: UID, name: 'llama-0' }]);
    expect(asked.sort()).toEqual(['delete copy as the pod says', 'delete old as the pod says']);
  });

  it('carry their record for the next controller', async () => {
    await runs().start(WISH);
    expect(await runs().records()).toEqual([{ uid: UID }]);
    put(RUNNING, { annotations: { 'ccp-agent/worker-record': 'no JSON' } });
    expect(await runs().records()).toEqual([undefined]);
  });

  it('carry it no more for a controller that has reported their end', async () => {
    await runs().start(WISH);
    const { annotations } = pods.get(NAME)!.metadata!;
    put({ phase: 'Succeeded' }, { annotations });
    // Started from here, and without a record here: nobody knows whether its end was reported.
    expect(await runs().records()).toEqual([{ uid: UID, isDismissed: true }]);
    await runs().endReported(UID);
    expect(await runs().records()).toEqual([]);
    rmSync(join(directory, 'reported-pods'), { recursive: true });
    expect(await runs().records()).toHaveLength(1);
  });

  const ending: readonly [string, object, object][] = [
    ['have ended', { phase: 'Failed' }, {}],
    ['are about to end', RUNNING, { deletionTimestamp: ago(-20_000) }],
  ];
  it.each(ending)('carry their record also when they %s, and are left as they are', async (_how, status, more) => {
    put(status, { annotations: { 'ccp-agent/worker-record': JSON.stringify({ uid: UID }) }, ...more });
    expect(await runs().records()).toEqual([{ uid: UID, isDismissed: true }]);
    await runs().end(RUN, false);
    expect(asked).toEqual([]);
  });
});
