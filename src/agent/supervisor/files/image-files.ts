import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldsOf } from '../../criu/protobuf';
import type { KernelFeature } from '../../machine/kernel-features';

/** The first word of each image; the second one says of which kind it is. */
const IMAGE = 0x54564319;
const FILES = 0x56303138;
const WORD_BYTES = 4;
const HEAD_BYTES = 2 * WORD_BYTES;

/** Numbers of fields in CRIU's images/fdinfo.proto. */
const TYPE = 1;
const REGULAR_FILE = 3;
const INTERNET_SOCKET = 4;

/** Its types of files that not every kernel has. */
const FEATURES_OF_TYPES: ReadonlyMap<unknown, KernelFeature> = new Map([
  [8, 'inotify'],
  [15, 'tun'],
] as const);

/** In images/sk-inet.proto, and the value of it for IPv6. */
const FAMILY = 3;
const AF_INET6 = 10;

/** Numbers of fields in CRIU's images/regfile.proto. */
const ID = 1;
const FLAGS = 2;
const POSITION = 3;
const NAME = 6;
const SIZE = 8;
const EXTERNAL = 9;
const MODE = 10;

/** In images/remap-file-path.proto: the file whose bytes the images have. */
const REMAPPED = 1;

type Fields = ReadonlyMap<number, number | Uint8Array>;

/** A file that a workload had open or mapped. */
export interface ImageFile {
  /** As the images know it. */
  readonly path: string;
  /** That a restore requires; undefined: it may have any. */
  readonly size: number | undefined;
}

/**
 * How long a file was when its workload was frozen, by CRIU's `files.img`. The image has no size of a file
 * that is only appended to, but the position after the last write, which is its end.
 * @param path as the images know it
 * @returns undefined if the workload did not have it open
 */
export async function appendedBytes(image: string, path: string): Promise<number | undefined> {
  let size: number | undefined;
  for (const fields of await regularFilesOf(image)) {
    if (textOf(fields, NAME) !== path) continue;
    size = Math.max(size ?? 0, Number(fields.get(POSITION) ?? 0));
  }
  return size;
}

/**
 * The files and directories that a restore looks for by their paths, and not in the images: without those
 * that were removed while they were open.
 * @param directory of the images
 */
export async function neededFiles(directory: string): Promise<ImageFile[]> {
  const kept = new Set<unknown>();
  // Without such files, there is no image of them.
  const remapped = await readFile(join(directory, 'remap-fpath.img')).catch(() => undefined);
  if (remapped) for (const entry of entriesOf(remapped, 'remap-fpath.img')) kept.add(fieldsOf(entry).get(REMAPPED));
  const files = await regularFilesOf(join(directory, 'files.img'));
  return files.flatMap((fields) => {
    const path = textOf(fields, NAME);
    if (path?.startsWith('/') !== true || kept.has(fields.get(ID)) || fields.get(EXTERNAL) === 1) return [];
    const type = Number(fields.get(MODE) ?? constants.S_IFREG) & constants.S_IFMT;
    if (type !== constants.S_IFREG && type !== constants.S_IFDIR) return [];
    const flags = Number(fields.get(FLAGS) ?? 0);
    const access = flags & (constants.O_WRONLY | constants.O_RDWR);
    const isLog = access === constants.O_WRONLY && (flags & constants.O_APPEND) !== 0;
    const size = fields.get(SIZE);
    return [{ path, size: typeof size === 'number' && type === constants.S_IFREG && !isLog ? size : undefined }];
  });
}

/**
 * What a kernel must have to restore these images, sorted.
 * @param directory of the images
 * @returns undefined if an image cannot be read: the dump is good even so
 */
export const neededFeatures = (directory: string): Promise<KernelFeature[] | undefined> =>
  featuresIn(directory).catch(() => undefined);

async function featuresIn(directory: string): Promise<KernelFeature[]> {
  const needed = new Set<KernelFeature>();
  for (const file of await filesIn(join(directory, 'files.img'))) {
    const feature = FEATURES_OF_TYPES.get(file.get(TYPE) ?? 0);
    if (feature) needed.add(feature);
    const socket = file.get(INTERNET_SOCKET);
    if (socket instanceof Uint8Array && fieldsOf(socket).get(FAMILY) === AF_INET6) needed.add('ipv6');
  }
  // There is an entry also without any filter.
  const filters = await readFile(join(directory, 'seccomp.img')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (filters && entriesOf(filters, 'seccomp.img').some(({ length }) => length > 0)) needed.add('seccomp');
  return [...needed].sort();
}

async function filesIn(image: string): Promise<Fields[]> {
  const bytes = await readFile(image);
  if (bytes.length < HEAD_BYTES || bytes.readUInt32LE(WORD_BYTES) !== FILES)
    throw new Error(`${image} is not an image of files.`);
  return entriesOf(bytes, image).map(fieldsOf);
}

const regularFilesOf = async (image: string): Promise<Fields[]> =>
  (await filesIn(image)).flatMap((fields) => {
    const file = fields.get(REGULAR_FILE);
    return file instanceof Uint8Array ? [fieldsOf(file)] : [];
  });

/** The messages of an image, which may come from anybody. */
function entriesOf(bytes: Buffer, image: string): Buffer[] {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32LE(0) !== IMAGE) throw new Error(`${image} is not an image.`);
  const entries: Buffer[] = [];
  for (let at = HEAD_BYTES; at < bytes.length;) {
    const from = at + WORD_BYTES;
    const to = from > bytes.length ? Infinity : from + bytes.readUInt32LE(at);
    if (to > bytes.length) throw new Error(`${image} is cut.`);
    entries.push(bytes.subarray(from, to));
    at = to;
  }
  return entries;
}

const textOf = (fields: Fields, field: number): string | undefined => {
  const value = fields.get(field);
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined;
};
