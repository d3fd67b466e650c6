import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { eventually } from '../../../support/eventually';
import { endingsOf, RawConnection } from '../../../support/raw-http';
import { Service, type Organisation } from '../../../support/service';

const LONG_POLL = '/v1/inference/outbox?consumer_id=pipelines&watch=true&wait_ms=';

describe('requests that are sent before earlier ones are answered', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  const opened: RawConnection[] = [];

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    other = await service.organisation();
  });
  afterEach(() => {
    for (const connection of opened.splice(0)) connection.close();
  });
  afterAll(() => service.close());

  const open = async (): Promise<RawConnection> => {
    const connection = await RawConnection.open(service.url);
    opened.push(connection);
    return connection;
  };
  const request = (line: string, body?: unknown): string => {
    const text = body === undefined ? '' : JSON.stringify(body);
    return [
      `${line} HTTP/1.1`,
      'Host: service',
      `Authorization: Bearer ${org.operator.token}`,
      ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
      '',
      text,
    ].join('\r\n');
  };
  const lanes = () => service.app.get(Admission).limits.lanes;

  it('hold no place behind one that waits, and others are served', async () => {
    const connection = await open();
    connection.write(request(`GET ${LONG_POLL}3000`) + request('GET /v1/cluster').repeat(32));
    // The first one has begun to wait.
    await sleep(500);
    await eventually(() => expect(lanes().request.inProgress).toBe(0), 1_000);
    const answers = await Promise.all(Array.from({ length: 40 }, () => other.viewer.get('/v1/cluster')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (let answer = 0; answer < 33; answer++) expect((await connection.answer()).status).toBe(200);
  });

  it('begin in their order, each after the answer before it', async () => {
    const connection = await open();
    connection.write(
      request('POST /v1/cluster', { cluster_name: 'pipelined' }) +
        request('GET /v1/cluster?limit=100') +
        request('GET /v1/nothing') +
        request('GET /v1/user'),
    );
    const created = await connection.answer();
    expect(created.status).toBe(200);
    const listed = await connection.answer();
    expect(JSON.parse(listed.body)).toEqual([expect.objectContaining({ name: 'pipelined' })]);
    expect((await connection.answer()).status).toBe(404);
    expect((await connection.answer()).status).toBe(200);
  });

  it('are read on once none of them waits', async () => {
    const connection = await open();
    // More than one piece that the socket reads at once.
    connection.write(request(`GET ${LONG_POLL}300`) + request('GET /v1/user'));
    for (let round = 0; round < 5; round++) {
      expect((await connection.answer()).status).toBe(200);
      expect((await connection.answer()).status).toBe(200);
      connection.write(request(`GET ${LONG_POLL}50`));
      await sleep(20);
      connection.write(request('POST /v1/cluster', { cluster_name: `later-${round}`, note: 'x'.repeat(200_000) }));
    }
  });

  it('do not hide that the client has left', async () => {
    const accepted = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const connection = await open();
    const [socket] = await accepted;
    connection.write(request(`GET ${LONG_POLL}20000`) + request('GET /v1/user').repeat(2));
    // All of them are read.
    await sleep(100);
    connection.close();
    await eventually(() => expect(socket.destroyed).toBe(true), 2_000);
  });

  it('are not late because they wait', async () => {
    const server = service.app.getHttpServer();
    const { headersTimeout } = server;
    server.headersTimeout = 300;
    try {
      const connection = await open();
      const last = request('GET /v1/user');
      connection.write(request(`GET ${LONG_POLL}2000`) + request('GET /v1/user') + last.slice(0, 20));
      await sleep(100);
      connection.write(last.slice(20));
      for (let answer = 0; answer < 3; answer++) expect((await connection.answer()).status).toBe(200);
    } finally {
      server.headersTimeout = headersTimeout;
    }
  });

  it('end their connection if there are more than 32 of them', async () => {
    const before = await endingsOf(service.url, 'pipelined');
    const connection = await open();
    // All of them in one piece: the connection ends once.
    connection.write(request(`GET ${LONG_POLL}20000`) + request('GET /v1/user').repeat(40));
    await connection.closed();
    await expect(connection.answer()).rejects.toThrow('the connection ended');
    expect(await endingsOf(service.url, 'pipelined')).toBe(before + 1);
    await eventually(() => Promise.resolve(expect(lanes().request.inProgress).toBe(0)));
  });

  it('are not answered within the answer to an earlier one if they are malformed', async () => {
    const before = await endingsOf(service.url, 'unreadable');
    const connection = await open();
    connection.write(`${request(`GET ${LONG_POLL}20000`)}no request\r\n\r\n`);
    await connection.closed();
    await expect(connection.answer()).rejects.toThrow('the connection ended in the middle of an answer: ');
    expect(await endingsOf(service.url, 'unreadable')).toBe(before + 1);
    expect((await org.operator.get('/v1/user')).status).toBe(200);
  });
});
