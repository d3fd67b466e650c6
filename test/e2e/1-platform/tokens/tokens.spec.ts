import { TOKEN_REVOKED, TokenVerifier } from '../../../../src/1-platform/auth/bearers/token-verifier';
import { newId } from '../../../../src/1-platform/common/ids';
import { createApplication } from '../../../../src/application';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { FirstStart } from '../../../../src/1-platform/tokens/first-start';
import { ADMIN_TOKEN, Caller, Service, type Organisation } from '../../../support/service';
import { eventually } from '../../../support/eventually';

const MEMBERS = [
  'created_at',
  'expires_at',
  'last_used_at',
  'name',
  'organisation_id',
  'revoked_at',
  'role',
  'scope',
  'token_id',
];

describe('access tokens', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const issue = async (body: object): Promise<{ id: string; caller: Caller; raw: string }> => {
    const answer = await service.admin.post('/v1/tokens', { name: 'a token', role: 'viewer', ...body });
    expect(answer.status).toBe(201);
    const { raw_token: raw, token_id: id } = answer.body as { raw_token: string; token_id: string };
    return { id, raw, caller: service.as(raw) };
  };
  const listed = async (id: string) =>
    ((await service.admin.get('/v1/tokens')).body as { token_id: string }[]).find(({ token_id }) => token_id === id);

  it('say who presents them: name, role, scope and organisation', async () => {
    const { id, caller } = await issue({ name: 'jane', role: 'viewer', organisation_id: org.id });
    const { status, body } = await caller.get('/v1/user', { accept: 'application/json' });
    expect([status, body]).toEqual([
      200,
      { id, name: 'jane', role: 'viewer', scope: 'organisation', organisation_id: org.id },
    ]);
    const own = (await service.admin.get('/v1/user', { accept: 'application/json' })).body;
    expect(own).toMatchObject({ role: 'admin', scope: 'platform' });
  });

  it('are the only way to sign in where no identity provider is configured', async () => {
    const { status, body } = await service.as(undefined).get('/v1/user/sign-in');
    expect([status, body]).toEqual([200, { identity_provider: null }]);
  });

  it('return the secret once, when they are issued', async () => {
    const { status, body } = await service.admin.post('/v1/tokens', {
      name: 'agent',
      role: 'controller',
      organisation_id: org.id,
      expires_at: '2999-01-01T00:00:00+01:00',
    });
    expect(status).toBe(201);
    expect(Object.keys(body as object).sort()).toEqual([...MEMBERS, 'raw_token'].sort());
    expect(body).toMatchObject({
      name: 'agent',
      role: 'controller',
      organisation_id: org.id,
      created_at: service.clock.now().toISOString(),
      expires_at: '2998-12-31T23:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
    });
    // 256 bits in base64url after a prefix that secret scanners recognise.
    expect(body.raw_token).toMatch(/^ccp_[A-Za-z0-9_-]{43}$/);

    const list = await service.admin.get('/v1/tokens');
    expect(list.text).not.toContain(body.raw_token);
    const listed = [...MEMBERS, 'organisation_name', 'status'].sort();
    for (const token of list.body as object[]) expect(Object.keys(token).sort()).toEqual(listed);
    const { rows } = await service.db.query('select t::text as row from access_tokens t');
    expect(JSON.stringify(rows)).not.toContain(body.raw_token);
  });

  it('are never issued twice with the same secret', async () => {
    const raws = await Promise.all(Array.from({ length: 20 }, async () => (await issue({})).raw));
    expect(new Set(raws).size).toBe(20);
  });

  it("belong to the caller's organisation if none is named", async () => {
    for (const body of [{}, { organisation_id: null }]) {
      const answer = await org.admin.post('/v1/tokens', { name: 'own', role: 'viewer', ...body });
      expect(answer.body.organisation_id).toBe(org.id);
    }
  });

  it.each([
    ['an unused id', newId()],
    ['a text that is not an id', 'research'],
    ['an empty one', ''],
    ['SQL', "' or 1=1 --"],
  ])('are not issued for an unknown organisation: %s', async (_what, organisation) => {
    const answer = await service.admin.post('/v1/tokens', { name: 'x', role: 'viewer', organisation_id: organisation });
    expect([answer.status, answer.body.code]).toEqual([404, 'organisation_not_found']);
  });

  it.each([
    ['an unknown role', { role: 'root' }, 'role', 'must be one of admin, operator, viewer, controller'],
    ['a role in capitals', { role: 'Admin' }, 'role', 'must be one of admin, operator, viewer, controller'],
    ['no role', { role: undefined }, 'role', 'is required'],
    ['two roles', { role: ['admin'] }, 'role', 'must be one of admin, operator, viewer, controller'],
    ['no name', { name: undefined }, 'name', 'is required'],
    ['a day without a time', { expires_at: '2999-01-01' }, 'expires_at', 'must be a date-time as in RFC 3339'],
    [
      'a day that does not exist',
      { expires_at: '2999-02-30T00:00:00Z' },
      'expires_at',
      'must be a date-time as in RFC 3339',
    ],
    ["PostgreSQL's infinity", { expires_at: 'infinity' }, 'expires_at', 'must be a date-time as in RFC 3339'],
    ['an expiry in the past', { expires_at: '2000-01-01T00:00:00Z' }, 'expires_at', 'must be in the future'],
    ['a secret chosen by the caller', { raw_token: 'mine' }, 'raw_token', 'is not a member of this body'],
  ])('are not issued with %s', async (_what, wrong, field, message) => {
    const answer = await service.admin.post('/v1/tokens', { name: 'x', role: 'viewer', ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ field, message }]);
  });

  it('identify the caller', async () => {
    const { id, caller } = await issue({});
    const { status, text, headers } = await caller.get('/v1/user');
    expect([status, text, headers['content-type']]).toEqual([200, id, 'text/plain; charset=utf-8']);
  });

  it.each([
    ['application/json', true],
    ['application/json;q=0.9', true],
    ['application/json, text/plain, */*', false],
    ['application/json, */*;q=0.1', false],
    ['text/*', false],
    ['image/png', false],
  ])('identify the caller to Accept: %s, as JSON with the name: %s', async (accept, asJson) => {
    const { id, caller } = await issue({ name: 'my name' });
    const { status, text } = await caller.get('/v1/user', { accept });
    expect([status, asJson ? (JSON.parse(text) as unknown) : text]).toEqual([
      200,
      asJson ? expect.objectContaining({ id, name: 'my name' }) : id,
    ]);
  });

  it('record their last use', async () => {
    const { id, caller } = await issue({});
    const other = await issue({});
    expect(await listed(id)).toMatchObject({ last_used_at: null });
    await caller.get('/v1/user');
    expect(await listed(id)).toMatchObject({ last_used_at: expect.stringMatching(/Z$/) });
    expect(await listed(other.id)).toMatchObject({ last_used_at: null });
  });

  it('are refused after they expire', async () => {
    const { id, caller } = await issue({ expires_at: '2999-01-01T00:00:00Z' });
    expect((await caller.get('/v1/user')).status).toBe(200);
    await service.db.query("update access_tokens set expires_at = clock_timestamp() - interval '1 ms' where id = $1", [
      id,
    ]);
    // Until it is looked up again.
    await eventually(async () => expect((await caller.get('/v1/user')).status).toBe(401), 1_500);
  });

  it('are refused as soon as they are revoked, and stay listed', async () => {
    const { id, caller } = await issue({ organisation_id: org.id });
    expect((await caller.get('/v1/user')).status).toBe(200);
    const { status, text } = await service.admin.delete(`/v1/tokens/${id}`);
    expect([status, text]).toEqual([204, '']);
    // At once, not when the cache looks it up again.
    expect((await caller.get('/v1/user')).status).toBe(401);
    expect(await listed(id)).toMatchObject({ revoked_at: service.clock.now().toISOString() });
  });

  it('are listed by a part of their names, and by what they are good for now', async () => {
    const own = await service.organisation();
    const names = async (query: string, caller = own.admin) =>
      ((await caller.get(`/v1/tokens?${query}`)).body as { name: string }[]).map(({ name }) => name);
    const made = async (name: string) =>
      (await own.admin.post('/v1/tokens', { name, role: 'viewer', expires_at: '2999-01-01T00:00:00Z' })).body.token_id;
    await made('night active');
    const expired = await made('night expired');
    const revoked = await made('night revoked');
    // An expired one stays revoked.
    for (const id of [expired, revoked])
      await service.db.query("update access_tokens set expires_at = clock_timestamp() - interval '1 s' where id = $1", [
        id,
      ]);
    await own.admin.delete(`/v1/tokens/${revoked}`);
    for (const status of ['active', 'expired', 'revoked']) {
      expect(await names(`name=NIGHT&status=${status}`)).toEqual([`night ${status}`]);
      expect((await own.admin.get(`/v1/tokens?name=night ${status}`)).body).toEqual([
        expect.objectContaining({ status, organisation_id: own.id, organisation_name: expect.stringMatching(/^org-/) }),
      ]);
    }
    expect(await names('name=night')).toHaveLength(3);
    expect(await names('name=%25')).toEqual([]);
    expect(await names('name=night', org.admin)).toEqual([]);
    expect(await names('name=night', service.admin)).toHaveLength(3);
    const answer = await own.admin.get('/v1/tokens?status=over');
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'status']);
  });

  it('are listed page by page', async () => {
    const first = await org.admin.get('/v1/tokens?limit=2&status=active');
    expect(first.headers.link).toBe('</v1/tokens?limit=2&status=active&offset=2>; rel="next"');
    expect(first.body).toEqual((await org.admin.get('/v1/tokens?status=active')).body.slice(0, 2));
  });

  it('keep the time of the first revocation', async () => {
    const { id } = await issue({});
    await service.admin.delete(`/v1/tokens/${id}`);
    const first = await listed(id);
    service.clock.advance(60);
    expect((await service.admin.delete(`/v1/tokens/${id.toUpperCase()}`)).status).toBe(204);
    expect(await listed(id)).toEqual(first);
  });

  it('are refused on other replicas too as soon as they are revoked', async () => {
    const replica = await service.replica();
    const { id, raw } = await issue({});
    const forget = jest.spyOn(replica.app.get(TokenVerifier), 'forget');
    const there = new Caller(replica.url, raw);
    expect((await there.get('/v1/user')).status).toBe(200);
    await service.admin.delete(`/v1/tokens/${id}`);
    // The notification travels through the database.
    await eventually(() => expect(forget).toHaveBeenCalledWith(id));
    expect((await there.get('/v1/user')).status).toBe(401);
  });

  it('are refused even if the look-up began before the revocation', async () => {
    const { id, caller } = await issue({});
    const forget = jest.spyOn(service.app.get(TokenVerifier), 'forget');
    // The look-up records the use, so it waits for the locked row; it has already read the token.
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query('select from access_tokens where id = $1 for update', [id]);
      const waiting = caller.get('/v1/user');
      await eventually(async () => {
        const { rows } = await service.db.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        expect(rows).toHaveLength(1);
      });
      await holder.query('update access_tokens set revoked_at = clock_timestamp() where id = $1', [id]);
      // The notification overtakes the result of the look-up.
      await service.db.query('select pg_notify($1, $2)', [TOKEN_REVOKED, id]);
      await eventually(() => expect(forget).toHaveBeenCalledWith(id));
      await holder.query('commit');
      // This request came first; the next one must be refused, so the look-up must not be remembered.
      await waiting;
      expect((await caller.get('/v1/user')).status).toBe(401);
    } finally {
      holder.release();
    }
  });

  it.each([
    ['an unused id', newId()],
    ['a malformed one', 'mine'],
  ])('cannot be revoked when the id is %s', async (_what, id) => {
    const answer = await service.admin.delete(`/v1/tokens/${id}`);
    expect([answer.status, answer.body.code]).toEqual([404, 'token_not_found']);
  });

  it('are listed newest first', async () => {
    service.clock.advance(1);
    const older = await issue({});
    service.clock.advance(1);
    const newer = await issue({});
    const ids = ((await service.admin.get('/v1/tokens')).body as { token_id: string }[]).map(
      ({ token_id }) => token_id,
    );
    expect(ids.slice(0, 2)).toEqual([newer.id, older.id]);
  });

  it.each([
    ['ahead', 7_200, 3_600, 201],
    ['behind', -7_200, -3_600, 400],
  ])(
    "expire by the database's clock when the clock of the process is two hours %s",
    async (_, skew, seconds, status) => {
      const expiresAt = new Date(Date.now() + seconds * 1_000).toISOString();
      service.clock.advance(skew);
      try {
        const answer = await service.admin.post('/v1/tokens', { name: 'x', role: 'viewer', expires_at: expiresAt });
        expect(answer.status).toBe(status);
        if (status === 400)
          expect(answer.body.errors).toEqual([{ field: 'expires_at', message: 'must be in the future' }]);
      } finally {
        service.clock.advance(-skew);
      }
    },
  );

  describe('at the first start', () => {
    it('include the configured one, with the role admin', async () => {
      expect((await service.admin.get('/v1/tokens')).body).toContainEqual(
        expect.objectContaining({ name: 'bootstrap', role: 'admin', expires_at: null }),
      );
    });

    it('are created once, whoever starts again with whatever token', async () => {
      const other = await createApplication(
        { ...service.environment, bootstrapToken: 'another-bootstrap-token' },
        createLogger('silent'),
        service.clock,
      );
      try {
        await other.init();
        expect(await other.get(FirstStart).prepare()).toBeUndefined();
      } finally {
        await other.close();
      }
      expect((await service.as('another-bootstrap-token').get('/v1/user')).status).toBe(401);
      expect((await service.as(ADMIN_TOKEN).get('/v1/user')).status).toBe(200);
    });

    it('include a generated one if none is configured, created by one of several concurrent starts', async () => {
      const empty = await Service.start({ bootstrapToken: undefined });
      try {
        await empty.db.query('delete from organisations');
        const replica = await empty.replica();
        const made = await Promise.all([empty.app, replica.app, empty.app].map((app) => app.get(FirstStart).prepare()));
        const tokens = made.filter((token) => token !== undefined);
        expect(tokens).toEqual([expect.stringMatching(/^ccp_[A-Za-z0-9_-]{43}$/)]);
        expect((await empty.as(tokens[0]).get('/v1/organisations')).body).toHaveLength(1);
      } finally {
        await empty.close();
      }
    });
  });
});
