import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImageCache } from './image-cache';

const BYTES = 1_000;
const OWNER = '0123456789abcdef';

describe('Images that are kept after a restore', () => {
  let directory: string;
  /** Bytes on the disk, without what the cache holds. */
  let room: number;
  let clock: number;
  let cache: ImageCache;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-kept-'));
    [room, clock] = [Infinity, Date.now()];
    cache = new ImageCache({
      directory,
      maxBytes: 1e9,
      now: () => clock,
      diskTime: () => Promise.resolve(clock),
      freeBytes,
    });
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const kept = (): string[] => readdirSync(join(directory, 'images'));
  const freeBytes = () => Promise.resolve(room - kept().length * BYTES);
  const restored = async (id: string = randomUUID()): Promise<string> => {
    clock += 1_000;
    const fetch = (folder: string) => Promise.resolve(writeFileSync(join(folder, 'pages-1.img'), Buffer.alloc(BYTES)));
    const images = await cache.use(id, BYTES, () => Promise.resolve(), fetch);
    await images.release();
    return id;
  };

  it('stay while the disk has room for others', async () => {
    room = 10 * BYTES;
    const [one, other] = [await restored(), await restored()];
    expect(kept().sort()).toEqual([one, other].sort());
  });

  it('make room on the disk for those of the next restore, and those used longest ago go first', async () => {
    const [, second] = [await restored(), await restored()];
    room = 2 * BYTES;
    const third = await restored();
    expect(kept().sort()).toEqual([second, third].sort());
  });

  it('make room on the disk for a checkpoint that is about to be taken', async () => {
    await restored();
    const last = await restored();
    room = 3 * BYTES;
    await cache.draft(randomUUID(), { bytes: 2 * BYTES });
    expect(kept()).toEqual([last]);
  });

  it('stay in use until they are released, which cannot fail', async () => {
    const images = await cache.use(
      randomUUID(),
      BYTES,
      () => Promise.resolve(),
      () => Promise.resolve(),
    );
    // What makes room does not know what to do with it.
    writeFileSync(join(directory, 'images/stranger'), '');
    await expect(images.release()).resolves.toBeUndefined();
    expect(readdirSync(join(directory, 'uses'))).toEqual([]);
  });

  it('are not the drafts of a killed supervisor, which go also if the time of the disk is not known', async () => {
    const other = 'f'.repeat(16);
    for (const owner of [other, OWNER, other, OWNER, other]) await cache.draft(randomUUID(), { owner });
    const silent = new Error('The disk does not answer.');
    const timeless = new ImageCache({ directory, maxBytes: 1e9, diskTime: () => Promise.reject(silent), freeBytes });
    await expect(timeless.removeLeftovers(OWNER)).rejects.toThrow(silent);
    const left = readdirSync(join(directory, 'partial'));
    expect(left.map((name) => name.slice(37, 53))).toEqual([other, other, other]);
  });

  it('are not what a killed supervisor left, whose drafts go when the next one of its name begins', async () => {
    const id = randomUUID();
    const [own, others] = [await cache.draft(id, { owner: OWNER }), await cache.draft(id, { owner: 'f'.repeat(16) })];
    const unknown = await cache.draft(id);
    expect(await cache.removeLeftovers(OWNER)).toBe(1);
    expect([own, others, unknown].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  });
});
