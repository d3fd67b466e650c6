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

/**
 * Sample requests in progress. Beyond the limits a request is refused before a byte of it is read: senders
 * keep their samples, and retry.
 */
@Injectable()
export class SampleBacklog {
  requests = 0;
  bytes = 0;

  /** @returns whether there is room; `release` gives it back */
  take(bytes: number): boolean {
    // The first request always fits, however large it is.
    if (this.bytes > 0 && this.bytes + bytes > MAX_BYTES) return false;
    this.bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.bytes -= bytes;
  }

  get full(): boolean {
    return this.requests >= MAX_REQUESTS;
  }
}

/**
 * Runs before the body reader. Reserves the stated length of a request, or the maximum, and its inflated
 * size, until the request ends.
 */
@Injectable()
export class BacklogGuard implements CanActivate {
  constructor(private readonly backlog: SampleBacklog) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    const response = http.getResponse<Response>();
    const declared = request.headers['content-length'];
    let bytes = declared === undefined ? BODY_LIMITS.batch : Math.min(Number(declared), BODY_LIMITS.batch);
    const { backlog } = this;
    // If the client left during authentication, nothing would report the end of the request.
    if (response.destroyed || backlog.full || !backlog.take(bytes)) throw tooBusy();
    backlog.requests++;
    request.bodyGrows = (size) => {
      if (size <= bytes) return;
      if (!backlog.take(size - bytes)) throw tooBusy();
      bytes = size;
    };
    const done = (): void => {
      backlog.requests--;
      backlog.release(bytes);
    };
    if (request.place) request.place.whenOver(done);
    else response.once('close', done);
    return true;
  }
}
