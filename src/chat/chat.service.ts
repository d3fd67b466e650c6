import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { budgetExceeded, keyRevoked, rateExceeded } from '../authorizations/authorizations.errors';
import { AdmissionsService } from '../authorizations/admissions.service';
import { SettlementsService } from '../authorizations/settlements.service';
import type { OrgContext } from '../auth/org-context';
import { isUuid, newId } from '../common/ids';
import { LOGGER } from '../common/logger';
import { invalidField, Problem } from '../common/problem';
import type { ServiceRequest } from '../common/request';
import { databaseProblem } from '../database/database-errors';
import { WorkerClient, type WorkerAnswer } from '../outbound/worker-client';
import { RoutingService, type Route } from '../routes/routing.service';
import { EventStream, WholeAnswer } from './answer-readers';
import { CLIENT_LEFT, ChatRecord } from './chat-record';
import { readChat, type ChatRequest } from './chat-request';
import { deadlineExceeded, workerFailed } from './chat.errors';
import { ChatMetrics } from './chat-metrics';
import { Classifier } from './classifier';
import { completionsUrl } from './completions-url';
import { WaitingRoom, type Guest, type Seat } from './waiting-room';
import { isOfTheRequest, workerRefusal } from './worker-refusal';

/** Tries before the first byte: the second one with another target. */
const MAX_ATTEMPTS = 2;

/** An authorization lives so long beyond what its request may wait. */
const LIFE_MS = 60_000;

/** A request that was sent to a worker and that nobody settles (this process died) is charged what was reserved after this. */
const HELD_MS = 3_600_000;

const MAX_TIMEOUT_MS = 3_600_000;

/** Of the client's headers, those that a worker sees. */
const PASSED_ON = ['traceparent', 'tracestate'] as const;

/** Completes chats: lets requests in, finds them a worker, and passes on what it says as it says it. */
@Injectable()
export class ChatService {
  constructor(
    private readonly routing: RoutingService,
    private readonly room: WaitingRoom,
    private readonly admissions: AdmissionsService,
    private readonly settlements: SettlementsService,
    private readonly classifier: Classifier,
    private readonly workers: WorkerClient,
    private readonly metrics: ChatMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Answers the request; resolves when the answer is out, or the client is gone. */
  async complete(context: OrgContext, req: ServiceRequest, res: Response): Promise<void> {
    const chat = readChat(req.body as Buffer | undefined);
    req.body = undefined;
    const timeoutMs = timeoutOf(req);
    const experimentId = experimentOf(req);
    const now = await this.routing.route(context, chat.model);
    this.settlements.checkRoom();
    const request = new Conversation(context, req, res, chat, experimentId, timeoutMs);
    this.metrics.underWay++;
    try {
      await this.serve(request, now);
    } catch (error) {
      request.failed(error);
      if (!request.gone) throw error;
    } finally {
      this.metrics.underWay--;
      const { brokenBy, begunAt, firstByteAt, activationPath } = request.record;
      if (firstByteAt !== undefined) this.metrics.firstByte(activationPath, firstByteAt - begunAt);
      if (brokenBy !== undefined)
        this.logger.warn({ requestId: request.id, err: brokenBy }, 'a worker broke off an answer');
      request.over();
      // Not waited for: the answer is out.
      this.settlements.settle(request.record.row());
    }
  }

  private async serve(request: Conversation, now: Route): Promise<void> {
    const { record, guest } = request;
    record.routeGeneration = now.route.generation;
    const waitsMs = Math.min(request.timeoutMs ?? Infinity, now.route.queueTimeoutMs);
    const deadlineAt = record.begunAt + waitsMs;
    if (now.route.mode === 'priority') record.seat = this.room.seatNow(guest, now);
    const authorizationId = await this.admit(request, now, waitsMs);
    record.classification = record.seat
      ? undefined
      : await this.classifier.classify(now, request.chat.members, request.signal);
    record.routingMs = performance.now() - record.begunAt;
    if (!record.seat) {
      const entered = performance.now();
      try {
        record.seat = await this.room.enter(
          { ...guest, request: record.classification ? { tier: record.classification.tier } : {} },
          deadlineAt,
          request.signal,
        );
      } finally {
        record.queueMs = performance.now() - entered;
      }
      if (authorizationId) await this.resolve(request, authorizationId, record.seat);
    }
    await this.answer(request, record.seat);
  }

  /** @returns the authorization that is to be resolved, where the bearer is a key and the request has no place yet */
  private async admit(request: Conversation, { route }: Route, waitsMs: number): Promise<string | undefined> {
    const { context, chat, record } = request;
    if (!context.key) return undefined;
    const profileId = record.seat?.profile.profileId ?? null;
    const asked = {
      id: newId(),
      requestId: request.id,
      logicalModel: chat.model,
      routeGeneration: route.generation,
      reservedUsd: this.routing.reservation(route, chat),
      livesMs: LIFE_MS,
      heldMs: profileId === null ? LIFE_MS + waitsMs : HELD_MS,
      profileId,
    };
    const admission = await this.admissions.admit(context.orgId, context.key.keyId, asked, false);
    switch (admission.outcome) {
      case 'authorized':
        return profileId === null ? admission.id : undefined;
      case 'rate':
        throw rateExceeded(admission.waitMs);
      case 'budget':
        throw budgetExceeded(429);
      default:
        throw keyRevoked();
    }
  }

  /** From here on the request may cost something, whatever becomes of this process. */
  private async resolve({ context, id, chat }: Conversation, authorizationId: string, seat: Seat): Promise<void> {
    const fault = await this.admissions.resolve(context.orgId, {
      authorizationId,
      requestId: id,
      logicalModel: chat.model,
      profileId: seat.profile.profileId,
      heldMs: HELD_MS,
      whateverItsAge: true,
    });
    if (fault) throw deadlineExceeded();
  }

  private async answer(request: Conversation, first: Seat): Promise<void> {
    const { record } = request;
    const tried = new Set<string>();
    for (let seat: Seat | undefined = first; seat;) {
      record.seat = seat;
      record.attempts++;
      const fault = await this.attempt(request, seat);
      if (fault === undefined) return;
      const { profileId } = seat.profile;
      this.logger.warn({ requestId: request.id, profile: profileId, err: fault }, 'a worker failed a request');
      tried.add(profileId);
      seat.leave();
      seat = record.attempts < MAX_ATTEMPTS ? await this.next(request, tried) : undefined;
      if (!seat) throw workerFailed(fault);
    }
  }

  /** Another target that is ready now: the request has waited already. */
  private async next(
    { context, chat, guest, signal }: Conversation,
    tried: ReadonlySet<string>,
  ): Promise<Seat | undefined> {
    const now = await this.routing.route(context, chat.model);
    signal.throwIfAborted();
    return this.room.seatNow({ ...guest, request: { ...guest.request, tried } }, now);
  }

  /** @returns what went wrong, where nothing of an answer has reached the client */
  private async attempt(request: Conversation, seat: Seat): Promise<unknown> {
    const { record, chat, signal } = request;
    if (request.late) throw deadlineExceeded();
    record.sentAt = performance.now();
    let answer: WorkerAnswer;
    try {
      answer = await this.workers.post(completionsUrl(seat.profile.endpoint), {
        headers: request.workerHeaders,
        body: chat.bodyFor(seat.profile.exactModel),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      return error;
    }
    const { status, body } = answer;
    if (isOfTheRequest(status)) throw await workerRefusal(status, body);
    if (status !== 200) {
      body.destroy();
      return new Error(`the worker answered ${status}`);
    }
    return request.passOn(answer);
  }
}

/** One request, its client, and what has happened so far. */
class Conversation {
  readonly id: string;
  readonly record: ChatRecord;
  readonly guest: Guest;
  readonly workerHeaders: Record<string, string>;
  private readonly left = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  /** The time is over that the client named. */
  late = false;

  constructor(
    readonly context: OrgContext,
    req: ServiceRequest,
    private readonly res: Response,
    readonly chat: ChatRequest,
    experimentId: string | null,
    readonly timeoutMs: number | null,
  ) {
    // Callers may use an id of theirs again, for what is another request.
    this.id = req.headers['x-request-id'] === req.requestId ? newId() : req.requestId;
    this.record = new ChatRecord(context, this.id, chat, experimentId, timeoutMs);
    this.guest = { context, logicalModel: chat.model, request: {} };
    this.workerHeaders = {
      'content-type': 'application/json',
      accept: chat.stream ? 'text/event-stream' : 'application/json',
      'x-request-id': this.id,
    };
    for (const name of PASSED_ON) {
      const value = req.headers[name];
      if (typeof value === 'string') this.workerHeaders[name] = value;
    }
    res.once('close', this.clientLeft);
    // What is written to a client who has just left is nobody's fault.
    res.on('error', () => undefined);
    // Before anybody listened.
    if (res.destroyed) this.clientLeft();
    if (timeoutMs !== null) this.timer = setTimeout(() => this.tooLate(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.left.signal;
  }

  /** Nobody is there to be answered. */
  get gone(): boolean {
    return this.res.destroyed && !this.res.writableFinished;
  }

  failed(error: unknown): void {
    const { record } = this;
    // Clients close the connection of a stream as soon as they see its last event.
    if (this.gone) record.status = record.reader?.complete ? 200 : CLIENT_LEFT;
    else if (error instanceof Problem) {
      record.status = error.status;
      record.refusedForTime = error.code === 'model_not_ready' || error.code === 'deadline_exceeded';
    } else record.status = databaseProblem(error)?.status ?? 500;
    if (!this.res.headersSent) this.tell();
  }

  over(): void {
    clearTimeout(this.timer);
    this.res.off('close', this.clientLeft);
    this.record.seat?.leave();
  }

  /**
   * Passes an answer on as it comes: no faster than the client takes it.
   * @returns what went wrong before its first byte
   */
  passOn({ headers, body }: WorkerAnswer): Promise<unknown> {
    const { res, record, chat } = this;
    const isStream = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    const reader = isStream ? new EventStream(!chat.wantsUsage) : new WholeAnswer();
    record.reader = reader;
    const write = (shown: Buffer): void => {
      if (!res.headersSent) this.begin(headers, isStream);
      if (shown.length > 0 && !res.write(shown)) {
        body.pause();
        res.once('drain', () => body.resume());
      }
    };
    return new Promise((resolve, reject) => {
      body.on('data', (chunk: Buffer) => {
        if (record.firstByteAt === undefined) this.firstByte();
        write(reader.take(chunk));
      });
      body.once('end', () => {
        write(reader.rest());
        record.status = 200;
        res.end();
        resolve(undefined);
      });
      body.once('error', (error) => {
        if (this.signal.aborted) return reject(this.signal.reason as Error);
        if (!res.headersSent) return resolve(error);
        this.breakOff(isStream, error);
        resolve(undefined);
      });
    });
  }

  private firstByte(): void {
    this.record.firstByteAt = performance.now();
    this.chat.letGo();
  }

  private begin(headers: WorkerAnswer['headers'], isStream: boolean): void {
    const { res } = this;
    this.tell();
    res.statusCode = 200;
    res.setHeader('content-type', headers['content-type'] ?? 'application/json');
    const length = headers['content-length'];
    if (!isStream && length !== undefined) res.setHeader('content-length', length);
    // Proxies are asked not to gather it.
    if (isStream) res.setHeader('x-accel-buffering', 'no');
  }

  /** In its headers, what happened to the request so far. */
  private tell(): void {
    const { res, record } = this;
    if (record.seat) {
      res.setHeader('x-route-target', encodeURIComponent(record.seat.profile.profileId));
      res.setHeader('x-route-reason', record.seat.choice.source);
      res.setHeader('x-start-kind', record.activationPath);
    }
    res.setHeader('x-queue-ms', String(Math.round(record.queueMs)));
    res.setHeader('x-attempts', String(record.attempts));
  }

  /** The client has part of an answer already. */
  private breakOff(isStream: boolean, error: unknown): void {
    const { res, record } = this;
    record.status = 502;
    record.brokenBy = error;
    if (!isStream) {
      res.destroy();
      return;
    }
    const { message, code } = workerFailed(error);
    res.end(`data: ${JSON.stringify({ error: { message, type: 'server_error', param: null, code } })}\n\n`);
  }

  private readonly clientLeft = (): void => {
    if (!this.res.writableFinished) this.left.abort(new Error('the client left'));
  };

  /**
   * What is being answered goes on: the client has set the time, and may leave. One that waits for a place is told by the waiting room,
   * which knows when it is worth another try.
   */
  private tooLate(): void {
    this.late = true;
    if (this.record.attempts > 0 && !this.res.headersSent) this.left.abort(deadlineExceeded());
  }
}

function timeoutOf({ headers }: ServiceRequest): number | null {
  const told = headers['x-request-timeout-ms'];
  if (told === undefined) return null;
  const milliseconds = typeof told === 'string' && /^\d{1,9}$/.test(told) ? Number(told) : 0;
  if (milliseconds < 1) throw invalidField('X-Request-Timeout-Ms', 'must be a number of milliseconds, at least 1');
  return Math.min(milliseconds, MAX_TIMEOUT_MS);
}

function experimentOf({ headers }: ServiceRequest): string | null {
  const told = headers['x-experiment-id'];
  if (told === undefined) return null;
  if (!isUuid(told)) throw invalidField('X-Experiment-Id', 'must be a UUID');
  return told.toLowerCase();
}
