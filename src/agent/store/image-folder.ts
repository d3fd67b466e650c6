import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnProgress, StageName } from '../stages';
import type { DiskQueue } from './hashing/disk-queue';
import { FileHasher, READ_FILE, readFully, settled } from './hashing/file-hashes';
import { WORTH_BYTES, type HashMemory } from './hashing/hash-memory';
import { isFileName, MAX_FILES, MAX_MANIFEST_BYTES, type Manifest, type ManifestFile } from './manifest';
import { exposureOfFile } from '../files/exposure';
import { checkpointDamaged, checkpointExposed, isMissing, storeFailed } from './store-failures';

/** Files that are hashed at once. */
const FILES_AT_ONCE = 8;

/** Adds up bytes, and reports their sum as progress. */
export const progressOf = (stage: StageName, bytesTotal: number | null, onProgress: OnProgress = () => undefined) => {
  let bytesDone = 0;
  return (bytes: number): void => {
    bytesDone += bytes;
    onProgress({ stage, bytesDone, bytesTotal });
  };
};

/** The names of the images in a folder, in order. @throws if it holds anything but regular files */
export async function imageNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.length > MAX_FILES) throw storeFailed(`more than ${MAX_FILES} files`);
  for (const entry of entries)
    if (!entry.isFile() || !isFileName(entry.name))
      throw storeFailed(`${JSON.stringify(entry.name)} is not an image: it is no file, or its name is not allowed`);
  return entries.map(({ name }) => name).sort();
}

interface Hashing {
  /** Has them written to disk meanwhile; undefined: they need not be there. */
  readonly disk: DiskQueue | undefined;
  /** Digests of first pieces, by name. */
  readonly known: ReadonlyMap<string, readonly Buffer[]>;
  readonly onProgress?: OnProgress | undefined;
}

/** The images of a folder with their hashes. */
export async function hashImages(
  folder: string,
  hasher: FileHasher,
  { disk, known, onProgress }: Hashing,
): Promise<ManifestFile[]> {
  const names = await imageNames(folder);
  const sizes = await Promise.all(names.map(async (name) => (await lstat(join(folder, name))).size));
  // The largest one takes longest.
  const [...largest] = names.keys();
  for (const index of largest.sort((one, other) => sizes[other]! - sizes[one]!)) disk?.add(join(folder, names[index]!));
  const passed = progressOf(
    'hash',
    sizes.reduce((sum, size) => sum + size, 0),
    onProgress,
  );
  const files: ManifestFile[] = [];
  await eachOf(names, FILES_AT_ONCE, async (path, index) => {
    files[index] = { path, ...(await hasher.hash(join(folder, path), passed, { known: known.get(path) ?? [] })) };
  });
  return files;
}

/**
 * Checks that a folder holds the images of a manifest, and nothing else.
 * @param memory of what was hashed before; undefined: each file is hashed
 * @throws `checkpoint_damaged`
 */
export async function verifyImages(
  folder: string,
  { id, reference, files, bytes }: Manifest,
  memory: HashMemory | undefined,
  onProgress?: OnProgress,
): Promise<void> {
  const known = new Map(files.map((file) => [file.path, file]));
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (isMissing(error)) throw checkpointDamaged(reference, 'its images are missing', error);
    throw error;
  });
  for (const entry of entries) {
    const name = JSON.stringify(entry.name);
    if (!known.has(entry.name)) throw checkpointDamaged(reference, `${name} is not in its manifest`);
    if (!entry.isFile()) throw checkpointDamaged(reference, `${name} is not a regular file`);
  }
  const passed = progressOf('verify', bytes, onProgress);
  const hashes = await memory?.of(id, folder);
  const hasher = new FileHasher();
  const verified = eachOf(files, FILES_AT_ONCE, async (file) => {
    const name = JSON.stringify(file.path);
    const path = join(folder, file.path);
    const stat = await lstat(path, { bigint: true }).catch((error: unknown) => {
      throw isMissing(error) ? checkpointDamaged(reference, `${name} is missing`, error) : error;
    });
    const exposed = exposureOfFile(name, { uid: Number(stat.uid), mode: Number(stat.mode) });
    if (exposed !== undefined) throw checkpointExposed(reference, exposed);
    if (stat.size !== BigInt(file.bytes))
      throw checkpointDamaged(reference, `${name} has ${stat.size} bytes, not ${file.bytes}`);
    if (hashes?.has(file, stat)) return passed(file.bytes);
    const began = hashes?.now() ?? 0;
    const found = await hasher.hash(path, passed);
    if (found.sha256 !== file.sha256) throw checkpointDamaged(reference, `${name} differs from its hash`);
    hashes?.learn(file, stat, await lstat(path, { bigint: true }), began);
  });
  // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits
  await verified.finally(() => hasher.end());
  await hashes?.save();
}

/** Remembers the hashes of images that this process hashed while they were written. They are on disk. */
export async function rememberImages(folder: string, { id, files }: Manifest, memory: HashMemory): Promise<void> {
  const hashes = await memory.of(id, folder);
  for (const file of files.filter(({ bytes }) => bytes >= WORTH_BYTES)) {
    const began = hashes.now();
    const stat = await lstat(join(folder, file.path), { bigint: true });
    hashes.learn(file, stat, stat, began);
  }
  await hashes.save();
}

/** @param limit how many are worked on at once */
export async function eachOf<T>(
  all: readonly T[],
  limit: number,
  work: (one: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < all.length && !failed) {
      const index = next++;
      try {
        await work(all[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await settled(Array.from({ length: Math.min(limit, all.length) }, lane));
}

/** What opening a path says that leads to no file, and never will: a link, a socket, below a file. */
const NO_FILE = ['ELOOP', 'ENXIO', 'ENOTDIR'];

/** The bytes of a manifest. @throws ENOENT; `checkpoint_damaged` if it is no file, or too large */
export async function manifestBytes(path: string, reference: string): Promise<Buffer> {
  const file = await open(path, READ_FILE).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw NO_FILE.includes(code) ? checkpointDamaged(reference, 'manifest.json is no file', error) : error;
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw checkpointDamaged(reference, 'manifest.json is no file');
    if (stat.size > MAX_MANIFEST_BYTES) throw checkpointDamaged(reference, 'manifest.json is too large');
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, await readFully(file, bytes, 0));
  } finally {
    await file.close();
  }
}

/** Writes a new file, and waits until it is on disk. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** When anything in a folder, or in its folders, changed last; undefined if it is gone. */
export async function lastChange(folder: string): Promise<number | undefined> {
  try {
    let latest = (await lstat(folder)).ctimeMs;
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const stat = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
      latest = Math.max(latest, stat?.ctimeMs ?? 0);
    }
    return latest;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });
