import { checkpointDamaged } from './store-failures';
import { isIsolatedNetwork, type IsolatedNetwork } from '../network/network-plan';
import type { MachineFacts } from '../machine/machine-facts';
import type { Mount } from '../machine/mounts';
import type { Stage } from '../stages';
import { isTreatment, type Treatment } from '../supervisor/treatment';

/** What is known of a checkpoint before its bytes are stored. */
export interface ManifestFacts {
  /** UUID: that of the service's checkpoint, or one that the agent made. */
  readonly id: string;
  readonly createdAt: string;
  readonly workload: {
    readonly namespace: string;
    readonly name: string;
    /** UUID of its supervisor; absent before it was noted. */
    readonly uid?: string;
    readonly command: readonly string[];
    readonly cwd: string;
    /** Path of its log, as the images know it, and its size when the dump ended. */
    readonly log: { readonly path: string; readonly bytes: number };
    readonly treatment: Treatment;
    /** Absent: it used the network of the host. */
    readonly network?: IsolatedNetwork;
    /** On which its files were, beside the root; absent: they were not noted. */
    readonly mounts?: readonly Mount[];
    /** The checkpoint ended it: it is here and nowhere else. Absent: it went on, or this was not noted. */
    readonly letGo?: true;
    /** It was asked for after a SIGTERM, which ends the workload: nobody else has to end anything. */
    readonly preempted?: true;
    /**
     * Of a Slurm job under its number: since when it has that number, in seconds since 1970. Two jobs with
     * one number differ in it. Absent: it was not noted.
     */
    readonly jobSince?: number;
    /** The same of its run: how often Slurm had requeued it. Absent: it was not noted. */
    readonly jobRun?: number;
  };
  readonly machine: MachineFacts;
  /** Bytes of memory that its processes had. */
  readonly memoryBytes: number;
}

export interface ManifestFile {
  /** A name: images have no folders. */
  readonly path: string;
  readonly bytes: number;
  /** Of a file of at most `PIECE_BYTES`, its SHA-256; of a larger one, the SHA-256 of those of its pieces. */
  readonly sha256: string;
}

export interface ManifestPart {
  readonly bytes: number;
  readonly sha256: string;
}

/** The file that makes a checkpoint exist. JSON, in the members' order. */
export interface Manifest extends ManifestFacts {
  readonly version: 1;
  /** The `restore_path` by which the service and other agents name it. */
  readonly reference: string;
  /** In the order of their names. */
  readonly files: readonly ManifestFile[];
  /** Of all files. */
  readonly bytes: number;
  /** The files as one stream, tar compressed by zstd, cut into parts; absent if they are kept as they are. */
  readonly archive?: { readonly format: 'tar+zstd'; readonly parts: readonly ManifestPart[] };
  /** Stages of the storing: hash, compress, upload. */
  readonly stages: readonly Stage[];
}

/** The length of the pieces that are hashed side by side. A part of the format: it never changes. */
export const PIECE_BYTES = 4 * 1024 * 1024;

export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
export const MAX_FILES = 50_000;
/** Of 16 MiB each, this is a terabyte. */
export const MAX_PARTS = 65_536;

const MAX_MOUNTS = 1_000;

const SHA256 = /^[0-9a-f]{64}$/;
const MAX_NAME_BYTES = 255;

/** Whether a text is the name of a file, which leads nowhere else. */
export const isFileName = (name: unknown): name is string =>
  typeof name === 'string' &&
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  name.isWellFormed() &&
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  !/[/\u0000-\u001f\u007f]/.test(name) &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES;

export const textOfManifest = (manifest: Manifest): string => `${JSON.stringify(manifest, undefined, 1)}\n`;

/**
 * Reads a manifest, which may come from anybody.
 * @param reference by which it was found; one that was copied elsewhere gets its new one
 * @throws `checkpoint_damaged`
 */
export function readManifest(bytes: Buffer, id: string, reference: string): Manifest {
  const damaged = (what: string) => checkpointDamaged(reference, `manifest.json ${what}`);
  if (bytes.length > MAX_MANIFEST_BYTES) throw damaged('is too large');
  let read: unknown;
  try {
    read = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw checkpointDamaged(reference, 'manifest.json is not JSON', error);
  }
  if (!isObject(read) || read.version !== 1) throw damaged('has another version than 1');
  if (read.id !== id) throw damaged(`has the id ${String(read.id)}`);
  const { files, archive, stages, workload, machine } = read;
  if (!Array.isArray(files) || files.length > MAX_FILES || !files.every(isFile)) throw damaged('has no valid files');
  for (const [index, { path }] of files.entries())
    if (index > 0 && !((files[index - 1]?.path ?? '') < path)) throw damaged('has files that are not in order');
  if (read.bytes !== files.reduce((sum, { bytes: one }) => sum + one, 0)) throw damaged('has another sum of bytes');
  if (archive !== undefined && !isArchive(archive)) throw damaged('has no valid parts');
  if (!isWorkload(workload)) throw damaged('names no workload');
  if (!isMachine(machine)) throw damaged('names no machine');
  if (!isCount(read.memoryBytes) || typeof read.createdAt !== 'string' || !Array.isArray(stages))
    throw damaged('lacks a member');
  return { ...(read as unknown as Manifest), reference };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isPart = (value: unknown): value is ManifestPart =>
  isObject(value) && isCount(value.bytes) && typeof value.sha256 === 'string' && SHA256.test(value.sha256);

const isFile = (value: unknown): value is ManifestFile =>
  isPart(value) && isFileName((value as Partial<ManifestFile>).path);

const isArchive = (value: unknown): boolean =>
  isObject(value) &&
  value.format === 'tar+zstd' &&
  Array.isArray(value.parts) &&
  value.parts.length <= MAX_PARTS &&
  value.parts.every(isPart);

const isWorkload = (value: unknown): boolean =>
  isObject(value) &&
  [value.namespace, value.name, value.cwd].every((one) => typeof one === 'string') &&
  (value.uid === undefined || typeof value.uid === 'string') &&
  isStrings(value.command) &&
  isObject(value.log) &&
  typeof value.log.path === 'string' &&
  isCount(value.log.bytes) &&
  isTreatment(value.treatment) &&
  (value.network === undefined || isIsolatedNetwork(value.network)) &&
  (value.mounts === undefined || isMounts(value.mounts)) &&
  [value.jobSince, value.jobRun].every((one) => one === undefined || isCount(one)) &&
  [value.letGo, value.preempted].every((one) => one === undefined || one === true);

/** Other members are compared as texts, whatever they are. */
const isMachine = (value: unknown): boolean =>
  isObject(value) &&
  isStrings(value.cpuFlags) &&
  [value.kernelFeatures, value.gpus].every((list) => list === undefined || isStrings(list));

const isMounts = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= MAX_MOUNTS &&
  value.every((one: unknown) => isObject(one) && typeof one.point === 'string' && typeof one.type === 'string');

/** A checkpoint stands in for a command only if each argument is the same. */
export const isSameCommand = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((part, place) => part === other[place]);
