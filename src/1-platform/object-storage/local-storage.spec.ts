import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LocalStorage } from './local-storage';

describe('the directory of objects', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'objects-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('gives back the memory of each chunk that it has written, but not that of other buffers', async () => {
    const settings = { objectStorageDir: directory, objectUrlSeconds: 60, objectMaxBytes: 1_000_000 };
    const storage = new LocalStorage(settings, { now: () => new Date(0) });
    // As a body has them: each with memory of its own. The last one is a part of another buffer.
    const chunks = ['first', 'second'].map((text) => Buffer.from(Uint8Array.from(Buffer.from(text)).buffer));
    const shared = Buffer.from('third and fourth');
    await storage.receive('folder/name', undefined, Readable.from([...chunks, shared.subarray(0, 5)]));
    expect(readFileSync(join(directory, 'files/folder/name'), 'utf8')).toBe('firstsecondthird');
    expect(chunks.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0]);
    expect(shared.toString()).toBe('third and fourth');
  });
});
