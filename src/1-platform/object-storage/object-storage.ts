import type { Readable } from 'node:stream';
import { Problem } from '../common/answers/problem';

/** How long an upload may take that began before its address expired. */
export const UPLOAD_SECONDS = 3_600;

/** An existing object. */
export interface StoredObject {
  readonly sizeBytes: number;
  /** Changes when the bytes are rewritten. */
  readonly tag: string;
}

/** A part of what a folder holds. */
export interface FolderSlice {
  readonly limit: number;
  /** Names after this one. */
  readonly after: string | undefined;
}

/** In order; the name of a folder ends in a slash. */
export interface Names {
  readonly names: readonly string[];
  readonly more: boolean;
}

/**
 * Storage for large files. They do not pass through the service's own operations: it returns signed addresses
 * that are valid for one method and for `OBJECT_URL_SECONDS`. Every method throws the problem 502
 * `object_storage_failed` if the storage fails, or does not answer within `OBJECT_STORAGE_TIMEOUT_MS`.
 */
export abstract class ObjectStorage {
  abstract find(key: string): Promise<StoredObject | undefined>;

  /** The bytes of an existing object. */
  abstract read(key: string, signal: AbortSignal): Promise<Readable>;

  /** Does nothing if there is none. */
  abstract remove(key: string): Promise<void>;

  /** What a folder holds. A folder without objects below it does not exist, and holds nothing. */
  abstract list(folder: string, slice: FolderSlice): Promise<Names>;

  /** The address for a PUT. It is a path if it belongs to this service: see `PublicAddress`. */
  abstract uploadUrl(key: string): Promise<string>;

  /**
   * The address for a GET; clients save the bytes under the last part of the key.
   * @param tag identifies the bytes: a directory serves no others there. A bucket does, if they are rewritten
   * meanwhile.
   */
  abstract downloadUrl(key: string, tag: string): Promise<string>;
}

export const storageFailed = (cause: unknown): Problem =>
  new Problem(502, 'object_storage_failed', 'The object storage failed, or did not answer in time.', { cause });

/** One part of a key. None is hidden, leads upwards, or needs escaping in a URL. */
export const KEY_PART = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/;

/** A name in a folder: a part of a key, with a slash if it is a folder. */
export const ENTRY_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}\/?$/;

const MAX_KEY = 800;

export const isObjectKey = (key: string): boolean =>
  key.length <= MAX_KEY && key.split('/').every((part) => KEY_PART.test(part));

/** The file name for clients. */
export const fileNameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
