import { variablesFor, RESTORE_VARIABLES, type RestoreInstruction } from '../../../kubernetes/restore-instruction';
import { AgentFailure } from '../../../failures';
import type { Pod } from '../cluster/resources';
import { OWN_MARKS, RESTORE, type RestoreMark } from './marks';
import type { Container } from './pod-state';

type PodSpec = NonNullable<Pod['spec']>;
type Volume = NonNullable<PodSpec['volumes']>[number];
type Affinity = NonNullable<PodSpec['affinity']>;

/** What the service keeps of a pod. */
export interface KeptPod {
  readonly metadata: Pod['metadata'];
  readonly spec: PodSpec;
}

export interface RestoredPodWish {
  readonly namespace: string;
  readonly name: string;
  readonly mark: RestoreMark;
  /** By the name of the container. */
  readonly instructions: ReadonlyMap<
    string,
    { readonly instruction: RestoreInstruction; readonly checkpointName: string }
  >;
  /** The node on which it must not run; undefined: anywhere. */
  readonly away: string | undefined;
}

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';
/** The API server sets them from others, and refuses other values. */
const SET_BY_SERVER = [
  ...['nodeName', 'priority', 'preemptionPolicy', 'serviceAccount', 'overhead', 'ephemeralContainers'],
  ...['schedulingGates', 'resourceClaimStatuses'],
];
/** By these, the owner of the pod before would take this one for its own, and end one of both. */
const OF_OWNERS =
  /^(pod-template-hash|controller-uid|job-name|controller-revision-hash|pod-template-generation|statefulset\.kubernetes\.io\/.*|apps\.kubernetes\.io\/pod-index|batch\.kubernetes\.io\/.*)$/;
const OF_NODES =
  /^(kubectl\.kubernetes\.io\/last-applied-configuration|kubernetes\.io\/config\..*|cni\..*|.*\.cni\.cncf\.io\/.*)$/;
/** The API server adds them to each pod. */
const ADDED_TOLERATIONS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/**
 * A pod that restores what another one was: its spec, without what the API server and the node have set, and
 * with an instruction in each container. It has no owner.
 */
export function restoredPod({ metadata, spec }: KeptPod, wish: RestoredPodWish): Pod {
  const { namespace, name, mark, instructions, away } = wish;
  const tokens = new Set((spec.volumes ?? []).filter((volume) => isToken(volume, spec)).map((volume) => volume.name));
  const clean = (container: Container): Container => withoutTokens(container, tokens);
  const kept = Object.fromEntries(Object.entries(spec).filter(([member]) => !SET_BY_SERVER.includes(member)));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: without(metadata?.labels, (label) => OF_OWNERS.test(label)),
      annotations: {
        ...without(metadata?.annotations, (one) => OF_NODES.test(one) || OWN_MARKS.includes(one)),
        [RESTORE]: JSON.stringify(mark),
      },
    },
    spec: {
      ...kept,
      ...(spec.volumes && { volumes: spec.volumes.filter((volume) => !tokens.has(volume.name)) }),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(clean) }),
      containers: spec.containers.map((container) => {
        const given = instructions.get(container.name);
        const env = (container.env ?? []).filter((variable) => !RESTORE_VARIABLES.includes(variable.name));
        const added = given ? variablesFor(given.instruction, given.checkpointName) : [];
        return { ...clean(container), env: [...env, ...added] };
      }),
      ...(spec.tolerations && {
        tolerations: spec.tolerations.filter(
          ({ key = '', tolerationSeconds }) => tolerationSeconds === undefined || !ADDED_TOLERATIONS.includes(key),
        ),
      }),
      ...(away === undefined ? {} : { affinity: awayFrom(away, spec) }),
    },
  };
}

/** Those that the API server adds for the service account, under names that differ for each pod. */
function isToken({ name, secret, projected }: Volume, { containers, initContainers = [] }: PodSpec): boolean {
  if (!/^kube-api-access-/.test(name) && !(secret && /-token-[a-z0-9]{5}$/.test(name))) return false;
  if (!secret && !projected) return false;
  const mounts = [...containers, ...initContainers].flatMap(({ volumeMounts = [] }) => volumeMounts);
  return mounts.every((mount) => mount.name !== name || mount.mountPath === TOKEN_PATH);
}

const withoutTokens = (container: Container, tokens: ReadonlySet<string>): Container =>
  container.volumeMounts
    ? { ...container, volumeMounts: container.volumeMounts.filter(({ name }) => !tokens.has(name)) }
    : container;

/** Each term of its affinity, which are alternatives, gets the condition. */
function awayFrom(node: string, { affinity = {}, nodeSelector = {} }: PodSpec): Affinity {
  if (nodeSelector[HOSTNAME_LABEL] === node)
    throw new AgentFailure({
      cause: 'incompatible',
      message: `The pod may run on the node ${node} only, which it has to leave: its nodeSelector says so.`,
      remedy: 'Restore it with the reason "manual", or without that nodeSelector in its manifest.',
    });
  const required = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const elsewhere = { key: 'metadata.name', operator: 'NotIn', values: [node] };
  const terms = required?.nodeSelectorTerms ?? [{}];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), elsewhere] })),
      },
    },
  };
}

const without = (
  members: Readonly<Record<string, string>> | undefined,
  isDropped: (name: string) => boolean,
): Record<string, string> => Object.fromEntries(Object.entries(members ?? {}).filter(([name]) => !isDropped(name)));
