import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient, type ServiceSettings } from './client';
import { isTransient, ServiceProblem, ServiceUnreachable } from './problems';

const QUICK = { attempts: 4, firstPauseMs: 5, longestPauseMs: 20 };
const TOKEN = 'ccp_secret-of-the-test';

/** A real server whose answers a test decides. */
class Scripted {
  readonly requests: { authorization: string | undefined; key: string | undefined; body: string; at: number }[] = [];
  private server!: Server;
  answer: (request: number, response: ServerResponse, incoming: IncomingMessage) => void = (_n, response) =>
    void response.setHeader('content-type', 'text/plain').end('the-id');

  async listen(): Promise<string> {
    this.server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        this.requests.push({
          authorization: incoming.headers.authorization,
          key: incoming.headers['idempotency-key'] as string | undefined,
          body: Buffer.concat(chunks).toString(),
          at: performance.now(),
        });
        this.answer(this.requests.length, response, incoming);
      });
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const problem = (response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}) =>
  void response
    .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
    .end(JSON.stringify({ status, code, detail: `because of ${code}`, head: 7 }));

describe('the client of the service', () => {
  let server: Scripted;
  let url: string;
  let directory: string;

  beforeEach(async () => {
    server = new Scripted();
    url = await server.listen();
    directory = await mkdtemp(join(tmpdir(), 'ccp-client-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });

  const client = (settings: Partial<ServiceSettings> = {}) =>
    new ServiceClient({ url, token: TOKEN, retries: QUICK, ...settings });
  const register = (service: ServiceClient, key: string | undefined = 'key-1') =>
    service.send('save_cluster', (api) =>
      api.POST('/v1/cluster', {
        params: { header: key === undefined ? {} : { 'Idempotency-Key': key } },
        body: { cluster_name: 'laptop' },
        parseAs: 'text',
      }),
    );

  it('names a proxy that refuses a large body, whose page does not say what to do', async () => {
    server.answer = (_n, response) =>
      void response.writeHead(413, { 'content-type': 'text/html' }).end('<html>too large');
    await expect(register(client())).rejects.toThrow(
      '413 http_413: A proxy before the service refuses bodies of this size',
    );
    server.answer = (_n, response) => problem(response, 413, 'body_too_large');
    await expect(register(client())).rejects.toThrow('413 body_too_large: because of body_too_large');
  });

  it('sends texts that the service can store, whatever a report quotes', async () => {
    const client = new ServiceClient({ url, retries: QUICK, token: TOKEN, tokenFile: undefined });
    const body = { cluster_name: `a\0b ${'\u{1f600}'.slice(0, 1)} \u{1f600}` };
    const header = { 'Idempotency-Key': 'k' };
    await client.send('save_cluster', (api) => api.POST('/v1/cluster', { params: { header }, body, parseAs: 'text' }));
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ cluster_name: 'a\ufffdb \ufffd \u{1f600}' });
  });

  it('sends the token, the key and the members, and returns the answer', async () => {
    expect(await register(client())).toBe('the-id');
    expect(server.requests).toEqual([
      expect.objectContaining({ authorization: `Bearer ${TOKEN}`, key: 'key-1', body: '{"cluster_name":"laptop"}' }),
    ]);
  });

  it('runs each request as its limit does, with all of its attempts', async () => {
    server.answer = (n, response) => (n === 1 ? problem(response, 503, 'draining') : void response.end('the-id'));
    const requestsAtItsEnd: number[] = [];
    let before: Promise<unknown> = Promise.resolve();
    const limit = <T>(request: () => Promise<T>): Promise<T> => {
      const turn = before.then(request);
      before = turn.then(() => requestsAtItsEnd.push(server.requests.length));
      return turn;
    };
    const limited = client({ limit });
    await Promise.all(['a', 'b', 'c'].map((key) => register(limited, key)));
    await before;
    expect(requestsAtItsEnd).toEqual([2, 3, 4]);
  });

  it('repeats a request with the same key and members until the service is ready', async () => {
    server.answer = (n, response) => (n < 3 ? problem(response, 503, 'overloaded') : void response.end('the-id'));
    expect(await register(client())).toBe('the-id');
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
  });

  it('waits as long as the service asks', async () => {
    server.answer = (n, response) =>
      n === 1 ? problem(response, 429, 'overloaded', { 'retry-after': '1' }) : void response.end('the-id');
    await register(client());
    const [first, second] = server.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('repeats a request whose connection broke', async () => {
    server.answer = (n, response, incoming) => (n < 3 ? void incoming.socket.destroy() : void response.end('the-id'));
    expect(await register(client())).toBe('the-id');
    expect(server.requests).toHaveLength(3);
  });

  it('does not repeat a POST without a key, which may have had its effect', async () => {
    server.answer = (_n, _response, incoming) => void incoming.socket.destroy();
    await expect(
      client().send('save_cluster', (api) => api.POST('/v1/cluster', { body: { cluster_name: 'laptop' } })),
    ).rejects.toThrow(ServiceUnreachable);
    expect(server.requests).toHaveLength(1);
  });

  it('gives up after its attempts, with the last answer', async () => {
    server.answer = (_n, response) => problem(response, 503, 'draining');
    const fault = await register(client()).catch((error: unknown) => error);
    expect(fault).toMatchObject({ status: 503, code: 'draining' });
    expect(isTransient(fault)).toBe(true);
    expect(server.requests).toHaveLength(QUICK.attempts);
  });

  it('reports a refusal with its code and its sentence, and does not repeat it', async () => {
    server.answer = (_n, response) => problem(response, 409, 'action_over');
    const fault = (await register(client()).catch((error: unknown) => error)) as ServiceProblem;
    expect(fault).toBeInstanceOf(ServiceProblem);
    expect(fault).toMatchObject({ code: 'action_over', detail: 'because of action_over', members: { head: 7 } });
    expect(fault.message).toBe('save_cluster was answered with 409 action_over: because of action_over');
    expect(isTransient(fault)).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  it('names an answer without a code by its status', async () => {
    server.answer = (_n, response) => void response.writeHead(404).end('nothing here');
    await expect(register(client())).rejects.toMatchObject({ code: 'http_404', detail: 'nothing here' });
  });

  it('ends an attempt at its deadline', async () => {
    server.answer = () => undefined;
    const fault = await register(client({ deadlineMs: 500, retries: { ...QUICK, attempts: 2 } })).catch(
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(ServiceUnreachable);
    expect(String(fault)).toContain('no answer in 500 ms');
    expect(server.requests).toHaveLength(2);
  });

  it('names the fault if nothing listens', async () => {
    await server.close();
    await expect(register(client())).rejects.toThrow('save_cluster did not reach the service: ECONNREFUSED');
    await server.listen();
  });

  it('ends at once when the agent stops', async () => {
    const stop = new AbortController();
    server.answer = () => stop.abort(new Error('stopped'));
    await expect(register(client({ signal: stop.signal }))).rejects.toThrow('stopped');
  });

  describe('whose caller waits only so long', () => {
    const registerWithin = (ms: number, settings: Partial<ServiceSettings> = {}) =>
      client(settings).send('save_cluster', (api) => {
        const params = { header: { 'Idempotency-Key': 'key-1' } };
        return api.POST('/v1/cluster', { params, body: { cluster_name: 'x' }, signal: AbortSignal.timeout(ms) });
      });

    it('ends an attempt then, and begins no other one', async () => {
      server.answer = () => undefined;
      await expect(registerWithin(1_000)).rejects.toThrow('save_cluster did not reach the service: no answer in time');
      expect(server.requests).toHaveLength(1);
    });

    it('ends a pause then, and names the last answer', async () => {
      server.answer = (_n, response) => problem(response, 503, 'draining');
      const retries = { attempts: 4, firstPauseMs: 60_000, longestPauseMs: 60_000 };
      const fault = await registerWithin(1_000, { retries }).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(ServiceUnreachable);
      expect(String(fault)).toContain('it answered 503');
      expect(server.requests).toHaveLength(1);
    });
  });

  it('reads the file of the token again when it changes', async () => {
    const tokenFile = join(directory, 'token');
    await writeFile(tokenFile, 'first-token\n');
    const service = client({ token: undefined, tokenFile });
    await register(service);
    await writeFile(tokenFile, 'second-token-is-longer\n');
    await register(service, 'key-2');
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([
      'Bearer first-token',
      'Bearer second-token-is-longer',
    ]);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['two tokens', 'one two'],
  ])('names the file of the token that is unusable: %s', async (_what, text) => {
    const tokenFile = join(directory, 'token');
    if (text !== undefined) await writeFile(tokenFile, text);
    const fault = await register(client({ token: undefined, tokenFile })).catch((error: unknown) => error);
    expect(String(fault)).toContain(tokenFile);
    expect(server.requests).toHaveLength(0);
  });

  it('has the token in none of its errors', async () => {
    const faults: unknown[] = [];
    for (const status of [400, 401, 503]) {
      server.answer = (_n, response) => problem(response, status, 'refused');
      faults.push(await register(client()).catch((error: unknown) => error));
    }
    server.answer = (_n, _response, incoming) => void incoming.socket.destroy();
    faults.push(await register(client()).catch((error: unknown) => error));
    const texts = faults.map((fault) => {
      const { message, stack, cause, ...members } = fault as Error;
      return `${message} ${stack} ${String((cause as Error | undefined)?.stack)} ${JSON.stringify(members)}`;
    });
    expect(faults).toHaveLength(4);
    for (const text of texts) expect(text).not.toContain(TOKEN);
  });
});
