import { newId } from '../../../../src/1-platform/common/ids';
import {
  actionsOf,
  beat,
  buildPolicy,
  endActions,
  heartbeat,
  maintenance,
  makeDue,
  ofNamespace,
  rounds,
  storedPolicy,
  type Trigger,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, buildPod, ok, putUploaded, takeUp } from '../../../support/workloads';

const HOUR_MS = 3_600_000;

describe('a change of a policy', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
    await buildPod(org, clusterId, { name: 'first' });
  });
  afterAll(() => service.close());

  const policy = (trigger: Trigger = heartbeat()) => buildPolicy(org, ofNamespace(clusterId), trigger);
  const change = (id: string, body: object, headers: Record<string, string> = {}) =>
    org.operator.patch(`/v1/policy/pipeline/${id}`, body, headers);
  const pause = async (id: string) => ok(await change(id, { paused: true })).body;
  const goOn = async (id: string) => ok(await change(id, { paused: false })).body;
  const requestedBy = async (id: string) => (await actionsOf(service, id)).length;
  const shown = async (id: string) => ok(await org.viewer.get(`/v1/policy/pipeline/${id}`)).body;
  const listed = async (query: string) =>
    ok(await org.viewer.get(`/v1/policy/list?${query}`)).body.policies.map(({ id }: { id: string }) => id);

  it('disables a policy that goes on and has made its last checkpoint meanwhile', async () => {
    const id = await policy(heartbeat(3600, 1));
    await beat(service, id);
    await pause(id);
    // As by a replica of an older version, which disables no policy that is paused.
    await service.db.query("update actions set status = 'ready' where policy_id = $1", [id]);
    expect(await goOn(id)).toMatchObject({ status: 'disabled', paused: false, next_at: null });
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled', next_at: null });
  });

  it('keeps members that it leaves out, and shows the policy as it is now', async () => {
    const id = await policy();
    expect(await shown(id)).toMatchObject({ paused: false, keep_last: null, status: 'active' });
    expect(ok(await change(id, { keep_last: 3 })).body).toMatchObject({ id, paused: false, keep_last: 3 });
    expect(await pause(id)).toMatchObject({ paused: true, keep_last: 3, status: 'active', next_at: null });
    expect(await shown(id)).toMatchObject({ paused: true, keep_last: 3, next_at: null });
    const [row] = ok(await org.viewer.get('/v1/policy/list')).body.policies;
    expect(row).toMatchObject({ paused: true, keep_last: 3, status: 'active', next_at: null });
    const { policies, next_firings } = ok(
      await org.viewer.get('/v1/policy/schedule?until=2999-01-01T00:00:00Z&from=2998-12-30T00:00:00Z'),
    ).body;
    expect([policies, next_firings]).toEqual([[], []]);
    expect(await Promise.all(['active', 'paused', 'disabled'].map((status) => listed(`status=${status}`)))).toEqual([
      [id],
      [id],
      [],
    ]);
    expect(ok(await change(id, { keep_last: null })).body).toMatchObject({ paused: true, keep_last: null });
    const { rows } = await service.db.query(
      'select action, details from audit_entries where org_id = $1 and resource_id = $2 order by occurred_at, id',
      [org.id, id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'create_pipeline_policy',
      ...Array<string>(3).fill('update_pipeline_policy'),
    ]);
    expect(rows[2]?.details).toEqual({
      from: { status: 'active', keep_last: 3 },
      to: { status: 'paused', keep_last: 3 },
    });
  });

  it('pauses it: no beat acts, while open actions go on', async () => {
    const id = await policy(heartbeat(3_600, 1));
    await beat(service, id);
    const [open] = await actionsOf(service, id);
    await pause(id);
    await makeDue(service, [id]);
    await rounds([service.app]);
    expect(await requestedBy(id)).toBe(1);
    const checkpoint = await takeUp(org, open?.id ?? '', { container_name: 'main' });
    ok(await putUploaded(org, checkpoint, '/checkpoints/1'));
    // It was the last one that the policy may make.
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled', next_at: null });
  });

  it('lets it go on, and makes up for none of the beats that it missed', async () => {
    const id = await policy();
    const due = (await storedPolicy(service, id))?.next_at?.getTime() ?? 0;
    await pause(id);
    await service.db.query("update policies set next_at = next_at - interval '10 hours' where id = $1", [id]);
    const resumed = Date.parse((await goOn(id)).next_at);
    // It is the next time of the grid that the policy has always had.
    expect((resumed - due) % HOUR_MS).toBe(0);
    expect(resumed).toBeGreaterThan(Date.now());
    expect(resumed).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    await rounds([service.app]);
    expect(await requestedBy(id)).toBe(0);
    await beat(service, id);
    expect(await requestedBy(id)).toBe(1);
  });

  it('changes no time if it goes on before it was due', async () => {
    const id = await policy();
    const before = await storedPolicy(service, id);
    await pause(id);
    await pause(id);
    await goOn(id);
    await goOn(id);
    expect(await storedPolicy(service, id)).toEqual(before);
  });

  it('lets a window act while it is open', async () => {
    const id = await policy(maintenance(-60, 3_600));
    await pause(id);
    await rounds([service.app]);
    expect(await requestedBy(id)).toBe(0);
    await goOn(id);
    await rounds([service.app]);
    expect(await requestedBy(id)).toBe(1);
    await pause(id);
    await buildPod(org, clusterId, { name: 'second' });
    await makeDue(service, [id]);
    await rounds([service.app]);
    expect(await requestedBy(id)).toBe(1);
    await goOn(id);
    await rounds([service.app]);
    expect(await requestedBy(id)).toBe(2);
  });

  it('lets a window that ends while it is paused end, also of a silent cluster', async () => {
    const id = await policy(maintenance(-60, 3_600));
    await pause(id);
    await rounds([service.app]);
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'paused' });
    await service.db.query(
      "update policies set starts_at = now() - interval '2 hours', ends_at = now() - interval '1 second' where id = $1",
      [id],
    );
    await service.db.query("update clusters set last_sync = now() - interval '1 day' where id = $1", [clusterId]);
    await rounds([service.app]);
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled', next_at: null });
    expect(await shown(id)).toMatchObject({ paused: false, status: 'disabled' });
    expect(await requestedBy(id)).toBe(0);
  });

  it('lets a window that has ended meanwhile end', async () => {
    const id = await policy(maintenance(-60, 3_600));
    await pause(id);
    await service.db.query(
      "update policies set starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour' where id = $1",
      [id],
    );
    await goOn(id);
    await rounds([service.app]);
    expect(await storedPolicy(service, id)).toMatchObject({ status: 'disabled' });
    expect(await requestedBy(id)).toBe(0);
  });

  it('stops a beat that has begun, which is not made up for either', async () => {
    const id = await policy();
    await beat(service, id);
    await endActions(service);
    await buildPod(org, clusterId, { name: 'second' });
    // The beat is due again with what it has not requested, as after a kill.
    await service.db.query(
      'update policies set next_at = (select max(beat_at) from actions where policy_id = $1) where id = $1',
      [id],
    );
    await pause(id);
    await rounds([service.app]);
    await goOn(id);
    await rounds([service.app]);
    expect(await requestedBy(id)).toBe(1);
  });

  it('is done once for a key, and refused with another body', async () => {
    const id = await policy();
    const headers = { 'Idempotency-Key': newId() };
    ok(await change(id, { paused: true }, headers));
    await goOn(id);
    expect(ok(await change(id, { paused: true }, headers)).body.paused).toBe(true);
    expect((await shown(id)).paused).toBe(false);
    expect((await change(id, { paused: false }, headers)).status).toBe(422);
  });

  it('loses nothing if two people make two at once', async () => {
    const id = await policy();
    await Promise.all([change(id, { paused: true }), change(id, { keep_last: 7 })]);
    expect(await shown(id)).toMatchObject({ paused: true, keep_last: 7 });
  });

  it('is done only if the policy is as its caller expects, of whatever the caller names', async () => {
    const id = await policy();
    ok(await change(id, { keep_last: 3, expected: { keep_last: null, paused: false } }));
    for (const [expected, words] of [
      [{ keep_last: null }, 'keep_last is 3, and not null'],
      [{ keep_last: 3, paused: true }, 'paused is false, and not true'],
    ] as const) {
      const refused = await change(id, { keep_last: 7, paused: true, expected });
      expect([refused.status, refused.body.code]).toEqual([409, 'policy_changed']);
      expect(refused.body.detail).toContain(words);
      expect(await shown(id)).toMatchObject({ keep_last: 3, paused: false });
    }
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => change(id, { keep_last: 10 + n, expected: { keep_last: 3 } })),
    );
    const [done, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect((await shown(id)).keep_last).toBe(done?.body.keep_last);
    expect((await change(id, { paused: true, expected: { status: 'active' } })).body.errors[0].field).toBe(
      'expected.status',
    );
    expect((await change(id, { expected: { keep_last: 3 } })).body.errors[0].field).toBe('paused');
  });

  it('needs something to change, a policy of the organisation that is not disabled, and an operator', async () => {
    const id = await policy();
    const empty = await change(id, {});
    expect([empty.status, empty.body.errors[0].field]).toEqual([400, 'paused']);
    expect((await change(id, { keep_last: 0 })).body.errors[0].field).toBe('keep_last');
    expect((await change(id, { paused: null })).body.errors[0].field).toBe('paused');
    expect((await change(newId(), { paused: true })).body.code).toBe('policy_not_found');
    const body = { paused: true };
    const other = await service.organisation();
    expect((await other.operator.patch(`/v1/policy/pipeline/${id}`, body)).status).toBe(404);
    expect((await org.viewer.patch(`/v1/policy/pipeline/${id}`, body)).status).toBe(403);
    expect((await org.controller.patch(`/v1/policy/pipeline/${id}`, body)).status).toBe(403);
    await service.db.query("update policies set status = 'disabled', next_at = null where id = $1", [id]);
    const refused = await change(id, body);
    expect([refused.status, refused.body.code]).toEqual([409, 'policy_disabled']);
    expect(ok(await change(id, { keep_last: 2 })).body).toMatchObject({ status: 'disabled', keep_last: 2 });
  });
});
