import type { Readable } from 'node:stream';
import { Problem } from '../common/answers/problem';

/** How long an upload may take that began before its address expired. */
export const UPLOAD_SECONDS = 3_600;

/** An object that is there. */
export interface StoredObject {
  readonly sizeBytes: number;
  /** Another one where the bytes were written anew. */
  readonly tag: string;
}

/**
 * Where large files are. They do not pass through the service's own operations: it hands out addresses that
 * are signed, good for one method and for `OBJECT_URL_SECONDS`. Every method throws the problem 502
 * `object_storage_failed` when the storage fails, or does not answer within `OBJECT_STORAGE_TIMEOUT_MS`.
 */
export abstract class ObjectStorage {
  abstract find(key: string): Promise<StoredObject | undefined>;

  /** The bytes of an object that is there. */
  abstract read(key: string, signal: AbortSignal): Promise<Readable>;

  /** Where the bytes are to be PUT. A path where it is an address of this service: see `PublicAddress`. */
  abstract uploadUrl(key: string): Promise<string>;

  /**
   * Where the bytes can be had; they are saved under the last part of the key.
   * @param tag of those that are meant: a directory hands out no others there. A
   * bucket does, when they are written anew meanwhile.
   */
  abstract downloadUrl(key: string, tag: string): Promise<string>;
}

export const storageFailed = (cause: unknown): Problem =>
  new Problem(502, 'object_storage_failed', 'The object storage failed, or did not answer in time.', { cause });

/** One part of a key. None is hidden, none leads upwards, and none has to be escaped in a URL. */
export const KEY_PART = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/;

const MAX_KEY = 800;

export const isObjectKey = (key: string): boolean =>
  key.length <= MAX_KEY && key.split('/').every((part) => KEY_PART.test(part));

/** What an object is saved as. */
export const fileNameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
