/**
 * The time of this process. Rows that a request causes are stamped from here, so that a
 * test can hold the time still. What several replicas must agree on (deadlines, expiry,
 * leases) is decided by the database's clock instead.
 */
export abstract class Clock {
  abstract now(): Date;
}

/** The machine's clock: the only place of the service that asks for the current time. */
export class SystemClock extends Clock {
  now(): Date {
    // eslint-disable-next-line no-restricted-syntax -- this is the place
    return new Date();
  }
}
