/** Why a checkpoint or a restore failed, or cannot work. Whoever finds a cause states the remedy. */
export const CAUSES = [
  'file_changed',
  'pid_taken',
  'external_socket',
  'tcp_connection',
  'port_taken',
  'network_unavailable',
  'io_uring',
  'mount_missing',
  'memory_missing',
  'device_file',
  'inotify',
  'cgroup_mode',
  'cpu_features',
  'rseq_or_libc',
  'security_profile',
  'criu_missing',
  'permission_missing',
  'checkpoint_missing',
  'checkpoint_damaged',
  'checkpoint_untrusted',
  'checkpoint_hung',
  'incompatible',
  'store_failed',
  'service_unreachable',
  'workload_missing',
  'workload_ended',
  'quiesce_failed',
  'name_taken',
  'busy',
  'invalid_setting',
  'gpu_driver',
  'several_nodes',
  'not_requeueable',
  'scheduler_refused',
  'unclassified',
] as const;

export type Cause = (typeof CAUSES)[number];

export interface FailureFacts {
  readonly cause: Cause;
  /** One sentence for people: what is wrong, with names and both values. */
  readonly message: string;
  /** One sentence: what mends it; absent if nobody knows. */
  readonly remedy?: string | undefined;
  /** The last lines of CRIU's log that report errors, oldest first. */
  readonly log?: readonly string[] | undefined;
}

/** A checkpoint or a restore that failed, or was refused before it began. */
export class AgentFailure extends Error {
  constructor(
    readonly facts: FailureFacts,
    options?: ErrorOptions,
  ) {
    super(facts.message, options);
  }
}

/** What is reported of any error: those that nobody foresaw are unclassified. */
export function failureOf(error: unknown): FailureFacts {
  if (error instanceof AgentFailure) return error.facts;
  return { cause: 'unclassified', message: error instanceof Error ? error.message : String(error) };
}

const MAX_TEXT = 2_000;
const MAX_LINES = 100;

/**
 * What somebody else states, who may be anybody. A cause that is unknown here is `unclassified`, and long
 * texts are cut. @returns undefined if it states nothing
 */
export function failureIn(value: unknown): FailureFacts | undefined {
  const { cause, message, remedy, log } = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<keyof FailureFacts, unknown>
  >;
  if (typeof cause !== 'string' || typeof message !== 'string') return undefined;
  const lines = Array.isArray(log) ? log.filter((line) => typeof line === 'string').slice(-MAX_LINES) : [];
  return {
    cause: (CAUSES as readonly string[]).includes(cause) ? (cause as Cause) : 'unclassified',
    message: cut(message),
    ...(typeof remedy === 'string' && { remedy: cut(remedy) }),
    ...(lines.length > 0 && { log: lines.map(cut) }),
  };
}

const cut = (text: string): string => text.slice(0, MAX_TEXT).toWellFormed();
