/** Why the service cannot start, in one line for a person. */
export class StartRefused extends Error {}

/** The process ends as it was asked to, and something was not finished. */
export class StopFailed extends Error {
  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
  }
}
