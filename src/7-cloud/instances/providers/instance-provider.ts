/** A machine of the provider's account, as listed. Null: not reported. */
export interface Machine {
  readonly providerId: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly type: string;
  /** The provider's status; `deleted` when nothing is left of it. */
  readonly status: string;
  readonly tags: readonly string[];
  readonly facts: MachineFacts;
}

/** Members of a machine that are shown, and decide nothing. */
export interface MachineFacts {
  readonly cloudInstanceType: string | null;
  readonly statusDetails: string | null;
  readonly ip: string | null;
  readonly sshUser: string | null;
  readonly sshPort: number | null;
  /** Cents. */
  readonly hourlyPrice: number | null;
  /** US dollars, as text. */
  readonly costEstimate: string | null;
  readonly createdAt: string | null;
  readonly activeAt: string | null;
  readonly deletedAt: string | null;
}

export interface MachineListing {
  readonly machines: readonly Machine[];
  /** False if a part could not be read: a missing machine may be there. */
  readonly whole: boolean;
}

/**
 * An available instance type. Optional members are those that the provider does not report for every type.
 */
export interface Offer {
  readonly cloud: string;
  readonly cloudInstanceType: string;
  readonly deploymentType: string;
  readonly type: string;
  /** Cents. */
  readonly hourlyPrice: number;
  readonly availability: readonly { available?: boolean; displayName?: string; region?: string }[];
  readonly bootTime: { minSeconds?: number; maxSeconds?: number };
  readonly configuration: {
    gpuType?: string;
    interconnect?: string;
    memoryGb?: number;
    gpus?: number;
    storageGb?: number;
    vcpus?: number;
    vramPerGpuGb?: number;
    nvlink?: boolean;
    osOptions?: readonly string[];
  };
}

/**
 * Contains secrets: it is passed on, and never stored, logged or shown. Members have the names of the API,
 * and are left out if they were not sent.
 */
export interface MachineAsk {
  readonly cloud: string;
  readonly region: string;
  readonly type: string;
  readonly marketplaceCloud: boolean;
  readonly name: string;
  readonly tags: readonly string[];
  readonly further: Readonly<Record<string, unknown>>;
}

export type ProviderFaultKind =
  /** No connection. */
  | 'unreachable'
  /** Connected, and silent for too long. */
  | 'silent'
  /** The connection broke. */
  | 'broken'
  | 'key_refused'
  /** Too many requests. */
  | 'busy'
  | 'no_capacity'
  | 'refused'
  /** It has no such machine. */
  | 'unknown'
  /** It failed, or answers something else than its API. */
  | 'failing'
  | 'unreadable';

const MESSAGES: Readonly<Record<ProviderFaultKind, string>> = {
  unreachable: 'the marketplace cannot be reached',
  silent: 'the marketplace does not answer',
  broken: 'the marketplace closed the connection',
  key_refused: 'the marketplace refuses its key',
  busy: 'the marketplace takes no more requests for now',
  no_capacity: 'the marketplace has no capacity left for this instance',
  refused: 'the marketplace refuses the request',
  unknown: 'the marketplace has no such machine',
  failing: 'the marketplace fails',
  unreadable: 'the reply of the marketplace cannot be read',
};

export const PROVIDER_FAULT_KINDS = Object.keys(MESSAGES) as readonly ProviderFaultKind[];

interface FaultOptions {
  readonly status?: number;
  /** It may have executed the request. */
  readonly mayHaveHappened?: boolean;
  readonly retryAfterSeconds?: number;
  readonly words?: string;
  readonly cause?: unknown;
}

/** The message is public. */
export class ProviderFault extends Error {
  readonly status: number | undefined;
  readonly mayHaveHappened: boolean;
  readonly retryAfterSeconds: number | undefined;
  // Not a member: they may repeat the request, and members of errors are logged.
  readonly #words: string | undefined;

  constructor(
    readonly kind: ProviderFaultKind,
    { status, mayHaveHappened = false, retryAfterSeconds, words, cause }: FaultOptions = {},
  ) {
    super(MESSAGES[kind], { cause });
    this.status = status;
    this.mayHaveHappened = mayHaveHappened;
    this.retryAfterSeconds = retryAfterSeconds;
    this.#words = words;
  }

  /** The provider's message. It may contain secrets of the request. */
  words(): string | undefined {
    return this.#words;
  }
}

export const faultMessage = (kind: string): string => MESSAGES[kind as ProviderFaultKind] ?? MESSAGES.failing;

/**
 * The source of instances: a port. Every request is sent once, or a read a few times, within `timeLimitMs`,
 * and throws only `ProviderFault`.
 */
export abstract class InstanceProvider {
  /** Names the account; undefined if none is configured. Then no other method may be called. */
  abstract readonly account: string | undefined;
  abstract readonly timeLimitMs: number;

  abstract machines(): Promise<MachineListing>;
  abstract offers(): Promise<Offer[]>;
  /** @returns undefined if the provider knows no such machine */
  abstract machine(providerId: string): Promise<Machine | undefined>;
  /** Sent once, whatever happens. @returns the provider's id of the machine */
  abstract create(ask: MachineAsk): Promise<string>;
  /** Requests its deletion. @returns false if the provider knows no such machine */
  abstract delete(providerId: string): Promise<boolean>;
}
