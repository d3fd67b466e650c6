import { monotonicNs } from '../../clock';
import type { OnProgress } from '../../stages';
import { sha256, type HashedFile } from '../hashing/file-hashes';
import { MAX_PARTS, type ManifestFile, type ManifestPart } from '../manifest';
import { storeFailed } from '../store-failures';
import { Archive, BlockPool, compress } from './archive';
import { EarlyImages, type PartSender } from './early-images';
import { Lanes } from './lanes';

/** Parts that are compressed, sent or fetched at once; each takes up to two blocks of memory. */
export const PARTS_AT_ONCE = 4;
/** While the dump goes on, which keeps the workload frozen. */
const EARLY_AT_ONCE = 2;

/** Where the archive of one checkpoint goes. */
export interface UploadTarget {
  /** Before the first part. It may be repeated. @throws if there is already such a checkpoint */
  begin(): Promise<void>;
  put(place: number, part: Buffer, signal: AbortSignal): Promise<void>;
  /** Removes the parts. */
  clear(): Promise<void>;
}

export interface Uploaded {
  /** In the order of their names. */
  readonly files: readonly ManifestFile[];
  readonly parts: readonly ManifestPart[];
  readonly bytes: number;
  /** When the last part was compressed. */
  readonly compressedAtNs: number;
}

/** Compresses and sends the images of one checkpoint: large ones while CRIU writes them, then the others. */
export class ImageUpload {
  private sending: Sending;
  private early: EarlyImages | undefined;
  private readonly pool: BlockPool;

  constructor(
    private readonly directory: string,
    private readonly target: UploadTarget,
    private readonly blockBytes: number,
  ) {
    // One is filled while the others are compressed.
    this.pool = new BlockPool(blockBytes, PARTS_AT_ONCE + 1);
    this.sending = new Sending(target, this.pool);
  }

  /** The dump begins now. */
  follow(): void {
    this.sending.lanes.limit = EARLY_AT_ONCE;
    this.early ??= new EarlyImages(this.directory, this.sending, this.blockBytes, this.pool);
  }

  /**
   * The dump has ended.
   * @param images all of them, in the order of their names
   * @param totalBytes of them
   */
  async finish(images: readonly string[], totalBytes: number, onProgress: OnProgress): Promise<Uploaded> {
    this.sending.lanes.limit = PARTS_AT_ONCE;
    const sent = await this.sentEarly();
    const { sending } = this;
    sending.onPacked = (packed) =>
      onProgress({ stage: 'compress', bytesDone: Math.min(packed, totalBytes), bytesTotal: totalBytes });
    const rest = new Archive(
      this.directory,
      images.filter((name) => !sent.has(name)),
      this.pool,
    );
    try {
      for await (const block of rest.blocks()) await sending.send(sending.reserve(), block);
    } finally {
      await sending.lanes.idle();
    }
    await sending.lanes.done();
    const { parts, sentBytes, compressedAtNs } = sending;
    const files = images.map((path) => ({ path, ...(sent.get(path) ?? rest.hashes.get(path)!) }));
    return { files, parts, bytes: sentBytes, compressedAtNs };
  }

  /** Nothing is sent any more. */
  async end(): Promise<void> {
    this.sending.abandon();
    await this.early?.end();
    await this.sending.lanes.idle();
    this.pool.end();
  }

  /** The images that were sent while they were written. If they cannot be used, all is sent anew. */
  private async sentEarly(): Promise<ReadonlyMap<string, HashedFile>> {
    const sent = this.early ? await this.early.finish() : NOTHING;
    if (sent && (sent.size === 0 || (await this.sending.lanes.succeeds()))) return sent;
    await this.sending.lanes.idle();
    if (this.sending.parts.length > 0) await this.target.clear();
    this.sending = new Sending(this.target, this.pool);
    return NOTHING;
  }
}

const NOTHING: ReadonlyMap<string, HashedFile> = new Map();

class Sending implements PartSender {
  readonly parts: ManifestPart[] = [];
  readonly lanes = new Lanes(PARTS_AT_ONCE);
  onPacked: (bytes: number) => void = () => undefined;
  sentBytes = 0;
  compressedAtNs = monotonicNs();
  private packedBytes = 0;
  private begun: Promise<void> | undefined;
  private readonly abandoned = new AbortController();

  constructor(
    private readonly target: UploadTarget,
    private readonly pool: BlockPool,
  ) {}

  reserve(): number {
    if (this.parts.length >= MAX_PARTS) throw storeFailed('the images are larger than a manifest can describe');
    return this.parts.push({ bytes: 0, sha256: '' }) - 1;
  }

  async send(place: number, block: Buffer): Promise<void> {
    await (this.begun ??= this.target.begin());
    await this.lanes.add(async () => {
      const part = await compress(block);
      this.parts[place] = { bytes: part.length, sha256: sha256(part) };
      this.compressedAtNs = monotonicNs();
      this.onPacked((this.packedBytes += block.length));
      this.pool.give(block);
      await this.target.put(place, part, this.abandoned.signal);
      this.sentBytes += part.length;
    });
  }

  abandon(): void {
    this.abandoned.abort();
  }
}
