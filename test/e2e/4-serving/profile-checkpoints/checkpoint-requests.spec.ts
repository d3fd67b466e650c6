import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { clusterWithNode, onNode, patch as patchArtifact } from '../../../support/artifacts';
import { eventsOf, read } from '../../../support/outbox';
import { buildArtifact, createProfile, report } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';

describe('a checkpoint request of a profile', () => {
  let service: Service;
  let org: Organisation;
  let profile: { profile_id: string; compatibility_key: string };

  beforeAll(async () => {
    service = await Service.start({ checkpointTimeoutSeconds: 3_600 });
    org = await service.organisation();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    profile = await createProfile(org);
  });

  const path = (what: string) => `/v1/inference/profiles/${profile.profile_id}/${what}`;
  const checkpoint = (body?: JsonObject) => org.operator.post(path('checkpoint'), body);
  const restart = () => org.operator.post(path('restart'));
  const patch = (body: JsonObject) => org.controller.patch(path('checkpoint'), body);
  const latest = async () => (await org.viewer.get(path('checkpoint'))).body as JsonObject;
  const artifact = async (overrides: JsonObject = {}) => {
    const id = `artifact-${newId()}`;
    const answer = await org.controller.post('/v1/inference/artifacts', buildArtifact(profile, id, overrides));
    expect(answer.status).toBe(201);
    return id;
  };
  const events = async () => {
    const all = eventsOf(await read(org.viewer, { consumer_id: 'look', limit: 1000 }));
    return all.filter(
      ({ aggregate_type: type, payload }) =>
        type === 'checkpoint_request' && (payload as JsonObject).profile_id === profile.profile_id,
    );
  };
  const refused = ({ status, body }: Answer) => [status, (body as JsonObject).code];

  it('is pending, and an event announces it', async () => {
    const answer = await checkpoint({ reason: 'before the upgrade', replace_existing: false });
    expect([answer.status, answer.body]).toEqual([
      202,
      {
        profile_id: profile.profile_id,
        kind: 'checkpoint',
        request_id: expect.any(String),
        status: 'pending',
        replace_existing: false,
        requested_at: expect.any(String),
        started_at: null,
        completed_at: null,
        artifact_id: null,
        error: null,
        reason: 'before the upgrade',
      },
    ]);
    expect(await latest()).toEqual(answer.body);
    expect((await org.viewer.get(path('hosting'))).body.checkpoint_request).toEqual(answer.body);
    expect(await events()).toMatchObject([
      {
        event_type: 'checkpoint_request.created',
        aggregate_id: answer.body.request_id,
        payload: { request_id: answer.body.request_id, profile_id: profile.profile_id, kind: 'checkpoint' },
      },
    ]);
  });

  it('needs no body, and replaces the previous checkpoint by default', async () => {
    expect((await checkpoint()).body).toMatchObject({ replace_existing: true, reason: null });
  });

  it('returns the open request, whatever its kind', async () => {
    await artifact();
    const first = await checkpoint({ reason: 'first' });
    for (const again of [await checkpoint({ reason: 'second' }), await restart()])
      expect([again.status, again.body]).toEqual([202, first.body]);
    const { request_id } = first.body as JsonObject;
    const running = (await patch({ request_id, status: 'running' })).body as JsonObject;
    expect((await restart()).body).toEqual(running);
    expect(await events()).toHaveLength(1);
    await patch({ request_id, status: 'failed', error: 'no space' });
    const next = await restart();
    expect(next.body).toMatchObject({ kind: 'restart', status: 'pending' });
    expect(next.body.request_id).not.toBe(request_id);
    expect(await events()).toHaveLength(2);
  });

  it('succeeds with the reported artifact', async () => {
    const { request_id } = (await checkpoint()).body as JsonObject;
    const running = await patch({ request_id, status: 'running' });
    expect(running.body).toMatchObject({ status: 'running', started_at: expect.any(String), completed_at: null });
    const done = await patch({
      request_id: String(request_id).toUpperCase(),
      status: 'succeeded',
      artifact_id: 'reported',
    });
    expect([done.status, done.body]).toEqual([
      200,
      { ...running.body, status: 'succeeded', completed_at: expect.any(String), artifact_id: 'reported' },
    ]);
    expect(await latest()).toEqual(done.body);
    expect((await org.viewer.get(path('hosting'))).body.checkpoint_request).toBeNull();
  });

  it('succeeds with the newest artifact since, if none is reported; a restart produces none', async () => {
    await artifact();
    const asked = (await checkpoint()).body as JsonObject;
    const produced = await artifact();
    const done = await patch({ request_id: asked.request_id, status: 'succeeded' });
    expect(done.body).toMatchObject({ artifact_id: produced });
    const again = (await restart()).body as JsonObject;
    await artifact();
    expect((await patch({ request_id: again.request_id, status: 'succeeded' })).body).toMatchObject({
      artifact_id: null,
    });
  });

  it('names the artifact of a succeeded checkpoint request later, once', async () => {
    const { request_id } = (await checkpoint()).body as JsonObject;
    expect((await patch({ request_id, status: 'succeeded' })).body.artifact_id).toBeNull();
    for (let times = 0; times < 2; times++)
      expect((await patch({ request_id, status: 'succeeded', artifact_id: 'late' })).body.artifact_id).toBe('late');
    const other = await patch({ request_id, status: 'succeeded', artifact_id: 'other' });
    expect(refused(other)).toEqual([409, 'another_artifact']);
    expect((await patch({ request_id, status: 'succeeded' })).body.artifact_id).toBe('late');
  });

  it('fails with a reason, even if none was given', async () => {
    for (const [error, shown] of [
      ['out of memory', 'out of memory'],
      [null, 'no reason was given'],
    ]) {
      const { request_id } = (await checkpoint()).body as JsonObject;
      expect((await patch({ request_id, status: 'failed', error })).body).toMatchObject({
        status: 'failed',
        error: shown,
        artifact_id: null,
        completed_at: expect.any(String),
      });
    }
  });

  const STATES = ['pending', 'running', 'succeeded', 'failed'] as const;
  const REPORTED = ['running', 'succeeded', 'failed'] as const;
  const FORWARD: Record<string, string[]> = {
    pending: ['running', 'succeeded', 'failed'],
    running: ['succeeded', 'failed'],
  };
  it.each(STATES.flatMap((from) => REPORTED.map((to) => [from, to] as const)))(
    'moves a request that is %s to %s only if that is a step forwards',
    async (from, to) => {
      const { request_id } = (await checkpoint()).body as JsonObject;
      if (from !== 'pending') await patch({ request_id, status: from });
      const before = await latest();
      expect(before.status).toBe(from);
      const answer = await patch({ request_id, status: to, error: 'late' });
      if (from === to || FORWARD[from]?.includes(to)) {
        expect([answer.status, answer.body.status]).toEqual([200, to]);
        if (from === to) expect(answer.body).toEqual(before);
      } else {
        expect(refused(answer)).toEqual([409, 'checkpoint_request_state_conflict']);
        expect(await latest()).toEqual(before);
      }
    },
  );

  it('is changed only by reports on the last attempt', async () => {
    const first = (await checkpoint()).body as JsonObject;
    expect(refused(await patch({ request_id: newId(), status: 'running' }))).toEqual([409, 'another_attempt']);
    await patch({ request_id: first.request_id, status: 'failed' });
    const second = (await checkpoint()).body as JsonObject;
    const late = await patch({ request_id: first.request_id, status: 'succeeded', artifact_id: 'late' });
    expect(refused(late)).toEqual([409, 'another_attempt']);
    expect(await latest()).toEqual(second);
  });

  it('is refused for a profile that does not checkpoint', async () => {
    profile = await createProfile(org, { hosting_mode: 'dedicated' });
    expect(refused(await checkpoint())).toEqual([409, 'profile_does_not_checkpoint']);
    profile = await createProfile(org, { hosting_mode: 'dedicated', spec: { checkpoint: true } });
    expect((await checkpoint()).status).toBe(202);
  });

  it('may restart only if there is something to restore from', async () => {
    expect(refused(await restart())).toEqual([409, 'nothing_to_restore']);
    const lost = await artifact({ storage_tier: 'memory', metadata: { node_name: 'gone', node_boot_id: 'boot' } });
    expect((await org.viewer.get(`/v1/inference/artifacts/${lost}`)).body.residency.state).toBe('node_unknown');
    expect(refused(await restart())).toEqual([409, 'nothing_to_restore']);
    const kept = await artifact();
    expect((await restart()).body).toMatchObject({ kind: 'restart', status: 'pending' });
    expect(kept).toBeDefined();
  });

  it('may restart only from what the cluster that runs the workers reaches', async () => {
    const [here, elsewhere] = [await clusterWithNode(org), await clusterWithNode(org)];
    const { profile_id: profileId } = profile;
    await report(org.controller, profileId, { cluster_id: here.clusterId });
    const on = ({ clusterId: cluster_id, ...node }: typeof here) => artifact(onNode(node, { cluster_id }));
    const held = await on(elsewhere);
    expect((await org.viewer.get(`/v1/inference/artifacts/${held}`)).body.residency.state).toBe('restorable');
    expect(refused(await restart())).toEqual([409, 'nothing_to_restore']);
    await on(here);
    expect((await restart()).body).toMatchObject({ kind: 'restart', status: 'pending' });
  });

  it('may restart from the original of a copy that lies elsewhere', async () => {
    const [here, elsewhere] = [await clusterWithNode(org), await clusterWithNode(org)];
    await report(org.controller, profile.profile_id, { cluster_id: here.clusterId });
    const id = await artifact({ metadata: { cluster_id: elsewhere.clusterId } });
    expect((await org.operator.post(`/v1/inference/artifacts/${id}/promote`, { tier: 'local' })).status).toBe(200);
    const { name: node_name, boot: node_boot_id } = elsewhere;
    const copied = await patchArtifact(org, id, { promotion: 'confirmed', node_name, node_boot_id });
    expect(copied.body).toMatchObject({ storage_tier: 'local' });
    expect((await restart()).body).toMatchObject({ kind: 'restart', status: 'pending' });
  });

  it('gives up a checkpoint request that nobody answers, and makes room for the next', async () => {
    const { request_id } = (await checkpoint()).body as JsonObject;
    const older =
      "update checkpoint_requests set requested_at = requested_at - interval '1 hour' where request_id = $1";
    await service.db.query(older, [request_id]);
    await service.sweep('checkpoint requests');
    expect(await latest()).toMatchObject({ status: 'failed', error: 'no controller answered in 3600 seconds' });
    expect((await checkpoint()).body.request_id).not.toBe(request_id);
  });

  it('does not give up a checkpoint request that a controller works on', async () => {
    const { request_id } = (await checkpoint()).body as JsonObject;
    await patch({ request_id, status: 'running' });
    const waiting = (await createProfile(org)).profile_id;
    const other = (await org.operator.post(`/v1/inference/profiles/${waiting}/checkpoint`)).body as JsonObject;
    await service.db.query(
      "update checkpoint_requests set requested_at = requested_at - interval '2 hours' where request_id = any($1)",
      [[request_id, other.request_id]],
    );
    await service.sweep('checkpoint requests');
    const { body } = await org.viewer.get(`/v1/inference/profiles/${waiting}/checkpoint`);
    expect(body.status).toBe('failed');
    expect(await latest()).toMatchObject({ status: 'running' });
  });

  it('answers 404 if it does not exist', async () => {
    expect(refused(await org.viewer.get(path('checkpoint')))).toEqual([404, 'checkpoint_request_not_found']);
    expect(refused(await patch({ request_id: newId(), status: 'running' }))).toEqual([
      404,
      'checkpoint_request_not_found',
    ]);
    profile = { ...profile, profile_id: 'nowhere' };
    for (const answer of [
      await checkpoint(),
      await restart(),
      await patch({ request_id: newId(), status: 'running' }),
      await org.viewer.get(path('checkpoint')),
    ])
      expect(refused(answer)).toEqual([404, 'profile_not_found']);
  });

  it.each<[string, JsonObject]>([
    ['request_id', { request_id: 'x', status: 'running' }],
    ['request_id', { status: 'running' }],
    ['status', { request_id: newId(), status: 'pending' }],
    ['status', { request_id: newId() }],
    ['artifact_id', { request_id: newId(), status: 'succeeded', artifact_id: '' }],
    ['error', { request_id: newId(), status: 'failed', error: 5 }],
  ])('refuses a report with an invalid %s: %j', async (field, body) => {
    const answer = await patch(body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('refuses a request with an invalid member', async () => {
    const answer = await checkpoint({ replace_existing: null });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'replace_existing']);
  });

  it('answers a repeated request by its Idempotency-Key as the first time, even if another one is open', async () => {
    const once = { 'idempotency-key': newId() };
    const first = await org.operator.post(path('checkpoint'), {}, once);
    await patch({ request_id: first.body.request_id, status: 'failed' });
    await checkpoint();
    const again = await org.operator.post(path('checkpoint'), {}, once);
    expect([again.status, again.body]).toEqual([202, first.body]);
  });
});
