import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { constants as fs } from 'node:fs';
import { promisify } from 'node:util';
import { constants as zlib, zstdCompress, zstdDecompress } from 'node:zlib';
import { extract, pack, type Pack } from 'tar-stream';
import { AgentFailure } from '../../failures';
import { READ_FILE, readFully } from '../hashing/file-hashes';
import { isFileName, PIECE_BYTES, type Manifest } from '../manifest';
import { checkpointDamaged } from '../store-failures';

/**
 * The stream is cut into blocks of at most this length. Each is compressed on its own, and is one part. So
 * parts can be compressed and decompressed side by side, and still make one stream for `zstd -d`.
 */
export const BLOCK_BYTES = 16 * 1024 * 1024;

/** Images are sent soon, and read rarely: a higher level takes longer than it saves. */
const LEVEL = 1;

/** The default of 16 KiB takes a thousand turns for each part. */
const CHUNK_BYTES = 4 * 1024 * 1024;

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

/** Images as a tar stream in blocks. */
export class Archive {
  private readonly pack: Pack = pack();
  /** Rejects when the stream is over, so that nothing waits for a reader that is gone. */
  private readonly over = new Promise<never>((_resolve, reject) => {
    this.pack.once('close', () => reject(new Error('the archive is closed')));
  });

  /** @param images in the order of their names */
  constructor(
    private readonly folder: string,
    private readonly images: readonly string[],
    private readonly blockBytes = BLOCK_BYTES,
  ) {
    this.over.catch(() => undefined);
  }

  async *blocks(): AsyncIterable<Buffer> {
    const written = this.write().catch((error: unknown) => {
      this.pack.destroy(error as Error);
      throw error;
    });
    written.catch(() => undefined);
    try {
      let block = Buffer.allocUnsafeSlow(this.blockBytes);
      let filled = 0;
      for await (const chunk of this.pack as AsyncIterable<Buffer>) {
        for (let taken = 0; taken < chunk.length;) {
          const copied = chunk.copy(block, filled, taken);
          taken += copied;
          filled += copied;
          if (filled < this.blockBytes) continue;
          yield block;
          block = Buffer.allocUnsafeSlow(this.blockBytes);
          filled = 0;
        }
      }
      if (filled > 0) yield block.subarray(0, filled);
    } finally {
      this.pack.destroy(undefined);
      // Its files are closed. The first failure is reported, not that the reader left.
      await written.catch(() => undefined);
    }
    await written;
  }

  private async write(): Promise<void> {
    for (const path of this.images) {
      const file = await open(join(this.folder, path), READ_FILE);
      try {
        const { size, mode } = await file.stat();
        await new Promise<void>((resolve, reject) => {
          this.over.catch(reject);
          const done = (error?: Error | null) => (error ? reject(error) : resolve());
          const entry = this.pack.entry(
            { name: path, size, mode: mode & 0o700, mtime: new Date(0), type: 'file' },
            done,
          );
          const feed = async (): Promise<void> => {
            for await (const piece of piecesOf(file, size)) {
              if (entry.write(piece)) continue;
              await Promise.race([new Promise<void>((go) => void entry.once('drain', go)), this.over]);
            }
            entry.end(undefined);
          };
          feed().catch(reject);
        });
      } finally {
        await file.close();
      }
    }
    this.pack.finalize();
  }
}

/** Pieces that are read ahead: the threads that read also compress, so each read waits for its turn. */
const PIECES_AHEAD = 6;

async function* piecesOf(file: FileHandle, size: number): AsyncIterable<Buffer> {
  const ahead: Promise<Buffer>[] = [];
  const read = async (position: number): Promise<Buffer> => {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, size - position));
    if ((await readFully(file, piece, position)) < piece.length) throw new Error('a file became shorter');
    return piece;
  };
  try {
    for (let position = 0; position < size || ahead.length > 0;) {
      for (; position < size && ahead.length < PIECES_AHEAD; position += PIECE_BYTES) {
        const piece = read(position);
        piece.catch(() => undefined);
        ahead.push(piece);
      }
      const next = await ahead.shift();
      if (next) yield next;
    }
  } finally {
    // The file is closed afterwards.
    await Promise.allSettled(ahead);
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
