import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { constants as fs } from 'node:fs';
import { promisify } from 'node:util';
import { constants as zlib, zstdCompress, zstdDecompress } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { AgentFailure } from '../../failures';
import type { HashedFile } from '../hashing/file-hashes';
import { isFileName, type Manifest } from '../manifest';
import { checkpointDamaged } from '../store-failures';
import { ImageReader } from './image-reader';

/**
 * The stream is cut into blocks of at most this length. Each is compressed on its own, and is one part. So
 * parts can be compressed and decompressed side by side, and still make one stream for `zstd -d`.
 */
export const BLOCK_BYTES = 16 * 1024 * 1024;

/** Images are sent soon, and read rarely: a higher level takes longer than it saves. */
const LEVEL = 1;

/** The default of 16 KiB takes a thousand turns for each part. Most parts are shorter than this. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/**
 * glibc may keep what is freed, and the supervisor would have it until its workload ends. It maps each piece
 * that is longer than 32 MiB by itself, so that the kernel has it back at once. What is never written of such
 * a piece takes no memory.
 */
const MAPPED_BYTES = 33 * 1024 * 1024;

const compressed = promisify(zstdCompress);
const decompressed = promisify(zstdDecompress);

export const compress = (block: Buffer): Promise<Buffer> =>
  compressed(block, {
    params: { [zlib.ZSTD_c_compressionLevel]: LEVEL, [zlib.ZSTD_c_checksumFlag]: 0 },
    pledgedSrcSize: block.length,
    chunkSize: CHUNK_BYTES,
  });

/** @throws if it is no block: no part inflates beyond one */
export const decompress = (part: Buffer): Promise<Buffer> =>
  decompressed(part, { maxOutputLength: BLOCK_BYTES, chunkSize: CHUNK_BYTES });

const TAR_BLOCK_BYTES = 512;
const TYPE_AT = 156;
const REGULAR_FILE = 0x30;
/** Behind the last file. */
const END_OF_TAR = Buffer.alloc(2 * TAR_BLOCK_BYTES);

/** What stands before a file in a tar stream: its header, behind one for a name that is long. */
export async function tarHeader(name: string, size: number, mode: number): Promise<Buffer> {
  const one = pack();
  // Bytes are expected of one that has some, so that nothing follows its header here.
  one.entry({ name, size, mode: mode & 0o700, mtime: new Date(0), type: 'file' });
  const chunks: Buffer[] = [];
  for await (const chunk of one as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (chunk.length === TAR_BLOCK_BYTES && chunk[TYPE_AT] === REGULAR_FILE) break;
  }
  return Buffer.concat(chunks);
}

/** What stands behind it. */
export const paddingOf = (size: number): Buffer =>
  Buffer.alloc((TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES);

/**
 * Blocks are used again: the kernel takes as long to make new ones as it takes to read them. They are parts
 * of one piece of memory, which is made when the first one is taken.
 */
export class BlockPool {
  private readonly free: Buffer<ArrayBuffer>[] = [];
  private all: Buffer<ArrayBuffer> | undefined;

  /** @param count of those that are in use at once, as a rule */
  constructor(
    private readonly blockBytes: number,
    private readonly count: number,
  ) {}

  take(): Buffer<ArrayBuffer> {
    if (!this.all) {
      this.all = Buffer.allocUnsafeSlow(Math.max(MAPPED_BYTES, this.count * this.blockBytes));
      for (let index = this.count - 1; index >= 0; index--) this.free.push(this.blockAt(index * this.blockBytes));
    }
    return this.free.pop() ?? Buffer.allocUnsafeSlow(this.blockBytes);
  }

  /** @param part the beginning of a block that nobody reads any more. Others are left alone */
  give({ buffer, byteOffset }: Buffer): void {
    if (buffer === this.all?.buffer) this.free.push(this.blockAt(byteOffset));
  }

  /** Those that are in use stay as they are. */
  end(): void {
    this.free.length = 0;
    this.all = undefined;
  }

  private blockAt(offset: number): Buffer<ArrayBuffer> {
    return this.all!.subarray(offset, offset + this.blockBytes);
  }
}

/** Images as a tar stream in blocks, and their hashes. */
export class Archive {
  /** Of those that have passed. */
  readonly hashes = new Map<string, HashedFile>();
  private block: Buffer<ArrayBuffer> | undefined;
  private filledBytes = 0;

  /** @param images in the order of their names */
  constructor(
    private readonly folder: string,
    private readonly images: readonly string[],
    private readonly pool: BlockPool,
  ) {}

  async *blocks(): AsyncIterable<Buffer> {
    for (const path of this.images) {
      const image = new ImageReader(join(this.folder, path));
      try {
        const { size, mode } = image;
        yield* this.bytes(await tarHeader(path, size, mode));
        yield* this.filled(size, (part) => image.fill(part));
        yield* this.bytes(paddingOf(size));
        this.hashes.set(path, image.hashed());
      } finally {
        image.close();
      }
    }
    yield* this.bytes(END_OF_TAR);
    const { block } = this;
    this.block = undefined;
    if (block && this.filledBytes > 0) yield block.subarray(0, this.filledBytes);
  }

  private bytes(bytes: Buffer): AsyncIterable<Buffer> {
    let taken = 0;
    return this.filled(bytes.length, (part) => {
      taken += bytes.copy(part, 0, taken);
    });
  }

  private async *filled(length: number, fill: (part: Buffer) => Promise<void> | void): AsyncIterable<Buffer> {
    for (let left = length; left > 0;) {
      this.block ??= this.pool.take();
      const part = this.block.subarray(this.filledBytes, this.filledBytes + left);
      await fill(part);
      left -= part.length;
      this.filledBytes += part.length;
      if (this.filledBytes < this.block.length) continue;
      const { block } = this;
      this.block = undefined;
      this.filledBytes = 0;
      yield block;
    }
  }
}

/**
 * Writes the files of a tar stream into an empty folder. The stream may come from anybody: it holds the files
 * of the manifest and nothing else, no link, no device, and no path.
 * @throws `checkpoint_damaged`
 */
export async function unpack(blocks: AsyncIterable<Buffer>, folder: string, manifest: Manifest): Promise<void> {
  const { reference } = manifest;
  const expected = new Map(manifest.files.map(({ path, bytes }) => [path, bytes]));
  const tar = extract();
  const closed = new Promise<void>((go) => void tar.once('close', go));
  let fed: { readonly error: unknown } | undefined;
  const feeding = (async () => {
    try {
      for await (const block of blocks) {
        if (tar.destroyed) return;
        if (!tar.write(block)) await Promise.race([new Promise<void>((go) => void tar.once('drain', go)), closed]);
      }
      tar.end(undefined);
    } catch (error) {
      fed = { error };
      tar.destroy(error as Error);
    }
  })();
  try {
    for await (const entry of tar) {
      const { name, type, size } = entry.header;
      const quoted = JSON.stringify(name);
      if (type !== 'file') throw checkpointDamaged(reference, `${quoted} in its archive is a ${String(type)}`);
      if (!isFileName(name)) throw checkpointDamaged(reference, `${quoted} in its archive leads elsewhere`);
      if (expected.get(name) !== size)
        throw checkpointDamaged(reference, `${quoted} in its archive is not as in its manifest`);
      expected.delete(name);
      const file = await open(join(folder, name), fs.O_WRONLY | fs.O_CREAT | fs.O_EXCL | fs.O_NOFOLLOW, 0o600);
      try {
        for await (const chunk of entry as AsyncIterable<Buffer>) await file.writeFile(chunk);
      } finally {
        await file.close();
      }
    }
  } catch (error) {
    if (fed) throw fed.error;
    // Failures of files have a code; those of the stream have none.
    if (error instanceof AgentFailure || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw checkpointDamaged(reference, 'its archive is no tar stream', error);
  } finally {
    tar.destroy(undefined);
    await feeding;
  }
  if (fed) throw (fed as { error: unknown }).error;
  const [missing] = expected.keys();
  if (missing !== undefined) throw checkpointDamaged(reference, `${JSON.stringify(missing)} is not in its archive`);
}
