import fs, { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { eventually } from '../../../test/support/eventually';
import { onThisMachine } from '../../../test/support/machine';
import { LocalStorage } from './local-storage';

const LIMIT_MS = 300;

const storageOf = (objectStorageDir: string, limitMs = 5_000): LocalStorage => {
  const settings = { objectStorageDir, objectUrlSeconds: 60, objectMaxBytes: 1_000_000 };
  return new LocalStorage({ ...settings, objectStorageTimeoutMs: limitMs }, { now: () => new Date(0) });
};

describe('the directory of objects', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'objects-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('gives back the memory of each chunk that it has written, but not that of other buffers', async () => {
    const storage = storageOf(directory);
    // As a body has them: each with memory of its own. The last one is a part of another buffer.
    const chunks = ['first', 'second'].map((text) => Buffer.from(Uint8Array.from(Buffer.from(text)).buffer));
    const shared = Buffer.from('third and fourth');
    await storage.receive('folder/name', undefined, Readable.from([...chunks, shared.subarray(0, 5)]));
    expect(readFileSync(join(directory, 'files/folder/name'), 'utf8')).toBe('firstsecondthird');
    expect(chunks.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0]);
    expect(shared.toString()).toBe('third and fourth');
  });

  describe('on a file system that does not answer', () => {
    const FAILS = { status: 502, code: 'object_storage_failed' };
    let storage: LocalStorage;
    /** Let the calls be answered that hang. */
    let answers: (() => void)[];

    beforeEach(async () => {
      answers = [];
      storage = storageOf(directory, LIMIT_MS);
      await storage.receive('folder/name', undefined, Readable.from([Buffer.from('bytes')]));
    });
    afterEach(() => jest.restoreAllMocks());

    /** From now on, calls of this function hang. */
    function hang(of: object, name: string): void {
      const real = Reflect.get(of, name) as (...given: unknown[]) => unknown;
      jest.spyOn(of as Record<string, () => unknown>, name).mockImplementation(function (
        this: unknown,
        ...given: unknown[]
      ) {
        return new Promise((resolve) => answers.push(() => resolve(real.apply(this, given))));
      });
    }
    function answer(): void {
      jest.restoreAllMocks();
      for (const one of answers.splice(0)) one();
    }
    const isFound = () => storage.find('folder/name').then(Boolean, () => false);
    const draftsLeft = () => readdirSync(join(directory, 'uploads'));

    it('fails in time, holds two calls, and refuses further ones at once until they are answered', async () => {
      hang(files, 'lstat');
      const lists = () => storage.list('folder', { limit: 10, after: undefined });
      await Promise.all([1, 2].map(() => expect(storage.find('folder/name')).rejects.toMatchObject(FAILS)));
      expect(answers).toHaveLength(2);
      const began = performance.now();
      for (const refused of [storage.find('folder/name'), storage.remove('folder/name'), lists()])
        await expect(refused).rejects.toMatchObject(FAILS);
      expect(performance.now() - began).toBeLessThan(onThisMachine(LIMIT_MS));
      expect(answers).toHaveLength(2);
      answer();
      await eventually(async () => expect(await isFound()).toBe(true));
      expect((await lists()).names).toEqual(['name']);
    });

    it('holds three calls at most, however many come before the first one is overdue', async () => {
      hang(files, 'lstat');
      const found = Array.from({ length: 10 }, () => expect(storage.find('folder/name')).rejects.toMatchObject(FAILS));
      await Promise.all(found);
      expect(answers).toHaveLength(3);
      answer();
      await eventually(async () => expect(await isFound()).toBe(true));
    });

    it('fails a reader in time, in the middle of a file too', async () => {
      const stream = await storage.read('folder/name', new AbortController().signal);
      const read = jest.spyOn(fs, 'read').mockImplementation();
      await expect(stream.toArray()).rejects.toThrow('the file system does not answer');
      expect(read).toHaveBeenCalledTimes(1);
    });

    it('reads files whole, and closes them', async () => {
      const close = jest.spyOn(fs, 'close');
      const stream = await storage.read('folder/name', new AbortController().signal);
      expect(Buffer.concat(await stream.toArray()).toString()).toBe('bytes');
      await eventually(() => expect(close).toHaveBeenCalledTimes(1));
    });

    it.each(['write', 'sync'])('fails an upload whose %s hangs, and removes it once it is answered', async (name) => {
      const handle = await files.open(directory);
      await handle.close();
      hang(Object.getPrototypeOf(handle) as object, name);
      const received = storage.receive('folder/another', undefined, Readable.from([Buffer.from('bytes')]));
      await expect(received).rejects.toMatchObject(FAILS);
      answer();
      await eventually(() => expect(draftsLeft()).toEqual([]));
      expect(await storage.find('folder/another')).toBeUndefined();
    });

    it('closes a file that is opened too late', async () => {
      let late: FileHandle | undefined;
      const { open } = files;
      jest
        .spyOn(files, 'open')
        .mockImplementation(
          (...given) =>
            new Promise((resolve) => answers.push(() => resolve(open(...given).then((file) => (late = file))))),
        );
      const received = storage.receive('folder/another', undefined, Readable.from([Buffer.from('bytes')]));
      await expect(received).rejects.toMatchObject(FAILS);
      answer();
      await eventually(() => expect(late?.fd).toBe(-1));
    });
  });
});
