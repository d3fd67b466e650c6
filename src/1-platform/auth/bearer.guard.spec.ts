import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Environment } from '../config/environment';
import { OPERATION } from '../endpoints/operation.decorator';
import { bearerOf, BearerGuard } from './bearer.guard';
import type { JwtVerifier } from './bearers/jwt-verifier';
import type { KeyVerifier } from './bearers/key-verifier';
import type { TokenVerifier } from './bearers/token-verifier';
import type { Caller } from './caller';
import type { OrgRequest } from './org-context';

describe('the bearer of a request', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer   a.b-c_d~e+f/g=  ', 'a.b-c_d~e+f/g='],
    [`Bearer ${'x'.repeat(8_192)}`, 'x'.repeat(8_192)],
    [`Bearer ${'x'.repeat(8_193)}`, undefined],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    ['Bearer ä', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is read from %j', (header, bearer) => {
    expect(bearerOf(header)).toBe(bearer);
  });
});

describe('the guard of an operation', () => {
  const callers: Readonly<Record<string, Caller>> = Object.fromEntries(
    (['admin', 'operator', 'viewer', 'controller', 'key'] as const).map((role) => [
      role,
      { orgId: 'org', actorId: `the ${role}`, role, scope: 'organisation' },
    ]),
  );
  const everyone = { ...callers, owner: { ...callers.admin!, scope: 'platform' } as Caller };
  /** Who verifies which bearers, and in which order they were asked. */
  let asked: string[];
  /** The last request, also if it was refused. */
  let last: OrgRequest;
  let response: { headersSent: boolean; readonly headers: Record<string, string> };

  const verifier = <Verifier>(name: string, known: Readonly<Record<string, Caller>>): Verifier =>
    ({
      verify: (bearer: string) => {
        asked.push(name);
        return Promise.resolve(known[bearer]);
      },
    }) as Verifier;

  beforeEach(() => {
    asked = [];
    response = { headersSent: false, headers: {} };
  });

  /** @returns what the guard made of the request; throws what it throws */
  async function passes(
    declaration: object,
    bearer?: string,
    { pluginsPublic = true, headers = {}, ...request }: Partial<OrgRequest> & { pluginsPublic?: boolean } = {},
  ): Promise<OrgRequest> {
    const handler = (): void => undefined;
    SetMetadata(OPERATION, { id: 'do_things', ...declaration })(handler);
    const guard = new BearerGuard(
      new Reflector(),
      verifier<TokenVerifier>('tokens', { token: callers.viewer!, both: callers.viewer! }),
      verifier<KeyVerifier>('keys', { ...everyone, both: callers.admin! }),
      verifier<JwtVerifier>('jwts', { jwt: callers.operator! }),
      { pluginsPublic } as Environment,
    );
    const req = {
      method: 'GET',
      requestId: 'request-1',
      route: { path: '/v1/things/:id' },
      headers: { ...headers, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
      ...request,
    } as OrgRequest;
    last = req;
    const http = {
      getRequest: () => req,
      getResponse: () => ({
        get headersSent() {
          return response.headersSent;
        },
        setHeader: (name: string, value: string) => (response.headers[name.toLowerCase()] = value),
      }),
    };
    const context = { switchToHttp: () => http, getHandler: () => handler } as unknown as ExecutionContext;
    expect(await guard.canActivate(context)).toBe(true);
    return req;
  }
  const refused = async (...all: Parameters<typeof passes>): Promise<unknown> =>
    passes(...all).then(
      () => undefined,
      (error: unknown) => error,
    );

  it('names the operation and its caller to everything behind it', async () => {
    const request = await passes({ access: 'read' }, 'viewer');
    expect(request).toMatchObject({ routeTemplate: '/v1/things/:id', orgId: 'org' });
    expect(request.orgContext).toEqual({ ...callers.viewer, operation: 'do_things', requestId: 'request-1' });
  });

  it('asks for keys first, then for tokens, and then for those of an identity provider', async () => {
    expect((await passes({ access: 'read' }, 'both')).orgContext?.role).toBe('admin');
    expect(asked).toEqual(['keys']);
    expect((await passes({ access: 'read' }, 'token')).orgContext?.role).toBe('viewer');
    expect((await passes({ access: 'read' }, 'jwt')).orgContext?.role).toBe('operator');
    expect(asked).toEqual(['keys', 'keys', 'tokens', 'keys', 'tokens', 'jwts']);
  });

  it('lets everybody call public operations, and looks no bearer up', async () => {
    expect((await passes({ access: 'public' }, 'viewer')).orgContext).toBeUndefined();
    expect((await passes({ access: 'installers' })).orgContext).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it.each([undefined, 'invented'])('answers 401 to the bearer %j, and says which kind it needs', async (bearer) => {
    const problem = { status: 401, code: 'unauthenticated', headers: { 'www-authenticate': 'Bearer' } };
    expect(await refused({ access: 'read' }, bearer)).toMatchObject(problem);
    expect(await refused({ access: 'installers' }, bearer, { pluginsPublic: false })).toMatchObject(problem);
    expect(asked).toHaveLength(bearer === undefined ? 0 : 6);
  });

  it.each([
    ['platform', ['owner'], 'An admin of organisation scope'],
    ['admin', ['owner', 'admin'], 'The role operator'],
    ['operate', ['owner', 'admin', 'operator'], 'The role viewer'],
    ['control', ['owner', 'admin', 'controller'], 'The role operator'],
    ['read', ['owner', 'admin', 'operator', 'viewer', 'controller'], 'An inference key'],
    ['infer', ['owner', 'admin', 'operator', 'key'], 'The role viewer'],
    ['key', ['key'], 'The role admin'],
  ])('lets those call it who have the access: %s', async (access, may, reason) => {
    const problems = new Map<string, unknown>();
    for (const who of Object.keys(everyone)) problems.set(who, await refused({ access }, who));
    expect([...problems].filter(([, problem]) => problem === undefined).map(([who]) => who)).toEqual(
      Object.keys(everyone).filter((who) => may.includes(who)),
    );
    const messages = [...problems.values()].filter(Boolean);
    for (const problem of messages) expect(problem).toMatchObject({ status: 403, code: 'forbidden' });
    expect(messages).toContainEqual(expect.objectContaining({ message: `${reason} may not call do_things.` }));
  });

  it('refuses in the format of the operation, as soon as the caller may have it', async () => {
    const formats = { access: 'operate', openAiErrors: true, statusErrors: true };
    expect(await passes(formats, 'operator')).toMatchObject({ openAiErrors: true, statusErrors: true });
    expect(await passes({ access: 'operate' }, 'operator')).toMatchObject({ openAiErrors: false, statusErrors: false });
    expect(await refused(formats, 'viewer')).toMatchObject({ status: 403 });
    expect([last.openAiErrors, last.statusErrors]).toEqual([true, undefined]);
  });

  it('lets reads lag where the operation or the caller accepts that, and tells the longest lag', async () => {
    const read = (mayLag: boolean, cacheControl?: string) =>
      passes({ access: 'read', mayLag }, 'viewer', cacheControl ? { headers: { 'cache-control': cacheControl } } : {});
    for (const { orgContext } of [await read(false), await read(true, 'no-cache')])
      expect(orgContext).not.toHaveProperty('lagged');
    expect((await read(false, 'max-stale=2')).orgContext).toMatchObject({ maxLagMs: 2_000 });
    const { orgContext } = await read(true);
    expect(orgContext?.maxLagMs).toBe(Infinity);
    for (const lagMs of [20, 50, 30]) orgContext?.lagged?.(lagMs);
    expect(Object.values(response.headers)).toEqual(['50']);
    // Too late for a header.
    response.headersSent = true;
    orgContext?.lagged?.(80);
    expect(Object.values(response.headers)).toEqual(['50']);
  });
});
