import type { OnProgress } from '../../stages';
import { hashImages } from '../image-folder';
import type { ManifestFile } from '../manifest';
import { DiskQueue } from './disk-queue';
import { DumpFollower } from './dump-follower';
import { FileHasher } from './file-hashes';

/** The hashes of a checkpoint that is being taken, begun while CRIU writes it. */
export class DraftHashes {
  private readonly hasher = new FileHasher();
  private readonly disk = new DiskQueue();
  private follower: DumpFollower | undefined;

  constructor(private readonly directory: string) {}

  /** The dump begins now. */
  follow(): void {
    this.follower ??= new DumpFollower(this.directory, this.hasher, this.disk);
  }

  /** The dump has ended. @returns the images with their hashes */
  async ofImages(onProgress?: OnProgress): Promise<ManifestFile[]> {
    const known = (await this.follower?.stop()) ?? new Map<string, readonly Buffer[]>();
    return hashImages(this.directory, this.hasher, { disk: this.disk, known, onProgress });
  }

  /**
   * Once they are hashed: waits until they are on disk too, and does what else waits for the disk beside it.
   * All of it shares the threads that the disk may have: the others serve the workload while the disk hangs.
   */
  async onDisk(...works: readonly (() => Promise<void>)[]): Promise<void> {
    for (const work of works) this.disk.run(work);
    await this.disk.done();
  }

  /** The same for one that may fail. */
  beside(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => this.disk.run(() => work().then(resolve, reject)));
  }

  async end(): Promise<void> {
    await this.follower?.stop();
    await this.hasher.end();
    await this.disk.done().catch(() => {});
  }
}
