import { parse } from 'yaml';
import { AgentFailure } from '../../../failures';
import { members } from '../../common/members';
import type { Pod } from '../cluster/resources';
import type { Container } from '../pods/pod-state';

type PodSpec = NonNullable<Pod['spec']>;

/** What the file `--worker-template` adds to the pod of each worker. */
export interface WorkerTemplate {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Omit<Partial<PodSpec>, 'containers' | 'initContainers'>;
  /** Of the worker's own container. */
  readonly worker: Partial<Container>;
  /** Of the init container that brings the agent. */
  readonly agent: Partial<Container>;
  /** Containers beside the worker. */
  readonly others: readonly Container[];
  readonly otherInits: readonly Container[];
}

/** The container that runs the supervisor and the worker. */
export const WORKER_CONTAINER = 'worker';
/** The init container that brings agent and CRIU. */
export const AGENT_CONTAINER = 'agent';
/** Labels and annotations of the agent. */
const OWN_PREFIX = 'ccp-agent/';

export const NO_TEMPLATE: WorkerTemplate = {
  ...{ labels: {}, annotations: {}, spec: {}, worker: {}, agent: {}, others: [], otherInits: [] },
};

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a partial pod, YAML or JSON. Whatever Kubernetes itself checks is left to it.
 * @param file as messages name it
 * @throws AgentFailure `invalid_setting`, with the path of the member
 */
export function templateIn(text: string, file: string): WorkerTemplate {
  const refuse = (what: string): never => {
    throw new AgentFailure({ cause: 'invalid_setting', message: `The template ${file} of workers: ${what}.` });
  };
  const objectAt = (value: unknown, path: string, allowed?: readonly string[]): Members => {
    if (value === undefined || value === null) return {};
    if (typeof value !== 'object' || Array.isArray(value)) return refuse(`${path} must be an object`);
    const unknown = allowed && Object.keys(value).find((name) => !allowed.includes(name));
    if (unknown !== undefined)
      refuse(`${path === 'it' ? '' : `${path}.`}${unknown} cannot be set, only ${allowed!.join(', ')}`);
    return value as Members;
  };
  const textsAt = (value: unknown, path: string): Record<string, string> => {
    const found = Object.entries(objectAt(value, path));
    for (const [name, one] of found) {
      if (typeof one !== 'string') refuse(`${path}.${name} must be a string`);
      if (name.startsWith(OWN_PREFIX)) refuse(`${path}.${name} belongs to the agent`);
    }
    return Object.fromEntries(found) as Record<string, string>;
  };
  const containersAt = (value: unknown, path: string): Container[] => {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return refuse(`${path} must be a list`);
    value.forEach((one, index) => {
      const { name } = objectAt(one, `${path}[${index}]`);
      if (typeof name !== 'string' || name === '') refuse(`${path}[${index}].name is required`);
    });
    return value as Container[];
  };

  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    refuse(`it is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  const { kind, metadata, spec } = objectAt(document, 'it', ['apiVersion', 'kind', 'metadata', 'spec']);
  if (kind !== undefined && kind !== 'Pod' && kind !== 'PodTemplate') refuse('kind must be Pod, if it is there');
  const { labels, annotations } = objectAt(metadata, 'metadata', ['labels', 'annotations']);
  const { containers, initContainers, ...rest } = objectAt(spec, 'spec');
  if (rest.restartPolicy !== undefined && rest.restartPolicy !== 'Never')
    refuse('spec.restartPolicy must be Never: the agent replaces workers itself');
  const main = containersAt(containers, 'spec.containers');
  const inits = containersAt(initContainers, 'spec.initContainers');
  const worker = main.find(({ name }) => name === WORKER_CONTAINER);
  for (const member of ['command', 'args'] as const)
    if (worker?.[member] !== undefined)
      refuse(`spec.containers[${main.indexOf(worker)}].${member} cannot be set: the profile names the command`);
  return {
    labels: textsAt(labels, 'metadata.labels'),
    annotations: textsAt(annotations, 'metadata.annotations'),
    spec: rest,
    worker: worker ?? {},
    agent: inits.find(({ name }) => name === AGENT_CONTAINER) ?? {},
    others: main.filter(({ name }) => name !== WORKER_CONTAINER),
    otherInits: inits.filter(({ name }) => name !== AGENT_CONTAINER),
  };
}

/** Whether a path of the worker's container is on a volume of the template. */
export const isOnVolume = ({ worker }: WorkerTemplate, path: string): boolean =>
  (worker.volumeMounts ?? []).some((mount) => {
    const { mountPath } = members(mount);
    return typeof mountPath === 'string' && `${path}/`.startsWith(`${mountPath.replace(/(?<!\/)\/+$/, '')}/`);
  });
