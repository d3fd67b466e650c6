import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { buildEvent, createProfile, reportPhase, reportEvent } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

interface Step {
  elapsed_ms: number | null;
  kind: string;
  occurred_at: string;
  payload: JsonObject | null;
}

describe('the progress of a profile', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = (await org.operator.post('/v1/cluster', { cluster_name: 'cluster' })).text;
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    profileId = (await createProfile(org)).profile_id;
  });

  const progress = async () =>
    (await org.viewer.get(`/v1/inference/profiles/${profileId}/progress`)).body as JsonObject & { steps: Step[] };
  const kinds = async () => (await progress()).steps.map(({ kind }) => kind);
  const report = (kind: string, occurredAt: Date, payload?: JsonObject) =>
    reportEvent(
      org.controller,
      buildEvent(clusterId, profileId, {
        kind,
        occurred_at: occurredAt.toISOString(),
        ...(payload ? { payload } : {}),
      }),
    );
  const seconds = (before: number) => new Date(Date.now() - before * 1_000);

  it('is empty if nothing was reported', async () => {
    expect(await progress()).toEqual({
      profile_id: profileId,
      ready: false,
      phase: null,
      activation_started_at: null,
      ready_at: null,
      cold_start_ms: null,
      restore_checkpoint_path: null,
      start_kind: null,
      steps: [],
    });
  });

  it('merges events, phases and requests in the order of occurrence, with the time since the start', async () => {
    const began = seconds(30);
    const path = { restore_checkpoint_path: '/checkpoint' };
    await reportPhase(org.controller, profileId, 'Pending', 1);
    await report('worker.restoring', seconds(10), path);
    await report('worker.scheduled', began);
    await report('worker.pulling', seconds(20));
    await reportPhase(org.controller, profileId, 'Ready', 1);
    const asked = await org.operator.post(`/v1/inference/profiles/${profileId}/checkpoint`, { reason: 'why' });
    const { request_id } = asked.body as JsonObject;
    const patch = (body: JsonObject) =>
      org.controller.patch(`/v1/inference/profiles/${profileId}/checkpoint`, { request_id, ...body });
    await patch({ status: 'running' });
    await patch({ status: 'succeeded', artifact_id: 'artifact' });

    const reported = await progress();
    expect(reported).toMatchObject({
      ready: true,
      phase: 'Ready',
      activation_started_at: began.toISOString(),
      start_kind: 'restore',
      restore_checkpoint_path: '/checkpoint',
    });
    const { steps } = reported;
    expect(steps.map(({ kind }) => kind)).toEqual([
      'worker.scheduled',
      'worker.pulling',
      'worker.restoring',
      'phase.Pending',
      'phase.Ready',
      'checkpoint_request.pending',
      'checkpoint_request.running',
      'checkpoint_request.succeeded',
    ]);
    for (const { elapsed_ms: elapsed, occurred_at: at } of steps)
      expect(elapsed).toBe(Date.parse(at) - began.getTime());
    expect(steps[0]).toMatchObject({ elapsed_ms: 0, payload: null });
    expect(steps[2]?.payload).toEqual(path);
    expect(steps[3]?.payload).toEqual({ ready: false, observed_generation: 1 });
    expect(steps[5]?.payload).toEqual({ request_id, kind: 'checkpoint', reason: 'why' });
    expect(steps[6]?.payload).toEqual({ request_id, kind: 'checkpoint' });
    expect(steps[7]?.payload).toEqual({ request_id, kind: 'checkpoint', artifact_id: 'artifact' });
    const ready = Date.parse(String(reported.ready_at));
    expect(reported.cold_start_ms).toBe(ready - began.getTime());
    expect(steps[4]?.occurred_at).toBe(reported.ready_at);
  });

  it('describes the last start, also after its end', async () => {
    await reportPhase(org.controller, profileId, 'Loading');
    await reportPhase(org.controller, profileId, 'Ready');
    await reportPhase(org.controller, profileId, 'Suspended');
    const ended = await progress();
    expect(ended).toMatchObject({ ready: false, phase: 'Suspended', ready_at: expect.any(String), start_kind: 'cold' });
    expect(await kinds()).toEqual(['phase.Loading', 'phase.Ready', 'phase.Suspended']);
    await reportPhase(org.controller, profileId, 'Scheduling');
    expect(await progress()).toMatchObject({ ready_at: null, cold_start_ms: null });
    expect(await kinds()).toEqual(['phase.Scheduling']);
  });

  it('has no start duration if the beginning of the start was missed', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    const missed = await progress();
    expect(missed).toMatchObject({ ready_at: expect.any(String), cold_start_ms: null });
    const scheduled = seconds(5);
    await report('worker.scheduled', scheduled);
    expect((await progress()).cold_start_ms).toBe(Date.parse(String(missed.ready_at)) - scheduled.getTime());
  });

  it('shows why a request failed', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    const { request_id } = (await org.operator.post(`/v1/inference/profiles/${profileId}/checkpoint`))
      .body as JsonObject;
    const path = `/v1/inference/profiles/${profileId}/checkpoint`;
    await org.controller.patch(path, { request_id, status: 'failed', error: 'no space' });
    const last = (await progress()).steps.at(-1);
    expect([last?.kind, last?.payload?.error]).toEqual(['checkpoint_request.failed', 'no space']);
  });

  it('shows the first steps, as many as fit into a reply', async () => {
    await reportPhase(org.controller, profileId, 'Pending');
    const payload = JSON.stringify({ text: 'x'.repeat(250_000) });
    await service.db.query(
      `insert into lifecycle_events (org_id, event_id, kind, occurred_at, cluster_id, profile_id, payload)
       select $1, gen_random_uuid(), 'worker.draining', clock_timestamp() + n * interval '1 ms', $2, $3, case when n % 20 = 0 then $4::json end
       from generate_series(1, 1500) n`,
      [org.id, clusterId, profileId, payload],
    );
    const answer = await org.viewer.get(`/v1/inference/profiles/${profileId}/progress`);
    const { steps } = answer.body as { steps: Step[] };
    expect(steps[0]?.kind).toBe('phase.Pending');
    expect(answer.text.length).toBeLessThan(18 * 1024 * 1024);
    expect(steps.length).toBe(1_000);
    await service.db.query(
      `update lifecycle_events set payload = $2 where profile_id = $1
        and event_id in (select event_id from lifecycle_events where profile_id = $1 order by occurred_at limit 150)`,
      [profileId, payload],
    );
    const fewer = await org.viewer.get(`/v1/inference/profiles/${profileId}/progress`);
    expect(fewer.text.length).toBeLessThan(18 * 1024 * 1024);
    expect((fewer.body as { steps: Step[] }).steps.length).toBeGreaterThan(50);
  });

  it('answers 404 for the progress of an unknown profile', async () => {
    const answer = await org.viewer.get('/v1/inference/profiles/nowhere/progress');
    expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
  });
});
