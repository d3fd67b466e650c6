import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { runHost } from '../../../src/agent/controllers/host/host-controller';
import { KEY, listed as listedIn } from '../../support/checkpoint-stores';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { ControlClient, SupervisorSilent } from '../../../src/agent/supervisor/control/control-client';
import type { Manifest } from '../../../src/agent/store/manifest';
import { eventually } from '../../support/eventually';
import { createProfile } from '../../support/profiles';
import { Service, type Organisation } from '../../support/service';
import { giveUp } from '../../support/workloads';
import { DUMP, fileChanged, ProtocolSupervisor, STAGES } from './protocol-supervisor';

const NODE = 'node-1';

describe('the host agent', () => {
  let service: Service;
  let org: Organisation;
  let stateDir: string;
  let supervisors: ProtocolSupervisor[];
  let hosts: { stop: AbortController; ended: Promise<void> }[];
  let lines: string[];

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    stateDir = await mkdtemp(join(tmpdir(), 'ccp-host-'));
    [supervisors, hosts, lines] = [[], [], []];
  });
  afterEach(async () => {
    await Promise.all(hosts.map(halt));
    await Promise.all(supervisors.map((one) => one.kill()));
    await rm(stateDir, { recursive: true });
  });
  afterAll(() => service.close());

  const supervise = async (name: string, hungAfterMs?: number) => {
    const supervisor = await ProtocolSupervisor.start(stateDir, name, hungAfterMs);
    supervisors.push(supervisor);
    return supervisor;
  };
  const store = () => new DirectoryStore({ directory: join(stateDir, 'checkpoints'), key: KEY });
  const settings = () => ({
    url: service.url,
    stateDir,
    store: join(stateDir, 'checkpoints'),
    storeKeyFile: undefined,
    verify: 'changed' as const,
    parallelDumps: 2,
    token: org.controller.token,
    tokenFile: undefined,
  });
  const host = (options: Partial<Parameters<typeof runHost>[0]> = {}) => {
    const stop = new AbortController();
    const ended = runHost({
      clusterName: 'laptop',
      nodeName: NODE,
      settings: settings(),
      store: store(),
      signal: stop.signal,
      log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
      say: (line) => void lines.push(line),
      ...options,
    }).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    const running = { stop, ended };
    hosts.push(running);
    return running;
  };
  const halt = async ({ stop, ended }: (typeof hosts)[number]) => {
    stop.abort(new Error('stopped'));
    await ended;
  };
  const requestsInJournal = async () => {
    const [cluster] = await readdir(join(stateDir, 'host'));
    return readdir(join(stateDir, 'host', cluster!, 'requests'));
  };
  const pods = async () => (await org.viewer.get('/v1/pods')).body as { name: string; status: string; node: string }[];
  const listed = (...names: string[]) =>
    eventually(async () => expect((await pods()).map(({ name }) => name).sort()).toEqual(names));
  const ask = async (pod: ProtocolSupervisor, members: object = {}) =>
    (await org.operator.post('/v1/checkpoint/pod', { pod_id: pod.uid, ...members })).text;
  const status = async (action: string) =>
    (await org.viewer.get(`/v1/checkpoint/status/${action}`)).body as { status: string; details: string | null };
  const settled = (action: string, expected: string) =>
    eventually(async () => expect(await status(action)).toMatchObject({ status: expected }));
  const factOf = async (action: string) => {
    const [id] = (await org.viewer.get(`/v1/actions/${action}`)).body.checkpoint_ids as string[];
    return (await org.viewer.get(`/v1/operations/${id}`)).body;
  };

  it('reports every supervised workload as a pod of its node, and what ended as deleted', async () => {
    const [one] = [await supervise('count'), await supervise('train')];
    host();
    await listed('count', 'train');
    expect(await pods()).toEqual([
      expect.objectContaining({ name: 'count', namespace: 'default', status: 'Running', node: NODE, ready: '1/1' }),
      expect.objectContaining({ name: 'train' }),
    ]);
    await supervise('later');
    await listed('count', 'later', 'train');
    await one.end(0);
    await listed('later', 'train');
  });

  it('reports as deleted what was killed while no host agent ran', async () => {
    const one = await supervise('count');
    const first = host();
    await listed('count');
    await halt(first);
    await one.kill();
    host();
    await listed();
  });

  it('takes a requested checkpoint, and reports its facts with stages that add up', async () => {
    const one = await supervise('count');
    // No shorter than its stages say.
    one.dump = () => sleep(STAGES.reduce((sum, { durationNs }) => sum + durationNs, 0) / 1e6 + 10);
    host();
    await listed('count');
    const action = await ask(one);
    await settled(action, 'ready');
    expect(one.dumps).toHaveLength(1);
    const details = (await org.viewer.get(`/v1/actions/${action}`)).body;
    expect(details.checkpoint_ids).toEqual(one.dumps);
    expect((await store().manifest(details.restore_path)).id).toBe(one.dumps[0]);
    const fact = await factOf(action);
    expect(fact).toMatchObject({
      result: 'succeeded',
      source: 'profile+criu',
      platform: expect.stringMatching(/^linux\//),
      pause_ns: DUMP.frozen_time * 1_000,
      physical_bytes: DUMP.pages_written * 4_096,
    });
    const stages = fact.stages as { stage: string; duration_ns: number }[];
    const us = (ns: number) => Math.round(ns / 1_000);
    // CRIU's figures are nested, and none of them is counted twice.
    expect(stages.slice(1).map(({ stage, duration_ns: ns }) => [stage, us(ns)])).toEqual([
      ['inspect', 2_000],
      ['freeze', 1_000],
      ['dump', 140_000 - DUMP.frozen_time],
      ['frozen', DUMP.frozen_time - DUMP.memdump_time],
      ['memdump', DUMP.memdump_time - DUMP.memwrite_time],
      ['memwrite', DUMP.memwrite_time],
      ['hash', 40_000],
      ['resume', 1_000],
    ]);
    expect(stages[0]!.stage).toBe('wait');
    expect(stages.reduce((sum, { duration_ns: ns }) => sum + ns, 0)).toBe(fact.duration_ns);
    const worked = STAGES.reduce((sum, { durationNs }) => sum + durationNs, 0);
    expect(fact.duration_ns - stages[0]!.duration_ns).toBe(worked);
    expect(details.checkpoint_info.machine).toMatchObject({ kernel: '6.1' });
    expect((await org.viewer.get('/v1/checkpoint/path?name=default/count')).text).toBe(details.restore_path);
  });

  it('begins with the dump before the service answers, and removes it if the service does not want it any more', async () => {
    const one = await supervise('count');
    const first = host();
    await listed('count');
    await halt(first);
    const [kept, unwanted] = [await ask(one), await ask(one)];
    const client = await service.db.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from actions where id = any($1) for update', [[kept, unwanted]]);
      host();
      // No answer to `create_checkpoint` is possible yet.
      await eventually(() => expect(one.dumps).toHaveLength(2));
      await client.query("update actions set status = 'error', error = 'too late' where id = $1", [unwanted]);
      await client.query('commit');
    } finally {
      client.release();
    }
    await settled(kept, 'ready');
    const { checkpoint_ids: ids } = (await org.viewer.get(`/v1/actions/${kept}`)).body;
    await eventually(async () => {
      expect(await requestsInJournal()).toEqual([]);
      expect(await listedIn(store())).toEqual(ids);
    });
  });

  it('reports what is stored of a workload that ended with all that its supervisor knew', async () => {
    const one = await supervise('count');
    const first = host();
    await listed('count');
    await halt(first);
    const action = await ask(one);
    const [id] = (await org.viewer.get(`/v1/actions/${action}`)).body.checkpoint_ids as [string];
    await one.take(id);
    // A power failure leaves what the store has.
    await one.kill();
    host();
    await settled(action, 'ready');
    expect((await org.viewer.get(`/v1/actions/${action}`)).body.restore_path).toBe(
      join(stateDir, 'checkpoints/checkpoints', id),
    );
  });

  it('shows the progress of a dump, and the cause and sentence of a failure', async () => {
    const one = await supervise('count');
    const seen = Promise.withResolvers<void>();
    one.dump = async (_request, onProgress) => {
      onProgress({ stage: 'dump', bytesDone: 512, bytesTotal: 1_024 });
      await seen.promise;
      throw fileChanged();
    };
    host();
    await listed('count');
    const action = await ask(one);
    await eventually(async () => expect((await status(action)).details).toBe('main: dump, 512 of 1024 bytes'));
    seen.resolve();
    await settled(action, 'error');
    expect((await status(action)).details).toBe(
      'file_changed: The file /var/log/count has 12 bytes and had 10. Write the log in append mode.',
    );
    expect((await factOf(action)).result).toBe('failed');
    expect((await pods())[0]).toMatchObject({ status: 'Running' });
  });

  it('fails at once what is requested of a workload that has ended', async () => {
    const one = await supervise('count');
    const first = host();
    await listed('count');
    await halt(first);
    const action = await ask(one);
    await one.end(3);
    host();
    await settled(action, 'error');
    expect((await status(action)).details).toMatch(/^workload_ended: /);
  });

  it('asks again later for a checkpoint of a workload whose supervisor does not answer', async () => {
    const one = await supervise('count');
    const first = host();
    await listed('count');
    await halt(first);
    const action = await ask(one);
    const asked = jest
      .spyOn(ControlClient.prototype, 'status')
      .mockRejectedValue(new SupervisorSilent('The supervisor is silent for 10 seconds.'));
    try {
      host({ retryAfterMs: 20 });
      await eventually(async () => expect(await requestsInJournal()).not.toEqual([]));
      const { length } = asked.mock.calls;
      // Several attempts, and the looks of the inventory.
      await eventually(() => expect(asked.mock.calls.length).toBeGreaterThan(length + 6));
      expect(await status(action)).not.toMatchObject({ status: 'error' });
    } finally {
      asked.mockRestore();
    }
    await settled(action, 'ready');
    expect(one.dumps).toHaveLength(1);
  });

  it('reports a checkpoint that hangs as failed, with what to check, and removes what it stores late', async () => {
    const one = await supervise('count', 300);
    const late = Promise.withResolvers<void>();
    one.dump = (_request, onProgress) => (onProgress({ stage: 'hash', bytesDone: 7, bytesTotal: null }), late.promise);
    host({ examineStoreEveryMs: 100 });
    await listed('count');
    const action = await ask(one);
    await settled(action, 'error');
    expect((await status(action)).details).toMatch(/^checkpoint_hung: .*hangs in its stage "hash".* file system/s);
    const behind = await ask(one);
    await settled(behind, 'error');
    expect((await status(behind)).details).toMatch(/^checkpoint_hung: .*before it hangs/s);
    expect(await pods()).toMatchObject([{ name: 'count', status: 'Running' }]);
    late.resolve();
    await eventually(() => expect(lines.join('\n')).toContain('Removed the deprecated checkpoint'));
    one.dump = () => Promise.resolve();
    await settled(await ask(one), 'ready');
    expect(await listedIn(store())).toHaveLength(1);
  });

  it('reports and restores nothing of other namespaces than its own', async () => {
    const count = await supervise('count');
    const first = host();
    await listed('count');
    const action = await ask(count);
    await settled(action, 'ready');
    await halt(first);
    host({ namespaces: ['train'] });
    const restore = await org.operator.post('/v1/restore/pod', { action_id: action, reason: 'manual' });
    await eventually(async () => {
      const { body } = await org.viewer.get(`/v1/actions/${restore.text}`);
      expect(body).toMatchObject({ status: 'error', error: expect.stringContaining('namespace default') });
    });
    await eventually(async () => expect(await pods()).toEqual([]));
  });

  it('serves many requests at once, each workload once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => supervise(`w-${index}`)));
    host();
    await eventually(async () => expect(await pods()).toHaveLength(20));
    const actions = await Promise.all(all.map((one) => ask(one)));
    await Promise.all(actions.map((action) => settled(action, 'ready')));
    expect(all.map(({ dumps }) => dumps.length)).toEqual(Array(20).fill(1));
  });

  it('takes checkpoints up while the uploads of as many others as may begin at once do not end', async () => {
    const slow = await Promise.all(Array.from({ length: 4 }, (_, index) => supervise(`slow-${index}`)));
    const urgent = await supervise('urgent');
    const sent = Promise.withResolvers<void>();
    for (const one of slow)
      one.dump = (_request, onProgress) => {
        for (const stage of ['dump', 'upload'] as const) onProgress({ stage, bytesDone: 0, bytesTotal: null });
        return sent.promise;
      };
    try {
      host();
      await eventually(async () => expect(await pods()).toHaveLength(5));
      const uploads = await Promise.all(slow.map((one) => ask(one)));
      await eventually(() => expect(slow.map(({ dumps }) => dumps.length)).toEqual([1, 1, 1, 1]));
      await settled(await ask(urgent), 'ready');
      expect(await Promise.all(uploads.map(async (action) => (await status(action)).status))).not.toContain('ready');
      sent.resolve();
      await Promise.all(uploads.map((action) => settled(action, 'ready')));
    } finally {
      sent.resolve();
    }
  });

  it('continues after a restart, and takes no checkpoint twice', async () => {
    const one = await supervise('count');
    const released = Promise.withResolvers<void>();
    one.dump = () => released.promise;
    const first = host();
    await listed('count');
    const action = await ask(one);
    await eventually(() => expect(one.dumps).toHaveLength(1));
    await halt(first);
    released.resolve();
    host();
    await settled(action, 'ready');
    expect(one.dumps).toHaveLength(1);
    await eventually(async () => expect(await requestsInJournal()).toEqual([]));
  });

  it('reports a request as failed, with the cause, if the agent itself fails again and again', async () => {
    const one = await supervise('count');
    const broken = store();
    broken.manifest = () => Promise.reject(new Error('The disk does not answer.'));
    host({ store: broken, retryAfterMs: 20 });
    await listed('count');
    const action = await ask(one);
    await settled(action, 'error');
    expect((await status(action)).details).toBe('unclassified: The disk does not answer.');
    expect(one.dumps).toHaveLength(1);
    await eventually(async () => expect(await requestsInJournal()).toEqual([]));
  });

  it('does not start beside another one of its cluster, and says so', async () => {
    await supervise('count');
    host();
    await listed('count');
    await eventually(async () =>
      expect((await org.viewer.get('/v1/inference/outbox/consumers')).body).toEqual([
        expect.objectContaining({ consumer_id: expect.stringMatching(/^host laptop /) }),
      ]),
    );
    const elsewhere = await mkdtemp(join(tmpdir(), 'ccp-host-'));
    const other = (clusterName: string) =>
      host({ clusterName, nodeName: 'node-2', settings: { ...settings(), stateDir: elsewhere } });
    try {
      const refused = other('laptop').ended;
      hosts.pop();
      await expect(refused).rejects.toMatchObject({
        facts: {
          cause: 'name_taken',
          message: expect.stringMatching(/^Another agent .* acts for the cluster laptop\..*seconds ago\.$/),
          remedy: expect.stringContaining('--cluster'),
        },
      });
      // It has reported nothing, such as that the workloads of the first one are gone.
      expect(await pods()).toEqual([expect.objectContaining({ name: 'count', node: NODE })]);
      other('desk');
      await eventually(async () =>
        expect((await org.viewer.get('/v1/cluster')).body.map(({ name }: { name: string }) => name).sort()).toEqual([
          'desk',
          'laptop',
        ]),
      );
    } finally {
      await Promise.all(hosts.map(halt));
      await rm(elsewhere, { recursive: true });
    }
  });

  it('finds requests in the state of the service if their events are gone', async () => {
    const [one, other] = [await supervise('count'), await supervise('train')];
    const first = host();
    await listed('count', 'train');
    const before = await ask(one);
    await settled(before, 'ready');
    await halt(first);
    const [lost, delivered] = [await ask(one), await ask(other)];
    await org.viewer.get('/v1/inference/outbox?consumer_id=other');
    const { rowCount } = await service.db.query(
      'delete from outbox_events where org_id = $1 and aggregate_id = any($2)',
      [org.id, [before, lost]],
    );
    expect(rowCount).toBe(2);
    host();
    await settled(lost, 'ready');
    await settled(delivered, 'ready');
    expect([one.dumps.length, other.dumps.length]).toEqual([2, 1]);
  });

  it('tells the supervisor of a restore whether somebody allows what its machine lacks', async () => {
    const one = await supervise('count');
    const order = join(stateDir, 'order.json');
    const program = ['/bin/sh', '-c', 'cat > "$0"', order] as const;
    host({ program: [...program] });
    await listed('count');
    const action = await ask(one);
    await settled(action, 'ready');
    const ordered = async (members: object) => {
      const body = { action_id: action, reason: 'manual', ...members };
      expect((await org.operator.post('/v1/restore/pod', body)).status).toBe(200);
      await eventually(async () => expect((await stat(order)).size).toBeGreaterThan(0));
      const text = await readFile(order, 'utf8');
      await rm(order);
      return JSON.parse(text) as { restore: string; allowIncompatible?: boolean };
    };
    const given = await ordered({ allow_incompatible: true });
    expect([given.restore.endsWith(one.dumps[0] as string), given.allowIncompatible]).toEqual([true, true]);
    expect((await ordered({})).allowIncompatible).toBeUndefined();
  });

  it('removes what was deprecated from the store, and shows what it holds', async () => {
    const one = await supervise('count');
    host({ examineStoreEveryMs: 200 });
    await listed('count');
    const first = await ask(one);
    await settled(first, 'ready');
    const kept = await ask(one);
    await settled(kept, 'ready');
    const [gone, stays] = one.dumps;
    await org.operator.patch(`/v1/checkpoints/deprecate/${gone}`);
    await eventually(async () => {
      const ids: string[] = [];
      for await (const { id } of store().list()) ids.push(id);
      expect(ids).toEqual([stays]);
    });
    await eventually(async () => {
      const [cluster] = (await org.viewer.get('/v1/cluster')).body;
      expect(cluster.metadata.ccp_agent).toMatchObject({
        node: NODE,
        stored: { checkpoints: 1, removed: { checkpoints: 1, last: [{ checkpoint_id: gone }] } },
      });
    });
    expect(lines.filter((line) => line.startsWith('Removed the deprecated checkpoint'))).toHaveLength(1);
    const confirmed = async (id: string | undefined) =>
      ((await org.viewer.get(`/v1/checkpoints?ids=${id}`)).body as { bytes_removed_at: string | null }[])[0]
        ?.bytes_removed_at;
    expect([await confirmed(gone), await confirmed(stays)]).toEqual([expect.any(String), null]);
    // The next process still shows it.
    await Promise.all(hosts.map(halt));
    host({ examineStoreEveryMs: 200 });
    await org.operator.patch(`/v1/checkpoints/deprecate/${stays}`);
    await eventually(async () => {
      const [cluster] = (await org.viewer.get('/v1/cluster')).body;
      const { last } = cluster.metadata.ccp_agent.stored.removed as { last: { checkpoint_id: string }[] };
      expect(last.map(({ checkpoint_id }) => checkpoint_id)).toEqual([gone, stays]);
    });
    expect(await confirmed(stays)).toEqual(expect.any(String));
  });

  it('keeps the only copy of a workload that it let go, though the service gave the checkpoint up', async () => {
    const one = await supervise('count');
    const over = Promise.withResolvers<void>();
    one.dump = () => over.promise;
    host({ examineStoreEveryMs: 50 });
    await listed('count');
    const action = await ask(one, { leave_running: false });
    await eventually(() => expect(one.dumps).toHaveLength(1));
    await giveUp(service, org, action);
    over.resolve();
    await eventually(() => expect(lines).toContainEqual(expect.stringContaining('has ended default/count: it stays')));
    await eventually(async () => expect(await requestsInJournal()).toEqual([]));
    expect(await listedIn(store())).toEqual(one.dumps);
  });

  it('removes what it stored for a cluster that was deleted, after seven days, and nothing that people keep', async () => {
    const one = await supervise('count');
    const kept = randomUUID();
    await one.take(kept);
    // The next heartbeat finds that the cluster is gone.
    const first = host({ examineStoreEveryMs: 200, heartbeatMs: 1_000 });
    await listed('count');
    await settled(await ask(one), 'ready');
    const [left] = one.dumps.filter((id) => id !== kept) as [string];
    const [cluster] = (await org.viewer.get('/v1/cluster')).body as { id: string }[];
    expect((await org.operator.delete(`/v1/cluster/${cluster?.id}`)).status).toBe(200);
    const forgotten = async () =>
      ((await org.viewer.get('/v1/checkpoints/forgotten')).body as { id: string }[]).map(({ id }) => id);
    await eventually(async () =>
      expect((await org.viewer.get('/v1/cluster')).body).toEqual([expect.not.objectContaining({ id: cluster?.id })]),
    );
    expect([await forgotten(), await listedIn(store())]).toEqual([[left], [kept, left].sort()]);
    await halt(first);
    const next = host({ examineStoreEveryMs: 200 });
    await sleep(500);
    expect(await listedIn(store())).toEqual([kept, left].sort());
    await halt(next);
    await service.db.query("update forgotten_checkpoints set forgotten_at = forgotten_at - interval '7 days'");
    host({ examineStoreEveryMs: 200 });
    await eventually(async () => expect([await forgotten(), await listedIn(store())]).toEqual([[], [kept]]));
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^Removed the forgotten checkpoint .*${left}`)));
  });

  it('removes the bytes of a deleted artifact also where it runs no workers, but none of anybody else', async () => {
    const one = await supervise('count');
    const [own, others] = [randomUUID(), randomUUID()];
    for (const id of [own, others]) await one.take(id);
    const profile = await createProfile(org);
    const uris = {
      [own]: join(stateDir, 'checkpoints/checkpoints', own),
      [others]: `/elsewhere/checkpoints/${others}`,
    };
    for (const [id, uri] of Object.entries(uris)) {
      const artifact = {
        ...{ artifact_id: id, profile_id: profile.profile_id, compatibility_key: profile.compatibility_key, uri },
        ...{ checkpoint_mode: 'criu', storage_tier: 'local', metadata: { checkpoint_id: id } },
      };
      expect((await org.controller.post('/v1/inference/artifacts', artifact)).status).toBe(201);
      expect((await org.operator.delete(`/v1/inference/artifacts/${id}`)).status).toBe(200);
    }
    host();
    await eventually(async () => expect(await listedIn(store())).toEqual([others]));
    await eventually(() => expect(lines).toContain(`The artifact ${own} is gone, and so is the checkpoint ${own}.`));
    const awaiting = async () =>
      ((await org.viewer.get('/v1/inference/artifacts?awaiting_removal=true')).body as { artifact_id: string }[]).map(
        ({ artifact_id: id }) => id,
      );
    await eventually(async () => expect(await awaiting()).toEqual([others]));
  });

  it('confirms what is left of deleted artifacts once the last one that has their bytes is deleted', async () => {
    const one = await supervise('count');
    const id = randomUUID();
    await one.take(id);
    host({ examineStoreEveryMs: 200 });
    await listed('count');
    const [cluster] = (await org.viewer.get('/v1/cluster')).body as { id: string }[];
    const profile = await createProfile(org);
    const { profile_id, compatibility_key } = profile;
    const uri = join(stateDir, 'checkpoints/checkpoints', id);
    const metadata = { checkpoint_id: id, cluster_id: cluster?.id };
    for (const artifact_id of ['first', 'second']) {
      const artifact = { artifact_id, profile_id, compatibility_key, uri, checkpoint_mode: 'criu', metadata };
      expect((await org.controller.post('/v1/inference/artifacts', artifact)).status).toBe(201);
    }
    const remove = async (artifactId: string) =>
      expect((await org.operator.delete(`/v1/inference/artifacts/${artifactId}`)).status).toBe(200);
    const removedAt = async (artifactId: string) =>
      (await org.viewer.get(`/v1/inference/artifacts/${artifactId}`)).body.bytes_removed_at as string | null;
    await remove('first');
    await sleep(500);
    expect([await listedIn(store()), await removedAt('first')]).toEqual([[id], null]);
    await remove('second');
    for (const artifactId of ['first', 'second'])
      await eventually(async () => expect(await removedAt(artifactId)).toEqual(expect.any(String)));
    expect(await listedIn(store())).toEqual([]);
  });

  it('leaves the bytes of a deleted artifact while the service lists them as a checkpoint, and no longer', async () => {
    const one = await supervise('count');
    host();
    await listed('count');
    await settled(await ask(one), 'ready');
    const [id] = one.dumps as [string];
    const profile = await createProfile(org);
    const { profile_id, compatibility_key } = profile;
    const removed = async (artifactId: string) => {
      const artifact = {
        ...{
          artifact_id: artifactId,
          profile_id,
          compatibility_key,
          uri: ((await store().find(id)) as Manifest).reference,
        },
        ...{ checkpoint_mode: 'criu', storage_tier: 'local', metadata: { checkpoint_id: id } },
      };
      expect((await org.controller.post('/v1/inference/artifacts', artifact)).status).toBe(201);
      expect((await org.operator.delete(`/v1/inference/artifacts/${artifactId}`)).status).toBe(200);
    };
    const line = (artifactId: string) =>
      eventually(() => expect(lines).toContainEqual(expect.stringContaining(`The artifact ${artifactId} is gone`)));
    await removed('first');
    await line('first');
    expect(await listedIn(store())).toEqual([id]);
    await org.operator.patch(`/v1/checkpoints/deprecate/${id}`);
    await removed('second');
    await line('second');
    expect(await listedIn(store())).toEqual([]);
  });
});
