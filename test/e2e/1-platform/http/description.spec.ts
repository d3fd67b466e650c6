import { Service } from '../../../support/service';

describe('GET /v1/openapi.json', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  const get = (headers: Record<string, string> = {}) => fetch(`${service.url}/v1/openapi.json`, { headers });

  it('is open to everybody, the same each time, and has a tag', async () => {
    const [first, second] = [await get(), await get()];
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toMatch(/^application\/json/);
    expect(first.headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await second.text()).toBe(await first.text());
  });

  it('answers 304 to a client that has it, and the whole to one that has another', async () => {
    const tag = (await get()).headers.get('etag') ?? '';
    // Of the client here: it would ask past its own cache otherwise.
    const known = await get({ 'if-none-match': tag, 'cache-control': 'max-age=0' });
    expect([known.status, await known.text()]).toEqual([304, '']);
    expect((await get({ 'if-none-match': '"another"', 'cache-control': 'max-age=0' })).status).toBe(200);
  });
});
