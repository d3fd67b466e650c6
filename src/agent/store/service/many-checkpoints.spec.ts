import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { v7 } from 'uuid';
import { factsOf, KEY, signed } from '../../../../test/support/checkpoint-stores';
import { eventually } from '../../../../test/support/eventually';
import { ServiceProblem } from '../../service/problems';
import { LEFTOVER_MS } from '../checkpoint-store';
import type { Manifest } from '../manifest';
import { TransferFault, UnreadableManifest } from '../store-failures';
import { markOf } from '../workload-marks';
import type { FileAddresses } from './file-addresses';
import { ServiceStore } from './service-store';

const MANY = 4_000;
const HOUR_MS = 3_600_000;
const OWN = { namespace: 'default', name: 'count' };

/** An object storage in memory, on a real socket. It counts what it is asked for. */
class Storage implements FileAddresses {
  readonly files = new Map<string, Buffer>();
  asked: string[] = [];
  /** Paths that it gives nobody. */
  readonly refused = new Set<string>();
  private readonly server: Server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    if (this.refused.has(path)) response.statusCode = 403;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'PUT') this.files.set(path, Buffer.concat(chunks));
      response.end(request.method === 'PUT' ? '' : this.files.get(path));
    });
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  getUrl(path: string): Promise<string | undefined> {
    this.asked.push(`get ${path}`);
    return Promise.resolve(this.files.has(path) ? this.urlOf(path) : undefined);
  }

  putUrl(path: string): Promise<string> {
    this.asked.push(`put ${path}`);
    return Promise.resolve(this.urlOf(path));
  }

  delete(path: string): Promise<void> {
    this.asked.push(`delete ${path}`);
    this.files.delete(path);
    return Promise.resolve();
  }

  list(directory: string, after = ''): AsyncIterable<string> {
    this.asked.push(`list ${directory}`);
    const paths = [...this.files.keys()].filter((path) => path.startsWith(`${directory}/`));
    const names = paths.map((path) => path.slice(directory.length + 1).replace(/\/.*/, '/'));
    return Readable.from([...new Set(names)].filter((name) => name > after).sort());
  }

  serviceNow(): number {
    return Date.now();
  }

  private urlOf(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${path}`;
  }
}

const withTime = (addresses: FileAddresses, serviceNow: () => number): FileAddresses => ({
  getUrl: (path) => addresses.getUrl(path),
  putUrl: (path) => addresses.putUrl(path),
  delete: (path) => addresses.delete(path),
  list: (...wish) => addresses.list(...wish),
  serviceNow,
});

describe('A store of thousands of checkpoints', () => {
  let storage: Storage;
  let cacheDirectory: string;
  let store: ServiceStore;
  /** Of an agent that looks when what was begun now is old. */
  let later: ServiceStore;

  beforeEach(async () => {
    storage = new Storage();
    await storage.open();
    cacheDirectory = mkdtempSync(join(tmpdir(), 'ccp-many-'));
    const clock = { nowMs: () => performance.now(), pause: () => Promise.resolve() };
    const options = { addresses: storage, key: KEY, cacheDirectory, cacheBytes: 2 ** 20, clock };
    store = new ServiceStore(options);
    const serviceNow = () => Date.now() + LEFTOVER_MS + 60_000;
    later = new ServiceStore({ ...options, addresses: withTime(storage, serviceNow) });
  });
  afterEach(async () => {
    await storage.close();
    rmSync(cacheDirectory, { recursive: true });
  });

  /** @param isMarked not by an agent that knows no marks */
  const add = (
    id: string,
    name = 'other',
    { isMarked = true, createdAt = '2026-06-01T10:00:00.000Z' } = {},
  ): string => {
    const facts = factsOf(id);
    const workload = { ...facts.workload, name };
    const rest = { version: 1 as const, reference: `service:${id}`, files: [], bytes: 0, stages: [] };
    const manifest: Manifest = { ...facts, createdAt, workload, ...rest, archive: { format: 'tar+zstd', parts: [] } };
    storage.files.set(`checkpoints/${id}/begun.json`, Buffer.from('{"startedAt":"2026-06-01T10:00:00.000Z"}'));
    storage.files.set(`checkpoints/${id}/manifest.json`, Buffer.from(signed(manifest)));
    if (isMarked) storage.files.set(`checkpoint-marks/${markOf(manifest)}`, Buffer.from('\n'));
    return id;
  };
  const idAt = (ms: number) => v7({ msecs: Date.parse('2026-06-01T10:00:00.000Z') + ms });
  const newest = async (count = 1) => {
    storage.asked = [];
    const ids: string[] = [];
    for await (const { id } of store.newestFirst(OWN)) if (ids.push(id) === count) break;
    return ids;
  };
  const marks = () => [...storage.files.keys()].filter((path) => path.startsWith('checkpoint-marks/'));
  const marksAsked = () => storage.asked.filter((one) => one.startsWith('put checkpoint-marks/')).length;
  const manifestsRead = () => storage.asked.filter((one) => /^get .*manifest\.json$/.test(one)).length;

  it('reads one manifest for the newest of a workload, and no more than it is asked for', async () => {
    for (let other = 0; other < MANY; other++) add(other % 2 === 0 ? idAt(other) : randomUUID());
    const own = Array.from({ length: 500 }, (_, index) => add(idAt(index * HOUR_MS), OWN.name)).toReversed();
    expect(await newest()).toEqual(own.slice(0, 1));
    expect([manifestsRead(), storage.asked.length]).toEqual([1, 3]);
    expect(await newest(3)).toEqual(own.slice(0, 3));
    expect(manifestsRead()).toBe(3);
  });

  it('reads no manifest for a workload that has no checkpoint', async () => {
    for (let other = 0; other < MANY; other++) add(idAt(other));
    expect(await newest()).toEqual([]);
    expect(storage.asked).toEqual(['list checkpoint-marks', 'list checkpoints']);
  });

  it('finds those of agents that make no marks, and reads them once', async () => {
    const marked = add(idAt(1), OWN.name);
    const unmarked = add(idAt(2), OWN.name, { isMarked: false });
    const byHand = add(randomUUID(), OWN.name, { createdAt: '2026-06-01T10:00:00.003Z' });
    add(idAt(4), 'other', { isMarked: false });
    expect(await newest(5)).toEqual([byHand, unmarked, marked]);
    await eventually(() => expect(marks()).toHaveLength(4));
    expect(await newest()).toEqual([byHand]);
    expect(manifestsRead()).toBe(1);
  });

  it('answers before the marks that are missing are written, and writes no more after one that fails', async () => {
    const own = Array.from({ length: 100 }, (_, index) => add(idAt(index), OWN.name, { isMarked: false })).toReversed();
    const refused = Promise.withResolvers<never>();
    storage.putUrl = (path) => {
      storage.asked.push(`put ${path}`);
      return refused.promise;
    };
    expect(await newest()).toEqual(own.slice(0, 1));
    expect(marksAsked()).toBe(4);
    refused.reject(new ServiceProblem('get_upload_url', 400, 'invalid_field', 'No.', {}));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(marksAsked()).toBe(4);
    expect(marks()).toEqual([]);
  });

  it('believes the manifest, whatever a mark says, and passes over what is gone', async () => {
    const own = add(idAt(1), OWN.name);
    const foreign = add(idAt(2));
    const manifest = { id: foreign, createdAt: '', workload: OWN } as unknown as Manifest;
    storage.files.set(`checkpoint-marks/${markOf(manifest)}`, Buffer.from('\n'));
    const gone = add(idAt(3), OWN.name);
    storage.files.delete(`checkpoints/${gone}/manifest.json`);
    expect(await newest(5)).toEqual([own]);
  });

  it('puts one whose mark has another time in its place once it is read, and corrects the mark', async () => {
    const [first, second, third] = [add(idAt(1), OWN.name), add(idAt(2), OWN.name), add(idAt(3), OWN.name)];
    const right = marks();
    const [wrong] = right.filter((path) => path.includes(first));
    storage.files.delete(wrong!);
    storage.files.set(wrong!.replace(/\d+$/, String(Date.parse('2030-01-01T00:00:00Z'))), Buffer.from('\n'));
    expect(await newest(5)).toEqual([third, second, first]);
    await eventually(() => expect(marks().sort()).toEqual(right.sort()));
  });

  it('reads one that has several marks, and leaves it the right one', async () => {
    const own = add(idAt(1), OWN.name);
    const right = marks();
    const foreign = right[0]!.replace(/\.[0-9a-f]{32}\./, `.${'f'.repeat(32)}.`);
    storage.files.set(foreign, Buffer.from('\n'));
    expect(await newest()).toEqual([own]);
    await eventually(() => expect(marks()).toEqual(right));
  });

  it('corrects a mark with the hash of this workload on a checkpoint of another one', async () => {
    const foreign = add(idAt(2), 'other', { isMarked: false });
    storage.files.set(
      `checkpoint-marks/${markOf({ id: foreign, createdAt: '', workload: OWN } as unknown as Manifest)}`,
      Buffer.from('\n'),
    );
    expect(await newest()).toEqual([]);
    const right = markOf({ id: foreign, createdAt: '', workload: { ...OWN, name: 'other' } } as unknown as Manifest);
    await eventually(() => expect(marks()).toEqual([`checkpoint-marks/${right}`]));
    expect(await newest()).toEqual([]);
    expect(manifestsRead()).toBe(0);
  });

  it('looks for leftovers by lists of names, and examines those without a mark', async () => {
    for (let other = 0; other < MANY; other++) add(idAt(other));
    const unmarked = add(idAt(1), OWN.name, { isMarked: false });
    const left = randomUUID();
    storage.files.set(`checkpoints/${left}/begun.json`, Buffer.from('{"startedAt":"2026-06-01T10:00:00.000Z"}'));
    const stale = `${randomUUID()}.${'0'.repeat(32)}.1`;
    storage.files.set(`checkpoint-marks/${stale}`, Buffer.from('\n'));
    expect(await later.removeLeftovers()).toBe(1);
    expect(storage.asked.length).toBeLessThan(20);
    expect(storage.files.has(`checkpoints/${left}/begun.json`)).toBe(false);
    expect(storage.files.has(`checkpoint-marks/${stale}`)).toBe(false);
    expect(await newest()).toEqual([unmarked]);
    expect(manifestsRead()).toBe(1);
    storage.asked = [];
    expect(await later.removeLeftovers()).toBe(0);
    expect(storage.asked).toEqual(['list checkpoint-marks', 'list checkpoints']);
  });

  it('examines at most 500 without a mark at a time, and goes on behind them', async () => {
    for (let other = 0; other < 1_200; other++)
      storage.files.set(
        `checkpoints/${idAt(other)}/begun.json`,
        Buffer.from('{"startedAt":"2026-06-01T10:00:00.000Z"}'),
      );
    // Of somebody with another key: they stay unusable.
    const foreign = Array.from({ length: 600 }, (_, index) => idAt(-10_000 + index));
    for (const id of foreign) storage.files.set(`checkpoints/${id}/manifest.json`, Buffer.from('{}\n'));
    const removed: number[] = [];
    for (let look = 0; look < 4; look++) removed.push(await later.removeLeftovers());
    expect(removed).toEqual([0, 400, 500, 300]);
  });

  describe('of which the storage does not give one object', () => {
    const refuse = (id: string, name = 'manifest.json') => storage.refused.add(`checkpoints/${id}/${name}`);
    const LEFT = Buffer.from('{"startedAt":"2026-06-01T10:00:00.000Z"}');

    it('finds the newest all the same, and says which one it could not read', async () => {
      const own = add(idAt(1), OWN.name);
      const refused = add(idAt(2), 'other', { isMarked: false });
      refuse(refused);
      const passed: string[] = [];
      const found: string[] = [];
      for await (const { id } of store.newestFirst(OWN, ({ message }) => void passed.push(message))) found.push(id);
      expect([found, passed]).toEqual([[own], [expect.stringContaining(`manifest of service:${refused} could not`)]]);
      const all: string[] = [];
      for await (const { id } of store.list()) all.push(id);
      expect(all).toEqual([own]);
    });

    it('says that the store fails if that is so for all of them', async () => {
      for (const id of [add(idAt(1), OWN.name), add(idAt(2))]) refuse(id);
      await expect(newest()).rejects.toThrow('could not be read');
    });

    it('says so of a manifest that cannot be read, and that one is damaged which is too large to be served', async () => {
      const [refused, large] = [add(idAt(1)), add(idAt(2))];
      refuse(refused);
      await expect(store.find(refused)).rejects.toThrow(UnreadableManifest);
      const fault = { by: 'service', status: 413, mayPass: false } as const;
      storage.getUrl = () => Promise.reject(new TransferFault('the service answered 413', fault));
      expect(await store.find(large)).toBe('unusable');
    });

    it('says that the store fails if the service cannot be reached, whatever manifest was asked for', async () => {
      const fault = { by: 'service', mayPass: true } as const;
      storage.getUrl = () => Promise.reject(new TransferFault('the service could not be reached', fault));
      const failure: unknown = await store.find(add(idAt(1))).catch((error: unknown) => error);
      expect(failure).toMatchObject({ facts: { cause: 'store_failed' } });
      expect(failure).not.toBeInstanceOf(UnreadableManifest);
    });

    it('removes what else was left', async () => {
      const [refused, left] = [idAt(1), idAt(2)];
      for (const id of [refused, left]) storage.files.set(`checkpoints/${id}/begun.json`, LEFT);
      refuse(refused, 'begun.json');
      expect(await later.removeLeftovers()).toBe(1);
      expect([...storage.files.keys()]).toEqual([`checkpoints/${refused}/begun.json`]);
    });
  });

  it('removes a checkpoint without a list of all marks, and lists them if its manifest is of no use', async () => {
    const [known, damaged] = [add(idAt(1)), add(idAt(2))];
    storage.files.set(`checkpoints/${damaged}/manifest.json`, Buffer.from('{}\n'));
    await store.remove(`service:${known}`);
    expect(storage.asked).not.toContain('list checkpoint-marks');
    expect(marks()).toEqual([expect.stringContaining(damaged)]);
    await store.remove(`service:${damaged}`);
    expect([...storage.files.keys()]).toEqual([]);
  });

  it('has a mark of each checkpoint until its removal begins, so that one that is cut short is finished', async () => {
    const id = idAt(1);
    const draft = await store.begin(id);
    const manifest = await draft.publish(factsOf(id));
    await draft.remember(manifest);
    expect([...storage.files.keys()]).toContain(`checkpoint-marks/${markOf(manifest)}`);
    const cut = storage.delete.bind(storage);
    storage.delete = async (path) => {
      await cut(path);
      if (path.endsWith('manifest.json')) throw new Error('killed');
    };
    await expect(store.remove(manifest.reference)).rejects.toThrow('could not be removed');
    storage.delete = cut;
    expect(await later.removeLeftovers()).toBe(1);
    expect([...storage.files.keys()]).toEqual([]);
  });
});
