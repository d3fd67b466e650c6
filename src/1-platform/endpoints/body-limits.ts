import type { StructureBounds } from '../common/json/json-structure';

const KIBIBYTE = 1024;

/** Maximum sizes of inflated bodies in bytes. They are checked before a body is read. */
export const BODY_LIMITS = {
  default: KIBIBYTE * KIBIBYTE,
  record: KIBIBYTE * KIBIBYTE,
  object: 32 * KIBIBYTE * KIBIBYTE,
  batch: 32 * KIBIBYTE * KIBIBYTE,
  /** Images in a chat are in base64. */
  chat: 16 * KIBIBYTE * KIBIBYTE,
  /** Its parser takes many times as long as JSON's. */
  yaml: 256 * KIBIBYTE,
} as const;

/** Maximum string of a body that is parsed as a whole. */
const LONGEST_TEXT = KIBIBYTE * KIBIBYTE;

/** Limits of the structure of a JSON body, checked on its bytes before it is parsed. */
export const BODY_BOUNDS = {
  default: { containers: 10_000, values: 100_000, text: LONGEST_TEXT },
  /** A report that is stored as it is, with numbers of any length. */
  record: { containers: 120_000, values: 300_000, text: LONGEST_TEXT },
  /** One Kubernetes object. */
  object: { containers: 100_000, values: 300_000, text: LONGEST_TEXT },
  /**
   * 20,000 Kubernetes objects, or as many Slurm jobs: 32 MiB of them have up to 1,500,000 arrays and objects.
   */
  batch: { containers: 2_000_000, values: 4_000_000, text: LONGEST_TEXT },
  chat: { containers: 20_000, values: 1_000_000, text: BODY_LIMITS.chat },
} as const satisfies Record<string, StructureBounds>;
