import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { BODY_LIMITS } from '../../1-platform/endpoints/body-limits';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { tooBusy } from './samples.errors';

/**
 * Limits of one replica: sample requests that are read or written, and their bytes, compressed and inflated.
 */
const MAX_REQUESTS = 64;
const MAX_BYTES = 4 * BODY_LIMITS.batch;
/** What one organisation leaves to the others. */
const SHARE_OF_ONE = 3 / 4;
/** What a request reserves whose size nobody knows, until more has arrived. */
const FIRST_BYTES = 16 * 1024;

/** What an organisation has in progress. */
interface Held {
  requests: number;
  bytes: number;
}

/**
 * Sample requests in progress. Beyond the limits a request is answered 503 before a byte of it is read:
 * senders keep their samples, and retry. After a 429, Prometheus does so only with `retry_on_http_429`.
 */
@Injectable()
export class SampleBacklog {
  requests = 0;
  bytes = 0;
  /** By organisation, if it has any. */
  private readonly byOwner = new Map<string, Held>();

  /** @returns whether there is room for another request; `end` gives it back */
  begin(owner: string): boolean {
    const held = this.byOwner.get(owner) ?? { requests: 0, bytes: 0 };
    if (this.requests >= MAX_REQUESTS || held.requests >= MAX_REQUESTS * SHARE_OF_ONE) return false;
    this.requests++;
    held.requests++;
    this.byOwner.set(owner, held);
    return true;
  }

  end(owner: string): void {
    this.requests--;
    this.less(owner, { requests: 1, bytes: 0 });
  }

  /** @returns whether there is room; `release` gives it back */
  take(owner: string, bytes: number): boolean {
    const held = this.byOwner.get(owner) ?? { requests: 0, bytes: 0 };
    // The first bytes always fit, however many they are.
    if (this.bytes > 0 && this.bytes + bytes > MAX_BYTES) return false;
    if (held.bytes > 0 && held.bytes + bytes > MAX_BYTES * SHARE_OF_ONE) return false;
    this.bytes += bytes;
    held.bytes += bytes;
    this.byOwner.set(owner, held);
    return true;
  }

  /** Whether that much more of a request has room once no other request of its owner is in progress. */
  fitsAlone(owner: string, bytes: number): boolean {
    const held = this.byOwner.get(owner) ?? { requests: 0, bytes: 0 };
    return held.requests > 1 || held.bytes + bytes <= MAX_BYTES * SHARE_OF_ONE;
  }

  release(owner: string, bytes: number): void {
    this.bytes -= bytes;
    this.less(owner, { requests: 0, bytes });
  }

  private less(owner: string, { requests, bytes }: Held): void {
    const held = this.byOwner.get(owner);
    if (!held) return;
    held.requests -= requests;
    held.bytes -= bytes;
    if (held.requests === 0 && held.bytes === 0) this.byOwner.delete(owner);
  }
}

/**
 * Runs before the body reader. Reserves the stated length of a request, or what has arrived of it, and its
 * inflated size, until the request ends.
 */
@Injectable()
export class BacklogGuard implements CanActivate {
  constructor(private readonly backlog: SampleBacklog) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    const response = http.getResponse<Response>();
    const declared = request.headers['content-length'];
    let bytes = declared === undefined ? FIRST_BYTES : Math.min(Number(declared), BODY_LIMITS.batch);
    const { backlog } = this;
    const owner = request.orgId ?? '';
    // If the client left during authentication, nothing would report the end of the request.
    if (response.destroyed || !backlog.begin(owner)) throw tooBusy();
    if (!backlog.take(owner, bytes)) {
      backlog.end(owner);
      throw tooBusy();
    }
    request.bodyGrows = (size) => {
      if (size <= bytes) return;
      if (!backlog.take(owner, size - bytes)) throw tooBusy();
      bytes = size;
    };
    const done = (): void => {
      backlog.end(owner);
      backlog.release(owner, bytes);
    };
    if (request.place) request.place.whenOver(done);
    else response.once('close', done);
    return true;
  }
}
