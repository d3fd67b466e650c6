import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { recentlyUsed } from '../../../1-platform/common/work/recently-used';

/** Responses whose worker is remembered by each replica, newest first; about 200 bytes each. */
const MAX_RESPONSES = 50_000;
/** Engines keep responses until they stop, and conversations are continued hours later. */
const REMEMBERED_MS = 6 * 3_600_000;

/** Ids that no worker has, for repetitions that follow at once. */
const MAX_LACKING = 10_000;
const LACKING_STANDS_MS = 5_000;

/** The worker that made a response, by `workerKey`, and its profile. */
export interface ResponseWorker {
  readonly profileId: string;
  readonly worker: string;
}

/** Which worker made a response: that one alone may have stored it, for requests that continue it. */
@Injectable()
export class ResponseWorkers {
  private readonly workers = recentlyUsed<ResponseWorker>({ most: MAX_RESPONSES, ttl: REMEMBERED_MS });
  private readonly lacking = recentlyUsed<true>({ most: MAX_LACKING, ttl: LACKING_STANDS_MS });

  workerOf(orgId: string, id: string): ResponseWorker | undefined {
    return this.workers.get(keyOf(orgId, id));
  }

  /** Called when the worker has answered: only then it has the response. */
  remember(orgId: string, id: string, worker: ResponseWorker): void {
    this.workers.set(keyOf(orgId, id), worker);
  }

  /** No worker of the model that could be asked has the response. */
  isLacking(orgId: string, model: string, id: string): boolean {
    return this.lacking.has(keyOf(orgId, id, model));
  }

  noteLacking(orgId: string, model: string, id: string): void {
    this.lacking.set(keyOf(orgId, id, model), true);
  }
}

/** Callers choose ids and models: their hash takes little memory, whatever their length. */
const keyOf = (...parts: readonly string[]): string =>
  createHash('sha1').update(JSON.stringify(parts)).digest('base64');
