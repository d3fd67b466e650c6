import coerce from 'semver/functions/coerce';
import gte from 'semver/functions/gte';
import { AgentFailure, type Cause } from '../failures';
import { MACHINE_RULES } from '../service/machine-rules';
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

type Named<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Named<Tail>>}`
  : Name;
type Property = Named<keyof typeof MACHINE_RULES> & keyof MachineFacts;

interface Rule {
  readonly property: Property;
  readonly fits: 'equal' | 'at_least' | 'all_of';
  readonly mismatch: 'block' | 'warn';
}

/** Those of the service, which compares first, by what it knows. What has no rule may differ. */
const RULES: readonly Rule[] = Object.entries(MACHINE_RULES).map(([name, rule]) => ({
  property: name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as Property,
  ...rule,
}));

/** If neither side knows it, it is not reported. */
const OFTEN_ABSENT: readonly (keyof MachineFacts)[] = ['imageDigest', 'gpuDriver', 'kernelFeatures', 'gpus'];

const CAUSES: Partial<Record<keyof MachineFacts, Cause>> = { cpuFlags: 'cpu_features', cgroupMode: 'cgroup_mode' };

/** Can a checkpoint be restored here? @returns what speaks against it or is not known, the worst first */
export function compare(checkpoint: MachineFacts, machine: MachineFacts): Difference[] {
  return RULES.flatMap((rule) => {
    const [then, now] = [checkpoint[rule.property], machine[rule.property]];
    return rule.fits === 'all_of'
      ? compareList(rule, then as readonly string[] | undefined, now as readonly string[] | undefined)
      : compareValue(rule, shown(then), shown(now));
  }).sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
}

function compareValue({ property, fits, mismatch }: Rule, then: string, now: string): Difference[] {
  const isKnown = then !== '' && now !== '';
  if (then === now && (isKnown || OFTEN_ABSENT.includes(property))) return [];
  if (isKnown && fits === 'at_least' && isAtLeast(then, now)) return [];
  return [{ property, checkpoint: then, machine: now, severity: isKnown ? mismatch : 'unknown' }];
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
  { property, mismatch }: Rule,
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
