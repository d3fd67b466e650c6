import { variablesFor, RESTORE_VARIABLES, type RestoreInstruction } from '../../../kubernetes/restore-instruction';
import { AgentFailure } from '../../../failures';
import type { Pod } from '../cluster/resources';
import { OWN_MARKS, RESTORE, restoreMark, type RestoreMark } from './marks';
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
/** Of a node, in conditions of an affinity. */
const NODE_NAME_FIELD = 'metadata.name';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';
/** The API server sets them from others, and refuses other values. */
const SET_BY_SERVER = [
  ...['nodeName', 'priority', 'preemptionPolicy', 'serviceAccount', 'overhead', 'ephemeralContainers'],
  ...['schedulingGates', 'resourceClaimStatuses'],
];
/** By these, the owner of the pod before would take this one for its own, and end one of both. */
const OF_OWNERS =
  /^(?:pod-template-hash|controller-uid|job-name|controller-revision-hash|pod-template-generation|apps\.kubernetes\.io\/pod-index)$|^(?:statefulset|batch)\.kubernetes\.io\//;
const OF_NODES = /^kubectl\.kubernetes\.io\/last-applied-configuration$|^kubernetes\.io\/config\./;
/**
 * What networks have given to the pod before: Calico, Multus, OVN-Kubernetes, the VPC of AWS, whose webhook
 * refuses a new pod with it, and Kube-OVN. That writes `ovn.kubernetes.io/…`, and for more networks
 * `NAD.NAMESPACE.ovn.kubernetes.io/…` or `NAD.NAMESPACE.kubernetes.io/…`. Another pod has these addresses, or
 * may get them, and OVN gives none where they are marked as given. What people request stays: networks,
 * pools, and `ipAddrs` of Calico. In Kube-OVN, `ip_address` and `mac_address` are a request or a result, and
 * nothing says which: they go, because a new address always works. Its `logical_switch` is both, too, and
 * stays: another subnet may lead to other peers.
 */
const OF_NETWORKS = new RegExp(
  [
    '^cni\\.projectcalico\\.org/(?:podIPs?|containerID)$',
    '\\.cni\\.cncf\\.io/networks?-status$',
    '^k8s\\.ovn\\.org/pod-networks$',
    '^vpc\\.amazonaws\\.com/(?:pod-eni|PrivateIPv4Address)$',
    '\\.kubernetes\\.io/(?:allocated|routed|ip_address|mac_address|cidr|gateway|logical_router|vpc)$',
    '\\.kubernetes\\.io/(?:vlan_id|provider_network)$',
  ].join('|'),
);
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
      labels: keptLabels(metadata),
      annotations: {
        ...without(metadata?.annotations, isDropped),
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
      ...affinityOf(metadata, spec, away),
    },
  };
}

const isDropped = (annotation: string): boolean =>
  OF_NODES.test(annotation) || OF_NETWORKS.test(annotation) || OWN_MARKS.includes(annotation);

/** Those that say nothing of an owner. */
export const keptLabels = (metadata: Pod['metadata']): Record<string, string> =>
  without(metadata?.labels, (label) => OF_OWNERS.test(label));

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

/**
 * Without the nodes that an earlier restore kept it away from: over several windows, none would be left.
 * @param away the node that it leaves now
 */
function affinityOf(metadata: Pod['metadata'], spec: PodSpec, away: string | undefined): Pick<PodSpec, 'affinity'> {
  const wasRestored = restoreMark({ metadata }) !== undefined;
  const affinity = wasRestored && spec.affinity ? withoutOwnTerms(spec.affinity) : spec.affinity;
  if (away !== undefined) return { affinity: awayFrom(away, { ...spec, affinity }) };
  return affinity ? { affinity } : {};
}

/** A term without conditions, which would match no node, was made for the condition. */
function withoutOwnTerms({ nodeAffinity: { ...nodeAffinity } = {}, ...affinity }: Affinity): Affinity {
  const terms = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const kept = terms
    .map(({ matchFields = [], ...term }) => {
      const fields = matchFields.filter(({ key, operator }) => key !== NODE_NAME_FIELD || operator !== 'NotIn');
      return { ...term, ...(fields.length > 0 && { matchFields: fields }) };
    })
    .filter((term) => Object.keys(term).length > 0);
  delete nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  const required = kept.length > 0 && {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: kept },
  };
  return { ...affinity, nodeAffinity: { ...nodeAffinity, ...required } };
}

/** Each term of its affinity, which are alternatives, gets the condition. */
function awayFrom(
  node: string,
  { affinity = {}, nodeSelector = {} }: Pick<PodSpec, 'affinity' | 'nodeSelector'>,
): Affinity {
  if (nodeSelector[HOSTNAME_LABEL] === node)
    throw new AgentFailure({
      cause: 'incompatible',
      message: `The pod may run on the node ${node} only, which it has to leave: its nodeSelector says so.`,
      remedy: 'Restore it with the reason "manual", or without that nodeSelector in its manifest.',
    });
  const required = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const elsewhere = { key: NODE_NAME_FIELD, operator: 'NotIn', values: [node] };
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
  isOut: (name: string) => boolean,
): Record<string, string> => Object.fromEntries(Object.entries(members ?? {}).filter(([name]) => !isOut(name)));
