import { newId } from '../../../../src/1-platform/common/ids';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { FirstStart } from '../../../../src/1-platform/tokens/first-start';
import { Service, type Caller, type Organisation } from '../../../support/service';

const FORBIDDEN = [403, 'forbidden'];

describe('the scope of an admin', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    other = await service.organisation();
  });
  afterAll(() => service.close());

  const issue = (caller: Caller, body: object) =>
    caller.post('/v1/tokens', { name: 'a token', role: 'admin', ...body });
  const issued = async (caller: Caller, body: object): Promise<{ id: string; caller: Caller }> => {
    const { status, body: token } = await issue(caller, body);
    expect(status).toBe(201);
    return { id: token.token_id as string, caller: service.as(token.raw_token as string) };
  };
  const outcome = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
    const { status, body } = await answer;
    return [status, body.code];
  };
  const count = async (): Promise<number> => {
    const { rows } = await service.db.query<{ total: number }>('select count(*)::int as total from access_tokens');
    return rows[0]?.total ?? 0;
  };

  it('is platform for the first token and organisation for every other, unless requested', async () => {
    const scopes = async (body: object) => (await issue(service.admin, body)).body.scope as string;
    const { body } = await service.admin.get('/v1/tokens');
    expect(body).toContainEqual(expect.objectContaining({ name: 'bootstrap', scope: 'platform' }));
    expect(await scopes({})).toBe('organisation');
    expect(await scopes({ role: 'operator' })).toBe('organisation');
    expect(await scopes({ scope: 'organisation' })).toBe('organisation');
    expect(await scopes({ scope: 'platform' })).toBe('platform');
  });

  it.each([
    ['an unknown scope', { scope: 'galaxy' }, 'must be one of organisation, platform'],
    ['a null', { scope: null }, 'must not be null'],
    ['the platform for an operator', { role: 'operator', scope: 'platform' }, 'platform is for the role admin only'],
    ['the platform for a viewer', { role: 'viewer', scope: 'platform' }, 'platform is for the role admin only'],
    ['the platform for a controller', { role: 'controller', scope: 'platform' }, 'platform is for the role admin only'],
  ])('refuses %s with 400', async (_what, wrong, message) => {
    const before = await count();
    for (const caller of [service.admin, org.admin]) {
      const answer = await issue(caller, wrong);
      expect([answer.status, answer.body.errors]).toEqual([400, [{ field: 'scope', message }]]);
    }
    expect(await count()).toBe(before);
  });

  it('lets only platform admins create organisations', async () => {
    const name = `org-${newId()}`;
    expect(await outcome(org.admin.post('/v1/organisations', { name }))).toEqual(FORBIDDEN);
    const { rows } = await service.db.query('select from organisations where name = $1', [name]);
    expect(rows).toEqual([]);
    const platform = await issued(service.admin, { organisation_id: org.id, scope: 'platform' });
    expect((await platform.caller.post('/v1/organisations', { name })).status).toBe(201);
  });

  it('lets only platform admins issue tokens for another organisation, which others cannot even detect', async () => {
    const before = await count();
    const answers = await Promise.all(
      [other.id, newId(), 'research', ''].map((organisation_id) => issue(org.admin, { organisation_id })),
    );
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual(FORBIDDEN);
      expect(body.detail).toBe(answers[0]?.body.detail);
    }
    expect(await count()).toBe(before);
    for (const organisation_id of [org.id, org.id.toUpperCase(), null, undefined])
      expect((await issue(org.admin, { organisation_id })).body).toMatchObject({ organisation_id: org.id });
    expect((await issue(service.admin, { organisation_id: other.id })).body.organisation_id).toBe(other.id);
  });

  it('never grows: an admin of an organisation cannot issue a platform token, nor can its tokens', async () => {
    const before = await count();
    expect(await outcome(issue(org.admin, { scope: 'platform' }))).toEqual(FORBIDDEN);
    expect(await count()).toBe(before);
    const child = await issued(org.admin, {});
    expect(await outcome(issue(child.caller, { scope: 'platform' }))).toEqual(FORBIDDEN);
    expect(await outcome(issue(child.caller, { organisation_id: other.id }))).toEqual(FORBIDDEN);
  });

  it('is replayed with the token, and a repeated Idempotency-Key compares it', async () => {
    const headers = { 'idempotency-key': newId() };
    const body = { name: 'again', role: 'admin', scope: 'platform' };
    const first = await service.admin.post('/v1/tokens', body, headers);
    expect((await service.admin.post('/v1/tokens', body, headers)).text).toBe(first.text);
    expect((await service.admin.post('/v1/tokens', { ...body, scope: 'organisation' }, headers)).status).toBe(422);
  });

  it("limits an admin's lists to its organisation", async () => {
    const own = (await org.admin.get('/v1/tokens')).body as { organisation_id: string }[];
    expect(own.length).toBeGreaterThanOrEqual(4);
    expect(new Set(own.map(({ organisation_id }) => organisation_id))).toEqual(new Set([org.id]));
    expect((await org.admin.get('/v1/organisations')).body).toEqual([expect.objectContaining({ id: org.id })]);
    const all = (await service.admin.get('/v1/tokens')).body as { organisation_id: string }[];
    const organisations = new Set(all.map(({ organisation_id }) => organisation_id));
    expect([organisations.has(org.id), organisations.has(other.id)]).toEqual([true, true]);
    expect(((await service.admin.get('/v1/organisations')).body as object[]).length).toBeGreaterThanOrEqual(3);
  });

  it('lets an admin revoke tokens of its organisation; others answer 404 and stay valid', async () => {
    const mine = await issued(org.admin, { role: 'viewer' });
    const theirs = await issued(other.admin, { role: 'viewer' });
    expect((await org.admin.delete(`/v1/tokens/${mine.id}`)).status).toBe(204);
    expect((await mine.caller.get('/v1/user')).status).toBe(401);
    const asUnknown = await org.admin.delete(`/v1/tokens/${newId()}`);
    const asOthers = await org.admin.delete(`/v1/tokens/${theirs.id}`);
    expect([asOthers.status, asOthers.body.code, asOthers.body.detail]).toEqual([
      404,
      'token_not_found',
      asUnknown.body.detail,
    ]);
    expect((await theirs.caller.get('/v1/user')).status).toBe(200);
    expect((await service.admin.delete(`/v1/tokens/${theirs.id}`)).status).toBe(204);
  });

  it("keeps an organisation's admin from revoking a platform token that it sees in its list", async () => {
    const platform = await issued(service.admin, { organisation_id: org.id, scope: 'platform' });
    expect((await org.admin.get('/v1/tokens')).body).toContainEqual(
      expect.objectContaining({ token_id: platform.id, scope: 'platform' }),
    );
    expect(await outcome(org.admin.delete(`/v1/tokens/${platform.id}`))).toEqual(FORBIDDEN);
    expect((await platform.caller.get('/v1/organisations')).status).toBe(200);
    expect((await service.admin.delete(`/v1/tokens/${platform.id}`)).status).toBe(204);
  });

  it('is recorded in the audit trail', async () => {
    const { id } = await issued(service.admin, { scope: 'platform' });
    const { body } = await service.admin.get(`/v1/audit?resource=${id}`);
    expect(body).toEqual([
      expect.objectContaining({ action: 'create_token', details: expect.objectContaining({ scope: 'platform' }) }),
    ]);
  });

  it('shows an organisation what an admin of the platform does with its tokens', async () => {
    const { id } = await issued(service.admin, { name: 'theirs', role: 'operator', organisation_id: other.id });
    expect((await service.admin.delete(`/v1/tokens/${id}`)).status).toBe(204);
    const [{ id: actor }] = [(await service.admin.get('/v1/user', { accept: 'application/json' })).body];
    const details = { name: 'theirs', role: 'operator', scope: 'organisation', organisation_id: other.id };
    for (const caller of [other.admin, service.admin]) {
      const { body } = await caller.get(`/v1/audit?resource=${id}`);
      expect(body).toEqual(
        ['revoke_token', 'create_token'].map((action) =>
          expect.objectContaining({ action, actor_id: actor, resource_id: id, details }),
        ),
      );
    }
    expect((await org.admin.get(`/v1/audit?resource=${id}`)).body).toEqual([]);
  });

  it('leaves one entry where an admin changes tokens of its own organisation', async () => {
    const { id } = await issued(other.admin, { role: 'viewer' });
    expect((await other.admin.delete(`/v1/tokens/${id}`)).status).toBe(204);
    expect((await other.admin.get(`/v1/audit?resource=${id}`)).body).toHaveLength(2);
  });

  it('is enforced by the database too', async () => {
    await expect(service.db.query("update access_tokens set scope = 'platform' where role = 'viewer'")).rejects.toThrow(
      'access_tokens_scope_check',
    );
  });
});

describe('a BOOTSTRAP_TOKEN at a later start', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  /** The lines that a start with this token logs. */
  const warnings = async (bootstrapToken: string | undefined): Promise<unknown[]> => {
    const logger = createLogger('silent');
    const warn = jest.spyOn(logger, 'warn');
    const environment = { ...service.environment, bootstrapToken };
    const start = new FirstStart(service.app.get(UnitOfWork), service.clock, environment, logger);
    expect(await start.prepare()).toBeUndefined();
    return warn.mock.calls.flat();
  };

  it('is logged as unknown, without the token itself, when the database does not know it', async () => {
    const logged = await warnings('a-token-that-nobody-knows');
    expect(logged).toEqual([expect.stringMatching(/^BOOTSTRAP_TOKEN is ignored: .*npm run token/)]);
    expect(String(logged[0])).not.toContain('a-token-that-nobody-knows');
  });

  it('is not logged when it is valid or missing', async () => {
    expect(await warnings(service.environment.bootstrapToken)).toEqual([]);
    expect(await warnings(undefined)).toEqual([]);
    const { body } = await service.admin.post('/v1/tokens', { name: 'a viewer', role: 'viewer' });
    expect(await warnings(body.raw_token as string)).toEqual([]);
  });

  it('is logged when it is revoked or expired', async () => {
    const token = async () => (await service.admin.post('/v1/tokens', { name: 'gone', role: 'admin' })).body;
    const [revoked, expired] = [await token(), await token()];
    await service.admin.delete(`/v1/tokens/${revoked.token_id}`);
    await service.db.query("update access_tokens set expires_at = clock_timestamp() - interval '1 s' where id = $1", [
      expired.token_id,
    ]);
    expect(await warnings(revoked.raw_token as string)).toHaveLength(1);
    expect(await warnings(expired.raw_token as string)).toHaveLength(1);
  });
});
