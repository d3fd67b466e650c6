import { generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import { v5 } from 'uuid';
import { newId } from '../../../../src/1-platform/common/ids';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { eventually } from '../../../support/eventually';
import { KeyServer } from '../../../support/key-server';
import { onThisMachine } from '../../../support/machine';
import { Service, type Organisation } from '../../../support/service';

const ISSUER = 'https://identity.example/';
const AUDIENCE = 'control-plane';

const SIGN_IN = {
  clientId: 'console',
  authorizationUrl: 'https://identity.example/authorize',
  tokenUrl: 'https://tokens.example/token',
  scope: 'openid profile',
};

describe('a JWT as bearer', () => {
  let provider: KeyServer;
  let service: Service;
  let org: Organisation;
  let rsa: CryptoKey;
  let ec: CryptoKey;

  const settings = (jwksUrl: string) => ({
    jwt: {
      jwksUrl,
      issuer: ISSUER,
      audience: AUDIENCE,
      organisationClaim: 'tenant',
      roleClaim: 'https://ccp/role',
      signIn: SIGN_IN,
    },
  });

  beforeAll(async () => {
    provider = await KeyServer.start();
    rsa = await provider.add('rsa-1', 'RS256');
    ec = await provider.add('ec-1', 'ES256');
    service = await Service.start(settings(provider.url));
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    await provider.close();
  });

  const claims = (changes: JWTPayload = {}): JWTPayload => ({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: newId(),
    exp: Math.floor(Date.now() / 1_000) + 300,
    tenant: org.id,
    'https://ccp/role': 'operator',
    ...changes,
  });
  const sign = (
    payload: JWTPayload,
    key: CryptoKey | Uint8Array = rsa,
    header: { alg: string; kid?: string } = { alg: 'RS256', kid: 'rsa-1' },
  ) => new SignJWT(payload).setProtectedHeader(header).sign(key);
  const status = async (token: string) => (await service.as(token).get('/v1/cluster')).status;

  it('is accepted with its organisation, role and subject', async () => {
    const sub = newId();
    const caller = service.as(await sign(claims({ sub })));
    const cluster = await caller.post('/v1/cluster', { cluster_name: 'of the JWT' });
    expect((await org.viewer.get('/v1/cluster')).body).toEqual([expect.objectContaining({ id: cluster.text })]);
    expect((await org.operator.get('/v1/audit?limit=1')).body).toEqual([
      expect.objectContaining({ actor_id: sub, actor_role: 'operator', resource_id: cluster.text }),
    ]);
  });

  it('is accepted with any key of the set, and with one audience among several', async () => {
    expect(await status(await sign(claims(), ec, { alg: 'ES256', kid: 'ec-1' }))).toBe(200);
    expect(await status(await sign(claims({ aud: ['other', AUDIENCE] })))).toBe(200);
    expect(await status(await sign(claims({ tenant: org.id.toUpperCase() })))).toBe(200);
  });

  it('grants exactly what its role allows', async () => {
    for (const role of ['admin', 'operator', 'viewer', 'controller']) {
      const caller = service.as(await sign(claims({ 'https://ccp/role': role })));
      const forbidden = (await caller.post('/v1/cluster', {})).status === 403;
      expect([role, forbidden]).toEqual([role, role === 'viewer']);
    }
  });

  it.each([newId(), 'auth0|jane', 'jané 🧪'])('has the UUIDv5 of its issuer and subject as its id: %s', async (sub) => {
    const id = async (changes: JWTPayload) => {
      const { status, text, headers } = await service.as(await sign(claims(changes))).get('/v1/user');
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      return text;
    };
    const own = await id({ sub });
    expect(own).toBe(v5(sub, v5(ISSUER, v5.URL)));
    expect(await id({ sub, 'https://ccp/role': 'viewer' })).toBe(own);
    expect(await id({ sub: `${sub}.` })).not.toBe(own);
  });

  it('has its subject as its name, for callers that accept JSON only', async () => {
    const caller = service.as(await sign(claims({ sub: 'auth0|jane' })));
    const { status, body, headers } = await caller.get('/v1/user', { accept: 'application/json' });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      id: (await caller.get('/v1/user')).text,
      name: 'auth0|jane',
      role: 'operator',
      scope: 'organisation',
      organisation_id: org.id,
    });
  });

  it('is what the sign-in promises to people, before they have a bearer', async () => {
    const { status, body } = await service.as(undefined).get('/v1/user/sign-in');
    expect([status, body]).toEqual([
      200,
      {
        identity_provider: {
          issuer: ISSUER,
          client_id: 'console',
          authorization_url: 'https://identity.example/authorize',
          token_url: 'https://tokens.example/token',
          scope: 'openid profile',
        },
      },
    ]);
  });

  it('grants access to its own organisation only, whatever it claims', async () => {
    const caller = service.as(
      await sign(claims({ 'https://ccp/role': 'admin', scope: 'platform', 'https://ccp/scope': 'platform' })),
    );
    expect((await caller.post('/v1/organisations', { name: newId() })).status).toBe(403);
    const token = { name: 'x', role: 'admin' };
    expect((await caller.post('/v1/tokens', { ...token, scope: 'platform' })).status).toBe(403);
    expect((await caller.get('/v1/organisations')).body).toEqual([expect.objectContaining({ id: org.id })]);
    expect((await caller.post('/v1/tokens', token)).body).toMatchObject({
      scope: 'organisation',
      organisation_id: org.id,
    });
  });

  it.each<[string, () => JWTPayload]>([
    ['another issuer', () => ({ iss: 'https://evil.example/' })],
    ['no issuer', () => ({ iss: undefined })],
    ['another audience', () => ({ aud: 'another-service' })],
    ['no audience', () => ({ aud: undefined })],
    ['an expiry in the past', () => ({ exp: Math.floor(Date.now() / 1_000) - 1 })],
    ['no expiry', () => ({ exp: undefined })],
    ['a time before which it is not valid', () => ({ nbf: Math.floor(Date.now() / 1_000) + 300 })],
    ['no subject', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject that cannot be stored', () => ({ sub: 'a\u0000b' })],
    ['a subject of 5,000 characters', () => ({ sub: 'x'.repeat(5_000) })],
    ['no organisation', () => ({ tenant: undefined })],
    ['an organisation that is not a UUID', () => ({ tenant: 'default' })],
    ['an organisation that does not exist', () => ({ tenant: newId() })],
    ['several organisations', () => ({ tenant: [org.id] })],
    ['no role', () => ({ 'https://ccp/role': undefined })],
    ['an unknown role', () => ({ 'https://ccp/role': 'root' })],
    ['several roles', () => ({ 'https://ccp/role': ['admin'] })],
    ['the claims under other names', () => ({ tenant: undefined, organisation: org.id, role: 'admin' })],
  ])('is refused with %s', async (_what, changes) => {
    expect(await status(await sign(claims(changes())))).toBe(401);
  });

  describe('is refused if it is forged', () => {
    it('refuses a JWT without a signature', async () => {
      expect(await status(new UnsecuredJWT(claims()).encode())).toBe(401);
      const [, payload] = (await sign(claims())).split('.');
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      for (const token of [`${none}.${payload}.`, `${none}.${payload}.x`, `${none}.${payload}`])
        expect(await status(token)).toBe(401);
    });

    it('refuses a JWT that is signed with the public key as a shared secret', async () => {
      for (const kid of ['rsa-1', 'ec-1', undefined]) {
        const secret = new TextEncoder().encode(JSON.stringify(provider.publicKey('rsa-1')));
        const token = await sign(claims(), secret, { alg: 'HS256', ...(kid ? { kid } : {}) });
        expect(await status(token)).toBe(401);
      }
    });

    it('refuses a JWT that is signed with the key of a stranger', async () => {
      const { privateKey } = await generateKeyPair('RS256');
      expect(await status(await sign(claims(), privateKey))).toBe(401);
      expect(await status(await sign(claims(), privateKey, { alg: 'RS256', kid: 'unknown' }))).toBe(401);
    });

    it('refuses a JWT with other claims under a valid signature', async () => {
      const [header, payload, signature] = (await sign(claims({ 'https://ccp/role': 'viewer' }))).split('.');
      const changed = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()) as JWTPayload;
      const forged = Buffer.from(JSON.stringify({ ...changed, 'https://ccp/role': 'admin' })).toString('base64url');
      expect(await status(`${header}.${forged}.${signature}`)).toBe(401);
    });

    it.each(['a.b.c', '..', 'eyJhbGciOiJSUzI1NiJ9.e30.x', 'e30.e30.e30'])(
      'refuses the malformed JWT %s',
      async (token) => {
        expect(await status(token)).toBe(401);
      },
    );
  });

  it('is refused like any unknown token if no provider is configured', async () => {
    const without = await Service.start();
    try {
      expect((await without.as(await sign(claims())).get('/v1/cluster')).status).toBe(401);
    } finally {
      await without.close();
    }
  });

  describe('while the key set cannot be read', () => {
    let token: string;
    beforeAll(async () => {
      token = await sign(claims());
    });

    const expectUnavailable = async (jwksUrl: string): Promise<void> => {
      const lonely = await Service.start(settings(jwksUrl));
      try {
        const answer = await lonely.as(token).get('/v1/cluster');
        expect([answer.status, answer.body.code]).toEqual([503, 'identity_provider_unavailable']);
        expect(answer.headers['retry-after']).toBe('1');
        expect(answer.text).not.toContain(jwksUrl);
        // Access tokens do not need the provider.
        expect((await lonely.admin.get('/v1/cluster')).status).toBe(200);
        // A bearer that is not a JWT is refused without asking the provider.
        expect((await lonely.as('some.thing').get('/v1/cluster')).status).toBe(401);
      } finally {
        await lonely.close();
      }
    };

    it('answers 503 when nothing listens', async () => {
      const gone = await KeyServer.start();
      const { url } = gone;
      await gone.close();
      await expectUnavailable(url);
    });

    it.each(['error', 'html', 'no keys', 'silence'] as const)(
      'answers 503 when the provider replies with %s',
      async (answer) => {
        const failing = await KeyServer.start();
        failing.answer = answer;
        try {
          await expectUnavailable(failing.url);
          expect(failing.asked).toBeGreaterThan(0);
        } finally {
          await failing.close();
        }
      },
    );

    it('holds no place for which callers with access tokens wait', async () => {
      const silent = await KeyServer.start();
      silent.answer = 'silence';
      const other = await Service.start(settings(silent.url));
      try {
        const { request, stranger } = other.app.get(Admission).limits.lanes;
        expect((await other.admin.get('/v1/cluster')).status).toBe(200);
        const waiting = Array.from({ length: 60 }, () => other.as(token).get('/v1/cluster'));
        await eventually(() => expect(request.admitted + stranger.admitted).toBeGreaterThan(60));
        await eventually(() => expect([request.held, stranger.held]).toEqual([0, 0]));
        const began = performance.now();
        expect((await other.admin.get('/v1/cluster')).status).toBe(200);
        expect(performance.now() - began).toBeLessThan(onThisMachine(1_000));
        for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
        expect(silent.asked).toBe(1);
      } finally {
        await other.close();
        await silent.close();
      }
    });

    it('is accepted again as soon as the provider recovers', async () => {
      const failing = await KeyServer.start();
      const key = await failing.add('rsa-1', 'RS256');
      failing.answer = 'error';
      const other = await Service.start(settings(failing.url));
      try {
        const organisation = await other.organisation();
        const bearer = await sign(claims({ tenant: organisation.id }), key);
        expect((await other.as(bearer).get('/v1/cluster')).status).toBe(503);
        failing.answer = 'keys';
        // The provider is left alone for as long as clients wait before they try again.
        await eventually(async () => expect((await other.as(bearer).get('/v1/cluster')).status).toBe(200));
        // The keys are cached now: the provider may fail again.
        failing.answer = 'error';
        expect((await other.as(bearer).get('/v1/cluster')).status).toBe(200);
      } finally {
        await other.close();
        await failing.close();
      }
    });
  });
});
