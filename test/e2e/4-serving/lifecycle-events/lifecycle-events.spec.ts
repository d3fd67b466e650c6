import { newId } from '../../../../src/1-platform/common/ids';
import { LIFECYCLE_KINDS } from '../../../../src/4-serving/lifecycle-events/lifecycle-kinds';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { buildEvent, createProfile, reportEvent } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

describe('a lifecycle event', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = (await org.operator.post('/v1/cluster', { cluster_name: 'cluster' })).text;
    profileId = (await createProfile(org)).profile_id;
  });
  afterAll(() => service.close());

  const report = (overrides: JsonObject = {}) =>
    reportEvent(org.controller, buildEvent(clusterId, profileId, overrides));
  const list = async (query = '', of = org) =>
    (await of.viewer.get(`/v1/inference/lifecycle-events${query}`)).body as JsonObject[];

  it.each(LIFECYCLE_KINDS)('a lifecycle event of kind %s is recorded', async (kind) => {
    const event = buildEvent(clusterId, profileId, { kind, payload: { n: 1 }, generation: 2, sequence: 3 });
    const answer = await reportEvent(org.controller, event);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { event_id, occurred_at, payload, generation, sequence } = event;
    expect((await list('?limit=1000')).find((one) => one.event_id === event_id)).toEqual({
      event_id,
      kind,
      occurred_at,
      payload,
      generation,
      sequence,
      profile_id: profileId,
    });
  });

  it('is recorded once: a repetition answers a conflict, and changes nothing', async () => {
    const event = buildEvent(clusterId, profileId, { kind: 'worker.draining', payload: { first: true } });
    expect((await reportEvent(org.controller, event)).status).toBe(204);
    for (const again of [event, { ...event, payload: { first: false } }]) {
      const answer = await reportEvent(org.controller, again);
      expect([answer.status, answer.body.code]).toEqual([409, 'event_seen']);
    }
    const kept = (await list('?limit=1000')).filter(({ event_id: id }) => id === event.event_id);
    expect(kept).toMatchObject([{ payload: { first: true } }]);
  });

  it('a lifecycle event with an Idempotency-Key gets the first reply again', async () => {
    const event = buildEvent(clusterId, profileId, { kind: 'worker.draining' });
    const send = () =>
      org.controller.post('/v1/inference/lifecycle-events', event, { 'idempotency-key': String(event.event_id) });
    expect([(await send()).status, (await send()).status]).toEqual([204, 204]);
  });

  it('is recorded under the path that some controllers in the field use', async () => {
    const event = buildEvent(clusterId, profileId, { kind: 'worker.draining' });
    const send = (caller = org.controller, body: JsonObject = event) =>
      caller.post('/v1/inference/lifecycle/events', body);
    expect((await send()).status).toBe(204);
    expect((await list('?limit=1000')).map(({ event_id: id }) => id)).toContain(event.event_id);
    // It is the same operation: the same event is a conflict, and the same callers are refused.
    expect((await send()).status).toBe(409);
    expect((await reportEvent(org.controller, event)).status).toBe(409);
    expect((await send(org.viewer)).status).toBe(403);
    expect((await send(service.as(undefined))).status).toBe(401);
    expect((await send(org.controller, { ...event, kind: 'no.such' })).status).toBe(400);
  });

  it.each(['lifecycle-events', 'lifecycle/events'])(
    'is accepted with unknown members under %s, and the reply names them',
    async (path) => {
      const event = buildEvent(clusterId, profileId, { kind: 'worker.draining', zone: 'a' });
      const answer = await org.controller.post(`/v1/inference/${path}`, event);
      expect([answer.status, answer.headers['x-ignored-members']]).toEqual([204, 'zone']);
    },
  );

  it('keeps the millisecond in which it occurred', async () => {
    for (const [reported, kept] of [
      ['2026-01-01t01:00:00.0009999+01:00', '2026-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
    ]) {
      const event = buildEvent(clusterId, profileId, { kind: 'worker.draining', occurred_at: reported });
      expect((await reportEvent(org.controller, event)).status).toBe(204);
      const listed = (await list(`?limit=1000&since=${kept}`)).find(({ event_id: id }) => id === event.event_id);
      expect(listed?.occurred_at).toBe(kept);
    }
  });

  it('is recorded once for two concurrent requests', async () => {
    const event = buildEvent(clusterId, profileId, { kind: 'worker.draining' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => reportEvent(org.controller, event)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(19).fill(409)]);
  });

  it('is listed in order of occurrence, from a given time on, page by page', async () => {
    const own = await service.organisation();
    const cluster = (await own.operator.post('/v1/cluster', { cluster_name: 'cluster' })).text;
    const moments = [30, 10, 20, 20].map((second) => `2026-01-01T00:00:${second}.000Z`);
    for (const occurred_at of moments)
      await reportEvent(own.controller, buildEvent(cluster, null, { kind: 'node.booted', occurred_at }));
    const times = async (query: string) =>
      (await list(query, own)).map(({ occurred_at: at }) => String(at).slice(17, 19));
    expect(await times('')).toEqual(['10', '20', '20', '30']);
    expect(await times('?since=2026-01-01T00:00:20Z')).toEqual(['20', '20', '30']);
    expect(await times('?since=2026-01-01T01:00:20.001%2B01:00')).toEqual(['30']);
    const page = await own.viewer.get('/v1/inference/lifecycle-events?limit=3&since=2026-01-01T00:00:00Z');
    expect(page.headers.link).toMatch(/limit=3&since=2026.*&offset=3/);
    expect(await times('?limit=3&offset=3')).toEqual(['30']);
  });

  it.each<[string, JsonObject]>([
    ['schema_version', { schema_version: 2 }],
    ['schema_version', { schema_version: '1' }],
    ['schema_version', { schema_version: undefined }],
    ['event_id', { event_id: 'x' }],
    ['occurred_at', { occurred_at: 'yesterday' }],
    ['occurred_at', { occurred_at: '2026-02-30T00:00:00Z' }],
    ['occurred_at', { occurred_at: '1999-12-31t23:59:59z' }],
    ['cluster_id', { cluster_id: undefined }],
    ['profile_id', { profile_id: null }],
    ['profile_id', { profile_id: undefined }],
    ['kind', { kind: 'worker.dreaming' }],
    ['sequence', { sequence: -1 }],
    ['workload_uid', { workload_uid: 'pod' }],
  ])('is refused with an invalid %s: %j', async (field, overrides) => {
    const answer = await report(overrides);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('needs no profile if it is about a node', async () => {
    const event = buildEvent(clusterId, null, { kind: 'node.booted', node_uid: newId(), boot_id: 'boot' });
    expect((await reportEvent(org.controller, event)).status).toBe(204);
  });

  it('a lifecycle event of an unknown cluster or profile answers 404, and leaves nothing', async () => {
    for (const [code, overrides] of [
      ['cluster_not_found', { cluster_id: newId() }],
      ['profile_not_found', { profile_id: 'nowhere' }],
    ] as const) {
      const event = buildEvent(clusterId, profileId, overrides);
      const answer = await reportEvent(org.controller, event);
      expect([answer.status, answer.body.code]).toEqual([404, code]);
      expect((await list('?limit=1000')).some(({ event_id: id }) => id === event.event_id)).toBe(false);
    }
  });

  it('is reported by controllers only', async () => {
    for (const caller of [org.operator, org.viewer])
      expect((await reportEvent(caller, buildEvent(clusterId, profileId))).status).toBe(403);
  });

  it('is deleted with its cluster', async () => {
    const own = await service.organisation();
    const cluster = (await own.operator.post('/v1/cluster', { cluster_name: 'cluster' })).text;
    await reportEvent(own.controller, buildEvent(cluster, null, { kind: 'node.booted' }));
    await own.operator.delete(`/v1/cluster/${cluster}`);
    expect(await list('', own)).toEqual([]);
  });
});
