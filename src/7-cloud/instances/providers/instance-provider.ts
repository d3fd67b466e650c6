/** A machine of the provider's account, as it was listed. Null: not told. */
export interface Machine {
  readonly providerId: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly type: string;
  /** The provider's word; `deleted` when there is nothing left of it. */
  readonly status: string;
  readonly tags: readonly string[];
  readonly facts: MachineFacts;
}

/** What is shown of a machine and nothing is decided by. */
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
  /** False where some of it could not be read: what is missing then may be there. */
  readonly whole: boolean;
}

/** What can be asked for. Optional members are those that the provider does not tell of every type. */
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
 * Holds secrets: it is passed on, and never stored, logged or told. Members
 * under the names of the API, left out where not told.
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
  /** There is no connection. */
  | 'unreachable'
  /** Connected, and silent for too long. */
  | 'silent'
  /** The connection broke. */
  | 'broken'
  | 'key_refused'
  /** Too many asks. */
  | 'busy'
  | 'no_capacity'
  | 'refused'
  /** It failed, or answers something else than its API. */
  | 'failing'
  | 'unreadable';

const MESSAGES: Record<ProviderFaultKind, string> = {
  unreachable: 'the marketplace cannot be connected to',
  silent: 'the marketplace does not answer',
  broken: 'the marketplace broke off',
  key_refused: 'the marketplace refuses its key',
  busy: 'the marketplace takes no more requests for now',
  no_capacity: 'the marketplace has no capacity left for this instance',
  refused: 'the marketplace refuses what was asked',
  failing: 'the marketplace fails',
  unreadable: 'the answer of the marketplace cannot be read',
};

interface FaultOptions {
  readonly status?: number;
  /** It may have done what was asked. */
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
  // Not a member: they may repeat what was asked, and members of errors are logged.
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

  /** What the provider said. They may hold secrets of the request. */
  words(): string | undefined {
    return this.#words;
  }
}

export const faultMessage = (kind: string): string => MESSAGES[kind as ProviderFaultKind] ?? MESSAGES.failing;

/**
 * Where instances come from: a port. Every ask is made once, or for a read a few times,
 * within `timeLimitMs`, and throws `ProviderFault` alone.
 */
export abstract class InstanceProvider {
  /** Names the account; undefined where none is configured, and then nothing else of this may be asked. */
  abstract readonly account: string | undefined;
  abstract readonly timeLimitMs: number;

  abstract machines(): Promise<MachineListing>;
  abstract offers(): Promise<Offer[]>;
  /** @returns undefined where the provider knows no such machine */
  abstract machine(providerId: string): Promise<Machine | undefined>;
  /** Asked once, whatever happens. @returns the provider's id of it */
  abstract create(ask: MachineAsk): Promise<string>;
  /** Asks for it to be deleted. @returns false where the provider knows no such machine */
  abstract delete(providerId: string): Promise<boolean>;
}
