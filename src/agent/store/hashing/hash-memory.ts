import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { bootIdHere } from '../../machine/boot-id';
import type { ManifestFile } from '../manifest';
import type { StoreKey } from '../store-key';

/** ext4, XFS, Btrfs and tmpfs, as statfs(2) numbers them: only this machine changes their files. */
const LOCAL: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0x01021994];

/** Then files are hashed again. A disk that silently changes bytes is noticed only then. */
export const REMEMBERED_SECONDS = 86_400;
/** Smaller files are hashed in a millisecond. */
export const WORTH_BYTES = 1024 * 1024;
/** Two changes within one tick of the kernel's clock, of at most 10 ms, may leave the same time. */
export const SETTLED_MS = 100;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;
const MAX_RECORD_BYTES = 16 * 1024 * 1024;
const KIND = 'hashes of images';

interface HashMemoryOptions {
  /** Absolute path. Only root, or the user of the agent, may change it. */
  readonly directory: string;
  /** Signs the records. */
  readonly key: StoreKey;
  /** Of the running kernel; empty if it is not known: then nothing is remembered. */
  readonly bootId?: string;
  /** Milliseconds since 1970, as the times of files. */
  readonly now?: () => number;
  /** Seconds since the boot: nobody sets this clock. */
  readonly uptime?: () => number;
  /** The type of the file system of a folder, as statfs(2) numbers it. */
  readonly fileSystem?: (folder: string) => Promise<number>;
}

/** That a file had this hash at this time. */
interface Entry {
  readonly path: string;
  readonly sha256: string;
  /** What the file system showed of it then. */
  readonly state: string;
  readonly atSeconds: number;
}

/**
 * Remembers which images this machine has hashed, so that it need not hash them before each restore. The
 * kernel gives a file another change time with every change, and programs cannot choose it. So a file of a
 * local file system with the same inode, size and times, in the same boot, has the same bytes. Records
 * that are old, of another boot or badly signed do not count, nor does any other file system.
 */
export class HashMemory {
  private readonly bootId: string;
  private readonly now: () => number;
  private readonly uptime: () => number;
  private readonly fileSystem: (folder: string) => Promise<number>;

  constructor(private readonly options: HashMemoryOptions) {
    this.bootId = options.bootId ?? bootIdHere();
    this.now = options.now ?? Date.now;
    this.uptime = options.uptime ?? uptime;
    this.fileSystem = options.fileSystem ?? (async (folder) => (await statfs(folder)).type);
  }

  /** What is known of the images of a checkpoint, in this folder. */
  async of(id: string, folder: string): Promise<KnownHashes> {
    const isLocal = await this.fileSystem(folder).then(
      (type) => LOCAL.includes(type),
      () => false,
    );
    const { now, uptime: seconds } = this;
    if (!isLocal || this.bootId === '') return new KnownHashes([], undefined, { now, seconds });
    return new KnownHashes(await this.read(id), (entries) => this.write(id, entries), { now, seconds });
  }

  async forget(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  private async read(id: string): Promise<Entry[]> {
    try {
      const path = this.pathOf(id);
      if ((await stat(path)).size > MAX_RECORD_BYTES) return [];
      const record: unknown = JSON.parse(this.options.key.verified(await readFile(path), path).toString('utf8'));
      return this.isOfThisBoot(record) ? record.files.filter((entry) => this.isYoung(entry)) : [];
    } catch {
      // There is none, or somebody else wrote it.
      return [];
    }
  }

  private isOfThisBoot(record: unknown): record is { readonly files: Entry[] } {
    const { kind, bootId, files } = (record ?? {}) as Record<string, unknown>;
    return kind === KIND && bootId === this.bootId && Array.isArray(files);
  }

  private isYoung({ atSeconds }: Entry): boolean {
    const age = this.uptime() - atSeconds;
    return age >= 0 && age <= REMEMBERED_SECONDS;
  }

  /** It need not survive a power failure, because it is of this boot only. */
  private async write(id: string, files: readonly Entry[]): Promise<void> {
    const path = this.pathOf(id);
    const written = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await this.removeOld();
      const text = `${JSON.stringify({ kind: KIND, bootId: this.bootId, files }, undefined, 1)}\n`;
      await writeFile(written, this.options.key.signed(text), { flag: 'wx', mode: 0o600 });
      await rename(written, path);
    } catch {
      // A full disk: the images are hashed again next time.
      await rm(written, { force: true }).catch(() => undefined);
    }
  }

  private async removeOld(): Promise<void> {
    const { directory } = this.options;
    for (const name of await readdir(directory)) {
      const { mtimeMs } = await stat(join(directory, name));
      if (this.now() - mtimeMs > REMEMBERED_SECONDS * 1_000) await rm(join(directory, name), { force: true });
    }
  }

  private pathOf(id: string): string {
    return join(this.options.directory, `${id}.json`);
  }
}

/** What is known of the images of one checkpoint. */
export class KnownHashes {
  private readonly entries: Map<string, Entry>;
  private changed = false;

  /** @param keep undefined: nothing can be learnt */
  constructor(
    entries: readonly Entry[],
    private readonly keep: ((entries: readonly Entry[]) => Promise<void>) | undefined,
    private readonly clocks: { readonly now: () => number; readonly seconds: () => number },
  ) {
    this.entries = new Map(entries.map((entry) => [entry.path, entry]));
  }

  /** Whether a file has its hash, without another look at its bytes. */
  has({ path, sha256 }: ManifestFile, found: BigIntStats): boolean {
    const entry = this.entries.get(path);
    return entry?.sha256 === sha256 && entry.state === stateOf(found);
  }

  /** The time before a file is hashed, for `learn`. */
  now(): number {
    return this.clocks.now();
  }

  /**
   * A file was hashed.
   * @param before what the file system showed when hashing began
   * @param beganMs when that was: later changes have another time only if the last one was some time before
   */
  learn({ path, sha256, bytes }: ManifestFile, before: BigIntStats, after: BigIntStats, beganMs: number): void {
    if (!this.keep || bytes < WORTH_BYTES || Number(after.size) !== bytes) return;
    const isSettled = after.ctimeNs / NS_PER_MS + BigInt(SETTLED_MS) <= BigInt(Math.floor(beganMs));
    // Some file systems store whole seconds only.
    if (!isSettled || after.ctimeNs % NS_PER_SECOND === 0n || stateOf(before) !== stateOf(after)) return;
    this.entries.set(path, { path, sha256, state: stateOf(after), atSeconds: this.clocks.seconds() });
    this.changed = true;
  }

  /** Keeps what was learnt. It cannot fail: then it is learnt again. */
  async save(): Promise<void> {
    if (this.changed) await this.keep?.([...this.entries.values()]);
    this.changed = false;
  }
}

const stateOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');
