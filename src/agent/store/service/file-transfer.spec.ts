import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceClient } from '../../service/client';
import { RUNNING_PATIENCE_MS } from '../checkpoint-store';
import { ServiceFileAddresses } from './file-addresses';
import { FileTransfer, type Insistence } from './file-transfer';

const MINUTE_MS = 60_000;
const PATH = 'checkpoints/1/images.00000.zst';
const TOO_SLOW = '<?xml version="1.0"?><Error><Code>RequestTimeout</Code></Error>';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const answer =
  (status: number, headers: Record<string, string> = {}, words = ''): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(words);

describe('A transfer of a file', () => {
  let server: Server;
  let url: string;
  /** How the service and the storage answer; undefined: as they should. */
  let service: () => Answer | undefined;
  let storage: () => Answer | undefined;
  let stored: Buffer[];
  let attempts: number;
  /** Of pauses, which take no time here. */
  let now: number;
  let pauses: number[];
  let transfer: FileTransfer;

  beforeEach(async () => {
    [service, storage, stored, attempts, now, pauses] = [() => undefined, () => undefined, [], 0, 0, []];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isOfService = request.url!.startsWith('/v1/');
        if (isOfService) attempts++;
        const given = isOfService ? service() : storage();
        if (given) return given(response, request);
        if (isOfService) return response.setHeader('content-type', 'text/plain').end(`${url}/stored`);
        if (request.method === 'PUT') stored.push(Buffer.concat(chunks));
        return response.end('bytes');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const retries = { attempts: 1, firstPauseMs: 0, longestPauseMs: 0 };
    const client = new ServiceClient({ url, token: 'token', retries });
    const clock = {
      nowMs: () => now,
      pause: (ms: number) => {
        pauses.push(ms);
        now += ms;
        return Promise.resolve();
      },
    };
    transfer = new FileTransfer(new ServiceFileAddresses(client.api('files')), clock);
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const patience = (failingMs: number): boolean => failingMs < RUNNING_PATIENCE_MS;
  const put = (insistence: Insistence = { patience }) => transfer.put(PATH, Buffer.from('part'), { insistence });
  const until = (ms: number, fault: Answer) => () => (now < ms ? fault : undefined);
  const reset: Answer = (response) => void response.destroy();

  it.each<[string, { service?: Answer; storage?: Answer }]>([
    ['the storage is busy', { storage: answer(503) }],
    ['the storage has too many requests', { storage: answer(429) }],
    ['the storage found the bytes to come too slowly', { storage: answer(400, {}, TOO_SLOW) }],
    ['the storage breaks the connection', { storage: reset }],
    ['the address has expired', { storage: answer(403) }],
    ['the service is busy', { service: answer(503) }],
    ['the service fails', { service: answer(500) }],
    ['the service does not take the token, which is replaced', { service: answer(401) }],
    ['the service cannot be reached', { service: reset }],
  ])('is repeated for minutes while %s', async (_, faults) => {
    if (faults.service) service = until(2 * MINUTE_MS, faults.service);
    if (faults.storage) storage = until(2 * MINUTE_MS, faults.storage);
    await put();
    expect(stored).toEqual([Buffer.from('part')]);
    expect(now).toBeLessThan(3 * MINUTE_MS);
  });

  it('goes on after most of its patience, by pauses that grow to half a minute', async () => {
    storage = until(29 * MINUTE_MS, answer(503));
    await put();
    expect(stored).toHaveLength(1);
    expect(pauses[0]).toBeLessThanOrEqual(250);
    expect(Math.max(...pauses)).toBeGreaterThan(15_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000);
  });

  it('ends with its patience', async () => {
    storage = () => answer(503);
    await expect(put()).rejects.toThrow(`${PATH} could not be transferred (the storage answered 503)`);
    expect([now >= RUNNING_PATIENCE_MS, now <= RUNNING_PATIENCE_MS + 30_000]).toEqual([true, true]);
  });

  it.each([
    ['the service', () => void (service = () => answer(401))],
    ['the storage', () => void (storage = () => answer(403))],
  ])('ends after some minutes in which %s refuses it, as with a wrong token', async (_, refuse) => {
    refuse();
    await expect(put()).rejects.toThrow();
    expect([now >= 3 * MINUTE_MS, now < 4 * MINUTE_MS]).toEqual([true, true]);
  });

  it('is not ended by one refusal after an outage', async () => {
    let refusals = 0;
    service = () => (now < 10 * MINUTE_MS ? answer(503) : refusals++ === 0 ? answer(401) : undefined);
    await put();
    expect(stored).toHaveLength(1);
  });

  it('waits for one outage once, however many files of a checkpoint fail in it', async () => {
    const insistence = { patience };
    storage = () => answer(503);
    await expect(put(insistence)).rejects.toThrow();
    [attempts, pauses] = [0, []];
    await expect(put(insistence)).rejects.toThrow();
    expect([attempts, pauses]).toEqual([1, []]);
    storage = () => undefined;
    await put(insistence);
    storage = until(now + 20 * MINUTE_MS, answer(503));
    await put(insistence);
    expect(stored).toHaveLength(2);
  });

  it('waits for as long as it is asked to', async () => {
    storage = until(1, answer(503, { 'retry-after': '45' }));
    await put();
    expect(pauses).toEqual([expect.any(Number)]);
    expect(pauses[0]).toBeGreaterThanOrEqual(45_000);
  });

  it.each<[string, { service?: Answer; storage?: Answer }]>([
    ['a bad request', { storage: answer(400, {}, '<Error><Code>InvalidRequest</Code></Error>') }],
    ['a missing bucket', { storage: answer(404) }],
    ['a bad path', { service: answer(400) }],
    ['a token without the right', { service: answer(403) }],
  ])('is not repeated after %s', async (_, faults) => {
    if (faults.service) service = () => faults.service;
    if (faults.storage) storage = () => faults.storage;
    await expect(put()).rejects.toThrow();
    expect([attempts, pauses]).toEqual([1, []]);
  });

  it('ends at once when nobody needs the file any more', async () => {
    const over = new AbortController();
    storage = () => (over.abort(), answer(503));
    const terms = { insistence: { patience }, signal: over.signal };
    await expect(transfer.put(PATH, Buffer.from('part'), terms)).rejects.toThrow();
    expect([attempts, pauses]).toEqual([1, []]);
  });

  it('is repeated a few times if somebody waits for the bytes', async () => {
    storage = () => (attempts < 3 ? answer(503) : undefined);
    expect(await transfer.get(PATH, 10)).toEqual(Buffer.from('bytes'));
    [attempts, storage] = [0, () => answer(503)];
    await expect(transfer.get(PATH, 10)).rejects.toThrow('the storage answered 503');
    expect(attempts).toBe(5);
  });
});
