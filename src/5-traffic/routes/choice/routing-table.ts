import type { PriceBasis } from '../../admissions/prices';
import { usdOf } from '../../../1-platform/common/money';
import type { StartKind } from '../../../4-serving/activations/activations.dto';
import { ENDPOINTS, endpointsOf, type Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import type { Candidate } from './route-choice';
import type { RouteMode } from '../route.modes';
import type { BackendTimeRow, PriceRow, RoutedProfileRow, RouteRow } from './routing-tables.queries';
import { startupEstimate, type StartupFacts } from './startup-estimate';

/** A profile whose start has just failed is not requested again for this long. */
const BARRED_AFTER_FAILURE_MS = 30_000;

/** How long a request keeps a worker busy without measurements. */
const DEFAULT_SERVICE_MS = 1_000;

/**
 * A restored start, until one of its requests is credited, and the time that it saved against a cold start.
 */
export interface Credit {
  readonly startId: string;
  readonly avoidedMs: number;
}

/** Where requests go. */
export interface RoutedWorker {
  /**
   * Distinguishes it from other workers of all profiles; null if the controller reports one address for all
   * replicas.
   */
  readonly uid: string | null;
  readonly endpoint: string;
  /** Concurrent requests. */
  readonly capacity: number;
  readonly startKind: StartKind | null;
  /** How long its start took; null if its beginning was missed. */
  readonly startMs: number | null;
  readonly credit: Credit | null;
}

/** A profile of a route, as it was when the table was read. */
export interface RoutedProfile {
  readonly profileId: string;
  readonly exactModel: string;
  readonly endpoints: ReadonlySet<Endpoint>;
  readonly enabled: boolean;
  /** Its configured address, whichever worker runs. */
  readonly backendUrl: string;
  /** Those that take requests. Never empty if it is ready. */
  readonly workers: readonly RoutedWorker[];
  readonly targetConcurrency: number;
  readonly maxQueueDepth: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly price: PriceBasis;
  readonly ready: boolean;
  /** The controller that repeats its reports has stopped: the workers may be gone. */
  readonly silent: boolean;
  readonly draining: boolean;
  /** Ready replicas. */
  readonly replicas: number;
  /** Of the worker that serves, or comes up. */
  readonly startKind: StartKind | null;
  /** How long it had been ready when the table was read. */
  readonly readyForMs: number | null;
  /** Of the worker that serves, or of the first one. */
  readonly credit: Credit | null;
  readonly start: Candidate['start'];
  /** The time since then, at the time when the table was read. */
  readonly startup: StartupFacts;
  /** Time until it may be requested again. */
  readonly barredMs: number;
  readonly serviceMs: number;
  /** How many replicas to request if it is asleep. */
  readonly wakeReplicas: number;
  /** Of its newest intent; 0 without any. */
  readonly intentGeneration: number;
  /** The latest running experiment: requests that name none belong to it. */
  readonly experimentId: string | null;
}

export interface RoutedTarget {
  readonly profile: RoutedProfile;
  readonly tier: string;
  readonly priority: number;
  /** It may be chosen: neither it nor its profile is disabled. */
  readonly enabled: boolean;
}

export interface RoutedModel {
  readonly logicalModel: string;
  readonly mode: RouteMode;
  readonly queueTimeoutMs: number;
  readonly generation: number;
  readonly classifier: {
    readonly profileId: string | null;
    readonly prompt: string | null;
    readonly responseSchema: string | null;
  };
  readonly createdAt: Date;
  /** In the order of their priorities. */
  readonly targets: readonly RoutedTarget[];
  /** It has targets, and all of them are disabled. */
  readonly isDisabled: boolean;
}

/** The routing data of an organisation: read from the database at once, never changed. */
export class RoutingTable {
  /** With all of their targets. */
  readonly models: ReadonlyMap<string, RoutedModel>;
  readonly profiles: ReadonlyMap<string, RoutedProfile>;
  /** Changes of all routes, also of those that were deleted: each one makes it larger. */
  readonly generation: number;
  /** With the targets that may be chosen: for each endpoint, and for callers who name none. */
  private readonly choosable: ReadonlyMap<Endpoint | undefined, ReadonlyMap<string, RoutedModel>>;

  /**
   * @param readAt of `performance.now`
   * @param withdrawn what routes that were deleted add to the generations
   */
  constructor(
    routes: readonly RouteRow[],
    profiles: readonly RoutedProfileRow[],
    times: ReadonlyMap<string, BackendTimeRow>,
    readonly readAt: number,
    withdrawn = 0,
  ) {
    this.profiles = new Map(profiles.map((row) => [row.profile_id, routedProfile(row, times.get(row.profile_id))]));
    this.models = new Map(routes.map((row) => [row.logical_model, this.routedModel(row)]));
    this.choosable = new Map([undefined, ...ENDPOINTS].map((endpoint) => [endpoint, this.modelsOf(endpoint)]));
    this.generation = routes.reduce((sum, { generation }) => sum + generation, withdrawn);
  }

  /**
   * A model with the targets that may be chosen: enabled, and serving the endpoint if one is named. Undefined
   * if there is no such route, or none of its targets serves the endpoint.
   */
  model(logicalModel: string, endpoint: Endpoint | undefined): RoutedModel | undefined {
    return this.choosable.get(endpoint)?.get(logicalModel);
  }

  /** Of workers that take requests here, and no longer in a newer table. */
  endpointsMissingIn(newer: RoutingTable): readonly string[] {
    const left = newer.endpoints();
    return [...this.endpoints()].filter((endpoint) => !left.has(endpoint));
  }

  private endpoints(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const { workers } of this.profiles.values()) for (const { endpoint } of workers) found.add(endpoint);
    return found;
  }

  private modelsOf(endpoint: Endpoint | undefined): ReadonlyMap<string, RoutedModel> {
    const models = new Map<string, RoutedModel>();
    for (const [name, model] of this.models) {
      const serving = model.targets.filter(({ profile }) => endpoint === undefined || profile.endpoints.has(endpoint));
      const targets = serving.filter(({ enabled }) => enabled);
      // A route without targets serves no endpoint: the endpoint is not the error.
      if (targets.length === model.targets.length) models.set(name, model);
      else if (serving.length > 0) models.set(name, { ...model, targets, isDisabled: targets.length === 0 });
    }
    return models;
  }

  private routedModel(row: RouteRow): RoutedModel {
    const targets = row.targets.flatMap(({ profile_id: id, tier, priority, enabled }) => {
      const profile = this.profiles.get(id);
      return profile ? [{ profile, tier, priority, enabled: enabled && profile.enabled }] : [];
    });
    return {
      logicalModel: row.logical_model,
      mode: row.mode,
      queueTimeoutMs: row.queue_timeout_ms,
      generation: row.generation,
      classifier: {
        profileId: row.classifier_profile_id,
        prompt: row.classifier_prompt,
        responseSchema: row.classifier_response_schema,
      },
      createdAt: row.created_at,
      targets,
      isDisabled: targets.length > 0 && targets.every((target) => !target.enabled),
    };
  }
}

function routedProfile(row: RoutedProfileRow, times: BackendTimeRow | undefined): RoutedProfile {
  const releasing =
    row.intent_status === 'Pending' && (row.desired_state === 'Suspended' || row.desired_replicas === 0);
  const draining = row.phase === 'Draining' || releasing;
  const ready = row.ready === true && !draining;
  const comes = row.start_id !== null && !row.start_ready && !row.start_failed;
  const asked = row.intent_status === 'Pending' && !releasing;
  const failedMsAgo = row.intent_status === 'Failed' ? (row.intent_age_ms ?? 0) : Infinity;
  const barred = !draining && failedMsAgo < BARRED_AFTER_FAILURE_MS && !comes && !asked;
  const wanted = row.desired_state === 'Active' ? (row.desired_replicas ?? 0) : 0;
  const workers = ready ? workersOf(row, wanted) : [];
  return {
    profileId: row.profile_id,
    exactModel: row.exact_model,
    endpoints: endpointsOf(row.endpoints),
    enabled: row.enabled,
    backendUrl: row.backend_url,
    workers,
    targetConcurrency: row.target_concurrency,
    maxQueueDepth: row.max_queue_depth,
    minReplicas: row.min_replicas,
    maxReplicas: row.max_replicas,
    price: priceBasis(row, times),
    ready: workers.length > 0,
    silent: row.silent,
    draining,
    replicas: workers.reduce((sum, { capacity }) => sum + capacity, 0) / row.target_concurrency,
    startKind: row.start_kind,
    readyForMs: row.start_ready_ms,
    credit: creditOf(row),
    start: draining ? 'leaving' : barred ? 'barred' : comes || asked ? 'coming' : 'asleep',
    startup: {
      current: comes && !draining && row.start_kind ? { kind: row.start_kind, runsMs: row.start_runs_ms ?? 0 } : null,
      askedMsAgo: asked && !draining ? row.asked_ms_ago : null,
      hasArtifact: row.has_artifact,
      medians: { cold: row.cold_median_ms, restore: row.restore_median_ms },
      estimatedColdMs: row.estimated_cold_start_ms,
    },
    barredMs: barred ? BARRED_AFTER_FAILURE_MS - failedMsAgo : 0,
    serviceMs: times?.p50_ms ?? DEFAULT_SERVICE_MS,
    wakeReplicas: Math.max(wanted, row.min_replicas, 1),
    intentGeneration: row.intent_generation ?? 0,
    experimentId: row.experiment_id,
  };
}

/** The reported ones that are ready; else one that stands for all replicas. */
function workersOf(row: RoutedProfileRow, wanted: number): RoutedWorker[] {
  const { workers, starts, target_concurrency: concurrency, cold_median_ms: coldMs } = row;
  if (workers === null) {
    const endpoint = row.endpoint || row.backend_url;
    const replicas = Math.max(starts.length > 0 ? starts.length : wanted, 1);
    const { start_kind: startKind, start_took_ms: startMs } = row;
    const all = { uid: null, endpoint, capacity: replicas * concurrency, startKind, startMs, credit: creditOf(row) };
    // Its controller has not yet reported where it is.
    return endpoint === '' ? [] : [all];
  }
  // Of several starts of one pod the newest counts, which comes first.
  const startOf = new Map(starts.toReversed().map((start) => [start.pod_uid, start]));
  return workers
    .filter(({ ready }) => ready)
    .map(({ workload_uid: uid, endpoint, start_kind: reported }) => {
      const start = startOf.get(uid);
      return {
        uid,
        endpoint,
        capacity: concurrency,
        startKind: start?.kind ?? reported ?? null,
        startMs: start?.took_ms ?? null,
        credit: start ? creditFor(start.id, start.kind, start.took_ms, start.credited, coldMs) : null,
      };
    });
}

const creditOf = (row: RoutedProfileRow): Credit | null =>
  creditFor(row.start_id, row.start_kind, row.start_took_ms, row.start_credited, row.cold_median_ms);

function creditFor(
  startId: string | null,
  kind: StartKind | null,
  tookMs: number | null,
  credited: boolean,
  coldMs: number | null,
): Credit | null {
  if (startId === null || kind !== 'restore' || tookMs === null || credited) return null;
  return { startId, avoidedMs: Math.max(Math.round((coldMs ?? 0) - tookMs), 0) };
}

/** Treats invalid prices as missing: specs of profiles may contain anything. */
export function priceBasis(
  row: Pick<PriceRow, 'prompt_price' | 'completion_price' | 'node_hourly_usd' | 'target_concurrency'>,
  times: BackendTimeRow | undefined,
): PriceBasis {
  const prompt = row.prompt_price === null ? undefined : usdOf(row.prompt_price);
  const completion = row.completion_price === null ? undefined : usdOf(row.completion_price);
  return {
    pricing:
      prompt === undefined && completion === undefined
        ? null
        : { promptUsdPerMtok: prompt ?? 0n, completionUsdPerMtok: completion ?? 0n },
    nodeHourlyUsd: usdOf(row.node_hourly_usd ?? '0') ?? 0n,
    targetConcurrency: row.target_concurrency,
    p95BackendMs: times?.p95_ms ?? null,
  };
}

/** The volatile state of a target. */
export interface TargetNow {
  /** Of the workers that may serve, and their requests in flight. */
  readonly capacity: number;
  readonly inFlight: number;
  readonly queued: number;
  /** Time until it may be requested again, after a refusal. */
  readonly refusedMs: number;
  /** For how long its ready workers count as lost; 0 if they do not. */
  readonly lostMs: number;
}

/** A target as it can be chosen now. @param ageMs since the table was read */
export function candidate({ profile, tier }: RoutedTarget, now: TargetNow, ageMs: number): Candidate {
  const { startup } = profile;
  const ready = profile.ready && now.lostMs === 0;
  // A target that was barred for a while is asleep afterwards.
  const start = profile.start === 'barred' ? 'asleep' : profile.start;
  const barredMs = start === 'asleep' ? Math.max(profile.barredMs - ageMs, now.refusedMs, 0) : 0;
  // Nobody acts on a request for a target whose controller has stopped.
  const outMs = Math.max(barredMs, now.lostMs);
  const { readyInMs, overdue } = startupEstimate({
    ...startup,
    current: startup.current && { ...startup.current, runsMs: startup.current.runsMs + ageMs },
    askedMsAgo: startup.askedMsAgo === null ? null : startup.askedMsAgo + ageMs,
  });
  return {
    profileId: profile.profileId,
    tier,
    ready,
    capacity: now.capacity,
    inFlight: now.inFlight,
    queued: now.queued,
    maxQueueDepth: profile.maxQueueDepth,
    serviceMs: profile.serviceMs,
    start: outMs > 0 ? 'barred' : start,
    readyInMs: outMs > 0 ? outMs : readyInMs,
    overdue,
  };
}
