import type { Request } from 'express';

/** A request with what the edge of the service knows of it. */
export interface ServiceRequest extends Request {
  requestId: string;
  /** Declared path of the operation, such as `/v1/cluster/:id`; bounded, so it may be a label. */
  routeTemplate?: string;
  /** Organisation of the caller, once known. */
  orgId?: string;
  /**
   * Asked while the body comes, inflated: with how many bytes are there,
   * whether they may stay. Throws a problem where not.
   */
  bodyGrows?: (bytes: number) => void;
  /** SHA-256 of the body as it came, hexadecimal; of requests with an `Idempotency-Key`. */
  bodyDigest?: string;
  /** The caller is a client of OpenAI's API: refusals tell it in its own words too. */
  openAiErrors?: boolean;
  /** Failures are told as gRPC's `Status`, in the form of the request. */
  statusErrors?: boolean;
  /** Its place in the work under way; health and metrics need none. */
  place?: WorkPlace;
  /** When it came, of `process.hrtime`, where it had to wait for its place. */
  receivedAt?: bigint;
  /** The body is a batch and may hold text that cannot be stored: its handler looks for it. */
  suspectText?: boolean;
  /** The client sends its body once `100 Continue` says so, and it did not yet. */
  awaitsContinue?: boolean;
  /** The client expects something that this service does not know. */
  unknownExpectation?: boolean;
  /** Gives back what the body takes of the memory for bodies, where a response outlasts its body by far. */
  releaseBody?: () => void;
}

/** The place of one request in the work under way, which is bounded. */
export interface WorkPlace {
  /** For an operation that begins to wait for something else than this service and its database. */
  leave(): void;
  /**
   * Takes a place again, as soon as there is one.
   *
   * @throws a 503 where there is none in time
   */
  again(): Promise<void>;
  /** Calls back once the request is answered and its work is done, also where its client left before. */
  whenOver(done: () => void): void;
}
