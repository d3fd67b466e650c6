import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, open, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import createClient from 'openapi-fetch';
import { extract, pack, type Header } from 'tar-stream';
import { bootIdHere } from '../../../src/agent/machine/boot-id';
import { BLOCK_BYTES } from '../../../src/agent/store/service/archive';
import { LEFTOVER_MS, RUNNING_PATIENCE_MS } from '../../../src/agent/store/checkpoint-store';
import { ServiceFileAddresses, type FileAddresses } from '../../../src/agent/store/service/file-addresses';
import { sha256 } from '../../../src/agent/store/hashing/file-hashes';
import type { Manifest } from '../../../src/agent/store/manifest';
import { ServiceStore } from '../../../src/agent/store/service/service-store';
import type { paths } from '../../../src/agent/service/schema';
import type { Progress } from '../../../src/agent/stages';
import { factsOf, KEY, listed, refusal, signed, writeImages } from '../../support/checkpoint-stores';
import { eventually } from '../../support/eventually';
import { inForm } from '../../support/form';
import { describeStages, type Stage } from '../../support/plugins';
import type { Organisation } from '../../support/service';

/** Several parts do not take several times 16 MiB. */
const SMALL_BLOCK = 256 * 1024;
/** Of a file without a byte on the disk: some parts, or many. */
const SPARSE_BYTES = inForm(2_000_000, 20_000_000);

type Entry = Partial<Header> & { readonly name: string; readonly bytes?: Buffer };
type Images = Readonly<Record<string, Buffer>>;

describeStages('the service store', (kind) => {
  let stage: Stage;
  let org: Organisation;
  let addresses: FileAddresses;
  const caches: string[] = [];

  beforeAll(async () => {
    stage = await kind.start();
  });
  beforeEach(async () => {
    org = await stage.service.organisation();
    addresses = addressesOf(org);
  });
  afterEach(() => {
    for (const directory of caches.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
  afterAll(() => stage.close());

  const addressesOf = ({ controller }: Organisation): FileAddresses =>
    new ServiceFileAddresses(
      createClient<paths>({
        baseUrl: stage.service.url,
        headers: { authorization: `Bearer ${controller.token}` },
      }),
    );
  const cacheOf = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'ccp-cache-'));
    caches.push(directory);
    return directory;
  };
  /** A store on another machine: it has a cache of its own. */
  const storeOf = (more: Partial<ConstructorParameters<typeof ServiceStore>[0]> = {}): ServiceStore =>
    new ServiceStore({
      addresses,
      key: KEY,
      cacheDirectory: cacheOf(),
      cacheBytes: 2 ** 30,
      blockBytes: SMALL_BLOCK,
      ...more,
    });
  /** A store that is asked when what was begun now is old, by the clock of the service. */
  const later = (): ServiceStore => {
    const serviceNow = () => addresses.serviceNow() + LEFTOVER_MS + 60_000;
    return storeOf({ addresses: { ...bound(addresses), serviceNow } });
  };
  const publish = async (store: ServiceStore, images: Images, id: string = randomUUID()): Promise<Manifest> => {
    const draft = await store.begin(id);
    await writeImages(draft.directory, images);
    return draft.publish(factsOf(id));
  };
  const imagesOf = async (directory: string): Promise<Images> => {
    const names = await readdir(directory);
    const found = await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))]));
    return Object.fromEntries(found) as Images;
  };
  const fetched = async (path: string): Promise<Buffer> => {
    const url = await addresses.getUrl(path);
    return Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
  };
  const stored = async (path: string, bytes: Buffer): Promise<void> => {
    const answer = await fetch(await addresses.putUrl(path), { method: 'PUT', body: new Uint8Array(bytes) });
    expect(answer.status).toBe(200);
  };
  const filesOf = async (id: string): Promise<string[]> => {
    const names: string[] = [];
    for await (const name of addresses.list(`checkpoints/${id}`)) names.push(name);
    return names;
  };

  it('opens on another machine what was published, byte for byte', async () => {
    const images = {
      'pages-1.img': Buffer.concat([randomBytes(SMALL_BLOCK + 77), Buffer.alloc(2 * SMALL_BLOCK)]),
      'core-1.img': randomBytes(4_000),
      one: randomBytes(1),
      empty: Buffer.alloc(0),
    };
    const manifest = await publish(storeOf(), images);
    expect(manifest.reference).toBe(`service:${manifest.id}`);
    expect(manifest.archive?.parts).toHaveLength(4);
    expect(await filesOf(manifest.id)).toEqual([
      'begun.json',
      ...[0, 1, 2, 3].map((part) => `images.0000${part}.zst`),
      'manifest.json',
    ]);
    const opened = await storeOf().open(manifest.reference);
    expect(opened.manifest).toEqual(manifest);
    expect(opened.stages.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['fetch', manifest.archive?.parts.reduce((sum, { bytes }) => sum + bytes, 0)],
      ['decompress', manifest.bytes],
      ['verify', manifest.bytes],
    ]);
    const found = await imagesOf(opened.directory);
    expect(Object.keys(found).sort()).toEqual(Object.keys(images).sort());
    for (const [name, bytes] of Object.entries(images))
      expect([name, found[name]?.equals(bytes)]).toEqual([name, true]);
  });

  it('keeps many files, sparse ones, and names of any letters', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`fdinfo-${n}.img`, Buffer.from(`${n}`)]));
    const images = { ...many, 'später 文.img': Buffer.from('x'), [`${'l'.repeat(200)}.img`]: Buffer.from('long') };
    const id = randomUUID();
    const draft = await storeOf().begin(id);
    await writeImages(draft.directory, images);
    const sparse = await open(join(draft.directory, 'sparse'), 'w');
    await sparse.truncate(SPARSE_BYTES);
    await sparse.close();
    const { reference } = await draft.publish(factsOf(id));
    const opened = await storeOf().open(reference);
    const found = await imagesOf(opened.directory);
    expect(found.sparse?.equals(Buffer.alloc(SPARSE_BYTES))).toBe(true);
    expect({ ...found, sparse: undefined }).toEqual({ ...images, sparse: undefined });
  });

  it('is one tar stream for zstd and tar, in the order of its parts', async () => {
    const { id, archive } = await publish(storeOf(), { a: randomBytes(SMALL_BLOCK), b: Buffer.from('b') });
    const parts = [];
    for (let index = 0; index < (archive?.parts.length ?? 0); index++)
      parts.push(await fetched(`checkpoints/${id}/images.0000${index}.zst`));
    const tar = extract();
    tar.end(Buffer.concat(parts.map((part) => zstdDecompressSync(part))));
    const names = [];
    for await (const entry of tar) {
      names.push([entry.header.name, entry.header.size]);
      entry.resume();
    }
    expect(names).toEqual([
      ['a', SMALL_BLOCK],
      ['b', 1],
    ]);
  });

  it('reports progress with bytes, and stages that add up to the time it took', async () => {
    const id = randomUUID();
    const draft = await storeOf().begin(id);
    await writeImages(draft.directory, { a: randomBytes(2 * SMALL_BLOCK) });
    const seen: Progress[] = [];
    const began = performance.now();
    const manifest = await draft.publish(factsOf(id), (progress) => seen.push(progress));
    const took = performance.now() - began;
    const sent = manifest.archive?.parts.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(seen.at(-1)).toEqual({ stage: 'upload', bytesDone: sent, bytesTotal: sent });
    expect(seen.filter(({ stage: name }) => name === 'compress').at(-1)?.bytesDone).toBe(manifest.bytes);
    expect(manifest.stages.map(({ name }) => name)).toEqual(['compress', 'upload']);
    expect(manifest.stages.reduce((sum, { durationNs }) => sum + durationNs / 1e6, 0)).toBeLessThanOrEqual(took);
    const fetchedBytes: Progress[] = [];
    await storeOf().open(manifest.reference, (progress) => fetchedBytes.push(progress));
    expect(fetchedBytes).toContainEqual({ stage: 'fetch', bytesDone: sent, bytesTotal: sent });
  });

  it('detects damage at any byte of a part, and names the part', async () => {
    const { id, reference } = await publish(storeOf(), { 'core.img': randomBytes(3_000) });
    const path = `checkpoints/${id}/images.00000.zst`;
    const whole = await fetched(path);
    const changes = [0, 1, 4, 9, 600, whole.length >> 1, whole.length - 1].map((at) => {
      const copy = Buffer.from(whole);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    });
    for (const bytes of [...changes, whole.subarray(0, -1), Buffer.concat([whole, whole]), Buffer.alloc(0)]) {
      await stored(path, bytes);
      expect(await refusal(storeOf().open(reference))).toEqual([
        'checkpoint_damaged',
        expect.stringContaining('images.00000.zst'),
      ]);
    }
    await addresses.delete(path);
    expect((await refusal(storeOf().open(reference)))[0]).toBe('checkpoint_damaged');
    await stored(path, whole);
    await storeOf().open(reference);
  });

  /** A checkpoint whose archive says what the test says, with right hashes of its parts. */
  const forged = async (entries: readonly Entry[], raw?: Buffer): Promise<string> => {
    const { id, reference } = await publish(storeOf(), { 'core.img': Buffer.from('four') });
    const tar = pack();
    for (const { bytes, ...header } of entries) tar.entry({ ...header, size: bytes?.length ?? 0 }, bytes ?? '');
    tar.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
    const part = zstdCompressSync(raw ?? Buffer.concat(chunks));
    const manifest = JSON.parse((await fetched(`checkpoints/${id}/manifest.json`)).toString()) as Manifest;
    const parts = [{ bytes: part.length, sha256: sha256(part) }];
    await stored(`checkpoints/${id}/images.00000.zst`, part);
    const forgery = { ...manifest, archive: { format: 'tar+zstd', parts } };
    await stored(`checkpoints/${id}/manifest.json`, Buffer.from(signed(forgery)));
    return reference;
  };
  const four = Buffer.from('four');

  it.each<[string, Entry[]]>([
    ['a path that leads upwards', [{ name: '../core.img', bytes: four }]],
    ['an absolute path', [{ name: '/tmp/core.img', bytes: four }]],
    ['a folder in a path', [{ name: 'a/core.img', bytes: four }]],
    ['a folder', [{ name: 'core.img', type: 'directory' }]],
    ['a symbolic link', [{ name: 'core.img', type: 'symlink', linkname: '/etc/passwd' }]],
    ['a hard link', [{ name: 'core.img', type: 'link', linkname: '/etc/passwd' }]],
    ['a device', [{ name: 'core.img', type: 'character-device', devmajor: 1, devminor: 3 }]],
    ['a pipe', [{ name: 'core.img', type: 'fifo' }]],
    ['another size', [{ name: 'core.img', bytes: Buffer.from('three') }]],
    ['other bytes', [{ name: 'core.img', bytes: Buffer.from('FOUR') }]],
    [
      'a file that is not in the manifest',
      [
        { name: 'core.img', bytes: four },
        { name: 'other.img', bytes: four },
      ],
    ],
    [
      'a file twice',
      [
        { name: 'core.img', bytes: four },
        { name: 'core.img', bytes: four },
      ],
    ],
    ['no file', []],
  ])('refuses an archive with %s', async (_what, entries) => {
    const cacheDirectory = cacheOf();
    const store = storeOf({ cacheDirectory });
    expect((await refusal(store.open(await forged(entries))))[0]).toBe('checkpoint_damaged');
    for (const folder of ['images', 'partial', 'uses']) expect(await readdir(join(cacheDirectory, folder))).toEqual([]);
  });

  it.each([
    ['no tar stream', randomBytes(4_096)],
    ['a cut tar stream', Buffer.alloc(100)],
    ['more bytes than a block', Buffer.alloc(BLOCK_BYTES + 1)],
  ])('refuses an archive that is %s', async (_what, raw) => {
    expect((await refusal(storeOf().open(await forged([], raw))))[0]).toBe('checkpoint_damaged');
  });

  it('runs nothing that another controller of the organisation put in the place of a checkpoint', async () => {
    const [{ id, reference }, evil] = [
      await publish(storeOf(), { a: Buffer.from('good') }),
      await publish(storeOf(), { a: Buffer.from('evil') }),
    ];
    const copy = await fetched(`checkpoints/${evil.id}/manifest.json`);
    await stored(`checkpoints/${id}/images.00000.zst`, await fetched(`checkpoints/${evil.id}/images.00000.zst`));
    await stored(`checkpoints/${id}/manifest.json`, Buffer.from(copy.toString().replaceAll(evil.id, id)));
    expect((await refusal(storeOf().open(reference)))[0]).toBe('checkpoint_untrusted');
    expect(await listed(storeOf())).toEqual([evil.id]);
  });

  describe('while CRIU writes the images', () => {
    /** Appends, as CRIU does. */
    const appended = (directory: string, name: string, bytes: Buffer): Promise<void> =>
      appendFile(join(directory, name), bytes);
    const partsOf = async (id: string): Promise<string[]> =>
      (await filesOf(id)).filter((name) => name.startsWith('images.'));
    const opensAs = async (reference: string, images: Images): Promise<void> => {
      const opened = await storeOf().open(reference);
      const found = await imagesOf(opened.directory);
      expect(Object.keys(found).sort()).toEqual(Object.keys(images).sort());
      for (const [name, bytes] of Object.entries(images))
        expect([name, found[name]?.equals(bytes)]).toEqual([name, true]);
    };
    const [first, second] = [randomBytes(3 * SMALL_BLOCK + 4_096), randomBytes(SMALL_BLOCK + 77)];

    it('sends large ones already, and offers nothing before the dump has ended', async () => {
      const id = randomUUID();
      const draft = await storeOf().begin(id);
      draft.follow();
      await appended(draft.directory, 'pages-1.img', first.subarray(0, SMALL_BLOCK + 5));
      await eventually(async () => expect(await partsOf(id)).toEqual(['images.00001.zst']));
      await appended(draft.directory, 'pages-1.img', first.subarray(SMALL_BLOCK + 5));
      await eventually(async () => expect(await partsOf(id)).toHaveLength(3));
      await appended(draft.directory, 'pages-2.img', second);
      // The first one is complete: its end, its header, and what there is of the second one.
      await eventually(async () => expect((await partsOf(id)).slice(0, 5)).toContain('images.00000.zst'));
      await appended(draft.directory, 'core-1.img', Buffer.from('core'));
      await appended(draft.directory, 'pages-3.img', Buffer.from('small'));
      expect(await listed(storeOf())).toEqual([]);
      const { reference, archive } = await draft.publish(factsOf(id));
      const small = { 'core-1.img': Buffer.from('core'), 'pages-3.img': Buffer.from('small') };
      await opensAs(reference, { 'pages-1.img': first, 'pages-2.img': second, ...small });

      const parts: Buffer[] = [];
      for (const name of await partsOf(id)) parts.push(await fetched(`checkpoints/${id}/${name}`));
      expect(parts.map(({ length }) => length)).toEqual(archive?.parts.map(({ bytes }) => bytes));
      const tar = extract();
      tar.end(Buffer.concat(parts.map((part) => zstdDecompressSync(part))));
      const names: string[] = [];
      for await (const entry of tar) {
        names.push(entry.header.name);
        entry.resume();
      }
      expect(names).toEqual(['pages-1.img', 'pages-2.img', 'core-1.img', 'pages-3.img']);
    });

    it('removes what it has sent if the dump fails', async () => {
      const id = randomUUID();
      const draft = await storeOf().begin(id);
      draft.follow();
      await appended(draft.directory, 'pages-1.img', first);
      await eventually(async () => expect(await partsOf(id)).toHaveLength(3));
      await draft.discard();
      expect(await filesOf(id)).toEqual([]);
      expect(await listed(storeOf())).toEqual([]);
    });

    it('ends a transfer that nobody needs any more', async () => {
      const id = randomUUID();
      let isAsked = false;
      // It takes connections, and answers nothing.
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const hanging: FileAddresses = {
        ...bound(addresses),
        putUrl: async (path) => {
          if (!path.includes('images.')) return addresses.putUrl(path);
          isAsked = true;
          return `http://127.0.0.1:${port}/`;
        },
      };
      const draft = await storeOf({ addresses: hanging }).begin(id);
      draft.follow();
      await appended(draft.directory, 'pages-1.img', first);
      await eventually(() => expect(isAsked).toBe(true));
      await draft.discard();
      expect(await filesOf(id)).toEqual([]);
      silent.close();
    });

    it('sends all anew if a part did not arrive, or an image grew after the next one', async () => {
      let failures = 0;
      const failing: FileAddresses = {
        ...bound(addresses),
        putUrl: (path) => {
          if (path.endsWith('images.00002.zst') && failures++ === 0) throw new Error('refused');
          return addresses.putUrl(path);
        },
      };
      for (const store of [storeOf({ addresses: failing }), storeOf()]) {
        const id = randomUUID();
        const draft = await store.begin(id);
        draft.follow();
        await appended(draft.directory, 'pages-1.img', first);
        await eventually(async () => expect((await partsOf(id)).length).toBeGreaterThan(0));
        await appended(draft.directory, 'pages-2.img', second);
        await eventually(async () => expect(failures > 0 || (await partsOf(id)).length > 5).toBe(true));
        await appended(draft.directory, 'pages-1.img', Buffer.from('late'));
        const { reference, archive } = await draft.publish(factsOf(id));
        await opensAs(reference, { 'pages-1.img': Buffer.concat([first, Buffer.from('late')]), 'pages-2.img': second });
        // Nothing is left of what was sent before.
        expect(await partsOf(id)).toHaveLength(archive?.parts.length ?? 0);
        failures = 0;
      }
    });

    it('leaves a checkpoint of the same id as it is', async () => {
      const { id, reference } = await publish(storeOf(), { a: Buffer.from('first') });
      const draft = await storeOf().begin(id);
      draft.follow();
      await appended(draft.directory, 'pages-1.img', first);
      await new Promise((go) => setTimeout(go, 50));
      expect((await refusal(draft.publish(factsOf(id))))[1]).toContain('there is already a checkpoint');
      await draft.discard();
      await opensAs(reference, { a: Buffer.from('first') });
    });
  });

  it('offers nothing after a kill between any two calls, and removes the rest later', async () => {
    const images = { a: randomBytes(SMALL_BLOCK + 1), b: randomBytes(10) };
    let [calls, finished] = [0, false];
    for (let allowed = 0; !finished; allowed++) {
      calls = 0;
      const step = () => {
        if (++calls > allowed) throw new Error('killed');
      };
      const killed: FileAddresses = {
        getUrl: async (path) => (step(), addresses.getUrl(path)),
        putUrl: async (path) => (step(), addresses.putUrl(path)),
        delete: async (path) => (step(), addresses.delete(path)),
        list: (path) => (step(), addresses.list(path)),
        serviceNow: () => addresses.serviceNow(),
      };
      const id = randomUUID();
      const published = await publish(storeOf({ addresses: killed }), images, id).catch(() => undefined);
      finished = published !== undefined;
      expect(await listed(storeOf())).toEqual(finished ? [id] : []);
      if (finished) break;
      expect((await refusal(storeOf().open(`service:${id}`)))[0]).toBe('checkpoint_missing');
      expect(await storeOf().removeLeftovers()).toBe(0);
      const left = (await filesOf(id)).length > 0;
      expect(await later().removeLeftovers()).toBe(left ? 1 : 0);
      expect(await filesOf(id)).toEqual([]);
    }
    expect(calls).toBe(6);
  });

  it('puts another manifest in the place of the first one', async () => {
    const id = randomUUID();
    const draft = await storeOf().begin(id);
    await writeImages(draft.directory, { a: randomBytes(3) });
    const { workload, ...facts } = factsOf(id);
    const manifest = await draft.publish({ ...facts, workload: { ...workload, letGo: true } });
    await draft.amend({ ...manifest, workload });
    await draft.discard();
    expect((await storeOf().open(manifest.reference)).manifest.workload).toEqual(workload);
  });

  it('refuses what was sent while the storage did not answer for hours: others may have removed its parts', async () => {
    let now = Date.now();
    const store = storeOf({ now: () => now });
    const id = randomUUID();
    const draft = await store.begin(id);
    await writeImages(draft.directory, { a: randomBytes(SMALL_BLOCK) });
    now += LEFTOVER_MS;
    expect(await refusal(draft.publish(factsOf(id)))).toEqual([
      'store_failed',
      expect.stringContaining('did not answer for hours'),
    ]);
    expect(await filesOf(id)).toEqual([]);
  });

  describe('while the clocks of machines differ by a day', () => {
    const DAY_MS = 86_400_000;
    const at = (aheadMs: number) => storeOf({ now: () => Date.now() + aheadMs });
    /** @returns a draft of which some parts are sent */
    const begun = async (store: ServiceStore, id: string) => {
      const draft = await store.begin(id);
      draft.follow();
      await writeImages(draft.directory, { 'pages-1.img': randomBytes(3 * SMALL_BLOCK + 1) });
      await eventually(async () => expect((await filesOf(id)).length).toBeGreaterThan(3));
      return draft;
    };

    it.each([
      ['ahead', 0, DAY_MS],
      ['behind', -DAY_MS, 0],
    ])('keeps an upload from one whose clock is %s', async (_, own, others) => {
      const id = randomUUID();
      const draft = await begun(at(own), id);
      expect(await at(others).removeLeftovers()).toBe(0);
      const { reference } = await draft.publish(factsOf(id));
      await storeOf().open(reference);
    });

    it('offers nothing of which a part was removed while it was sent', async () => {
      for (const name of ['begun.json', 'images.00001.zst']) {
        const id = randomUUID();
        const draft = await begun(storeOf(), id);
        await addresses.delete(`checkpoints/${id}/${name}`);
        expect(await refusal(draft.publish(factsOf(id)))).toEqual([
          'store_failed',
          expect.stringContaining(`${name} of the checkpoint ${id} is gone`),
        ]);
        expect(await filesOf(id)).toEqual([]);
      }
    });
  });

  it('does not offer what is removed, whichever call of the removal was the last', async () => {
    // The first call removes its mark: so far it is whole, and is offered until the removal is repeated.
    for (let allowed = 1; allowed < 7; allowed++) {
      const manifest = await publish(storeOf(), { a: randomBytes(10) });
      const { id, reference } = manifest;
      let calls = 0;
      const killed: FileAddresses = {
        ...bound(addresses),
        delete: async (path) => {
          if (++calls > allowed) throw new Error('killed');
          await addresses.delete(path);
        },
      };
      await storeOf({ addresses: killed })
        .remove(reference)
        .catch(() => undefined);
      if (allowed === 1) expect(await storeOf().find(id)).toEqual(manifest);
      else expect((await refusal(storeOf().open(reference)))[0]).toBe('checkpoint_missing');
      await later().removeLeftovers();
      if (allowed > 1) expect(await filesOf(id)).toEqual([]);
      await storeOf().remove(reference);
      expect(await filesOf(id)).toEqual([]);
    }
  });

  it('shows the ids of all that is there without a look at their files, and a manifest by one call', async () => {
    const [whole, begun, damaged] = [await publish(storeOf(), {}), await publish(storeOf(), {}), randomUUID()];
    await addresses.delete(`checkpoints/${begun.id}/manifest.json`);
    await stored(`checkpoints/${damaged}/manifest.json`, Buffer.from('{}\n'));
    const calls: string[] = [];
    const counted: FileAddresses = {
      ...bound(addresses),
      getUrl: (path) => (calls.push(path), addresses.getUrl(path)),
      list: (path) => (calls.push(path), addresses.list(path)),
    };
    const store = storeOf({ addresses: counted });
    const ids: string[] = [];
    for await (const id of store.ids()) ids.push(id);
    expect(ids).toEqual([whole.id, begun.id, damaged].sort());
    expect(await store.find(whole.id)).toEqual(whole);
    expect(calls).toEqual(['checkpoints', `checkpoints/${whole.id}/manifest.json`]);
    expect(await store.find(begun.id)).toBe('missing');
    expect(await store.find(damaged)).toBe('unusable');
  });

  it('repeats transfers that fail in passing, and says store_failed when they do not pass', async () => {
    let failures = 0;
    const shaky: FileAddresses = {
      ...bound(addresses),
      putUrl: async (path) => (failures++ % 2 === 0 ? 'http://127.0.0.1:1/' : addresses.putUrl(path)),
    };
    const { reference } = await publish(storeOf({ addresses: shaky }), { a: randomBytes(10) });
    await storeOf().open(reference);
    const broken: FileAddresses = { ...bound(addresses), putUrl: () => Promise.resolve('http://127.0.0.1:1/') };
    let now = 0;
    const clock = { nowMs: () => now, pause: (ms: number) => Promise.resolve(void (now += ms)) };
    const failing = storeOf({ addresses: broken, clock });
    expect((await refusal(publish(failing, { a: randomBytes(10) })))[0]).toBe('store_failed');
    expect(now).toBeGreaterThanOrEqual(RUNNING_PATIENCE_MS);
  });

  it('says store_failed when the token is not accepted, and opens nothing of another organisation', async () => {
    const { reference } = await publish(storeOf(), { a: randomBytes(10) });
    const viewer = addressesOf({ ...org, controller: org.viewer });
    expect((await refusal(storeOf({ addresses: viewer }).open(reference)))[0]).toBe('store_failed');
    const other = storeOf({ addresses: addressesOf(await stage.service.organisation()) });
    expect((await refusal(other.open(reference)))[0]).toBe('checkpoint_missing');
    await other.remove(reference);
    expect(await listed(other)).toEqual([]);
    expect(await listed(storeOf())).toEqual([reference.slice('service:'.length)]);
  });

  describe('with a cache', () => {
    const inCache = async (directory: string): Promise<string[]> => (await readdir(join(directory, 'images'))).sort();

    it('fetches images once, and again if they were damaged', async () => {
      const images = { a: randomBytes(1_000) };
      const { reference } = await publish(storeOf(), images);
      const store = storeOf();
      const [first, second] = [await store.open(reference), await store.open(reference)];
      expect(second.directory).toBe(first.directory);
      expect(second.stages[0]).toMatchObject({ name: 'fetch', bytes: 0 });
      await writeFile(join(first.directory, 'a'), 'damaged');
      const third = await store.open(reference);
      expect([third.stages[0]?.bytes, await imagesOf(third.directory)]).toEqual([expect.any(Number), images]);
      expect(third.stages[0]?.bytes).toBeGreaterThan(0);
      await symlink('/etc/passwd', join(third.directory, 'link'));
      expect(await imagesOf((await store.open(reference)).directory)).toEqual(images);
    });

    it('removes what was used longest ago, and never what is in use', async () => {
      const references = [];
      for (let n = 0; n < 4; n++) references.push((await publish(storeOf(), { a: randomBytes(1_000) })).reference);
      const ids = references.map((reference) => reference.slice('service:'.length));
      const cacheDirectory = cacheOf();
      let time = Date.now();
      const store = storeOf({ cacheDirectory, cacheBytes: 2_500, now: () => (time += 10_000) });
      const used = await store.open(references[0] ?? '');
      for (const reference of references.slice(1, 3)) await (await store.open(reference)).release();
      // The first is in use, so the second went.
      expect(await inCache(cacheDirectory)).toEqual([ids[0], ids[2]].sort());
      await used.release();
      await (await store.open(references[2] ?? '')).release();
      await (await store.open(references[3] ?? '')).release();
      expect(await inCache(cacheDirectory)).toEqual([ids[2], ids[3]].sort());
      expect(await readdir(join(cacheDirectory, 'uses'))).toEqual([]);
    });

    it('holds what is larger than its bound only while it is in use', async () => {
      const { reference } = await publish(storeOf(), { a: randomBytes(3_000) });
      const cacheDirectory = cacheOf();
      const opened = await storeOf({ cacheDirectory, cacheBytes: 100 }).open(reference);
      expect((await stat(join(opened.directory, 'a'))).size).toBe(3_000);
      await opened.release();
      expect(await inCache(cacheDirectory)).toEqual([]);
    });

    it('is opened by many at once', async () => {
      const images = { a: randomBytes(200_000) };
      const { reference } = await publish(storeOf(), images);
      const cacheDirectory = cacheOf();
      const opened = await Promise.all(Array.from({ length: 8 }, () => storeOf({ cacheDirectory }).open(reference)));
      for (const { directory } of opened) expect(await imagesOf(directory)).toEqual(images);
      for (const one of opened) await one.release();
      expect(await readdir(join(cacheDirectory, 'partial'))).toEqual([]);
    });

    it('believes for six hours that another machine uses what it has marked', async () => {
      const { reference, id } = await publish(storeOf(), { a: randomBytes(3_000) });
      const cacheDirectory = cacheOf();
      const store = storeOf({ cacheDirectory, cacheBytes: 100 });
      // No process has this number here.
      const mark = join(cacheDirectory, 'uses', `${id}.4194305.${randomUUID()}.1.other`);
      await (await store.open(reference)).release();
      await writeFile(mark, '');
      await (await store.open(reference)).release();
      expect(await inCache(cacheDirectory)).toEqual([id]);
      const longAgo = Date.now() / 1_000 - 6 * 3_600 - 60;
      await utimes(mark, longAgo, longAgo);
      await (await store.open(reference)).release();
      expect(await inCache(cacheDirectory)).toEqual([]);
    });

    it('forgets the uses of processes that were killed', async () => {
      const { reference, id } = await publish(storeOf(), { a: randomBytes(3_000) });
      const cacheDirectory = cacheOf();
      const store = storeOf({ cacheDirectory, cacheBytes: 100 });
      const opened = await store.open(reference);
      const uses = join(cacheDirectory, 'uses');
      // No process has this number, and this one has started at another time.
      for (const pid of [4_194_305, process.pid])
        await writeFile(join(uses, `${id}.${pid}.${bootIdHere()}.1.dead`), '');
      await opened.release();
      expect(await inCache(cacheDirectory)).toEqual([]);
      expect(await readdir(uses)).toEqual([]);
      await rm(cacheDirectory, { recursive: true });
    });
  });
});

const bound = (addresses: FileAddresses): FileAddresses => ({
  getUrl: (path) => addresses.getUrl(path),
  putUrl: (path) => addresses.putUrl(path),
  delete: (path) => addresses.delete(path),
  list: (directory) => addresses.list(directory),
  serviceNow: () => addresses.serviceNow(),
});
