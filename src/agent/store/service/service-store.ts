import { lstat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicNs } from '../../clock';
import { stageOf } from '../../stage-clock';
import type { OnProgress } from '../../stages';
import { UUID } from '../../uuid';
import { BLOCK_BYTES, decompress, unpack } from './archive';
import {
  LEFTOVER_MS,
  type CheckpointStore,
  type Draft,
  type DraftWish,
  type Found,
  type OpenedCheckpoint,
  type PassOver,
  type Patience,
  RUNNING_PATIENCE_MS,
} from '../checkpoint-store';
import type { FileAddresses } from './file-addresses';
import { digestOf } from '../hashing/file-hashes';
import type { HashMemory } from '../hashing/hash-memory';
import { FileTransfer, type Insistence, type TransferClock } from './file-transfer';
import { ImageCache } from './image-cache';
import { ImageUpload, PARTS_AT_ONCE, type UploadTarget } from './image-upload';
import { Lanes } from './lanes';
import { imageNames, progressOf, removeFolder, verifyImages } from '../image-folder';
import { found, newestFirst, usable } from '../listing';
import {
  MAX_MANIFEST_BYTES,
  readManifest,
  textOfManifest,
  type Manifest,
  type ManifestFacts,
  type ManifestPart,
} from '../manifest';
import { SignsOfLife } from '../signs-of-life';
import { freeUnusedMemory } from './unused-memory';
import type { StoreKey } from '../store-key';
import { idOfMark, markIn, markOf, type WorkloadName } from '../workload-marks';
import {
  asStoreFailure,
  checkpointDamaged,
  checkpointMissing,
  isOfOneObject,
  storeFailed,
  TransferFault,
  UnreadableManifest,
} from '../store-failures';

const ROOT = 'checkpoints';
/** Of empty files whose names say of which workload a checkpoint is: see workload-marks.ts. */
const MARKS = 'checkpoint-marks';
/** Checkpoints without a mark that one look for leftovers examines; the next one goes on behind them. */
const MAX_EXAMINED = 500;
const MARKED_WITHIN_MS = 5_000;
/** Of those that were found without one. */
const MARKS_AT_ONCE = 4;
/** Marks of checkpoints that are gone, which one look removes. */
const MAX_STALE = 500;
const MANIFEST = 'manifest.json';
/**
 * The first file of a checkpoint: when its agent last showed that it goes on, so that one without a manifest
 * can be removed later.
 */
const BEGUN = 'begun.json';
const MAX_BEGUN_BYTES = 1_000;
/** How the service says that it does not serve a file of that length. */
const TOO_LARGE = 413;
const SCHEME = 'service:';
/** A storage may refuse a file without a byte. */
const MARKED = Buffer.from('\n');

/** A checkpoint that is being taken. */
interface Taken {
  readonly id: string;
  readonly directory: string;
  readonly upload: ImageUpload;
  readonly files: DraftFiles;
  readonly signs: SignsOfLife;
}

export interface ServiceStoreOptions {
  readonly addresses: FileAddresses;
  readonly key: StoreKey;
  /** Absolute path of a directory for drafts and fetched images. */
  readonly cacheDirectory: string;
  readonly cacheBytes: number;
  /** undefined: fetched images are hashed before each restore. */
  readonly memory?: HashMemory | undefined;
  /** Of the archive before compression, in one part; at most `BLOCK_BYTES`, the default. */
  readonly blockBytes?: number;
  /** Of this machine. What other machines read has the time of the service. */
  readonly now?: () => number;
  /** Of the pauses between attempts at a transfer. */
  readonly clock?: TransferClock;
}

/**
 * Checkpoints in the object storage of the service, as files `checkpoints/<id>/…`: `begun.json`, then
 * `images.00000.zst` and so on, then `manifest.json`. Anybody with `tar` and `zstd` can read the images:
 * they are one tar stream, cut into parts.
 */
export class ServiceStore implements CheckpointStore {
  private readonly addresses: FileAddresses;
  private readonly key: StoreKey;
  private readonly transfer: FileTransfer;
  private readonly cache: ImageCache;
  private readonly memory: HashMemory | undefined;
  private readonly blockBytes: number;
  private readonly now: () => number;
  /** Without marks: the last one that was examined. */
  private examinedTo = '';

  constructor({
    addresses,
    key,
    cacheDirectory,
    cacheBytes,
    memory,
    blockBytes = BLOCK_BYTES,
    now = Date.now,
    clock,
  }: ServiceStoreOptions) {
    this.addresses = addresses;
    this.key = key;
    this.transfer = new FileTransfer(addresses, clock);
    this.cache = new ImageCache({ directory: cacheDirectory, maxBytes: cacheBytes, now });
    this.memory = memory;
    this.blockBytes = blockBytes;
    this.now = now;
  }

  async begin(id: string, { patience = whileRunning, owner, bytes }: DraftWish = {}): Promise<Draft> {
    if (!UUID.test(id)) throw storeFailed(`${id} is not the id of a checkpoint`);
    try {
      await this.cache.removeLeftovers(owner);
      const directory = await this.cache.draft(id, { owner, bytes });
      const files = new DraftFiles(id, this.transfer, this.addresses, patience);
      const upload = new ImageUpload(directory, files, this.blockBytes);
      const signs = new SignsOfLife(async () => {
        await utimes(directory, this.now() / 1000, this.now() / 1000);
        await files.refresh();
      }, this.now);
      return {
        directory,
        follow: () => upload.follow(),
        publish: (facts, onProgress) =>
          // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits
          this.publish({ id, directory, upload, files, signs }, facts, onProgress).finally(() => {
            signs.end();
            return upload.end();
          }),
        amend: (manifest) => files.publish(Buffer.from(this.key.signed(textOfManifest(manifest)))),
        // Nothing of it stays here.
        remember: async (manifest) => {
          freeUnusedMemory();
          await this.mark(manifest);
        },
        discard: async () => {
          signs.end();
          await upload.end();
          freeUnusedMemory();
          await files.discard();
          await removeFolder(directory).catch(() => undefined);
        },
      };
    } catch (error) {
      throw asStoreFailure('no draft could be made', error);
    }
  }

  async open(checkpoint: string | Manifest, onProgress?: OnProgress): Promise<OpenedCheckpoint> {
    const began = monotonicNs();
    const manifest = typeof checkpoint === 'string' ? await this.manifest(checkpoint) : checkpoint;
    const { archive, bytes, id, reference } = manifest;
    if (archive === undefined) throw checkpointDamaged(reference, 'its manifest has no parts');
    const sent = archive.parts.reduce((sum, part) => sum + part.bytes, 0);
    let [verified, arrived] = [began, undefined as number | undefined];
    try {
      const images = await this.cache.use(
        id,
        bytes,
        async (folder) => {
          verified = monotonicNs();
          await verifyImages(folder, manifest, this.memory, onProgress);
        },
        async (folder) => {
          const passed = progressOf('fetch', sent, onProgress);
          const fetched = (length: number): void => {
            arrived = monotonicNs();
            passed(length);
          };
          await unpack(this.blocks(manifest, archive.parts, fetched), folder, manifest);
        },
      );
      const verify = stageOf('verify', verified, bytes);
      if (arrived === undefined)
        return { ...images, manifest, stages: [{ name: 'fetch', durationNs: verified - began, bytes: 0 }, verify] };
      const release = async (): Promise<void> => {
        freeUnusedMemory();
        await images.release();
      };
      // Parts are decompressed while others arrive: what is left after the last one.
      const fetch = { name: 'fetch', durationNs: arrived - began, bytes: sent } as const;
      const decompress = { name: 'decompress', durationNs: verified - arrived, bytes } as const;
      return { ...images, release, manifest, stages: [fetch, decompress, verify] };
    } catch (error) {
      throw asStoreFailure(`${reference} could not be fetched`, error);
    }
  }

  async manifest(reference: string): Promise<Manifest> {
    const id = idOf(reference);
    if (id === undefined)
      throw checkpointMissing(reference, "This agent's store is the service. Use the store that has it (--store).");
    const bytes = await this.transfer
      .get(`${ROOT}/${id}/${MANIFEST}`, MAX_MANIFEST_BYTES)
      .catch((error: unknown): 'too large' => {
        if (error instanceof TransferFault && error.fault.status === TOO_LARGE) return 'too large';
        throw isOfOneObject(error) ? new UnreadableManifest(reference, error) : error;
      });
    if (bytes === 'missing') throw checkpointMissing(reference);
    if (bytes === 'too large') throw checkpointDamaged(reference, 'manifest.json is too large');
    return readManifest(this.key.verified(bytes, reference), id, SCHEME + id);
  }

  async *ids(): AsyncIterable<string> {
    for await (const name of this.addresses.list(ROOT)) {
      const id = name.replace(/\/$/, '');
      if (name.endsWith('/') && UUID.test(id)) yield id;
    }
  }

  find(id: string): Promise<Found> {
    return found(this.manifest(SCHEME + id));
  }

  list(passOver?: PassOver): AsyncIterable<Manifest> {
    return usable(this, passOver);
  }

  async *newestFirst(workload: WorkloadName, passOver?: PassOver): AsyncIterable<Manifest> {
    const names = await this.marks();
    const marks = names.flatMap((name) => markIn(name) ?? []);
    // Their manifests may have megabytes each.
    const missing: string[] = [];
    try {
      yield* newestFirst(this, workload, { marks, mark: (manifest) => missing.push(markOf(manifest)) }, passOver);
    } finally {
      void this.addMarks(missing.slice(0, MAX_EXAMINED), names);
    }
  }

  owns(reference: string): Promise<boolean> {
    return Promise.resolve(idOf(reference) !== undefined);
  }

  referenceOf(id: string): string {
    return SCHEME + id;
  }

  async holds(reference: string): Promise<boolean> {
    const id = idOf(reference);
    return id !== undefined && (await this.addresses.getUrl(`${ROOT}/${id}/${MANIFEST}`)) !== undefined;
  }

  /** There is one. */
  place(): Promise<string> {
    return Promise.resolve(SCHEME);
  }

  async remove(reference: string): Promise<void> {
    const id = idOf(reference);
    if (id === undefined) return;
    try {
      await removeFiles(id, this.addresses, await this.marksFor(id));
      await this.cache.forget(id);
      await this.memory?.forget(id);
    } catch (error) {
      throw asStoreFailure(`${reference} could not be removed`, error);
    }
  }

  /**
   * One with a mark was published, and who removes it begins with the mark: so only the others are examined,
   * at most `MAX_EXAMINED` at a time. However many checkpoints there are, their names are all that is read.
   */
  async removeLeftovers(): Promise<number> {
    try {
      let removed = await this.cache.removeLeftovers();
      const marks = new Set(await this.marks());
      const marked = new Set([...marks].map(idOfMark));
      const [ids, unmarked] = [new Set<string>(), [] as string[]];
      for await (const id of this.ids()) {
        ids.add(id);
        if (!marked.has(id)) unmarked.push(id);
      }
      for (const id of this.nextOf(unmarked)) if (await this.removeLeftover(id).catch(passOver)) removed++;
      const stale = [...marks].filter((name) => !ids.has(idOfMark(name)));
      for (const name of stale.slice(0, MAX_STALE)) await this.addresses.delete(`${MARKS}/${name}`);
      return removed;
    } catch (error) {
      throw asStoreFailure('what killed agents left could not be removed', error);
    }
  }

  /** Behind those of the last time, and from the first one on again. */
  private nextOf(unmarked: readonly string[]): string[] {
    const behind = unmarked.filter((id) => id > this.examinedTo);
    const next = (behind.length > 0 ? behind : unmarked).slice(0, MAX_EXAMINED);
    this.examinedTo = next.length < behind.length ? next.at(-1)! : '';
    return next;
  }

  private async removeLeftover(id: string): Promise<boolean> {
    const is = await this.isLeftover(id);
    if (is === 'published') {
      // Of an older agent, or its agent was killed before it made a mark.
      const manifest = await this.find(id);
      if (typeof manifest !== 'string') await this.mark(manifest);
    }
    if (is !== 'left') return false;
    // It was examined because it has none.
    await removeFiles(id, this.addresses, []);
    return true;
  }

  private async marks(): Promise<string[]> {
    const names: string[] = [];
    for await (const name of this.addresses.list(MARKS)) if (markIn(name)) names.push(name);
    return names;
  }

  /**
   * Nobody waits for it. What it does not do, the next look does.
   * @param others marks, of which those of the same checkpoints are wrong
   */
  private async addMarks(names: readonly string[], others: readonly string[]): Promise<void> {
    const lanes = new Lanes(MARKS_AT_ONCE);
    try {
      for (const name of names) await lanes.add(() => this.putMark(name));
      await lanes.done();
      const right = new Map(names.map((name) => [idOfMark(name), name]));
      for (const name of others) {
        const other = right.get(idOfMark(name));
        if (other !== undefined && other !== name) await this.addresses.delete(`${MARKS}/${name}`);
      }
    } catch {
      // The storage does not take them now: the others would only wait too.
    }
  }

  /** Without it, the checkpoint is found all the same: nobody waits long, as at the end of a workload. */
  private async mark(manifest: Manifest): Promise<void> {
    const put = this.putMark(markOf(manifest)).catch(() => undefined);
    await Promise.race([put, delay(MARKED_WITHIN_MS, undefined, { ref: false })]);
  }

  private putMark(name: string): Promise<void> {
    return this.transfer.put(`${MARKS}/${name}`, MARKED, { signal: AbortSignal.timeout(MARKED_WITHIN_MS) });
  }

  private async publish(
    taken: Taken,
    facts: ManifestFacts,
    onProgress: OnProgress = () => undefined,
  ): Promise<Manifest> {
    const { id, directory, files, signs } = taken;
    try {
      if (facts.id !== id) throw storeFailed(`the draft of ${id} was published as ${facts.id}`);
      await files.begin();
      const manifest = await this.send(taken, facts, onProgress);
      if (signs.areMissing)
        throw storeFailed('the storage did not answer for hours, and others may have removed its parts');
      await files.requireWhole(manifest.archive?.parts.length ?? 0);
      await files.publish(Buffer.from(this.key.signed(textOfManifest(manifest))));
      // It is a checkpoint now, whatever stays here of it.
      await removeFolder(directory).catch(() => undefined);
      return manifest;
    } catch (error) {
      await taken.upload.end();
      await files.discard();
      throw asStoreFailure(`${id} could not be published`, error);
    }
  }

  private async send(
    { id, directory, upload }: Taken,
    facts: ManifestFacts,
    onProgress: OnProgress,
  ): Promise<Manifest> {
    const began = monotonicNs();
    const images = await imageNames(directory);
    const sizes = await Promise.all(images.map(async (name) => (await lstat(join(directory, name))).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const { files, parts, bytes: uploaded, compressedAtNs } = await upload.finish(images, total, onProgress);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    onProgress({ stage: 'upload', bytesDone: uploaded, bytesTotal: uploaded });
    const compressedAt = Math.max(compressedAtNs, began);
    const stages = [
      { name: 'compress', durationNs: compressedAt - began, bytes } as const,
      stageOf('upload', compressedAt, uploaded),
    ];
    const reference = SCHEME + id;
    return { ...facts, version: 1, reference, files, bytes, archive: { format: 'tar+zstd', parts }, stages };
  }

  /** The blocks of an archive in order, fetched and decompressed ahead. */
  private async *blocks(
    { id, reference }: Manifest,
    parts: readonly ManifestPart[],
    fetched: (bytes: number) => void,
  ): AsyncIterable<Buffer> {
    const ahead: Promise<Buffer>[] = [];
    try {
      for (let next = 0; next < parts.length || ahead.length > 0;) {
        while (next < parts.length && ahead.length < PARTS_AT_ONCE) {
          const block = this.block(id, reference, next, parts[next] as ManifestPart, fetched);
          block.catch(() => undefined);
          ahead.push(block);
          next++;
        }
        const block = await ahead.shift();
        if (block) yield block;
      }
    } finally {
      await Promise.allSettled(ahead);
    }
  }

  private async block(
    id: string,
    reference: string,
    index: number,
    { bytes, sha256 }: ManifestPart,
    fetched: (bytes: number) => void,
  ): Promise<Buffer> {
    const name = partName(index);
    // A part that does not compress is a little longer than its block.
    if (bytes > BLOCK_BYTES + 65_536) throw checkpointDamaged(reference, `${name} is too large`);
    const part = await this.transfer.get(`${ROOT}/${id}/${name}`, bytes);
    if (part === 'missing') throw checkpointDamaged(reference, `${name} is missing`);
    fetched(bytes);
    if (part === 'too large' || part.length !== bytes) throw checkpointDamaged(reference, `${name} has another size`);
    if ((await digestOf(part)).toString('hex') !== sha256)
      throw checkpointDamaged(reference, `${name} differs from its hash`);
    try {
      return await decompress(part);
    } catch (error) {
      throw checkpointDamaged(reference, `${name} cannot be decompressed`, error);
    }
  }

  private async isLeftover(id: string): Promise<'published' | 'left' | 'unknown'> {
    const names = await namesIn(`${ROOT}/${id}`, this.addresses);
    if (names.has(MANIFEST)) return 'published';
    const begun = await this.transfer.get(`${ROOT}/${id}/${BEGUN}`, MAX_BEGUN_BYTES);
    // It goes last when a checkpoint is removed, so what is there without it belongs to nobody.
    if (begun === 'missing') return names.size > 0 && !names.has(BEGUN) ? 'left' : 'unknown';
    if (begun === 'too large') return 'unknown';
    return startOf(begun) < this.addresses.serviceNow() - LEFTOVER_MS ? 'left' : 'unknown';
  }

  /** From its manifest, if that can be read: a list of names may be as long as the store. */
  private async marksFor(id: string): Promise<readonly string[]> {
    const manifest = await this.find(id).catch(() => 'unusable' as const);
    return typeof manifest === 'string' ? marksOf(id, this.addresses) : [markOf(manifest)];
  }
}

const whileRunning: Patience = (failingMs) => failingMs < RUNNING_PATIENCE_MS;

/** Of one look: what cannot be examined, or removed, keeps none of the others. */
function passOver(error: unknown): false {
  if (!isOfOneObject(error)) throw error;
  return false;
}

/** The files of a checkpoint that is being taken. */
class DraftFiles implements UploadTarget {
  private state: 'none' | 'beginning' | 'begun' | 'published' = 'none';
  private readonly insistence: Insistence;

  constructor(
    private readonly id: string,
    private readonly transfer: FileTransfer,
    private readonly addresses: FileAddresses,
    patience: Patience,
  ) {
    this.insistence = { patience };
  }

  async begin(): Promise<void> {
    const { id } = this;
    if (this.state === 'begun') return;
    if (await this.isThere(MANIFEST)) throw storeFailed(`there is already a checkpoint ${id}`);
    this.state = 'beginning';
    await this.mark(this.insistence);
    this.state = 'begun';
  }

  /** Says that it goes on. */
  async refresh(): Promise<void> {
    if (this.state === 'begun') await this.mark();
  }

  /** By the clock of the service, which has just answered: whoever looks for leftovers has another one. */
  private mark(insistence?: Insistence): Promise<void> {
    const text = (): string => {
      const now = this.addresses.serviceNow();
      return JSON.stringify(Number.isNaN(now) ? {} : { startedAt: new Date(now).toISOString() });
    };
    return this.transfer.put(`${ROOT}/${this.id}/${BEGUN}`, () => Buffer.from(text()), { insistence });
  }

  put(place: number, part: Buffer, signal: AbortSignal): Promise<void> {
    const { id, insistence } = this;
    return this.transfer.put(`${ROOT}/${id}/${partName(place)}`, part, { signal, insistence });
  }

  clear(): Promise<void> {
    const { id, transfer, addresses, insistence } = this;
    if (this.state === 'none') return Promise.resolve();
    return transfer.persist(`${ROOT}/${id}`, () => removeParts(id, addresses), { insistence });
  }

  /**
   * Throws if something of it is gone. Others may have taken it for what a killed agent left, and a manifest
   * would offer what nobody can restore.
   */
  async requireWhole(parts: number): Promise<void> {
    const { id, transfer, addresses, insistence } = this;
    const directory = `${ROOT}/${id}`;
    const names = await transfer.persist(directory, () => namesIn(directory, addresses), { insistence });
    const expected = [BEGUN, ...Array.from({ length: parts }, (_, place) => partName(place))];
    // A list may be older than what is there.
    for (const name of expected)
      if (!names.has(name) && !(await this.isThere(name)))
        throw storeFailed(`${name} of the checkpoint ${id} is gone: somebody has removed it while it was sent`);
  }

  /** Now it is a checkpoint. */
  async publish(manifest: Buffer): Promise<void> {
    const { id, insistence } = this;
    await this.transfer.put(`${ROOT}/${id}/${MANIFEST}`, manifest, { insistence });
    this.state = 'published';
  }

  private async isThere(name: string): Promise<boolean> {
    const path = `${ROOT}/${this.id}/${name}`;
    const { transfer, addresses, insistence } = this;
    return (await transfer.persist(path, () => addresses.getUrl(path), { insistence })) !== undefined;
  }

  /** Removes what was sent, unless it is a checkpoint. If this fails, `removeLeftovers` does it. */
  async discard(): Promise<void> {
    if (this.state !== 'beginning' && this.state !== 'begun') return;
    const { id, addresses } = this;
    await marksOf(id, addresses)
      .then((marks) => removeFiles(id, addresses, marks))
      .catch(() => undefined);
    this.state = 'none';
  }
}

/**
 * Its marks first, so that one that is removed by halves is found; then the manifest, so that nothing is
 * offered in between; and the mark of its beginning last.
 */
async function removeFiles(id: string, addresses: FileAddresses, marks: readonly string[]): Promise<void> {
  for (const name of marks) await addresses.delete(`${MARKS}/${name}`);
  await addresses.delete(`${ROOT}/${id}/${MANIFEST}`);
  await removeParts(id, addresses);
  await addresses.delete(`${ROOT}/${id}/${BEGUN}`);
}

async function marksOf(id: string, addresses: FileAddresses): Promise<string[]> {
  const marks: string[] = [];
  for await (const name of addresses.list(MARKS, id)) {
    if (name > `${id}.~`) break;
    if (idOfMark(name) === id) marks.push(name);
  }
  return marks;
}

async function removeParts(id: string, addresses: FileAddresses): Promise<void> {
  const names = await namesIn(`${ROOT}/${id}`, addresses);
  names.delete(BEGUN);
  const work = new Lanes(PARTS_AT_ONCE);
  for (const name of names) await work.add(() => addresses.delete(`${ROOT}/${id}/${name}`));
  await work.done();
}

async function namesIn(directory: string, addresses: FileAddresses): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const name of addresses.list(directory)) names.add(name);
  return names;
}

const partName = (index: number): string => `images.${String(index).padStart(5, '0')}.zst`;

const idOf = (reference: string): string | undefined => {
  const id = reference.startsWith(SCHEME) ? reference.slice(SCHEME.length) : '';
  return UUID.test(id) ? id : undefined;
};

/** When an upload was begun; a mark that cannot be read is not old. */
function startOf(mark: Buffer): number {
  try {
    const { startedAt } = JSON.parse(mark.toString('utf8')) as { startedAt?: unknown };
    const time = typeof startedAt === 'string' ? Date.parse(startedAt) : NaN;
    return Number.isNaN(time) ? Infinity : time;
  } catch {
    return Infinity;
  }
}
