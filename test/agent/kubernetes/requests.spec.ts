import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { ProgressReports } from '../../../src/agent/controllers/common/reports/progress-reports';
import { RequestJournal } from '../../../src/agent/controllers/common/requests/request-journal';
import { CordonedNodes } from '../../../src/agent/controllers/kubernetes/cordoned-nodes';
import { KubernetesCluster } from '../../../src/agent/controllers/kubernetes/kubernetes-cluster';
import { Access } from '../../../src/agent/controllers/kubernetes/cluster/access';
import { ClusterClient } from '../../../src/agent/controllers/kubernetes/cluster/cluster-client';
import { ApiUnreachable, mayPassLater } from '../../../src/agent/controllers/kubernetes/cluster/refusals';
import { takeCheckpoints } from '../../../src/agent/controllers/kubernetes/requests/checkpoint-work';
import type {
  CheckpointAsked,
  Request,
  RestoreAsked,
} from '../../../src/agent/controllers/kubernetes/requests/kubernetes-requests';
import { openByMarks } from '../../../src/agent/controllers/kubernetes/requests/moving-pods';
import { placeOfRestored } from '../../../src/agent/controllers/kubernetes/requests/restore-plan';
import { giveUpRestore, restorePod } from '../../../src/agent/controllers/kubernetes/requests/restore-work';
import type { WorkContext } from '../../../src/agent/controllers/kubernetes/requests/work-context';
import { AgentFailure } from '../../../src/agent/failures';
import { isTransient, ServiceProblem, ServiceUnreachable } from '../../../src/agent/service/problems';
import { idFor } from '../../../src/agent/service/requests';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { storeFailed } from '../../../src/agent/store/store-failures';
import { factsOf, KEY } from '../../support/checkpoint-stores';
import { eventually } from '../../support/eventually';
import { StubApiServer, type StubObject } from './stub-api-server';

const CHECKPOINT_ID = randomUUID();
const REFERENCE = '/store/1';
const RUN = randomUUID();

/** What a client sends to the service. */
interface Sent {
  readonly params?: { readonly path?: { readonly id?: string }; readonly query?: { readonly cluster_id?: string } };
  readonly body?: Record<string, unknown>;
}

/** Requests against an API server, with what the service and the supervisors answer. */
/** @returns moves the clock of `performance` forward until the mocks are restored */
function movableTime(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  return (milliseconds) => void (ahead += milliseconds);
}

describe('a request to the controller of Kubernetes', () => {
  let api: StubApiServer;
  let directory: string;
  let stop: AbortController;
  let running: Promise<void>;
  let context: WorkContext;
  /** As the service has it. */
  let action: Record<string, unknown>;
  /** Actions that it does not answer with. */
  let unread: Map<string, Error>;
  /** That the service has. */
  let restores: object[];
  /** The same of checkpoints. */
  let checkpoints: object[];
  /** Operations that do not reach it, once each. */
  let lost: Set<string>;
  /** Operations of the service, with their bodies. */
  let reports: { operation: string; body: Record<string, unknown> | undefined }[];
  /** Of each container that is asked. */
  let status: (pod: string) => object;
  /** Of one container. */
  let supervised: (container: string) => object;
  /** What its supervisor answers to a request for a checkpoint; undefined: it is stored. */
  let dumped: (() => Promise<never>) | undefined;
  /** Is called with the report of a checkpoint. */
  let uploaded: () => void;
  let dumps: { id: string; container: string; staySeconds?: number; leaveRunning: boolean }[];

  beforeEach(async () => {
    api = await StubApiServer.start();
    directory = mkdtempSync(join(tmpdir(), 'requests-'));
    writeFileSync(join(directory, 'kubeconfig'), JSON.stringify(api.kubeconfig));
    [stop, reports, dumps, unread, lost] = [new AbortController(), [], [], new Map(), new Set()];
    status = () => ({ phase: 'running', restored: null, failure: null });
    const stored = { id: CHECKPOINT_ID, restore_path: REFERENCE, status: 'ready' };
    checkpoints = [{ ...stored, container_name: 'main', name: 'default/web' }];
    [uploaded, supervised, dumped, restores] = [() => undefined, () => ({}), undefined, []];
    const { signal } = stop;
    const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
    const client = new ClusterClient(Access.load({ kubeconfig: join(directory, 'kubeconfig') }), signal);
    const cluster = new KubernetesCluster(client, { namespaces: undefined, signal, log });
    const say = () => undefined;
    const supervisors = {
      checkpoint: ({ container: of }: { container: string }, request: Omit<(typeof dumps)[number], 'container'>) => {
        dumps.push({ ...request, container: of });
        if (dumped) return dumped();
        return Promise.resolve({ reference: `service:${request.id}`, bytes: 1, stages: [], criu: {} });
      },
      status: ({ pod: name, container: of }: { pod: string; container: string }) =>
        Promise.resolve({ stages: [], startedAt: '', ...status(name), ...supervised(of) }),
    };
    context = {
      ...{ service: { send }, store: new DirectoryStore({ directory: join(directory, 'store'), key: KEY }) },
      ...{ signal, log, say, clusterId: () => 'cluster', directory, run: RUN, cluster },
      mayPass: (error: unknown) => isTransient(error) || mayPassLater(error),
      ...{ supervisors, checkpoints: supervisors, journal: new RequestJournal<Request>(directory) },
      cordoned: new CordonedNodes({ cluster, signal, log, say }),
    } as unknown as WorkContext;
    running = cluster.run();
    running.catch(() => undefined);
    api.put('nodes', { metadata: { name: 'n1' } });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    stop.abort(new Error('stopped'));
    await running.catch(() => undefined);
    await api.stop();
    rmSync(directory, { recursive: true });
  });

  const ANSWERS: Record<string, (init: Sent) => unknown> = {
    get_action: ({ params }) => {
      const failed = unread.get(params?.path?.id ?? '');
      if (failed) throw failed;
      if (params?.path?.id === action.action_id) return action;
      throw new ServiceProblem('get_action', 404, 'action_not_found', '');
    },
    list_checkpoints: () => checkpoints,
    list_restores: () => restores,
    create_checkpoint: () => CHECKPOINT_ID,
    // Another cluster has a newer one of the same name.
    get_checkpoint_path: ({ params }) => (params?.query?.cluster_id === 'cluster' ? REFERENCE : 'service:other'),
    get_pipeline_policy: () => ({
      pipeline: { trigger: { type: 'maintenance', config: { end_time: '2099-01-01T00:00:00.000Z' } } },
    }),
  };
  const send = async (operation: string, call: (client: object) => unknown): Promise<unknown> => {
    const method = (_path: string, init: object) => init;
    const init = (await call({ GET: method, POST: method, PUT: method })) as Sent;
    if (lost.delete(operation)) throw new ServiceUnreachable(operation, 'connection refused');
    reports.push({ operation, body: init.body });
    if (operation === 'report_checkpoint_uploaded') uploaded();
    return ANSWERS[operation]?.(init);
  };

  const container = (members: object = {}) => ({
    name: 'main',
    command: ['ccp-agent', 'run', '--restore', 'auto', '--', 'x'],
    env: [{ name: 'CCP_WORKLOAD_NAME', value: 'web' }],
    ...members,
  });
  const pod = (name: string, { metadata = {}, spec = {} }: { metadata?: object; spec?: object } = {}): StubObject => {
    const containers = [container()];
    const all = (spec as { containers?: { name: string }[] }).containers ?? containers;
    return api.put('pods', {
      metadata: { name, namespace: 'default', ...metadata },
      spec: { nodeName: 'n1', restartPolicy: 'Always', containers, ...spec },
      status: {
        phase: 'Running',
        containerStatuses: all.map((one) => ({ name: one.name, restartCount: 0, state: { running: {} } })),
      },
    });
  };
  const owned = (kind: string, uid: string) => ({ ownerReferences: [{ kind, name: 'web', uid, controller: true }] });
  const replicaSet = (): string =>
    api.put('replicasets', { metadata: { name: 'web', namespace: 'default' } }).metadata.uid!;
  const actionOf = (one: StubObject, members: object = {}): string => {
    const id = randomUUID();
    action = {
      ...{ action_id: id, checkpoint_id: CHECKPOINT_ID, checkpoint_ids: [CHECKPOINT_ID], status: 'running' },
      ...{ details: {}, reason: 'manual', containers: null, pod_metadata: one.metadata, pod_spec: one.spec },
      ...members,
    };
    return id;
  };
  const checkpointOf = (one: StubObject, members: object, asked: Partial<CheckpointAsked> = {}): CheckpointAsked => {
    const ids = { actionId: actionOf(one, members), checkpointId: CHECKPOINT_ID, podUid: one.metadata.uid! };
    return { kind: 'checkpoint', ...ids, leaveRunning: false, ...asked };
  };
  const restoreOf = (one: StubObject, members: object = {}, asked: Partial<RestoreAsked> = {}): RestoreAsked => ({
    ...{ kind: 'restore', actionId: actionOf(one, members), checkpointId: CHECKPOINT_ID },
    ...asked,
  });
  const known = async () => {
    await context.cluster.ready();
    await eventually(() =>
      expect([...context.cluster.pods.all()].map(({ metadata }) => metadata?.name).sort()).toEqual(names()),
    );
  };
  const names = () => api.names('pods');
  const operations = () => reports.map(({ operation }) => operation);
  const failure = () => reports.find(({ operation }) => operation === 'record_restore_error')?.body;
  const annotationsOf = (name: string) =>
    (api.get('pods', name, 'default')?.metadata.annotations ?? {}) as Record<string, string>;
  const mark = (members: object) => ({ annotations: { 'ccp-agent/restore': JSON.stringify(members) } });
  const moving = (actionId: string) => ({
    annotations: { 'ccp-agent/moving': JSON.stringify({ actionId, checkpointId: CHECKPOINT_ID }) },
  });

  describe('that an old journal repeats', () => {
    const started = { startedAt: '2026-11-23T12:00:00.000Z' };

    it.each(['ready', 'error'])('creates no pod when the restore has ended as %s', async (end) => {
      const one = pod('web');
      await known();
      await restorePod(context, restoreOf(one, { status: end }, started));
      expect(api.count('create pods')).toBe(0);
      expect(operations()).toEqual(['get_action']);
    });

    it('creates no pod for a move that neither pod knows, and deletes none', async () => {
      const one = pod('web');
      await known();
      const asked = restoreOf(one, { status: 'ready', reason: 'maintenance' }, { kind: 'move', ...started });
      await restorePod(context, { ...asked, run: randomUUID() });
      expect(api.count('create pods')).toBe(0);
      expect(names()).toEqual(['web']);
    });

    /** A move of another run whose pod is gone, as with its node. */
    const leftMove = async (members: object = {}, metadata: object = {}) => {
      const one = pod('web', { metadata });
      await known();
      const asked = restoreOf(one, { status: 'ready', reason: 'maintenance' }, { kind: 'move', ...started });
      api.remove('pods', 'web', 'default');
      await known();
      const updated_at = new Date(Date.now() - 600_000).toISOString();
      restores = [{ restore_uuid: idFor(asked, 'restore'), status: 'started', updated_at, ...members }];
      return { ...asked, run: randomUUID() };
    };

    it('goes on with a move whose old pod is gone, if the service has its restore open', async () => {
      const asked = await leftMove();
      const done = restorePod(context, asked);
      await restoring();
      await done;
      expect(api.count('create pods')).toBe(1);
      expect(operations()).toContain('record_restore_success');
    });

    it.each([
      ['has ended', { status: 'failed' }],
      ['is not known', { restore_uuid: randomUUID() }],
      ['was reported too long ago', { updated_at: new Date(Date.now() - 901_000).toISOString() }],
    ])('creates no pod for a move whose old pod is gone if its restore %s', async (_, members) => {
      await restorePod(context, await leftMove(members));
      expect(api.count('create pods')).toBe(0);
      expect(operations()).toEqual(['get_action', 'list_restores']);
    });

    it('creates no pod for a move whose old pod is gone if its end was not reported', async () => {
      const asked = await leftMove();
      await restorePod(context, { ...asked, completedAt: started.startedAt });
      expect(api.count('create pods')).toBe(0);
    });

    it('leaves a pod alone that an owner has made in the place of the old one', async () => {
      const uid = replicaSet();
      const asked = await leftMove({}, owned('ReplicaSet', uid));
      pod('web-2', { metadata: owned('ReplicaSet', uid) });
      await known();
      await restorePod(context, asked);
      expect(names()).toEqual(['web-2']);
      expect(operations()).toEqual(['get_action', 'list_restores']);
    });

    it('moves no pod after a checkpoint that is over, unless the pod says so', async () => {
      const one = pod('web');
      await known();
      const asked = checkpointOf(one, { status: 'ready', reason: 'maintenance' }, { moves: true, run: randomUUID() });
      expect(await takeCheckpoints(context, asked)).toBeUndefined();
      api.put('pods', { ...one, metadata: { ...one.metadata, ...moving(asked.actionId) } });
      await eventually(() => expect(context.cluster.pods.byUid(asked.podUid)?.metadata?.annotations).toBeDefined());
      const { moves: _moves, run: _run, ...event } = asked;
      expect(await takeCheckpoints(context, event)).toMatchObject({ kind: 'move', actionId: asked.actionId, run: RUN });
      expect(annotationsOf('web')).toHaveProperty('ccp-agent/moving');
    });
  });

  describe('that the service gave up while no controller led', () => {
    const BEGAN = '2026-11-23T12:00:00.000Z';
    /** That its supervisor has. */
    let uid: string;
    /** A pod that a restore has made. */
    const restored = async (members: object): Promise<RestoreAsked> => {
      const asked = restoreOf(pod('web'), {});
      const place = placeOfRestored(asked, action as Parameters<typeof placeOfRestored>[1]);
      ({ uid } = place);
      const ids = { actionId: asked.actionId, checkpointId: CHECKPOINT_ID, startedAt: BEGAN };
      const env = Object.entries({ REFERENCE, UID: uid, AT: BEGAN });
      const instructed = env.map(([member, value]) => ({ name: `CCP_RESTORE_${member}`, value }));
      pod(place.name, {
        metadata: mark({ kind: 'restore', ...ids, origin: 'web' }),
        spec: { containers: [container({ env: instructed })] },
      });
      status = () => ({ uid, phase: 'ended', restored: null, failure: { cause: 'file_changed', message: 'changed' } });
      Object.assign(action, members);
      await known();
      return asked;
    };

    it('removes its pod after a failure', async () => {
      await restored({ status: 'error' });
      const [asked] = await openByMarks(context);
      await restorePod(context, asked as RestoreAsked);
      expect(names()).toEqual(['web']);
    });

    it('removes its pod also if the agent gives up after the service did', async () => {
      const asked = await restored({ status: 'error' });
      expect(await giveUpRestore(context, asked, { cause: 'unclassified', message: 'fault' })).toBe(true);
      expect(names()).toEqual(['web']);
    });

    const isRestored = () => ({ uid, phase: 'running', failure: null, restored: { reference: REFERENCE, stages: [] } });

    it.each([
      ['the service did', { status: 'error' }],
      ['its own faults do', { status: 'running' }],
    ])('keeps its pod and reports it if it was restored all the same, when %s', async (_, members) => {
      const asked = await restored(members);
      status = isRestored;
      if (members.status === 'error') await restorePod(context, asked);
      else expect(await giveUpRestore(context, asked, { cause: 'unclassified', message: 'fault' })).toBe(true);
      expect(names()).toHaveLength(2);
      expect(operations().filter((one) => one.startsWith('record_'))).toEqual(['record_restore_success']);
      expect(reports.at(-1)?.body).toMatchObject({
        started_at: BEGAN,
        restore_path: REFERENCE,
        metadata: { pod_uid: api.get('pods', names()[1]!, 'default')!.metadata.uid },
      });
      await eventually(async () => expect(await openByMarks(context)).toEqual([]));
    });

    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

    it.each([
      ['reach its node', () => new ApiUnreachable('no answer')],
      ['run its program', () => new AgentFailure({ cause: 'scheduler_refused', message: 'It printed nothing.' })],
    ])('keeps its pod for some minutes if the cluster cannot %s, and removes it then', async (_, error) => {
      const asked = await restored({ status: 'error' });
      status = () => {
        throw error();
      };
      const later: unknown = await restorePod(context, asked).catch((failure: unknown) => failure);
      expect(context.mayPass(later)).toBe(true);
      const kept = (await context.journal.find(asked)) as RestoreAsked;
      await expect(giveUpRestore(context, kept, { cause: 'unclassified', message: 'fault' })).rejects.toThrow();
      expect(await context.journal.find(asked)).toMatchObject({ silentSince: kept.silentSince });
      expect(names()).toHaveLength(2);
      await expect(restorePod(context, { ...kept, silentSince: minutesAgo(2), unanswered: 9 })).rejects.toThrow(
        'did not answer',
      );
      expect(names()).toHaveLength(2);
      await restorePod(context, { ...kept, silentSince: minutesAgo(4), unanswered: 4 });
      expect(names()).toEqual(['web']);
    });

    it.each([
      ['a few questions in a long time', { unanswered: 3 }],
      ['questions of an earlier release, which did not count them', { unanswered: undefined }],
    ])('keeps its pod if it is silent once more after %s', async (_, members) => {
      const asked = await restored({ status: 'error' });
      status = () => {
        throw new ApiUnreachable('no answer');
      };
      const long = { ...asked, silentSince: minutesAgo(10), ...members };
      await expect(restorePod(context, long)).rejects.toThrow('did not answer');
      expect(names()).toHaveLength(2);
      const { silentSince, unanswered = 0 } = (await context.journal.find(asked)) as RestoreAsked;
      expect([silentSince, unanswered]).toEqual([long.silentSince, (members.unanswered ?? 0) + 1]);
      for (let more = unanswered; more < 4; more++) {
        const next = (await context.journal.find(asked)) as RestoreAsked;
        await expect(restorePod(context, next)).rejects.toThrow('did not answer');
      }
      await restorePod(context, (await context.journal.find(asked)) as RestoreAsked);
      expect(names()).toEqual(['web']);
    });

    it('keeps its pod for as long as the agent may not ask its supervisor', async () => {
      const asked = await restored({ status: 'error' });
      status = () => {
        throw new AgentFailure({ cause: 'permission_missing', message: 'No exec.' });
      };
      const long = { ...asked, silentSince: minutesAgo(10), unanswered: 9 };
      await expect(restorePod(context, long)).rejects.toThrow('did not answer');
      expect(names()).toHaveLength(2);
      expect(await context.journal.find(asked)).not.toHaveProperty('silentSince');
    });

    describe('in a container that kubelet has restarted', () => {
      const restarted = async () => {
        const asked = await restored({ status: 'error' });
        const found = api.get('pods', names()[1]!, 'default')!;
        const before = found.status as { containerStatuses: object[] };
        const containerStatuses = before.containerStatuses.map((one) => ({ ...one, restartCount: 1 }));
        api.put('pods', { ...found, status: { ...before, containerStatuses } });
        return asked;
      };
      const silent = () => ({ silentSince: minutesAgo(10), unanswered: 9 });

      it.each(['starting', 'restoring'])('keeps its pod for as long as its supervisor is %s', async (phase) => {
        const asked = await restarted();
        status = () => ({ uid, phase, restored: null, failure: null });
        await expect(restorePod(context, { ...asked, ...silent() })).rejects.toThrow('still starts');
        expect(names()).toHaveLength(2);
        status = isRestored;
        await restorePod(context, (await context.journal.find(asked)) as RestoreAsked);
        expect(names()).toHaveLength(2);
        expect(operations()).toContain('record_restore_success');
      });

      it('keeps its pod for some minutes between two starts, and removes it then', async () => {
        const asked = await restarted();
        const found = api.get('pods', names()[1]!, 'default')!;
        const { containerStatuses } = found.status as { containerStatuses: object[] };
        const state = { waiting: { reason: 'CrashLoopBackOff' } };
        const lastState = { terminated: { exitCode: 255, reason: 'Error' } };
        const between = containerStatuses.map((one) => ({ ...one, state, lastState }));
        api.put('pods', { ...found, status: { ...(found.status as object), containerStatuses: between } });
        await expect(restorePod(context, asked)).rejects.toThrow('between two starts');
        expect(names()).toHaveLength(2);
        await restorePod(context, { ...asked, ...silent() });
        expect(names()).toEqual(['web']);
      });

      it('keeps its pod for some minutes without a supervisor, and removes it then', async () => {
        const asked = await restarted();
        status = () => {
          throw new AgentFailure({ cause: 'workload_missing', message: 'Nobody supervises it.' });
        };
        await expect(restorePod(context, asked)).rejects.toThrow('did not answer');
        expect(names()).toHaveLength(2);
        await restorePod(context, { ...asked, ...silent() });
        expect(names()).toEqual(['web']);
      });
    });

    it('keeps its pod and reports it if its supervisor was silent, and answers that it was restored', async () => {
      const asked = await restored({ status: 'error' });
      status = () => {
        throw new ApiUnreachable('no answer');
      };
      await expect(restorePod(context, asked)).rejects.toThrow('did not answer');
      status = isRestored;
      await restorePod(context, (await context.journal.find(asked)) as RestoreAsked);
      expect(names()).toHaveLength(2);
      expect(operations()).toContain('record_restore_success');
    });

    it.each(['starting', 'restoring'])('removes its pod at once while its supervisor is %s', async (phase) => {
      const asked = await restored({ status: 'error' });
      status = () => ({ uid, phase, restored: null, failure: null });
      await restorePod(context, asked);
      expect(names()).toEqual(['web']);
      expect(operations()).not.toContain('record_restore_success');
    });

    it('removes its pod if nothing has begun in it, and it would begin when nobody expects it', async () => {
      const asked = await restored({ status: 'error' });
      const [, name] = names();
      api.put('pods', { ...api.get('pods', name!, 'default')!, status: { phase: 'Pending', containerStatuses: [] } });
      status = isRestored;
      await restorePod(context, asked);
      expect(names()).toEqual(['web']);
    });

    it('keeps its pod after a success, and looks at it once', async () => {
      await restored({ status: 'ready' });
      const [asked] = await openByMarks(context);
      await restorePod(context, asked as RestoreAsked);
      expect(names()).toHaveLength(2);
      await eventually(async () => expect(await openByMarks(context)).toEqual([]));
    });

    it('keeps its pod and reports the success also if its checkpoint was deprecated before that', async () => {
      const asked = await restored({ status: 'running' });
      checkpoints = checkpoints.map((one) => ({ ...one, status: 'deprecated' }));
      status = isRestored;
      await restorePod(context, asked);
      expect(names()).toHaveLength(2);
      expect(operations().filter((one) => one.startsWith('record_'))).toEqual([
        'record_restore_start',
        'record_restore_success',
      ]);
    });

    describe('after a failure that could not be reported', () => {
      const failed = (asked: RestoreAsked): RestoreAsked => ({
        ...{ ...asked, startedAt: BEGAN, completedAt: BEGAN },
        end: { failure: { cause: 'busy', message: 'It took too long.' }, pod: undefined },
      });

      it('reports that failure, and removes its pod', async () => {
        await restorePod(context, failed(await restored({ status: 'error' })));
        expect(operations()).toEqual(['get_action', 'record_restore_error']);
        expect(failure()).toMatchObject({ completed_at: BEGAN, runtime_metadata: { message: 'It took too long.' } });
        expect(names()).toEqual(['web']);
      });

      it('keeps its pod and reports the success if it was restored all the same', async () => {
        const asked = failed(await restored({ status: 'error' }));
        status = isRestored;
        await restorePod(context, asked);
        expect(names()).toHaveLength(2);
        expect(operations()).toEqual(['get_action', 'record_restore_success']);
        const { completedAt, end } = (await context.journal.find(asked)) as RestoreAsked;
        expect(reports.at(-1)?.body).toMatchObject({ completed_at: completedAt });
        expect(completedAt).not.toBe(BEGAN);
        expect(end).toHaveProperty('restored');
      });

      it('asks its supervisor for an hour, also if it may not, and then reports the failure', async () => {
        const asked = failed(await restored({ status: 'running' }));
        status = () => {
          throw new AgentFailure({ cause: 'permission_missing', message: 'No exec.' });
        };
        await expect(restorePod(context, asked)).rejects.toThrow('did not answer');
        const kept = (await context.journal.find(asked)) as RestoreAsked;
        expect(kept.busy).toMatchObject({ unanswered: 1 });
        // What is silent now has no part in that.
        expect(kept).not.toHaveProperty('silentSince');
        for (const busy of [
          { silentSince: minutesAgo(59), unanswered: 9 },
          { silentSince: minutesAgo(61), unanswered: 3 },
        ])
          await expect(restorePod(context, { ...kept, busy })).rejects.toThrow('did not answer');
        await restorePod(context, { ...kept, busy: { silentSince: minutesAgo(61), unanswered: 4 } });
        expect(failure()).toMatchObject({ runtime_metadata: { message: 'It took too long.' } });
        expect(names()).toEqual(['web']);
      });
    });

    it('is left to its own request while it is open', async () => {
      await restored({ status: 'running' });
      expect(await openByMarks(context)).toEqual([]);
    });
  });

  it('is not found by marks that somebody has copied to another pod', async () => {
    const victim = pod('web');
    const actionId = actionOf(victim, { reason: 'maintenance' });
    const ids = { actionId, checkpointId: CHECKPOINT_ID };
    pod('forged-1', { metadata: moving(actionId) });
    const startedAt = '2026-11-23T12:00:00.000Z';
    pod('forged-2', { metadata: mark({ kind: 'move', ...ids, startedAt, origin: 'web' }) });
    pod('forged-3', { metadata: moving('none') });
    pod('forged-4', { metadata: moving(randomUUID()) });
    await known();
    expect(await openByMarks(context)).toEqual([]);
    api.put('pods', { ...victim, metadata: { ...victim.metadata, ...moving(actionId) } });
    await eventually(async () =>
      expect(await openByMarks(context)).toEqual([
        { kind: 'checkpoint', ...ids, podUid: victim.metadata.uid, leaveRunning: false, moves: true },
      ]),
    );
    action.reason = 'manual';
    expect(await openByMarks(context)).toEqual([]);
  });

  describe('that the mark of a pod shows', () => {
    let moved: string;
    const restoreMark = (members: object) =>
      mark({ kind: 'move', actionId: moved, checkpointId: CHECKPOINT_ID, origin: 'web', ...started, ...members });
    const started = { startedAt: '2026-11-23T12:00:00.000Z' };

    beforeEach(() => {
      const one = pod('web');
      moved = actionOf(one, { reason: 'maintenance' });
      api.put('pods', { ...one, metadata: { ...one.metadata, ...moving(moved) } });
    });
    const isFound = async () => {
      await known();
      await eventually(() => expect(context.cluster.pods.get('web', 'default')?.metadata?.annotations).toBeDefined());
      expect(await openByMarks(context)).toEqual([expect.objectContaining({ kind: 'checkpoint', actionId: moved })]);
    };

    it('is found beside a mark that somebody has written with another type', async () => {
      const metadata = restoreMark({ origin: 5 });
      pod('a-first', { metadata });
      Object.assign(action, { pod_metadata: { ...(action.pod_metadata as object), ...metadata } });
      await isFound();
    });

    it('is found beside a pod whose action cannot be read, unless the service does not answer', async () => {
      const actionId = randomUUID();
      pod('a-first', { metadata: restoreMark({ actionId }) });
      unread.set(actionId, new ServiceProblem('get_action', 422, 'invalid', ''));
      await isFound();
      const later = new ServiceProblem('get_action', 503, 'unavailable', '');
      unread.set(actionId, later);
      await expect(openByMarks(context)).rejects.toBe(later);
    });
  });

  describe('for a pod that its owner replaces', () => {
    const refused = async (asked: RestoreAsked, message: string) => {
      const before = names();
      await restorePod(context, asked);
      expect(failure()).toMatchObject({
        runtime_metadata: { cause: 'not_requeueable', message: expect.stringContaining(message) },
      });
      expect(names()).toEqual(before);
    };

    it('is refused if others have its name, of which it would delete all', async () => {
      const uid = replicaSet();
      const metadata = owned('ReplicaSet', uid);
      const [one] = ['web-1', 'web-2', 'web-3'].map((name) => pod(name, { metadata }));
      await known();
      await refused(restoreOf(one!), 'has 3 living pods of one workload name');
    });

    it('is refused if the end of the pod would leave a newer checkpoint', async () => {
      const metadata = owned('ReplicaSet', replicaSet());
      const command = ['ccp-agent', 'run', '--restore', 'auto', '--checkpoint-on-term', '--', 'x'];
      const one = pod('web-1', { metadata, spec: { containers: [container({ command })] } });
      await known();
      await refused(restoreOf(one), '--checkpoint-on-term');
      expect(failure()).toMatchObject({ runtime_metadata: { remedy: expect.stringContaining('standalone') } });
    });

    it('deletes the pod whatever the clocks say, and does not delete the next one when it is repeated', async () => {
      const metadata = owned('ReplicaSet', replicaSet());
      // The clock of the API server goes ahead of that of the service.
      const one = pod('web-1', { metadata: { ...metadata, creationTimestamp: '2099-01-01T00:00:00Z' } });
      const restored = { reference: REFERENCE, workload: {}, stages: [] };
      status = (name) => ({ phase: 'running', failure: null, restored: name === 'web-2' ? restored : null });
      await known();
      const asked = restoreOf(one, { action_timestamp: '2026-11-23T12:00:00.000Z' });
      const done = restorePod(context, asked);
      await eventually(() => expect(names()).toEqual([]));
      pod('web-2', { metadata: { ...metadata, creationTimestamp: '2020-01-01T00:00:00Z' } });
      await done;
      expect(operations()).toContain('record_restore_success');
      // Killed before the report was acknowledged.
      await restorePod(context, (await context.journal.find(asked)) as RestoreAsked);
      expect(names()).toEqual(['web-2']);
      expect(api.count('delete pods')).toBe(1);
    });

    it('does not delete the next pod for a controller that takes over', async () => {
      const pass = movableTime();
      const metadata = owned('ReplicaSet', replicaSet());
      const one = pod('web-1', { metadata });
      status = () => ({ phase: 'starting', failure: null, restored: null });
      await known();
      const asked = restoreOf(one);
      const done = restorePod(context, asked);
      await eventually(() => expect(names()).toEqual([]));
      pod('web-2', { metadata });
      await known();
      // A sign of life replaces what the service has of the beginning.
      pass(61_000);
      const starts = () => reports.filter(({ operation }) => operation === 'record_restore_start');
      await eventually(() => expect(starts()).toHaveLength(3));
      restores = [{ ...starts().at(-1)!.body, restore_uuid: idFor(asked, 'restore'), status: 'started' }];
      const next = restorePod({ ...context, run: randomUUID() }, asked);
      await eventually(() => expect(starts()).toHaveLength(4));
      expect(starts().at(-1)?.body).toMatchObject({
        request_metadata: { replaces: [one.metadata.uid] },
      });
      status = () => ({ phase: 'running', failure: null, restored: { reference: REFERENCE, stages: [] } });
      await Promise.all([done, next]);
      expect(names()).toEqual(['web-2']);
      expect(api.count('delete pods')).toBe(1);
    });

    describe('and whose first report is lost,', () => {
      const RESTORED = { phase: 'running', failure: null, restored: { reference: REFERENCE, stages: [] } };
      const UNRESTORED = { phase: 'running', failure: null, restored: null };
      const FAILED = { phase: 'ended', failure: { cause: 'file_changed', message: 'changed' }, restored: null };
      let metadata: object;
      let second: StubObject;
      /** @returns what the journal has of it, for the next run of the controller */
      const ended = async (kind: RestoreAsked['kind'], answer: object, heardMsAgo = 0): Promise<RestoreAsked> => {
        metadata = owned('ReplicaSet', replicaSet());
        const one = pod('web-1', { metadata });
        await known();
        const isMove = kind === 'move';
        const members = isMove ? { status: 'ready', reason: 'maintenance' } : {};
        const asked = restoreOf(one, members, { kind, ...(isMove && { run: RUN }) });
        status = () => answer;
        for (const end of ['success', 'error']) lost.add(`record_restore_${end}`);
        const done = restorePod(context, asked);
        const unreported = expect(done).rejects.toThrow(ServiceUnreachable);
        await eventually(() => expect(names()).toEqual([]));
        second = pod('web-2', { metadata });
        await unreported;
        const heard = reports.findLast(({ operation }) => operation === 'record_restore_start')!.body;
        const updated_at = new Date(Date.now() - heardMsAgo).toISOString();
        restores = [{ ...heard, status: 'started', updated_at }];
        lost.clear();
        reports = [];
        context = { ...context, run: randomUUID() };
        return (await context.journal.find(asked)) as RestoreAsked;
      };
      const CHANGES: readonly [string, () => void][] = [
        [
          'its container has restarted and restored a newer checkpoint',
          () => {
            const { containerStatuses } = second.status as { containerStatuses: object[] };
            const restarted = containerStatuses.map((one) => ({ ...one, restartCount: 1 }));
            api.put('pods', { ...second, status: { ...(second.status as object), containerStatuses: restarted } });
            status = () => ({ ...RESTORED, restored: { reference: '/store/2', stages: [] } });
          },
        ],
        [
          'a rollout has replaced its pod by one that started anew',
          () => {
            api.remove('pods', 'web-2', 'default');
            pod('web-3', { metadata });
            status = () => UNRESTORED;
          },
        ],
        ['its pod was evicted, and there is no next one', () => api.remove('pods', 'web-2', 'default')],
      ];
      const isReported = (end: 'success' | 'error', { completedAt, replaces }: RestoreAsked, members: object = {}) => {
        expect(reports.filter(({ operation }) => operation.startsWith('record_'))).toEqual([
          {
            operation: `record_restore_${end}`,
            body: expect.objectContaining({
              ...{ completed_at: completedAt, restore_path: REFERENCE, request_metadata: { replaces } },
              metadata: { pod_name: 'web-2', namespace: 'default', pod_uid: second.metadata.uid, node_name: 'n1' },
              ...members,
            }),
          },
        ]);
        expect(api.count('delete pods')).toBe(1);
      };

      describe.each(['restore', 'move'] as const)('as that of a %s,', (kind) => {
        // Longer than a move that has not ended may be unheard of.
        const LONG_MS = 1_200_000;

        it.each(CHANGES)('is reported as restored later although %s', async (_, change) => {
          const kept = await ended(kind, RESTORED, LONG_MS);
          change();
          await known();
          await restorePod(context, kept);
          isReported('success', kept);
        });

        it.each(CHANGES)('is reported with the failure of then later although %s', async (_, change) => {
          const kept = await ended(kind, FAILED, LONG_MS);
          change();
          await known();
          await restorePod(context, kept);
          isReported('error', kept, { runtime_metadata: expect.objectContaining({ cause: 'file_changed' }) });
        });

        it('is looked for again if an earlier release has kept the time of its end only', async () => {
          const { end: _end, ...kept } = await ended(kind, RESTORED);
          await restorePod(context, kept);
          reports = reports.filter(({ operation }) => operation !== 'record_restore_start');
          isReported('success', kept);
          expect(await context.journal.find(kept)).toHaveProperty('end');
        });
      });

      it('is reported as restored also if the service has given it up, or its own faults do', async () => {
        const kept = await ended('restore', RESTORED);
        api.remove('pods', 'web-2', 'default');
        await known();
        const given = { cause: 'unclassified', message: 'fault' } as const;
        expect(await giveUpRestore(context, kept, given)).toBe(true);
        isReported('success', kept);
        reports = [];
        Object.assign(action, { status: 'error' });
        await restorePod(context, kept);
        isReported('success', kept);
      });
    });

    it('creates no pod by itself if the owner ends or is deleted while it replaces one', async () => {
      const one = pod('web-1', { metadata: owned('ReplicaSet', replicaSet()) });
      await known();
      const asked = restoreOf(one, {}, { replaces: [one.metadata.uid!], startedAt: '2026-11-23T12:00:00.000Z' });
      for (const [resource, name] of [['pods', 'web-1'] as const, ['replicasets', 'web'] as const])
        api.remove(resource, name, 'default');
      await restorePod(context, asked);
      expect(failure()).toMatchObject({
        error_message: expect.stringContaining('The ReplicaSet web has ended, or was deleted'),
        runtime_metadata: { cause: 'workload_ended', remedy: expect.any(String) },
      });
      expect(names()).toEqual([]);
    });

    it('waits for the next pod while the one before terminates, and says so', async () => {
      const pass = movableTime();
      const metadata = owned('ReplicaSet', replicaSet());
      const one = pod('web-1', { metadata });
      await known();
      api.terminates = true;
      const done = restorePod(context, restoreOf(one));
      await eventually(() => expect(api.count('delete pods')).toBe(1));
      const lists = api.count('list pods');
      const signs = () => operations().filter((one) => one === 'record_restore_start').length;
      // No next one for some minutes, of which the first may pass before the wait for it begins. While the
      // watch is current, no list shows more.
      for (const sign of [3, 4]) {
        pass(61_000);
        await eventually(() => expect(signs()).toBe(sign));
      }
      pass(61_000);
      const waiting = 'The pod default/web-1 still terminates on the node n1.';
      await eventually(() =>
        expect(reports).toContainEqual({
          operation: 'record_restore_start',
          body: expect.objectContaining({ runtime_metadata: { waiting } }),
        }),
      );
      expect(api.count('list pods')).toBe(lists);
      api.remove('pods', 'web-1', 'default');
      pod('web-2', { metadata });
      status = () => ({ phase: 'running', failure: null, restored: { reference: REFERENCE, stages: [] } });
      await done;
      expect(operations()).toContain('record_restore_success');
    });

    it('finds the next pod by lists for as long as the watch is lost', async () => {
      const pass = movableTime();
      const metadata = owned('ReplicaSet', replicaSet());
      const one = pod('web-1', { metadata });
      await known();
      const done = restorePod(context, restoreOf(one));
      await eventually(() => expect(context.cluster.pods.byUid(one.metadata.uid!)).toBeUndefined());
      api.hanging.add('watch pods');
      api.dropWatches();
      await eventually(() => expect(context.cluster.pods.isCurrent).toBe(false));
      pod('web-2', { metadata });
      status = () => ({ phase: 'running', failure: null, restored: { reference: REFERENCE, stages: [] } });
      const lists = api.count('list pods');
      pass(61_000);
      await done;
      expect(api.count('list pods')).toBe(lists + 1);
      expect(operations()).toContain('record_restore_success');
    });

    describe('and that is to leave its node', () => {
      const maintained = (one: StubObject) =>
        checkpointOf(one, { reason: 'maintenance', details: { policy_id: randomUUID() } }, { leaveRunning: true });
      const staying = async (message: string, name = 'web-1') => {
        const move = await takeCheckpoints(context, maintained(api.get('pods', name, 'default')!));
        expect(dumps).toEqual([expect.objectContaining({ leaveRunning: true })]);
        expect(annotationsOf(name)).not.toHaveProperty('ccp-agent/moving');
        expect(move).toMatchObject({ kind: 'move', refused: { message: expect.stringContaining(message) } });
      };

      it('lets it run where others have its name', async () => {
        const metadata = owned('ReplicaSet', replicaSet());
        for (const name of ['web-1', 'web-2']) pod(name, { metadata });
        await known();
        await staying('has 2 living pods');
      });

      it('lets it run where an admission rule forbids its end', async () => {
        pod('web-1', { metadata: owned('ReplicaSet', replicaSet()) });
        await known();
        api.forbids = (asked) => (asked === 'try delete pods' ? 'denied the request: pods stay' : undefined);
        await staying('denied the request: pods stay');
      });

      it('lets it run where its Job would fail', async () => {
        const spec = { backoffLimit: 1 };
        const job = api.put('jobs', { metadata: { name: 'web', namespace: 'default' }, spec, status: { failed: 1 } });
        pod('web-1', { metadata: owned('Job', job.metadata.uid!) });
        await known();
        await staying('The Job web would fail');
      });

      it('lets it run where its Job would fail once another pod of it has left', async () => {
        const spec = { backoffLimit: 1 };
        const job = api.put('jobs', { metadata: { name: 'web', namespace: 'default' }, spec, status: {} });
        const metadata = owned('Job', job.metadata.uid!);
        pod('web-0', {
          metadata: { ...metadata, ...moving(randomUUID()) },
          spec: { containers: [container({ env: [{ name: 'CCP_WORKLOAD_NAME', value: 'other' }] })] },
        });
        pod('web-1', { metadata });
        await known();
        await staying('The Job web would fail');
      });

      it('lets it run where the node is not cordoned, as with --no-drain', async () => {
        pod('web-1', { metadata: owned('ReplicaSet', replicaSet()) });
        await known();
        context = { ...context, cordoned: undefined };
        await staying('may not cordon');
      });

      it('lets it run where the API server refuses to cordon the node', async () => {
        pod('web-1', { metadata: owned('ReplicaSet', replicaSet()) });
        await known();
        api.denied.add('patch nodes');
        await staying('may not cordon');
      });

      describe('beside a sidecar', () => {
        const SIDE = { spec: { containers: [container(), { name: 'istio-proxy' }] } };

        it('lets it run where nothing says which of them to move', async () => {
          pod('web-1', SIDE);
          await known();
          const move = await takeCheckpoints(context, maintained(api.get('pods', 'web-1', 'default')!));
          expect(move).toMatchObject({
            refused: {
              message: expect.stringContaining('has 2 containers to checkpoint'),
              remedy: expect.stringContaining('ccp-agent/containers'),
            },
          });
        });

        it('lets it go where an annotation of the pod names it', async () => {
          const one = pod('web-1', { metadata: { annotations: { 'ccp-agent/containers': 'main' } }, ...SIDE });
          await known();
          const move = await takeCheckpoints(context, maintained(one));
          expect(move).toMatchObject({ kind: 'move', run: RUN });
          expect(move).not.toHaveProperty('refused');
          expect(dumps).toEqual([expect.objectContaining({ leaveRunning: false })]);
        });
      });

      it('lets it go where somebody else has cordoned the node', async () => {
        api.put('nodes', { metadata: { name: 'n1' }, spec: { unschedulable: true } });
        const one = pod('web-1', { metadata: owned('ReplicaSet', replicaSet()) });
        await known();
        context = { ...context, cordoned: undefined };
        expect(await takeCheckpoints(context, maintained(one))).toMatchObject({ kind: 'move', run: RUN });
        expect(dumps).toEqual([expect.objectContaining({ leaveRunning: false })]);
      });
    });
  });

  const QUOTA =
    'pods "web" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, ' +
    'used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8';
  const RUNNING = { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 0, state: { running: {} } }] };
  const uidOfRestored = (one: StubObject): string =>
    (one.spec as { containers: [{ env: { name: string; value: string }[] }] }).containers[0].env.find(
      ({ name }) => name === 'CCP_RESTORE_UID',
    )!.value;
  /** The new pod, which restores what it was made for. */
  const restoring = async (reference = REFERENCE): Promise<StubObject> => {
    const found = () => names().find((name) => name !== 'web');
    await eventually(() => expect(found()).toBeDefined());
    const made = api.get('pods', found()!, 'default')!;
    status = () => ({
      ...{ phase: 'running', uid: uidOfRestored(made), failure: null },
      restored: { reference, stages: [] },
    });
    return api.put('pods', { ...made, spec: { ...(made.spec as object), nodeName: 'n2' }, status: RUNNING });
  };

  describe('for a pod that is to leave its node', () => {
    const maintained = (one: StubObject) => checkpointOf(one, { reason: 'maintenance' }, { leaveRunning: true });
    /** Its checkpoint is taken while it goes on. */
    const staying = async (one: StubObject, message: string) => {
      const move = await takeCheckpoints(context, maintained(one));
      expect(dumps).toEqual([expect.objectContaining({ leaveRunning: true })]);
      expect(annotationsOf('web')).not.toHaveProperty('ccp-agent/moving');
      expect(move).toMatchObject({ kind: 'move', refused: { message: expect.stringContaining(message) } });
      expect(names()).toEqual(['web']);
      return move!;
    };

    /** The watch shows that the pod moves, of which the end of the move has to know. */
    const marked = () =>
      eventually(() =>
        expect(context.cluster.pods.get('web', 'default')?.metadata?.annotations).toHaveProperty('ccp-agent/moving'),
      );

    it('lets it run where an admission rule forbids the new pod', async () => {
      const one = pod('web');
      await known();
      api.forbids = (asked) => (asked === 'try pods' ? 'violates PodSecurity "restricted:latest"' : undefined);
      await staying(one, 'violates PodSecurity');
    });

    it('lets it run where an admission rule forbids its end', async () => {
      const one = pod('web');
      await known();
      api.forbids = (asked) => (asked === 'try delete pods' ? 'denied the request: pods stay' : undefined);
      await staying(one, 'denied the request: pods stay');
    });

    it('reports the new one as restored also if the API server refuses to delete it, and says so', async () => {
      const one = pod('web');
      const lines: string[] = [];
      await known();
      context = { ...context, say: (line: string) => void lines.push(line) };
      const move = await takeCheckpoints(context, maintained(one));
      await marked();
      api.forbids = (asked) => (asked === 'delete pods' ? 'denied the request: pods stay' : undefined);
      const done = restorePod(context, move!);
      await restoring();
      await done;
      expect(operations()).toContain('record_restore_success');
      expect(lines.join()).toContain('The pod default/web was not deleted');
      expect(annotationsOf('web')).not.toHaveProperty('ccp-agent/moving');
    });

    it('lets it run where it may run on that node only, as with --no-drain', async () => {
      const one = pod('web', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
      await known();
      context = { ...context, cordoned: undefined };
      await staying(one, 'may run on the node n1 only');
      expect(api.count('try pods')).toBe(0);
    });

    it.each([
      ['has no room', QUOTA],
      ['is not counted yet', 'pods "web" is forbidden: status unknown for quota: gpus, resources: pods'],
    ])('lets it run where a quota %s, and names what mends that', async (_, words) => {
      const one = pod('web');
      await known();
      api.forbids = (asked) => (asked === 'try pods' ? words : undefined);
      const move = await staying(one, words);
      await restorePod(context, move);
      expect(failure()).toMatchObject({
        runtime_metadata: {
          cause: 'scheduler_refused',
          remedy: expect.stringMatching(/room in the quota for one more such pod.*--namespace default/),
        },
      });
      expect(api.count('create pods')).toBe(0);
    });

    it.each([
      ['a webhook fails', () => api.failing.add('create pods'), 'failed calling webhook'],
      ['nothing answers', () => api.breaking.add('create pods'), 'did not answer to create pods'],
    ])('lets it run where that is not known after three attempts, because %s', async (_, fail, words) => {
      const one = pod('web');
      await known();
      context = { ...context, retryAfterMs: 10 };
      fail();
      await staying(one, words);
      expect(api.count('try pods')).toBe(3);
    });

    it('lets it go where the new one can be made at the second attempt', async () => {
      const one = pod('web');
      await known();
      context = { ...context, retryAfterMs: 10 };
      api.fails = (asked) => {
        const isFirst = asked === 'try pods' && api.count('try pods') === 1;
        return isFirst ? [500, 'failed calling webhook'] : undefined;
      };
      expect(await takeCheckpoints(context, maintained(one))).not.toHaveProperty('refused');
      expect(api.count('try pods')).toBe(2);
      expect(dumps).toEqual([expect.objectContaining({ leaveRunning: false })]);
    });

    it('lets it go where a webhook takes no question without a pod', async () => {
      const one = pod('web');
      await known();
      const words = 'admission webhook "x" does not support dry run';
      api.fails = (asked) => (asked === 'try pods' ? [400, words] : undefined);
      const move = await takeCheckpoints(context, maintained(one));
      expect(move).toMatchObject({ kind: 'move', run: RUN });
      expect(move).not.toHaveProperty('refused');
      expect(dumps).toEqual([expect.objectContaining({ leaveRunning: false })]);
    });

    it('names its checkpoint where the quota has lost the room since', async () => {
      const one = pod('web');
      await known();
      context = { ...context, retryAfterMs: 1 };
      api.forbids = (asked) => (asked === 'create pods' ? QUOTA : undefined);
      const move = await takeCheckpoints(context, maintained(one));
      await marked();
      await restorePod(context, move!);
      expect(failure()).toMatchObject({
        runtime_metadata: {
          message: expect.stringContaining('exceeded quota: gpus'),
          remedy: expect.stringMatching(/^Raise the quota.*Its checkpoint is \/store\/1: restore it/),
        },
      });
      expect(api.count('create pods')).toBe(20);
      expect(annotationsOf('web')).not.toHaveProperty('ccp-agent/moving');
    });

    it('waits until those that moved before it have made room in the quota', async () => {
      const one = pod('web');
      await known();
      context = { ...context, retryAfterMs: 1 };
      const words = () => (api.count('create pods') < 4 ? QUOTA : 'denied the request: no latest tags');
      api.forbids = (asked) => (asked === 'create pods' ? words() : undefined);
      const move = await takeCheckpoints(context, maintained(one));
      await restorePod(context, move!);
      expect(api.count('create pods')).toBe(4);
      expect(failure()).toMatchObject({ runtime_metadata: { message: expect.stringContaining('no latest tags') } });
    });

    it('cordons its node again if somebody has taken that back before the end of the window', async () => {
      const later = '2099-06-01T00:00:00.000Z';
      api.put('nodes', { metadata: { name: 'n1', annotations: { 'ccp-agent/cordoned-until': later } }, spec: {} });
      await context.cordoned!.cordon('n1', '2099-01-01T00:00:00.000Z');
      const { metadata, spec } = api.get('nodes', 'n1')!;
      expect(spec).toEqual({ unschedulable: true });
      expect(metadata.annotations).toEqual({ 'ccp-agent/cordoned-until': later });
      await context.cordoned!.cordon('n1', '2099-01-01T00:00:00.000Z');
      expect(api.count('patch nodes')).toBe(1);
    });
  });

  it('is tried again where another pod has changed its quota at the same moment', async () => {
    const one = pod('web');
    await known();
    context = { ...context, retryAfterMs: 1 };
    const words = 'Operation cannot be fulfilled on resourcequotas "gpus": the object has been modified';
    const denied = 'admission webhook "x" denied the request';
    const answer = (): [number, string] => (api.count('create pods') === 1 ? [409, words] : [403, denied]);
    api.fails = (asked) => (asked === 'create pods' ? answer() : undefined);
    await restorePod(context, restoreOf(one));
    expect(api.count('create pods')).toBe(2);
    expect(failure()).toMatchObject({ runtime_metadata: { message: expect.stringContaining(denied) } });
  });

  it.each([
    ['a quota', QUOTA, 'Raise the quota'],
    ['another admission rule', 'denied the request: no latest tags', undefined],
  ])('fails at once where %s forbids the pod', async (_, words, remedy) => {
    const one = pod('web');
    await known();
    api.forbids = (asked) => (asked === 'create pods' ? words : undefined);
    await restorePod(context, restoreOf(one));
    expect(failure()).toMatchObject({
      restore_path: REFERENCE,
      runtime_metadata: {
        cause: 'scheduler_refused',
        message: expect.stringContaining(words),
        remedy: remedy === undefined ? undefined : expect.stringContaining(remedy),
      },
    });
    expect(api.count('create pods')).toBe(1);
  });

  it.each([
    ['heartbeat', true],
    ['manual', false],
  ])('waits behind those of people if its reason is %s: %s', async (reason, isPatient) => {
    const one = pod('web');
    await known();
    await takeCheckpoints(context, checkpointOf(one, { reason }, { leaveRunning: true }));
    expect(dumps).toEqual([expect.objectContaining({ isPatient })]);
  });

  describe('that ends a container', () => {
    it('deletes its pod before it reports the checkpoint', async () => {
      const one = pod('web');
      await known();
      let left: string[] | undefined;
      uploaded = () => void (left = names());
      await takeCheckpoints(context, checkpointOf(one, {}));
      expect(left).toEqual([]);
    });

    it('deletes its pod if the checkpoint was reported, and the agent killed before', async () => {
      const one = pod('web');
      await known();
      await takeCheckpoints(context, checkpointOf(one, { status: 'ready' }));
      expect(names()).toEqual([]);
      expect(dumps).toEqual([]);
    });

    it('is refused where it names one of several, which would end with it', async () => {
      const one = pod('web', { spec: { containers: [container(), container({ name: 'side' })] } });
      await known();
      await takeCheckpoints(context, checkpointOf(one, { containers: ['main'] }));
      expect(dumps).toEqual([]);
      expect(names()).toEqual(['web']);
      expect(reports.at(-1)).toMatchObject({
        operation: 'put_checkpoint_info',
        body: { info: { cause: 'incompatible', message: expect.stringContaining('cannot end alone') } },
      });
    });

    it('deletes its pod with a sidecar, if an annotation of the pod names all that is to have checkpoints', async () => {
      const one = pod('web', {
        metadata: { annotations: { 'ccp-agent/containers': 'main' } },
        spec: { containers: [container(), { name: 'istio-proxy' }] },
      });
      await known();
      await takeCheckpoints(context, checkpointOf(one, { containers: ['main'] }));
      expect(dumps).toHaveLength(1);
      expect(names()).toEqual([]);
    });

    describe('after a SIGTERM, such as that of kubelet for a failed probe,', () => {
      const SIDE = { spec: { containers: [container(), container({ name: 'side' })] } };
      const OWNER = { kind: 'ReplicaSet', name: 'web', uid: randomUUID(), controller: true };
      /** What the supervisor of the container has stored. */
      const publish = async (id: string) => {
        const draft = await context.store.begin(id);
        const { workload, ...facts } = factsOf(id);
        return draft.publish({ ...facts, workload: { ...workload, letGo: true, preempted: true } });
      };

      it.each([
        ['', {}, {}],
        [', with others that run', SIDE, { containers: ['main'] }],
      ])('leaves its pod to kubelet%s, and reports the checkpoint', async (_, spec, members) => {
        const one = pod('web', spec);
        status = () => ({ phase: 'checkpointing', restored: null, failure: null, preempted: true });
        await known();
        await takeCheckpoints(context, checkpointOf(one, { containers: ['main'], ...members }));
        expect(names()).toEqual(['web']);
        expect(operations()).toContain('report_checkpoint_uploaded');
        expect(reports.filter(({ body }) => body?.error)).toEqual([]);
      });

      it.each(['ready', 'running'])('leaves a pod whose container has restarted since, if it is %s', async (state) => {
        const one = pod('web', SIDE);
        await publish(CHECKPOINT_ID);
        await known();
        const containers = state === 'ready' ? null : ['main'];
        await takeCheckpoints(context, checkpointOf(one, { status: state, containers }));
        expect(names()).toEqual(['web']);
        expect(operations().includes('report_checkpoint_uploaded')).toBe(state === 'running');
        expect(dumps).toEqual([]);
      });

      it('ends no container that got none, where the request names all of them', async () => {
        const one = pod('web', SIDE);
        supervised = (name) => ({ ...(name === 'main' && { preempted: true }) });
        await known();
        await takeCheckpoints(context, checkpointOf(one, { containers: ['main', 'side'] }));
        expect(names()).toEqual(['web']);
        expect(dumps).toHaveLength(1);
        expect(reports.find(({ body }) => body?.error)).toMatchObject({
          body: { info: { message: expect.stringContaining('Only main got a signal'), cause: 'incompatible' } },
        });
      });

      describe('where an annotation of the pod names another container', () => {
        const ANNOTATED = { metadata: { annotations: { 'ccp-agent/containers': 'main' } }, ...SIDE };

        it.each<[string, string[] | null, { metadata?: object; spec?: object }]>([
          ['and the service covers only that one', ['main'], ANNOTATED],
          ['and the service covers all', ['main', 'side'], ANNOTATED],
          ['and the service knows no containers', null, ANNOTATED],
          [
            'and something replaces the pod',
            ['main', 'side'],
            { ...ANNOTATED, metadata: { ...ANNOTATED.metadata, ownerReferences: [OWNER] } },
          ],
        ])('does not end that one, %s', async (_, containers, spec) => {
          api.put('replicasets', { metadata: { name: 'web', namespace: 'default', uid: OWNER.uid } });
          const one = pod('web', spec);
          supervised = (name) => ({ ...(name === 'side' && { preempted: true }) });
          await known();
          await takeCheckpoints(context, checkpointOf(one, { containers }));
          expect(names()).toEqual(['web']);
          expect(dumps.map(({ container: of }) => of)).toEqual(containers?.length === 1 ? [] : ['side']);
          expect(reports.find(({ body }) => body?.error)).toMatchObject({
            body: { info: { message: expect.stringContaining('Only side got a signal'), cause: 'incompatible' } },
          });
        });
      });

      it('does not end the pod if only the stored checkpoint says that', async () => {
        const one = pod('web');
        await publish(CHECKPOINT_ID);
        dumped = () => Promise.reject(new AgentFailure({ cause: 'workload_ended', message: 'It has ended.' }));
        await known();
        await takeCheckpoints(context, checkpointOf(one, {}));
        expect(names()).toEqual(['web']);
        expect(operations()).toContain('report_checkpoint_uploaded');
      });
    });

    describe('while the store does not say what it has', () => {
      const silent = () => {
        const { store } = context;
        const find = jest.spyOn(store, 'find').mockRejectedValue(storeFailed('it is away'));
        return () => find.mockRestore();
      };
      const publish = async () => {
        const draft = await context.store.begin(CHECKPOINT_ID);
        const { workload, ...facts } = factsOf(CHECKPOINT_ID);
        await draft.publish({ ...facts, workload: { ...workload, letGo: true } });
      };
      const later = async (asked: CheckpointAsked) => {
        const error: unknown = await takeCheckpoints(context, asked).catch((thrown: unknown) => thrown);
        expect(context.mayPass(error)).toBe(true);
        expect(reports.filter(({ body }) => body?.error)).toEqual([]);
      };
      const ended = () => Promise.reject(new AgentFailure({ cause: 'workload_ended', message: 'It has ended.' }));

      it('is tried again if the container has ended, and reports what the store has then', async () => {
        const one = pod('web');
        await publish();
        dumped = ended;
        await known();
        const answers = silent();
        const asked = checkpointOf(one, {});
        await later(asked);
        answers();
        await takeCheckpoints(context, asked);
        expect(operations()).toContain('report_checkpoint_uploaded');
      });

      it('is tried again if it names one of several that a signal may have ended before', async () => {
        const one = pod('web', { spec: { containers: [container(), container({ name: 'side' })] } });
        await publish();
        await known();
        const answers = silent();
        const asked = checkpointOf(one, { containers: ['main'] });
        await later(asked);
        answers();
        await takeCheckpoints(context, asked);
        expect(operations()).toContain('report_checkpoint_uploaded');
        expect(names()).toEqual(['web']);
        expect(dumps).toEqual([]);
      });

      it('reports at once that a container has ended by a signal, which may restart before it is asked again', async () => {
        const one = pod('web');
        supervised = () => ({ preempted: true });
        dumped = ended;
        await known();
        silent();
        await takeCheckpoints(context, checkpointOf(one, {}));
        expect(reports.find(({ body }) => body?.error)).toMatchObject({ body: { info: { cause: 'workload_ended' } } });
        expect(names()).toEqual(['web']);
      });

      it.each([
        ['has ended', {}],
        ['cannot end alone', { containers: ['main'] }],
      ])('reports no progress meanwhile if a container %s, so that the service can give it up', async (_, members) => {
        const one = pod('web', { spec: { containers: [container(), container({ name: 'side' })] } });
        dumped = ended;
        await known();
        const end = jest.spyOn(ProgressReports.prototype, 'end');
        const find = jest.spyOn(context.store, 'find').mockImplementation(() => {
          expect(end).toHaveBeenCalled();
          return Promise.reject(storeFailed('it is away'));
        });
        await later(checkpointOf(one, members));
        expect(find).toHaveBeenCalled();
      });

      it('reports at once why a container that runs on has no checkpoint', async () => {
        const one = pod('web');
        dumped = () => Promise.reject(new AgentFailure({ cause: 'gpu_driver', message: 'It is too old.' }));
        await known();
        silent();
        await takeCheckpoints(context, checkpointOf(one, {}));
        expect(reports.find(({ body }) => body?.error)).toMatchObject({ body: { info: { cause: 'gpu_driver' } } });
      });

      it('keeps the mark of a move that the service gave up, and goes on once it is known', async () => {
        const one = pod('web');
        await publish();
        const asked = checkpointOf(one, { status: 'error', reason: 'maintenance' }, { moves: true, run: RUN });
        api.put('pods', { ...one, metadata: { ...one.metadata, ...moving(asked.actionId) } });
        await known();
        const answers = silent();
        await later(asked);
        expect(annotationsOf('web')).toHaveProperty('ccp-agent/moving');
        answers();
        const kept = (await context.journal.find(asked)) as CheckpointAsked;
        expect(await takeCheckpoints(context, kept)).toMatchObject({
          kind: 'move',
          reference: expect.stringContaining(CHECKPOINT_ID),
        });
      });

      it('ends such a move after some minutes and several questions', async () => {
        const one = pod('web');
        const asked = checkpointOf(one, { status: 'error', reason: 'maintenance' }, { moves: true, run: RUN });
        api.put('pods', { ...one, metadata: { ...one.metadata, ...moving(asked.actionId) } });
        await known();
        silent();
        const silentSince = new Date(Date.now() - 601_000).toISOString();
        await later({ ...asked, silentSince, unanswered: 3 });
        const last = (await context.journal.find(asked)) as CheckpointAsked;
        expect(last).toMatchObject({ silentSince, unanswered: 4 });
        expect(await takeCheckpoints(context, last)).toBeUndefined();
        expect(annotationsOf('web')).not.toHaveProperty('ccp-agent/moving');
      });
    });

    it('deletes a pod of several when the last one has its checkpoint', async () => {
      const one = pod('web', { spec: { containers: [container(), container({ name: 'side' })] } });
      await known();
      await takeCheckpoints(context, checkpointOf(one, { containers: ['main', 'side'] }));
      expect(dumps).toHaveLength(2);
      expect(names()).toEqual([]);
    });
  });

  it('forgets a move that failed, so that nobody repeats it', async () => {
    const one = pod('web');
    const asked = restoreOf(one, { status: 'ready', reason: 'maintenance' }, { kind: 'move', run: RUN });
    api.put('pods', { ...one, metadata: { ...one.metadata, ...moving(asked.actionId) } });
    await known();
    api.denied.add('create pods');
    await restorePod(context, asked);
    expect(operations()).toContain('record_restore_error');
    expect(annotationsOf('web')).not.toHaveProperty('ccp-agent/moving');
  });

  it('reports a container that restored another checkpoint', async () => {
    const one = pod('web');
    await known();
    const done = restorePod(context, restoreOf(one));
    await restoring('/store/2');
    await done;
    expect(failure()).toMatchObject({ runtime_metadata: { cause: 'incompatible' } });
    expect(names()).toEqual(['web']);
  });
});
