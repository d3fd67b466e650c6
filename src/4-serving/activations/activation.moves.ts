/** Phases that the service knows; others are kept as they are told. */
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

/** Phases of a worker that is only coming up: after one that served or failed, they are another worker's. */
const STARTING: ReadonlySet<string> = new Set(['Pending', 'Scheduling', 'Pulling', 'Restoring', 'Loading']);

/** The start that an activation is in. */
export interface CurrentStart {
  readonly id: string;
  readonly generation: number;
  /** Whether it has ever been ready. */
  readonly ready: boolean;
  readonly failed: boolean;
}

/** An activation as it is known. */
export interface KnownActivation {
  readonly version: number;
  readonly desiredState: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly endpoint: string | null;
  readonly observedGeneration: number;
  readonly start: CurrentStart | null;
  /** A start that comes up beside the current one, of another pod, as its events tell. */
  readonly successor: Pick<CurrentStart, 'id' | 'generation'> | null;
}

/** What a controller reports. Without a generation it speaks of the one that it reported last. */
export interface ActivationReport {
  readonly desiredState: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly endpoint: string | null;
  readonly observedGeneration: number | undefined;
}

/** What a report does. */
export type ActivationMove =
  /** It is of a generation that is past. */
  | { readonly kind: 'ignored' }
  /** It says what is known. */
  | { readonly kind: 'heard' }
  | {
      readonly kind: 'moved';
      readonly observedGeneration: number;
      /** The current start is over. */
      readonly ends: boolean;
      /** Another one begins. */
      readonly begins: boolean;
      /** The successor of the current start is current now: the worker that the report is of. */
      readonly succeeds: boolean;
      /** A start that began with a phase of one that comes up; else its beginning was missed. */
      readonly beginningSeen: boolean;
      /** The start that is current afterwards is ready for the first time. */
      readonly becomesReady: boolean;
      /** The start that is current afterwards has failed for the first time. */
      readonly fails: boolean;
      /** Phase or readiness differ from what was known. */
      readonly changesPhase: boolean;
    };

/** Whether a phase follows another one while one and the same worker comes up. */
const isLater = (phase: string, than: string): boolean =>
  STARTING.has(than) && (PHASES as readonly string[]).indexOf(phase) > (PHASES as readonly string[]).indexOf(than);

/** What a report means to an activation. */
export function moveOf(known: KnownActivation | undefined, report: ActivationReport): ActivationMove {
  const observedGeneration = report.observedGeneration ?? known?.observedGeneration ?? 0;
  if (known && observedGeneration < known.observedGeneration) return { kind: 'ignored' };

  const { phase, ready } = report;
  const suspended = phase === 'Suspended';
  const changesPhase = known?.phase !== phase || known.ready !== ready;
  const current = known?.start ?? null;
  // Only a controller that goes back speaks of another worker: it may be behind what events tell of this one.
  const goesBack = known !== undefined && known.phase !== phase && STARTING.has(phase) && !isLater(phase, known.phase);
  const otherWorker = current !== null && goesBack && !ready && (current.ready || current.failed);
  // A start that an event told of a later generation is not ended by who has not seen that one yet.
  const seesIt = report.observedGeneration === undefined || (current?.generation ?? 0) <= observedGeneration;
  const released = current !== null && suspended && seesIt;
  const ends = otherWorker || released;
  const becomes = ready && known?.ready !== true;
  const comesUp =
    known === undefined || known.phase === 'Suspended' || becomes || (known.phase !== phase && STARTING.has(phase));
  const another = otherWorker || (current === null && !suspended && comesUp);
  const succeeds = another && known?.successor != null;
  const begins = another && !succeeds;
  const after = begins || succeeds ? { ready: false, failed: false } : ends ? null : current;
  // That it is still ready says nothing of a worker that has come up meanwhile.
  const becomesReady = after !== null && !after.ready && becomes;
  const fails = after !== null && phase === 'Failed' && !after.failed;

  const saysTheSame =
    known?.desiredState === report.desiredState &&
    known.endpoint === report.endpoint &&
    known.observedGeneration === observedGeneration &&
    !changesPhase;
  if (saysTheSame && !ends && !begins && !becomesReady && !fails) return { kind: 'heard' };
  const beginningSeen = begins && STARTING.has(phase);
  return {
    kind: 'moved',
    observedGeneration,
    ends,
    begins,
    succeeds,
    beginningSeen,
    becomesReady,
    fails,
    changesPhase,
  };
}
