import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, rename, stat, statfs, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { monotonicNs } from '../clock';
import { AgentFailure } from '../failures';
import { exposureOf } from '../files/exposure';
import { stageOf } from '../stage-clock';
import type { OnProgress } from '../stages';
import { syncFolder } from '../files/sync-folder';
import { timeOfDisk, type TimeOfDisk } from '../files/time-of-disk';
import { UUID } from '../uuid';
import {
  LEFTOVER_MS,
  type CheckpointStore,
  type Draft,
  type DraftWish,
  type Found,
  type OpenedCheckpoint,
  type PassOver,
} from './checkpoint-store';
import { draftName, isDraftOf, ownFirst } from './draft-names';
import { lastChange, manifestBytes, rememberImages, removeFolder, verifyImages, writeSynced } from './image-folder';
import { DraftHashes } from './hashing/draft-hashes';
import type { HashMemory } from './hashing/hash-memory';
import { found, newestFirst, usable } from './listing';
import { readManifest, textOfManifest, type Manifest, type ManifestFacts } from './manifest';
import {
  asStoreFailure,
  checkpointExposed,
  checkpointMissing,
  isMissing,
  storeFailed,
  UnreadableManifest,
} from './store-failures';
import { SignsOfLife } from './signs-of-life';
import type { StoreKey } from './store-key';
import type { WorkloadName } from './workload-marks';

const MANIFEST = 'manifest.json';
const IMAGES = 'images';
const ID_LENGTH = 36;

export interface DirectoryStoreOptions {
  /** Absolute path. All nodes that share checkpoints see it under the same path. */
  readonly directory: string;
  readonly key: StoreKey;
  /** undefined: images are hashed before each restore. */
  readonly memory?: HashMemory | undefined;
  readonly now?: () => number;
  readonly diskTime?: TimeOfDisk;
  /** How often a draft shows that it goes on. */
  readonly signEveryMs?: number;
}

/**
 * Checkpoints in a directory. `staging/<id>-<random>` is a draft or what is being removed;
 * `checkpoints/<id>` holds `images` and `manifest.json`. Both are on one file system, so that images are
 * moved there, not copied. Only the owner may read them: they hold memory.
 */
export class DirectoryStore implements CheckpointStore {
  private readonly root: string;
  private readonly staging: string;
  private readonly checkpoints: string;
  private readonly key: StoreKey;
  private readonly memory: HashMemory | undefined;
  private readonly now: () => number;
  private readonly diskTime: TimeOfDisk;

  private readonly signEveryMs: number | undefined;

  constructor({ directory, key, memory, now = Date.now, diskTime = timeOfDisk, signEveryMs }: DirectoryStoreOptions) {
    this.signEveryMs = signEveryMs;
    this.root = resolve(directory);
    this.staging = join(this.root, 'staging');
    this.checkpoints = join(this.root, 'checkpoints');
    this.key = key;
    this.memory = memory;
    this.now = now;
    this.diskTime = diskTime;
  }

  async begin(id: string, { owner }: DraftWish = {}): Promise<Draft> {
    if (!UUID.test(id)) throw storeFailed(`${id} is not the id of a checkpoint`);
    const draft = join(this.staging, draftName(id, owner));
    const directory = join(draft, IMAGES);
    try {
      for (const folder of [this.checkpoints, this.staging]) await mkdir(folder, { recursive: true, mode: 0o700 });
      await this.removeOldDrafts(this.leftBefore(), owner);
      await mkdir(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw asStoreFailure(`no draft could be made in ${this.staging}`, error);
    }
    const hashes = new DraftHashes(directory);
    const touch = () => hashes.beside(() => utimes(draft, this.now() / 1000, this.now() / 1000));
    const signs = new SignsOfLife(touch, this.now, this.signEveryMs);
    const end = async (): Promise<void> => {
      signs.end();
      await hashes.end();
    };
    return {
      directory,
      follow: () => hashes.follow(),
      publish: (facts, onProgress) =>
        // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits
        this.publish(id, draft, facts, hashes, onProgress).finally(end),
      amend: (manifest) => this.amend(id, manifest),
      remember: async (manifest) => {
        // What is not remembered is hashed again.
        if (this.memory) await rememberImages(join(this.folderOf(id), IMAGES), manifest, this.memory).catch(() => {});
      },
      discard: async () => {
        await end();
        await removeFolder(draft).catch(() => undefined);
      },
    };
  }

  async open(checkpoint: string | Manifest, onProgress?: OnProgress): Promise<OpenedCheckpoint> {
    const began = monotonicNs();
    const manifest = typeof checkpoint === 'string' ? await this.manifest(checkpoint) : checkpoint;
    const { reference } = manifest;
    const directory = join(this.folderOf(manifest.id), IMAGES);
    // What is verified here is read later by CRIU.
    const exposed = exposureOf(directory);
    if (exposed !== undefined) throw checkpointExposed(reference, exposed);
    try {
      await verifyImages(directory, manifest, this.memory, onProgress);
    } catch (error) {
      throw asStoreFailure(`the images of ${reference} could not be read`, error);
    }
    const stages = [stageOf('verify', began, manifest.bytes)];
    return { directory, manifest, stages, release: () => Promise.resolve() };
  }

  async manifest(reference: string): Promise<Manifest> {
    const id = await this.idOf(reference);
    if (id === undefined)
      throw checkpointMissing(reference, `This agent's store is ${this.root}. Use the store that has it (--store).`);
    const folder = this.folderOf(id);
    try {
      const bytes = await manifestBytes(join(folder, MANIFEST), folder);
      return readManifest(this.key.verified(bytes, folder), id, folder);
    } catch (error) {
      if (isMissing(error)) throw checkpointMissing(reference);
      throw error instanceof AgentFailure ? error : new UnreadableManifest(reference, error);
    }
  }

  async *ids(): AsyncIterable<string> {
    yield* (await this.namesIn(this.checkpoints)).filter((name) => UUID.test(name)).sort();
  }

  find(id: string): Promise<Found> {
    return found(this.manifest(this.folderOf(id)));
  }

  list(passOver?: PassOver): AsyncIterable<Manifest> {
    return usable(this, passOver);
  }

  /** Its manifests are near: it has no marks. */
  newestFirst(workload: WorkloadName, passOver?: PassOver): AsyncIterable<Manifest> {
    return newestFirst(this, workload, { marks: [], mark: () => undefined }, passOver);
  }

  referenceOf(id: string): string {
    return this.folderOf(id);
  }

  async owns(reference: string): Promise<boolean> {
    return (await this.idOf(reference)) !== undefined;
  }

  async holds(reference: string): Promise<boolean> {
    await this.reach();
    const id = await this.idOf(reference);
    return id !== undefined && (await this.namesIn(this.folderOf(id))).includes(MANIFEST);
  }

  /** Not its device, which a network file system has another one of after each boot. */
  async place(): Promise<string | undefined> {
    try {
      const [{ ino, birthtimeNs }, { type }] = await Promise.all([
        stat(this.checkpoints, { bigint: true }),
        statfs(this.checkpoints),
      ]);
      return `${type}:${ino}:${birthtimeNs}`;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw asStoreFailure(`${this.checkpoints} could not be read`, error);
    }
  }

  async remove(reference: string): Promise<void> {
    await this.reach();
    const id = await this.idOf(reference);
    if (id === undefined) return;
    try {
      await this.take(id);
      await this.memory?.forget(id);
    } catch (error) {
      throw asStoreFailure(`${reference} could not be removed`, error);
    }
  }

  async removeLeftovers(): Promise<number> {
    const before = this.leftBefore();
    const failures: unknown[] = [];
    try {
      let removed = await this.removeOldDrafts(before);
      for await (const id of this.ids())
        if (await this.removeLeftover(id, before).catch((error: unknown) => void failures.push(error))) removed++;
      if (failures.length === 0) return removed;
      throw failures[0];
    } catch (error) {
      throw asStoreFailure('what killed agents left could not be removed', error);
    }
  }

  /** When a draft must have changed last to count as left by a killed agent. Asked for where there is one. */
  private leftBefore(): () => Promise<number> {
    let known: Promise<number> | undefined;
    return () => (known ??= this.diskTime(this.staging).then((now) => now - LEFTOVER_MS));
  }

  private async removeLeftover(id: string, before: () => Promise<number>): Promise<boolean> {
    const folder = this.folderOf(id);
    if ((await this.namesIn(folder)).includes(MANIFEST) || !(await isOlder(folder, before))) return false;
    await this.take(id);
    return true;
  }

  /** Few are there at a time, so this is cheap. @param owner who has none any more. @returns how many */
  private async removeOldDrafts(before: () => Promise<number>, owner?: string): Promise<number> {
    let removed = 0;
    for (const name of ownFirst(await this.namesIn(this.staging), owner)) {
      const folder = join(this.staging, name);
      if (!isDraftOf(name, owner) && !(await isOlder(folder, before))) continue;
      if (await this.removeDraft(name)) removed++;
    }
    return removed;
  }

  /** In one step: whoever still publishes it fails, instead of offering what is left of it. */
  private async removeDraft(name: string): Promise<boolean> {
    const away = join(this.staging, `${name.slice(0, ID_LENGTH)}-${randomBytes(6).toString('hex')}`);
    try {
      await rename(join(this.staging, name), away);
    } catch (error) {
      unlessMissing(error);
      return false;
    }
    await removeFolder(away);
    return true;
  }

  /** All of it is written to disk side by side, and then one step makes it a checkpoint. */
  private async publish(
    id: string,
    draft: string,
    facts: ManifestFacts,
    hashes: DraftHashes,
    onProgress: OnProgress | undefined,
  ): Promise<Manifest> {
    const folder = this.folderOf(id);
    try {
      if (facts.id !== id) throw storeFailed(`the draft of ${id} was published as ${facts.id}`);
      const began = monotonicNs();
      const files = await hashes.ofImages(onProgress);
      if ((await this.namesIn(folder)).includes(MANIFEST)) throw storeFailed(`there is already a checkpoint ${id}`);
      // Of an attempt, or a removal, that was killed.
      await this.take(id);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const stages = [stageOf('hash', began, bytes)];
      const manifest: Manifest = { ...facts, version: 1, reference: folder, files, bytes, stages };
      const text = this.key.signed(textOfManifest(manifest));
      const written = () => writeSynced(join(draft, MANIFEST), text).then(() => syncFolder(draft));
      await hashes.onDisk(written, () => syncFolder(join(draft, IMAGES)));
      // It has its manifest, so nothing can take its place.
      await rename(draft, folder);
      await syncFolder(this.checkpoints);
      return manifest;
    } catch (error) {
      throw asStoreFailure(`${id} could not be published`, error);
    }
  }

  private async amend(id: string, manifest: Manifest): Promise<void> {
    const folder = this.folderOf(id);
    const next = join(folder, `${MANIFEST}.next`);
    try {
      await writeSynced(next, this.key.signed(textOfManifest(manifest)));
      await rename(next, join(folder, MANIFEST));
      await syncFolder(folder);
    } catch (error) {
      throw asStoreFailure(`the manifest of ${folder} could not be replaced`, error);
    }
  }

  /** Removes a checkpoint, its manifest first; nothing is offered in between. */
  private async take(id: string): Promise<void> {
    const folder = this.folderOf(id);
    const away = join(this.staging, `${id}-${randomBytes(6).toString('hex')}`);
    try {
      await removeFolder(join(folder, MANIFEST));
      await rename(folder, away);
    } catch (error) {
      return unlessMissing(error);
    }
    await syncFolder(this.checkpoints);
    await removeFolder(away);
  }

  private folderOf(id: string): string {
    return join(this.checkpoints, id);
  }

  /** Throws if it is not known whether there is a store: what a server has that is away is not gone. */
  private async reach(): Promise<void> {
    await realpath(this.checkpoints).catch((error: unknown) => {
      if (!isMissing(error)) throw storeFailed(`${this.checkpoints} could not be reached`, error);
    });
  }

  /** The id that a reference names in this store; undefined if it is of another store. */
  private async idOf(reference: string): Promise<string | undefined> {
    const id = basename(reference);
    if (!UUID.test(id) || !reference.startsWith('/')) return undefined;
    const parent = await realpath(dirname(reference)).catch(() => undefined);
    const own = await realpath(this.checkpoints).catch(() => undefined);
    return parent !== undefined && parent === own ? id : undefined;
  }

  private async namesIn(folder: string): Promise<string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw asStoreFailure(`${folder} could not be read`, error);
    }
  }
}

/** As statfs(2) numbers it. */
const TMPFS = 0x01021994;

/** Whether a place of a directory ends with the boot. */
export const isInMemory = (place: string): boolean => place.startsWith(`${TMPFS}:`);

const isOlder = async (folder: string, before: () => Promise<number>): Promise<boolean> =>
  ((await lastChange(folder)) ?? Infinity) < (await before());

const unlessMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error;
};
