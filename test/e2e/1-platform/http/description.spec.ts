import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../../../src/1-platform/config/environment';
import { Service } from '../../../support/service';

const PROJECT = join(__dirname, '../../../..');
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(PROJECT, file), 'utf8'));

describe('GET /v1/openapi.json', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  const get = (headers: Record<string, string> = {}) => fetch(`${service.url}/v1/openapi.json`, { headers });

  it('is public, stable, and has an ETag', async () => {
    const [first, second] = [await get(), await get()];
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toMatch(/^application\/json/);
    expect(first.headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await second.text()).toBe(await first.text());
  });

  it('answers 304 when the ETag matches, and the whole document otherwise', async () => {
    const tag = (await get()).headers.get('etag') ?? '';
    // Without this header, the test's client would bypass its own cache.
    const known = await get({ 'if-none-match': tag, 'cache-control': 'max-age=0' });
    expect([known.status, await known.text()]).toEqual([304, '']);
    expect((await get({ 'if-none-match': '"another"', 'cache-control': 'max-age=0' })).status).toBe(200);
  });
});

/** Every setting on which modules, handlers or classes could depend, other than its default. */
const SETTINGS = {
  MARKETPLACE_API_URL: 'http://127.0.0.1:1/v1',
  MARKETPLACE_API_KEY: 'any',
  AUTH_JWKS_URL: 'http://127.0.0.1:1/keys',
  AUTH_ISSUER: 'issuer',
  AUTH_AUDIENCE: 'audience',
  AUTH_CLIENT_ID: 'console',
  AUTH_AUTHORIZATION_URL: 'http://127.0.0.1:1/authorize',
  AUTH_TOKEN_URL: 'http://127.0.0.1:1/token',
  OBJECT_STORAGE_URL: 'http://127.0.0.1:1',
  OBJECT_STORAGE_BUCKET: 'bucket',
  OBJECT_STORAGE_ACCESS_KEY_ID: 'id',
  OBJECT_STORAGE_SECRET_ACCESS_KEY: 'secret',
  PUBLIC_URL: 'http://control.example/plane',
  PLUGINS_PUBLIC: 'false',
  CORS_ORIGINS: '*',
  OBJECT_MAX_BYTES: '1000',
  METRICS_MAX_SERIES: '10',
};

/** As the build writes it: `openapi:check` compares what the build describes with the published file. */
const built = JSON.stringify(readJson('docs/openapi.json'));

describe('the description that a build keeps', () => {
  it.each([
    ['by default', {}],
    ['with all that can be set', SETTINGS],
  ])('is, byte by byte, the one that the modules of a running service give %s', async (_, settings) => {
    const {
      databaseUrl: _url,
      databaseListenUrl: _listen,
      bootstrapToken: _token,
      ...rest
    } = readEnvironment(settings);
    const service = await Service.start(rest);
    try {
      // Tests run the sources, beside which no build has written it: the service describes itself.
      expect((await (await fetch(`${service.url}/v1/openapi.json`)).text()) === built).toBe(true);
    } finally {
      await service.close();
    }
  });
});

describe('GET /docs', () => {
  let service: Service;
  let page: Response;
  let html: string;

  beforeAll(async () => {
    service = await Service.start();
    page = await fetch(`${service.url}/docs`);
    html = await page.text();
  });
  afterAll(() => service.close());

  it('allows scripts and styles of the service only, in files of their own', () => {
    const policy = Object.fromEntries(
      (page.headers.get('content-security-policy') ?? '').split('; ').map((part) => {
        const [name = '', ...sources] = part.split(' ');
        return [name, sources];
      }),
    );
    expect(policy).toMatchObject({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'connect-src': ["'self'"],
      'frame-ancestors': ["'none'"],
      'base-uri': ["'none'"],
    });
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|<script[^>]*>[^<]/);
  });

  it('names files that the service has, which browsers may keep', async () => {
    const files = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.map((file) => file.replace(/\?.*/, '')).sort()).toEqual([
      'docs/docs.css',
      'docs/docs.js',
      'docs/favicon-32x32.png',
      'docs/swagger-ui-bundle.js',
      'docs/swagger-ui.css',
    ]);
    for (const file of files) {
      const answer = await fetch(`${service.url}/${file}`);
      expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ]);
      await answer.arrayBuffer();
    }
    const another = await fetch(`${service.url}/docs/docs.js?another`);
    expect(another.headers.get('cache-control')).toBe('no-cache');
  });

  it('keeps no token beyond the page', async () => {
    const script = await (await fetch(`${service.url}/docs/docs.js`)).text();
    expect(script).toContain('persistAuthorization: false');
    expect(script).toContain("localStorage.removeItem('authorized')");
    expect(script).not.toMatch(/setItem|sessionStorage|document\.cookie/);
  });

  it('shows its groups before any script has run', () => {
    expect([...html.matchAll(/<h2 class="wing">([^<]+)/g)].map(([, name]) => name)).toEqual([
      'Platform',
      'Inventory',
      'Checkpointing',
      'Serving',
      'Traffic',
      'Insight',
      'Cloud',
    ]);
  });

  it('is found with a slash at its end, where relative addresses mean something else', async () => {
    const answer = await fetch(`${service.url}/docs/`);
    expect([answer.status, answer.url]).toEqual([200, `${service.url}/docs`]);
  });
});
