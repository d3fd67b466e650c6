/**
 * The time of this process. It stamps rows that requests cause, so a test can stop the time. The database's
 * clock decides what several replicas must agree on (deadlines, expiry, leases).
 */
export abstract class Clock {
  abstract now(): Date;
}

/** The machine's clock: the only place in the service that reads the current time. */
export class SystemClock extends Clock {
  now(): Date {
    // oxlint-disable-next-line house/clock -- this is the place
    return new Date();
  }
}
