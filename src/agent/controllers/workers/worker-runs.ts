import type { FailureFacts } from '../../failures';

/** How a controller starts and ends the processes of workers: supervisors, jobs, pods. */
export interface WorkerRuns {
  /** Whether workers of the network `host` may share one, in which a port has one worker. */
  readonly sharesNetwork: boolean;
  /**
   * Starts a worker, and resolves when it is on its way. Nothing happens if one of the same uid exists: a
   * controller that was killed starts again what it has recorded. How it goes on is its status.
   */
  start(wish: RunWish): Promise<void>;
  /** Throws if that is not known at the moment. @returns undefined if there is none of this uid */
  status(run: KnownRun): Promise<RunStatus | undefined>;
  /**
   * What was given as `record`, where the cluster keeps it; with `isDismissed` for those that have ended, or
   * are about to. A controller that started them may have kept its records where this one does not see them.
   */
  records?(): Promise<unknown[]>;
  /** Where there are `records`: the service knows the end of this worker, so they need it no more. */
  endReported?(uid: string): Promise<void>;
  /** All that have not ended, also those that nobody has recorded. */
  list(): Promise<RunId[]>;
  /** Asks a worker to end. @param isForced leaves it no choice. Does nothing if it has ended */
  end(run: RunId, isForced: boolean): Promise<void>;
  /** Throws `AgentFailure`. A repeated id joins the attempt in progress, or gets its result. */
  checkpoint(run: RunId, wish: { readonly id: string; readonly leaveRunning: boolean }): Promise<void>;
  /** Whether nobody is connected to it. @param endpoint where it was reported */
  isQuiet(run: RunId, endpoint: string): Promise<boolean>;
  /** A port for a worker in the network of its machine. If it is taken there, the worker does not start. */
  freePort(): Promise<number>;
}

export interface RunId {
  /** UUID: the `workload_uid` of its events. */
  readonly uid: string;
  /** A DNS label. Only one process has it at a time. */
  readonly name: string;
}

export type WorkerNetwork = 'host' | 'isolated';

export interface KnownRun extends RunId {
  readonly network: WorkerNetwork;
  /** On which it listens. 0, in a network of its own: whoever starts it chooses one. */
  readonly port: number;
}

export interface RunWish extends KnownRun {
  readonly command: readonly string[];
  /** Of its container; undefined: the usual one, where it runs in a container. */
  readonly image: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** The checkpoint to restore; undefined: it is started cold. */
  readonly reference: string | undefined;
  /** Where its checkpoints go. */
  readonly store: StoreKind;
  readonly resources: WorkerResources;
  /** How long it may take from SIGTERM to its end. */
  readonly stopGraceMs: number;
  /** What the controller has to know of it, as JSON. */
  readonly record: object;
}

/** What a batch system reserves for a worker; undefined: what it gives a job that asks for nothing. */
export interface WorkerResources {
  readonly cpus: number | undefined;
  readonly memoryMib: number | undefined;
  readonly gpus: number | undefined;
}

export type StoreKind = 'directory' | 'service';

export type RunStatus =
  /** It waits for a place to run. `why`: a sentence for people. */
  | { readonly state: 'queued'; readonly why: string }
  | {
      /** `starting`: it has no process yet, or is being restored. */
      readonly state: 'starting' | 'running';
      /** undefined: not known yet. */
      readonly endpoint: string | undefined;
      /** Whoever owns the machine has asked it to end: another one should take its place meanwhile. */
      readonly isEnding?: true;
      /** Why its cluster could not ask it, in a sentence: whether it serves is not known. */
      readonly unasked?: string;
    }
  | {
      readonly state: 'ended';
      readonly failure: FailureFacts;
      /** When that was, as far as the cluster knows. */
      readonly endedAt?: string | undefined;
      /** Whoever owns the machine, or its loss, has ended it. */
      readonly isAsked?: true;
      /** It was killed, and its cluster does not know why. */
      readonly isUnseen?: true;
    };
