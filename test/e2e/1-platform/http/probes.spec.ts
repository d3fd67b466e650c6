import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { register } from 'prom-client';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { passTime } from '../../../support/monotonic-time';
import { Service } from '../../../support/service';

const CALLS = 200;

describe('public probes', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const ready = () => service.as(undefined).get('/readyz');
  const scrape = () => service.as(undefined).get('/metrics');

  it('query the database at most four times a second, however many clients call /readyz', async () => {
    const run = jest.spyOn(service.app.get(StatementPool), 'run');
    const pings = () => run.mock.calls.filter(([{ name }]) => name === 'readiness').length;
    const began = performance.now();
    for (let call = 0; call < CALLS; call++) expect((await ready()).status).toBe(200);
    await Promise.all(Array.from({ length: CALLS }, ready));
    expect(pings()).toBeGreaterThan(0);
    expect(pings()).toBeLessThanOrEqual(2 + (performance.now() - began) / 250);
  });

  it('report failure within a second of the last success', async () => {
    expect((await ready()).status).toBe(200);
    jest.spyOn(service.app.get(StatementPool), 'run').mockRejectedValue(new Error('no connection'));
    await sleep(300);
    expect((await ready()).body.details.database).toEqual({ status: 'down', message: 'unreachable' });
    jest.restoreAllMocks();
    await sleep(300);
    expect((await ready()).status).toBe(200);
  });

  it('render the metrics once for all simultaneous callers, and rarely in a row', async () => {
    const written = jest.spyOn(register, 'metrics');
    const began = performance.now();
    const texts = new Set<string>();
    for (let call = 0; call < CALLS; call++) texts.add((await scrape()).text);
    const atOnce = await Promise.all(Array.from({ length: CALLS }, scrape));
    const bound = 22 + (performance.now() - began) / 1_000;
    expect(written.mock.calls.length).toBeGreaterThan(1);
    expect(written.mock.calls.length).toBeLessThanOrEqual(bound);
    expect(texts.size).toBeLessThanOrEqual(bound);
    for (const { status, text, headers } of atOnce) {
      expect([status, headers['content-type']]).toEqual([200, register.contentType]);
      expect(text).toContain('# TYPE http_responses_total counter');
    }
  });

  it('keep their connection open for the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    for (const path of ['/metrics', '/metrics', '/readyz', '/metrics']) {
      const request = get(`${service.url}${path}`, { agent }).once('socket', (socket) => sockets.add(socket));
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      await once(response.resume(), 'end');
      // The connection is free again, and the response was counted.
      await sleep(50);
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  it('show what changed between two scrapes', async () => {
    // However often the metrics were requested before, they may be rendered again now.
    passTime(3_000);
    const count = async () => /^http_responses_total\{class="4xx"\} (\d+)$/m.exec((await scrape()).text)?.[1];
    const before = Number(await count());
    await service.as(undefined).get('/v1/cluster');
    expect(Number(await count())).toBe(before + 1);
  });
});
