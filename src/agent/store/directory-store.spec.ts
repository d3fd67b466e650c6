import { eventually } from '../../../test/support/eventually';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import {
  chmod,
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import type { AgentFailure } from '../failures';
import type { Progress } from '../stages';
import { LEFTOVER_MS } from './checkpoint-store';
import { DirectoryStore } from './directory-store';
import { isFileName, MAX_MANIFEST_BYTES, PIECE_BYTES, type Manifest } from './manifest';
import { StoreKey } from './store-key';
import { factsOf, KEY, listed, refusal, signed, writeImages } from '../../../test/support/checkpoint-stores';

/** When what agents leave now counts as left. */
const LATER = (): Promise<number> => Promise.resolve(Date.now() + LEFTOVER_MS + 60_000);

describe('the directory store', () => {
  let directory: string;
  let store: DirectoryStore;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-store-'));
    store = new DirectoryStore({ directory, key: KEY });
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const publish = async (images: Record<string, Buffer>, id: string = randomUUID()): Promise<Manifest> => {
    const draft = await store.begin(id);
    await writeImages(draft.directory, images);
    return draft.publish(factsOf(id));
  };
  const imagesOf = async (reference: string): Promise<Record<string, Buffer>> => {
    const opened = await store.open(reference);
    const names = await readdir(opened.directory);
    const found = await Promise.all(names.map(async (name) => [name, await readFile(join(opened.directory, name))]));
    await opened.release();
    return Object.fromEntries(found) as Record<string, Buffer>;
  };

  it('neither lacks nor removes a checkpoint while its own folder cannot be reached', async () => {
    const { id, reference } = await publish({ 'core-1.img': randomBytes(10) });
    expect(store.referenceOf(id)).toBe(reference);
    const [root, kept] = [join(directory, 'checkpoints'), join(directory, 'kept')];
    await rename(root, kept);
    expect(await store.holds(reference)).toBe(false);
    await symlink(root, root);
    for (const asked of [store.holds(reference), store.remove(reference)])
      await expect(asked).rejects.toMatchObject({ facts: { cause: 'store_failed' }, cause: { code: 'ELOOP' } });
    await rm(root);
    await rename(kept, root);
    expect(await store.holds(reference)).toBe(true);
  });

  it('opens what was published, byte for byte, under an absolute path', async () => {
    const images = {
      'pages-1.img': randomBytes(3 * PIECE_BYTES + 17),
      'core-1.img': randomBytes(100),
      empty: Buffer.alloc(0),
    };
    const manifest = await publish(images);
    expect(manifest.reference).toBe(join(directory, 'checkpoints', manifest.id));
    expect(manifest.bytes).toBe(3 * PIECE_BYTES + 117);
    expect(await imagesOf(manifest.reference)).toEqual(images);
    expect(await store.manifest(manifest.reference)).toEqual(manifest);
  });

  it('keeps files of any allowed name and size', async () => {
    const name = fc
      .oneof(fc.stringMatching(/^[a-z0-9.-]{1,60}$/), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }))
      .filter(isFileName);
    const size = fc.oneof(
      fc.constantFrom(0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES),
      fc.nat(9_000),
    );
    const files = fc.uniqueArray(fc.tuple(name, size), { maxLength: 12, selector: ([one]) => one });
    await fc.assert(
      fc.asyncProperty(files, async (given) => {
        const images = Object.fromEntries(given.map(([path, bytes]) => [path, randomBytes(bytes)]));
        const { reference } = await publish(images);
        expect(await imagesOf(reference)).toEqual(images);
        await store.remove(reference);
      }),
      { numRuns: 25 },
    );
  });

  it('keeps many files, and sparse ones', async () => {
    const images = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`ids-${n}.img`, Buffer.from(`${n}`)]));
    const draft = await store.begin(randomUUID());
    await writeImages(draft.directory, images);
    const sparse = await open(join(draft.directory, 'sparse'), 'w');
    await sparse.truncate(40 * 1024 * 1024);
    await sparse.write('end', 33 * 1024 * 1024);
    await sparse.close();
    const id = draft.directory.split('/').at(-2)?.slice(0, 36) ?? '';
    const manifest = await draft.publish(factsOf(id));
    expect(manifest.files).toHaveLength(2_001);
    expect((await stat(join(manifest.reference, 'images/sparse'))).blocks * 512).toBeLessThan(1024 * 1024);
    await (await store.open(manifest.reference)).release();
  });

  it('reports progress that ends at the sum of all bytes', async () => {
    const draft = await store.begin(randomUUID());
    await writeImages(draft.directory, { a: randomBytes(2 * PIECE_BYTES + 5), b: randomBytes(7) });
    const seen: Progress[] = [];
    const id = draft.directory.split('/').at(-2)?.slice(0, 36) ?? '';
    const { reference, bytes, stages } = await draft.publish(factsOf(id), (progress) => seen.push(progress));
    expect(seen.at(-1)).toEqual({ stage: 'hash', bytesDone: bytes, bytesTotal: bytes });
    expect(stages).toEqual([{ name: 'hash', durationNs: expect.any(Number), bytes }]);
    const verified: Progress[] = [];
    await store.open(reference, (progress) => verified.push(progress));
    expect(verified.at(-1)).toEqual({ stage: 'verify', bytesDone: bytes, bytesTotal: bytes });
  });

  it('detects damage at any byte of any file, and names the file', async () => {
    const images = { 'core.img': randomBytes(40), 'pages-1.img': randomBytes(2 * PIECE_BYTES + 9) };
    const { reference } = await publish(images);
    const places = {
      'core.img': [...Array(40).keys()],
      'pages-1.img': [0, 1, PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES, 2 * PIECE_BYTES + 8],
    };
    for (const [name, positions] of Object.entries(places))
      for (const position of positions) {
        const path = join(reference, 'images', name);
        const file = await open(path, 'r+');
        const byte = Buffer.alloc(1);
        await file.read(byte, 0, 1, position);
        await file.write(Buffer.from([byte[0]! ^ 1]), 0, 1, position);
        expect(await refusal(store.open(reference))).toEqual(['checkpoint_damaged', expect.stringContaining(name)]);
        await file.write(byte, 0, 1, position);
        await file.close();
      }
    expect(await imagesOf(reference)).toEqual(images);
  });

  it.each<[string, (images: string) => Promise<unknown>]>([
    ['is missing', (images) => rm(join(images, 'core.img'))],
    ['is shorter', (images) => truncate(join(images, 'core.img'), 39)],
    ['is longer', (images) => writeFile(join(images, 'core.img'), 'x', { flag: 'a' })],
    [
      'is a link',
      async (images) => {
        await rename(join(images, 'core.img'), join(images, '../moved'));
        await symlink('../moved', join(images, 'core.img'));
      },
    ],
    [
      'is a folder',
      async (images) => {
        await rm(join(images, 'core.img'));
        await mkdir(join(images, 'core.img'));
      },
    ],
    ['is not known', (images) => link(join(images, 'core.img'), join(images, 'core.img.2'))],
  ])('refuses a checkpoint of which a file %s', async (_what, change) => {
    const { reference } = await publish({ 'core.img': randomBytes(40) });
    await change(join(reference, 'images'));
    expect(await refusal(store.open(reference))).toEqual(['checkpoint_damaged', expect.stringContaining('core.img')]);
  });

  it.each<[string, (manifest: Manifest) => unknown]>([
    ['another id', (manifest) => ({ ...manifest, id: randomUUID() })],
    ['another version', (manifest) => ({ ...manifest, version: 2 })],
    [
      'a path that leads upwards',
      (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], path: '../core.img' }] }),
    ],
    ['an absolute path', (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], path: '/etc/passwd' }] })],
    ['the same file twice', (manifest) => ({ ...manifest, files: [manifest.files[0], manifest.files[0]], bytes: 80 })],
    ['a negative size', (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], bytes: -1 }], bytes: -1 })],
    ['another sum', (manifest) => ({ ...manifest, bytes: 41 })],
    ['no workload', (manifest) => ({ ...manifest, workload: undefined })],
    ['no files', (manifest) => ({ ...manifest, files: null })],
    ['another hash', (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], sha256: '0'.repeat(64) }] })],
  ])('refuses a manifest with %s', async (_what, spoil) => {
    const { reference } = await publish({ 'core.img': randomBytes(40) });
    const path = join(reference, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    await writeFile(path, signed(spoil(manifest)));
    expect((await refusal(store.open(reference)))[0]).toBe('checkpoint_damaged');
  });

  it.each<[string, (manifest: string) => Promise<unknown>]>([
    [
      'is a link',
      async (manifest) => {
        await rename(manifest, `${manifest}.moved`);
        await symlink(`${manifest}.moved`, manifest);
      },
    ],
    ['is a folder', (manifest) => rm(manifest).then(() => mkdir(join(manifest, 'inside'), { recursive: true }))],
    ['is too large', (manifest) => truncate(manifest, MAX_MANIFEST_BYTES + 1)],
    [
      'is below a file',
      async (manifest) => {
        await rm(join(manifest, '..'), { recursive: true });
        await writeFile(join(manifest, '..'), '');
      },
    ],
  ])('finds a checkpoint damaged whose manifest %s, and lists the others', async (_what, change) => {
    const [{ id, reference }, good] = [await publish({ a: randomBytes(4) }), await publish({ a: randomBytes(4) })];
    await change(join(reference, 'manifest.json'));
    expect((await refusal(store.open(reference)))[0]).toBe('checkpoint_damaged');
    expect(await store.find(id)).toBe('unusable');
    expect(await listed(store)).toEqual([good.id]);
  });

  it('removes a checkpoint whose manifest is a folder, if somebody asks for it', async () => {
    const { reference } = await publish({ a: randomBytes(4) });
    await rm(join(reference, 'manifest.json'));
    await mkdir(join(reference, 'manifest.json/inside'), { recursive: true });
    expect(await store.holds(reference)).toBe(true);
    await store.remove(reference);
    expect(await readdir(join(directory, 'checkpoints'))).toEqual([]);
  });

  describe('of which some cannot be read', () => {
    /** The system refuses every path below it. */
    const unreadable = async (): Promise<string> => {
      const id = randomUUID();
      await mkdir(join(directory, 'checkpoints'), { recursive: true });
      await symlink('x'.repeat(300), join(directory, 'checkpoints', id));
      return id;
    };
    const passedOver = async (): Promise<string[]> => {
      const messages: string[] = [];
      for await (const _manifest of store.list(({ message }) => void messages.push(message)));
      return messages;
    };

    it('lists the others, and says which it passes over', async () => {
      const [id, { id: good }, other] = [await unreadable(), await publish({}), await unreadable()];
      expect(await listed(store)).toEqual([good]);
      const messages = await passedOver();
      expect(messages).toHaveLength(2);
      for (const one of [id, other]) expect(messages).toContainEqual(expect.stringContaining(one));
      expect((await refusal(store.find(id)))[0]).toBe('store_failed');
    });

    it('fails if it can read none of them, since it may be away', async () => {
      const id = await unreadable();
      expect(await refusal(passedOver())).toEqual(['store_failed', expect.stringContaining(id)]);
    });

    it('removes what else killed agents left, and then fails', async () => {
      const id = await unreadable();
      const begun = await Promise.all([publish({}), publish({})]);
      for (const { reference } of begun) await rm(join(reference, 'manifest.json'));
      const later = new DirectoryStore({ directory, key: KEY, diskTime: LATER });
      expect((await refusal(later.removeLeftovers()))[0]).toBe('store_failed');
      expect(await readdir(join(directory, 'checkpoints'))).toEqual([id]);
    });
  });

  it('refuses a manifest that was cut at any byte', async () => {
    const { reference } = await publish({ 'core.img': randomBytes(40) });
    const path = join(reference, 'manifest.json');
    const whole = await readFile(path);
    for (let length = 0; length < whole.length - 2; length += 7) {
      await writeFile(path, whole.subarray(0, length));
      expect((await refusal(store.open(reference)))[0]).toBe('checkpoint_untrusted');
    }
  });

  it('uses nothing of a manifest that is not signed with its key, and does not list it', async () => {
    const { reference, id } = await publish({ 'core.img': randomBytes(40) });
    const path = join(reference, 'manifest.json');
    const text = await readFile(path, 'utf8');
    const manifest = JSON.parse(text) as Manifest & { signature: string };
    const other = new StoreKey('/other.key', () => randomBytes(32));
    const forgeries: [string, RegExp][] = [
      [JSON.stringify(manifest), /is not signed,/],
      [
        signed({ ...manifest, workload: { ...manifest.workload, command: ['evil'] } }, other),
        /not signed with the key/,
      ],
      [text.replace('count.py', 'evil.py'), /not signed with the key of this agent, \/test\/store\.key/],
      [text.replace(manifest.signature, 'f'.repeat(64)), /not signed with the key/],
      [`${text} `, /is not signed,/],
      ['[]', /is not signed,/],
    ];
    for (const [forgery, message] of forgeries) {
      await writeFile(path, forgery);
      expect(await refusal(store.open(reference))).toEqual(['checkpoint_untrusted', expect.stringMatching(message)]);
      expect(await listed(store)).toEqual([]);
    }
    await writeFile(path, text);
    expect(await listed(store)).toEqual([id]);
  });

  it('refuses the manifest of another checkpoint, although it is signed', async () => {
    const [one, other] = [await publish({ a: randomBytes(4) }), await publish({ a: randomBytes(4) })];
    await writeFile(join(one.reference, 'manifest.json'), await readFile(join(other.reference, 'manifest.json')));
    expect((await refusal(store.open(one.reference)))[0]).toBe('checkpoint_damaged');
  });

  it('refuses images that others may change until they are used', async () => {
    const { reference } = await publish({ 'core.img': randomBytes(40) });
    for (const path of ['images/core.img', 'images', '.', '..', '../..']) {
      const mode = (await stat(join(reference, path))).mode & 0o7777;
      await chmod(join(reference, path), 0o722);
      expect(await refusal(store.open(reference))).toEqual(['checkpoint_untrusted', expect.stringContaining('others')]);
      await chmod(join(reference, path), mode);
    }
    await (await store.open(reference)).release();
  });

  it('removes at once what its owner left when it was killed, and nothing of others', async () => {
    const [owner, other] = ['0123456789abcdef', 'f'.repeat(16)];
    const killed = await store.begin(randomUUID(), { owner });
    await writeImages(killed.directory, { 'pages-1.img': randomBytes(9) });
    const living = [await store.begin(randomUUID(), { owner: other }), await store.begin(randomUUID())];
    const next = await store.begin(randomUUID(), { owner });
    expect([killed, ...living, next].map((draft) => existsSync(draft.directory))).toEqual([false, true, true, true]);
  });

  it('opens nothing outside of its directory', async () => {
    const other = new DirectoryStore({ directory: join(directory, 'other'), key: KEY });
    const draft = await other.begin(randomUUID());
    const id = draft.directory.split('/').at(-2)?.slice(0, 36) ?? '';
    const { reference } = await draft.publish(factsOf(id));
    await store.begin(randomUUID());
    for (const foreign of [
      reference,
      `service:${id}`,
      id,
      `${directory}/checkpoints/../other/checkpoints/${id}`,
      `${directory}/checkpoints/..`,
      '',
    ])
      expect([foreign, ...(await refusal(store.open(foreign)))]).toEqual([
        foreign,
        'checkpoint_missing',
        expect.any(String),
      ]);
    await store.remove(reference);
    expect((await other.manifest(reference)).id).toBe(id);
  });

  it('publishes nothing but regular files', async () => {
    const id = randomUUID();
    const draft = await store.begin(id);
    await symlink('/etc/passwd', join(draft.directory, 'core.img'));
    expect(await refusal(draft.publish(factsOf(id)))).toEqual(['store_failed', expect.stringContaining('core.img')]);
    expect(await listed(store)).toEqual([]);
    await draft.discard();
    expect(await readdir(join(directory, 'staging'))).toEqual([]);
  });

  it('does not replace a checkpoint', async () => {
    const { id, reference } = await publish({ a: Buffer.from('first') });
    expect((await refusal(publish({ a: Buffer.from('second') }, id)))[0]).toBe('store_failed');
    expect(await imagesOf(reference)).toEqual({ a: Buffer.from('first') });
  });

  it('lists checkpoints, and no longer what was removed', async () => {
    const manifests = [await publish({ a: randomBytes(3) }), await publish({}), await publish({ b: randomBytes(3) })];
    expect(await listed(store)).toEqual(manifests.map(({ id }) => id).sort());
    for (const { reference } of manifests) {
      await store.remove(reference);
      await store.remove(reference);
      expect((await refusal(store.open(reference)))[0]).toBe('checkpoint_missing');
    }
    expect(await listed(store)).toEqual([]);
    expect(await readdir(join(directory, 'staging'))).toEqual([]);
  });

  it('shows the ids of all that is there, and for each its manifest or why there is none', async () => {
    const [whole, begun, foreign] = [await publish({ a: randomBytes(3) }), await publish({}), await publish({})];
    await rm(join(begun.reference, 'manifest.json'));
    await writeFile(join(foreign.reference, 'manifest.json'), signed(foreign, new StoreKey('', () => randomBytes(32))));
    await mkdir(join(directory, 'checkpoints/lost+found'));
    const ids: string[] = [];
    for await (const id of store.ids()) ids.push(id);
    expect(ids).toEqual([whole, begun, foreign].map(({ id }) => id).sort());
    expect(await store.find(whole.id)).toEqual(whole);
    expect(await store.find(begun.id)).toBe('missing');
    expect(await store.find(foreign.id)).toBe('unusable');
    expect(await store.find(randomUUID())).toBe('missing');
  });

  it('removes what killed agents left after a while, and nothing else', async () => {
    const kept = await publish({ a: randomBytes(3) });
    const begun = await store.begin(randomUUID());
    await writeImages(begun.directory, { a: randomBytes(3) });
    const unpublished = await publish({ a: randomBytes(3) });
    await rm(join(unpublished.reference, 'manifest.json'));
    expect(await store.removeLeftovers()).toBe(0);
    const later = new DirectoryStore({ directory, key: KEY, diskTime: LATER });
    expect(await later.removeLeftovers()).toBe(2);
    expect(await readdir(join(directory, 'staging'))).toEqual([]);
    expect(await readdir(join(directory, 'checkpoints'))).toEqual([kept.id]);
    await utimes(kept.reference, 0, 0);
    expect(await listed(later)).toEqual([kept.id]);
  });

  describe('on a disk whose time is not known', () => {
    const unknown = (): Promise<number> => Promise.reject(new Error('The disk does not answer.'));
    const owner = '0123456789abcdef';
    const others = ['4', '5', '6', '7', '8', '9', 'a', 'b'].map((digit) => digit.repeat(16));

    it('removes the own draft, however many of others are in front of it', async () => {
      for (const one of [...others, owner]) await store.begin(randomUUID(), { owner: one });
      const timeless = new DirectoryStore({ directory, key: KEY, diskTime: unknown });
      await expect(timeless.begin(randomUUID(), { owner })).rejects.toMatchObject({ facts: { cause: 'store_failed' } });
      const left = await readdir(join(directory, 'staging'));
      expect(left.map((name) => name.slice(37, 53)).sort()).toEqual(others);
    });
  });

  it('keeps the draft of another machine, whatever the clock of this one shows', async () => {
    const draft = await store.begin(randomUUID());
    await writeImages(draft.directory, { a: randomBytes(3) });
    const broken = await publish({ a: randomBytes(3) });
    await rm(join(broken.reference, 'manifest.json'));
    const ahead = new DirectoryStore({ directory, key: KEY, now: () => Date.now() + 2 * LEFTOVER_MS });
    expect(await ahead.removeLeftovers()).toBe(0);
    await (await ahead.begin(randomUUID())).discard();
    expect(await readdir(join(directory, 'staging'))).toEqual([basename(dirname(draft.directory))]);
  });

  it('says store_failed where it cannot write', async () => {
    await writeFile(join(directory, 'file'), '');
    const failing = new DirectoryStore({ directory: join(directory, 'file/below'), key: KEY });
    const failure = (await failing.begin(randomUUID()).catch((error: unknown) => error)) as AgentFailure;
    expect([failure.facts.cause, failure.facts.remedy]).toEqual(['store_failed', expect.any(String)]);
  });

  it('puts another manifest in the place of the first one, and offers a checkpoint all the while', async () => {
    const id = randomUUID();
    const draft = await store.begin(id);
    await writeImages(draft.directory, { a: randomBytes(3) });
    const { workload, ...facts } = factsOf(id);
    const manifest = await draft.publish({ ...facts, workload: { ...workload, letGo: true } });
    await draft.amend({ ...manifest, workload });
    await draft.discard();
    expect(await store.manifest(manifest.reference)).toEqual({ ...manifest, workload });
    expect((await store.open(manifest.reference)).manifest.workload).not.toHaveProperty('letGo');
    expect(await readdir(manifest.reference)).toEqual(['images', 'manifest.json']);
  });

  it('offers nothing of a draft that others have removed as left by a killed agent', async () => {
    const id = randomUUID();
    const draft = await store.begin(id);
    await writeImages(draft.directory, { a: randomBytes(3) });
    const later = new DirectoryStore({ directory, key: KEY, diskTime: LATER });
    expect(await later.removeLeftovers()).toBe(1);
    expect((await refusal(draft.publish(factsOf(id))))[0]).toBe('store_failed');
    expect(await readdir(join(directory, 'checkpoints'))).toEqual([]);
  });

  it('keeps a draft that goes on for longer than one that was left', async () => {
    const at = Date.parse('2026-01-15T09:00:00.000Z');
    const timed = new DirectoryStore({ directory, key: KEY, now: () => at, signEveryMs: 10 });
    const draft = await timed.begin(randomUUID());
    const folder = dirname(draft.directory);
    await eventually(async () => expect((await stat(folder)).mtimeMs).toBe(at));
    await draft.discard();
  });
});
