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
  /** Of a machine, those that it has; of an artifact, those that its images need. */
  readonly kernel_features?: readonly string[];
  readonly libc?: string;
  readonly cgroup_mode?: string;
  readonly image_digest?: string;
  /** One for each GPU. */
  readonly gpus?: readonly string[];
  readonly gpu_driver?: string;
}

interface Rule {
  /** What a machine must have: the same value, at least this version, or at least this list. */
  readonly fits: 'equal' | 'at_least' | 'all_of';
  readonly mismatch: Exclude<Severity, 'unknown'>;
}

/**
 * What is not here, as the kernel's release, may differ. The description of the API has these rules, and the
 * agent takes them from there: the gate of the node judges by the same ones.
 */
export const MACHINE_RULES: Readonly<Record<keyof Machine, Rule>> = {
  architecture: { fits: 'equal', mismatch: 'block' },
  page_size: { fits: 'equal', mismatch: 'block' },
  criu: { fits: 'at_least', mismatch: 'block' },
  cpu_flags: { fits: 'all_of', mismatch: 'block' },
  kernel_features: { fits: 'all_of', mismatch: 'block' },
  libc: { fits: 'equal', mismatch: 'warn' },
  cgroup_mode: { fits: 'equal', mismatch: 'warn' },
  // Another image may have the same files: CRIU compares their sizes and build ids.
  image_digest: { fits: 'equal', mismatch: 'warn' },
  // No checkpoint has the memory of a GPU.
  gpus: { fits: 'all_of', mismatch: 'warn' },
  gpu_driver: { fits: 'equal', mismatch: 'warn' },
};

/** How the description of the API shows the rule of a property. */
export const comparison = (property: keyof Machine) => ({ 'x-comparison': MACHINE_RULES[property] });

export interface Mismatch {
  readonly property: string;
  readonly artifact_value: unknown;
  readonly wanted_value: unknown;
  readonly severity: Severity;
}

/**
 * What speaks against a restore on a machine, by what is known of both, the worst first. It is the cheap
 * gate: the node compares again, with all that the images need, before it starts anything.
 * @param metadata of the artifact; its `machine` is that on which it was taken
 * @param wanted only what it names is compared
 */
export function machineMismatches(metadata: unknown, wanted: Machine): Mismatch[] {
  const taken: Readonly<Record<string, unknown>> =
    isJsonObject(metadata) && isJsonObject(metadata.machine) ? metadata.machine : {};
  const mismatches = PROPERTIES.flatMap((property): Mismatch[] => {
    const { fits, mismatch } = MACHINE_RULES[property];
    const now = wanted[property];
    if (now === undefined) return [];
    const then = taken[property] ?? null;
    if (Array.isArray(now)) {
      const missing = Array.isArray(then) ? missingOf(then, now) : undefined;
      if (missing?.length === 0) return [];
      return missing === undefined
        ? [{ property, artifact_value: null, wanted_value: null, severity: 'unknown' }]
        : [{ property, artifact_value: missing, wanted_value: [], severity: mismatch }];
    }
    if (then !== null && (fits === 'at_least' ? isAtLeast(then, now) : then === now)) return [];
    return [{ property, artifact_value: then, wanted_value: now, severity: then === null ? 'unknown' : mismatch }];
  });
  return mismatches.sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
}

const PROPERTIES = Object.keys(MACHINE_RULES) as (keyof Machine)[];

/** A machine may have more of a list. Two GPUs of a model are not there where one is. */
function missingOf(then: readonly unknown[], now: readonly unknown[]): unknown[] {
  const left = new Map<unknown, number>();
  for (const one of now) left.set(one, (left.get(one) ?? 0) + 1);
  return then.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}

function isAtLeast(wanted: unknown, version: unknown): boolean {
  const [least, there] = [coerce(String(wanted)), coerce(String(version))];
  return least !== null && there !== null && gte(there, least);
}
