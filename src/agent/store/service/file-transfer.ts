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

  async put(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await repeated(path, async () => {
      const url = await this.addresses.putUrl(path);
      const answer = await requested(url, { method: 'PUT', body: bytes });
      await answer.arrayBuffer().catch(() => undefined);
      expectOk(answer);
    });
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

async function repeated<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Passing) || attempt === ATTEMPTS)
        throw asStoreFailure(`${path} could not be transferred`, error);
      await sleep(FIRST_PAUSE_MS * 4 ** (attempt - 1));
    }
  }
}

/** Redirects are not followed: signed addresses have none. */
async function requested(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TRANSFER_MS) });
  } catch (error) {
    throw new Passing('no answer', { cause: error });
  }
}

function expectOk({ ok, status }: Response): void {
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
