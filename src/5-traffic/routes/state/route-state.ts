import type { Choice } from '../choice/route-choice';
import type { TargetOutlook } from '../choice/routing.service';
import type { WorkerOutlook } from '../choice/workers/worker-seats';
import { MAX_WORKERS, type RouteOutlookView, type TargetState, type TargetStateView } from './route-state.dto';

const STARTS = { coming: 'starting', asleep: 'asleep', leaving: 'leaving', barred: 'cooling' } as const;

function stateOf({ target, candidate }: TargetOutlook): TargetState {
  if (!target.enabled) return 'disabled';
  if (candidate.ready) return candidate.inFlight < candidate.capacity ? 'ready' : 'full';
  return STARTS[candidate.start];
}

export function targetStateView(outlook: TargetOutlook): TargetStateView {
  const { target, candidate, inFlight, waiting, workers } = outlook;
  const { profile, tier, priority } = target;
  const state = stateOf(outlook);
  return {
    profile_id: profile.profileId,
    tier,
    priority,
    endpoints: [...profile.endpoints],
    state,
    ready_in_ms: candidate.ready || state === 'disabled' ? null : rounded(candidate.readyInMs),
    in_flight: inFlight,
    capacity: candidate.ready ? candidate.capacity : 0,
    waiting,
    max_queue_depth: profile.maxQueueDepth,
    target_concurrency: profile.targetConcurrency,
    service_ms: Math.round(profile.serviceMs),
    ready_workers: candidate.ready ? profile.replicas : 0,
    workers: workers.toSorted(byLoad).slice(0, MAX_WORKERS).map(workerStateView),
  };
}

const byLoad = (one: WorkerOutlook, other: WorkerOutlook): number =>
  other.inFlight / other.worker.capacity - one.inFlight / one.worker.capacity;

const workerStateView = ({ worker, inFlight, passedOverMs }: WorkerOutlook) => ({
  workload_uid: worker.uid,
  endpoint: worker.endpoint,
  in_flight: inFlight,
  capacity: worker.capacity,
  start_kind: worker.startKind,
  passed_over_ms: Math.round(passedOverMs),
});

const NOT_SERVED: RouteOutlookView = {
  decision: 'refuse',
  profile_id: null,
  source: null,
  reason: 'endpoint_not_served',
  wakes: null,
  retry_after_ms: null,
};

/** @param choice undefined if no target serves the endpoint */
export const outlookView = (choice: Choice | undefined): RouteOutlookView => (choice ? chosenView(choice) : NOT_SERVED);

const chosenView = (choice: Choice): RouteOutlookView => ({
  decision: choice.kind,
  profile_id: choice.kind === 'refuse' ? null : choice.profileId,
  source: choice.kind === 'serve' ? choice.source : null,
  reason: choice.kind === 'refuse' ? choice.reason : null,
  wakes: choice.wake,
  retry_after_ms: choice.kind === 'serve' ? null : rounded(choice.retryAfterMs),
});

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
