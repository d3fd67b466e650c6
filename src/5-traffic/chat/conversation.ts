import type { Response } from 'express';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { isTraced } from '../../1-platform/common/current-trace';
import { newId } from '../../1-platform/common/ids';
import { Problem } from '../../1-platform/common/answers/problem';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { databaseProblem } from '../../1-platform/database/connections/database-errors';
import type { WorkerAnswer } from '../../1-platform/outbound/worker-client';
import { CONTENT_TYPES, type AnswerKind } from './workers/answer-kinds';
import { readerOf, type AnswerReader } from './workers/answer-readers';
import { CLIENT_LEFT, ChatRecord } from './chat-record';
import type { InferenceRequest } from './requests/chat-request';
import { cutOff, deadlineExceeded, workerFailed } from './chat.errors';
import { errorEvent } from './workers/error-events';
import type { HeldChat } from './held-chats';
import type { Guest } from './waiting-room';

/** The client's headers that a worker sees. A service that traces requests itself sends its own. */
const PASSED_ON = ['traceparent', 'tracestate'] as const;

/** A client that reads nothing of its answer for this long counts as gone. */
const STALLED_MS = 60_000;

/** Its answer had begun. */
const WORKER_FAILED = 502;

const statusWhenLeft = (reader: AnswerReader | undefined): number =>
  reader?.failure ? WORKER_FAILED : reader?.complete ? 200 : CLIENT_LEFT;

/** The id under which a request is recorded. Callers may reuse their own ids for other requests. */
export const recordIdOf = ({ headers, requestId }: ServiceRequest): string =>
  headers['x-request-id'] === requestId ? newId() : requestId;

/** One request, its client, and its progress. */
export class Conversation {
  readonly id: string;
  readonly record: ChatRecord;
  readonly guest: Guest;
  readonly workerHeaders: Record<string, string>;
  private readonly left = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  // Bound, without closures of the constructor: see `Exchange`.
  private readonly clientLeft = this.leave.bind(this);
  /** The service stops, and no longer waits for the answer. */
  private isCutOff = false;
  /** The end of the time that the client allows, of `performance.now`. */
  readonly deadlineAt: number;
  /** Its place in the admission, until it waits for a worker. */
  readonly place: ServiceRequest['place'];
  private readonly releaseBody: ServiceRequest['releaseBody'];

  constructor(
    readonly context: OrgContext,
    req: ServiceRequest,
    private readonly res: Response,
    readonly chat: InferenceRequest,
    experimentId: string | null,
    timeoutMs: number | null,
    private readonly held: HeldChat,
  ) {
    this.id = recordIdOf(req);
    this.place = req.place;
    this.releaseBody = req.releaseBody;
    // The client counts from its sending: also while the request waited for a place, its body and its route.
    this.deadlineAt = req.receivedAt + (timeoutMs ?? Infinity);
    this.record = new ChatRecord(context, this.id, chat, experimentId, this.deadlineAt);
    this.guest = { context, logicalModel: chat.model, endpoint: chat.endpoint, conversation: chat, request: {} };
    this.workerHeaders = {
      'content-type': 'application/json',
      accept: chat.stream ? 'text/event-stream' : 'application/json',
      'x-request-id': this.id,
    };
    for (const name of isTraced() ? [] : PASSED_ON) {
      const value = req.headers[name];
      if (typeof value === 'string') this.workerHeaders[name] = value;
    }
    res.once('close', this.clientLeft);
    // Writing to a client that has just left is no error.
    res.on('error', () => undefined);
    // Before any listener was attached.
    if (res.destroyed) this.clientLeft();
    if (timeoutMs !== null) {
      const leftMs = Math.max(this.deadlineAt - performance.now(), 0);
      this.timer = setTimeout((late: Conversation) => late.tooLate(), leftMs, this);
    }
  }

  get signal(): AbortSignal {
    return this.left.signal;
  }

  /** The client is gone. */
  get gone(): boolean {
    return this.res.destroyed && !this.res.writableFinished;
  }

  failed(error: unknown): void {
    const { record } = this;
    // Clients close the connection of a stream as soon as they see its last event.
    if (this.gone) record.status = statusWhenLeft(record.reader);
    else if (error instanceof Problem) {
      record.status = error.status;
      record.refusedForTime = error.code === 'model_not_ready' || error.code === 'deadline_exceeded';
    } else record.status = databaseProblem(error)?.status ?? 500;
    if (!this.res.headersSent) this.notify();
  }

  over(): void {
    clearTimeout(this.timer);
    this.letGo();
    this.held.leave();
    this.res.off('close', this.clientLeft);
    this.record.seat?.leave();
  }

  /** Nobody needs the body any more. */
  private letGo(): void {
    this.held.letGo();
    this.chat.letGo();
    this.releaseBody?.();
  }

  /**
   * Passes an answer on as it arrives, no faster than the client reads it.
   * @param begins called before the client gets the first byte
   * @returns the error, if the client has received nothing of it
   */
  passOn({ headers, body }: WorkerAnswer, kind: AnswerKind, begins: () => void): Promise<unknown> {
    const { res, record, chat } = this;
    const reader = readerOf(chat.endpoint, kind === 'stream', !chat.wantsUsage, chat.answers);
    record.reader = reader;
    let stalled: NodeJS.Timeout | undefined;
    const write = (shown: Buffer): void => {
      if (shown.length === 0) return;
      if (!res.headersSent) {
        begins();
        this.begin(headers, kind);
      }
      if (res.write(shown)) return;
      body.pause();
      // A client that stops reading holds a place that others wait for.
      stalled = setTimeout(() => res.destroy(), STALLED_MS);
      res.once('drain', () => {
        clearTimeout(stalled);
        body.resume();
      });
    };
    return new Promise<unknown>((resolve, reject) => {
      /** @returns whether another worker may answer: the client has seen nothing of the failure */
      const failed = (): boolean => {
        if (!reader.failure?.comesFirst || res.headersSent) return false;
        record.reader = undefined;
        resolve(reader.failure);
        return true;
      };
      /** In a listener, an exception of the reader would end the process: it is a failure of this worker. */
      const read = (next: () => Buffer): Buffer | undefined => {
        try {
          return next();
        } catch (error) {
          if (!res.headersSent) record.reader = undefined;
          body.destroy(error as Error);
          return undefined;
        }
      };
      body.on('data', (chunk: Buffer) => {
        const shown = read(() => reader.take(chunk));
        if (!shown) return;
        if (failed()) body.destroy();
        else write(shown);
      });
      body.once('end', () => {
        const shown = read(() => reader.rest());
        if (!shown || failed()) return;
        write(shown);
        if (!res.headersSent) return resolve(new Error('the worker answered nothing'));
        record.status = reader.failure ? WORKER_FAILED : 200;
        record.brokenBy = reader.failure;
        res.end();
        resolve(undefined);
      });
      body.once('error', (error) => {
        const hasPart = res.headersSent && !this.gone;
        if (this.signal.aborted && !(this.isCutOff && hasPart)) return reject(this.signal.reason as Error);
        if (!res.headersSent) return resolve(error);
        this.breakOff(kind, error);
        resolve(undefined);
      });
    }).finally(() => clearTimeout(stalled));
  }

  /** The client is about to get the first byte. */
  private begin(headers: WorkerAnswer['headers'], kind: AnswerKind): void {
    const { res, record } = this;
    record.firstByteAt = performance.now();
    this.letGo();
    this.notify();
    res.statusCode = 200;
    res.setHeader('content-type', CONTENT_TYPES[kind]);
    const length = headers['content-length'];
    if (kind === 'json' && length !== undefined) res.setHeader('content-length', length);
    // Asks proxies not to buffer it.
    if (kind === 'stream') res.setHeader('x-accel-buffering', 'no');
  }

  /** Its headers show the progress of the request. */
  private notify(): void {
    const { res, record } = this;
    if (record.seat) {
      res.setHeader('x-route-target', encodeURIComponent(record.seat.profile.profileId));
      res.setHeader('x-route-reason', record.seat.choice.source);
      res.setHeader('x-start-kind', record.activationPath === 'restore' ? 'restored' : record.activationPath);
      if (record.startMs !== null) res.setHeader('x-start-ms', String(Math.round(record.startMs)));
    }
    res.setHeader('x-queue-ms', String(Math.round(record.queueMs)));
    res.setHeader('x-attempts', String(record.attempts));
  }

  /** The client has a part of an answer already. */
  private breakOff(kind: AnswerKind, error: unknown): void {
    const { res, record, chat } = this;
    record.status = error instanceof Problem ? error.status : WORKER_FAILED;
    record.brokenBy = error;
    if (kind === 'json') {
      res.destroy();
      return;
    }
    const problem = error instanceof Problem ? error : workerFailed(error);
    res.end(errorEvent(chat.endpoint, problem, record.reader?.events ?? 0));
  }

  /** The service stops: a stream ends with an error event, and an unanswered request is refused. */
  cutOff(): void {
    this.isCutOff = true;
    this.left.abort(cutOff());
  }

  private leave(): void {
    if (!this.res.writableFinished) this.left.abort(new Error('the client left'));
  }

  /** The client's deadline has passed. */
  get late(): boolean {
    return performance.now() >= this.deadlineAt;
  }

  /**
   * An answer in progress continues: the client has set its deadline, and may leave. For a request that waits
   * for a place, the waiting room decides, which knows when to retry.
   */
  private tooLate(): void {
    if (this.record.attempts > 0 && !this.res.headersSent) this.left.abort(deadlineExceeded());
  }
}
