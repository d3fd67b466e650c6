import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  opendir,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../common/clock';
import { invariant } from '../common/invariant';
import { Problem } from '../common/answers/problem';
import type { Environment } from '../config/environment';
import { FileCalls } from './file-calls';
import {
  isObjectKey,
  KEY_PART,
  ObjectStorage,
  storageFailed,
  UPLOAD_SECONDS,
  type FolderSlice,
  type Names,
  type StoredObject,
} from './object-storage';
import { signingKey } from './signing-key';
import {
  checkSignature,
  signatureInvalid,
  signedQuery,
  type Signed,
  type SignedMethod,
  type ClaimedSignature,
} from './url-signature';

type Settings = Pick<
  Environment,
  'objectStorageDir' | 'objectStorageTimeoutMs' | 'objectUrlSeconds' | 'objectMaxBytes'
>;

/** The path below which this service serves them: see `ObjectsController`. */
export const OBJECTS_PATH = 'objects';

/** Inode, size and time of a file. */
const TAG = /^\d{1,20}-\d{1,20}-\d{1,20}$/;

/** How fast even a slow disk is: bytes of an upload reach it when they are synced. */
const SLOWEST_BYTES_PER_MS = 10_000;

/** Attempts to put an upload in its place: a removal may take away an empty folder in between. */
const PLACINGS = 5;

/** The file of an existing object. */
export interface StoredFile {
  readonly path: string;
  readonly found: StoredObject;
  /** For `createReadStream`. */
  readonly fs: FileCalls['reading'];
}

/** Objects as files of a directory, which this service serves and receives itself. */
export class LocalStorage extends ObjectStorage {
  private readonly root: string;
  /** Uploads until they are complete. */
  private readonly drafts: string;
  private readonly calls: FileCalls;
  private secret: Promise<Buffer> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    super();
    this.root = join(settings.objectStorageDir, 'files');
    this.drafts = join(settings.objectStorageDir, 'uploads');
    this.calls = new FileCalls(settings.objectStorageTimeoutMs);
  }

  override async find(key: string): Promise<StoredObject | undefined> {
    return (await this.file(key))?.found;
  }

  /**
   * The file of an object, and how it is read; undefined if there is none. Targets of links do not count,
   * because they may be anywhere.
   */
  async file(key: string): Promise<StoredFile | undefined> {
    if (!isObjectKey(key)) return undefined;
    return this.inTime(async () => {
      const path = await this.pathOf(key);
      const { size, mtimeNs, ino } = await lstat(path, { bigint: true });
      return { path, found: { sizeBytes: Number(size), tag: `${ino}-${size}-${mtimeNs}` }, fs: this.calls.reading };
    });
  }

  override async read(key: string, signal: AbortSignal): Promise<Readable> {
    const file = await this.file(key);
    if (file === undefined) throw storageFailed(new Error('an object is gone'));
    return createReadStream(file.path, { signal, fs: file.fs });
  }

  override async remove(key: string): Promise<void> {
    if (!isObjectKey(key)) return;
    await this.inTime(async () => {
      const path = await this.pathOf(key);
      await unlink(path);
      await this.removeEmpty(dirname(path));
    });
  }

  /** Reads the whole folder each time, and holds a part of its names in memory. */
  override async list(folder: string, { limit, after }: FolderSlice): Promise<Names> {
    if (!isObjectKey(folder)) return { names: [], more: false };
    const first: string[] = [];
    const cut = () => first.sort().splice(limit + 1);
    await this.inTime(async () => {
      const path = join(await realpath(this.root), folder);
      if ((await realpath(path)) !== path) return;
      for await (const entry of await opendir(path)) {
        const name = entry.isDirectory() ? `${entry.name}/` : entry.name;
        const isObject = (entry.isFile() || entry.isDirectory()) && KEY_PART.test(entry.name);
        if (isObject && (after === undefined || name > after)) first.push(name);
        if (first.length > 10 * (limit + 1)) cut();
      }
    });
    cut();
    return { names: first.slice(0, limit), more: first.length > limit };
  }

  override uploadUrl(key: string): Promise<string> {
    return this.signed({ method: 'PUT', key, tag: undefined });
  }

  override downloadUrl(key: string, tag: string): Promise<string> {
    return this.signed({ method: 'GET', key, tag });
  }

  /**
   * @returns what the address was signed for
   * @throws 403 unless this service signed the address, for this method, and it has not expired; only keys
   * are signed
   */
  async check(method: SignedMethod, key: string, claimed: ClaimedSignature): Promise<Signed> {
    const { tag } = claimed;
    if (!isObjectKey(key) || !(tag === undefined || (typeof tag === 'string' && TAG.test(tag))))
      throw signatureInvalid();
    const signed = { method, key, tag };
    checkSignature(await this.signingKey(), signed, claimed, this.clock.now());
    return signed;
  }

  /**
   * Receives an object completely or not at all: it is written elsewhere, synced to disk, and then moved.
   * @param declared its declared size, if any
   * @throws 413 if it is larger than `OBJECT_MAX_BYTES`
   */
  async receive(key: string, declared: number | undefined, source: Readable, begin?: () => void): Promise<void> {
    invariant(isObjectKey(key), 'only keys are signed');
    const max = this.settings.objectMaxBytes;
    if (declared !== undefined && declared > max) throw tooLarge(max);
    begin?.();
    try {
      await this.calls.run(async () => {
        await this.placeFor(key).catch(unlessAbsent);
        await mkdir(this.drafts, { recursive: true, mode: 0o700 });
      });
      const draft = join(this.drafts, randomBytes(8).toString('hex'));
      try {
        await this.writeWhole(draft, source);
        await this.calls.run(() => this.place(draft, key));
      } finally {
        await this.calls.run(() => rm(draft, { force: true }), { must: true });
      }
    } catch (error) {
      throw error instanceof Problem ? error : storageFailed(error);
    }
  }

  /** Removes uploads whose last write is older than any upload may take: their process was killed. */
  async removeAbandoned(): Promise<void> {
    const before = this.clock.now().getTime() - UPLOAD_SECONDS * 1_000;
    for (const name of await this.calls.run(() => namesIn(this.drafts)))
      await this.calls.run(async () => {
        const draft = join(this.drafts, name);
        // Another replica may have done it meanwhile.
        const written = await lstat(draft).catch(() => undefined);
        if (written && written.mtimeMs < before) await rm(draft, { force: true });
      });
  }

  /** @returns undefined if there is nothing of that name */
  private async inTime<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.calls.run(work);
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw storageFailed(error);
    }
  }

  /** @throws `ENOENT` if there is no such file */
  private async pathOf(key: string): Promise<string> {
    const path = join(await realpath(this.root), key);
    if ((await realpath(path)) === path && (await lstat(path)).isFile()) return path;
    throw Object.assign(new Error('the file of an object is a link or a folder'), { code: 'ENOENT' });
  }

  private async writeWhole(path: string, source: Readable): Promise<void> {
    const max = this.settings.objectMaxBytes;
    const late = (file: FileHandle) => file.close();
    const file = await this.calls.run(() => open(path, 'wx', 0o600), { late });
    try {
      let size = 0;
      // Not destroyed when it is left early: a client with a too large file still sends, and would see a
      // broken connection.
      for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > max) throw tooLarge(max);
        await this.calls.run(() => writeAll(file, chunk));
        release(chunk);
      }
      const limitMs = this.settings.objectStorageTimeoutMs + size / SLOWEST_BYTES_PER_MS;
      await this.calls.run(() => file.sync(), { limitMs });
    } catch (error) {
      if (source.destroyed && !(error instanceof Problem))
        throw new Problem(400, 'bad_request', 'The body could not be read.', { cause: error });
      throw error;
    } finally {
      await this.calls.run(() => file.close(), { must: true });
    }
  }

  /** The path of a new object. Creates the folders above it, and checks that none of them is a link. */
  private async placeFor(key: string): Promise<string> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    const parts = key.split('/');
    let at = await realpath(this.root);
    for (const part of parts.slice(0, -1)) {
      at = join(at, part);
      await mkdir(at, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      if (!(await lstat(at)).isDirectory()) throw new Error('the folder of an object is a link or a file');
    }
    return join(at, parts.at(-1) ?? '');
  }

  private async place(draft: string, key: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const path = await this.placeFor(key);
        await rename(draft, path);
        // It may be removed already, with its folder.
        return await synced(dirname(path)).catch(unlessAbsent);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt >= PLACINGS) throw error;
      }
    }
  }

  /** Folders exist while they hold objects, as in a bucket. */
  private async removeEmpty(folder: string): Promise<void> {
    const root = await realpath(this.root);
    for (let at = folder; at !== root; at = dirname(at)) {
      try {
        await rmdir(at);
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') continue;
        if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
        throw error;
      }
    }
  }

  private async signed(what: Signed): Promise<string> {
    const { key } = what;
    invariant(isObjectKey(key), 'only keys are signed');
    const expires = Math.floor(this.clock.now().getTime() / 1_000) + this.settings.objectUrlSeconds;
    return `/${OBJECTS_PATH}/${key}?${signedQuery(await this.signingKey(), what, expires)}`;
  }

  private async signingKey(): Promise<Buffer> {
    this.secret ??= this.calls.run(() => signingKey(this.settings.objectStorageDir));
    try {
      return await this.secret;
    } catch (error) {
      // The disk may be available again next time.
      this.secret = undefined;
      throw storageFailed(error);
    }
  }
}

/** Nothing there, or a file in place of a folder. */
const isAbsence = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '');

const unlessAbsent = (error: unknown): void => {
  if (!isAbsence(error)) throw error;
};

const tooLarge = (max: number): Problem =>
  new Problem(413, 'body_too_large', `An object must be at most ${max} bytes.`);

/**
 * Gives the memory of a chunk back that has been written. Chunks of a body are the only large thing that an
 * upload makes, so nothing else would collect them before they make V8 collect the whole heap: for 70 MB, six
 * times. Node gives each its own memory; what may be a part of another buffer is left alone.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let written = 0; written < chunk.length;)
    written += (await file.write(chunk, written, chunk.length - written)).bytesWritten;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** A renamed file survives a power cut only if its folder was synced to disk too. */
async function synced(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
