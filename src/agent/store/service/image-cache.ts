import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentFailure } from '../../failures';
import { timeOfDisk, type TimeOfDisk } from '../../files/time-of-disk';
import { bootIdHere } from '../../machine/boot-id';
import { startOf } from '../../processes/processes';
import { LEFTOVER_MS, type DraftWish } from '../checkpoint-store';
import { draftName, isDraftOf, ownFirst } from '../draft-names';
import { lastChange, removeFolder } from '../image-folder';
import { UUID } from '../../uuid';
import { isMissing, storeFailed } from '../store-failures';

/** Attempts to move fetched images to their place. */
const PLACINGS = 5;

export interface ImageCacheOptions {
  /** Absolute path; the agents of this machine may share it, and those of the nodes of a cluster. */
  readonly directory: string;
  readonly maxBytes: number;
  readonly now?: () => number;
  readonly diskTime?: TimeOfDisk;
  /** Bytes that its disk has left. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

export interface CachedImages {
  readonly directory: string;
  release(): Promise<void>;
}

/**
 * Images that were fetched, for later restores on this machine. `images/<id>` is complete; `partial` holds
 * what is being fetched or removed; `uses/<id>.<pid>.<boot id>.<start>.<random>` says that a process uses the
 * images. What was used longest ago goes first, and never what is in use.
 */
export class ImageCache {
  private readonly images: string;
  private readonly partial: string;
  private readonly uses: string;
  private readonly now: () => number;
  private readonly diskTime: TimeOfDisk;
  private readonly freeBytes: (directory: string) => Promise<number>;

  constructor(private readonly options: ImageCacheOptions) {
    const { directory, now = Date.now, diskTime = timeOfDisk, freeBytes = freeBytesOf } = options;
    this.freeBytes = freeBytes;
    this.images = join(directory, 'images');
    this.partial = join(directory, 'partial');
    this.uses = join(directory, 'uses');
    this.now = now;
    this.diskTime = diskTime;
  }

  /**
   * A new empty folder, which `removeLeftovers` removes if its process is killed.
   * @param wish images that are only kept make room for its bytes
   */
  async draft(id: string, { owner, bytes = 0 }: Pick<DraftWish, 'owner' | 'bytes'> = {}): Promise<string> {
    await this.prepare();
    // If there is none, the dump says so.
    await this.makeRoom({ onDisk: bytes }).catch(() => undefined);
    const folder = join(this.partial, draftName(id, owner));
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /**
   * The images of a checkpoint, in use until they are released.
   * @param verify checks a folder; images that are damaged are fetched again
   * @param fetch fills an empty folder
   */
  async use(
    id: string,
    bytes: number,
    verify: (folder: string) => Promise<void>,
    fetch: (folder: string) => Promise<void>,
  ): Promise<CachedImages> {
    await this.prepare();
    const mark = join(this.uses, markOf(id));
    // First: from now on nobody removes them.
    await writeFile(mark, '', { flag: 'wx' });
    const release = async (): Promise<void> => {
      await rm(mark, { force: true })
        .then(() => this.makeRoom())
        .catch(() => undefined);
    };
    const directory = join(this.images, id);
    try {
      if (!(await this.holds(directory, verify))) {
        await this.makeRoom({ inCache: bytes, onDisk: bytes });
        await this.fill(id, directory, fetch, verify);
      }
      const now = new Date(this.now());
      await utimes(directory, now, now);
      return { directory, release };
    } catch (error) {
      await rm(mark, { force: true });
      throw error;
    }
  }

  /** Removes the images of a checkpoint, unless they are in use. */
  async forget(id: string): Promise<void> {
    await this.prepare();
    if (!(await this.used()).has(id)) await this.take(id);
  }

  /** @param owner who has no draft any more */
  async removeLeftovers(owner?: string): Promise<number> {
    await this.prepare();
    const before = this.leftBefore();
    let removed = 0;
    for (const name of ownFirst(await readdir(this.partial), owner)) {
      const folder = join(this.partial, name);
      const isOld = async () => ((await lastChange(folder)) ?? Infinity) < (await before());
      if (!isDraftOf(name, owner) && !(await isOld())) continue;
      await removeFolder(folder);
      removed++;
    }
    // Marks of processes that ended.
    await this.used();
    return removed;
  }

  private async prepare(): Promise<void> {
    for (const folder of [this.images, this.partial, this.uses]) await mkdir(folder, { recursive: true, mode: 0o700 });
  }

  private async holds(directory: string, verify: (folder: string) => Promise<void>): Promise<boolean> {
    try {
      await lstat(directory);
      await verify(directory);
      return true;
    } catch (error) {
      const damaged = error instanceof AgentFailure && error.facts.cause === 'checkpoint_damaged';
      if (damaged || isMissing(error)) return false;
      throw error;
    }
  }

  private async fill(
    id: string,
    directory: string,
    fetch: (folder: string) => Promise<void>,
    verify: (folder: string) => Promise<void>,
  ): Promise<void> {
    const draft = await this.draft(id);
    try {
      await fetch(draft);
      await verify(draft);
      for (let attempt = 1; !(await isDone(rename(draft, directory))); attempt++) {
        // Another process was faster.
        if (await this.holds(directory, verify)) return;
        if (attempt === PLACINGS) throw storeFailed(`images could not be moved to ${directory}`);
        // Damaged images are in the way.
        const away = join(this.partial, `${id}-${randomBytes(6).toString('hex')}`);
        await rename(directory, away).catch(unlessMissing);
        await removeFolder(away);
      }
    } finally {
      await removeFolder(draft);
    }
  }

  /**
   * Removes images until others fit: below the bound, and on the disk, which nothing that is only kept fills.
   * More is kept only while it is in use.
   */
  private async makeRoom({ inCache = 0, onDisk = 0 } = {}): Promise<void> {
    const used = await this.used();
    const kept = (await Promise.all((await readdir(this.images)).map((id) => this.entry(id)))).filter(
      (one) => one !== undefined,
    );
    let total = kept.reduce((sum, one) => sum + one.bytes, inCache);
    for (const one of kept.sort((a, b) => a.usedAt - b.usedAt)) {
      if (total <= this.options.maxBytes && (await this.freeBytes(this.images)) >= onDisk) return;
      if (used.has(one.id)) continue;
      if (await this.take(one.id)) total -= one.bytes;
    }
  }

  private async entry(id: string): Promise<{ id: string; bytes: number; usedAt: number } | undefined> {
    const folder = join(this.images, id);
    try {
      const { mtimeMs } = await lstat(folder);
      let bytes = 0;
      for (const name of await readdir(folder)) bytes += (await lstat(join(folder, name))).size;
      return { id, bytes, usedAt: mtimeMs };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** @returns whether it was removed; not if somebody began to use it meanwhile */
  private async take(id: string): Promise<boolean> {
    const directory = join(this.images, id);
    const away = join(this.partial, `${id}-${randomBytes(6).toString('hex')}`);
    try {
      await rename(directory, away);
    } catch (error) {
      unlessMissing(error);
      return false;
    }
    if ((await this.used()).has(id) && (await isDone(rename(away, directory)))) return false;
    await removeFolder(away);
    return true;
  }

  /** Ids in use. Marks of processes that ended are removed. */
  private async used(): Promise<Set<string>> {
    const ids = new Set<string>();
    const before = this.leftBefore();
    for (const name of await readdir(this.uses)) {
      const [id = ''] = name.split('.');
      if (UUID.test(id) && (await this.isHeld(name, before))) ids.add(id);
      else await rm(join(this.uses, name), { force: true });
    }
    return ids;
  }

  /** Only who runs on the same kernel can see whether a process has ended. */
  private async isHeld(name: string, before: () => Promise<number>): Promise<boolean> {
    const [, pid, bootId, start] = name.split('.');
    if (bootId === BOOT_ID) return startOf(Number(pid)) === start;
    const mark = await lstat(join(this.uses, name)).catch(unlessMissing);
    return mark !== undefined && mark.mtimeMs >= (await before());
  }

  /** By the disk: other nodes may have this directory. Asked for where there is something to judge. */
  private leftBefore(): () => Promise<number> {
    let known: Promise<number> | undefined;
    return () => (known ??= this.diskTime(this.partial).then((now) => now - LEFTOVER_MS));
  }
}

const BOOT_ID = bootIdHere();

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/**
 * Another process may get the id of one that ended, so it also has the time of its start. Earlier releases,
 * whose supervisors may still run, read the first two parts only.
 */
const markOf = (id: string): string =>
  [id, process.pid, BOOT_ID, startOf(process.pid), randomBytes(6).toString('hex')].join('.');

const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const unlessMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error;
};
