import coerce from 'semver/functions/coerce';
import gte from 'semver/functions/gte';
import { AgentFailure, type Cause } from '../failures';
import type { MachineFacts } from './machine-facts';

/** `unknown`: one of the values is not known, which is not a mismatch. */
export type Severity = 'block' | 'warn' | 'unknown';

/** A property in which a machine differs from the one on which a checkpoint was taken. */
export interface Difference {
  readonly property: keyof MachineFacts;
  readonly checkpoint: string;
  readonly machine: string;
  readonly severity: Severity;
}

interface Rule {
  readonly property: keyof MachineFacts;
  readonly mismatch: 'block' | 'warn';
  /** Both values are known. Default: they are equal. */
  readonly fits?: (checkpoint: string, machine: string) => boolean;
}

/** The CPU's flags have a rule of their own. What is not here, as the kernel's release, may differ. */
const RULES: readonly Rule[] = [
  { property: 'architecture', mismatch: 'block' },
  { property: 'pageSize', mismatch: 'block' },
  { property: 'criu', mismatch: 'block', fits: isAtLeast },
  { property: 'libc', mismatch: 'warn' },
  { property: 'cgroupMode', mismatch: 'warn' },
];

const CAUSES: Partial<Record<keyof MachineFacts, Cause>> = { cpuFlags: 'cpu_features', cgroupMode: 'cgroup_mode' };

/** Can a checkpoint be restored here? @returns what speaks against it or is not known, the worst first */
export function compare(checkpoint: MachineFacts, machine: MachineFacts): Difference[] {
  const differences = RULES.flatMap(({ property, mismatch, fits }) => {
    const then = shown(checkpoint[property]);
    const now = shown(machine[property]);
    const known = then !== '' && now !== '';
    if (known && (fits === undefined ? then === now : fits(then, now))) return [];
    return [{ property, checkpoint: then, machine: now, severity: known ? mismatch : ('unknown' as const) }];
  });
  return [...compareCpu(checkpoint, machine), ...differences].sort(
    (one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
  );
}

/** Causes of a refusal that somebody may override. Others would only fail later. */
export const isOfMachine = (cause: Cause): boolean => cause === 'incompatible' || Object.values(CAUSES).includes(cause);

const SEVERITIES: readonly Severity[] = ['block', 'warn', 'unknown'];

/**
 * @param allowsAll somebody has asked for the restore all the same
 * @throws AgentFailure that names what blocks, with both values
 */
export function requireCompatible(checkpoint: MachineFacts, machine: MachineFacts, allowsAll = false): Difference[] {
  const differences = compare(checkpoint, machine);
  if (allowsAll) return differences;
  const blocking = differences.filter(({ severity }) => severity === 'block');
  const [first] = blocking;
  if (first === undefined) return differences;
  throw new AgentFailure({
    cause: CAUSES[first.property] ?? 'incompatible',
    message: `The checkpoint cannot be restored on this machine: ${blocking.map(described).join('; ')}.`,
    remedy:
      'Restore on a machine that has at least what the first one had, or allow what differs (allow_incompatible).',
  });
}

const described = ({ property, checkpoint, machine }: Difference): string =>
  property === 'cpuFlags'
    ? `its CPU lacks ${checkpoint}`
    : `${NAMES[property] ?? property} was ${checkpoint} and is ${machine} here`;

const NAMES: Partial<Record<keyof MachineFacts, string>> = { pageSize: 'the page size', criu: 'CRIU' };

/** A CPU may have more flags. Of the flags, those that are missing are the checkpoint's value. */
function compareCpu({ cpuFlags: then }: MachineFacts, { cpuFlags: now }: MachineFacts): Difference[] {
  const property = 'cpuFlags';
  if (then.length === 0 || now.length === 0)
    return [{ property, checkpoint: then.join(' '), machine: now.join(' '), severity: 'unknown' }];
  const here = new Set(now);
  const missing = then.filter((flag) => !here.has(flag));
  if (missing.length === 0) return [];
  return [{ property, checkpoint: missing.join(' '), machine: 'missing', severity: 'block' }];
}

/** 0 is an unknown page size, 'none' unknown control groups. */
const shown = (value: MachineFacts[keyof MachineFacts]): string =>
  value === 0 || value === 'none' ? '' : String(value);

function isAtLeast(wanted: string, version: string): boolean {
  const [least, there] = [coerce(wanted), coerce(version)];
  return least !== null && there !== null && gte(there, least);
}
