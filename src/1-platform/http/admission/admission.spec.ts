import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turnIsOver } from 'node:timers/promises';
import { Controller, Get, Post, SetMetadata } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Counter, Gauge, Registry } from 'prom-client';
import type { KnownBearers } from '../../auth/bearers/known-bearers';
import type { ServiceRequest } from '../../common/work/request';
import type { StatementPool } from '../../database/connections/statement-pool';
import type { TransactionPool } from '../../database/connections/database-pool';
import { OPERATION } from '../../endpoints/operation.decorator';
import { BOUNDED_WORK, type BoundedWork } from '../../endpoints/work';
import { Admission } from './admission';
import type { Draining } from './draining';
import type { Place } from './place';
import type { Lane } from './work-limits';

@Controller()
class Operations {
  @Get('livez')
  @SetMetadata(OPERATION, { access: 'public', work: 'probe' })
  probe(): void {}

  @Get('shown')
  @SetMetadata(OPERATION, { access: 'public' })
  shown(): void {}

  @Get('things')
  @SetMetadata(OPERATION, { access: 'read' })
  things(): void {}

  @Post('chat')
  @SetMetadata(OPERATION, { access: 'infer', openAiErrors: true })
  chat(): void {}

  @Post('samples')
  @SetMetadata(OPERATION, { access: 'machine', body: 'batch', statusErrors: true })
  samples(): void {}

  @Get('instances')
  @SetMetadata(OPERATION, { access: 'read', work: 'remote' })
  instances(): void {}

  @Get('plugins')
  @SetMetadata(OPERATION, { access: 'installers' })
  plugins(): void {}

  @Get('files')
  @SetMetadata(OPERATION, { access: 'read', work: 'transfer' })
  files(): void {}
}

/** A connection that keeps what was sent to the client. */
class Connection extends Duplex {
  sent = '';

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent += chunk.toString('latin1');
    done();
  }
}

/** A request as the HTTP server gives it to the admission. */
class Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;

  constructor(
    [method, url]: readonly [method: string, url: string],
    authorization: string | undefined,
    readonly connection = new Connection(),
  ) {
    this.req = new IncomingMessage(connection as unknown as Socket);
    Object.assign(this.req, { method, url });
    Object.assign(this.req.headers, { 'x-request-id': 'request-1', ...(authorization ? { authorization } : {}) });
    this.res = new ServerResponse(this.req);
    this.res.assignSocket(connection as unknown as Socket);
  }

  /** Of the answer; undefined while there is none. */
  get status(): number | undefined {
    return this.res.writableEnded ? this.res.statusCode : undefined;
  }
  get body(): unknown {
    return JSON.parse(this.connection.sent.split('\r\n\r\n')[1] ?? '');
  }
  answer(): void {
    this.res.end('ok');
  }
  disconnect(): void {
    this.res.emit('close');
  }
}

const THINGS = ['GET', '/things'] as const;
const UNKNOWN = ['GET', '/unknown'] as const;
const KNOWN = 'Bearer known';

/** A pool whose connections are all taken: those who want one wait until the test gives it. */
class BusyPool {
  waitingCount = 0;
  readonly asked: { give: () => void; fail: () => void }[] = [];
  released = 0;

  connect(): Promise<{ release: () => void }> {
    return new Promise((resolve, reject) => {
      const give = () => resolve({ release: () => this.released++ });
      this.asked.push({ give, fail: () => reject(new Error('no connection')) });
    });
  }
}

/** Of its timer. */
const LOOK_EVERY_MS = 10;

const TIMER = {};

/** What the modules of the service call `globalThis`: tests share them, and have another one. */
const theirs = Admission.constructor('return globalThis')() as typeof globalThis;

describe('the admission of requests', () => {
  let admission: Admission;
  let lanes: Readonly<Record<BoundedWork, Lane>>;
  let draining: { closing: boolean };
  let find: jest.Mock;
  let warn: jest.Mock;
  let transactions: BusyPool;
  let statements: BusyPool;
  let metrics: Registry;
  let handled: IncomingMessage[];
  let now: number;
  let looks: jest.SpyInstance;
  let look: (() => void) | undefined;

  beforeEach(() => {
    look = undefined;
    const { setTimeout: setTimer } = theirs;
    // The test decides when it looks: a busy machine would let it look twice.
    jest.spyOn(theirs, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
      if (ms !== LOOK_EVERY_MS) return setTimer(work, ms);
      look = work;
      return { unref: () => TIMER };
    }) as typeof setTimeout);
    const { clearTimeout: clearTimer } = theirs;
    jest.spyOn(theirs, 'clearTimeout').mockImplementation((timer) => {
      if (timer === (TIMER as unknown)) look = undefined;
      else clearTimer(timer);
    });
    now = 10_000;
    // The clock stands still until a test moves it.
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    [draining, handled, metrics] = [{ closing: false }, [], new Registry()];
    [transactions, statements] = [new BusyPool(), new BusyPool()];
    warn = jest.fn();
    find = jest.fn((header: string) =>
      header === KNOWN || header === 'Bearer other' ? { bearer: header, orgId: `of ${header}` } : undefined,
    );
    const metric = { help: 'of the test', registers: [metrics] };
    admission = new Admission(
      { getControllers: () => [{ instance: new Operations(), metatype: Operations }] } as unknown as DiscoveryService,
      new MetadataScanner(),
      new Reflector(),
      transactions as unknown as TransactionPool,
      { pool: statements as unknown as pg.Pool } as StatementPool,
      draining as Draining,
      { find } as unknown as KnownBearers,
      { warn } as unknown as Logger,
      new Gauge({ ...metric, name: 'under_way', labelNames: ['work', 'state'] }),
      new Gauge({ ...metric, name: 'work_limit', labelNames: ['work'] }),
      new Counter({ ...metric, name: 'requests', labelNames: ['work', 'outcome'] }),
    );
    admission.onModuleInit();
    ({ lanes } = admission.limits);
    looks = jest.spyOn(admission.limits, 'expire');
  });
  afterEach(() => {
    admission.onApplicationShutdown();
    jest.restoreAllMocks();
  });

  function ask(operation: readonly [string, string], bearer?: string, connection?: Connection): Exchange {
    const exchange = new Exchange(operation, bearer, connection);
    admission.admit(exchange.req, exchange.res, (req) => void handled.push(req));
    return exchange;
  }
  const isHandled = ({ req }: Exchange) => handled.includes(req);

  const placeOf = ({ req }: Exchange): Place => (req as unknown as { place: Place }).place;
  const others = () =>
    (admission as unknown as { others: Record<'remote' | 'strangersRemote' | 'transfer', Lane> }).others;

  /** A class with this many places, and none beside it. */
  function narrow(lane: Lane, places: number, room = 8): Lane {
    lane.beside.share = 0;
    return Object.assign(lane, { limit: places, room, mostRoom: room });
  }
  /** Takes the only place of a class. */
  function fill(lane: Lane, room?: number): Lane {
    narrow(lane, 1, room).enter();
    return lane;
  }

  /** If it is going to look. */
  function lookNow(): void {
    const due = look;
    look = undefined;
    due?.();
  }

  /** Time passes, and the admission looks at it once. */
  async function pass(milliseconds: number): Promise<void> {
    const before = looks.mock.calls.length;
    now += milliseconds;
    lookNow();
    await turnIsOver();
    expect(looks.mock.calls).toHaveLength(before + 1);
  }

  describe('while there are places', () => {
    it('handles a request at once, which has its place until it is answered', () => {
      const asked = ask(THINGS);
      expect([isHandled(asked), lanes.request.held]).toEqual([true, 1]);
      asked.answer();
      expect([lanes.request.held, lanes.request.admitted]).toEqual([0, 1]);
      expect(find).not.toHaveBeenCalled();
    });

    it.each<[name: string, operation: readonly [string, string], work: BoundedWork]>([
      ['chat', ['POST', '/chat'], 'traffic'],
      ['a batch', ['POST', '/samples'], 'batch'],
      ['what no operation is', UNKNOWN, 'request'],
    ])('counts %s in its class', (_name, operation, work) => {
      ask(operation);
      expect(BOUNDED_WORK.filter((one) => lanes[one].held === 1)).toEqual([work]);
    });
  });

  describe('of requests without a known bearer', () => {
    it.each<[string, readonly [string, string], string | undefined]>([
      ['reads of plugins', ['GET', '/plugins'], undefined],
      ['reads of plugins with an invented bearer', ['GET', '/plugins'], 'Bearer invented'],
      ['calls to other services', ['GET', '/instances'], 'Bearer invented'],
      ['files', ['GET', '/files'], undefined],
    ])('gives %s the few places of strangers, while all others are free', (_what, operation, bearer) => {
      narrow(lanes.stranger, 1, 1);
      const [first, second, third] = [ask(operation, bearer), ask(operation, bearer), ask(operation, bearer)];
      expect([isHandled(first), isHandled(second), third.status]).toEqual([true, false, 503]);
      expect([lanes.request.inProgress, others().remote.held, others().transfer.held]).toEqual([0, 0, 0]);
      expect([ask(operation, KNOWN), ask(THINGS, bearer)].map(isHandled)).toEqual([true, true]);
      first.answer();
      expect([isHandled(second), lanes.stranger.held]).toEqual([true, 1]);
    });

    it('moves calls to other services to their own class once their callers are known', () => {
      const asked = ask(['GET', '/instances'], 'Bearer new');
      expect([lanes.stranger.held, others().remote.held]).toEqual([1, 0]);
      placeOf(asked).callerIsKnown('one');
      expect([lanes.stranger.held, others().remote.held]).toEqual([0, 1]);
      asked.answer();
      expect([lanes.stranger.held, others().remote.held]).toEqual([0, 0]);
    });

    it('counts reads of plugins that wait for the storage among calls of strangers to other services', async () => {
      const { remote, strangersRemote } = others();
      const asked = ask(['GET', '/plugins']);
      const storage = Promise.withResolvers<string>();
      const found = placeOf(asked).elsewhere(() => storage.promise);
      expect([lanes.stranger.held, strangersRemote.held, remote.held]).toEqual([0, 1, 0]);
      storage.resolve('found');
      expect([await found, lanes.stranger.held, strangersRemote.held]).toEqual(['found', 1, 0]);
    });

    it('has few places for strangers elsewhere, so that known callers have theirs', async () => {
      const { remote, strangersRemote } = others();
      expect(strangersRemote.limit).toBeLessThan(remote.limit / 10);
      narrow(strangersRemote, 0, 0);
      const storage = () => Promise.resolve('found');
      await expect(placeOf(ask(['GET', '/plugins'])).elsewhere(storage)).rejects.toMatchObject({ code: 'overloaded' });
      const known = ask(['GET', '/plugins']);
      placeOf(known).callerIsKnown('one');
      expect(await placeOf(known).elsewhere(storage)).toBe('found');
    });
  });

  describe('of one organisation that calls other services', () => {
    /** Instead of 750. */
    const mostOfOne = (most: number) => Object.assign(others().remote, { mostOfOne: most });

    it('leaves places to others, whether its bearers were known or became so', () => {
      const remote = mostOfOne(2);
      const [first, second] = [ask(['GET', '/instances'], KNOWN), ask(['GET', '/instances'], 'Bearer new')];
      placeOf(second).callerIsKnown(`of ${KNOWN}`);
      const third = ask(['GET', '/instances'], 'Bearer newer');
      expect(() => placeOf(third).callerIsKnown(`of ${KNOWN}`)).toThrow(
        expect.objectContaining({ status: 503, code: 'overloaded' }),
      );
      const fourth = ask(['GET', '/instances'], KNOWN);
      expect([fourth.status, fourth.body]).toMatchObject([503, { code: 'overloaded' }]);
      expect([remote.held, isHandled(ask(['GET', '/instances'], 'Bearer other'))]).toEqual([2, true]);
      first.answer();
      expect(isHandled(ask(['GET', '/instances'], KNOWN))).toBe(true);
    });

    it('counts its reads of plugins while they wait for the storage', async () => {
      const remote = mostOfOne(1);
      const storage = Promise.withResolvers<string>();
      const found = placeOf(ask(['GET', '/plugins'], KNOWN)).elsewhere(() => storage.promise);
      expect([ask(['GET', '/instances'], KNOWN).status, remote.held]).toEqual([503, 1]);
      storage.resolve('found');
      await found;
      expect([isHandled(ask(['GET', '/instances'], KNOWN)), remote.held]).toEqual([true, 1]);
    });

    it('has three quarters of all', () => {
      const { remote } = others();
      const asked = Array.from({ length: remote.limit }, () => ask(['GET', '/instances'], KNOWN));
      expect(asked.filter(isHandled)).toHaveLength((remote.limit * 3) / 4);
    });
  });

  describe('while a class is full', () => {
    it('handles probes, and everything while the service stops: the edge refuses then', () => {
      for (const work of BOUNDED_WORK) fill(lanes[work], 0);
      expect(ask(THINGS, KNOWN).status).toBe(503);
      expect(isHandled(ask(['GET', '/livez']))).toBe(true);
      draining.closing = true;
      expect(isHandled(ask(THINGS, KNOWN))).toBe(true);
      expect(lanes.request.held).toBe(1);
    });

    it('limits calls to other services, and files, by their own numbers', () => {
      const { remote, transfer } = others();
      expect([remote.limit, transfer.limit, remote.room, transfer.room]).toEqual([1_000, 1_000, 0, 0]);
      narrow(remote, 1, 0);
      const [one, refused] = [ask(['GET', '/instances'], KNOWN), ask(['GET', '/instances'], KNOWN)];
      expect([isHandled(one), refused.status]).toEqual([true, 503]);
      narrow(transfer, 1, 0);
      const [file, another] = [ask(['GET', '/files'], KNOWN), ask(['GET', '/files'], KNOWN)];
      expect([isHandled(file), another.status]).toEqual([true, 503]);
      expect(lanes.request.held).toBe(0);
    });

    it('lets a known caller wait, and handles the request as soon as there is a place', () => {
      fill(lanes.request);
      now += 5;
      const asked = ask(THINGS, KNOWN);
      now += 5;
      expect([isHandled(asked), lanes.request.waiting, lanes.stranger.held]).toEqual([false, 1, 0]);
      lanes.request.leave();
      expect([isHandled(asked), lanes.request.waiting, lanes.request.held]).toEqual([true, 0, 1]);
      // Its time counts from when it came.
      expect((asked.req as ServiceRequest).receivedAt).toBe(10_005);
      asked.answer();
      asked.disconnect();
      expect(lanes.request).toMatchObject({ held: 0, waiting: 0 });
    });

    it('handles a request of a rare caller at once, beside the limit', () => {
      fill(lanes.request).beside.share = 1;
      const asked = ask(THINGS, KNOWN);
      expect([isHandled(asked), lanes.request.held, lanes.request.inProgress]).toEqual([true, 1, 2]);
      // One place for each organisation.
      expect([isHandled(ask(THINGS, KNOWN)), lanes.request.waiting]).toEqual([false, 1]);
      asked.answer();
      expect(lanes.request.inProgress).toBe(1);
    });

    it('gives the requests of each known caller their turns', () => {
      fill(lanes.request, 4);
      // One of them may take three quarters of the queue.
      const many = Array.from({ length: 4 }, () => ask(THINGS, KNOWN));
      expect(many.map(({ status }) => status)).toEqual([undefined, undefined, undefined, 503]);
      const other = ask(THINGS, 'Bearer other');
      for (let n = 0; n < 2; n++) lanes.request.leave();
      expect([many[0]!, many[1]!, other].map(isHandled)).toEqual([true, false, true]);
    });

    it('has other places for strangers, and another queue', () => {
      fill(lanes.request);
      narrow(lanes.stranger, 1, 8);
      const [first, second] = [ask(UNKNOWN, 'Bearer invented'), ask(UNKNOWN)];
      expect([isHandled(first), isHandled(second)]).toEqual([true, false]);
      expect([lanes.stranger.held, lanes.stranger.waiting, lanes.request.waiting]).toEqual([1, 1, 0]);
      first.answer();
      expect([isHandled(second), lanes.stranger.held]).toEqual([true, 1]);
    });

    it('lets callers of public operations wait like known ones, as one sender', () => {
      fill(lanes.request, 4);
      const asked = Array.from({ length: 4 }, () => ask(['GET', '/shown']));
      expect(asked.map(({ status }) => status)).toEqual([undefined, undefined, undefined, 503]);
      expect(lanes.stranger.held).toBe(0);
    });

    it('forgets a waiting request whose client disconnects', () => {
      fill(lanes.request);
      const asked = ask(THINGS, KNOWN);
      asked.disconnect();
      expect(lanes.request.waiting).toBe(0);
      lanes.request.leave();
      expect([isHandled(asked), lanes.request.held]).toEqual([false, 0]);
    });

    it('looks a bearer up once for a connection, until another one is sent on it', () => {
      fill(lanes.request);
      const connection = new Connection();
      const other = () => ask(THINGS, 'Bearer other', connection);
      for (let n = 0; n < 3; n++) {
        ask(THINGS, KNOWN, connection).res.detachSocket(connection as unknown as Socket);
      }
      expect(find.mock.calls).toEqual([[KNOWN]]);
      other();
      expect(find.mock.calls).toEqual([[KNOWN], ['Bearer other']]);
      expect(lanes.request.waiting).toBe(4);
    });

    it('looks an unknown bearer up each time, because it may be known soon', () => {
      fill(lanes.request);
      const connection = new Connection();
      for (let n = 0; n < 2; n++)
        ask(THINGS, 'Bearer new', connection).res.detachSocket(connection as unknown as Socket);
      expect(find).toHaveBeenCalledTimes(2);
    });
  });

  describe('by refusals', () => {
    it('answers 503 in the format of problems, with the headers of every answer', () => {
      fill(lanes.request, 0);
      const refused = ask(THINGS, KNOWN);
      expect(refused.body).toMatchObject({ status: 503, code: 'overloaded', instance: 'request-1' });
      expect(refused.body).not.toHaveProperty('error');
      const [head = ''] = refused.connection.sent.split('\r\n\r\n');
      expect(head.toLowerCase().split('\r\n')).toEqual(
        expect.arrayContaining([
          'http/1.1 503 service unavailable',
          'x-request-id: request-1',
          'cache-control: no-store',
          'x-content-type-options: nosniff',
          'retry-after: 1',
          'content-type: application/problem+json; charset=utf-8',
          `content-length: ${refused.connection.sent.length - head.length - 4}`,
        ]),
      );
      expect(handled).toEqual([]);
    });

    it("answers in the format of OpenAI's clients where those ask", () => {
      fill(lanes.traffic, 0);
      expect(ask(['POST', '/chat'], KNOWN).body).toMatchObject({ error: { code: 'overloaded' } });
    });

    it('answers in the format of OTLP where that is spoken', () => {
      fill(lanes.batch, 0);
      const refused = ask(['POST', '/samples'], KNOWN);
      expect(refused.body).toEqual({ code: 14, message: expect.any(String) });
      expect(refused.connection.sent.toLowerCase()).toMatch(/\r\nretry-after: 1\r\n/);
    });

    it('answers what no operation is as a problem', () => {
      fill(lanes.stranger, 0);
      fill(lanes.request, 0);
      const { body } = ask(UNKNOWN);
      expect(body).toMatchObject({ code: 'overloaded', status: 503 });
      expect(body).not.toHaveProperty('error');
    });

    it('lets connections rest if many are refused, and reads some of them again at each look', async () => {
      fill(lanes.request, 0);
      const refused = Array.from({ length: 40 }, () => ask(THINGS, KNOWN));
      const resting = () => refused.filter(({ connection }) => connection.isPaused()).length;
      await turnIsOver();
      expect(resting()).toBe(24);
      await pass(10);
      expect(resting()).toBe(8);
      admission.onApplicationShutdown();
      expect(resting()).toBe(0);
    });

    it('logs them together, once a second at most, with the delay and the limits', async () => {
      fill(lanes.request, 0);
      for (let n = 0; n < 3; n++) ask(THINGS, KNOWN);
      for (let n = 0; n < 10; n++) await pass(20);
      expect(warn.mock.calls).toEqual([
        [
          { refused: 3, delay: 2, limits: Object.fromEntries(BOUNDED_WORK.map((work) => [work, expect.any(Number)])) },
          'requests were refused: overloaded',
        ],
      ]);
      const [[{ limits }]] = warn.mock.calls as [[{ limits: Record<string, number> }]];
      expect([limits.request, limits.report]).toEqual([1, 64]);
      // The next line has those since then.
      ask(THINGS, KNOWN);
      for (let n = 0; n < 44; n++) await pass(20);
      expect(warn).toHaveBeenCalledTimes(1);
      await pass(20);
      expect(warn).toHaveBeenCalledTimes(2);
      expect(warn.mock.lastCall).toMatchObject([{ refused: 1 }, expect.any(String)]);
    });

    it('logs the last of them too, if nobody asks any more', async () => {
      ask(THINGS, KNOWN).answer();
      const lane = fill(lanes.request, 0);
      ask(THINGS, KNOWN);
      for (let n = 0; n < 5; n++) await pass(20);
      expect(warn).toHaveBeenCalledTimes(1);
      ask(THINGS, KNOWN);
      lane.leave();
      // A second after the last request, nothing else would be left to look at.
      for (let n = 0; n < 6; n++) await pass(200);
      expect(warn).toHaveBeenCalledTimes(2);
      const before = looks.mock.calls.length;
      now += 5_000;
      lookNow();
      expect(looks.mock.calls).toHaveLength(before);
    });
  });

  describe('by its looks at the time', () => {
    let adjust: jest.SpyInstance;
    beforeEach(() => {
      adjust = jest.spyOn(admission.limits, 'adjust');
    });

    it('adjusts the limits every tenth of a second, without a delay if it looks on time', async () => {
      ask(THINGS);
      for (let n = 0; n < 9; n++) await pass(10);
      expect(adjust).not.toHaveBeenCalled();
      await pass(10);
      expect(adjust.mock.calls).toEqual([[0, 100]]);
    });

    it('counts as the delay by how much its looks are late', async () => {
      ask(THINGS);
      // Of each, 5 ms are acceptable.
      for (let n = 0; n < 4; n++) await pass(25);
      expect(adjust.mock.calls).toEqual([[3, 100]]);
    });

    it('counts the waits for connections, of which it wants one whenever requests wait for some', async () => {
      ask(THINGS);
      statements.waitingCount = 1;
      for (let n = 1; n <= 10; n++) {
        await pass(5);
        now += 5;
        statements.asked.at(-1)?.give();
        await turnIsOver();
        expect([statements.asked.length, statements.released]).toEqual([n, n]);
      }
      await pass(5);
      // Each waited 5 ms, and 25 ms are acceptable.
      expect(adjust.mock.calls).toEqual([[0.2, 105]]);
      expect(transactions.asked).toEqual([]);
    });

    it('counts no wait if a connection is free', async () => {
      ask(THINGS);
      statements.waitingCount = 1;
      await pass(5);
      now += 5;
      statements.asked[0]?.give();
      statements.waitingCount = 0;
      await turnIsOver();
      for (let n = 0; n < 9; n++) await pass(10);
      expect(adjust.mock.calls).toEqual([[0, 100]]);
      expect(statements.asked).toHaveLength(1);
    });

    it('counts the wait for a connection that is still to come, relative to 25 ms', async () => {
      ask(THINGS);
      transactions.waitingCount = 2;
      await pass(10);
      for (let n = 0; n < 9; n++) await pass(10);
      adjust.mockClear();
      for (let n = 0; n < 10; n++) await pass(10);
      // In this window the shortest wait was at its first look.
      expect(adjust.mock.calls).toEqual([[100 / 25, 100]]);
      expect(transactions.asked).toHaveLength(1);
      // Whatever becomes of it, the next one is asked for.
      transactions.asked[0]?.fail();
      await turnIsOver();
      await pass(10);
      expect(transactions.asked).toHaveLength(2);
      expect(transactions.released).toBe(0);
    });

    it('refuses requests that wait for five seconds', async () => {
      fill(lanes.request);
      const asked = ask(THINGS, KNOWN);
      jest.spyOn(lanes.request, 'adjusted').mockImplementation();
      for (let n = 0; n < 20; n++) await pass(249);
      expect(asked.status).toBeUndefined();
      await pass(20);
      expect(asked.status).toBe(503);
      expect(lanes.request.waiting).toBe(0);
    });

    it('counts no pause of the process as a wait, and no delay beyond it', async () => {
      fill(lanes.request);
      const asked = ask(THINGS, KNOWN);
      const paused = jest.spyOn(admission.limits, 'paused');
      await pass(250);
      expect(paused).not.toHaveBeenCalled();
      await pass(60_000);
      expect(paused.mock.calls).toEqual([[59_750]]);
      expect(asked.status).toBeUndefined();
      await pass(10);
      // Of the window, half a second is left.
      expect(adjust.mock.calls).toEqual([[expect.any(Number), 510]]);
    });

    it('stops a second after the last request, and begins again with the next one', async () => {
      const first = ask(THINGS);
      first.answer();
      await pass(999);
      await pass(1);
      const before = looks.mock.calls.length;
      now += 5_000;
      lookNow();
      expect(looks.mock.calls).toHaveLength(before);
      adjust.mockClear();
      ask(THINGS).answer();
      // The time without requests is in no window.
      for (let n = 0; n < 10; n++) await pass(10);
      expect(adjust.mock.calls).toEqual([[0, 100]]);
    });

    it('goes on while a request is in progress, and while a refused connection rests', async () => {
      const asked = ask(THINGS);
      await pass(1_000);
      await pass(1_000);
      asked.answer();
      await pass(10);
      narrow(lanes.request, 0, 0);
      const refused = Array.from({ length: 60 }, () => ask(THINGS, KNOWN));
      const resting = () => refused.filter(({ connection }) => connection.isPaused()).length;
      await turnIsOver();
      await pass(1_000);
      await pass(1_000);
      expect(resting()).toBe(60 - 3 * 16);
      await pass(10);
      expect(resting()).toBe(0);
    });

    it('ends with the service', () => {
      ask(THINGS);
      admission.onApplicationShutdown();
      lookNow();
      expect(looks).not.toHaveBeenCalled();
    });
  });

  it('shows the requests and the limit of each class as metrics', async () => {
    fill(lanes.request, 1);
    ask(THINGS, KNOWN);
    ask(THINGS, KNOWN);
    ask(['GET', '/files'], KNOWN);
    for (let reading = 0; reading < 2; reading++) {
      const lines = (await metrics.metrics()).split('\n');
      expect(lines).toEqual(
        expect.arrayContaining([
          'under_way{work="request",state="under_way"} 1',
          'under_way{work="request",state="waiting"} 1',
          'under_way{work="transfer",state="under_way"} 1',
          'work_limit{work="request"} 1',
          'work_limit{work="remote"} 1000',
          'requests{work="request",outcome="admitted"} 1',
          'requests{work="request",outcome="refused"} 1',
          'requests{work="report",outcome="refused"} 0',
        ]),
      );
    }
  });
});
