import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PIECE_BYTES } from '../manifest';
import { DiskQueue } from './disk-queue';
import { DumpFollower } from './dump-follower';
import { FileHasher } from './file-hashes';
import { HashHelper } from './hash-helpers';

const digest = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** As `ManifestFile` describes it, calculated in the simplest way. */
function expected(bytes: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(digest(bytes.subarray(at, at + PIECE_BYTES)));
  return (pieces.length === 1 ? pieces[0]! : digest(Buffer.concat(pieces))).toString('hex');
}

describe('hashes of files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-hashes-'));
  const path = join(folder, 'pages-1.img');
  const hasher = new FileHasher();
  afterAll(async () => {
    await hasher.end();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['an empty file', 0],
    ['a file of one piece', PIECE_BYTES],
    ['a file of a few pieces, which gets no helpers', 2 * PIECE_BYTES + 1],
    ['a file of many pieces, which gets helpers', 20 * PIECE_BYTES + 77],
  ])('are those of its pieces: %s', async (_name, size) => {
    const bytes = randomBytes(size);
    writeFileSync(path, bytes);
    let passed = 0;
    const { bytes: length, sha256 } = await hasher.hash(path, (more) => (passed += more));
    expect({ length, sha256, passed }).toEqual({ length: size, sha256: expected(bytes), passed: size });
  });

  it('come from a helper only if it has read all of the part from a regular file', async () => {
    const helper = new HashHelper();
    try {
      const bytes = randomBytes(1_000);
      writeFileSync(path, bytes);
      const link = join(folder, 'link');
      symlinkSync(path, link);
      const part = bytes.subarray(10, 210);
      const [good, short] = await Promise.all([helper.digest(path, 10, 200), helper.digest(path, 900, 200)]);
      expect([good, short]).toEqual([digest(part), undefined]);
      // It ends at once, and answers nothing more.
      expect(await helper.digest(link, 10, 200)).toBeUndefined();
      expect(await helper.digest(path, 10, 200)).toBeUndefined();
    } finally {
      await helper.end();
    }
  });

  it('are known for what a dump has written before it ends', async () => {
    writeFileSync(path, '');
    const follower = new DumpFollower(folder, hasher, new DiskQueue());
    const bytes = randomBytes(3 * PIECE_BYTES + 1_000);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES / 2) {
      appendFileSync(path, bytes.subarray(at, at + PIECE_BYTES / 2));
      await sleep(20);
    }
    const known = (await follower.stop()).get('pages-1.img')!;
    // The last piece is not complete, and a slow machine knows fewer.
    expect(known.length).toBeLessThanOrEqual(3);
    known.forEach((one, index) => {
      expect(one).toEqual(digest(bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)));
    });
    const { sha256 } = await hasher.hash(path, () => {}, { known });
    expect(sha256).toBe(expected(bytes));
  });

  it('fail for a file that becomes shorter', async () => {
    writeFileSync(path, randomBytes(2 * PIECE_BYTES));
    const cut = hasher.hash(path, () => truncateSync(path, PIECE_BYTES));
    await expect(cut).rejects.toThrow('a file became shorter');
  });
});
