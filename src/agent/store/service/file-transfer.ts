import http from 'node:http';
import https from 'node:https';
import { timestamp } from '../../clock';
import { pause, pauseBefore, type RetrySettings } from '../../service/retries';
import type { Patience } from '../checkpoint-store';
import { asStoreFailure, TransferFault, type Fault } from '../store-failures';
import type { FileAddresses } from './file-addresses';

/** Each attempt asks for a new address, because the old one may have expired. */
const RETRIES: RetrySettings = { attempts: 5, firstPauseMs: 250, longestPauseMs: 30_000 };
/** For a token or a right that is replaced: a new Secret reaches a pod within some two minutes. */
const REFUSED_FOR_MS = 180_000;

/** For one file, which has at most some 16 MiB: slower connections than 140 kB/s are not waited for. */
const TRANSFER_MS = 120_000;

/** How S3 says, with a 400, that the bytes of an upload came too slowly. */
const TOO_SLOW = /<Code>RequestTimeout</;
const MAX_WORDS = 4_096;

/** By which pauses are made and measured. */
export interface TransferClock {
  /** Of a clock that never goes back. */
  readonly nowMs: () => number;
  readonly pause: typeof pause;
}

const CLOCK: TransferClock = { nowMs: () => performance.now(), pause };

/** How all files of one upload are insisted on: an outage has one beginning for all of them. */
export interface Insistence {
  readonly patience: Patience;
  /** Since when nothing has succeeded. */
  failingSinceMs?: number | undefined;
  /** Since when all that failed was refused. */
  refusedSinceMs?: number | undefined;
}

interface Terms {
  /** Aborted: nobody needs the file any more. */
  readonly signal?: AbortSignal | undefined;
  /** undefined: a few attempts, and those that a client of the service makes by itself. */
  readonly insistence?: Insistence | undefined;
}

/** Moves whole files to and from signed addresses. */
export class FileTransfer {
  constructor(
    private readonly addresses: FileAddresses,
    private readonly clock: TransferClock = CLOCK,
  ) {}

  /** @param bytes or how to make them, once the service has answered */
  put(path: string, bytes: Buffer | (() => Buffer), terms: Terms = {}): Promise<void> {
    const { signal } = terms;
    return this.persist(
      path,
      async () => {
        signal?.throwIfAborted();
        const url = await this.addresses.putUrl(path);
        await sent(path, url, typeof bytes === 'function' ? bytes() : bytes, signal);
      },
      terms,
    );
  }

  /** @returns the bytes, or why there are none */
  get(path: string, maxBytes: number): Promise<Buffer<ArrayBuffer> | 'missing' | 'too large'> {
    return this.persist(path, async () => {
      const url = await this.addresses.getUrl(path);
      if (url === undefined) return 'missing';
      const answer = await requested(path, url);
      if (answer.status === 404) return 'missing';
      if (!answer.ok) throw refusal(path, answer.status, answer.headers.get('retry-after'));
      return (await bodyWithin(path, answer, maxBytes)) ?? 'too large';
    });
  }

  /** Does something until it succeeds, for as long as there is hope. */
  async persist<T>(what: string, work: () => Promise<T>, { signal, insistence }: Terms = {}): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        const result = await work();
        if (insistence) [insistence.failingSinceMs, insistence.refusedSinceMs] = [undefined, undefined];
        return result;
      } catch (error) {
        const fault = error instanceof TransferFault ? error : undefined;
        const isHopeful = insistence
          ? this.insists(insistence, fault)
          : failures < RETRIES.attempts && isOfStorage(fault);
        if (!fault?.fault.mayPass || !isHopeful || signal?.aborted)
          throw asStoreFailure(`${what} could not be transferred`, error);
        const { retryAfter = null } = fault.fault;
        await this.clock.pause(pauseBefore(failures, RETRIES, retryAfter, Date.parse(timestamp())), signal);
      }
    }
  }

  private insists(insistence: Insistence, fault: TransferFault | undefined): boolean {
    const now = this.clock.nowMs();
    insistence.failingSinceMs ??= now;
    insistence.refusedSinceMs = fault?.isRefusal ? (insistence.refusedSinceMs ?? now) : undefined;
    const refusedMs = now - (insistence.refusedSinceMs ?? now);
    return insistence.patience(now - insistence.failingSinceMs) && refusedMs < REFUSED_FOR_MS;
  }
}

/** The client of the service repeats its calls by itself. */
const isOfStorage = (error: TransferFault | undefined): boolean => error?.fault.by === 'storage';

/** Redirects are not followed: signed addresses have none. */
async function requested(path: string, url: string): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TRANSFER_MS) });
  } catch (error) {
    throw unanswered(path, 'no answer', error);
  }
}

/** `fetch` would copy the bytes. */
async function sent(path: string, url: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
  const inTime = AbortSignal.timeout(TRANSFER_MS);
  const options = {
    method: 'PUT',
    headers: { 'content-length': bytes.length },
    signal: signal ? AbortSignal.any([inTime, signal]) : inTime,
  };
  const answer = await new Promise<{ status: number; retryAfter: string | undefined; words: string }>(
    (resolve, reject) => {
      const request = (new URL(url).protocol === 'https:' ? https : http).request(url, options, (response) => {
        const { statusCode: status = 0, headers } = response;
        let words = '';
        response
          .on('data', (chunk: Buffer) => {
            if (words.length < MAX_WORDS) words += chunk.toString('latin1');
          })
          .once('error', reject)
          .once('end', () => resolve({ status, retryAfter: headers['retry-after'], words }));
      });
      request.once('error', reject).end(bytes);
    },
  ).catch((error: unknown) => {
    throw unanswered(path, 'no answer', error);
  });
  if (answer.status >= 200 && answer.status < 300) return;
  throw refusal(path, answer.status, answer.retryAfter, answer.status === 400 && TOO_SLOW.test(answer.words));
}

const unanswered = (path: string, what: string, error: unknown): TransferFault =>
  faultOf(path, what, { by: 'storage', mayPass: true }, error);

/** 403: the address has expired meanwhile, or the storage gives nobody this object. */
const refusal = (path: string, status: number, retryAfter?: string | null, mayPass = false): TransferFault =>
  faultOf(path, `the storage answered ${status}`, {
    ...{ by: 'storage', status, retryAfter },
    mayPass: mayPass || status >= 500 || [403, 408, 425, 429].includes(status),
  });

const faultOf = (path: string, what: string, fault: Fault, cause?: unknown): TransferFault =>
  new TransferFault(`${path} could not be transferred`, fault, { error: new Error(what, { cause }) });

async function bodyWithin(path: string, answer: Response, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw unanswered(path, 'the answer ended early', error);
  }
  return Buffer.concat(chunks);
}
