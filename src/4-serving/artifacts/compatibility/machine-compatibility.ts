import coerce from 'semver/functions/coerce';
import gte from 'semver/functions/gte';
import { isJsonObject } from '../../../1-platform/common/json/json';

/**
 * `block`: it cannot be restored there. `warn`: it may work all the same. `unknown`: nobody has said what the
 * artifact has, which is not a mismatch.
 */
export const SEVERITIES = ['block', 'warn', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A machine on which a checkpoint was taken, or is to be restored. What is missing is not known. */
export interface Machine {
  /** As `uname -m` prints it. */
  readonly architecture?: string;
  readonly page_size?: number;
  readonly criu?: string;
  readonly cpu_flags?: readonly string[];
  readonly libc?: string;
  readonly cgroup_mode?: string;
}

export interface Mismatch {
  readonly property: string;
  readonly artifact_value: unknown;
  readonly wanted_value: unknown;
  readonly severity: Severity;
}

interface Rule {
  readonly property: Exclude<keyof Machine, 'cpu_flags'>;
  readonly mismatch: Exclude<Severity, 'unknown'>;
  /** Both values are known. Default: they are equal. */
  readonly fits?: (artifact: unknown, wanted: unknown) => boolean;
}

/** The release of the kernel may differ. */
const RULES: readonly Rule[] = [
  { property: 'architecture', mismatch: 'block' },
  { property: 'page_size', mismatch: 'block' },
  { property: 'criu', mismatch: 'block', fits: isAtLeast },
  { property: 'libc', mismatch: 'warn' },
  { property: 'cgroup_mode', mismatch: 'warn' },
];

/**
 * What speaks against a restore on a machine, by what is known of both, the worst first. It is the cheap
 * gate: the node compares again, with all that the images need, before it starts anything.
 * @param metadata of the artifact; its `machine` is that on which it was taken
 * @param wanted only what it names is compared
 */
export function machineMismatches(metadata: unknown, wanted: Machine): Mismatch[] {
  const taken: Readonly<Record<string, unknown>> =
    isJsonObject(metadata) && isJsonObject(metadata.machine) ? metadata.machine : {};
  const mismatches = RULES.flatMap(({ property, mismatch, fits = isSame }): Mismatch[] => {
    const [then, now] = [taken[property] ?? null, wanted[property]];
    if (now === undefined || (then !== null && fits(then, now))) return [];
    const severity = then === null ? 'unknown' : mismatch;
    return [{ property, artifact_value: then, wanted_value: now, severity }];
  });
  return [...mismatches, ...cpuMismatches(taken.cpu_flags, wanted.cpu_flags)].sort(
    (one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
  );
}

/** A CPU may have more flags. Those that it lacks are the value of the artifact. */
function cpuMismatches(then: unknown, now: readonly string[] | undefined): Mismatch[] {
  if (now === undefined) return [];
  const property = 'cpu_flags';
  if (!Array.isArray(then)) return [{ property, artifact_value: null, wanted_value: null, severity: 'unknown' }];
  const here = new Set(now);
  const missing = then.filter((flag) => !here.has(flag as string));
  if (missing.length === 0) return [];
  return [{ property, artifact_value: missing, wanted_value: [], severity: 'block' }];
}

const isSame = (one: unknown, other: unknown): boolean => one === other;

function isAtLeast(wanted: unknown, version: unknown): boolean {
  const [least, there] = [coerce(String(wanted)), coerce(String(version))];
  return least !== null && there !== null && gte(there, least);
}
