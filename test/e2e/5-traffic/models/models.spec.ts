import OpenAI from 'openai';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { eventually } from '../../../support/eventually';
import { authorize, issueKey, saveRoute } from '../../../support/inference';
import { Service, type Answer, type Caller, type Organisation } from '../../../support/service';

const MODELS = '/v1/inference/models';

describe('the list of models', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
  });

  const ids = ({ status, body, text }: Answer): string[] => {
    expect([status, text]).toEqual([200, expect.any(String)]);
    return (body.data as { id: string }[]).map(({ id }) => id);
  };
  const all = async (caller: Caller) => ids(await caller.get(MODELS));

  it('is empty at first', async () => {
    expect((await org.viewer.get(MODELS)).body).toEqual({ object: 'list', data: [] });
  });

  it('holds the models of the routes, as OpenAI lists models, whatever the state of their targets', async () => {
    const before = Math.floor(Date.now() / 1_000);
    for (const model of ['b', 'a']) await saveRoute(org.operator, model);
    const { body } = await org.viewer.get(MODELS);
    const of = (id: string) => ({ id, object: 'model', created: expect.any(Number), owned_by: 'organisation' });
    expect(body).toEqual({ object: 'list', data: [of('a'), of('b')] });
    for (const { created } of body.data as { created: number }[]) {
      expect(created).toBeGreaterThanOrEqual(before - 1);
      expect(created).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
    }
    // A changed route keeps its creation date.
    await service.db.query("update routes set created_at = '2026-01-02T03:04:05Z' where org_id = $1", [org.id]);
    await saveRoute(org.operator, 'a', { queue_timeout_ms: 1 });
    expect(((await org.viewer.get(MODELS)).body.data as JsonObject[])[0]).toMatchObject({ created: 1_767_323_045 });
  });

  it('holds a model as soon as its route is saved, and a moment later on every replica', async () => {
    const { url } = await service.replica();
    expect(await all(org.viewer)).toEqual([]);
    const elsewhere = async (): Promise<string[]> => {
      const answer = await fetch(url + MODELS, { headers: { authorization: `Bearer ${org.viewer.token}` } });
      return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    expect(await elsewhere()).toEqual([]);
    const saved: string[] = [];
    for (let n = 0; n < 10; n++) {
      saved.push(`model-${n}`);
      await saveRoute(org.operator, `model-${n}`);
      expect(await all(org.viewer)).toEqual(saved);
    }
    await eventually(async () => expect(await elsewhere()).toEqual(saved));
  });

  it('holds a model as soon as its route is saved with an Idempotency-Key', async () => {
    expect(await all(org.viewer)).toEqual([]);
    const key = await issueKey(service, org);
    for (let n = 0; n < 10; n++) {
      const model = `model-${n}`;
      const route = { logical_model: model };
      expect((await org.operator.post('/v1/inference/routes', route, { 'idempotency-key': newId() })).status).toBe(200);
      expect([model, (await authorize(key, model)).status]).toEqual([model, 200]);
      expect(await all(org.viewer)).toContain(model);
    }
  });

  it('is limited to the models that a key names', async () => {
    for (const model of ['a', 'b', 'c']) await saveRoute(org.operator, model);
    expect(await all(await issueKey(service, org))).toEqual(['a', 'b', 'c']);
    // A named model without a route is missing.
    expect(await all(await issueKey(service, org, { models: ['c', 'a', 'nowhere'] }))).toEqual(['a', 'c']);
    expect(await all(await issueKey(service, org, { models: ['nowhere'] }))).toEqual([]);
  });

  it('is shown to every role, and to nobody without a bearer', async () => {
    await saveRoute(org.operator, 'a');
    for (const caller of [org.admin, org.operator, org.viewer, org.controller])
      expect(await all(caller)).toEqual(['a']);
    const { status, body, headers } = await service.as(undefined).get(MODELS);
    expect([status, body.code, headers['www-authenticate']]).toEqual([401, 'unauthenticated', 'Bearer']);
    expect(body.error).toEqual({
      message: body.message,
      type: 'authentication_error',
      param: null,
      code: 'unauthenticated',
    });
  });

  it("is read by OpenAI's own client", async () => {
    await saveRoute(org.operator, 'a');
    const key = await issueKey(service, org);
    const client = new OpenAI({ baseURL: `${service.url}/v1/inference`, apiKey: key.rawKey, maxRetries: 0 });
    const listed: string[] = [];
    for await (const { id } of client.models.list()) listed.push(id);
    expect(listed).toEqual(['a']);
    const stranger = new OpenAI({ baseURL: `${service.url}/v1/inference`, apiKey: 'sk-nobody', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});
