import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Environment } from '../../src/1-platform/config/environment';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { swiftBucket } from './swift';
import { describeWith, type Component } from './components';
import { Service, type Answer, type Caller, type Replica } from './service';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
export const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Requests an address as any HTTP client does. */
export async function fetched(url: string, init: RequestInit = {}): Promise<Got> {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

export const put = (url: string, bytes: Buffer): Promise<Got> =>
  fetched(url, { method: 'PUT', body: new Uint8Array(bytes) });

interface UploadUrls {
  readonly version: string;
  readonly latest: string;
}

export const uploadPath = (name: string): string => `/v1/plugins/upload/${encodeURIComponent(name)}`;

export async function announce(caller: Caller, name: string, body: JsonObject = {}): Promise<UploadUrls> {
  const answer = await caller.post(uploadPath(name), { repository: 'example/plugins', ...body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return { version: answer.body.version_upload_url as string, latest: answer.body.latest_upload_url as string };
}

/** Uploads a build to both addresses, with its SHA-256 by default. */
export async function publish(
  caller: Caller,
  name: string,
  body: JsonObject = {},
  bytes: Buffer = randomBytes(1_000),
): Promise<Buffer> {
  const urls = await announce(caller, name, { checksum: sha256(bytes), ...body });
  for (const url of [urls.latest, urls.version]) expect((await put(url, bytes)).status).toBe(200);
  return bytes;
}

export const downloadPath = (name: string, query: Record<string, string> = {}): string =>
  `/v1/plugins/download/${encodeURIComponent(name)}?${new URLSearchParams(query).toString()}`;

/** Follows the redirect of an answer to the file. */
export async function follow(answer: Answer): Promise<Buffer> {
  expect([answer.status, answer.text, answer.headers.location]).toEqual([302, '', expect.any(String)]);
  const got = await fetched(answer.headers.location ?? '');
  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  return got.bytes;
}

/** One kind of object storage, and the service that uses it. */
export interface Stage {
  readonly service: Service;
  /** A replica whose addresses expire within seconds. */
  brief(): Promise<Replica>;
  /** The addresses of that replica expire at once, where the service itself checks them. */
  expire(): void;
  /** Deletes an object without the service's knowledge. */
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

interface StageKind {
  readonly name: string;
  readonly needs: readonly Component[];
  start(overrides?: Partial<Environment>): Promise<Stage>;
}

const directories: string[] = [];

/** Deleted after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'control-plane-objects-'));
  directories.push(directory);
  return directory;
}

afterAll(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** Long enough to use an address, if the machine does not pause. */
const BRIEF_SECONDS = 2;

const inDirectory: StageKind = {
  name: 'a directory',
  needs: [],
  async start(overrides = {}) {
    const objectStorageDir = temporaryDirectory();
    const service = await Service.start({ objectStorageDir, objectUrlSeconds: 60, ...overrides });
    return {
      service,
      brief: () => service.replica({ objectUrlSeconds: BRIEF_SECONDS }),
      expire: () => service.clock.advance(BRIEF_SECONDS),
      remove: (key) => Promise.resolve(rmSync(join(objectStorageDir, 'files', key))),
      close: () => service.close(),
    };
  },
};

const inSwift: StageKind = {
  name: 'OpenStack Swift, by the protocol of S3',
  needs: ['OpenStack Swift'],
  async start(overrides = {}) {
    const objectStorage = await swiftBucket();
    const service = await Service.start({ objectStorage, objectUrlSeconds: 60, ...overrides });
    return {
      service,
      brief: () => service.replica({ objectUrlSeconds: BRIEF_SECONDS }),
      // The server uses its own clock.
      expire: () => undefined,
      async remove(Key) {
        const { url: endpoint, region, bucket: Bucket, credentials } = objectStorage;
        const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
        client.destroy();
      },
      close: () => service.close(),
    };
  },
};

/** The same tests with each kind of storage. */
export function describeStages(name: string, tests: (kind: StageKind) => void): void {
  for (const kind of [inDirectory, inSwift]) describeWith(kind.needs, `${name} in ${kind.name}`, () => tests(kind));
}
