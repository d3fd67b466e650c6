import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { authorizationLost, keyRevoked, notAdmitted } from '../admissions/admissions.errors';
import { AdmissionsService } from '../admissions/admissions.service';
import { BYTES_PER_TOKEN } from '../admissions/prices';
import { HELD_MS, SettlementsService } from '../admissions/settlements.service';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { isUuid, newId } from '../../1-platform/common/ids';
import { LOGGER } from '../../1-platform/common/logger';
import { invalidField } from '../../1-platform/common/answers/problem';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { Draining } from '../../1-platform/http/admission/draining';
import { WorkerClient, WorkerUnreachable, type WorkerAnswer } from '../../1-platform/outbound/worker-client';
import type { Endpoint } from '../../4-serving/profiles/profile-endpoints';
import { Refusals } from '../routes/choice/refusals.service';
import { RoutingService, type Route } from '../routes/choice/routing.service';
import { workerKey, type Doubt } from '../routes/choice/workers/worker-rests';
import { WorkerSeats } from '../routes/choice/workers/worker-seats';
import { ReportedFailure } from './workers/answer-readers';
import { answerKind, UnusableAnswer } from './workers/answer-kinds';
import { readRequest } from './requests/chat-request';
import { deadlineExceeded, unusableAnswer, workerFailed } from './chat.errors';
import { ChatMetrics } from './chat-metrics';
import { Classifier } from './requests/classifier';
import { Conversation, recordIdOf } from './conversation';
import { HeldChats } from './held-chats';
import { endpointUrl } from './workers/endpoint-url';
import { MODEL_WITHIN_BYTES, modelName, modelNames } from './requests/model-name';
import { WaitingRoom, type Guest, type Seat } from './waiting-room';
import { isOfBroken, isUnreached, WorkerAnswered } from './workers/worker-faults';
import { isOfTheRequest, refusalIn, workerRefusal } from './workers/worker-refusal';

/** Tries before the first byte: the second one with another worker. */
const MAX_ATTEMPTS = 2;
/** So many if no worker was reached: none of them has seen the request. */
const MAX_UNREACHED = 5;

/**
 * After a lost connection, the routing table is at most this old. A controller that stops a worker reports it
 * longer before: see `QUIET_MS` of the agent. A worker that answers has not left: its requests are retried
 * without the database.
 */
const FAILED_STANDS_MS = 50;

/** An authorization lives this long beyond the maximal wait of its request. */
const LIFE_MS = 60_000;

const MAX_TIMEOUT_MS = 3_600_000;

/**
 * From this size on, the database is asked whether the key is refused in any case before the request is
 * parsed.
 */
const LOOKED_AT_FIRST_BYTES = 64 * 1024;

/** A seat whose worker answered an error. The request may be the reason. */
type DoubtedSeat = readonly [Seat, Doubt];

/** Answers requests for models: admits them, finds a worker, and passes its answer on as it arrives. */
@Injectable()
export class ChatService {
  constructor(
    private readonly routing: RoutingService,
    private readonly refusals: Refusals,
    private readonly room: WaitingRoom,
    private readonly admissions: AdmissionsService,
    private readonly settlements: SettlementsService,
    private readonly classifier: Classifier,
    private readonly workers: WorkerClient,
    private readonly seats: WorkerSeats,
    private readonly chats: HeldChats,
    private readonly metrics: ChatMetrics,
    private readonly draining: Draining,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Answers the request; resolves when the answer is out, or the client is gone. */
  async complete(endpoint: Endpoint, context: OrgContext, req: ServiceRequest, res: Response): Promise<void> {
    const begunAt = performance.now();
    const bytes = req.body as Buffer | undefined;
    req.body = undefined;
    const experimentId = experimentOf(req, res);
    let request: Conversation;
    let now: Route;
    try {
      await this.refuseUnread(endpoint, context, bytes);
      const reading = readRequest(endpoint, bytes);
      // A small body is read already, which takes no turn of the event loop.
      const asked = reading instanceof Promise ? await reading : reading;
      const timeoutMs = timeoutOf(req);
      now = await this.routing.route(context, asked.model, endpoint);
      this.settlements.checkRoom();
      const held = this.chats.enter(context.orgId, bytes?.length ?? 0);
      request = new Conversation(context, req, res, asked, experimentId, timeoutMs, held);
    } catch (error) {
      this.noteRefusal(context, req, bytes, experimentId, begunAt, error);
      throw error;
    }
    await this.converse(request, now);
  }

  private async converse(request: Conversation, now: Route): Promise<void> {
    const settled = this.settlements.expect({ orgId: request.context.orgId, requestId: request.id });
    this.draining.longAnswers.add(request);
    try {
      await this.serve(request, now);
    } catch (error) {
      request.failed(error);
      if (!request.gone) throw error;
    } finally {
      this.draining.longAnswers.delete(request);
      const { record } = request;
      const { brokenBy, begunAt, firstByteAt, activationPath, status } = record;
      if (firstByteAt !== undefined) this.metrics.firstByte(activationPath, firstByteAt - begunAt);
      if (brokenBy !== undefined)
        this.logger.warn({ requestId: request.id, err: brokenBy }, 'an answer was broken off');
      request.over();
      // Not awaited: the answer is complete. A key that was revoked meanwhile leaves no record, as an unknown
      // key.
      if (status !== 401) {
        if (record.isRefusal) this.refusals.record(record.row());
        else this.settlements.settle(record.row());
      }
      settled();
    }
  }

  /**
   * Refuses a request whose key has no rate or budget left before its body is parsed, which can take long. It
   * refuses only requests that the admission would refuse too.
   */
  private async refuseUnread(endpoint: Endpoint, context: OrgContext, bytes: Buffer | undefined): Promise<void> {
    const { orgId, key } = context;
    if (!key || !bytes) return;
    const waitMs = this.admissions.refusedForMs(key.keyId);
    if (waitMs > 0) throw notAdmitted({ outcome: 'rate', waitMs }, 429);
    if (bytes.length < LOOKED_AT_FIRST_BYTES) return;
    const names = modelNames(bytes);
    const model = names.length === 1 ? names[0] : undefined;
    const least = {
      promptTokens: Math.ceil(bytes.length / BYTES_PER_TOKEN),
      maxTokens: endpoint === 'embeddings' ? 0 : 1,
    };
    const atLeastUsd =
      model === undefined
        ? 0n
        : this.routing.reservation((await this.routing.route(context, model, endpoint)).route, least);
    const refused = await this.admissions.refusal(orgId, key.keyId, atLeastUsd);
    if (refused) throw notAdmitted(refused, 429);
  }

  private noteRefusal(
    context: OrgContext,
    req: ServiceRequest,
    bytes: Buffer | undefined,
    experimentId: string | null,
    begunAt: number,
    error: unknown,
  ): void {
    const logicalModel = modelName(bytes);
    // A request without a model is not recorded.
    if (logicalModel === undefined && (bytes?.length ?? 0) <= MODEL_WITHIN_BYTES) return;
    this.refusals.note(context, {
      requestId: recordIdOf(req),
      logicalModel,
      experimentId,
      streamed: false,
      error,
      begunAt,
    });
  }

  private async serve(request: Conversation, now: Route): Promise<void> {
    const { context, record, guest } = request;
    record.routeGeneration = now.route.generation;
    const deadlineAt = Math.min(request.deadlineAt, record.begunAt + now.route.queueTimeoutMs);
    const waitsMs = Math.max(deadlineAt - record.begunAt, 0);
    // A key whose budget has just refused a request holds no place while it is asked again.
    const isPoor = context.key !== undefined && this.admissions.lacksBudget(context.key.keyId);
    if (now.route.mode === 'priority' && !isPoor) record.seat = this.room.seatNow(guest, now);
    const authorizationId = await this.admit(request, now, waitsMs);
    if (record.seat) this.room.begin(guest, now, record.seat);
    // From here on it waits for a worker; chats in progress have their own limit.
    request.place?.leave();
    record.classification = record.seat
      ? undefined
      : await this.classifier.classify(context, now, () => request.chat.said(), request.signal);
    record.routingMs = performance.now() - record.begunAt;
    if (!record.seat) {
      const entered = performance.now();
      try {
        const tier = record.classification?.tier;
        record.seat = await this.room.enter({ ...guest, request: { tier } }, deadlineAt, request.signal);
      } finally {
        record.queueMs = performance.now() - entered;
      }
      if (authorizationId) await this.resolve(request, authorizationId, record.seat);
    }
    await this.answer(request, record.seat, deadlineAt);
  }

  /** @returns the authorization to resolve, if the bearer is a key and the request has no place yet */
  private async admit(request: Conversation, { route }: Route, waitsMs: number): Promise<string | undefined> {
    const { context, chat, record } = request;
    record.reservedUsd = this.routing.reservation(route, chat);
    if (!context.key) return undefined;
    const profileId = record.seat?.profile.profileId ?? null;
    const asked = {
      keyId: context.key.keyId,
      id: newId(),
      requestId: request.id,
      logicalModel: chat.model,
      promptTokens: null,
      routeGeneration: route.generation,
      reservedUsd: record.reservedUsd,
      livesMs: LIFE_MS,
      heldMs: profileId === null ? LIFE_MS + waitsMs : HELD_MS,
      profileId,
    };
    record.mayBeAuthorized = true;
    const admission = await this.admissions.admit(context.orgId, asked, false);
    record.mayBeAuthorized = admission.outcome === 'authorized';
    if (admission.outcome !== 'authorized') throw notAdmitted(admission, 429);
    return profileId === null ? admission.id : undefined;
  }

  /** From here on the request may cost something, even if this process dies. */
  private async resolve({ context, id, chat }: Conversation, authorizationId: string, seat: Seat): Promise<void> {
    const { orgId, key } = context;
    const fault = await this.admissions.resolve(orgId, {
      authorizationId,
      requestId: id,
      logicalModel: chat.model,
      profileId: seat.profile.profileId,
      heldMs: HELD_MS,
      whateverItsAge: true,
    });
    if (!fault) return;
    // Nobody else uses it: its key was revoked, or it was given back when the clock was set forward.
    const refused = key && (await this.admissions.refusal(orgId, key.keyId, 0n));
    throw refused?.outcome === 'revoked' ? keyRevoked() : authorizationLost();
  }

  private async answer(request: Conversation, first: Seat, deadlineAt: number): Promise<void> {
    const { record, signal, context } = request;
    const tried = new Set<string>();
    const doubted: DoubtedSeat[] = [];
    for (let seat: Seat | undefined = first; seat;) {
      // Whatever happens, it is left when the request is over.
      record.seat = seat;
      signal.throwIfAborted();
      if (request.late) throw deadlineExceeded();
      record.attempts++;
      const asked: Seat = seat;
      const fault: unknown = await this.attempt(request, asked, () => this.answered(context.orgId, asked, doubted));
      if (fault === undefined) return;
      const { profile, worker } = asked;
      const { endpoint } = worker;
      this.logger.warn(
        { requestId: request.id, profile: profile.profileId, endpoint, err: fault },
        'a worker failed a request',
      );
      if (fault instanceof WorkerUnreachable) this.seats.rests.drop(context.orgId, profile, worker, isUnreached(fault));
      else {
        const isBroken = isOfBroken(fault);
        const doubt = this.seats.rests.doubt(context.orgId, profile, worker, isBroken);
        if (isBroken) doubted.push([asked, doubt]);
      }
      tried.add(workerKey(profile, worker));
      seat.leave();
      const most = isUnreached(fault) ? MAX_UNREACHED : MAX_ATTEMPTS;
      seat = record.attempts < most ? await this.next(request, seat, tried, fault, deadlineAt) : undefined;
      if (!seat) throw fault instanceof UnusableAnswer ? unusableAnswer() : workerFailed(fault);
    }
  }

  /**
   * A worker begins an answer: others of its profile that did not answer the same request, and none since,
   * are broken. An answer of another profile, whose model and engine are others, does not show that.
   */
  private answered(orgId: string, by: Seat, doubted: readonly DoubtedSeat[]): void {
    this.seats.rests.trust(orgId, by.profile, by.worker);
    for (const [{ profile, worker }, doubt] of doubted)
      if (profile.profileId === by.profile.profileId) this.seats.rests.confirm(orgId, profile, worker, doubt);
  }

  /**
   * Another worker of the target, or another target that is ready, as soon as it has room. If the target has
   * left service meanwhile, or is lost, the request waits for a start, as it would have a moment later.
   * Without any: the same worker, if its connection failed or its address changed.
   */
  private async next(
    request: Conversation,
    { profile: { profileId } }: Seat,
    triedWorkers: ReadonlySet<string>,
    fault: unknown,
    deadlineAt: number,
  ): Promise<Seat | undefined> {
    const { context, chat, guest, signal, record } = request;
    const again = { tier: record.classification?.tier };
    const elsewhere = { ...guest, request: { ...again, triedWorkers } };
    const ageMs = fault instanceof WorkerUnreachable ? FAILED_STANDS_MS : undefined;
    const now = await this.routing.route(context, chat.model, chat.endpoint, ageMs);
    signal.throwIfAborted();
    const seat = this.seatAgain(elsewhere, now);
    if (seat) return seat;
    const mayServe = now.route.targets.some(({ profile }) => {
      const { isTried, lostMs } = this.seats.room(context.orgId, profile, triedWorkers);
      return profile.ready && lostMs === 0 ? !isTried : profile.profileId === profileId;
    });
    if (mayServe && performance.now() < deadlineAt) {
      try {
        return await this.room.enter(elsewhere, deadlineAt, signal);
      } catch (error) {
        signal.throwIfAborted();
        this.logger.debug({ requestId: request.id, err: error }, 'nothing else serves a request');
      }
    }
    const hasNothing = fault instanceof WorkerUnreachable && (fault.reason === 'connect' || fault.reason === 'broken');
    // The same one, once.
    if (!hasNothing || record.attempts >= MAX_ATTEMPTS) return undefined;
    const later = await this.routing.route(context, chat.model, chat.endpoint);
    signal.throwIfAborted();
    return this.seatAgain({ ...guest, request: again }, later);
  }

  /** A place at once, for a request that is admitted. */
  private seatAgain(guest: Guest, now: Route): Seat | undefined {
    const seat = this.room.seatNow(guest, now);
    if (seat) this.room.begin(guest, now, seat);
    return seat;
  }

  /**
   * @param begins called when the client is about to get the first byte of an answer
   * @returns the error, if nothing of an answer has reached the client
   */
  private async attempt(request: Conversation, seat: Seat, begins: () => void): Promise<unknown> {
    const { record, chat, signal } = request;
    const body = chat.bodyFor(seat.profile.exactModel);
    record.sentAt = performance.now();
    let answer: WorkerAnswer;
    try {
      const { workerHeaders: headers } = request;
      answer = await this.workers.post(endpointUrl(seat.worker.endpoint, chat.endpoint), { headers, body, signal });
    } catch (error) {
      signal.throwIfAborted();
      return error;
    }
    const { status } = answer;
    if (isOfTheRequest(status)) {
      const refusal = await workerRefusal(status, answer.body);
      signal.throwIfAborted();
      throw refusal;
    }
    if (status !== 200) {
      answer.body.destroy();
      return new WorkerAnswered(status);
    }
    const kind = answerKind(answer.headers);
    if (kind === undefined) {
      answer.body.destroy();
      return new UnusableAnswer(answer.headers);
    }
    const fault = await request.passOn(answer, kind, begins);
    if (fault instanceof ReportedFailure && isOfTheRequest(fault.status)) throw refusalIn(fault.status, fault.reported);
    return fault;
  }
}

function timeoutOf({ headers }: ServiceRequest): number | null {
  const header = headers['x-request-timeout-ms'];
  if (header === undefined) return null;
  const milliseconds = typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0;
  if (milliseconds < 1) throw invalidField('X-Request-Timeout-Ms', 'must be a number of milliseconds, at least 1');
  return Math.min(milliseconds, MAX_TIMEOUT_MS);
}

/** An invalid id is ignored, and the reply says so. */
function experimentOf({ headers }: ServiceRequest, res: Response): string | null {
  const header = headers['x-experiment-id'];
  if (header === undefined) return null;
  if (isUuid(header)) return header.toLowerCase();
  res.setHeader('x-ignored-headers', 'X-Experiment-Id');
  return null;
}
