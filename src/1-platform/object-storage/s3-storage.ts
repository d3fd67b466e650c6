import type { Readable } from 'node:stream';
import type { GetObjectCommand, PutObjectCommand, S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Environment, ObjectStorageSettings } from '../config/environment';
import {
  fileNameOf,
  ObjectStorage,
  storageFailed,
  type FolderSlice,
  type Names,
  type StoredObject,
} from './object-storage';

type Limits = Pick<Environment, 'objectStorageTimeoutMs' | 'objectUrlSeconds'>;

const loadSdk = async () => ({
  ...(await import('@aws-sdk/client-s3')),
  ...(await import('@aws-sdk/s3-request-presigner')),
});
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** A bucket of an S3-compatible server. */
export class S3Storage extends ObjectStorage implements OnApplicationShutdown {
  private readonly client: S3Client;
  /** Signs for clients, which may know the server under another name. It sends nothing. */
  private readonly signer: S3Client;

  private constructor(
    private readonly sdk: Sdk,
    private readonly bucket: ObjectStorageSettings,
    private readonly limits: Limits,
  ) {
    super();
    this.client = new sdk.S3Client(clientConfig(bucket, limits, bucket.url));
    this.signer = new sdk.S3Client(clientConfig(bucket, limits, bucket.publicUrl));
  }

  /** Loaded on demand: AWS' packages take 24 MB, and 0.1 s of every start. */
  static async open(bucket: ObjectStorageSettings, limits: Limits): Promise<S3Storage> {
    return new S3Storage(await loadSdk(), bucket, limits);
  }

  /** Called after the requests in progress have ended: it aborts the calls that they wait for. */
  onApplicationShutdown(): void {
    this.client.destroy();
    this.signer.destroy();
  }

  override async find(key: string): Promise<StoredObject | undefined> {
    try {
      const command = new this.sdk.HeadObjectCommand(this.at(key));
      const found = await this.inTime((abortSignal) => this.client.send(command, { abortSignal }));
      return { sizeBytes: found.ContentLength ?? 0, tag: found.ETag ?? '' };
    } catch (error) {
      if (error instanceof this.sdk.S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
      throw storageFailed(error);
    }
  }

  override async read(key: string, signal: AbortSignal): Promise<Readable> {
    const tooLate = new AbortController();
    const abortSignal = AbortSignal.any([signal, tooLate.signal]);
    try {
      const command = new this.sdk.GetObjectCommand(this.at(key));
      // The bytes may take longer than their beginning.
      const { Body } = await this.inTime(() => this.client.send(command, { abortSignal }));
      return Body as Readable;
    } catch (error) {
      tooLate.abort();
      throw storageFailed(error);
    }
  }

  override async remove(key: string): Promise<void> {
    try {
      const command = new this.sdk.DeleteObjectCommand(this.at(key));
      await this.inTime((abortSignal) => this.client.send(command, { abortSignal }));
    } catch (error) {
      // AWS answers 204 where there is none, others 404.
      if (error instanceof this.sdk.S3ServiceException && error.name === 'NoSuchKey') return;
      throw storageFailed(error);
    }
  }

  override async list(folder: string, { limit, after }: FolderSlice): Promise<Names> {
    const prefix = `${folder}/`;
    // All of a folder, whose name ends in a slash, comes before a character that no key has.
    const past = after?.endsWith('/') === true ? `${after}~` : after;
    try {
      const command = new this.sdk.ListObjectsV2Command({
        Bucket: this.bucket.bucket,
        Prefix: prefix,
        Delimiter: '/',
        MaxKeys: limit,
        ...(past === undefined ? {} : { StartAfter: prefix + past }),
      });
      const found = await this.inTime((abortSignal) => this.client.send(command, { abortSignal }));
      const keys = [
        ...(found.Contents ?? []).map(({ Key }) => Key),
        ...(found.CommonPrefixes ?? []).map((p) => p.Prefix),
      ];
      const names = keys.flatMap((key) => (key === undefined ? [] : [key.slice(prefix.length)]));
      return { names: names.sort(), more: found.IsTruncated === true };
    } catch (error) {
      throw storageFailed(error);
    }
  }

  override uploadUrl(key: string): Promise<string> {
    return this.signed(new this.sdk.PutObjectCommand(this.at(key)));
  }

  override downloadUrl(key: string): Promise<string> {
    const command = new this.sdk.GetObjectCommand({
      ...this.at(key),
      ResponseContentType: 'application/octet-stream',
      ResponseContentDisposition: `attachment; filename="${fileNameOf(key)}"`,
    });
    return this.signed(command);
  }

  private async signed(command: GetObjectCommand | PutObjectCommand): Promise<string> {
    try {
      const expiresIn = this.limits.objectUrlSeconds;
      return await this.inTime(() => this.sdk.getSignedUrl(this.signer, command, { expiresIn }));
    } catch (error) {
      // No credentials are available, or not in time.
      throw storageFailed(error);
    }
  }

  private at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket.bucket, Key: key };
  }

  /**
   * Whatever delays a call: name resolution, the connection, repeated attempts. The client ignores its signal
   * while it waits for credentials.
   */
  private async inTime<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.limits.objectStorageTimeoutMs);
    const late = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    return Promise.race([call(signal), late]);
  }
}

const clientConfig = (
  { region, pathStyle, credentials }: ObjectStorageSettings,
  { objectStorageTimeoutMs }: Limits,
  endpoint: string,
): S3ClientConfig => ({
  endpoint,
  region,
  forcePathStyle: pathStyle,
  // The client notes in this object where the credentials came from, and fails if it is frozen.
  ...(credentials ? { credentials: Object.isFrozen(credentials) ? { ...credentials } : credentials } : {}),
  maxAttempts: 2,
  requestHandler: {
    connectionTimeout: objectStorageTimeoutMs,
    // Also between two pieces of an answer.
    socketTimeout: objectStorageTimeoutMs,
  },
  // Servers other than AWS do not support AWS' optional checksums, and curl cannot use a URL that requires
  // one.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});
