import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type pg from 'pg';
import type { Logger } from 'pino';
import { newId } from '../../../../src/1-platform/common/ids';
import { LOGGER } from '../../../../src/1-platform/common/logger';
import { BOUNDED_WORK, type BoundedWork } from '../../../../src/1-platform/endpoints/work';
import { TransactionPool } from '../../../../src/1-platform/database/connections/database-pool';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { BodyMemory } from '../../../../src/1-platform/http/bodies/body-memory';
import { Place } from '../../../../src/1-platform/http/admission/place';
import type { Lane } from '../../../../src/1-platform/http/admission/work-limits';
import { ObjectStorage } from '../../../../src/1-platform/object-storage/object-storage';
import { CHAT, coldProfile, question, routeTo } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { write } from '../../../support/outbox';
import { lockAwaited } from '../../../support/pause';
import { createProfile, report } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let lanes: Readonly<Record<BoundedWork, Lane>>;

beforeAll(async () => {
  service = await Service.start();
  org = await service.organisation();
  ({ lanes } = service.app.get(Admission).limits);
});
afterAll(() => service.close());

const BOUNDS = ['most', 'leastCalm', 'leastRefusing', 'limit', 'mostRoom', 'room'] as const;
const restored: (() => unknown)[] = [];
afterEach(async () => {
  for (const restore of restored.splice(0)) await restore();
});

/** Sets the places of a lane, and the length of its queue, whatever is measured; none is beside it. */
function narrow(work: BoundedWork, places: number, room: number): Lane {
  const lane = lanes[work];
  const before = Object.fromEntries(BOUNDS.map((name) => [name, (lane as unknown as Record<string, number>)[name]]));
  const { share } = lane.beside;
  restored.push(() => {
    delete (lane as Partial<Lane>).adjusted;
    Object.assign(lane, before);
    lane.beside.share = share;
  });
  lane.beside.share = 0;
  const limits = { most: places, leastCalm: places, leastRefusing: places, limit: places };
  const fixed = { ...limits, mostRoom: room, room };
  return Object.assign(lane, fixed, { adjusted: () => undefined });
}

const others = () => service.app.get<unknown, { others: Record<'remote' | 'transfer', Lane> }>(Admission).others;

/** Occupies this many places of the lane. */
function occupy(work: BoundedWork): Lane {
  const lane = narrow(work, 1, 0);
  expect(lane.enter()).toBe(true);
  restored.push(() => lane.leave());
  return lane;
}

/** Blocks changes of an activation until the returned function is called. */
async function lockActivation(profileId: string): Promise<() => Promise<void>> {
  const client: pg.PoolClient = await service.db.connect();
  await client.query('begin');
  await client.query('select from activations where profile_id = $1 for update', [profileId]);
  let unlocked: Promise<void> | undefined;
  const unlock = (): Promise<void> => (unlocked ??= client.query('rollback').then(() => client.release()));
  // A test that fails leaves no lock to the next one.
  restored.push(unlock);
  return unlock;
}

const activation = async (): Promise<string> => {
  const { profile_id: id } = await createProfile(org);
  await report(org.controller, id, { phase: 'Loading', ready: false });
  return id;
};

interface Sent {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

async function send(
  path: string,
  { token, body, agent, type = 'application/json' }: { token?: string; body?: unknown; agent?: Agent; type?: string },
): Promise<Sent> {
  const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-type': type };
  const asked = request(`${service.url}${path}`, { method: body === undefined ? 'GET' : 'POST', headers, agent });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** A report whose body the caller sends. */
function startReport(token: string | undefined): ClientRequest {
  const headers = { authorization: `Bearer ${token ?? ''}`, 'content-type': 'application/json' };
  return request(`${service.url}/v1/inference/activations/report`, { method: 'POST', headers });
}

describe('a lane without a free place', () => {
  it('answers 503 overloaded, keeps the connection, and serves the next request when a place is free', async () => {
    const lane = narrow('report', 1, 0);
    const id = await activation();
    const unlock = await lockActivation(id);
    const first = report(org.controller, id);
    await eventually(() => expect(lane.held).toBe(1));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const began = performance.now();
      const refused = await send('/v1/inference/activations/report', {
        token: org.controller.token,
        body: { profile_id: id, desired_state: 'Active', phase: 'Ready', ready: true },
        agent,
      });
      // The request before it lasts until the row is unlocked.
      expect(performance.now() - began).toBeLessThan(onThisMachine(1_000));
      expect(refused).toMatchObject({
        status: 503,
        headers: {
          'retry-after': '1',
          'content-type': 'application/problem+json; charset=utf-8',
          connection: 'keep-alive',
          'cache-control': 'no-store',
        },
      });
      expect(JSON.parse(refused.body)).toMatchObject({
        status: 503,
        code: 'overloaded',
        instance: refused.headers['x-request-id'],
      });
      // The same connection serves requests of other lanes.
      expect(await send('/livez', { agent })).toMatchObject({ status: 200, body: 'ok' });
      expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    } finally {
      await unlock();
      agent.destroy();
    }
    expect((await first).status).toBe(204);
    await eventually(() => expect(lane.held).toBe(0));
    expect((await report(org.controller, id)).status).toBe(204);
  });

  it('queues requests while there is room, and serves them later', async () => {
    const lane = narrow('report', 1, 8);
    const id = await activation();
    const unlock = await lockActivation(id);
    const all = Array.from({ length: 5 }, () => report(org.controller, id));
    await eventually(() => expect(lane.waiting).toBe(4));
    await unlock();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(lane.waiting).toBe(0);
  });

  it('serves a caller who asks rarely at once, beside the requests of another one that wait', async () => {
    const lane = narrow('report', 1, 8);
    const [locked, free] = [await activation(), await activation()];
    // Whoever called before is known.
    expect((await report(org.admin, free)).status).toBe(204);
    await eventually(() => expect(lane.held).toBe(0));
    const unlock = await lockActivation(locked);
    const held = report(org.controller, locked);
    await eventually(() => expect(lane.held).toBe(1));
    const others = Array.from({ length: 3 }, () => report(org.controller, locked));
    await eventually(() => expect([lane.held, lane.waiting]).toEqual([1, 3]));
    lane.beside.share = 1;
    expect((await report(org.admin, free)).status).toBe(204);
    expect([lane.held, lane.waiting]).toEqual([1, 3]);
    await unlock();
    expect((await Promise.all([held, ...others])).map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    await eventually(() => expect(lane.held).toBe(0));
  });

  it('reads a slow body ahead of the queue, and then queues its request', async () => {
    const lane = narrow('report', 1, 8);
    const [locked, free] = [await activation(), await activation()];
    expect((await report(org.admin, free)).status).toBe(204);
    await eventually(() => expect(lane.held).toBe(0));
    const unlock = await lockActivation(locked);
    const held = report(org.controller, locked);
    await eventually(() => expect(lane.held).toBe(1));
    const waiting = report(org.controller, locked);
    await eventually(() => expect(lane.waiting).toBe(1));
    lane.beside.share = 1;
    const { admitted } = lane;
    const slow = startReport(org.admin.token);
    slow.write('{');
    // It left the place beside the limit, which anybody may take.
    await eventually(() => expect([lane.admitted, lane.inProgress]).toEqual([admitted + 1, 1]));
    expect((await report(org.admin, free)).status).toBe(204);
    slow.end();
    // It waits for a place within the limit, behind the one before it.
    await eventually(() => expect([lane.inProgress, lane.waiting]).toEqual([1, 2]));
    await unlock();
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    expect(answer.resume().statusCode).toBe(400);
    expect([(await held).status, (await waiting).status]).toEqual([204, 204]);
    await eventually(() => expect(lane.inProgress).toBe(0));
  });

  it("refuses in the error format of the caller's protocol: OpenAI's and OTLP's", async () => {
    occupy('traffic');
    occupy('batch');
    const chat = await org.operator.post(CHAT, question('any'));
    expect(chat).toMatchObject({ status: 503, body: { code: 'overloaded', error: { code: 'overloaded' } } });
    const token = org.controller.token;
    const sent = await send('/v1/metrics', { token, body: {} });
    expect(sent).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(sent.body)).toMatchObject({ code: 14 });
  });

  it('keeps the place of a request whose client disconnected until the work is done', async () => {
    const lane = narrow('report', 1, 0);
    const id = await activation();
    const unlock = await lockActivation(id);
    const headers = { authorization: `Bearer ${org.controller.token}`, 'content-type': 'application/json' };
    const asked = request(`${service.url}/v1/inference/activations/report`, { method: 'POST', headers });
    asked.once('error', () => undefined);
    asked.end(JSON.stringify({ profile_id: id, desired_state: 'Active', phase: 'Ready', ready: true }));
    // Before all of it has arrived, there would be no work that has begun.
    await lockAwaited(service.db);
    const left = jest.spyOn(Place.prototype, 'stopWaiting');
    restored.push(() => left.mockRestore());
    asked.destroy();
    await eventually(() => expect(left).toHaveBeenCalled());
    expect(lane.held).toBe(1);
    await unlock();
    await eventually(() => expect(lane.held).toBe(0));
  });

  it('has the place again of a request whose client does not read the answer', async () => {
    // More than the system buffers for a connection.
    for (let n = 0; n < 8; n++) await org.controller.post('/v1/checkpoints');
    await service.db.query("update checkpoints set info = to_json(repeat('x', 1000000)) where org_id = $1", [org.id]);
    const lane = narrow('request', 1, 0);
    const answered = lane.admitted;
    const { hostname, port } = new URL(service.url);
    const client = connect({ host: hostname, port: Number(port) }).pause();
    restored.push(() => client.destroy());
    client.write(`GET /v1/checkpoints HTTP/1.1\r\nhost: slow\r\nauthorization: Bearer ${org.viewer.token}\r\n\r\n`);
    await eventually(() => expect([lane.admitted, lane.held]).toEqual([answered + 1, 0]));
    expect((await org.viewer.get('/v1/cluster')).status).toBe(200);
    // Not all of it was sent: the rest comes as the client reads.
    let bytes = 0;
    client.on('data', (chunk: Buffer) => (bytes += chunk.length));
    client.resume();
    await eventually(() => expect(bytes).toBeGreaterThan(8_000_000));
  });

  it('drops a queued request when its client disconnects', async () => {
    const lane = narrow('report', 1, 1);
    lane.enter();
    const asked = request(`${service.url}/v1/inference/activations/report`, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.controller.token}` },
    });
    asked.once('error', () => undefined);
    asked.end('{}');
    await eventually(() => expect(lane.waiting).toBe(1));
    asked.destroy();
    await eventually(() => expect(lane.waiting).toBe(0));
    lane.leave();
    expect(lane.held).toBe(0);
  });
});

describe('when every other lane is full', () => {
  it('the service answers health, readiness and metrics, and the metrics name the full lanes', async () => {
    for (const work of BOUNDED_WORK) occupy(work);
    expect((await service.admin.get('/v1/inference/profiles')).status).toBe(503);
    expect((await service.as(undefined).get('/livez')).status).toBe(200);
    expect((await service.as(undefined).get('/readyz')).status).toBe(200);
    const { status, text: metrics } = await service.as(undefined).get('/metrics');
    expect(status).toBe(200);
    expect(metrics).toMatch(/^work_requests_total\{work="request",outcome="refused"\} [1-9]/m);
    expect(metrics).toMatch(/^work_under_way\{work="report",state="under_way"\} 1$/m);
    expect(metrics).toMatch(/^work_limit\{work="report"\} 1$/m);
  });

  it('the service logs its refusals together, with the limits, and is silent while it refuses none', async () => {
    const warn = jest.spyOn(service.app.get<Logger>(LOGGER), 'warn');
    restored.push(() => warn.mockRestore());
    const logged = (): { refused: number; limits: Record<string, number> }[] =>
      warn.mock.calls
        .filter(([, text]) => text === 'requests were refused: overloaded')
        .map(([fields]) => fields as never);
    const refused = (): number => logged().reduce((sum, line) => sum + line.refused, 0);
    // Those of the tests before are logged without a further request.
    await sleep(2_500);
    warn.mockClear();
    occupy('request');
    await Promise.all(Array.from({ length: 20 }, () => org.viewer.get('/v1/cluster')));
    await eventually(() => expect(refused()).toBe(20));
    expect(logged().length).toBeLessThan(3);
    expect(logged()[0]?.limits).toMatchObject({ request: 1 });
    const lines = logged().length;
    await sleep(1_500);
    expect(logged()).toHaveLength(lines);
  });

  it('the service answers reports of controllers while it refuses reads', async () => {
    const id = await activation();
    for (const work of BOUNDED_WORK) if (work !== 'report') occupy(work);
    expect((await report(org.controller, id)).status).toBe(204);
    expect((await org.viewer.get('/v1/pods/count')).status).toBe(503);
    expect((await org.viewer.get('/v1/inference/profiles')).status).toBe(503);
  });
});

describe('unauthenticated callers', () => {
  it('share a queue of their own in a full lane, so known callers keep the rest of it', async () => {
    await org.viewer.get('/v1/inference/profiles');
    const lane = narrow('request', 1, 4);
    const strangers = narrow('stranger', 1, 0);
    lane.enter();
    strangers.enter();
    const unknown = service.as(`ccp_${'x'.repeat(43)}`);
    expect((await unknown.get('/v1/inference/profiles')).body).toMatchObject({ code: 'overloaded' });
    const known = org.viewer.get('/v1/inference/profiles');
    await eventually(() => expect(lane.waiting).toBe(1));
    strangers.leave();
    // Its own place, while its bearer is checked.
    expect((await unknown.get('/v1/inference/profiles')).status).toBe(401);
    lane.leave();
    expect((await known).status).toBe(200);
  });

  it('read plugins in a few places of their own, and never in those of the callers of the service', async () => {
    await org.viewer.get('/v1/plugins');
    const strangers = narrow('stranger', 1, 0);
    strangers.enter();
    restored.push(() => strangers.leave());
    const reads = ['/v1/plugins', '/v1/download', '/v1/install', '/v1/install/slurm', '/v1/plugins/download/criu'];
    for (const path of reads)
      expect([path, (await service.as(undefined).get(path)).body]).toMatchObject([path, { code: 'overloaded' }]);
    expect((await org.viewer.get('/v1/plugins')).status).toBe(200);
    const unknown = service.as(`ccp_${'y'.repeat(43)}`);
    expect((await unknown.get('/v1/files/dir/x')).body).toMatchObject({ code: 'overloaded' });
  });

  it('leave the places of strangers once they are known, for an operation that calls another service', async () => {
    const [strangers, { remote }] = [narrow('stranger', 1, 0), others()];
    const { body } = await org.admin.post('/v1/tokens', { name: 'new', role: 'operator' });
    const found = Promise.withResolvers<undefined>();
    const find = jest.spyOn(service.app.get(ObjectStorage), 'find').mockReturnValue(found.promise);
    restored.push(() => find.mockRestore());
    const asked = service.as(body.raw_token as string).get('/v1/files/x');
    await eventually(() => expect([strangers.held, remote.held]).toEqual([0, 1]));
    await eventually(() => expect(find).toHaveBeenCalled());
    found.resolve(undefined);
    expect((await asked).status).toBe(404);
    expect([strangers.held, remote.held]).toEqual([0, 0]);
  });
});

describe('a waiting request', () => {
  it('gives its place back: a long poll of the outbox', async () => {
    await org.controller.get('/v1/inference/outbox?consumer_id=waits');
    const { body: events } = await org.controller.get('/v1/inference/outbox?consumer_id=waits&limit=1000');
    const after = (events as { id: number }[]).at(-1)?.id ?? 0;
    const { admitted } = lanes.traffic;
    let answered = 0;
    const polls = Array.from({ length: 3 }, () =>
      org.controller
        .get(`/v1/inference/outbox?consumer_id=waits&after=${after}&wait_ms=30000`)
        .finally(() => answered++),
    );
    await eventually(() => expect(lanes.traffic.admitted).toBeGreaterThanOrEqual(admitted + 3));
    await eventually(() => expect(lanes.traffic.held).toBe(0));
    expect(answered).toBe(0);
    await write(service.app, org.id, {});
    expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(lanes.traffic.held).toBe(0);
  });

  it('gives its place back: a chat whose model has to start', async () => {
    const model = await routeTo(org, [await coldProfile(org)], { queue_timeout_ms: 5_000 });
    const { admitted } = lanes.traffic;
    let isAnswered = false;
    const chat = org.operator.post(CHAT, question(model)).finally(() => (isAnswered = true));
    await eventually(() => expect(lanes.traffic.admitted).toBeGreaterThan(admitted));
    await eventually(() => expect(lanes.traffic.held).toBe(0));
    expect(isAnswered).toBe(false);
    expect((await chat).status).toBe(503);
    expect(lanes.traffic.held).toBe(0);
  });

  it('gives its place back: a repetition of a request that is under way', async () => {
    const path = '/v1/inference/activations/report';
    const headers = { 'idempotency-key': newId() };
    const reported = (profileId: string) => ({
      profile_id: profileId,
      desired_state: 'Active',
      phase: 'Ready',
      ready: true,
    });
    const { profile_id: known } = await createProfile(org);
    expect((await org.controller.post(path, reported(known), headers)).status).toBe(204);
    // As if it had no answer yet, and had been the report that is refused from then on.
    const refused = reported('unknown');
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const { rowCount } = await service.db.query(
      `update idempotency_keys set answer = null, status = null, request_digest = $1
       where operation = 'report_activation' and created_at = (select max(created_at) from idempotency_keys)`,
      [sha256(`${path}\n${sha256(JSON.stringify(refused))}`)],
    );
    expect(rowCount).toBe(1);
    const other = await activation();
    const lane = narrow('report', 1, 0);
    const { admitted } = lane;
    let over = false;
    const waiting = org.controller.post(path, refused, headers).finally(() => (over = true));
    await eventually(() => expect([lane.admitted, lane.held]).toEqual([admitted + 1, 0]));
    expect([(await report(org.controller, other)).status, over]).toEqual([204, false]);
    expect((await waiting).status).toBe(404);
  });

  it('gives its place back: a slow upload', async () => {
    const { admitted } = lanes.report;
    const id = await activation();
    const headers = { authorization: `Bearer ${org.controller.token}`, 'content-type': 'application/json' };
    const asked = request(`${service.url}/v1/inference/activations/report`, { method: 'POST', headers });
    const body = JSON.stringify({ profile_id: id, desired_state: 'Active', phase: 'Ready', ready: true });
    asked.write(body.slice(0, 10));
    await eventually(() => expect(lanes.report.admitted).toBeGreaterThan(admitted + 1));
    await eventually(() => expect(lanes.report.held).toBe(0));
    asked.end(body.slice(10));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(204);
    answer.resume();
    await eventually(() => expect(lanes.report.held).toBe(0));
  });

  it.each([
    { encoding: 'identity', encode: (text: string) => Buffer.from(text) },
    { encoding: 'gzip', encode: gzipSync },
  ])('keeps its place when its body came with its headers, as $encoding', async ({ encoding, encode }) => {
    const lane = narrow('report', 4, 8);
    const id = await activation();
    const left = jest.spyOn(lane, 'leave');
    restored.push(() => left.mockRestore());
    const body = encode(JSON.stringify({ profile_id: id, desired_state: 'Active', phase: 'Ready', ready: true }));
    const { hostname, port } = new URL(service.url);
    const socket = connect({ host: hostname, port: Number(port) });
    // In one packet.
    const head =
      'POST /v1/inference/activations/report HTTP/1.1\r\nhost: service\r\nconnection: close\r\n' +
      `authorization: Bearer ${org.controller.token}\r\ncontent-type: application/json\r\n` +
      `content-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(Buffer.concat([Buffer.from(head), body]));
    expect(await text(socket)).toMatch(/^HTTP\/1.1 204 /);
    await eventually(() => expect(lane.held).toBe(0));
    expect(left).toHaveBeenCalledTimes(1);
  });

  it('takes a place again when its body is complete, so slow uploads cannot exceed the limit together', async () => {
    const lane = narrow('report', 1, 8);
    const id = await activation();
    const headers = { authorization: `Bearer ${org.controller.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ profile_id: id, desired_state: 'Active', phase: 'Ready', ready: true });
    const { admitted } = lane;
    const asked = Array.from({ length: 6 }, () => {
      const one = request(`${service.url}/v1/inference/activations/report`, { method: 'POST', headers });
      one.write(body.slice(0, 10));
      return one;
    });
    await eventually(() => expect([lane.admitted, lane.held]).toEqual([admitted + 6, 0]));
    expect(lane.enter()).toBe(true);
    const answers = asked.map((one): Promise<IncomingMessage[]> => once(one, 'response'));
    for (const one of asked) one.end(body.slice(10));
    await eventually(() => expect([lane.held, lane.waiting]).toEqual([1, 6]));
    // Its client disconnects, so it leaves the queue.
    answers.pop()?.catch(() => undefined);
    asked
      .pop()
      ?.on('error', () => undefined)
      .destroy();
    await eventually(() => expect(lane.waiting).toBe(5));
    lane.leave();
    expect([lane.held, lane.waiting]).toEqual([1, 4]);
    const statuses = (await Promise.all(answers)).map(([answer]) => answer?.resume().statusCode);
    expect(statuses).toEqual([204, 204, 204, 204, 204]);
    await eventually(() => expect(lane.held).toBe(0));
  });

  it('is refused when its body is complete and no place becomes free', async () => {
    const lane = narrow('report', 1, 8);
    const headers = { authorization: `Bearer ${org.controller.token}`, 'content-type': 'application/json' };
    const asked = request(`${service.url}/v1/inference/activations/report`, { method: 'POST', headers });
    const { admitted } = lane;
    asked.write('{');
    await eventually(() => expect([lane.admitted, lane.held]).toEqual([admitted + 1, 0]));
    const full = narrow('report', 0, 0);
    asked.end('}');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, JSON.parse(await text(answer))]).toMatchObject([503, { code: 'overloaded' }]);
    expect(full.held).toBe(0);
  });
});

describe('while requests wait for a connection of the database', () => {
  it('fewer of them are in progress at once, and as many as before when they no longer wait', async () => {
    const lane = lanes.request;
    const pools = [service.app.get(TransactionPool), service.app.get(StatementPool).pool];
    const clients = await Promise.all(
      pools.flatMap((pool) => Array.from({ length: pool.options.max }, () => pool.connect())),
    );
    restored.push(() => clients.splice(0).forEach((client) => client.release()));
    const asked = Array.from({ length: lane.leastCalm * 3 }, () => org.viewer.get('/v1/cluster'));
    await eventually(() => expect(lane.limit).toBeLessThan(lane.most));
    clients.splice(0).forEach((client) => client.release());
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
    await eventually(async () => {
      await org.viewer.get('/v1/cluster');
      expect(lane.limit).toBe(lane.most);
    });
  });
});

describe('memory for bodies', () => {
  it('stays reserved until the work is done, even after the client disconnected', async () => {
    const memory = service.app.get<unknown>(BodyMemory) as { held: number };
    const id = await activation();
    const unlock = await lockActivation(id);
    const headers = { authorization: `Bearer ${org.controller.token}`, 'content-type': 'application/json' };
    const asked = request(`${service.url}/v1/inference/activations/report`, { method: 'POST', headers });
    asked.once('error', () => undefined);
    asked.end(JSON.stringify({ profile_id: id, desired_state: 'Active', phase: 'Ready', ready: true }));
    await eventually(() => expect([lanes.report.held, memory.held > 0]).toEqual([1, true]));
    asked.destroy();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(memory.held).toBeGreaterThan(0);
    await unlock();
    await eventually(() => expect(memory.held).toBe(0));
  });
});

describe('one bearer', () => {
  it('counts as one sender, however its header is written', async () => {
    await org.viewer.get('/v1/inference/profiles');
    const lane = narrow('request', 1, 4);
    lane.enter();
    const ask = (scheme: string): Promise<IncomingMessage[]> => {
      const headers = { authorization: `${scheme}${org.viewer.token ?? ''}` };
      const asked = request(`${service.url}/v1/inference/profiles`, { headers });
      asked.end();
      return once(asked, 'response');
    };
    const waiting = ['Bearer ', 'bearer ', 'Bearer  '].map(ask);
    await eventually(() => expect(lane.waiting).toBe(3));
    // One sender may take three quarters of the queue.
    const [refused] = await ask('BEARER   ');
    expect(refused?.resume().statusCode).toBe(503);
    lane.leave();
    expect((await Promise.all(waiting)).map(([answer]) => answer?.resume().statusCode)).toEqual([200, 200, 200]);
  });
});

describe('slow downloads of files', () => {
  it('have a limit of their own, so calls to other services are still answered', async () => {
    const { others } = service.app.get<unknown>(Admission) as { others: Record<'remote' | 'transfer', Lane> };
    const before = others.transfer.limit;
    others.transfer.limit = 0;
    try {
      expect((await send('/objects/any', {})).status).toBe(503);
      expect((await org.viewer.get('/v1/instances')).status).not.toBe(503);
    } finally {
      others.transfer.limit = before;
    }
    others.remote.limit = 0;
    try {
      expect((await send('/objects/any', {})).status).toBe(403);
    } finally {
      others.remote.limit = before;
    }
  });
});
