import { newId } from '../../../../src/1-platform/common/ids';
import { cluster } from '../../../support/inventory';
import { Service, type Organisation } from '../../../support/service';
import { ok } from '../../../support/workloads';

const SECRET = 'hunter2-of-the-manifest';
const job = {
  kind: 'Job',
  metadata: { name: 'train' },
  spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'PASSWORD', value: SECRET }] }] } } },
};

describe('a queued workload', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await cluster(org);
  });
  afterAll(() => service.close());

  const queue = async (): Promise<string> => {
    ok(await org.operator.post('/v1/cluster/workload', { cluster_id: clusterId, job }));
    const { rows } = await service.db.query(
      'select payload from outbox_events where org_id = $1 order by position desc limit 1',
      [org.id],
    );
    return rows[0].payload.workload_id;
  };
  const read = async (id: string) => ok(await org.controller.get(`/v1/cluster/workload/${id}`)).body;
  const report = (id: string, body: object) => org.controller.patch(`/v1/cluster/workload/${id}`, body);
  const sweep = () => service.sweep('queued workloads');
  const stored = async (id: string) =>
    (await service.db.query('select manifest::text as manifest from queued_workloads where id = $1', [id])).rows[0]
      .manifest;
  /** Makes all times of the workload this much older. */
  const age = (id: string, interval: string) =>
    service.db.query(
      `update queued_workloads set created_at = created_at - $2::interval, taken_at = taken_at - $2::interval, forget_at = forget_at - $2::interval where id = $1`,
      [id, interval],
    );

  it('is shown with its manifest to operators and controllers; its event and audit entry do not contain the manifest', async () => {
    const id = await queue();
    expect((await read(id)).manifest).toEqual(job);
    expect(ok(await org.operator.get(`/v1/cluster/workload/${id}`)).body.manifest).toEqual(job);
    expect((await org.viewer.get(`/v1/cluster/workload/${id}`)).status).toBe(403);
    const { rows } = await service.db.query(
      `select (select json_agg(e)::text from outbox_events e) as events, (select json_agg(a)::text from audit_entries a) as audit,
         (select json_agg(i)::text from idempotency_keys i) as keys`,
    );
    expect(JSON.stringify(rows)).not.toContain(SECRET);
  });

  describe('in the list', () => {
    const list = async (query: Record<string, string> = {}, caller = org.controller) =>
      ok(await caller.get(`/v1/cluster/workload?${new URLSearchParams(query).toString()}`));
    const idsOf = ({ body }: { body: unknown }) => (body as { id: string }[]).map(({ id }) => id);

    it('is shown without its manifest, the newest first, to operators and controllers', async () => {
      const ids = [await queue(), await queue()];
      const { body } = await list();
      const { manifest: _manifest, ...shown } = await read(ids[1]!);
      expect(body[0]).toEqual(shown);
      for (const caller of [org.controller, org.operator])
        expect(idsOf(await list({}, caller))).toEqual(ids.toReversed());
      expect((await org.viewer.get('/v1/cluster/workload')).status).toBe(403);
      expect(idsOf(await list({}, (await service.organisation()).controller))).toEqual([]);
    });

    it('is found by its cluster and its status', async () => {
      const [applied, refused, queued] = [await queue(), await queue(), await queue()];
      ok(await report(applied, { status: 'applied' }));
      ok(await report(refused, { status: 'refused', message: 'quota exceeded' }));
      const other = await cluster(org, 'another');
      for (const [status, id] of [
        ['applied', applied],
        ['refused', refused],
        ['queued', queued],
      ] as const) {
        expect(idsOf(await list({ status, cluster_id: clusterId }))).toEqual([id]);
        expect(idsOf(await list({ status, cluster_id: other }))).toEqual([]);
      }
      expect((await list({ status: 'refused' })).body).toMatchObject([{ error: 'quota exceeded' }]);
    });

    it('is on one page only, whatever gets an outcome between two pages', async () => {
      const ids = [await queue(), await queue(), await queue()];
      const first = await list({ status: 'queued', limit: '2' });
      expect(idsOf(first)).toEqual([ids[2], ids[1]]);
      for (const id of ids.slice(1)) ok(await report(id, { status: 'applied' }));
      const [, next = ''] = /<([^<>]*)>; rel="next"/.exec(first.headers.link ?? '') ?? [];
      expect(new URL(next, 'http://service').searchParams.get('after')).toBe(ids[1]);
      const last = ok(await org.controller.get(next));
      expect(idsOf(last)).toEqual([ids[0]]);
      expect(last.headers.link).toBeUndefined();
      expect(idsOf(await list({ offset: '1', limit: '1' }))).toEqual([ids[1]]);
    });

    it.each([
      ['status', 'taken'],
      ['cluster_id', 'eu-gpu-1'],
      ['after', 'newest'],
      ['limit', '0'],
    ])('has no %s like %j', async (field, value) => {
      const answer = await org.controller.get(`/v1/cluster/workload?${field}=${value}`);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    });
  });

  it('is removed 90 days after its manifest was erased, and not before', async () => {
    const [applied, silent, kept] = [await queue(), await queue(), await queue()];
    for (const id of [applied, kept]) ok(await report(id, { status: 'applied' }));
    await age(applied, '91 days 1 minute');
    await age(silent, '97 days 1 minute');
    await age(kept, '90 days 23 hours');
    await sweep();
    for (const [id, status] of [
      [applied, 404],
      [silent, 404],
      [kept, 200],
    ] as const)
      expect((await org.controller.get(`/v1/cluster/workload/${id}`)).status).toBe(status);
  });

  it('records who fetched it and when it was applied', async () => {
    const id = await queue();
    const answer = ok(await report(id, { status: 'applied', message: 'created' }));
    const taken = { status: 'applied', taken_at: expect.any(String), taken_by: expect.any(String), error: null };
    expect(answer.body).toMatchObject({ id, cluster_id: clusterId, kind: 'job', manifest: job, ...taken });
    expect(await read(id)).toEqual(answer.body);
    // A controller that missed the answer reports again.
    expect(ok(await report(id, { status: 'applied' })).body).toEqual(answer.body);
  });

  it.each([
    [{ status: 'refused', message: 'quota exceeded' }, 'quota exceeded'],
    [{ status: 'refused', message: null }, 'the controller refused it'],
    [{ status: 'refused' }, 'the controller refused it'],
  ])('records why it was refused: %j', async (body, error) => {
    const id = await queue();
    expect(ok(await report(id, body)).body).toMatchObject({ status: 'refused', error, taken_at: expect.any(String) });
    const other = await report(id, { status: 'applied' });
    expect([other.status, other.body.code]).toEqual([409, 'workload_outcome_known']);
    expect((await read(id)).error).toBe(error);
  });

  it('has one outcome when two are reported concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await queue();
      const answers = await Promise.all([report(id, { status: 'applied' }), report(id, { status: 'refused' })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await read(id)).status).toBe(answers[0].status === 200 ? 'applied' : 'refused');
    }
  });

  it.each<[string, string, string | undefined, string]>([
    ['7 days after it was requested', '7 days', undefined, '6 days 23:59:00'],
    ['24 hours after it was applied', '24 hours', 'applied', '23:59:00'],
    ['24 hours after it was refused', '24 hours', 'refused', '23:59:00'],
  ])('loses its manifest %s, on any replica', async (_when, after, status, before) => {
    const id = await queue();
    if (status !== undefined) ok(await report(id, { status }));
    await age(id, before);
    await sweep();
    expect((await read(id)).manifest).toEqual(job);
    await age(id, '1 minute');
    // It is hidden even before a sweep runs.
    expect((await read(id)).manifest).toBeNull();
    expect(await stored(id)).toContain(SECRET);
    await Promise.all([sweep(), sweep()]);
    expect(await stored(id)).toBeNull();
    expect(after).toBeTruthy();
    ok(await report(id, { status: status ?? 'applied' }));
  });

  it('is fetched 6 days and 20 hours late, and still erased after 7 days', async () => {
    const id = await queue();
    await age(id, '6 days 20 hours');
    ok(await report(id, { status: 'applied' }));
    await age(id, '4 hours');
    expect((await read(id)).manifest).toBeNull();
  });

  it('is deleted with its cluster', async () => {
    const id = await queue();
    ok(await org.operator.delete(`/v1/cluster/${clusterId}`));
    expect((await org.controller.get(`/v1/cluster/workload/${id}`)).body.code).toBe('workload_not_found');
  });

  it('answers 404 if it is unknown or of another organisation', async () => {
    const id = await queue();
    const other = await service.organisation();
    for (const [caller, wrong] of [
      [org.controller, newId()],
      [other.controller, id],
    ] as const) {
      expect((await caller.get(`/v1/cluster/workload/${wrong}`)).body.code).toBe('workload_not_found');
      expect((await caller.patch(`/v1/cluster/workload/${wrong}`, { status: 'applied' })).status).toBe(404);
    }
    expect((await read(id)).status).toBe('queued');
  });

  it.each<[object, string]>([
    [{}, 'status'],
    [{ status: 'queued' }, 'status'],
    [{ status: 'applied', message: 7 }, 'message'],
    [{ status: 'refused', message: 'x'.repeat(4097) }, 'message'],
  ])('answers 400 to %j', async (body, field) => {
    const answer = await report(await queue(), body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('accepts reports from controllers only', async () => {
    const id = await queue();
    for (const caller of [org.operator, org.viewer])
      expect((await caller.patch(`/v1/cluster/workload/${id}`, { status: 'applied' })).status).toBe(403);
  });
});

describe('an agent that registers its cluster', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const register = (body: object, caller = org.controller) => caller.post('/v1/cluster', body);
  const audited = async () =>
    (
      await service.db.query(
        "select count(*)::int as n from audit_entries where action = 'save_cluster' and org_id = $1",
        [org.id],
      )
    ).rows[0].n;

  it('gets the same id every time, and leaves one audit entry', async () => {
    const first = ok(await register({ cluster_name: 'edge-1' }));
    for (const [body, caller] of [
      [{ cluster_name: 'edge-1' }, org.controller],
      [{ cluster_name: 'edge-1', kind: 'kubernetes' }, org.controller],
      [{ cluster_name: 'edge-1', kind: null }, org.operator],
    ] as const)
      expect(ok(await register(body, caller)).text).toBe(first.text);
    expect(await audited()).toBe(1);
    expect((await org.viewer.get('/v1/cluster')).body).toHaveLength(1);
  });

  it('gets one id from several replicas at once', async () => {
    const elsewhere = (await service.replica()).as(org.controller.token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        register({ cluster_name: 'edge-2' }, i % 2 === 0 ? org.controller : elsewhere),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  it('may change the kind of its cluster', async () => {
    const { text: id } = ok(await register({ cluster_name: 'edge-3' }));
    expect(ok(await register({ cluster_name: 'edge-3', kind: 'slurm' })).text).toBe(id);
    expect((await org.viewer.get('/v1/cluster?kind=slurm')).body).toMatchObject([{ id, kind: 'slurm' }]);
  });

  it('needs more than the role viewer', async () => {
    expect((await register({ cluster_name: 'edge-4' }, org.viewer)).status).toBe(403);
  });
});
