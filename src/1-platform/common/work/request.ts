import type { Request } from 'express';

/** A request with the facts that the edge of the service knows about it. */
export interface ServiceRequest extends Request {
  requestId: string;
  /** Declared path of the operation, such as `/v1/cluster/:id`; a bounded set, so it may be a label. */
  routeTemplate?: string;
  /** Organisation of the caller, once known. */
  orgId?: string;
  /**
   * Called while the body arrives with the number of inflated bytes so far. Throws a problem if they exceed
   * the memory.
   */
  bodyGrows?: (bytes: number) => void;
  /** SHA-256 of the body as received, hexadecimal; for requests with an `Idempotency-Key`. */
  bodyDigest?: string;
  /** The caller is a client of OpenAI's API: refusals also have its format. */
  openAiErrors?: boolean;
  /** Failures are sent as gRPC's `Status`, in the format of the request. */
  statusErrors?: boolean;
  /** Its place among the requests in progress; health and metrics need none. */
  place?: WorkPlace;
  /** When its headers had arrived, by `performance.now`: before it waited for a place, or for its body. */
  receivedAt: number;
  /** The body is a batch and may hold text that cannot be stored: its handler checks. */
  suspectText?: boolean;
  /** The client waits for `100 Continue` before it sends its body. */
  awaitsContinue?: boolean;
  /** The client expects something that this service does not support. */
  unknownExpectation?: boolean;
  /** Why proxies and this service could interpret the request differently. */
  ambiguity?: string;
  /** Releases the memory of the body, for responses that last much longer than it is needed. */
  releaseBody?: () => void;
}

/** The place of one request among those in progress, whose number is limited. */
export interface WorkPlace {
  /** For an operation that starts to wait for something other than this service and its database. */
  leave(): void;
  /**
   * Takes a place again as soon as there is one.
   * @throws a 503 if there is none in time
   */
  again(): Promise<void>;
  /**
   * Waits for another service: meanwhile the request has a place among those that do, whose number is limited
   * too, instead of its own.
   * @throws a 503 if there is no such place, or no own one in time afterwards
   */
  elsewhere<T>(call: () => Promise<T>): Promise<T>;
  /**
   * The caller is known from now on: a request that had a place of strangers continues in its own class.
   * @throws a 503 if that is full, or has too many of this organisation
   */
  callerIsKnown(orgId: string): void;
  /** Calls back when the request is answered and its work is done, even if its client disconnected before. */
  whenOver(done: () => void): void;
}

/** Like `WorkPlace.elsewhere`, for requests that need no place too. */
export const elsewhere = <T>(place: WorkPlace | undefined, call: () => Promise<T>): Promise<T> =>
  place ? place.elsewhere(call) : call();
