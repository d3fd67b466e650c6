import { Taken, type Labels } from './series-labels';

export interface PodFact {
  readonly pod_uid: string;
  readonly namespace: string;
  readonly pod_name: string;
  readonly node_name: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
}

/** Facts about pods, as kube-state-metrics reports them. */
const POD_FACTS: Readonly<Record<string, (labels: Taken) => Pick<PodFact, 'node_name' | 'owner_kind' | 'owner_name'>>> =
  {
    kube_pod_info: (labels) => ({
      // A pod without a node has no such label: the target's own would be the node of kube-state-metrics.
      node_name: known(labels.renames('pod') ? labels.take('exported_node') : labels.take('node')),
      owner_kind: known(labels.take('created_by_kind')),
      owner_name: known(labels.take('created_by_name')),
    }),
    kube_pod_owner: (labels) => ({
      node_name: null,
      ...(labels.take('owner_is_controller') === 'false'
        ? { owner_kind: null, owner_name: null }
        : { owner_kind: known(labels.take('owner_kind')), owner_name: known(labels.take('owner_name')) }),
    }),
  };

/** kube-state-metrics writes missing values in angle brackets. */
const known = (value: string | undefined): string | null => (value === undefined || value === '<none>' ? null : value);

/** The fact in a series. Undefined: it is no such series; null: it does not name the pod. */
export function podFact(metric: string, labels: Labels): PodFact | null | undefined {
  const fact = Object.hasOwn(POD_FACTS, metric) ? POD_FACTS[metric] : undefined;
  if (!fact) return undefined;
  const taken = new Taken(labels);
  const said = fact(taken);
  const pod_uid = taken.take('uid');
  const namespace = taken.take('namespace');
  const pod_name = taken.take('pod');
  if (pod_uid === undefined || namespace === undefined || pod_name === undefined) return null;
  return { pod_uid, namespace, pod_name, ...said };
}

/** One fact per pod: the newest, completed by the others. */
export function mergedPods(facts: readonly (PodFact & { seen_ms: number })[]): (PodFact & { seen_ms: number })[] {
  const byUid = new Map<string, PodFact & { seen_ms: number }>();
  for (const fact of [...facts].sort((a, b) => a.seen_ms - b.seen_ms)) {
    const other = byUid.get(fact.pod_uid);
    byUid.set(fact.pod_uid, {
      ...fact,
      seen_ms: Math.floor(fact.seen_ms),
      node_name: fact.node_name ?? other?.node_name ?? null,
      owner_kind: fact.owner_kind ?? other?.owner_kind ?? null,
      owner_name: fact.owner_kind === null ? (other?.owner_name ?? null) : fact.owner_name,
    });
  }
  return [...byUid.values()];
}
