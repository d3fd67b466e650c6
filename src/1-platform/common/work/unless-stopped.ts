/**
 * Does a part of a start. If the process is asked to end meanwhile, an error of the interrupted part does not
 * matter. One of the stop does: stop what was started outside of the part.
 */
export async function unlessStopped(stopping: AbortSignal, start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
}
