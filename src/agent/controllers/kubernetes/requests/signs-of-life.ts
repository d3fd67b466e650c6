/** A report is a sign of life, without which the service gives an action up after some minutes. */
const ALIVE_EVERY_MS = 60_000;

/** Says to the service now and then that a restore goes on, and what it waits for. */
export type Alive = (waiting: () => string | undefined) => Promise<void>;

/** @param report is called once a minute, however often somebody looks */
export function signsOfLife(report: (waiting: string | undefined) => Promise<void>): Alive {
  let at = performance.now();
  return async (waiting) => {
    if (performance.now() - at < ALIVE_EVERY_MS) return;
    at = performance.now();
    await report(waiting());
  };
}
