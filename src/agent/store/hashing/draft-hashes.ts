import type { OnProgress } from '../../stages';
import { hashImages } from '../image-folder';
import type { ManifestFile } from '../manifest';
import { DumpFollower } from './dump-follower';
import { FileHasher } from './file-hashes';

/** The hashes of a checkpoint that is being taken, begun while CRIU writes it. */
export class DraftHashes {
  private readonly hasher = new FileHasher();
  private follower: DumpFollower | undefined;

  /** @param sync whether the images must be on disk once they are hashed */
  constructor(
    private readonly directory: string,
    private readonly sync: boolean,
  ) {}

  /** The dump begins now. */
  follow(): void {
    this.follower ??= new DumpFollower(this.directory, this.hasher, this.sync);
  }

  /** The dump has ended. @returns the images with their hashes */
  async ofImages(onProgress?: OnProgress): Promise<ManifestFile[]> {
    const known = (await this.follower?.stop()) ?? new Map<string, readonly Buffer[]>();
    return hashImages(this.directory, this.hasher, { sync: this.sync, known, onProgress });
  }

  async end(): Promise<void> {
    await this.follower?.stop();
    await this.hasher.end();
  }
}
