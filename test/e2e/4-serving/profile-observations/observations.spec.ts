import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { createProfile } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

const PATH = '/v1/inference/observations';

describe('an observation', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const observation = (overrides: JsonObject = {}): JsonObject => ({
    observation_key: newId(),
    event_type: 'restore',
    evidence: 'measured',
    source: 'controller',
    started_at: '2026-01-02T03:04:05.678Z',
    ...overrides,
  });
  const record = (body: JsonObject) => org.controller.post(PATH, body);

  const FIGURES = {
    duration_ms: 5,
    ttft_ms: 6,
    prompt_tokens: 7,
    completion_tokens: 8,
    logical_bytes: 9,
    physical_bytes: 10,
    reused_bytes: 11,
    written_bytes: 12,
    transferred_bytes: 13,
  };

  it('is recorded with all members', async () => {
    const { profile_id } = await createProfile(org);
    const names = ['action_id', 'checkpoint_id', 'checkpoint_mode', 'cluster_id', 'deployment_id', 'node_id'];
    const body = observation({
      profile_id,
      experiment_id: newId(),
      completed_at: '2026-01-02T03:05:05.678Z',
      request_id: 'request',
      storage_tier: 'memory',
      ...Object.fromEntries(names.map((name) => [name, `the ${name}`])),
      ...FIGURES,
      success: true,
      fallback_used: false,
      deadline_missed: true,
      dimensions: { gpu: 'A10G' },
      metrics: [1, { two: 2 }],
    });
    const answer = await record(body);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(String),
        observation_key: body.observation_key,
        event_type: 'restore',
        evidence: 'measured',
        source: 'controller',
        started_at: body.started_at,
        profile_id,
        experiment_id: body.experiment_id,
        duration_ms: 5,
      },
    ]);
    const listed = (await org.viewer.get(`${PATH}?profile_id=${profile_id}`)).body as JsonObject[];
    const { ttft_ms, prompt_tokens, completion_tokens, logical_bytes, physical_bytes } = FIGURES;
    const shown = { ttft_ms, prompt_tokens, completion_tokens, logical_bytes, physical_bytes };
    const facts = { success: true, fallback_used: false, deadline_missed: true };
    expect(listed).toEqual([{ ...(answer.body as JsonObject), ...shown, ...facts }]);
    const { rows } = await service.db.query<JsonObject>('select * from observations where id = $1', [answer.body.id]);
    for (const [name, value] of Object.entries(body))
      expect([name, value instanceof Date ? value : plain(rows[0]?.[name])]).toEqual([name, value]);
  });
  /** As on the wire: the reading pool returns bigint as text. */
  const plain = (value: unknown): unknown =>
    value instanceof Date
      ? value.toISOString()
      : typeof value === 'string' && /^\d{1,2}$/.test(value)
        ? Number(value)
        : value;

  it('takes the time from start to end as its duration, unless one is given', async () => {
    const completed_at = '2026-01-02T03:04:06.000Z';
    expect((await record(observation({ completed_at }))).body.duration_ms).toBe(322);
    expect((await record(observation({ completed_at, duration_ms: 0 }))).body.duration_ms).toBe(0);
    expect((await record(observation())).body.duration_ms).toBeNull();
  });

  it('is recorded once per key: the first one stands', async () => {
    const first = await record(observation({ source: 'first' }));
    const again = await record(observation({ observation_key: first.body.observation_key, source: 'second' }));
    expect([again.status, again.body]).toEqual([201, first.body]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => record(observation({ observation_key: 'race' }))),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.id)}`)).size).toBe(1);
  });

  it('is listed newest first, by profile, experiment and type, page by page', async () => {
    const own = await service.organisation();
    const { profile_id } = await createProfile(own);
    const experiment_id = newId();
    const bodies = [
      { started_at: '2026-01-01T00:00:01Z', profile_id },
      { started_at: '2026-01-01T00:00:03Z', experiment_id },
      { started_at: '2026-01-01T00:00:02Z', event_type: 'other' },
    ];
    for (const [n, body] of bodies.entries())
      await own.controller.post(PATH, observation({ observation_key: String(n), ...body }));
    const keys = async (query: string) =>
      ((await own.viewer.get(`${PATH}${query}`)).body as JsonObject[]).map(({ observation_key: key }) => key).join('');
    expect(await keys('')).toBe('120');
    expect(await keys(`?profile_id=${profile_id}`)).toBe('0');
    expect(await keys(`?experiment_id=${experiment_id}`)).toBe('1');
    expect(await keys('?event_type=other')).toBe('2');
    expect(await keys(`?event_type=other&profile_id=${profile_id}`)).toBe('');
    expect(await keys('?limit=2')).toBe('12');
    expect((await own.viewer.get(`${PATH}?limit=2`)).headers.link).toContain('offset=2');
    expect(await keys('?limit=2&offset=2')).toBe('0');
  });

  it.each<[string, JsonObject]>([
    ['observation_key', { observation_key: '' }],
    ['event_type', { event_type: undefined }],
    ['evidence', { evidence: null }],
    ['source', { source: 5 }],
    ['started_at', { started_at: 'now' }],
    ['completed_at', { completed_at: '2026-01-02T03:04:05.677Z' }],
    ['experiment_id', { experiment_id: 'x' }],
    ['duration_ms', { duration_ms: -1 }],
    ['prompt_tokens', { prompt_tokens: 1.5 }],
    ['success', { success: 'yes' }],
  ])('is refused with an invalid %s: %j', async (field, overrides) => {
    const answer = await record(observation(overrides));
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('an observation of an unknown profile answers 404, and only controllers report it', async () => {
    const answer = await record(observation({ profile_id: 'nowhere' }));
    expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
    expect((await org.operator.post(PATH, observation())).status).toBe(403);
  });

  it('is not listed for an invalid query', async () => {
    const answer = await org.viewer.get(`${PATH}?experiment_id=x`);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'experiment_id']);
  });
});
