import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { activationOf, buildProfile, createProfile, report, reportPhase, setState } from '../../../support/profiles';
import { Caller, Service, type Organisation } from '../../../support/service';

interface StartRow {
  began_at: Date;
  beginning_seen: boolean;
  ready_at: Date | null;
  failed_at: Date | null;
  ended_at: Date | null;
}

describe('an activation', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    profileId = (await createProfile(org)).profile_id;
  });

  const activation = () => activationOf(org.viewer, profileId);
  const starts = async (): Promise<StartRow[]> =>
    (await service.db.query<StartRow>('select * from starts where profile_id = $1 order by began_at, id', [profileId]))
      .rows;
  const phases = async (): Promise<string[]> => {
    const { rows } = await service.db.query<{ phase: string }>(
      'select phase from activation_phases where profile_id = $1 order by occurred_at, id',
      [profileId],
    );
    return rows.map(({ phase }) => phase);
  };

  it('is listed with its profile', async () => {
    const endpoint = 'http://10.0.0.1:8000';
    const answer = await report(org.controller, profileId, { endpoint, observed_generation: 4 });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const profile = (await org.viewer.get(`/v1/inference/profiles/${profileId}`)).body as JsonObject;
    expect(await activation()).toEqual({
      profile_id: profileId,
      logical_model: profile.logical_model,
      exact_model: profile.exact_model,
      hosting_mode: 'checkpointed',
      compatibility_key: profile.compatibility_key,
      profile_revision: profile.profile_revision,
      desired_state: 'Active',
      phase: 'Ready',
      estimated_cold_start_ms: 0,
      observed_generation: 4,
      ready: true,
      updated_at: expect.any(String),
      endpoint,
      activation_started_at: expect.any(String),
      ready_at: expect.any(String),
    });
  });

  it('is listed alone by its profile_id, as are the intent and the starts of a profile', async () => {
    const other = (await createProfile(org)).profile_id;
    for (const id of [profileId, other]) {
      await setState(org.operator, id, { desired_state: 'Active' });
      await reportPhase(org.controller, id, 'Pending', 1);
      await reportPhase(org.controller, id, 'Ready', 1);
    }
    for (const list of ['activations', 'capacity-intents', 'startup-comparison']) {
      const of = async (query: string) => (await org.viewer.get(`/v1/inference/${list}${query}`)).body as JsonObject[];
      expect([list, (await of(`?profile_id=${profileId}`)).map(({ profile_id: id }) => id)]).toEqual([
        list,
        [profileId],
      ]);
      expect([list, await of('?profile_id=unknown')]).toEqual([list, []]);
      expect((await of('')).map(({ profile_id: id }) => id)).toEqual(expect.arrayContaining([profileId, other]));
      const stranger = await service.organisation();
      expect((await stranger.viewer.get(`/v1/inference/${list}?profile_id=${profileId}`)).body).toEqual([]);
    }
  });

  it('follows a worker from its start to its end', async () => {
    for (const phase of ['Pending', 'Scheduling', 'Loading', 'Loading', 'Warming'])
      await reportPhase(org.controller, profileId, phase);
    const before = await activation();
    expect(before).toMatchObject({ phase: 'Warming', ready: false, ready_at: null });
    await reportPhase(org.controller, profileId, 'Ready');
    const ready = await activation();
    expect(ready).toMatchObject({ phase: 'Ready', activation_started_at: before?.activation_started_at });
    await reportPhase(org.controller, profileId, 'Draining');
    await reportPhase(org.controller, profileId, 'Suspended');
    expect(await activation()).toMatchObject({ phase: 'Suspended', activation_started_at: null, ready_at: null });
    const [start] = await starts();
    expect(start).toMatchObject({ beginning_seen: true, failed_at: null });
    expect(start?.began_at.toISOString()).toBe(before?.activation_started_at);
    expect(start?.ready_at?.toISOString()).toBe(ready?.ready_at);
    expect(start?.ended_at?.getTime()).toBeGreaterThanOrEqual(start?.ready_at?.getTime() ?? Infinity);
    // A repeated phase is no new step.
    expect(await phases()).toEqual(['Pending', 'Scheduling', 'Loading', 'Warming', 'Ready', 'Draining', 'Suspended']);
  });

  it('keeps one start while readiness comes and goes, and begins another when another worker comes up', async () => {
    await reportPhase(org.controller, profileId, 'Loading');
    for (const ready of [true, false, true]) await report(org.controller, profileId, { ready });
    const [first, ...none] = await starts();
    expect(none).toEqual([]);
    await reportPhase(org.controller, profileId, 'Restoring');
    await reportPhase(org.controller, profileId, 'Ready');
    const [ended, second] = await starts();
    expect(ended).toMatchObject({ ready_at: first?.ready_at, ended_at: expect.any(Date) });
    expect(second).toMatchObject({ beginning_seen: true, ready_at: expect.any(Date), ended_at: null });
  });

  it('counts a failure once, and a later worker as another start', async () => {
    for (const phase of ['Loading', 'Failed', 'Failed', 'Pending', 'Ready'])
      await reportPhase(org.controller, profileId, phase);
    expect(await starts()).toMatchObject([
      { ready_at: null, failed_at: expect.any(Date), ended_at: expect.any(Date) },
      { ready_at: expect.any(Date), failed_at: null, ended_at: null },
    ]);
  });

  it('has no start duration if the beginning of the start was missed', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    const [start] = await starts();
    expect(start).toMatchObject({ beginning_seen: false });
    expect(start?.ready_at).toEqual(start?.began_at);
  });

  it('ignores reports of an older generation', async () => {
    await reportPhase(org.controller, profileId, 'Ready', 5);
    const before = await activation();
    for (const phase of ['Suspended', 'Failed', 'Pending'])
      expect((await reportPhase(org.controller, profileId, phase, 4)).status).toBe(204);
    expect(await activation()).toEqual(before);
    expect(await phases()).toEqual(['Ready']);
  });

  it('takes a report without a generation as one of the current generation', async () => {
    await reportPhase(org.controller, profileId, 'Loading', 5);
    await reportPhase(org.controller, profileId, 'Ready');
    expect(await activation()).toMatchObject({ phase: 'Ready', observed_generation: 5 });
  });

  it('keeps phases that the service does not know', async () => {
    await report(org.controller, profileId, { phase: 'Defragmenting', ready: false });
    expect(await activation()).toMatchObject({ phase: 'Defragmenting', activation_started_at: expect.any(String) });
  });

  it('records when a report is repeated, and writes nothing else', async () => {
    await reportPhase(org.controller, profileId, 'Ready', 1);
    const entries = async () =>
      ((await org.operator.get(`/v1/audit?resource=${profileId}`)).body as JsonObject[]).filter(
        ({ resource_type: type }) => type === 'activation',
      );
    const before = await activation();
    for (let times = 0; times < 3; times++) await reportPhase(org.controller, profileId, 'Ready', 1);
    const after = await activation();
    expect({ ...after, updated_at: 0 }).toEqual({ ...before, updated_at: 0 });
    expect(Date.parse(String(after?.updated_at))).toBeGreaterThanOrEqual(Date.parse(String(before?.updated_at)));
    expect(await phases()).toEqual(['Ready']);
    expect(await entries()).toMatchObject([
      { action: 'report_activation', details: { phase: 'Ready', ready: true, observed_generation: 1 } },
    ]);
  });

  it('may be reported to any replica, and each replica sees the reports of the others', async () => {
    const elsewhere = new Caller((await service.replica()).url, org.controller.token);
    for (const [caller, phase] of [
      [org.controller, 'Pending'],
      [elsewhere, 'Loading'],
      [org.controller, 'Warming'],
      [elsewhere, 'Ready'],
      [org.controller, 'Ready'],
      [elsewhere, 'Suspended'],
      [org.controller, 'Pending'],
    ] as const)
      expect((await reportPhase(caller, profileId, phase)).status).toBe(204);
    expect(await phases()).toEqual(['Pending', 'Loading', 'Warming', 'Ready', 'Suspended', 'Pending']);
    expect(await starts()).toHaveLength(2);
  });

  it('has one ready start however many concurrent reports say so', async () => {
    await reportPhase(org.controller, profileId, 'Loading', 1);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => reportPhase(org.controller, profileId, n % 2 ? 'Ready' : 'Warming', 1)),
    );
    expect(answers.every(({ status }) => status === 204)).toBe(true);
    expect(await starts()).toMatchObject([{ ready_at: expect.any(Date), ended_at: null }]);
  });

  it.each<[string, JsonObject]>([
    ['profile_id', { profile_id: 7 }],
    ['desired_state', { desired_state: undefined }],
    ['phase', { phase: '' }],
    ['phase', { phase: null }],
    ['ready', { ready: 'true' }],
    ['ready', { phase: 'Suspended', ready: true }],
    ['endpoint', { endpoint: 5 }],
    ['observed_generation', { observed_generation: -1 }],
    ['observed_generation', { observed_generation: null }],
  ])('refuses a report with an invalid %s: %j', async (field, overrides) => {
    const answer = await report(org.controller, profileId, overrides);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    expect(await activation()).toBeUndefined();
  });

  it('an activation of an unknown profile answers 404', async () => {
    for (const phase of ['Ready', 'Suspended']) {
      const answer = await reportPhase(org.controller, 'nowhere', phase);
      expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
    }
  });

  describe('of several workers', () => {
    const worker = (overrides: JsonObject = {}): JsonObject => ({
      workload_uid: newId(),
      endpoint: 'http://10.0.0.1:8000',
      ready: true,
      ...overrides,
    });

    it('shows all of them as they were last reported, and what the controller says', async () => {
      const workers = [worker({ start_kind: 'restore', artifact_id: 'a' }), worker({ ready: false, message: 'slow' })];
      expect((await report(org.controller, profileId, { workers, message: 'One of 2 is ready.' })).status).toBe(204);
      expect(await activation()).toMatchObject({ workers, message: 'One of 2 is ready.' });
      await report(org.controller, profileId, { workers: workers.slice(1), ready: false });
      expect(await activation()).toMatchObject({ workers: workers.slice(1), ready: false });
      expect(await activation()).not.toHaveProperty('message');
      await report(org.controller, profileId);
      expect(await activation()).not.toHaveProperty('workers');
    });

    it('writes nothing but the time if they are reported again, in any notation', async () => {
      const workers = [worker({ start_kind: 'cold' })];
      await report(org.controller, profileId, { workers });
      const version = async () =>
        (await service.db.query('select version from activations where profile_id = $1', [profileId])).rows;
      const before = await version();
      const reversed = workers.map((one) => Object.fromEntries(Object.entries(one).reverse()));
      await report(org.controller, profileId, { workers: reversed });
      expect(await version()).toEqual(before);
    });

    it.each<[string, JsonObject]>([
      ['workers[0].endpoint', { workers: [worker({ endpoint: 'ftp://x' })] }],
      ['workers[0].endpoint', { workers: [worker({ endpoint: 'http://169.254.169.254/' })] }],
      ['workers[0].workload_uid', { workers: [worker({ workload_uid: 'w' })] }],
      ['workers[1].workload_uid', { workers: [worker(), worker()].map((one, _, [first]) => ({ ...one, ...first })) }],
      ['workers[0].start_kind', { workers: [worker({ start_kind: 'warm' })] }],
      ['workers', { workers: Array.from({ length: 1_001 }, () => worker()) }],
      ['ready', { workers: [worker({ ready: false })] }],
      ['ready', { workers: [worker()], ready: false, phase: 'Loading' }],
    ])('is refused with an invalid %s', async (field, body) => {
      const answer = await report(org.controller, profileId, body);
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
      expect(await activation()).toBeUndefined();
    });
  });

  describe('that a cluster holds', () => {
    let clusters: string[];
    beforeAll(async () => {
      const created = ['one', 'two'].map((cluster_name) => org.operator.post('/v1/cluster', { cluster_name }));
      clusters = (await Promise.all(created)).map(({ text }) => text);
    });
    const from = (index: number, overrides: JsonObject = {}) =>
      report(org.controller, profileId, { cluster_id: clusters[index], ...overrides });
    const suspended: JsonObject = { desired_state: 'Suspended', phase: 'Suspended', ready: false };

    it('is refused to any other cluster, until the first one reports that it is suspended', async () => {
      expect((await from(0)).status).toBe(204);
      for (const body of [{}, suspended, { phase: 'Loading', ready: false }]) {
        const refused = await from(1, body);
        expect([refused.status, refused.body.code]).toEqual([409, 'profile_held']);
        expect(refused.body.detail).toContain(clusters[0]);
      }
      expect(await activation()).toMatchObject({ cluster_id: clusters[0], phase: 'Ready' });
      await from(0, suspended);
      expect(await activation()).not.toHaveProperty('cluster_id');
      expect((await from(1)).status).toBe(204);
      expect((await from(0)).status).toBe(409);
    });

    it('is free when it has reported nothing for 90 seconds', async () => {
      await from(0);
      const grow = (seconds: number) =>
        service.db.query(
          'update activations set updated_at = clock_timestamp() - make_interval(secs => $2) where profile_id = $1',
          [profileId, seconds],
        );
      await grow(80);
      expect((await from(1)).status).toBe(409);
      // A repeated report is a sign of life too.
      await from(0);
      await grow(91);
      expect((await from(1)).status).toBe(204);
      expect(await activation()).toMatchObject({ cluster_id: clusters[1] });
    });

    it('has one holder, however many clusters report it at once through two replicas', async () => {
      const answers = await Promise.all(
        [0, 1, 0, 1, 0, 1, 0, 1].map((index) => from(index, { phase: 'Pending', ready: false })),
      );
      const { cluster_id: holder } = (await activation())!;
      answers.forEach(({ status }, index) => expect(status).toBe(clusters[index % 2] === holder ? 204 : 409));
    });

    it('is not taken by an unknown cluster, and reports without a cluster leave the holder', async () => {
      expect((await report(org.controller, profileId, { cluster_id: newId() })).body.code).toBe('cluster_not_found');
      await from(0);
      await report(org.controller, profileId, { phase: 'Draining', ready: false });
      expect(await activation()).toMatchObject({ cluster_id: clusters[0], phase: 'Draining' });
    });
  });

  it('is separate from that of an equally named profile of another organisation', async () => {
    const other = await service.organisation();
    await other.operator.post('/v1/inference/profiles', buildProfile(profileId));
    await reportPhase(org.controller, profileId, 'Ready', 3);
    await reportPhase(other.controller, profileId, 'Loading', 1);
    expect(await activation()).toMatchObject({ phase: 'Ready', observed_generation: 3 });
    expect(await activationOf(other.viewer, profileId)).toMatchObject({ phase: 'Loading', observed_generation: 1 });
  });

  describe('has a worker endpoint that', () => {
    const put = (body: JsonObject, id = profileId) =>
      org.controller.put(`/v1/inference/profiles/${id}/worker-endpoint`, body);
    const stored = async () =>
      (await service.db.query('select metrics_url, pod_name from worker_endpoints where profile_id = $1', [profileId]))
        .rows;

    it('is recorded, and replaced by the next report', async () => {
      expect((await put({ metrics_url: 'http://10.0.0.1:8000/metrics', pod_name: 'worker-0' })).status).toBe(204);
      expect(await stored()).toEqual([{ metrics_url: 'http://10.0.0.1:8000/metrics', pod_name: 'worker-0' }]);
      expect((await put({ metrics_url: 'https://worker/metrics?a=b' })).status).toBe(204);
      expect(await stored()).toEqual([{ metrics_url: 'https://worker/metrics?a=b', pod_name: null }]);
    });

    it.each(['ftp://x', 'http://', 'http://user@host/', 'http://a b/', '//host/metrics', 'file:///etc/passwd', ''])(
      'is refused as %j',
      async (metrics_url) => {
        const answer = await put({ metrics_url });
        expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'metrics_url']);
      },
    );

    it('needs a known profile, and is reported by controllers only', async () => {
      expect((await put({ metrics_url: 'http://worker/metrics' }, newId())).status).toBe(404);
      const path = `/v1/inference/profiles/${profileId}/worker-endpoint`;
      expect((await org.operator.put(path, { metrics_url: 'http://worker/metrics' })).status).toBe(403);
    });
  });
});
