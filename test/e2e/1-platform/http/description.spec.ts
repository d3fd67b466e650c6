import { Service } from '../../../support/service';

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
