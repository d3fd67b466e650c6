import { register } from 'prom-client';
import { newId } from '../../../../src/1-platform/common/ids';
import { TransactionPool } from '../../../../src/1-platform/database/connections/database-pool';
import { operations } from '../../../support/description';
import { eventually } from '../../../support/eventually';
import { read, write } from '../../../support/outbox';
import { HEADERS_1 } from '../../../support/remote-write';
import { Service, type Answer, type Organisation } from '../../../support/service';

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const parse = (text: string): Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });

describe('/metrics', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    // Other specs have used the same registry.
    register.resetMetrics();
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const scrape = async (): Promise<Sample[]> => {
    const { status, text, headers } = await service.as(undefined).get('/metrics');
    expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, 'text/plain']);
    return parse(text);
  };
  const durations = (samples: Sample[]) => samples.filter(({ name }) => name === 'http_request_duration_seconds_count');

  it('has the same few series before and after use', async () => {
    const series = (samples: Sample[]) =>
      samples
        // Some series of the runtime appear and disappear with its activity.
        .filter(({ name }) => !/^(nodejs|process)_/.test(name))
        .map(({ name, labels }) => JSON.stringify([name, labels]))
        .sort();
    const before = series(await scrape());
    // Of what this test does not use: they exist before the first chat or request to a marketplace.
    for (const labels of [{ start_kind: 'warm' }, { start_kind: 'restore' }, { start_kind: 'cold' }])
      expect(before).toContain(JSON.stringify(['inference_first_byte_seconds_count', labels]));
    for (const operation of ['list', 'types', 'info', 'create', 'delete']) {
      expect(before).toContain(JSON.stringify(['marketplace_ask_seconds_count', { operation }]));
      for (const outcome of ['done', 'refused', 'silent', 'defect'])
        expect(before).toContain(JSON.stringify(['marketplace_asks_total', { operation, outcome }]));
    }
    await write(service.app, org.id, {});
    await read(org.controller, { consumer_id: `consumer-of-${org.id}` });
    await org.controller.send('post', '/v1/metrics/write', Buffer.from('nothing'), HEADERS_1);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'OPTIONS'])
      for (const path of ['/v1/cluster', `/v1/cluster/${newId()}`, '/no/such/path', '/metrics'])
        await fetch(`${service.url}${path}`, { method, headers: { authorization: `Bearer ${org.operator.token}` } });
    const { text } = await service.as(undefined).get('/metrics');
    expect(series(parse(text))).toEqual(before);
    expect(text).not.toContain(org.id);
    expect(text).not.toContain('consumer-of');
    expect(text.length).toBeLessThan(400_000);
  });

  it('measures requests by method and route template', async () => {
    const count = async () =>
      durations(await scrape()).find(({ labels }) => labels.route === '/v1/operations/:id' && labels.method === 'GET')
        ?.value;
    const before = (await count()) ?? NaN;
    for (let request = 0; request < 3; request++) await org.viewer.get(`/v1/operations/${newId()}`);
    expect(await count()).toBe(before + 3);
  });

  it('counts responses by status class', async () => {
    const count = async (of: string) =>
      (await scrape()).find(({ name, labels }) => name === 'http_responses_total' && labels.class === of)?.value ?? NaN;
    const before = [await count('2xx'), await count('4xx')] as const;
    for (let request = 0; request < 3; request++) await org.viewer.get(`/v1/operations/${newId()}`);
    // Each scrape is a response too.
    expect(await count('2xx')).toBe(before[0] + 2);
    expect(await count('4xx')).toBe(before[1] + 3);
  });

  it('has no label that a caller can choose', async () => {
    const secret = newId();
    await org.viewer.get(`/v1/${secret}`);
    await service.as(undefined).get(`/v1/actions/${secret}?x=${secret}`);
    await org.operator.delete(`/v1/cluster/${secret}`);
    await org.viewer.send('propfind', `/v1/${secret}`, undefined, { 'x-request-id': secret });
    const samples = await scrape();
    expect(JSON.stringify(samples)).not.toContain(secret);
    expect(JSON.stringify(samples)).not.toContain(org.id);
    const described = operations().map(({ path }) => path.replace(/\{([^}]+)\}/g, ':$1'));
    // Operations that are served but not described are declared in the code as well.
    type Express = { router: { stack: { route?: { path: string } }[] } };
    const { router } = service.app.getHttpAdapter().getInstance() as unknown as Express;
    const served = router.stack.map(({ route }) => route?.path);
    const known = new Set<string | undefined>([...described, ...served, 'unknown']);
    for (const { labels } of durations(samples)) {
      expect(Object.keys(labels).sort()).toEqual(['method', 'route']);
      expect([labels.route, known.has(labels.route)]).toEqual([labels.route, true]);
    }
    expect(durations(samples).map(({ labels }) => labels.route)).toContain('unknown');
  });

  it('shows the connection pools', async () => {
    await org.viewer.get('/v1/cluster');
    const pools = (await scrape()).filter(({ name }) => name === 'database_pool_connections');
    expect(pools.map(({ labels }) => `${labels.pool} ${labels.state}`).sort()).toEqual(
      ['statements', 'transactions'].flatMap((pool) => ['busy', 'idle', 'waiting'].map((state) => `${pool} ${state}`)),
    );
    const idle = pools.filter(({ labels }) => labels.state === 'idle');
    for (const { value } of idle) expect(value).toBeGreaterThanOrEqual(1);
  });

  it('shows connections that are in use, and callers that wait for one', async () => {
    const { databasePoolSize } = service.environment;
    const pool = service.app.get(TransactionPool);
    const used = await Promise.all(Array.from({ length: databasePoolSize }, () => pool.connect()));
    const asked: Promise<Answer>[] = [];
    try {
      await eventually(async () => {
        // One more each time: after a second, a caller waits no longer.
        asked.push(org.viewer.get('/v1/cluster'));
        const samples = await scrape();
        const inState = (wanted: string) =>
          samples.find(
            ({ name, labels: { pool: of, state } }) =>
              name === 'database_pool_connections' && of === 'transactions' && state === wanted,
          )?.value;
        expect(inState('busy')).toBe(databasePoolSize);
        expect(inState('waiting')).toBeGreaterThan(0);
      });
    } finally {
      for (const client of used) client.release();
    }
    await Promise.all(asked);
  });

  it('shows the event loop, memory and garbage collection', async () => {
    const names = new Set((await scrape()).map(({ name }) => name));
    for (const name of [
      'nodejs_eventloop_lag_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
      'process_resident_memory_bytes',
      'process_cpu_user_seconds_total',
    ])
      expect([name, names.has(name)]).toEqual([name, true]);
  });
});
