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

/** Passes failures of the agent on, and explains the others. */
export const asStoreFailure = (what: string, error: unknown): AgentFailure =>
  error instanceof AgentFailure ? error : storeFailed(what, error);

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
