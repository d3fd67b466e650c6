import { hash } from 'node:crypto';

/** Phases that the service knows; others are stored as reported. */
export const PHASES = [
  'Pending',
  'Scheduling',
  'Pulling',
  'Restoring',
  'Loading',
  'Warming',
  'Ready',
  'Draining',
  'Suspended',
  'Failed',
] as const;

/** Phases of a worker that comes up. After a worker that served or failed, they belong to another worker. */
const STARTING: ReadonlySet<string> = new Set(['Pending', 'Scheduling', 'Pulling', 'Restoring', 'Loading']);

/** The current start of an activation. */
export interface CurrentStart {
  readonly id: string;
  readonly generation: number;
  /** Whether it has ever been ready. */
  readonly ready: boolean;
  readonly failed: boolean;
  /** Named by its events; null if only reports describe it. */
  readonly podUid: string | null;
}

/** The known state of an activation. */
export interface KnownActivation {
  readonly version: number;
  readonly desiredState: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly endpoint: string | null;
  readonly observedGeneration: number;
  readonly clusterId: string | null;
  /** Of the list, which may be long: see `digestOfWorkers`. */
  readonly workersDigest: string | null;
  readonly message: string | null;
  readonly start: CurrentStart | null;
  /** A start that comes up beside the current one, in another pod, known from events. */
  readonly successor: Pick<CurrentStart, 'id' | 'generation' | 'podUid'> | null;
}

/** What decides on starts of a worker in the list of a report. */
interface ListedWorker {
  readonly workload_uid: string;
  readonly ready: boolean;
}

/** A controller's report. Without a generation it applies to the last one that the controller reported. */
export interface ActivationReport {
  readonly desiredState: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly endpoint: string | null;
  readonly observedGeneration: number | undefined;
  /** Who runs the workers; null if the report does not say it. */
  readonly clusterId: string | null;
  /** Canonical JSON of the list; null without one. */
  readonly workers: string | null;
  readonly message: string | null;
}

/** @param workers canonical JSON of the list; null without one */
export const digestOfWorkers = (workers: string | null): string | null =>
  workers === null ? null : hash('sha256', workers, 'base64');

/** The effect of a report. */
export type ActivationMove =
  /** Its generation is older than the last. */
  | { readonly kind: 'ignored' }
  /** It repeats the known state. */
  | { readonly kind: 'repeated' }
  | {
      readonly kind: 'moved';
      readonly observedGeneration: number;
      /** Who runs the workers afterwards. Nobody holds a suspended profile. */
      readonly clusterId: string | null;
      /** The current start has ended. */
      readonly ends: boolean;
      /** Another start begins. */
      readonly begins: boolean;
      /** The successor of the current start is current now: the report is about its worker. */
      readonly succeeds: boolean;
      /** A start that began with a phase of a worker that comes up; else its beginning was missed. */
      readonly beginningSeen: boolean;
      /** The start that is current afterwards is ready for the first time. */
      readonly becomesReady: boolean;
      /** The start that is current afterwards has failed for the first time. */
      readonly fails: boolean;
      /** Phase or readiness differ from the known state. */
      readonly changesPhase: boolean;
    };

/** Whether a phase follows another one while the same worker comes up. */
const isLater = (phase: string, than: string): boolean =>
  STARTING.has(than) && (PHASES as readonly string[]).indexOf(phase) > (PHASES as readonly string[]).indexOf(than);

/**
 * Whether events describe a start, and reports describe the whole profile: a controller that lists its
 * workers reports by an event when one of them has failed or ended.
 */
const hasOwnEvents = ({ podUid }: Pick<CurrentStart, 'podUid'>, { workers }: ActivationReport): boolean =>
  podUid !== null && workers !== null;

/** Whether another cluster reports it than before; without the name of either, that is not known. */
const isTakenOver = (known: KnownActivation | undefined, { clusterId }: ActivationReport): boolean =>
  clusterId !== null && known !== undefined && known.clusterId !== null && known.clusterId !== clusterId;

const listsAsReady = ({ workers }: ActivationReport, podUid: string | null): boolean =>
  (JSON.parse(workers ?? '[]') as ListedWorker[]).some((worker) => worker.ready && worker.workload_uid === podUid);

/** The effect of a report on an activation. */
export function moveOf(known: KnownActivation | undefined, report: ActivationReport): ActivationMove {
  const observedGeneration = report.observedGeneration ?? known?.observedGeneration ?? 0;
  if (known && observedGeneration < known.observedGeneration) return { kind: 'ignored' };

  const { phase, ready } = report;
  const suspended = phase === 'Suspended';
  const changesPhase = known?.phase !== phase || known.ready !== ready;
  const current = known?.start ?? null;
  // Only an earlier phase means another worker: a controller may lag behind the events of this one.
  const goesBack = known !== undefined && known.phase !== phase && STARTING.has(phase) && !isLater(phase, known.phase);
  const comesBack = goesBack && !ready;
  const becomes = ready && (known?.ready !== true || (known.phase === 'Failed' && phase !== 'Failed'));
  // A worker that failed holds no node. What serves or warms up later does: it is another one, whose
  // beginning was missed.
  const recovers = phase !== 'Failed' && (becomes || (known?.phase === 'Failed' && phase === 'Warming'));
  // After its own restart, a controller may not know yet that a worker serves. One that takes the profile
  // over reports on its own workers: who ran the current one reports nothing any more.
  const isReplaced =
    current !== null && current.ready && (isTakenOver(known, report) || !hasOwnEvents(current, report));
  const otherWorker =
    current !== null && ((comesBack && (isReplaced || current.failed)) || (recovers && current.failed));
  // A controller that has not seen a later generation does not end a start that an event announced for it.
  const seesIt = report.observedGeneration === undefined || (current?.generation ?? 0) <= observedGeneration;
  const released = current !== null && suspended && seesIt;
  const ends = otherWorker || released;
  const comesUp =
    known === undefined || known.phase === 'Suspended' || becomes || (known.phase !== phase && STARTING.has(phase));
  const another = otherWorker || (current === null && !suspended && comesUp);
  const succeeds = another && known?.successor != null;
  const begins = another && !succeeds;
  const fresh = { ready: false, failed: false, podUid: succeeds ? known.successor.podUid : null };
  const after = begins || succeeds ? fresh : ends ? null : current;
  // A report that it is still ready does not concern a worker that came up meanwhile, nor another replica.
  const becomesReady =
    after !== null && !after.ready && becomes && (!hasOwnEvents(after, report) || listsAsReady(report, after.podUid));
  // A profile fails after several workers: the next one has not failed.
  const fails = after !== null && !hasOwnEvents(after, report) && phase === 'Failed' && !after.failed;

  const clusterId = suspended ? null : (report.clusterId ?? known?.clusterId ?? null);
  const saysTheSame =
    known?.desiredState === report.desiredState &&
    known.endpoint === report.endpoint &&
    known.workersDigest === digestOfWorkers(report.workers) &&
    known.message === report.message &&
    known.clusterId === clusterId &&
    known.observedGeneration === observedGeneration &&
    !changesPhase;
  if (saysTheSame && !ends && !begins && !becomesReady && !fails) return { kind: 'repeated' };
  const beginningSeen = begins && STARTING.has(phase);
  return {
    kind: 'moved',
    observedGeneration,
    clusterId,
    ends,
    begins,
    succeeds,
    beginningSeen,
    becomesReady,
    fails,
    changesPhase,
  };
}
