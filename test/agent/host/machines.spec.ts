import { readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, readProc } from '../../../src/agent/processes/processes';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { inForm } from '../../support/form';
import { actionsOf, beat, buildPolicy, ofNamespace } from '../../support/policies';
import { temporaryDirectory } from '../../support/plugins';
import { Service, type Organisation } from '../../support/service';
import { AgentUnderTest, processesWith } from '../support/agent';
import { Machine, Requests } from '../support/machine';

/** The part of the wall time that the stages may leave unexplained, or have too much. */
const TOLERANCE = 0.1;
const NS_PER_MS = 1e6;

interface Passed {
  /** From the request to the end, which has to be delivered first. */
  readonly sinceRequestMs: number;
  /** From the first report of the agent to the end: it has begun before. */
  readonly sinceTakenUpMs: number;
  readonly fact: { duration_ns: number; stages: { stage: string; duration_ns: number }[] };
  /** A stage of two seconds. */
  readonly longest: string;
}

/** All stages of a fact together, and its duration, are the time that passed: neither less nor more. */
function addsUp({ sinceRequestMs, sinceTakenUpMs, fact: { stages, duration_ns: duration }, longest }: Passed): void {
  expect(stages.find(({ stage }) => stage === longest)!.duration_ns).toBeGreaterThanOrEqual(2_000 * NS_PER_MS);
  const sum = stages.reduce((ns, one) => ns + one.duration_ns, 0);
  for (const ms of [sum, duration].map((ns) => ns / NS_PER_MS)) {
    expect(ms).toBeGreaterThanOrEqual(sinceTakenUpMs * (1 - TOLERANCE));
    expect(ms).toBeLessThanOrEqual(sinceRequestMs * (1 + TOLERANCE));
  }
}

/** More than two rounds of dumps at a time. */
const PROCESSES = inForm(6, 20);

describeWith(['CRIU'], 'Machines with a host agent', () => {
  let service: Service;
  let agent: AgentUnderTest;
  let org: Organisation;
  let requests: Requests;

  beforeAll(async () => {
    agent = new AgentUnderTest();
    service = await Service.start({ objectStorageDir: temporaryDirectory(), objectUrlSeconds: 600 });
    // Facts have the time of day, as outside of tests.
    service.clock.now = () => new Date();
  });
  beforeEach(async () => {
    org = await service.organisation();
    requests = new Requests(org);
  });
  afterEach(async () => {
    await agent.killAll();
    rmSync(agent.store, { recursive: true, force: true });
  });
  afterAll(async () => {
    await service.close();
    agent.remove();
  });

  const timeOf = async (query: string, id: string): Promise<number> => {
    const { rows } = await service.db.query<{ at: Date }>(query, [id]);
    return rows[0]!.at.getTime();
  };
  const machine = (name: string, store?: string) => new Machine(agent, service, org, name, store);
  const pods = async () =>
    ((await org.viewer.get('/v1/pods')).body as { name: string; node: string }[])
      .map(({ name, node }) => `${node}/${name}`)
      .sort();

  it('report stages that add up to the time that passed, within 10 %', async () => {
    const laptop = machine('laptop');
    laptop.host();
    // What a busy machine adds to the way of a request is little beside them.
    const hooks = ['--quiesce', 'sleep 2', '--resume', 'sleep 2'];
    const supervisor = laptop.count('count', { mebibytes: 64, options: hooks });
    const uid = await laptop.pod('count');
    const askedAt = Date.now();
    const action = await requests.checkpoint(uid);
    await requests.ready(action);
    const { restore_path: reference } = await requests.action(action);
    const checkpointId = await requests.checkpointId(action);
    // Nothing that the agent measured: its folder got its name when it was stored.
    const storedAt = statSync(reference).ctimeMs;
    addsUp({
      sinceRequestMs: storedAt - askedAt,
      sinceTakenUpMs:
        storedAt -
        (await timeOf(
          "select occurred_at as at from audit_entries where action = 'create_checkpoint' and resource_id = $1",
          checkpointId,
        )),
      fact: await requests.fact(checkpointId),
      longest: 'quiesce',
    });
    await supervisor.kill();
    await eventually(async () => expect(await laptop.status('count')).toMatchObject({ phase: 'gone' }));
    const restoreAskedAt = Date.now();
    const again = await requests.restore(action);
    await requests.ready(again);
    // It has written its record when the workload was ready, and nothing since.
    const readyAt = laptop.folder('count').recordedAt()!;
    const { restore_uuid: restoreId } = await requests.restoreOf(again);
    addsUp({
      sinceRequestMs: readyAt - restoreAskedAt,
      sinceTakenUpMs:
        readyAt - (await timeOf('select created_at as at from restores where restore_uuid = $1', restoreId)),
      fact: await requests.fact(restoreId),
      longest: 'ready',
    });
  });

  it('continue a workload after a kill: on the same machine, on another one, and there twice', async () => {
    const [laptop, desk] = [machine('laptop'), machine('desk')];
    laptop.host();
    const supervisor = laptop.count('count', { mebibytes: 128, options: ['--quiesce', 'sleep 0.5'] });
    const uid = await laptop.pod('count');
    await supervisor.printed('5');

    const action = await requests.checkpoint(uid);
    await requests.ready(action);
    const checkpointId = await requests.checkpointId(action);
    const { restore_path: reference } = await requests.action(action);
    const at = JSON.parse(readFileSync(join(reference, 'manifest.json'), 'utf8')).workload.log.bytes as number;
    const before = readFileSync(laptop.folder('count').log).subarray(0, at).toString().trim().split('\n').map(Number);

    await supervisor.kill();
    await eventually(async () => expect(await laptop.status('count')).toMatchObject({ phase: 'gone' }));
    await requests.ready(await requests.restore(action));

    // Beside itself, it gets another name.
    await requests.ready(await requests.restore(action));
    await laptop.pod('count-2');
    desk.host();
    const cluster_id = await desk.clusterId();
    await requests.ready(await requests.restore(action, { cluster_id }));
    await requests.ready(await requests.restore(action, { cluster_id, overrides: { pod_name: 'copy' } }));
    await desk.pod('count');
    const copy = await desk.pod('copy');
    await eventually(async () =>
      expect(await pods()).toEqual(['desk/copy', 'desk/count', 'laptop/count', 'laptop/count-2']),
    );
    await Promise.all([laptop.counts('count', 'count-2'), desk.counts('count', 'copy')]);
    for (const counted of [laptop.counted('count'), desk.counted('count'), desk.counted('copy')]) {
      const all = [...before, ...counted];
      expect(all).toEqual(all.map((_, index) => index + 1));
    }

    // The chain: which checkpoint each of them comes from, and the next one of a copy.
    const restores = (await org.viewer.get(`/v1/restores?checkpoint_id=${checkpointId}`)).body as object[];
    expect(restores).toHaveLength(4);
    expect(restores).toEqual(
      restores.map(() => expect.objectContaining({ status: 'succeeded', checkpoint_action_id: action })),
    );
    await eventually(async () => {
      const { automatic_policies: found } = (await org.viewer.get('/v1/policy/list?include_automatic=true')).body;
      const from = (found as { name: string; checkpoint_id: string }[]).map((one) => [one.name, one.checkpoint_id]);
      expect(from.sort()).toEqual(['copy', 'count', 'count', 'count-2'].map((name) => [name, 'default/count']));
    });
    const next = await requests.checkpoint(copy);
    await requests.ready(next);
    expect(await requests.action(next)).toMatchObject({ checkpoint_name: 'default/copy', node_name: 'desk' });
  });

  it(`checkpoint ${PROCESSES} processes at one beat of a policy, each once, and two at a time`, async () => {
    const host = machine('laptop');
    host.host();
    const names = Array.from({ length: PROCESSES }, (_, index) => `count-${index}`);
    const options = ['--parallel-dumps', '2'];
    for (const name of names) host.count(name, { options });
    // A policy leaves out what does not run yet.
    for (const name of names) await host.pod(name);
    expect(await pods()).toHaveLength(PROCESSES);
    await eventually(() => expect(names.filter((name) => host.counted(name).length === 0)).toEqual([]), 60_000);
    const policy = await buildPolicy(org, ofNamespace(await host.clusterId(), 'default'));

    const seen: number[] = [];
    const supervisors = processesWith(`${agent.main}\0run`);
    for (const beats of [1, 2]) {
      const before = names.map((name) => host.counted(name).length);
      await beat(service, policy);
      await eventually(async () => {
        seen.push(dumpsBelow(supervisors));
        const statuses = await Promise.all(names.map((name) => host.status(name)));
        expect(statuses.map((one) => one!.checkpoints.filter(({ state }) => state === 'ready').length)).toEqual(
          names.map(() => beats),
        );
      }, 60_000);
      await eventually(async () => {
        const ended = (await actionsOf(service, policy)).map(({ pod_name, status }) => `${pod_name} ${status}`);
        expect(ended.sort()).toEqual(names.flatMap((name) => Array(beats).fill(`${name} ready`)).sort());
      });
      await eventually(() => {
        for (const [index, name] of names.entries()) expect(host.counted(name).length).toBeGreaterThan(before[index]!);
      });
    }
    expect(Math.max(...seen)).toBeGreaterThan(0);
    expect(Math.max(...seen)).toBeLessThanOrEqual(2);

    const { operations } = (await org.viewer.get('/v1/metrics/operations/summary?time=3600')).body;
    expect(operations).toContainEqual(
      expect.objectContaining({
        operation: 'checkpoint',
        attempts: 2 * PROCESSES,
        succeeded: 2 * PROCESSES,
        failed: 0,
      }),
    );
    await service.sweep('checkpoint savings');
    expect((await org.viewer.get('/v1/metrics/checkpoint-savings/summary')).body).toMatchObject({
      pods_protected: PROCESSES,
      total_checkpoints: 2 * PROCESSES,
      total_heartbeat_checkpoints: 2 * PROCESSES,
    });
    const [action] = await actionsOf(service, policy);
    expect((await org.viewer.get(`/v1/checkpoint/status/${action!.id}`)).body).toEqual({
      status: 'ready',
      details: null,
    });
  });

  /** Dumps of CRIU that run at this moment. */
  const dumpsBelow = (supervisors: readonly number[]): number =>
    supervisors.flatMap(childrenOf).filter((pid) => {
      const arguments_ = (readProc(`/proc/${pid}/cmdline`) ?? '').split('\0');
      return arguments_[0]!.endsWith('criu') && arguments_[1] === 'dump';
    }).length;

  it('say why a restore failed, and do not try the same again', async () => {
    const host = machine('laptop');
    const hostAgent = host.host();
    const supervisor = host.count('count');
    const action = await requests.checkpoint(await host.pod('count'));
    await requests.ready(action);
    await supervisor.kill();
    const { restore_path: reference } = await requests.action(action);
    truncateSync(join(reference, 'images/pages-1.img'), 4_096);

    const damaged = /^checkpoint_damaged: The checkpoint \S+ is damaged: "pages-1.img" .*Restore another checkpoint\./;
    const first = await requests.restore(action);
    expect(await requests.failed(first)).toMatch(damaged);
    const restore = await requests.restoreOf(first);
    expect(restore).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(damaged),
      runtime_metadata: { cause: 'checkpoint_damaged' },
    });
    expect(await requests.fact(restore.restore_uuid)).toMatchObject({
      result: 'failed',
      failure_reason: expect.stringMatching(/^checkpoint_damaged/),
    });

    const images = statSync(join(reference, 'images')).atimeMs;
    expect(await requests.failed(await requests.restore(action))).toMatch(/It was refused at .*not tried again yet\./);
    expect(statSync(join(reference, 'images')).atimeMs).toBe(images);
    await eventually(async () => expect(await pods()).toEqual([]));
    // The one that stands by for the next restore is left, until its host agent ends. Process ids start again
    // from the lowest, so the younger of two may have the lower one.
    const besidesHost = () => processesWith(agent.main).filter((pid) => pid !== hostAgent.pid);
    await eventually(() => expect(besidesHost()).toHaveLength(1));
    expect(processesWith(agent.main)).toContain(hostAgent.pid);
    await hostAgent.kill();
    await eventually(() => expect(processesWith(agent.main)).toEqual([]));
  });

  it('restore also if the supervisor that stood by was killed, and leave what they restored alone', async () => {
    const host = machine('standing');
    const hostAgent = host.host();
    const supervisor = host.count('count');
    const action = await requests.checkpoint(await host.pod('count'));
    await requests.ready(action);
    await supervisor.kill();
    const standing = () => processesWith('--standby').filter((pid) => processesWith(agent.main).includes(pid));
    const restore = async (name: string) => {
      await requests.ready(await requests.restore(action, { overrides: { pod_name: name } }));
      await host.counts(name);
    };
    await eventually(() => expect(standing()).toHaveLength(1));
    const [first] = standing();
    await restore('first');
    await eventually(() => expect(standing()).toHaveLength(2));
    expect(standing()).toContain(first);
    const [second] = standing().filter((pid) => pid !== first);
    process.kill(second!, 'SIGKILL');
    await restore('second');
    await hostAgent.kill();
    await eventually(() => expect(standing()).toHaveLength(2));
    await host.counts('first', 'second');
  });

  it('keep checkpoints in the object storage of the service, and move a workload by it', async () => {
    const [laptop, desk] = [machine('laptop', 'service'), machine('desk', 'service')];
    laptop.host();
    desk.host();
    const supervisor = laptop.count('count');
    const action = await requests.checkpoint(await laptop.pod('count'));
    await requests.ready(action);
    const id = await requests.checkpointId(action);
    expect((await requests.action(action)).restore_path).toBe(`service:${id}`);
    const files = async () => (await org.operator.get(`/v1/files/dir/checkpoints/${id}/`)).body as string[];
    expect(await files()).toContain('manifest.json');
    await supervisor.kill();
    const cluster_id = await desk.clusterId();
    const restored = await requests.restore(action, { cluster_id });
    await requests.ready(restored);
    await desk.pod('count');
    await desk.counts('count');
    const stages = (await requests.fact((await requests.restoreOf(restored)).restore_uuid)).stages;
    expect((stages as { stage: string }[]).map(({ stage }) => stage)).toEqual(
      expect.arrayContaining(['fetch', 'verify', 'restore']),
    );
  });

  it('leave supervisors alone when a signal ends the host agent, and report what a supervisor kept at its end', async () => {
    const host = machine('laptop');
    const first = host.host();
    const supervisor = host.count('count', { options: ['--checkpoint-on-term', '--grace', '20'] });
    await host.pod('count');
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0 });
    await host.counts('count');

    host.host();
    await host.pod('count');
    const began = performance.now();
    supervisor.child.kill('SIGTERM');
    expect((await supervisor.ended).code).toBe(143);
    expect(performance.now() - began).toBeLessThan(20_000);
    await eventually(async () => expect(await pods()).toEqual([]));
    const [kept] = (await host.status('count'))!.checkpoints;
    expect(kept).toMatchObject({ state: 'ready' });
    await eventually(async () => {
      const rows = (await org.viewer.get('/v1/checkpoints')).body as object[];
      expect(rows).toEqual([expect.objectContaining({ status: 'ready', name: 'default/count' })]);
    });
    const path = (await org.viewer.get('/v1/checkpoint/path?name=default/count')).text;
    expect(path).toBe(kept?.state === 'ready' ? kept.result.reference : undefined);
  });
});
