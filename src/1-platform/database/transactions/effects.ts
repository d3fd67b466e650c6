import type { Logger } from 'pino';

/** What follows a commit. */
export type Effect = () => void | Promise<void>;

/** Runs all effects of a commit. The change stands whatever they do: its caller must not see their errors. */
export async function runEffects(effects: readonly Effect[], logger: Logger): Promise<void> {
  for (const effect of effects) {
    try {
      await effect();
    } catch (error) {
      logger.error({ err: error }, 'work after a commit failed');
    }
  }
}
