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

/**
 * What is not here or in `LISTS`, as the kernel's release, may differ. Another container image may have the
 * same files: CRIU compares their sizes and build ids. No checkpoint has the memory of a GPU.
 */
const RULES: readonly Rule[] = [
  { property: 'architecture', mismatch: 'block' },
  { property: 'pageSize', mismatch: 'block' },
  { property: 'criu', mismatch: 'block', fits: isAtLeast },
  { property: 'libc', mismatch: 'warn' },
  { property: 'cgroupMode', mismatch: 'warn' },
  { property: 'imageDigest', mismatch: 'warn' },
  { property: 'gpuDriver', mismatch: 'warn' },
];

/** A machine may have more of these. */
const LISTS = [
  { property: 'cpuFlags', mismatch: 'block' },
  { property: 'kernelFeatures', mismatch: 'block' },
  { property: 'gpus', mismatch: 'warn' },
] as const;

/** If neither side knows it, it is not reported. */
const OFTEN_ABSENT: readonly (keyof MachineFacts)[] = ['imageDigest', 'gpuDriver', 'kernelFeatures', 'gpus'];

const CAUSES: Partial<Record<keyof MachineFacts, Cause>> = { cpuFlags: 'cpu_features', cgroupMode: 'cgroup_mode' };

/** Can a checkpoint be restored here? @returns what speaks against it or is not known, the worst first */
export function compare(checkpoint: MachineFacts, machine: MachineFacts): Difference[] {
  const differences = RULES.flatMap(({ property, mismatch, fits }) => {
    const then = shown(checkpoint[property]);
    const now = shown(machine[property]);
    const known = then !== '' && now !== '';
    if (then === now && OFTEN_ABSENT.includes(property)) return [];
    if (known && (fits === undefined ? then === now : fits(then, now))) return [];
    return [{ property, checkpoint: then, machine: now, severity: known ? mismatch : ('unknown' as const) }];
  });
  const lists = LISTS.flatMap(({ property, mismatch }) =>
    compareList(property, mismatch, checkpoint[property], machine[property]),
  );
  return [...lists, ...differences].sort(
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

/** For whoever restores all the same. @returns one sentence for each difference that is worth one */
export const sentencesOf = (differences: readonly Difference[]): string[] =>
  differences.flatMap((difference) => {
    const { property, checkpoint, machine, severity } = difference;
    if (severity === 'unknown' && OFTEN_ABSENT.includes(property)) return [];
    return severity !== 'unknown' && LACKS[property] !== undefined
      ? [`This machine lacks what the first one had, or the images need: ${described(difference)}.`]
      : [`The checkpoint is of a machine with the ${property} "${checkpoint}"; this one has "${machine}".`];
  });

const described = ({ property, checkpoint, machine }: Difference): string =>
  LACKS[property] === undefined
    ? `${NAMES[property] ?? property} was ${checkpoint} and is ${machine} here`
    : `${LACKS[property]} ${checkpoint}`;

const NAMES: Partial<Record<keyof MachineFacts, string>> = { pageSize: 'the page size', criu: 'CRIU' };
const LACKS: Partial<Record<keyof MachineFacts, string>> = {
  cpuFlags: 'its CPU lacks',
  kernelFeatures: 'its kernel lacks',
  gpus: 'it lacks the GPUs',
};

/** Of a list, what is missing is the checkpoint's value. */
function compareList(
  property: (typeof LISTS)[number]['property'],
  mismatch: Rule['mismatch'],
  then: readonly string[] | undefined,
  now: readonly string[] | undefined,
): Difference[] {
  // A CPU without flags is one that could not be read.
  const isKnown = (list: readonly string[] | undefined): list is readonly string[] =>
    list !== undefined && (list.length > 0 || property !== 'cpuFlags');
  if (!isKnown(then) || !isKnown(now)) {
    const [checkpoint, machine] = [then?.join(' ') ?? '', now?.join(' ') ?? ''];
    if (checkpoint === machine && OFTEN_ABSENT.includes(property)) return [];
    return [{ property, checkpoint, machine, severity: 'unknown' }];
  }
  // Two of a model are not there where one is.
  const left = [...now];
  const missing = then.filter((one) => {
    const place = left.indexOf(one);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
  if (missing.length === 0) return [];
  return [{ property, checkpoint: missing.join(SEPARATORS[property] ?? ' '), machine: 'missing', severity: mismatch }];
}

/** Models of GPUs have blanks in their names. */
const SEPARATORS: Partial<Record<keyof MachineFacts, string>> = { gpus: ', ' };

/** 0 is an unknown page size, 'none' unknown control groups. */
const shown = (value: MachineFacts[keyof MachineFacts]): string =>
  value === undefined || value === 0 || value === 'none' ? '' : String(value);

function isAtLeast(wanted: string, version: string): boolean {
  const [least, there] = [coerce(wanted), coerce(version)];
  return least !== null && there !== null && gte(there, least);
}
