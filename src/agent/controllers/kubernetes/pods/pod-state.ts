import { labelOf } from '../../../kubernetes/pod-identity';
import { annotation, CONTAINERS, PROGRAM } from './marks';
import type { ContainerPlace } from '../cluster/exec';
import type { Pod } from '../cluster/resources';

/** A container, and how `ccp-agent` is called there. */
export interface SupervisedContainer extends ContainerPlace {
  readonly program: readonly string[];
}

type PodSpec = NonNullable<Pod['spec']>;
export type Container = PodSpec['containers'][number];

const DEFAULT_PROGRAM = 'ccp-agent';

export const namespaceOf = (pod: Pod): string => pod.metadata?.namespace ?? 'default';
export const nameOf = (pod: Pod): string => pod.metadata?.name ?? '';
export const uidOf = (pod: Pod): string => pod.metadata?.uid ?? '';
/** For people. */
export const podText = (pod: Pod): string => `${namespaceOf(pod)}/${nameOf(pod)}`;

export const containersOf = (pod: Pod): Container[] => pod.spec?.containers ?? [];

/** Whether it has ended, or is about to. */
export const isEnding = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp !== undefined || ['Succeeded', 'Failed'].includes(status?.phase ?? '');

export function containerState(pod: Pod, container: string) {
  return pod.status?.containerStatuses?.find(({ name }) => name === container);
}

export const isRunning = (pod: Pod, container: string): boolean =>
  containerState(pod, container)?.state?.running !== undefined;

export const runningContainers = (pod: Pod): string[] =>
  containersOf(pod)
    .map(({ name }) => name)
    .filter((name) => isRunning(pod, name));

/** Of the annotation, as the service has it. */
const LONGEST_ANNOTATION = 4_096;

/**
 * The running containers that a checkpoint of the pod covers by default, as the service determines them:
 * those that its annotation names, or all if a name in it is not that of a container.
 */
export function coveredContainers(pod: Pod): string[] {
  const all = containersOf(pod).map(({ name }) => name);
  const text = annotation(pod, CONTAINERS) ?? '';
  const named = text.length > LONGEST_ANNOTATION ? [] : text.split(/[,\s]+/).filter(Boolean);
  const limited = named.length > 0 && named.every((name) => all.includes(name));
  return runningContainers(pod).filter((name) => !limited || named.includes(name));
}

export function placeOf(pod: Pod, container: string): SupervisedContainer {
  const given = annotation(pod, PROGRAM)?.split(' ').filter(Boolean) ?? [];
  const program = given.length === 0 ? [DEFAULT_PROGRAM] : given;
  return { namespace: namespaceOf(pod), pod: nameOf(pod), container, program };
}

/** The variable that names the workload of a container. */
const NAME_VARIABLE = 'CCP_WORKLOAD_NAME';
const OF_METADATA = /^metadata\.(labels|annotations)\['(.+)'\]$/;

/** Whether its workload has a name that another pod in its place has too. */
export function hasLastingName(container: Container): boolean {
  const variable = container.env?.find(({ name }) => name === NAME_VARIABLE);
  const path = variable?.valueFrom?.fieldRef?.fieldPath;
  return Boolean(variable?.value) || (path !== undefined && OF_METADATA.test(path));
}

/** Under which name a container's supervisor runs, as `ccp-agent run` finds it there. */
export function workloadNameOf(metadata: Pod['metadata'], container: Container | undefined): string {
  const variable = container?.env?.find(({ name }) => name === NAME_VARIABLE);
  const [, where, key = ''] = OF_METADATA.exec(variable?.valueFrom?.fieldRef?.fieldPath ?? '') ?? [];
  const values = where === 'labels' ? metadata?.labels : where === 'annotations' ? metadata?.annotations : undefined;
  return labelOf(variable?.value || values?.[key] || metadata?.name || '');
}

const lineOf = ({ command = [], args = [] }: Container): string => [...command, ...args].join(' ');

/** Whether a container takes the newest checkpoint of its workload by itself. */
export const restoresItself = (container: Container): boolean => /--restore[= ]auto\b/.test(lineOf(container));

/** Whether a container takes a checkpoint when its pod is deleted. */
export const checkpointsAtEnd = (container: Container): boolean => /--checkpoint-on-term\b/.test(lineOf(container));
