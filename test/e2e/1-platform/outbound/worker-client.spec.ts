import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners, once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { allowedEndpoint } from '../../../../src/1-platform/config/allowed-endpoint';
import { AddressPolicy } from '../../../../src/1-platform/outbound/address-policy';
import {
  WorkerClient,
  WorkerUnreachable,
  type WorkerAnswer,
  type WorkerClientOptions,
} from '../../../../src/1-platform/outbound/worker-client';
import { hostileUrls } from '../../../support/hostile-urls';
import { onThisMachine } from '../../../support/machine';
import { inParallel } from '../../../support/random';

// At once, for one attempt on a machine that may be busy: well above the time of a loopback connection, and
// far below every timeout that would close it otherwise. The limit of 100 ms is checked over 500 attempts, by
// the chats of clients that disconnect.
const AT_ONCE_MS = 1_000;

type Resolve = NonNullable<WorkerClientOptions['resolve']>;

/** A resolver that knows one answer, or none and never replies. */
const resolvesTo = (...addresses: string[]): Resolve =>
  ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (found.length > 0) process.nextTick(done, null, found);
  }) as unknown as Resolve;

const policy = (...entries: string[]): AddressPolicy =>
  new AddressPolicy({
    allow: entries.length === 0 ? undefined : entries.map((entry) => allowedEndpoint(entry)!),
    ownPorts: () => [],
    databases: [],
  });

describe('the client for workers', () => {
  const closing: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** Its connections, and when each was closed. */
  class Watched {
    connections = 0;
    readonly sockets = new Set<Socket>();
    readonly port: number;

    constructor(readonly server: TcpServer | Server) {
      this.port = (server.address() as AddressInfo).port;
      server.on('connection', (socket: Socket) => {
        this.connections++;
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.sockets.delete(socket));
      });
      closing.push(async () => {
        for (const socket of this.sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      });
    }
    get url(): string {
      return `http://127.0.0.1:${this.port}`;
    }
  }

  async function worker(answer: RequestListener, host = '127.0.0.1', port = 0): Promise<Watched> {
    const server = createServer(answer);
    server.listen(port, host);
    await once(server, 'listening');
    return new Watched(server);
  }

  /** Listens at every address of this machine, and answers nobody. */
  async function canary(host?: string, port = 0): Promise<Watched> {
    const server = createTcpServer();
    server.listen(port, host);
    await once(server, 'listening');
    return new Watched(server);
  }

  async function raw(talk: (socket: Socket) => void): Promise<Watched> {
    const server = createTcpServer((socket) => void socket.once('data', () => talk(socket)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Watched(server);
  }

  function client(
    judge: Pick<AddressPolicy, 'fault' | 'permits'>,
    options: Partial<WorkerClientOptions> = {},
  ): WorkerClient {
    const made = new WorkerClient(judge, { answerTimeoutMs: 600_000, ...options });
    closing.push(() => made.onApplicationShutdown());
    return made;
  }

  /** A worker that answers every request. */
  const clientOf = ({ port }: Watched, options: Partial<WorkerClientOptions> = {}): WorkerClient =>
    client(policy(`127.0.0.1:${port}`), options);

  const post = (from: WorkerClient, url: string, signal = new AbortController().signal): Promise<WorkerAnswer> =>
    from.post(url, { headers: { 'content-type': 'application/json' }, body: '{"a":1}', signal });

  const failure = async (promise: Promise<unknown>): Promise<WorkerUnreachable> => {
    const error: unknown = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof WorkerUnreachable)) throw new Error('it did not fail as a worker does', { cause: error });
    return error;
  };

  const reasonOf = async (promise: Promise<unknown>): Promise<string> => (await failure(promise)).reason;

  const answerOk: RequestListener = (request, answer) => {
    void text(request).then((body) => answer.end(`${request.method} ${request.url} ${body}`));
  };

  describe('connects to permitted addresses only', () => {
    it.each<[string, string[]]>([
      ['by itself', []],
      ['with a list of everything', ['0.0.0.0/0', '::/0', 'metadata', 'worker.svc', 'a.b']],
    ])('connects to permitted addresses only %s, and to the worker that is listed', async (_name, entries) => {
      const bait = await canary();
      const listed = await worker(answerOk);
      const judge = policy(...entries, ...(entries.length > 0 ? [`127.0.0.1:${listed.port}`] : []));
      const walled = client(judge, { resolve: resolvesTo('127.0.0.1', '::1', '169.254.169.254') });
      for (const url of hostileUrls(bait.port))
        expect([url, await reasonOf(post(walled, url))]).toEqual([url, 'address_refused']);
      expect(bait.connections).toBe(0);
      const { status, body } = await post(clientOf(listed), `${listed.url}/v1/chat?a=b`);
      expect([status, await text(body)]).toEqual([200, 'POST /v1/chat?a=b {"a":1}']);
    });

    it('connects to permitted addresses only, even if nobody checked the URL before', async () => {
      const bait = await canary();
      const listed = await worker(answerOk);
      const judge = policy(`127.0.0.1:${listed.port}`);
      const open = { fault: () => undefined, permits: judge.permits.bind(judge) };
      const walled = client(open, { resolve: resolvesTo('127.0.0.1', '::1') });
      for (const url of hostileUrls(bait.port)) await expect(post(walled, url)).rejects.toThrow();
      for (const url of [
        `http://127.0.0.1:${bait.port}`,
        `http://[::ffff:7f00:1]:${bait.port}`,
        `http://0x7f.1:${bait.port}`,
      ])
        expect([url, await reasonOf(post(walled, url))]).toEqual([url, 'address_refused']);
      expect(bait.connections).toBe(0);
      expect((await post(walled, listed.url)).status).toBe(200);
    });

    it('connects to permitted addresses only, whatever a name resolves to', async () => {
      const bait = await canary();
      for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::']) {
        const walled = client(policy(), { resolve: resolvesTo(address) });
        const { reason, message } = await failure(post(walled, `http://rebound.example:${bait.port}/`));
        expect([reason, message]).toEqual(['address_refused', 'the address of the worker is not permitted']);
      }
      expect(bait.connections).toBe(0);
    });

    it('connects to permitted addresses only, with the resolver of the system too', async () => {
      const bait = await canary();
      const listed = await worker(answerOk);
      const walled = clientOf(listed);
      expect(await reasonOf(post(walled, `http://localhost:${bait.port}/`))).toBe('address_refused');
      expect((await post(walled, `http://localhost:${listed.port}/`)).status).toBe(200);
      expect(bait.connections).toBe(0);
    });

    // Other systems have one loopback address only.
    (process.platform === 'linux' ? it : it.skip)(
      'and picks the permitted ones of several addresses (skipped unless on Linux)',
      async () => {
        const listed = await worker(answerOk);
        const bait = await canary('127.0.0.2', listed.port);
        const walled = clientOf(listed, { resolve: resolvesTo('127.0.0.2', '127.0.0.1') });
        expect((await post(walled, `http://several.example:${listed.port}/`)).status).toBe(200);
        expect([bait.connections, listed.connections]).toEqual([0, 1]);
      },
    );

    it('sends nothing if the connected address turns out to be another one', async () => {
      let requests = 0;
      const listed = await worker(() => requests++);
      const verdicts = [true, false];
      const walled = client({ fault: () => undefined, permits: () => verdicts.shift() ?? false });
      expect(await reasonOf(post(walled, listed.url))).toBe('address_refused');
      while (listed.connections === 0 || listed.sockets.size > 0) await sleep(5);
      expect([verdicts.length, requests]).toEqual([0, 0]);
    });

    it('follows no redirect', async () => {
      const bait = await canary();
      const listed = await worker((_, answer) => {
        answer.writeHead(307, { location: `http://127.0.0.1:${bait.port}/` }).end('elsewhere');
      });
      const { status, headers, body } = await post(clientOf(listed), listed.url);
      expect([status, headers.location, await text(body)]).toEqual([
        307,
        `http://127.0.0.1:${bait.port}/`,
        'elsewhere',
      ]);
      expect(bait.connections).toBe(0);
    });
  });

  it('reuses connections', async () => {
    const listed = await worker(answerOk);
    const calls = clientOf(listed);
    for (let n = 0; n < 5; n++) {
      const { signal } = new AbortController();
      await text((await post(calls, listed.url, signal)).body);
      await sleep(1);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }
    expect(listed.connections).toBe(1);
  });

  describe('leaves an address', () => {
    it('leaves an address by closing idle connections, and opens a new one for a later request', async () => {
      const listed = await worker(answerOk);
      const calls = clientOf(listed);
      await text((await post(calls, listed.url)).body);
      expect(listed.sockets.size).toBe(1);
      calls.leave(`${listed.url}/v1`);
      const since = performance.now();
      while (listed.sockets.size > 0) await sleep(1);
      expect(performance.now() - since).toBeLessThan(onThisMachine(AT_ONCE_MS));
      expect(await text((await post(calls, listed.url)).body)).toContain('{"a":1}');
      expect(listed.connections).toBe(2);
    });

    it('leaves an address after the answers that are in progress', async () => {
      const open: ServerResponse[] = [];
      const listed = await worker((_, answer) => {
        open.push(answer.writeHead(200));
        answer.write('first,');
      });
      const calls = clientOf(listed);
      const { body } = await post(calls, listed.url);
      calls.leave(listed.url);
      // A request that comes meanwhile is not affected.
      const other = await post(calls, listed.url);
      for (const answer of open) answer.end('last');
      expect(await Promise.all([text(body), text(other.body)])).toEqual(['first,last', 'first,last']);
      while (listed.sockets.size > 1) await sleep(1);
    });

    it('ignores that it shall leave an address that it does not know', () => {
      const calls = client(policy());
      for (const url of ['http://nobody.example/', 'no address']) expect(() => calls.leave(url)).not.toThrow();
    });

    it('breaks off even the answers of a left address when the service stops', async () => {
      const listed = await worker((_, answer) => void answer.writeHead(200).write('first'));
      const calls = clientOf(listed);
      const { body } = await post(calls, listed.url);
      calls.leave(listed.url);
      await calls.onApplicationShutdown();
      await expect(text(body)).rejects.toThrow('the worker broke off');
    });
  });

  it('passes headers on as received, repeated names included', async () => {
    const listed = await worker((_, answer) => {
      answer.writeEarlyHints({ link: '</style.css>; rel=preload' });
      answer.writeHead(429, { 'Retry-After': '7', 'Set-Cookie': ['a=1', 'b=2'] }).end();
    });
    const { status, headers, body } = await post(clientOf(listed), listed.url);
    expect([status, headers['retry-after'], headers['set-cookie']]).toEqual([429, '7', ['a=1', 'b=2']]);
    expect(await text(body)).toBe('');
  });

  it('reads more than a thousand streams of one worker at a time', async () => {
    const STREAMS = 1_100;
    const open: ServerResponse[] = [];
    const listed = await worker((_, answer) => {
      open.push(answer.writeHead(200));
      answer.write('first,');
    });
    const calls = clientOf(listed);
    const answers: Awaited<ReturnType<typeof post>>[] = [];
    // Some at a time: a connection must be accepted within 3 s, also on a busy machine.
    await inParallel(Array.from({ length: STREAMS }), 50, async () => answers.push(await post(calls, listed.url)));
    expect(open).toHaveLength(STREAMS);
    const bodies = Promise.all(answers.map(({ body }) => text(body)));
    for (const answer of open) answer.end('last');
    expect(new Set(await bodies)).toEqual(new Set(['first,last']));
  });

  it('reads no faster than a slow consumer does', async () => {
    const bytes = Buffer.alloc(64 * 1024 * 1024, 'x');
    const listed = await worker((_, answer) => void answer.end(bytes));
    const { body } = await post(clientOf(listed), listed.url);
    await sleep(300);
    const [socket] = listed.sockets;
    expect(socket?.writableLength).toBeGreaterThan(bytes.length / 2);
    expect(body.readableLength).toBeLessThan(1024 * 1024);
    expect((await buffer(body)).equals(bytes)).toBe(true);
  });

  describe('when it is aborted', () => {
    const silent: RequestListener = () => undefined;
    const streaming: RequestListener = (_, answer) => void answer.writeHead(200).write('first');

    /** @returns how long a worker kept its last connection */
    async function untilClosed({ sockets }: Watched): Promise<number> {
      const since = performance.now();
      while (sockets.size > 0) await sleep(1);
      return performance.now() - since;
    }

    it('rejects with the reason and disconnects at once if it is aborted before an answer', async () => {
      const listed = await worker(silent);
      const aborting = new AbortController();
      const asked = post(clientOf(listed), listed.url, aborting.signal);
      await once(listed.server, 'request');
      const reason = new Error('the caller left');
      aborting.abort(reason);
      await expect(asked).rejects.toBe(reason);
      expect(await untilClosed(listed)).toBeLessThan(onThisMachine(AT_ONCE_MS));
    });

    it('ends the body with the reason and disconnects at once if it is aborted while the body streams', async () => {
      const listed = await worker(streaming);
      const aborting = new AbortController();
      const { body } = await post(clientOf(listed), listed.url, aborting.signal);
      await once(body, 'data');
      const reason = new Error('the caller left');
      const failed = once(body, 'close').catch((error: unknown) => error);
      aborting.abort(reason);
      expect(await untilClosed(listed)).toBeLessThan(onThisMachine(AT_ONCE_MS));
      expect([await failed, body.errored]).toEqual([reason, reason]);
      expect(getEventListeners(aborting.signal, 'abort')).toHaveLength(0);
    });

    it('disconnects at once, and does not crash the process, if it is aborted while nobody reads the body', async () => {
      const listed = await worker(streaming);
      const aborting = new AbortController();
      const { body } = await post(clientOf(listed), listed.url, aborting.signal);
      aborting.abort();
      expect(await untilClosed(listed)).toBeLessThan(onThisMachine(AT_ONCE_MS));
      await expect(text(body)).rejects.toThrow('aborted');
    });

    it('reports the reason to a consumer that has not started to read if it is aborted at the moment of the answer', async () => {
      const listed = await worker(streaming);
      const aborting = new AbortController();
      const reason = new Error('the caller left');
      const onHeaders = () => process.nextTick(() => aborting.abort(reason));
      subscribe('undici:request:headers', onHeaders);
      closing.push(() => void unsubscribe('undici:request:headers', onHeaders));
      const { body } = await post(clientOf(listed), listed.url, aborting.signal);
      expect(aborting.signal.aborted).toBe(true);
      expect(await new Promise((resolve) => body.on('error', resolve))).toBe(reason);
    });

    it('disconnects at once if its consumer stops reading', async () => {
      const listed = await worker(streaming);
      const { body } = await post(clientOf(listed), listed.url);
      for await (const chunk of body) {
        expect(String(chunk)).toBe('first');
        break;
      }
      expect(await untilClosed(listed)).toBeLessThan(onThisMachine(AT_ONCE_MS));
    });

    it('rejects at once if it is aborted while it connects', async () => {
      const aborting = new AbortController();
      const calls = client(policy(), { resolve: resolvesTo() });
      const asked = post(calls, 'http://nowhere.example/', aborting.signal);
      await sleep(20);
      const since = performance.now();
      aborting.abort();
      await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
      expect(performance.now() - since).toBeLessThan(onThisMachine(AT_ONCE_MS));
    });

    it('contacts nobody if it is aborted before it starts', async () => {
      const listed = await worker(silent);
      await expect(post(clientOf(listed), listed.url, AbortSignal.abort())).rejects.toMatchObject({
        name: 'AbortError',
      });
      expect(listed.connections).toBe(0);
    });

    it('sends the worker nothing if it is aborted while it resolves the name', async () => {
      const listed = await worker(answerOk);
      let resolved: (() => void) | undefined;
      const resolve = ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) => {
        resolved = () => done(null, [{ address: '127.0.0.1', family: 4 }]);
      }) as unknown as Resolve;
      let requests = 0;
      listed.server.on('request', () => requests++);
      const aborting = new AbortController();
      const asked = post(clientOf(listed, { resolve }), `http://late.example:${listed.port}/`, aborting.signal);
      while (!resolved) await sleep(1);
      aborting.abort();
      await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
      resolved();
      while (listed.connections === 0) await sleep(1);
      await sleep(50);
      expect(requests).toBe(0);
    });
  });

  it('waits for an answer as long as ever if its caller limits the time for a connection', async () => {
    const listed = await worker((_, answer) => void setTimeout(() => answer.end('late'), 700));
    const { signal } = new AbortController();
    const asked = { headers: {}, body: '{}', signal, connectWithinMs: 500 };
    const { body } = await clientOf(listed).post(listed.url, asked);
    expect(await text(body)).toBe('late');
  });

  describe('names the failure of a worker that', () => {
    it('refuses connections', async () => {
      const gone = await worker(answerOk);
      gone.server.close();
      const { signal } = new AbortController();
      const { reason, message, cause } = await failure(post(clientOf(gone), gone.url, signal));
      expect([reason, message]).toEqual(['connect', 'the worker cannot be connected to']);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
      expect(cause).toMatchObject({ code: 'ECONNREFUSED' });
    });

    it('has no address', async () => {
      const resolve = ((_name: string, _options: object, done: (error: Error) => void) =>
        done(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))) as unknown as Resolve;
      expect(await reasonOf(post(client(policy(), { resolve }), 'http://unknown.example/'))).toBe('connect');
    });

    it('takes too long to connect', async () => {
      const calls = client(policy(), { resolve: resolvesTo(), connectTimeoutMs: 100 });
      expect(await reasonOf(post(calls, 'http://nowhere.example/'))).toBe('connect');
    });

    it('takes longer to connect than its caller waits, and sends it nothing afterwards', async () => {
      const received: string[] = [];
      const listed = await worker((request, answer) => {
        received.push(request.url ?? '');
        answerOk(request, answer);
      });
      let resolveNow = () => {};
      const mayResolve = new Promise<void>((resolved) => (resolveNow = resolved));
      const resolve = ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
        void mayResolve.then(() => done(null, [{ address: '127.0.0.1', family: 4 }]))) as unknown as Resolve;
      const calls = clientOf(listed, { resolve });
      const url = (path: string) => `http://late.example:${listed.port}${path}`;
      const { signal } = new AbortController();
      const asked = { headers: {}, body: '{}', signal, connectWithinMs: 20 };
      const { reason, message } = await failure(calls.post(url('/first'), asked));
      expect([reason, message]).toEqual(['slow_connect', 'connecting to the worker took too long']);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
      // It takes the connection that the first one waited for.
      const second = post(calls, url('/second'));
      resolveNow();
      expect(await text((await second).body)).toContain('/second');
      expect(received).toEqual(['/second']);
    });

    it('does not speak TLS', async () => {
      const listed = await worker(answerOk);
      expect(await reasonOf(post(clientOf(listed), listed.url.replace('http:', 'https:')))).toBe('connect');
    });

    it('never answers', async () => {
      const listed = await worker(() => undefined);
      expect(await reasonOf(post(clientOf(listed, { answerTimeoutMs: 100 }), listed.url))).toBe('timeout');
    });

    it('stops in the middle of an answer', async () => {
      const listed = await worker((_, answer) => void answer.writeHead(200).write('first'));
      const { body } = await post(clientOf(listed, { answerTimeoutMs: 100 }), listed.url);
      expect(await reasonOf(text(body))).toBe('timeout');
    });

    it.each<[string, (socket: Socket) => void]>([
      ['disconnects without an answer', (socket) => socket.destroy()],
      ['resets the connection', (socket) => socket.resetAndDestroy()],
      ['ends without an answer', (socket) => socket.end()],
      ['breaks off in the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
      ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
      ['has too many headers', (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'a: aaaaaaaa\r\n'.repeat(4_000)}\r\n`)],
    ])('names the failure of a worker that %s', async (_name, talk) => {
      const listed = await raw(talk);
      const { reason, message } = await failure(post(clientOf(listed), listed.url));
      expect([reason, message]).toEqual(['broken', 'the worker broke off']);
    });

    it.each<[string, string]>([
      ['of a known length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nfirst'],
      ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n'],
    ])('breaks off in a body %s', async (_name, head) => {
      const listed = await raw((socket) => socket.write(head, () => setTimeout(() => socket.destroy(), 50)));
      const { status, body } = await post(clientOf(listed), listed.url);
      const seen: string[] = [];
      const failed = reasonOf(
        (async () => {
          for await (const chunk of body) seen.push(String(chunk));
        })(),
      );
      expect([await failed, status, seen]).toEqual(['broken', 200, ['first']]);
    });

    it('breaks off before anybody reads: a later reader gets the error', async () => {
      const listed = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nfirst'));
      const { body } = await post(clientOf(listed), listed.url);
      await sleep(50);
      expect(await reasonOf(text(body))).toBe('broken');
    });

    it('is called while the service stops', async () => {
      const listed = await worker((_, answer) => void answer.writeHead(200).write('first'));
      const calls = clientOf(listed);
      const { body } = await post(calls, listed.url);
      await calls.onApplicationShutdown();
      expect(await reasonOf(text(body))).toBe('broken');
      expect(await reasonOf(post(calls, listed.url))).toBe('broken');
    });

    it('names neither addresses nor credentials in the message of a failure', async () => {
      const gone = await worker(answerOk);
      gone.server.close();
      const { message, stack } = await failure(
        clientOf(gone).post(gone.url, {
          headers: { authorization: 'Bearer S3cret' },
          body: '',
          signal: new AbortController().signal,
        }),
      );
      expect(`${message}${stack}`).not.toMatch(/127\.0\.0\.1|S3cret/);
    });
  });

  it('does not blame the worker for a request that cannot be written', async () => {
    const listed = await worker(answerOk);
    const { signal } = new AbortController();
    const asked = clientOf(listed).post(listed.url, { headers: { a: 'b\r\nc: d' }, body: '', signal });
    await expect(asked).rejects.toThrow('invalid a header');
    expect(listed.connections).toBe(0);
  });
});
