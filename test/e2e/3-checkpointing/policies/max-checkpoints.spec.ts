import { DatabaseClient } from '../../../../src/1-platform/database/connections/database-client';
import {
  actionsOf,
  beat,
  buildPolicy,
  heartbeat,
  makeDue,
  ofNamespace,
  rounds,
  storedPolicy,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, ok, podResource, putInfo, putUploaded, syncAll, takeUp } from '../../../support/workloads';

const ROUNDS = 8;

const COUNT = /count\(\*\)\s+from actions where org_id = .* and status = 'ready'/;
const textOf = (sent: unknown): string =>
  typeof sent === 'object' && sent !== null && 'text' in sent ? String(sent.text) : String(sent);

describe('policies with max_checkpoints', () => {
  let service: Service;
  let second: { url: string };
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    second = await service.replica();
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  /** A policy that requests this many pods per beat. */
  async function policy(pods: number, maxCheckpoints: number): Promise<string> {
    const clusterId = await buildCluster(org);
    await syncAll(
      org.controller,
      clusterId,
      Array.from({ length: pods }, () => podResource()),
    );
    return buildPolicy(org, ofNamespace(clusterId), heartbeat(3_600, maxCheckpoints));
  }
  /** The first checkpoints of its actions that nobody has taken up yet. */
  async function takenUp(id: string): Promise<string[]> {
    const open = (await actionsOf(service, id)).filter(({ status }) => status === 'initialized');
    return Promise.all(open.map((action) => takeUp(org, action.id, { container_name: 'main' })));
  }
  const statusOf = async (id: string) => (await storedPolicy(service, id))?.status;

  it('are disabled when the checkpoint that completes their number is ready, not before', async () => {
    const id = await policy(2, 3);
    await beat(service, id);
    const [a = '', b = ''] = await takenUp(id);
    ok(await putUploaded(org, a));
    ok(await putUploaded(org, b));
    ok(await putUploaded(org, b));
    expect(await statusOf(id)).toBe('active');

    await beat(service, id);
    const [c = '', d = ''] = await takenUp(id);
    ok(await putInfo(org, c, {}));
    expect(await statusOf(id)).toBe('active');
    ok(await putUploaded(org, c));
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled', next_at: null });

    // Open actions continue, and no new ones are created.
    ok(await putUploaded(org, d));
    await rounds([service.app]);
    expect((await actionsOf(service, id)).map(({ status }) => status)).toEqual(Array(4).fill('ready'));
    expect((await org.viewer.get(`/v1/policy/pipeline/${id}`)).body.status).toBe('disabled');
  });

  it('count ready checkpoints, not requested or failed ones', async () => {
    const id = await policy(3, 2);
    await beat(service, id);
    const [a = '', b = '', c = ''] = await takenUp(id);
    ok(await putInfo(org, a, {}, { error: 'broke' }));
    ok(await putUploaded(org, b));
    // Another container of the same pod is not a checkpoint of its own.
    const [, action] = await actionsOf(service, id);
    const sidecar = await takeUp(org, action?.id ?? '', { container_name: 'sidecar' });
    ok(await putUploaded(org, sidecar));
    expect(await statusOf(id)).toBe('active');
    ok(await putUploaded(org, c));
    expect(await statusOf(id)).toBe('disabled');
  });

  it('count them all only a few times, and are disabled by the one that completes their number', async () => {
    const id = await policy(20, 100);
    await beat(service, id);
    // Most of them were made before, some of them so long ago that their rows are gone.
    await service.db.query(
      `insert into past_actions (org_id, policy_id, asked, ready, failed, last_asked_at) values ($1, $2, 80, 80, 0, now())`,
      [org.id, id],
    );
    const sent = jest.spyOn(DatabaseClient.prototype, 'query');
    const counts = () => sent.mock.calls.filter(([one]) => COUNT.test(textOf(one))).length;
    const [last = '', ...checkpoints] = await takenUp(id);
    for (const checkpoint of checkpoints) ok(await putUploaded(org, checkpoint));
    expect(await statusOf(id)).toBe('active');
    // After one, and when half of 19, 9, 4, 2 and 1 have become ready.
    expect(counts()).toBeGreaterThan(0);
    expect(counts()).toBeLessThanOrEqual(6);
    // A ready one that goes on, and is ready once more, is counted once.
    const [first] = (await actionsOf(service, id)).filter(({ status }) => status === 'ready');
    ok(await putUploaded(org, await takeUp(org, first!.id, { container_name: 'sidecar' })));
    expect(await statusOf(id)).toBe('active');
    ok(await putUploaded(org, last));
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled', next_at: null });
    sent.mockRestore();
  });

  it('count what a replica of an earlier release did not note, once half of what was missing is ready', async () => {
    const id = await policy(10, 6);
    await beat(service, id);
    const [first = '', ...others] = await takenUp(id);
    ok(await putUploaded(org, first));
    const unnoted = others.splice(0, 3);
    await service.db.query(
      "update actions set status = 'ready' where id in (select action_id from checkpoints where id = any($1))",
      [unnoted],
    );
    for (const checkpoint of others.splice(0, 2)) ok(await putUploaded(org, checkpoint));
    expect(await statusOf(id)).toBe('active');
    ok(await putUploaded(org, others[0]!));
    expect(await statusOf(id)).toBe('disabled');
  });

  it('count only their own checkpoints', async () => {
    const [mine, other] = [await policy(1, 1), await policy(1, 1)];
    await beat(service, mine, other);
    for (const id of await takenUp(mine)) ok(await putUploaded(org, id));
    expect([await statusOf(mine), await statusOf(other)]).toEqual(['disabled', 'active']);
  });

  it(`are disabled when the last two become ready concurrently, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const id = await policy(4, 4);
      await beat(service, id);
      const [a = '', b = '', ...last] = await takenUp(id);
      ok(await putUploaded(org, a));
      ok(await putUploaded(org, b));
      const callers = [org.controller, service.as(org.controller.token)];
      const report = (checkpoint: string, index: number) =>
        fetch(`${index === 0 ? service.url : second.url}/v1/checkpoints/uploaded/${checkpoint}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${callers[index]?.token}`, 'content-type': 'application/json' },
          body: '{}',
        });
      const answers = await Promise.all(last.map(report));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect([round, await statusOf(id)]).toEqual([round, 'disabled']);
    }
  });

  it('are not enabled again by a concurrent beat', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const id = await policy(3, 1);
      await beat(service, id);
      const [checkpoint = ''] = await takenUp(id);
      await makeDue(service, [id]);
      await Promise.all([putUploaded(org, checkpoint).then(ok), rounds([service.app])]);
      expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled', next_at: null });
      const asked = (await actionsOf(service, id)).length;
      // The others are still open, so a beat that came first requested nothing.
      expect(asked).toBe(3);
      await rounds([service.app]);
      expect((await actionsOf(service, id)).length).toBe(asked);
    }
  });
});
