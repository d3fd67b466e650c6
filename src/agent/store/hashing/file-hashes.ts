import { createHash, hash, webcrypto } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { PIECE_BYTES } from '../manifest';
import { HashHelper, helpersHere } from './hash-helpers';

/** What is read stays in the cache of the processor until it is hashed. */
const CHUNK_BYTES = 128 * 1024;

/** A tenth of a millisecond. */
const SMALL_BYTES = 64 * 1024;

/** Fewer pieces are hashed before a helper has started. */
const WORTH_HELP = 16;

/** Flags for images: a link in place of a file is not followed, and a pipe does not block. */
export const READ_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export const sha256 = (bytes: Buffer): string => hash('sha256', bytes, 'hex');

/** SHA-256 on another thread. */
export const digestOf = async (bytes: Buffer<ArrayBuffer>): Promise<Buffer> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));

/** The hash of a file from those of its pieces, in order: see `ManifestFile`. */
export function hashOfPieces(digests: readonly Buffer[]): string {
  const [first] = digests;
  if (digests.length === 1 && first) return first.toString('hex');
  return digests.length === 0 ? sha256(Buffer.alloc(0)) : sha256(Buffer.concat(digests));
}

/** Fills the buffer, up to the end of the file. @returns the number of bytes */
export async function readFully(file: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

export interface HashedFile {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Hashes files, in steps that leave the agent time for other things. The pieces of long files are hashed side
 * by side with helpers. Node's own asynchronous hash would copy all bytes first, which takes as long as
 * hashing them.
 */
export class FileHasher {
  private readonly helpers: HashHelper[] = [];
  /** One is read while the other is hashed. Small files need none. */
  private chunks: readonly [Buffer, Buffer] | undefined;
  /** One file at a time uses the chunks. */
  private last: Promise<unknown> = Promise.resolve();

  /** @param known digests of its first pieces */
  async hash(
    path: string,
    onBytes: (bytes: number) => void,
    { known = [] }: { known?: readonly Buffer[] } = {},
  ): Promise<HashedFile> {
    const small = known.length === 0 ? this.small(path) : undefined;
    if (small) {
      onBytes(small.bytes);
      return small;
    }
    const file = await open(path, READ_FILE);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
      const digests = await this.pieces({ file, path, size: stat.size }, [...known], onBytes);
      return { bytes: stat.size, sha256: hashOfPieces(digests) };
    } finally {
      await file.close();
    }
  }

  /**
   * Most images are small, and their bytes are in memory: to ask other threads for them would take longer.
   * @returns undefined if the file is large
   */
  private small(path: string): HashedFile | undefined {
    const fd = openSync(path, READ_FILE);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
      if (stat.size > SMALL_BYTES) return undefined;
      const bytes = Buffer.allocUnsafe(stat.size);
      for (let filled = 0; filled < bytes.length;) {
        const read = readSync(fd, bytes, filled, bytes.length - filled, filled);
        if (read === 0) throw new Error('a file became shorter');
        filled += read;
      }
      return { bytes: stat.size, sha256: sha256(bytes) };
    } finally {
      closeSync(fd);
    }
  }

  /** A part of an open file. @throws if the file ends before it */
  digest(file: FileHandle, position: number, length: number): Promise<Buffer> {
    const digest = this.last.then(async () => {
      const whole = createHash('sha256');
      this.chunks ??= [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
      let [chunk, next] = this.chunks;
      const read = (into: Buffer, done: number) => {
        const part = into.subarray(0, Math.min(CHUNK_BYTES, length - done));
        return { part, filled: readFully(file, part, position + done) };
      };
      let reading = read(chunk, 0);
      for (let done = 0; done < length;) {
        const { part, filled } = reading;
        if ((await filled) < part.length) throw new Error('a file became shorter');
        done += part.length;
        if (done < length) reading = read(next, done);
        whole.update(part);
        [chunk, next] = [next, chunk];
      }
      return whole.digest();
    });
    this.last = digest.catch(() => {});
    return digest;
  }

  /** Ends its helpers. */
  async end(): Promise<void> {
    await Promise.all(this.helpers.splice(0).map((helper) => helper.end()));
  }

  private async pieces(
    { file, path, size }: { file: FileHandle; path: string; size: number },
    digests: Buffer[],
    onBytes: (bytes: number) => void,
  ): Promise<Buffer[]> {
    const lengthOf = (index: number): number => Math.min(PIECE_BYTES, size - index * PIECE_BYTES);
    const open = Array.from({ length: Math.ceil(size / PIECE_BYTES) - digests.length }, (_, n) => digests.length + n);
    if (digests.length > 0) onBytes(digests.length * PIECE_BYTES);
    const own = async (): Promise<void> => {
      for (let index = open.shift(); index !== undefined; index = open.shift()) {
        digests[index] = await this.digest(file, index * PIECE_BYTES, lengthOf(index));
        onBytes(lengthOf(index));
      }
    };
    const helped = async (helper: HashHelper): Promise<void> => {
      for (let index = open.shift(); index !== undefined; index = open.shift()) {
        const digest = await helper.digest(path, index * PIECE_BYTES, lengthOf(index));
        if (!digest) {
          // This process finds out why.
          open.unshift(index);
          return own();
        }
        digests[index] = digest;
        onBytes(lengthOf(index));
      }
    };
    const helpers = open.length < WORTH_HELP ? [] : this.started();
    await settled([own(), ...helpers.map(helped)]);
    return digests;
  }

  private started(): HashHelper[] {
    while (this.helpers.length < helpersHere()) this.helpers.push(new HashHelper());
    return this.helpers;
  }
}

/** Waits for all, also if one fails: nothing goes on afterwards. @throws the first failure */
export async function settled(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
