import type { OrgContext } from '../../1-platform/auth/org-context';
import { usdText, type Usd } from '../../1-platform/common/money';
import { costOf, type DoneWork, type PriceBasis } from '../admissions/prices';
import type { UsageRow } from '../usage/usage.queries';
import type { AwaitedKind } from './chat-metrics';
import type { AnswerReader } from './workers/answer-readers';
import type { InferenceRequest } from './requests/chat-request';
import type { Classification } from './requests/classifier';
import type { Seat } from './waiting-room';

/** The client closed its connection before the answer. */
export const CLIENT_LEFT = 499;

type Work = Omit<DoneWork, 'completionTokens'> & { readonly completionTokens: number | undefined };

/** The progress of one request. Times are of `performance.now`. */
export class ChatRecord {
  readonly begunAt = performance.now();
  seat: Seat | undefined;
  classification: Classification | undefined;
  routeGeneration: number | null = null;
  reservedUsd: Usd = 0n;
  /** Time of its admission, without waiting for a place. */
  routingMs = 0;
  queueMs = 0;
  attempts = 0;
  /** Of the last attempt. */
  sentAt: number | undefined;
  firstByteAt: number | undefined;
  reader: AnswerReader | undefined;
  status: number = CLIENT_LEFT;
  /** The error that ended the answer after the client had a part of it. */
  brokenBy: unknown;
  /** Nothing was ready in time. */
  refusedForTime = false;
  /** Something may be reserved under its id, which its own record settles. */
  mayBeAuthorized = false;

  constructor(
    private readonly context: OrgContext,
    private readonly requestId: string,
    private readonly chat: InferenceRequest,
    /** The experiment that it names. */
    private readonly experimentId: string | null,
    /** The end of the time that the client allows; infinite if it names none. */
    private readonly deadlineAt: number,
  ) {}

  get activationPath(): AwaitedKind {
    if (!this.seat?.awaitedStart) return 'warm';
    return this.seat.worker.startKind ?? this.seat.profile.startKind ?? 'cold';
  }

  /** How long the start took that it waited for; null if it waited for none, or if that is not known. */
  get startMs(): number | null {
    return this.seat?.awaitedStart ? this.seat.worker.startMs : null;
  }

  /** Whether it was refused before anything was reserved for it, classified or sent. */
  get isRefusal(): boolean {
    const { status, attempts, classification, mayBeAuthorized } = this;
    return status >= 400 && status !== CLIENT_LEFT && attempts === 0 && !classification && !mayBeAuthorized;
  }

  row(): UsageRow {
    const now = performance.now();
    const { classification, sentAt, firstByteAt } = this;
    // A profile that gave it no place has not served it.
    const seat = sentAt === undefined ? undefined : this.seat;
    const endToEndMs = now - this.begunAt;
    const work = this.work(now);
    const credit = this.status === 200 ? (seat?.worker.credit ?? null) : null;
    return {
      org_id: this.context.orgId,
      request_id: this.requestId,
      began_ms_ago: endToEndMs,
      key_id: this.context.key?.keyId ?? null,
      logical_model: this.chat.model,
      profile_id: seat?.profile.profileId ?? null,
      meant_for_profile_id: seat?.choice.meantFor ?? null,
      experiment_id: this.experimentId ?? seat?.profile.experimentId ?? null,
      route_generation: this.routeGeneration,
      decision_source: seat?.choice.source ?? null,
      activation_path: seat ? this.activationPath : null,
      classifier_profile_id: classification?.profileId ?? null,
      status_code: this.status,
      upstream_attempts: this.attempts,
      streamed: this.chat.stream,
      fallback_used: seat?.choice.fallbackUsed ?? false,
      deadline_missed: this.refusedForTime || now > this.deadlineAt,
      prompt_tokens: work?.promptTokens ?? null,
      completion_tokens: work?.completionTokens ?? null,
      queue_ms: Math.round(this.queueMs),
      routing_ms: Math.round(this.routingMs),
      classifier_ms: classification ? Math.round(classification.tookMs) : null,
      ttft_ms: firstByteAt === undefined ? null : Math.round(firstByteAt - this.begunAt),
      backend_ms: work ? Math.round(work.backendMs) : null,
      end_to_end_ms: Math.round(endToEndMs),
      mean_inter_token_ms: this.meanInterTokenMs(now),
      p95_inter_token_ms: null,
      cold_start_avoided_ms: credit?.avoidedMs ?? 0,
      credited_start_id: credit?.startId ?? null,
      cost_usd: usdText(seat && work ? this.cost(seat.profile.price, work) : 0n),
      repeated: 0,
    };
  }

  /** An answer whose tokens have a price, and that nobody could count, costs what was reserved. */
  private cost(price: PriceBasis, { completionTokens, ...work }: Work): Usd {
    const hasPrice = price.pricing !== null && price.pricing.completionUsdPerMtok > 0n;
    if (completionTokens === undefined && hasPrice) return this.reservedUsd;
    return costOf(price, { ...work, completionTokens: completionTokens ?? 0 });
  }

  /**
   * The usage as the worker reported it. Of an answer that broke off, the more of what it reported so far and
   * what can be counted. Nothing if its answer never began.
   */
  private work(now: number): Work | undefined {
    const { sentAt, reader } = this;
    if (sentAt === undefined || this.firstByteAt === undefined) return undefined;
    const { promptTokens, completionTokens } = reader?.usage ?? {
      promptTokens: this.promptTokensSoFar(reader?.usageSoFar?.promptTokens ?? 0),
      completionTokens: reader?.pieces && Math.max(reader.pieces, reader.usageSoFar?.completionTokens ?? 0),
    };
    return { promptTokens, completionTokens, backendMs: now - sentAt };
  }

  /** @param reported with the pieces, as vLLM does for the text that a piece is of; 0 if it is not known */
  private promptTokensSoFar(reported: number): number {
    const { texts, unreportedPromptTokens: estimate } = this.chat;
    return texts === 1 && reported > 0 ? reported : Math.max(reported, estimate);
  }

  private meanInterTokenMs(now: number): number | null {
    // The usage of an answer without a stream is read on access.
    const tokens = this.chat.stream ? (this.reader?.usage?.completionTokens ?? 0) : 0;
    return this.firstByteAt === undefined || tokens < 2 ? null : (now - this.firstByteAt) / (tokens - 1);
  }
}
