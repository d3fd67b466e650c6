import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { BODY_LIMITS } from '../../1-platform/endpoints/body-limits';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { tooBusy } from './samples.errors';

/**
 * Of one replica: requests of samples that are read or written, and the
 * bytes of them, as they came and as they are inflated.
 */
const MAX_REQUESTS = 64;
const MAX_BYTES = 4 * BODY_LIMITS.batch;

/**
 * What is under way. More is refused before a byte of it is read: senders keep their samples, and come again.
 */
@Injectable()
export class SampleBacklog {
  requests = 0;
  bytes = 0;

  /** @returns whether there is room; what was taken is given back with `release` */
  take(bytes: number): boolean {
    // The first always fits, however large it is.
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
 * Stands before the body reader. Holds what a request says it is long, or as much as it may
 * be, and what it inflates to, until its work is done.
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
    // Who went away while it was asked who calls: nobody would say when that is over.
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
