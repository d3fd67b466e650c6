import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PAGES } from '../hashing/dump-follower';
import type { HashedFile } from '../hashing/file-hashes';
import { paddingOf, tarHeader, type BlockPool } from './archive';
import { ImageReader } from './image-reader';

const LOOK_AGAIN_MS = 5;

/** Takes the parts of an archive. They may be sent in any order. */
export interface PartSender {
  /** The place of the next part in the stream. */
  reserve(): number;
  /** Resolves when the next block may follow. @throws the first failure of any part */
  send(place: number, block: Buffer): Promise<void>;
}

interface Current {
  readonly name: string;
  readonly image: ImageReader;
  /** Of its header, which is sent last: it has the size. */
  readonly place: number;
}

/**
 * Sends large images while CRIU writes them, as the first files of the archive. CRIU writes one after the
 * other, so that the end of one is known once it writes the next. Whether that was so is checked at the end.
 */
export class EarlyImages {
  private readonly sent = new Map<string, HashedFile>();
  private current: Current | undefined;
  private stopped = false;
  private failed = false;
  private readonly loop: Promise<void>;

  constructor(
    private readonly folder: string,
    private readonly sender: PartSender,
    private readonly blockBytes: number,
    private readonly pool: BlockPool,
  ) {
    // Whoever sends all of it afterwards meets the same fault.
    this.loop = this.follow().catch(() => void (this.failed = true));
  }

  /**
   * The dump has ended: sends the rest of the image that was the last one.
   * @returns the hashes of all that was sent; undefined: it cannot be used
   */
  async finish(): Promise<ReadonlyMap<string, HashedFile> | undefined> {
    await this.stop();
    try {
      await this.complete();
      for (const [name, { bytes }] of this.sent)
        if ((await lstat(join(this.folder, name))).size !== bytes) return undefined;
      return this.failed ? undefined : this.sent;
    } catch {
      return undefined;
    } finally {
      this.close();
    }
  }

  /** Nothing of it is needed any more. */
  async end(): Promise<void> {
    await this.stop();
    this.close();
  }

  private close(): void {
    this.current?.image.close();
    this.current = undefined;
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    await this.loop;
  }

  private async follow(): Promise<void> {
    while (!this.stopped) {
      let isIdle = true;
      for (const name of await readdir(this.folder)) {
        if (this.stopped || !PAGES.test(name) || this.sent.has(name)) continue;
        const { size } = await lstat(join(this.folder, name));
        if (name !== this.current?.name) {
          // Small ones go with the rest.
          if (size < this.blockBytes) continue;
          await this.complete();
          const image = new ImageReader(join(this.folder, name));
          this.current = { name, image, place: this.sender.reserve() };
        }
        const { image } = this.current;
        for (; !this.stopped && image.readBytes + this.blockBytes <= size; isIdle = false)
          await this.send(image, this.blockBytes);
      }
      if (isIdle) await sleep(LOOK_AGAIN_MS);
    }
  }

  /** Sends what is left of the present image, and then its header. */
  private async complete(): Promise<void> {
    if (!this.current) return;
    const { name, image, place } = this.current;
    const size = image.sizeNow();
    while (image.readBytes < size) await this.send(image, Math.min(this.blockBytes, size - image.readBytes));
    const padding = paddingOf(size);
    if (padding.length > 0) await this.sender.send(this.sender.reserve(), padding);
    await this.sender.send(place, await tarHeader(name, size, image.mode));
    this.sent.set(name, image.hashed());
    this.close();
  }

  private async send(image: ImageReader, length: number): Promise<void> {
    const block = this.pool.take().subarray(0, length);
    await image.fill(block);
    await this.sender.send(this.sender.reserve(), block);
  }
}
