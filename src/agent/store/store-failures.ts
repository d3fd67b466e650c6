import { AgentFailure } from '../failures';
import { EXPOSED_REMEDY } from '../files/exposure';

export const checkpointMissing = (reference: string, remedy?: string): AgentFailure =>
  new AgentFailure({
    cause: 'checkpoint_missing',
    message: `There is no checkpoint ${reference}.`,
    remedy:
      remedy ??
      '"ccp-agent list" shows those of this store. Check that this agent uses the store that has it (--store).',
  });

export const checkpointDamaged = (reference: string, what: string, error?: unknown): AgentFailure =>
  new AgentFailure(
    {
      cause: 'checkpoint_damaged',
      message: `The checkpoint ${reference} is damaged: ${what}.`,
      remedy: 'Restore another checkpoint. This one cannot be used.',
    },
    { cause: error },
  );

/** Somebody could change it between its examination and its use. */
export const checkpointExposed = (reference: string, what: string): AgentFailure =>
  new AgentFailure({
    cause: 'checkpoint_untrusted',
    message: `The checkpoint ${reference} is not safe: ${what}.`,
    remedy: EXPOSED_REMEDY,
  });

const REMEDY = 'Check that the store can be reached, has room, and may be written by this agent.';

export const storeFailed = (what: string, error?: unknown, remedy = REMEDY): AgentFailure =>
  new AgentFailure(
    {
      cause: 'store_failed',
      message: `The store failed: ${what}${error instanceof Error ? ` (${error.message})` : ''}.`,
      remedy,
    },
    { cause: error },
  );

/** The store does not give one manifest. The others may be read all the same. */
export class UnreadableManifest extends AgentFailure {
  constructor(reference: string, error: unknown) {
    super(storeFailed(`the manifest of ${reference} could not be read`, error).facts, { cause: error });
  }
}

/** What the service, or its object storage, did instead of what it was asked for. */
export interface Fault {
  readonly by: 'service' | 'storage';
  /** Of its answer; undefined: there was none. */
  readonly status?: number | undefined;
  /** Whether the same may succeed later. */
  readonly mayPass: boolean;
  /** The header of its answer. */
  readonly retryAfter?: string | null | undefined;
}

/** A file was not transferred, or its address not given. */
export class TransferFault extends AgentFailure {
  constructor(
    what: string,
    readonly fault: Fault,
    { error, remedy }: { readonly error?: unknown; readonly remedy?: string | undefined } = {},
  ) {
    super(storeFailed(what, error, remedy).facts, { cause: error });
  }

  /** A token or a right is missing. Either may be about to be replaced. */
  get isRefusal(): boolean {
    return this.fault.status === 401 || this.fault.status === 403;
  }
}

/** Whether a failure is about one object: what others are asked for may be given all the same. */
export function isOfOneObject(error: unknown): boolean {
  if (!(error instanceof TransferFault)) return error instanceof UnreadableManifest;
  const { by, status = 0 } = error.fault;
  // 502 is how the service says that the storage refuses what it was asked for an object.
  return by === 'storage' ? status === 403 || status >= 500 : status === 500 || status === 502;
}

/** Passes failures of the agent on, and explains the others. */
export const asStoreFailure = (what: string, error: unknown): AgentFailure =>
  error instanceof AgentFailure ? error : storeFailed(what, error);

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
