/** Tokens that a node made for machines are used as they are. */
const TOKEN = /^[A-Za-z][A-Za-z0-9_.-]{0,47}$/;

/** A cause before its sentence, as the agent reports it: `file_changed: The file …`. */
const CAUSE = /^(?=.{3,48}: )([a-z]+(?:_[a-z]+)+): /;

/** Patterns for messages of kernels, CRIU, drivers and storage, most specific first. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/no node answered|no report arrived/i, 'unanswered'],
  [/out of memory|\boom\b|cannot allocate|enomem/i, 'out_of_memory'],
  [/no space|disk full|quota|enospc/i, 'no_space'],
  [/time(d)?[ -]?out|deadline/i, 'timeout'],
  [/checksum|digest|corrupt|crc/i, 'corrupt'],
  [/permission|denied|eperm|eacces|forbidden|unauthori[sz]ed/i, 'permission'],
  [/cuda|nvml|\bgpu\b|nvidia|rocm/i, 'gpu'],
  [/connection|network|unreachable|refused|reset by peer|dns/i, 'network'],
  [/s3|bucket|object stor|upload|download/i, 'storage'],
  [/not found|no such|enoent|missing/i, 'not_found'],
  [/cancel|abort|interrupt|sigterm|killed/i, 'cancelled'],
  [/criu|parasite|ptrace|freez/i, 'criu'],
];

/**
 * The label of a failure's reason in aggregates: sentences contain paths and process ids, which no aggregate
 * should.
 */
export function reasonLabel(reason: string): string {
  if (reason === '') return 'unknown';
  if (TOKEN.test(reason)) return reason;
  const [, cause] = CAUSE.exec(reason) ?? [];
  if (cause !== undefined) return cause;
  return KINDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
}

/** Longest stage name that aggregates store. */
const MAX_STAGE = 64;

/**
 * Stages have any name, as nodes report them; the number of distinct ones is bounded where they are counted.
 */
export const stageLabel = (stage: string): string =>
  stage === '' ? 'unknown' : stage.length <= MAX_STAGE ? stage : 'other';
