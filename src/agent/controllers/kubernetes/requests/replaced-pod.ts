import { timestamp } from '../../../clock';
import { AgentFailure, type FailureFacts } from '../../../failures';
import { isProblem } from '../../../service/problems';
import { PODS, type Pod } from '../cluster/resources';
import { ownerOf, unreplaceable, type Owner } from '../pods/pod-owner';
import {
  checkpointsAtEnd,
  containersOf,
  isEnding,
  isRunning,
  namespaceOf,
  nameOf,
  podText,
  uidOf,
  workloadNameOf,
  type Container,
} from '../pods/pod-state';
import type { RestorePlan, StartedRestore } from './restore-plan';
import { failed, restoredIn, type Look, type Outcome } from './restored-status';
import type { Alive } from './signs-of-life';
import type { WorkContext } from './work-context';

/** How long a node takes no pods when only one pod leaves it. */
export const CORDONED_FOR_MS = 600_000;

/** A Job delays its next pod by up to six minutes after several failures, and may have much to do. */
const MADE_WITHIN_MS = 720_000;

/** What the steps of one restore share. */
export interface Steps {
  readonly alive: Alive;
  /** Makes durable which pods are replaced, here and for whoever takes over. */
  readonly keep: (replaces: readonly string[]) => Promise<void>;
}

/**
 * Lets the owner of a pod replace it. The command of the new pod takes the newest checkpoint of the workload
 * by itself, so the requested one must be that.
 */
export async function replaceByOwner(
  context: WorkContext,
  request: StartedRestore,
  plan: RestorePlan,
  owner: Owner,
  { alive, keep }: Steps,
): Promise<Outcome> {
  const { cluster } = context;
  const covered = plan.containers.map(({ container }) => container);
  const containers = plan.kept.spec.containers.filter(({ name }) => covered.includes(name));
  const pods = (): Pod[] => ownedPods(cluster, owner, plan.kept, containers[0]);
  let { replaces } = request;
  if (!replaces) {
    const living = pods().filter((pod) => !isEnding(pod));
    const refusal =
      unreplaceable(owner, containers) ??
      severalFacts(owner, living) ??
      (request.kind === 'restore' ? lastCheckpointFacts(living, covered) : undefined);
    if (refusal) return failed(refusal);
    await requireNewest(context, plan);
    await leaveNode(context, request, plan);
    replaces = [...new Set([...pods().map((pod) => uidOf(pod)), plan.kept.metadata?.uid ?? ''])];
    // No clock decides which pod is new: those of the API server, the nodes and the service differ.
    await keep(replaces);
  }
  const isNew = (pod: Pod): boolean => !replaces.includes(uidOf(pod)) && !isEnding(pod);
  /** Until its end, a StatefulSet makes no other one, and a Job may not. */
  const isTerminating = (pod: Pod): boolean =>
    replaces.includes(uidOf(pod)) && pod.metadata?.deletionTimestamp !== undefined;
  for (const pod of pods().filter((one) => replaces.includes(uidOf(one)) && !isEnding(one)))
    await cluster.client.delete(PODS, { namespace: namespaceOf(pod), name: nameOf(pod) }, { uid: uidOf(pod) });
  const lookAmong = (all: readonly Pod[]): Look => ({ pod: all.find(isNew), before: all.find(isTerminating) });
  return restoredIn(context, () => pods().find(isNew), plan, {
    uid: undefined,
    alive,
    madeWithinMs: MADE_WITHIN_MS,
    watched: () => (cluster.pods.isCurrent ? lookAmong(pods()) : undefined),
    look: async () => {
      const { items } = await cluster.client.list(PODS, { namespace: plan.kept.metadata?.namespace });
      return lookAmong(ofOwner(items, owner, plan.kept, containers[0]));
    },
  });
}

/** The pods of an owner that run the same workload as one of it. */
export const ownedPods = (
  { pods }: Pick<WorkContext['cluster'], 'pods'>,
  owner: Owner,
  like: Pick<Pod, 'metadata'>,
  container: Container | undefined,
): Pod[] => ofOwner(pods.byOwner(owner.uid), owner, like, container);

function ofOwner(
  pods: Iterable<Pod>,
  owner: Owner,
  { metadata }: Pick<Pod, 'metadata'>,
  container: Container | undefined,
): Pod[] {
  const workload = workloadNameOf(metadata, container);
  const inPod = (pod: Pod) => containersOf(pod).find(({ name }) => name === container?.name);
  return [...pods].filter(
    (pod) => ownerOf(pod.metadata)?.uid === owner.uid && workloadNameOf(pod.metadata, inPod(pod)) === workload,
  );
}

/** One checkpoint brings back one pod: the others of this name would lose what they did. */
export function severalFacts({ kind, name }: Owner, pods: readonly Pod[]): FailureFacts | undefined {
  const living = pods.filter((pod) => !isEnding(pod)).length;
  if (living <= 1) return undefined;
  return {
    cause: 'not_requeueable',
    message: `The ${kind} ${name} has ${living} living pods of one workload name, and would replace them all.`,
    remedy: 'Run one replica, or give each pod a CCP_WORKLOAD_NAME of its own, for example by a StatefulSet.',
  };
}

/** Its end would leave a newer checkpoint, which the next pod takes. */
function lastCheckpointFacts(pods: readonly Pod[], covered: readonly string[]): FailureFacts | undefined {
  for (const pod of pods)
    for (const container of containersOf(pod))
      if (covered.includes(container.name) && checkpointsAtEnd(container) && isRunning(pod, container.name))
        return {
          cause: 'not_requeueable',
          message:
            `The container ${container.name} of the pod ${podText(pod)} runs with --checkpoint-on-term: when the pod ` +
            'is deleted, it takes a newer checkpoint, which the next pod would restore.',
          remedy: 'Restore it beside its owner, with `"overrides": {"standalone": true}`.',
        };
  return undefined;
}

/** Why a pod cannot leave its node by its owner. */
export const uncordonedFacts = (node: string): FailureFacts => ({
  cause: 'not_requeueable',
  message: `The owner of the pod may start it on the node ${node} again, which this agent may not cordon.`,
  remedy: 'Cordon the node, or start the agent without --no-drain.',
});

/** Of this cluster: another one may run a workload of the same name. */
async function requireNewest({ service, clusterId }: WorkContext, { containers }: RestorePlan): Promise<void> {
  for (const { name, reference } of containers) {
    const newest = await service
      .send('get_checkpoint_path', (api) =>
        api.GET('/v1/checkpoint/path', { params: { query: { name, cluster_id: clusterId() } }, parseAs: 'text' }),
      )
      .catch((error: unknown) => {
        if (isProblem(error, 'checkpoint_not_found')) return undefined;
        throw error;
      });
    if (newest === reference) continue;
    throw new AgentFailure({
      cause: 'incompatible',
      message: `The owner of the pod restores the newest checkpoint of ${name}, and ${reference} is an older one.`,
      remedy: 'Restore it beside its owner, with `"overrides": {"standalone": true}`, or restore the newest one.',
    });
  }
}

/** The owner chooses no node: the one that the pod leaves must take none for a while. */
async function leaveNode(context: WorkContext, { startedAt }: StartedRestore, { away }: RestorePlan): Promise<void> {
  if (away === undefined) return;
  if (context.cordoned) {
    const until = new Date(Math.max(Date.parse(startedAt), Date.parse(timestamp())) + CORDONED_FOR_MS).toISOString();
    return context.cordoned.cordon(away, until);
  }
  throw new AgentFailure(uncordonedFacts(away));
}
