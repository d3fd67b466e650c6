import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashOfPieces, READ_FILE, type HashedFile } from '../hashing/file-hashes';
import { PIECE_BYTES } from '../manifest';

/** What is read stays in the cache of the processor until it is hashed. */
const CHUNK_BYTES = 256 * 1024;
/** About two milliseconds. Then other work has its turn. */
const TURN_BYTES = 2 * 1024 * 1024;

/**
 * Reads an image from its beginning, and hashes what it reads. CRIU has just written it, so its bytes are in
 * memory as a rule. The threads that could read it compress, and each read would wait for them.
 */
export class ImageReader {
  readonly mode: number;
  /** When it was opened. */
  readonly size: number;
  readBytes = 0;
  private readonly fd: number;
  private readonly digests: Buffer[] = [];
  private piece = createHash('sha256');

  /** @throws if it is no regular file */
  constructor(path: string) {
    this.fd = openSync(path, READ_FILE);
    const stat = fstatSync(this.fd);
    this.mode = stat.mode;
    this.size = stat.size;
    if (stat.isFile()) return;
    this.close();
    throw new Error(`${path} is not a regular file`);
  }

  sizeNow(): number {
    return fstatSync(this.fd).size;
  }

  /** Fills a buffer with the next bytes. @throws if there are fewer */
  async fill(part: Buffer): Promise<void> {
    for (let filled = 0, turn = 0; filled < part.length;) {
      const left = PIECE_BYTES - (this.readBytes % PIECE_BYTES);
      const length = Math.min(CHUNK_BYTES, left, part.length - filled);
      const read = readSync(this.fd, part, filled, length, this.readBytes);
      if (read === 0) throw new Error('a file became shorter');
      this.piece.update(part.subarray(filled, filled + read));
      this.readBytes += read;
      filled += read;
      if (this.readBytes % PIECE_BYTES === 0) this.endPiece();
      if (filled - turn < TURN_BYTES) continue;
      turn = filled;
      await nextTurn();
    }
  }

  /** After its last byte. */
  hashed(): HashedFile {
    if (this.readBytes % PIECE_BYTES > 0) this.endPiece();
    return { bytes: this.readBytes, sha256: hashOfPieces(this.digests) };
  }

  close(): void {
    closeSync(this.fd);
  }

  private endPiece(): void {
    this.digests.push(this.piece.digest());
    this.piece = createHash('sha256');
  }
}
