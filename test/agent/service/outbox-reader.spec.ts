import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createLogger } from '../../../src/1-platform/common/logger';
import { Admission } from '../../../src/1-platform/http/admission/admission';
import { Draining } from '../../../src/1-platform/http/admission/draining';
import { createApplication } from '../../../src/application';
import { newId } from '../../../src/1-platform/common/ids';
import { ServiceClient } from '../../../src/agent/service/client';
import {
  OutboxReader,
  type Cursor,
  type OutboxEvent,
  type OutboxHandler,
} from '../../../src/agent/service/outbox-reader';
import { eventually } from '../../support/eventually';
import { write } from '../../support/outbox';
import { Service, type Organisation } from '../../support/service';

const QUICK = { attempts: 3, firstPauseMs: 5, longestPauseMs: 20 };

/** A cursor in memory that outlives its reader, as a file does. */
class MemoryCursor implements Cursor {
  constructor(public at?: number) {}
  load = () => Promise.resolve(this.at);
  save = (eventId: number) => {
    this.at = eventId;
    return Promise.resolve();
  };
}

describe('the reader of the outbox', () => {
  let service: Service;
  let org: Organisation;
  const running: { stop: AbortController; ended: Promise<void> }[] = [];

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterEach(async () => {
    for (const { stop, ended } of running.splice(0)) {
      stop.abort();
      await ended;
    }
  });
  afterAll(() => service.close());

  const read = (
    cursor: Cursor,
    handler: Partial<OutboxHandler> = {},
    { url, waitMs }: { url: string; waitMs: number } = { url: service.url, waitMs: 200 },
  ) => {
    const [taken, resyncs, stop] = [[] as OutboxEvent[], { count: 0 }, new AbortController()];
    const client = new ServiceClient({
      url,
      token: org.controller.token,
      retries: QUICK,
      signal: stop.signal,
    });
    const log = pino({ level: 'silent' });
    const reader = new OutboxReader(client, cursor, { consumerId: 'host', waitMs, signal: stop.signal, log });
    const ended = reader.run({
      take: (events) => Promise.resolve(void taken.push(...events)),
      resync: () => Promise.resolve(void resyncs.count++),
      ...handler,
    });
    running.push({ stop, ended });
    return { taken, resyncs, halt: () => (stop.abort(), ended) };
  };
  const places = (events: readonly OutboxEvent[]) => events.map(({ payload }) => (payload as { place: number }).place);
  const append = (...numbers: number[]) =>
    write(service.app, org.id, ...numbers.map((place) => ({ aggregateId: newId(), payload: { place } })));
  const acknowledged = async () =>
    (await org.viewer.get('/v1/inference/outbox/consumers')).body[0]?.acknowledged_event_id as number | null;

  it('delivers events in order as they come, and acknowledges them', async () => {
    const { taken } = read(new MemoryCursor());
    await append(1, 2);
    await eventually(() => expect(places(taken)).toEqual([1, 2]));
    await append(3);
    await eventually(() => expect(places(taken)).toEqual([1, 2, 3]));
    await eventually(async () => expect(await acknowledged()).toBe(3));
  });

  it('repeats an acknowledgement that was lost, also if no event follows', async () => {
    let refused = 0;
    const proxy = createServer((request, response) => {
      void (async () => {
        if (request.url?.endsWith('/ack') && refused++ < QUICK.attempts) return response.writeHead(503).end();
        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
        const { authorization = '', 'content-type': type = '', 'idempotency-key': key } = request.headers;
        const headers = { authorization, 'content-type': type, ...(key && { 'idempotency-key': String(key) }) };
        const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
        const answer = await fetch(`${service.url}${request.url}`, { method: request.method!, headers, body });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      })().catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await append(1);
    const { taken, halt } = read(new MemoryCursor(), {}, { url, waitMs: 200 });
    await eventually(async () => expect(await acknowledged()).toBe(1));
    expect([places(taken), refused]).toEqual([[1], QUICK.attempts + 1]);
    await halt();
    proxy.closeAllConnections();
    proxy.close();
  });

  it('pauses after an answer without events that came too early', async () => {
    const asked: number[] = [];
    const server = createServer((_request, response) => {
      asked.push(performance.now());
      response.setHeader('content-type', 'application/json').end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      read(
        new MemoryCursor(),
        {},
        {
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          waitMs: 20_000,
        },
      );
      await eventually(() => expect(asked.length).toBeGreaterThanOrEqual(3));
      expect(asked[2]! - asked[0]!).toBeGreaterThan(1_900);
    } finally {
      for (const { stop } of running) stop.abort();
      server.close();
    }
  });

  it('waits at a replica that is about to stop, and does not ask again and again', async () => {
    const environment = { ...service.environment, drainDelaySeconds: 3, drainTimeoutSeconds: 10 };
    const app = await createApplication(environment, createLogger('silent'), service.clock);
    await app.listen(0, '127.0.0.1');
    const [draining, asked] = [app.get(Draining), { during: 0 }];
    app.getHttpServer().on('request', () => {
      if (draining.started && !draining.closing) asked.during++;
    });
    read(new MemoryCursor(), {}, { url: await app.getUrl(), waitMs: 20_000 });
    const lanes = Object.values(app.get(Admission).limits.lanes);
    await eventually(() => {
      const [admitted, held] = [lanes.map((lane) => lane.admitted), lanes.map((lane) => lane.held)];
      expect([Math.max(...admitted), Math.max(...held)]).toEqual([1, 0]);
    });
    await draining.close(app);
    expect(asked.during).toBe(0);
  });

  it('delivers again what was not durable when it stopped, and nothing else', async () => {
    const cursor = new MemoryCursor();
    await append(1);
    const first = read(cursor);
    await eventually(async () => expect(await acknowledged()).toBe(1));
    await first.halt();

    await append(2);
    let refused = 0;
    const second = read(cursor, { take: () => (refused++, Promise.reject(new Error('the disk is full'))) });
    await eventually(() => expect(refused).toBeGreaterThan(0));
    await second.halt();
    expect(await acknowledged()).toBe(1);

    const third = read(cursor);
    await eventually(() => expect(places(third.taken)).toEqual([2]));
  });

  it('resumes after what the service knows if its own cursor was lost', async () => {
    await append(1, 2);
    const first = read(new MemoryCursor());
    await eventually(async () => expect(await acknowledged()).toBe(2));
    await first.halt();
    await append(3);
    const second = read(new MemoryCursor());
    await eventually(() => expect(places(second.taken)).toEqual([3]));
  });

  it('reads the state of the service if its events were removed, and then continues', async () => {
    await append(1, 2, 3);
    const first = read(new MemoryCursor());
    await eventually(async () => expect(await acknowledged()).toBe(3));
    await first.halt();
    await service.db.query('delete from outbox_events where org_id = $1 and event_id < 3', [org.id]);
    const { taken, resyncs } = read(new MemoryCursor(0));
    await eventually(() => expect(places(taken)).toEqual([3]));
    expect(resyncs.count).toBe(1);
  });

  it('reads the state of the service if the database was restored from a backup, and skips no new event', async () => {
    await append(1);
    const cursor = new MemoryCursor(900);
    const { taken, resyncs } = read(cursor);
    await eventually(() => expect(resyncs.count).toBe(1));
    await eventually(() => expect(cursor.at).toBe(1));
    await append(2);
    await eventually(() => expect(places(taken)).toEqual([2]));
    expect(resyncs.count).toBe(1);
  });

  it('continues after the service was away', async () => {
    const cursor = new MemoryCursor();
    const { taken } = read(cursor);
    await append(1);
    await eventually(() => expect(places(taken)).toEqual([1]));
    // Every connection of the service is cut, as a restart does.
    service.app.getHttpServer().closeAllConnections();
    await append(2);
    await eventually(() => expect(places(taken)).toEqual([1, 2]));
  });
});
