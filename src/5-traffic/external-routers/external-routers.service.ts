import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { AdmissionsService } from '../admissions/admissions.service';
import type { Unresolvable } from '../admissions/admissions.queries';
import {
  authorizationConsumed,
  authorizationExpired,
  authorizationNotFound,
  notAdmitted,
} from '../admissions/admissions.errors';
import { BYTES_PER_TOKEN, costOf, DEFAULT_MAX_TOKENS } from '../admissions/prices';
import { SettlementsService } from '../admissions/settlements.service';
import { newId } from '../../1-platform/common/ids';
import { invariant } from '../../1-platform/common/invariant';
import { usdText, type Usd } from '../../1-platform/common/money';
import type { Problem } from '../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { Refusals } from '../routes/choice/refusals.service';
import { notServed } from '../routes/routes.errors';
import type { Choice } from '../routes/choice/route-choice';
import { RoutingService, type ChoiceRequest, type Route } from '../routes/choice/routing.service';
import type { RoutedModel, RoutedProfile } from '../routes/choice/routing-table';
import { RoutingTables, type PricedRequest } from '../routes/choice/routing-tables.service';
import { WorkerSeats } from '../routes/choice/workers/worker-seats';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import type {
  AuthorizationView,
  AuthorizeBody,
  PendingResolutionView,
  RecordSamplesBody,
  RecordTelemetryBody,
  ResolutionView,
  ResolveBody,
  RouterConfigView,
} from './external-routers.dto';
import { forgetSamples, saveSamples } from './external-routers.queries';

/** How long an authorization may be resolved. */
const LIFE_MS = 60_000;

/** How long a router may take to report the result of a resolved request. Then the reservation is charged. */
const SETTLED_WITHIN_MS = 3_600_000;

const SCHEMA_VERSION = 1;

const ROWS_AT_ONCE = 5_000;

/** Why an authorization cannot be resolved. */
const FAULTS: Readonly<Record<Unresolvable, () => Problem>> = {
  unknown: authorizationNotFound,
  another: authorizationNotFound,
  consumed: authorizationConsumed,
  expired: authorizationExpired,
};

/** For gateways with their own public address: admission, choice of a target, and costs of their requests. */
@Injectable()
export class ExternalRoutersService implements OnModuleInit {
  constructor(
    private readonly routing: RoutingService,
    private readonly tables: RoutingTables,
    private readonly admissions: AdmissionsService,
    private readonly settlements: SettlementsService,
    private readonly seats: WorkerSeats,
    private readonly refusals: Refusals,
    private readonly statements: StatementPool,
    private readonly unitOfWork: UnitOfWork,
    private readonly sweeps: Sweeps,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'router samples', everySeconds: 6 * 3_600, run: () => this.forget() });
  }

  /** Hot path: one statement, shared with concurrent requests of the organisation. */
  async authorize(context: OrgContext, body: AuthorizeBody): Promise<AuthorizationView> {
    const begunAt = performance.now();
    try {
      return await this.authorized(context, body);
    } catch (error) {
      // Under a new id: the caller may retry under its own id, and report the result of that.
      const { logical_model: logicalModel } = body;
      this.refusals.note(context, {
        requestId: newId(),
        logicalModel,
        experimentId: null,
        streamed: false,
        error,
        begunAt,
      });
      throw error;
    }
  }

  private async authorized(context: OrgContext, body: AuthorizeBody): Promise<AuthorizationView> {
    const { orgId, key } = context;
    invariant(key, 'only inference keys authorize');
    const { route } = await this.routing.route(context, body.logical_model);
    this.settlements.checkRoom();
    const promptTokens = body.estimated_prompt_tokens ?? Math.ceil(JSON.stringify(body).length / BYTES_PER_TOKEN);
    const asked = {
      keyId: key.keyId,
      id: newId(),
      requestId: body.request_id,
      logicalModel: body.logical_model,
      promptTokens: body.estimated_prompt_tokens ?? null,
      routeGeneration: route.generation,
      reservedUsd: this.routing.reservation(route, { promptTokens, maxTokens: DEFAULT_MAX_TOKENS }),
      livesMs: LIFE_MS,
      heldMs: LIFE_MS,
      profileId: null,
    };
    const admission = await this.admissions.admit(orgId, asked, true);
    if (admission.outcome !== 'authorized') throw notAdmitted(admission, 402);
    return {
      authorization_id: admission.id,
      route_generation: admission.routeGeneration,
      expires_at: admission.expiresAt,
    };
  }

  /** A target, which uses the authorization up; or the target that is starting, which does not. */
  async resolve(context: OrgContext, body: ResolveBody): Promise<ResolutionView | PendingResolutionView> {
    const { orgId } = context;
    const { authorization_id: authorizationId, request_id: requestId, logical_model: logicalModel } = body;
    const { found, ageMs } = await this.admissions.look(orgId, authorizationId, requestId, logicalModel);
    if (found !== 'open') throw FAULTS[found]();
    const { table, route } = await this.routing.route(context, logicalModel);
    const request = {
      preferredProfileId: body.preferred_profile_id,
      timeLeftMs: route.queueTimeoutMs,
      elsewhere: new Map(Object.entries(body.active_streams_by_profile ?? {})),
      queuedElsewhere: body.queued_requests,
    };
    const choice = await this.chosen(context, { table, route }, request);
    if (choice.kind === 'refuse') throw notServed(choice);
    if (choice.kind === 'wait')
      return { pending_profile_id: choice.profileId, retry_after_ms: Math.ceil(choice.retryAfterMs) };
    const { profileId, source, fallbackUsed } = choice;
    const target = route.targets.find(({ profile }) => profile.profileId === profileId);
    invariant(target, 'a choice is of a target of its route');
    const resolution = { authorizationId, requestId, logicalModel, profileId, heldMs: SETTLED_WITHIN_MS };
    const fault = await this.admissions.resolve(orgId, { ...resolution, whateverItsAge: false });
    if (fault) throw FAULTS[fault]();
    return {
      profile_id: profileId,
      target_name: `${target.tier}/${profileId}`,
      upstream_model: target.profile.exactModel,
      worker_url: this.seats.next(orgId, target.profile)?.endpoint ?? null,
      route_generation: route.generation,
      decision_source: source,
      fallback_used: fallbackUsed,
      activation_path: pathOf(target.profile, ageMs, performance.now() - table.readAt),
    };
  }

  /**
   * Requests the target that the caller is to wait for. A target that may not be requested is passed over.
   */
  private async chosen(context: OrgContext, { table, route }: Route, request: ChoiceRequest): Promise<Choice> {
    for (;;) {
      const choice = this.routing.choose(table, context.orgId, route, request);
      const woken = choice.wake === null ? undefined : table.profiles.get(choice.wake);
      if (!woken || (await this.routing.wake(context, woken)) || choice.kind === 'serve') return choice;
    }
  }

  /** The routes with their present state. The generation covers only the routes. */
  async config({ orgId }: OrgContext): Promise<RouterConfigView> {
    const table = await this.tables.of(orgId);
    const routes = [...table.models.values()].map(routeView);
    return { schema_version: SCHEMA_VERSION, generation: table.generation, routes };
  }

  /** Resolves when it is written: the authorization of the request is settled, once. */
  async telemetry({ orgId }: OrgContext, body: RecordTelemetryBody): Promise<void> {
    const served = await this.tables.pricesOf(orgId, body.request_id, body.profile_id ?? null);
    const backendMs = began(body) ? backendOf(body) : null;
    const credit = isSuccess(body.status_code) ? (served?.credit ?? null) : null;
    await this.settlements.settled({
      org_id: orgId,
      request_id: body.request_id,
      began_ms_ago: agoMs(body, backendMs),
      key_id: null,
      logical_model: await this.refusals.recordedName(orgId, body.logical_model),
      profile_id: body.profile_id ?? served?.profileId ?? null,
      meant_for_profile_id: null,
      experiment_id: served?.experimentId ?? null,
      route_generation: body.route_generation ?? null,
      decision_source: body.decision_source ?? null,
      activation_path: body.activation_path ?? null,
      classifier_profile_id: body.classifier_profile_id ?? null,
      status_code: body.status_code ?? null,
      upstream_attempts: body.upstream_attempts ?? null,
      streamed: body.stream_duration_ms != null,
      fallback_used: body.fallback_used ?? false,
      deadline_missed: false,
      prompt_tokens: body.prompt_tokens ?? null,
      completion_tokens: body.completion_tokens ?? null,
      queue_ms: body.queue_ms ?? null,
      routing_ms: null,
      classifier_ms: body.classifier_latency_ms ?? null,
      ttft_ms: body.ttft_ms ?? null,
      backend_ms: backendMs,
      end_to_end_ms: body.end_to_end_latency_ms ?? null,
      mean_inter_token_ms: body.mean_inter_token_ms ?? null,
      p95_inter_token_ms: body.p95_inter_token_ms ?? null,
      cold_start_avoided_ms: credit?.avoidedMs ?? 0,
      credited_start_id: credit?.startId ?? null,
      cost_usd: usdText(reportedCost(served, body, backendMs)),
      repeated: 0,
    });
  }

  samples({ orgId }: OrgContext, { samples }: RecordSamplesBody): Promise<void> {
    return saveSamples(this.statements, orgId, samples);
  }

  private async forget(): Promise<void> {
    const { usageRetentionDays: days } = this.environment;
    await this.sweeps.repeat(ROWS_AT_ONCE, (limit) =>
      this.unitOfWork.system('samples of every organisation grow old', (tx) => forgetSamples(tx, days, limit)),
    );
  }
}

const routeView = (route: RoutedModel): RouterConfigView['routes'][number] => ({
  logical_model: route.logicalModel,
  mode: route.mode,
  queue_timeout_ms: route.queueTimeoutMs,
  generation: route.generation,
  targets: route.targets.map(({ profile, tier, priority, enabled }) => ({
    profile_id: profile.profileId,
    tier,
    service_url: profile.backendUrl || (profile.workers[0]?.endpoint ?? ''),
    upstream_model: profile.exactModel,
    priority,
    min_replicas: profile.minReplicas,
    max_replicas: profile.maxReplicas,
    current_replicas: profile.replicas,
    target_concurrency: profile.targetConcurrency,
    max_queue_depth: profile.maxQueueDepth,
    ready: profile.ready,
    draining: profile.draining,
    ...(enabled ? {} : { enabled }),
    node_hourly_usd: Number(usdText(profile.price.nodeHourlyUsd)),
  })),
  classifier_profile_id: route.classifier.profileId,
  classifier_prompt: route.classifier.prompt,
  classifier_response_schema: route.classifier.responseSchema,
});

/** A worker that became ready after the authorization counts as one that the request waited for. */
function pathOf({ readyForMs, startKind }: RoutedProfile, ageMs: number, tableAgeMs: number) {
  return readyForMs === null || readyForMs + tableAgeMs > ageMs ? 'warm' : (startKind ?? 'cold');
}

/** How long ago a finished request arrived: its total time, or the sum of its reported parts. */
const agoMs = ({ end_to_end_latency_ms: whole, queue_ms: queued }: RecordTelemetryBody, backendMs: number | null) =>
  Math.max(whole ?? (queued ?? 0) + (backendMs ?? 0), backendMs ?? 0);

/**
 * How long a worker was busy: the total less the wait if both are reported, else the time to the first byte
 * plus the stream; if only the total is reported, that.
 */
function backendOf(body: RecordTelemetryBody): number | null {
  const { end_to_end_latency_ms: whole, queue_ms: queued, ttft_ms: firstByte, stream_duration_ms: stream } = body;
  if (whole != null && queued != null) return Math.max(whole - queued, 0);
  return firstByte == null && stream == null ? (whole ?? null) : (firstByte ?? 0) + (stream ?? 0);
}

const isSuccess = (status: number | null | undefined): boolean => status == null || (status >= 200 && status < 300);

/** Whether an answer began. A failure without a sign of an answer never did. */
const began = ({
  status_code: status,
  ttft_ms: firstByte,
  stream_duration_ms: stream,
  completion_tokens: tokens,
}: RecordTelemetryBody) => isSuccess(status) || firstByte != null || (stream ?? 0) > 0 || (tokens ?? 0) > 0;

const isCounted = (tokens: number | null | undefined, priceUsd: Usd): boolean => tokens != null || priceUsd === 0n;

/** Embeddings are no tokens. */
const isEmbedding = ({ endpoints }: PricedRequest): boolean => endpoints.size === 1 && endpoints.has('embeddings');

/**
 * By the prices of the serving profile; 0 without one, or if the answer never began. An answer without the
 * counts that its price needs costs its reservation, as without telemetry, also one that broke off.
 */
function reportedCost(served: PricedRequest | undefined, body: RecordTelemetryBody, backendMs: number | null): Usd {
  if (!served || !began(body)) return 0n;
  const { pricing, nodeHourlyUsd } = served.price;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = body;
  const counted = pricing
    ? isCounted(promptTokens, pricing.promptUsdPerMtok) &&
      (isEmbedding(served) || isCounted(completionTokens, pricing.completionUsdPerMtok))
    : backendMs !== null || nodeHourlyUsd === 0n;
  if (!counted && served.reservedUsd !== null) return served.reservedUsd;
  return costOf(served.price, {
    promptTokens: promptTokens ?? 0,
    completionTokens: completionTokens ?? 0,
    backendMs: backendMs ?? 0,
  });
}
