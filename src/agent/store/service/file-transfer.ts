import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileAddresses } from './file-addresses';
import { asStoreFailure, storeFailed } from '../store-failures';

/** Attempts for one file. Each asks for a new address, because the old one may have expired. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;

/** For one file, which has at most some 16 MiB: slower connections than 140 kB/s are not waited for. */
const TRANSFER_MS = 120_000;

/** A fault after which a repetition may succeed. */
class Passing extends Error {}

/** Moves whole files to and from signed addresses. */
export class FileTransfer {
  constructor(private readonly addresses: FileAddresses) {}

  /** @param signal nobody needs the file any more */
  async put(path: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    await repeated(
      path,
      async () => {
        signal?.throwIfAborted();
        const url = await this.addresses.putUrl(path);
        const status = await sent(url, bytes, signal);
        expectOk({ ok: status >= 200 && status < 300, status });
      },
      signal,
    );
  }

  /** @returns the bytes, or why there are none */
  get(path: string, maxBytes: number): Promise<Buffer<ArrayBuffer> | 'missing' | 'too large'> {
    return repeated(path, async () => {
      const url = await this.addresses.getUrl(path);
      if (url === undefined) return 'missing';
      const answer = await requested(url);
      if (answer.status === 404) return 'missing';
      expectOk(answer);
      return (await bodyWithin(answer, maxBytes)) ?? 'too large';
    });
  }
}

async function repeated<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Passing) || attempt === ATTEMPTS || signal?.aborted)
        throw asStoreFailure(`${path} could not be transferred`, error);
      await sleep(FIRST_PAUSE_MS * 4 ** (attempt - 1));
    }
  }
}

/** Redirects are not followed: signed addresses have none. */
async function requested(url: string): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TRANSFER_MS) });
  } catch (error) {
    throw new Passing('no answer', { cause: error });
  }
}

/** `fetch` would copy the bytes. @returns the status */
async function sent(url: string, bytes: Buffer, signal?: AbortSignal): Promise<number> {
  const inTime = AbortSignal.timeout(TRANSFER_MS);
  const options = {
    method: 'PUT',
    headers: { 'content-length': bytes.length },
    signal: signal ? AbortSignal.any([inTime, signal]) : inTime,
  };
  try {
    return await new Promise<number>((resolve, reject) => {
      const request = (new URL(url).protocol === 'https:' ? https : http).request(url, options, (answer) => {
        answer
          .once('error', reject)
          .once('end', () => resolve(answer.statusCode ?? 0))
          .resume();
      });
      request.once('error', reject).end(bytes);
    });
  } catch (error) {
    throw new Passing('no answer', { cause: error });
  }
}

function expectOk({ ok, status }: Pick<Response, 'ok' | 'status'>): void {
  if (ok) return;
  const text = `the storage answered ${status}`;
  // 403: the address has expired meanwhile.
  throw status >= 500 || [403, 408, 425, 429].includes(status) ? new Passing(text) : storeFailed(text);
}

async function bodyWithin(answer: Response, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new Passing('the answer ended early', { cause: error });
  }
  return Buffer.concat(chunks);
}
