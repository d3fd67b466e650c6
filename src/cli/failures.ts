/** The exit codes of `ccp-agent`, and one for waits. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage, or a field that the service refuses. */
  usage: 2,
  /** The service refuses: nobody is logged in, the role may not do it, or the state of things forbids it. */
  refused: 3,
  notFound: 4,
  /** The service is not reachable, or too busy. */
  unreachable: 5,
  /** It goes on: the wait for its end took too long. */
  unfinished: 6,
} as const;

export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export interface FailureFacts {
  /** Stable name: that of the service's problem, or one of this program. */
  readonly code: string;
  /** One sentence: what is wrong. */
  readonly message: string;
  readonly exit: number;
  /** One sentence: what mends it. */
  readonly remedy?: string | undefined;
  /** The refused members of the request. */
  readonly fields?: readonly FieldFault[] | undefined;
  /** By which the service's log names the request. */
  readonly requestId?: string | undefined;
  /** Of a request that may have been carried out, although no answer came: a repetition with it is safe. */
  readonly idempotencyKey?: string | undefined;
}

/** A command that cannot do what it is for. */
export class CliFailure extends Error {
  constructor(
    readonly facts: FailureFacts,
    options?: ErrorOptions,
  ) {
    super(facts.message, options);
  }
}

export const usage = (message: string, remedy?: string): CliFailure =>
  new CliFailure({ code: 'invalid_usage', message, exit: EXIT.usage, remedy });

/** The code of what `missing` makes. */
export const NOT_FOUND = 'not_found';

export const missing = (message: string, remedy?: string): CliFailure =>
  new CliFailure({ code: NOT_FOUND, message, exit: EXIT.notFound, remedy });

/** What is printed of an error that nobody foresaw. */
export function factsOf(error: unknown): FailureFacts {
  if (error instanceof CliFailure) return error.facts;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'unclassified', message, exit: EXIT.failed };
}
