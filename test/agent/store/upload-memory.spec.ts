import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(__dirname, 'upload-and-wait.ts');
const MIB = 1_024 * 1_024;
/** Some more blocks than are in use at once. */
const BLOCKS = 8;
const BLOCK_BYTES = 16 * MIB;
const PAGE_BYTES = 4_096;
/** Of each page, so much does not compress. */
const RANDOM_BYTES = 1_100;
/** What glibc keeps of parts and of compressors. Without their blocks, it is half of what they took. */
const LEFT_BYTES = 64 * MIB;

describe('a supervisor that has uploaded a checkpoint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-upload-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gives the memory back that this took', () => {
    const block = Buffer.alloc(BLOCK_BYTES);
    for (let at = 0; at < BLOCK_BYTES; at += PAGE_BYTES) randomBytes(RANDOM_BYTES).copy(block, at);
    for (let index = 0; index < BLOCKS; index++) appendFileSync(join(folder, 'pages-1.img'), block);
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', PROGRAM, folder, '3'], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { before, after } = JSON.parse(stdout) as Record<string, number>;
    expect(after! - before!).toBeLessThan(LEFT_BYTES);
  });
});
