import express from 'express';
import supertest from 'supertest';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { BuiltConsole } from '../../src/console/built-console';
import { addConsole, BUILT } from '../../src/console/console-routes';
import { buildConsole } from '../support/built-console';
import { Service } from '../support/service';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Directives of a Content-Security-Policy. */
const policyOf = (header: string | undefined): Record<string, string[]> =>
  Object.fromEntries(
    (header ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources];
    }),
  );

describe('the console', () => {
  let service: Service;
  let html: string;

  beforeAll(async () => {
    buildConsole();
    service = await Service.start();
    html = (await supertest(service.url).get('/console')).text;
  });
  afterAll(() => service.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    supertest(service.url)
      .get(path)
      .set(headers)
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks)));
      });
  const assets = () => [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

  it('is served at its address, at every address below it, and to programs that ask for anything', async () => {
    for (const path of ['/console', '/console/', '/console/operations', '/console/operations/no-such-id?tab=x']) {
      const { status, headers, text } = await supertest(service.url).get(path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(text).toContain('<div id="root"></div>');
      expect(headers['cache-control']).toBe('no-store');
    }
    expect((await supertest(service.url).head('/console')).status).toBe(200);
    expect((await supertest(service.url).post('/console')).status).toBe(404);
  });

  it('is where browsers go that ask for the top, while programs still find nothing there', async () => {
    const browser = await supertest(service.url).get('/').set('accept', BROWSER);
    expect([browser.status, browser.headers.location, browser.headers.vary]).toEqual([302, '/console', 'Accept']);
    for (const accept of ['*/*', 'application/json']) {
      const program = await supertest(service.url).get('/').set('accept', accept);
      expect([program.status, program.body.code]).toEqual([404, 'not_found']);
    }
  });

  it('allows its own files only, and scripts and styles inside the page only with the nonce of this answer', async () => {
    const policies = [];
    for (let time = 0; time < 2; time++) {
      const { headers, text } = await supertest(service.url).get('/console');
      const policy = policyOf(headers['content-security-policy']);
      const nonce = /'nonce-([^']+)'/.exec(policy['script-src']?.join(' ') ?? '')?.[1] ?? '';
      expect(policy).toEqual({
        'default-src': ["'none'"],
        'script-src': ["'self'", `'nonce-${nonce}'`],
        'style-src': ["'self'", `'nonce-${nonce}'`],
        'img-src': ["'self'"],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      });
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      expect(text).toContain(`nonce="${nonce}"`);
      expect(text).not.toContain('__CSP_NONCE__');
      // Each script and style of the page itself has it, and nothing names another host.
      for (const [tag] of text.matchAll(/<(?:script|style)\b[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`);
      expect(text).not.toMatch(/\s(?:style|on\w+)=|https?:\/\//);
      policies.push(nonce);
    }
    expect(policies[0]).not.toBe(policies[1]);
  });

  it('lets the page reach the token address of the identity provider, where one is configured', () => {
    const tokenUrl = 'https://tokens.example/oauth/token';
    const signIn = { clientId: 'c', authorizationUrl: 'https://login.example/', tokenUrl, scope: 'openid' };
    const jwt = { jwksUrl: '', issuer: '', audience: '', organisationClaim: '', roleClaim: '', signIn };
    const app = express();
    addConsole(app, BuiltConsole.read(BUILT), { ...readEnvironment({}), jwt });
    return supertest(app)
      .get('/console')
      .expect(({ headers }) =>
        expect(policyOf(headers['content-security-policy'])['connect-src']).toEqual([
          "'self'",
          'https://tokens.example',
        ]),
      );
  });

  it('has files that browsers may keep for ever, each with a tag', async () => {
    expect(assets().length).toBeGreaterThan(2);
    for (const path of assets()) {
      const { status, headers } = await get(path);
      expect([path, status, headers['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
      const again = await get(path, { 'if-none-match': headers.etag ?? '', 'cache-control': 'max-age=0' });
      expect([again.status, (again.body as Buffer).length]).toEqual([304, 0]);
    }
  });

  it('sends its files compressed as the client accepts it, without compressing anything itself', async () => {
    const path = assets().find((one) => one.endsWith('.js')) ?? '';
    const plain = await get(path, { 'accept-encoding': 'identity' });
    const script = plain.body as Buffer;
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    const tags = new Set([plain.headers.etag]);
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['deflate', undefined],
      ['br;q=0, gzip', 'gzip'],
    ] as const) {
      const answer = await fetch(service.url + path, { headers: { 'accept-encoding': accepted } });
      expect([accepted, answer.headers.get('content-encoding') ?? undefined]).toEqual([accepted, sent]);
      expect(Buffer.from(await answer.arrayBuffer()).equals(script)).toBe(true);
      if (sent) expect(Number(answer.headers.get('content-length'))).toBeLessThan(script.length / 2);
      tags.add(answer.headers.get('etag') ?? '');
    }
    expect(tags.size).toBe(3);
  });

  it('refuses files that it does not have, and never looks outside of its folder', async () => {
    const names = ['no-such.js', '..%2findex.html', '%2e%2e%2f%2e%2e%2fpackage.json', 'index.html', ''];
    for (const name of names) {
      const { status, headers } = await supertest(service.url).get(`/console/assets/${name}`);
      // An empty name is a page of the application, which says that it has no such page.
      if (name === '') expect(status).toBe(200);
      else
        expect([name, status, headers['content-type']]).toEqual([name, 404, 'application/problem+json; charset=utf-8']);
    }
  });

  it('is no operation of the API', async () => {
    const { paths } = (await supertest(service.url).get('/v1/openapi.json')).body as { paths: object };
    expect(Object.keys(paths).filter((path) => !path.startsWith('/v1') && path.includes('console'))).toEqual([]);
  });
});

describe('a service whose console was not built', () => {
  const app = express();
  app.use((request, _response, next) => {
    Object.assign(request, { requestId: 'r-1' });
    next();
  });
  addConsole(app, undefined, readEnvironment({}));

  it('says so at every address of the console, and how to build it', async () => {
    for (const path of ['/console', '/console/operations']) {
      const { status, body } = await supertest(app).get(path);
      expect([status, body]).toEqual([503, expect.objectContaining({ code: 'console_not_built', instance: 'r-1' })]);
      expect(body.detail).toContain('npm run console:build');
    }
    expect((await supertest(app).get('/console/assets/index.js')).status).toBe(404);
  });
});
