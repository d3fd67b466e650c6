import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStatistics } from './criu-statistics';

/** Images of CRIU 4.1.1, of a process with some 67 MiB. */
const DUMP =
  '405910550633095728000000' + '0a26084510c99b0318cbdb0120b29901288a8601300038c485014000480050085808600068007000';
const RESTORE = '405910550633095710000000' + '120e080010001802' + '20c5ee0128c48501';

describe("CRIU's statistics", () => {
  const directory = mkdtempSync(join(tmpdir(), 'statistics-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const read = (bytes: Buffer): ReturnType<typeof readStatistics> => {
    const file = join(directory, 'stats');
    writeFileSync(file, bytes);
    return readStatistics(file);
  };

  it('are read from stats-dump, under the names of CRIU', async () => {
    expect(await read(Buffer.from(DUMP, 'hex'))).toEqual({
      freezing_time: 69,
      frozen_time: 52681,
      memdump_time: 28107,
      memwrite_time: 19634,
      pages_scanned: 17162,
      pages_skipped_parent: 0,
      pages_written: 17092,
      irmap_resolve: 0,
      pages_lazy: 0,
      page_pipes: 8,
      page_pipe_bufs: 8,
      shpages_scanned: 0,
      shpages_skipped_parent: 0,
      shpages_written: 0,
    });
  });

  it('are read from stats-restore', async () => {
    expect(await read(Buffer.from(RESTORE, 'hex'))).toEqual({
      pages_compared: 0,
      pages_skipped_cow: 0,
      forking_time: 2,
      restore_time: 30533,
      pages_restored: 17092,
    });
  });

  it.each<[string, Buffer]>([
    ['an empty file', Buffer.alloc(0)],
    ['another image', Buffer.from(`00${DUMP.slice(2)}`, 'hex')],
    ['a file that was cut', Buffer.from(DUMP, 'hex').subarray(0, 30)],
    ['a file that is far too long', Buffer.concat([Buffer.from(DUMP, 'hex'), Buffer.alloc(65 * 1024)])],
  ])('refuse %s', async (_title, bytes) => {
    await expect(read(bytes)).rejects.toThrow();
  });
});
