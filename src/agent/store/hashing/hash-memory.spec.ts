import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, link, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { factsOf, KEY, refusal, writeImages } from '../../../../test/support/checkpoint-stores';
import { DirectoryStore } from '../directory-store';
import type { Manifest } from '../manifest';
import { StoreKey } from '../store-key';
import { FileHasher } from './file-hashes';
import { HashMemory, REMEMBERED_SECONDS, SETTLED_MS, WORTH_BYTES } from './hash-memory';

const EXT4 = 0xef53;
const NFS = 0x6969;
const UNKNOWN = 0;
const IMAGES = { 'pages-1.img': randomBytes(WORTH_BYTES), 'core-1.img': randomBytes(100) };
/** Files that were just written count as written some time ago. */
const SOON = SETTLED_MS + 1_000;

describe('The memory of hashes', () => {
  let directory: string;
  let uptime: number;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'hashes-'));
    uptime = 1_000_000.5;
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const records = () => join(directory, 'state/hashes');
  /** What one process of the agent has. */
  const storeWith = ({ bootId = 'this boot', key = KEY, now = () => Date.now() + SOON, type = EXT4 } = {}) =>
    new DirectoryStore({
      directory: join(directory, 'store'),
      key: KEY,
      memory: new HashMemory({
        directory: records(),
        key,
        bootId,
        now,
        uptime: () => uptime,
        fileSystem: () => (type === UNKNOWN ? Promise.reject(new Error('ENOSYS')) : Promise.resolve(type)),
      }),
    });
  const publish = async (store: DirectoryStore): Promise<Manifest> => {
    const id = randomUUID();
    const draft = await store.begin(id);
    await writeImages(draft.directory, IMAGES);
    const manifest = await draft.publish(factsOf(id));
    await draft.remember(manifest);
    return manifest;
  };
  const pagesOf = ({ reference }: Manifest) => join(reference, 'images/pages-1.img');
  /** @returns the names of the images that it hashed */
  const hashedBy = async (store: DirectoryStore, { reference }: Manifest): Promise<string[]> => {
    const hash = jest.spyOn(FileHasher.prototype, 'hash');
    try {
      await store.open(reference);
      return hash.mock.calls.map(([path]) => basename(path)).sort();
    } finally {
      hash.mockRestore();
    }
  };
  const changeByte = async (path: string) => {
    const file = await open(path, 'r+');
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 77);
    await file.write(Buffer.from([buffer[0]! ^ 1]), 0, 1, 77);
    await file.close();
  };

  it('spares a restore the hashing of what this machine wrote, and of what it hashed at an earlier restore', async () => {
    const manifest = await publish(storeWith());
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img']);
    rmSync(records(), { recursive: true });
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img', 'pages-1.img']);
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img']);
    expect(readdirSync(records())).toEqual([`${manifest.id}.json`]);
    expect(statSync(join(records(), `${manifest.id}.json`)).mode & 0o777).toBe(0o600);
  });

  it('is not asked without one: each image is hashed, also when there are records', async () => {
    const manifest = await publish(storeWith());
    const always = new DirectoryStore({ directory: join(directory, 'store'), key: KEY });
    expect(await hashedBy(always, manifest)).toEqual(['core-1.img', 'pages-1.img']);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ['one byte was changed', changeByte],
    [
      'one byte was changed and its times were set back',
      async (path) => {
        const { atime, mtime } = await stat(path);
        await changeByte(path);
        await utimes(path, atime, mtime);
      },
    ],
    [
      'it was replaced by another one of the same size and times',
      async (path) => {
        const { atime, mtime } = await stat(path);
        writeFileSync(`${path}.new`, randomBytes(WORTH_BYTES));
        await utimes(`${path}.new`, atime, mtime);
        await rename(`${path}.new`, path);
      },
    ],
  ])('does not know an image if %s, which is refused', async (_what, change) => {
    const manifest = await publish(storeWith());
    await change(pagesOf(manifest));
    expect(await refusal(storeWith().open(manifest.reference))).toEqual([
      'checkpoint_damaged',
      expect.stringContaining('"pages-1.img" differs from its hash'),
    ]);
    // A refusal teaches nothing.
    expect(await refusal(storeWith().open(manifest.reference))).toEqual(['checkpoint_damaged', expect.anything()]);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ['its times were touched', (path) => utimes(path, new Date(), new Date())],
    ['its mode was changed and changed back', (path) => chmod(path, 0o640).then(() => chmod(path, 0o644))],
    ['it got another name for a moment', (path) => link(path, `${path}2`).then(() => rm(`${path}2`))],
    ['it is a copy', (path) => copyFile(path, `${path}2`).then(() => rename(`${path}2`, path))],
  ])('does not know an image any more if %s, until it was hashed again', async (_what, touch) => {
    const manifest = await publish(storeWith());
    await touch(pagesOf(manifest));
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img', 'pages-1.img']);
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img']);
  });

  it('ends after a day, from the hashing on, and with the boot', async () => {
    const manifest = await publish(storeWith());
    uptime += REMEMBERED_SECONDS;
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img']);
    // That it was known is no new knowledge.
    uptime += 1;
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img', 'pages-1.img']);
    expect(await hashedBy(storeWith({ bootId: 'another boot' }), manifest)).toEqual(['core-1.img', 'pages-1.img']);
  });

  it('does not believe a record from the future, or one of an unknown boot', async () => {
    const manifest = await publish(storeWith());
    uptime -= 1;
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img', 'pages-1.img']);
    const unknown = storeWith({ bootId: '' });
    for (let restore = 0; restore < 2; restore++)
      expect(await hashedBy(unknown, manifest)).toEqual(['core-1.img', 'pages-1.img']);
  });

  it('believes its own records only, with the signature of the key', async () => {
    const manifest = await publish(storeWith());
    const record = join(records(), `${manifest.id}.json`);
    const good = readFileSync(record, 'utf8');
    await changeByte(pagesOf(manifest));
    const { mtimeNs, ctimeNs } = await stat(pagesOf(manifest), { bigint: true });
    const forged = good.replace(/(\d+ \d+ \d+) \d+ \d+"/, `$1 ${mtimeNs} ${ctimeNs}"`);
    expect(forged).not.toBe(good);
    const other = new StoreKey('/other', () => Buffer.from('another key, which somebody else made'));
    const unsigned = forged.replace(/,\n "signature": .*\n/, '\n');
    for (const text of [forged, unsigned, other.signed(unsigned), 'no JSON', KEY.signed('{\n "a": 1\n}\n')]) {
      writeFileSync(record, text);
      expect(await refusal(storeWith().open(manifest.reference))).toEqual(['checkpoint_damaged', expect.anything()]);
    }
    // What the signature is worth: with it, the forged record would be believed.
    writeFileSync(record, KEY.signed(unsigned));
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img']);
  });

  it('learns nothing of an image that changed just now: a second change may leave the same time', async () => {
    // However long publishing takes.
    const began = Date.now();
    const manifest = await publish(storeWith({ now: () => began }));
    const { ctimeMs } = statSync(pagesOf(manifest));
    const at = (ms: number) => storeWith({ now: () => ctimeMs + ms });
    for (let restore = 0; restore < 2; restore++)
      expect(await hashedBy(at(SETTLED_MS - 1), manifest)).toEqual(['core-1.img', 'pages-1.img']);
    expect(await hashedBy(at(SETTLED_MS + 1), manifest)).toEqual(['core-1.img', 'pages-1.img']);
    expect(await hashedBy(at(SETTLED_MS + 1), manifest)).toEqual(['core-1.img']);
  });

  it.each([
    ['other machines may write to', NFS],
    ['is not known', UNKNOWN],
  ])('learns and knows nothing on a file system that %s', async (_what, type) => {
    const manifest = await publish(storeWith());
    expect(await hashedBy(storeWith({ type }), manifest)).toEqual(['core-1.img', 'pages-1.img']);
    rmSync(records(), { recursive: true });
    await hashedBy(storeWith({ type }), manifest);
    expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img', 'pages-1.img']);
  });

  it('forgets a checkpoint that is removed, and removes records that nobody needs any more', async () => {
    const [one, two] = [await publish(storeWith()), await publish(storeWith())];
    await storeWith().remove(one.reference);
    expect(readdirSync(records())).toEqual([`${two.id}.json`]);
    const old = Date.now() / 1_000 - REMEMBERED_SECONDS - 60;
    utimesSync(join(records(), `${two.id}.json`), old, old);
    const three = await publish(storeWith());
    expect(readdirSync(records())).toEqual([`${three.id}.json`]);
  });

  it('does without records where they cannot be written', async () => {
    writeFileSync(join(directory, 'state'), 'a file in place of the directory');
    const manifest = await publish(storeWith());
    for (let restore = 0; restore < 2; restore++)
      expect(await hashedBy(storeWith(), manifest)).toEqual(['core-1.img', 'pages-1.img']);
  });
});
