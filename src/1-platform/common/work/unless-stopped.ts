/**
 * Does a part of a start. Its error does not matter if the process was asked to end meanwhile. Errors of the
 * stop do matter, so what was started is stopped by the caller, after this.
 */
export async function unlessStopped(stopping: AbortSignal, start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
}
