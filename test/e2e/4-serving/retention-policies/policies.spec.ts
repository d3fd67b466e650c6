import { newId } from '../../../../src/1-platform/common/ids';
import { age, ARTIFACTS, fieldsOf, profileFor, registered, type ProfileOf } from '../../../support/artifacts';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let profile: ProfileOf;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  profile = await profileFor(org);
});
afterAll(() => service.close());

const PATH = '/v1/inference/retention-policies';
const save = (body: object, caller = org.operator) => caller.post(PATH, body);
const list = async (query = '') =>
  (await org.viewer.get(`${PATH}${query}`)).body as { policy_id: string; name: string }[];

describe('a retention policy', () => {
  it('is created, changed, listed and deleted', async () => {
    const made = await save({ name: 'a week' });
    const policy = {
      policy_id: made.body.policy_id,
      name: 'a week',
      enabled: true,
      max_age_days: null,
      max_count: null,
      min_tier: null,
      profile_id: null,
    };
    expect([made.status, made.body]).toEqual([200, policy]);
    expect(policy.policy_id).toMatch(/^\S+$/);

    const members = {
      name: 'full',
      enabled: false,
      max_age_days: 7,
      max_count: 0,
      min_tier: 'shared',
      profile_id: profile.profile_id,
    };
    const named = await save({ policy_id: 'mine', ...members });
    expect([named.status, named.body]).toEqual([200, { policy_id: 'mine', ...members }]);
    expect(await list()).toEqual([policy, named.body]);

    // PUT replaces the whole policy: members left out take their defaults.
    const changed = await save({ policy_id: 'mine', name: 'less', max_age_days: null });
    expect([changed.status, changed.body]).toEqual([200, { ...policy, policy_id: 'mine', name: 'less' }]);
    expect(await list()).toEqual([policy, changed.body]);

    const deleted = await org.operator.delete(`${PATH}/mine`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await list()).toEqual([policy]);
    const again = await org.operator.delete(`${PATH}/mine`);
    expect([again.status, again.body.code]).toEqual([404, 'retention_policy_not_found']);
  });

  it('gets a new id each time it is created without one', async () => {
    const ids = [await save({ name: 'x' }), await save({ name: 'x', policy_id: null })].map(
      ({ body }) => body.policy_id as string,
    );
    expect(new Set([...ids, ...(await list()).map(({ policy_id: id }) => id)]).size).toBe(2);
  });

  it('belongs to its organisation', async () => {
    const foreign = await service.organisation();
    const theirs = await profileFor(foreign);
    await save({ policy_id: 'mine', name: 'mine' });
    for (const profile_id of ['unknown', theirs.profile_id]) {
      const answer = await save({ name: 'x', profile_id });
      expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
    }
    expect((await foreign.operator.delete(`${PATH}/mine`)).status).toBe(404);
    expect((await foreign.viewer.get(PATH)).body).toEqual([]);
    expect((await save({ policy_id: 'mine', name: 'theirs' }, foreign.operator)).body.name).toBe('theirs');
    expect(await list()).toMatchObject([{ policy_id: 'mine', name: 'mine' }]);
  });

  it.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ policy_id: '' }, 'policy_id'],
    [{ policy_id: 7 }, 'policy_id'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ enabled: null }, 'enabled'],
    [{ max_age_days: -1 }, 'max_age_days'],
    [{ max_age_days: 0.5 }, 'max_age_days'],
    [{ max_count: -1 }, 'max_count'],
    [{ max_count: '3' }, 'max_count'],
    [{ min_tier: 'tape' }, 'min_tier'],
    [{ profile_id: '' }, 'profile_id'],
    [{ max_age: 3 }, 'max_age'],
  ])('is refused with %j, saved or previewed', async (members, field) => {
    for (const path of [PATH, `${PATH}/preview`]) {
      const answer = await org.operator.post(path, { name: 'x', ...members });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
    }
    expect(await list()).toEqual([]);
  });

  it('needs a name, saved or previewed', async () => {
    for (const [path, body] of [
      [PATH, {}],
      [PATH, { max_count: 3 }],
      [`${PATH}/preview`, { max_count: 3 }],
    ] as const)
      expect(fieldsOf(await org.operator.post(path, body))).toEqual(['name']);
  });

  it('is written by operators, and read by everybody', async () => {
    for (const [method, path, body, allowed] of [
      ['post', PATH, {}, ['operator', 'admin']],
      ['delete', `${PATH}/unknown`, undefined, ['operator', 'admin']],
      ['get', PATH, undefined, ['viewer', 'operator', 'controller', 'admin']],
      ['post', `${PATH}/preview`, {}, ['viewer', 'operator', 'controller', 'admin']],
    ] as const) {
      expect((await service.as(undefined).send(method, path, body, {})).status).toBe(401);
      for (const role of ['viewer', 'operator', 'controller', 'admin'] as const) {
        const { status } = await org[role].send(method, path, body, {});
        expect([method, path, role, status === 403]).toEqual([
          method,
          path,
          role,
          !allowed.some((each) => each === role),
        ]);
      }
    }
  });

  it('is listed page by page, created once per Idempotency-Key, and audited', async () => {
    const key = { 'idempotency-key': newId() };
    const first = await org.operator.post(PATH, { name: 'p0' }, key);
    const again = await org.operator.post(PATH, { name: 'p0' }, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    for (const name of ['p1', 'p2']) await save({ name });
    const page = await org.viewer.get(`${PATH}?limit=2`);
    expect(page.body).toHaveLength(2);
    expect(page.headers.link).toBe(`<${PATH}?limit=2&offset=2>; rel="next"`);
    expect(await list('?limit=2&offset=2')).toMatchObject([{ name: 'p2' }]);
    await org.operator.delete(`${PATH}/${first.body.policy_id}`);
    const audit = (await org.operator.get('/v1/audit?resource=retention_policy')).body as {
      action: string;
      resource_id: string;
    }[];
    expect(audit.map(({ action }) => action)).toEqual([
      'delete_retention_policy',
      ...Array<string>(3).fill('save_retention_policy'),
    ]);
    expect(audit[0]?.resource_id).toBe(first.body.policy_id);
  });
});

describe('POST /v1/inference/retention-policies/preview', () => {
  const preview = async (body?: object | string, caller = org.viewer) => {
    const answer = await caller.post(`${PATH}/preview`, body);
    expect(answer.status).toBe(200);
    return answer.body as { artifact_id: string; decision: string; reason: string; policy_id: string | null }[];
  };
  const expired = async (body?: object) =>
    (await preview(body)).filter(({ decision }) => decision === 'expire').map(({ artifact_id: id }) => id);
  /** Everything that a preview might change. */
  const everything = async () =>
    (
      await service.db.query(
        'select to_jsonb(a) as row from artifacts a where org_id = $1 union all select to_jsonb(p) from retention_policies p where org_id = $1 union all select to_jsonb(r) from retention_runs r where org_id = $1 union all select to_jsonb(e) from outbox_events e where org_id = $1 order by 1',
        [org.id],
      )
    ).rows;

  beforeEach(async () => {
    for (const [artifact_id, days] of [
      ['old', 9],
      ['middle', 5],
      ['young', 1],
    ] as const) {
      await registered(org, profile, { artifact_id });
      await age(service, org, artifact_id, days);
    }
  });

  it('previews the policy in the body, stored or not, and changes nothing', async () => {
    await save({ policy_id: 'stored', name: 'stored', max_count: 0 });
    const before = await everything();
    expect(before.length).toBeGreaterThan(3);
    expect(await preview({ name: 'a week', max_age_days: 7 })).toEqual([
      {
        artifact_id: 'young',
        decision: 'keep',
        reason: 'It is the newest of its profile that can be restored from.',
        policy_id: null,
      },
      { artifact_id: 'middle', decision: 'keep', reason: 'No policy lets it expire.', policy_id: null },
      { artifact_id: 'old', decision: 'expire', reason: 'It is 9.0 days old, and a week keeps 7.', policy_id: null },
    ]);
    expect(await expired({ name: 'x', policy_id: 'tried', max_count: 1 })).toEqual(['middle', 'old']);
    expect((await preview({ name: 'x', policy_id: 'tried', max_count: 1 })).at(-1)?.policy_id).toBe('tried');
    expect(await expired({ name: 'without a limit' })).toEqual([]);
    expect(await expired({ name: 'disabled', max_count: 0, enabled: false })).toEqual([]);
    expect(await expired({ name: 'hot', max_count: 0, min_tier: 'object' })).toEqual(['middle', 'old']);
    expect(await everything()).toEqual(before);
  });

  it('previews the stored, enabled policies without a body and with an empty body', async () => {
    await save({ policy_id: 'disabled', name: 'off', max_count: 0, enabled: false });
    expect(await expired()).toEqual([]);
    await save({ policy_id: 'a', name: 'a week', max_age_days: 7 });
    for (const body of [undefined, {}, '{}']) {
      const decisions = await preview(body);
      expect(decisions.map(({ artifact_id: id, decision, policy_id: by }) => [id, decision, by])).toEqual([
        ['young', 'keep', null],
        ['middle', 'keep', null],
        ['old', 'expire', 'a'],
      ]);
      for (const { reason } of decisions) expect(reason).toMatch(/^[A-Z].*\.$/);
    }
    await org.operator.delete(`${PATH}/a`);
    expect(await expired()).toEqual([]);
  });

  it('considers one profile only if the policy names it, and refuses an unknown profile', async () => {
    const other = await profileFor(org);
    for (const artifact_id of ['b1', 'b2']) await registered(org, other, { artifact_id });
    expect(await expired({ name: 'x', max_count: 0, profile_id: other.profile_id })).toEqual(['b1']);
    const answer = await org.viewer.post(`${PATH}/preview`, { name: 'x', profile_id: 'unknown' });
    expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
  });

  it('selects the decisions on one profile, which are those that it makes on all artifacts', async () => {
    const other = await profileFor(org);
    const key = { compatibility_key: profile.compatibility_key };
    await registered(org, other, { artifact_id: 'first' });
    await registered(org, { ...other, ...key }, { artifact_id: 'child', parent_artifact_id: 'middle' });
    const policy = { name: 'none', max_count: 0 };
    const all = await preview(policy);
    const select = async (query: string) => {
      const answer = await org.viewer.post(`${PATH}/preview?${query}`, policy);
      return [answer.status, answer.body, answer.headers.link];
    };
    const own = all.filter(({ artifact_id: id }) => ['young', 'middle', 'old'].includes(id));
    expect(own.map(({ artifact_id: id, decision }) => [id, decision])).toEqual([
      ['young', 'keep'],
      // An ancestor of what is kept of the other profile.
      ['middle', 'keep'],
      ['old', 'expire'],
    ]);
    expect(await select(`profile_id=${profile.profile_id}`)).toEqual([200, own, undefined]);
    const query = `profile_id=${other.profile_id}`;
    const [first, second] = all.filter((decision) => !own.includes(decision));
    const more = expect.stringContaining(query);
    expect(await select(`${query}&limit=1`)).toEqual([200, [first], more]);
    expect(await select(`${query}&limit=1&offset=1`)).toEqual([200, [second], undefined]);
  });

  it('refuses to select the decisions on an impossible or unknown profile', async () => {
    const theirs = await profileFor(await service.organisation());
    const long = await org.viewer.post(`${PATH}/preview?profile_id=${'x'.repeat(1_000)}`, {});
    expect([long.status, fieldsOf(long)]).toEqual([400, ['profile_id']]);
    for (const id of ['unknown', theirs.profile_id]) {
      const answer = await org.viewer.post(`${PATH}/preview?profile_id=${id}`, {});
      expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
    }
  });

  it('leaves out expired and deleted artifacts, and continues behind its Link', async () => {
    await org.operator.delete(`${ARTIFACTS}/middle`);
    const page = await org.viewer.post(`${PATH}/preview?limit=1`, { name: 'x', max_count: 0 });
    expect([page.body.map((row: { artifact_id: string }) => row.artifact_id), page.headers.link]).toEqual([
      ['young'],
      expect.stringContaining('offset=1'),
    ]);
    const last = await org.viewer.post(`${PATH}/preview?limit=1&offset=1`, { name: 'x', max_count: 0 });
    expect([last.body.map((row: { artifact_id: string }) => row.artifact_id), last.headers.link]).toEqual([
      ['old'],
      undefined,
    ]);
  });
});
