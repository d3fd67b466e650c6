import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { NIL, v5 } from 'uuid';
import { runKubernetesController } from '../../../src/agent/controllers/kubernetes/kubernetes-controller';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { KEY } from '../../support/checkpoint-stores';
import { eventually } from '../../support/eventually';
import { Service, type Organisation } from '../../support/service';
import { askCheckpoint } from '../../support/workloads';
import { StubApiServer } from './stub-api-server';

const CLUSTER = 'stub';

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly lines: string[];
  readonly stateDir: string;
}

describe('the controller of Kubernetes, with an API server that it can lose', () => {
  let service: Service;
  let org: Organisation;
  let api: StubApiServer;
  let directory: string;
  let running: Running[];

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    api = await StubApiServer.start();
    directory = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    writeFileSync(join(directory, 'kubeconfig'), JSON.stringify(api.kubeconfig));
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((one) => halt(one)));
    await api.stop();
    rmSync(directory, { recursive: true });
  });
  afterAll(() => service.close());

  const control = (
    options: Partial<Parameters<typeof runKubernetesController>[0]> = {},
    stateDir = join(directory, `state-${running.length}`),
  ): Running => {
    const [stop, lines] = [new AbortController(), [] as string[]];
    const ended = runKubernetesController({
      clusterName: CLUSTER,
      kubeconfig: join(directory, 'kubeconfig'),
      drain: true,
      settings: {
        ...{ url: service.url, stateDir, store: join(directory, 'store'), storeKeyFile: undefined },
        ...{ verify: 'changed', parallelDumps: 2, token: org.controller.token, tokenFile: undefined },
      },
      store: new DirectoryStore({ directory: join(directory, 'store'), key: KEY }),
      signal: stop.signal,
      log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
      say: (line) => void lines.push(line),
      ...options,
    }).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    const one = { stop, ended, lines, stateDir };
    ended.catch(() => undefined);
    running.push(one);
    return one;
  };
  const halt = async ({ stop, ended }: Running) => {
    stop.abort(new Error('stopped'));
    await ended.catch(() => undefined);
  };
  const node = (name: string, ready = 'True') =>
    api.put('nodes', { metadata: { name }, status: { conditions: [{ type: 'Ready', status: ready }] } });
  const pod = (name: string, nodeName?: string, phase = 'Running', namespace = 'default') =>
    api.put('pods', {
      metadata: { name, namespace },
      spec: { ...(nodeName && { nodeName }), containers: [{ name: 'main', image: 'x' }] },
      status: { phase, containerStatuses: [{ name: 'main', state: { running: {} } }] },
    });
  const namesOf = async (path: string): Promise<string[]> =>
    ((await org.viewer.get(path)).body as { name: string }[]).map(({ name }) => name).sort();
  const pods = (...expected: string[]) => eventually(async () => expect(await namesOf('/v1/pods')).toEqual(expected));

  it('reports nodes, then their pods, then only what changes', async () => {
    node('n1');
    pod('a', 'n1');
    pod('b', 'n1');
    api.put('jobs', { metadata: { name: 'train', namespace: 'default' }, spec: {}, status: { active: 1 } });
    control();
    await pods('a', 'b');
    expect(await namesOf('/v1/nodes')).toEqual(['n1']);
    await eventually(async () => expect(await namesOf('/v1/jobs')).toEqual(['train']));
    pod('c', 'n1');
    api.remove('pods', 'a', 'default');
    api.remove('jobs', 'train', 'default');
    await pods('b', 'c');
    await eventually(async () => expect(await namesOf('/v1/jobs')).toEqual([]));
  });

  it('reports a pod whose node appears later', async () => {
    node('n1');
    control();
    pod('a', 'n2');
    pod('b', 'n1');
    await pods('b');
    node('n2');
    await pods('a', 'b');
  });

  it('reports as deleted what was deleted while no controller ran, and nothing else', async () => {
    node('n1');
    node('n2');
    for (const name of ['a', 'b', 'c']) pod(name, 'n1');
    await halt((control(), await pods('a', 'b', 'c'), running[0]!));
    api.remove('pods', 'a', 'default');
    api.remove('pods', 'b', 'default');
    api.remove('nodes', 'n2');
    // Another pod of the same name.
    pod('b', 'n1');
    control();
    await pods('b', 'c');
    await eventually(async () => expect(await namesOf('/v1/nodes')).toEqual(['n1']));
  });

  it('reports as deleted what went while no controller ran for so long that the lists are empty', async () => {
    for (const name of ['n1', 'n2']) node(name);
    pod('a', 'n1');
    pod('b', 'n2');
    api.put('jobs', { metadata: { name: 'train', namespace: 'default' }, spec: {}, status: { active: 1 } });
    pod('stays', 'n1');
    const first = control();
    await pods('a', 'b', 'stays');
    await eventually(async () => expect(await namesOf('/v1/jobs')).toEqual(['train']));
    await halt(first);
    const ago = "clock_timestamp() - interval '6 minutes'";
    await service.db.query(`update nodes set synced_at = ${ago} where org_id = $1`, [org.id]);
    await service.db.query(`update clusters set last_sync = ${ago}, created_at = ${ago} where org_id = $1`, [org.id]);
    expect(await namesOf('/v1/nodes')).toEqual([]);
    api.remove('nodes', 'n2');
    for (const name of ['a', 'b']) api.remove('pods', name, 'default');
    api.remove('jobs', 'train', 'default');
    control();
    await pods('stays');
    await eventually(async () => expect(await namesOf('/v1/nodes')).toEqual(['n1']));
    const text = `
      select name, deleted from nodes where org_id = $1 union all
      select name, deleted from pods where org_id = $1 union all
      select name, deleted from jobs where org_id = $1 order by name`;
    const { rows } = await service.db.query<{ name: string; deleted: boolean }>(text, [org.id]);
    const deleted = rows.filter((row) => row.deleted).map(({ name }) => name);
    expect(deleted).toEqual(['a', 'b', 'n2', 'train']);
    expect(rows).toHaveLength(6);
  });

  it('reports the state of an API server whose etcd was restored, and its changes from then on', async () => {
    node('n1');
    pod('a', 'n1', 'Pending');
    const restore = api.snapshot();
    pod('a', 'n1');
    for (let changes = 0; changes < 20; changes++) node('n1');
    control();
    const phase = async () => ((await org.viewer.get('/v1/pods')).body as { status: string }[])[0]?.status;
    await eventually(async () => expect(await phase()).toBe('Running'));
    await eventually(() => expect(api.count('watch pods')).toBe(1));
    restore();
    await eventually(async () => expect(await phase()).toBe('Pending'));
    pod('a', 'n1', 'Succeeded');
    await eventually(async () => expect(await phase()).toBe('Succeeded'));
  });

  it('serves the namespaces that it is given', async () => {
    node('n1');
    pod('mine', 'n1', 'Running', 'training');
    pod('other', 'n1', 'Running', 'web');
    control({ namespaces: ['training'] });
    await pods('mine');
  });

  it('does not start without a verb of its role, and names it', async () => {
    api.denied.add('create pods/exec');
    api.denied.add('patch nodes');
    await expect(control().ended).rejects.toMatchObject({
      facts: {
        cause: 'permission_missing',
        message: 'The role of this agent lacks "create" for "pods/exec", "patch" for "nodes".',
      },
    });
    api.denied.delete('create pods/exec');
    // It cordons nothing.
    const one = control({ drain: false });
    await eventually(() => expect(one.lines.join()).toContain('Cluster stub'));
  });

  it('uncordons with --no-drain what an earlier one has cordoned, and says if it may not', async () => {
    const annotations = { 'ccp-agent/cordoned-until': '2026-11-23T12:00:00.000Z' };
    const spec = { unschedulable: true };
    for (const name of ['n1', 'n2']) api.put('nodes', { metadata: { name, annotations }, spec });
    api.denied.add('patch nodes');
    const one = control({ drain: false });
    await eventually(() => expect(one.lines.filter((line) => line.includes('stays cordoned'))).toHaveLength(2));
    expect(one.lines.join('\n')).toContain('cannot patch resource "nodes"');
    await halt(one);
    api.denied.clear();
    control({ drain: false });
    await eventually(() => expect(api.get('nodes', 'n2')!.spec).toEqual({ unschedulable: false }));
    expect(api.get('nodes', 'n2')!.metadata.annotations).toEqual({});
  });

  it('waits for an API server that does not answer yet', async () => {
    api.isDown = true;
    const one = control();
    await eventually(() => expect(one.lines.join()).toContain('did not answer'));
    api.isDown = false;
    await eventually(() => expect(one.lines.join()).toContain('Cluster stub'));
  });

  describe('of several', () => {
    const acts = ({ lines }: Running) => eventually(() => expect(lines.join('\n')).toContain(`Cluster ${CLUSTER}`));
    const waits = ({ lines }: Running) => eventually(() => expect(lines.join('\n')).toContain('waits for its turn'));

    it('acts when the one before has ended, with nothing of its state', async () => {
      node('n1');
      const first = control();
      await acts(first);
      const second = control();
      await waits(second);
      expect(second.lines.join()).not.toContain('Cluster stub');
      await halt(first);
      await acts(second);
      pod('a', 'n1');
      await pods('a');
    });

    it('acts when the one before has lost its lease, which ends that one', async () => {
      const first = control();
      await acts(first);
      const [name] = leaseNames();
      const lease = api.get('leases', name!, 'ccp')!;
      api.put('leases', { ...lease, spec: { ...(lease.spec as object), holderIdentity: 'somebody' } });
      await expect(first.ended).rejects.toMatchObject({ facts: { message: expect.stringContaining('lease') } });
    });

    it('continues what it kept itself, unless another one has acted since', async () => {
      const first = control();
      await acts(first);
      await halt(first);
      const request = { kind: 'move', actionId: NIL, checkpointId: NIL, startedAt: new Date().toISOString() };
      const requests = join(first.stateDir, 'kubernetes', v5(CLUSTER, NIL), 'requests');
      const keep = (): void => {
        mkdirSync(requests, { recursive: true });
        writeFileSync(join(requests, `${NIL}.json`), JSON.stringify(request));
      };
      keep();
      const again = control({}, first.stateDir);
      await acts(again);
      await eventually(() => expect(again.lines).toContain('Continuing 1 requests of an earlier run.'));
      await halt(again);
      keep();
      const other = control();
      await acts(other);
      await halt(other);
      const returned = control({}, first.stateDir);
      await acts(returned);
      await eventually(() => expect(readdirSync(requests)).toEqual([]));
      await halt(returned);
      expect(returned.lines.join()).not.toContain('Continuing');
    });

    const leaseNames = () => ['ccp-agent-stub'].filter((name) => api.get('leases', name, 'ccp') !== undefined);
  });

  describe('with queued workloads', () => {
    const clusterId = async (): Promise<string> => {
      let id = '';
      await eventually(async () => {
        [{ id }] = (await org.viewer.get('/v1/cluster')).body as [{ id: string }];
      });
      return id;
    };
    const queue = async (members: object) =>
      org.operator.post('/v1/cluster/workload', { cluster_id: await clusterId(), ...members });
    const job = (name: string, more: object = {}) => ({
      job: { metadata: { name, ...more }, spec: { template: { spec: { containers: [] } } } },
    });
    /** The newest first. */
    const outcomes = async () =>
      (await org.operator.get('/v1/cluster/workload')).body as { status: string; error: string | null }[];
    const outcome = async () => (await outcomes())[0];

    it('applies them, once', async () => {
      control();
      await queue(job('train'));
      await eventually(async () => expect(await outcome()).toMatchObject({ status: 'applied', error: null }));
      expect(api.get('jobs', 'train', 'default')).toMatchObject({ kind: 'Job', apiVersion: 'batch/v1' });
      expect(api.count('patch jobs')).toBe(1);
    });

    it('reports a refusal in the words of the API server', async () => {
      api.invalid = { member: 'broken', message: 'Job.batch "train" is invalid: spec.broken' };
      control();
      await queue(job('train', { labels: { broken: 'yes' } }));
      await eventually(async () =>
        expect(await outcome()).toMatchObject({
          status: 'refused',
          error: expect.stringContaining('Job.batch "train" is invalid: spec.broken'),
        }),
      );
    });

    it('refuses none while the API server answers nothing else either', async () => {
      control({ retryAfterMs: 20 });
      await clusterId();
      for (const asked of ['patch jobs', 'list pods']) api.breaking.add(asked);
      await queue(job('late'));
      await eventually(() => expect(api.count('patch jobs')).toBeGreaterThan(3));
      expect(await outcome()).toMatchObject({ status: 'queued' });
      api.breaking.clear();
      await eventually(async () => expect(await outcome()).toMatchObject({ status: 'applied' }));
    });

    it('lets nothing wait behind those at which a webhook fails, and applies them when it is back', async () => {
      node('n1');
      pod('a', 'n1');
      const one = control({ retryAfterMs: 20 });
      await pods('a');
      api.failing.add('patch jobs');
      for (const name of ['one', 'two', 'three']) await queue(job(name));
      await eventually(() => expect(api.count('patch jobs')).toBeGreaterThan(3));
      const [known] = (await org.viewer.get('/v1/pods')).body as { uid: string }[];
      const action = await askCheckpoint(org, known!.uid);
      await queue({ pod: { metadata: { name: 'behind' }, spec: { containers: [] } } });
      await eventually(async () => expect(await outcome()).toMatchObject({ status: 'applied' }));
      await eventually(async () =>
        expect((await org.viewer.get(`/v1/actions/${action}`)).body).not.toMatchObject({ status: 'pending' }),
      );
      const ofJobs = async () => (await outcomes()).slice(1).map(({ status }) => status);
      expect(await ofJobs()).toEqual(['queued', 'queued', 'queued']);
      expect(one.lines.join()).not.toContain('Refused');
      api.failing.clear();
      // The pause before the next attempt is as long as they have failed.
      await eventually(async () => expect(await ofJobs()).toEqual(['applied', 'applied', 'applied']), 120_000);
    });

    it('applies those at which the API server has failed before another one took over', async () => {
      const first = control({ retryAfterMs: 20 });
      await clusterId();
      api.failing.add('patch jobs');
      await queue(job('late'));
      await eventually(() => expect(api.count('patch jobs')).toBeGreaterThan(1));
      await halt(first);
      api.failing.clear();
      expect(await outcome()).toMatchObject({ status: 'queued' });
      control();
      await eventually(async () => expect(await outcome()).toMatchObject({ status: 'applied' }));
    });

    it('applies them when the API server is back', async () => {
      const one = control();
      await clusterId();
      await eventually(() => expect(one.lines.join()).toContain('Cluster stub'));
      api.isDown = true;
      await queue(job('late'));
      expect(await outcome()).toMatchObject({ status: 'queued' });
      api.isDown = false;
      await eventually(async () => expect(await outcome()).toMatchObject({ status: 'applied' }));
    });
  });
});
