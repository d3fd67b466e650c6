import { timestamp } from '../../../clock';
import { AgentFailure } from '../../../failures';
import { isProblem } from '../../../service/problems';
import { getAction } from '../../common/requests/open-actions';
import { PODS, type Pod } from '../cluster/resources';
import { ownerOf, unreplaceable, type Owner } from '../pods/pod-owner';
import { containersOf, isEnding, namespaceOf, nameOf, uidOf, workloadNameOf } from '../pods/pod-state';
import type { RestorePlan, StartedRestore } from './restore-plan';
import { failed, restoredIn, type Outcome } from './restored-status';
import type { WorkContext } from './work-context';

/** How long a node takes no pods when only one pod leaves it. */
const CORDONED_FOR_MS = 600_000;

/**
 * Lets the owner of a pod replace it. The command of the new pod takes the newest checkpoint of the workload
 * by itself, so the requested one must be that.
 */
export async function replaceByOwner(
  context: WorkContext,
  request: StartedRestore,
  plan: RestorePlan,
  owner: Owner,
  alive: () => Promise<void>,
): Promise<Outcome> {
  const { cluster } = context;
  const covered = plan.containers.map(({ container }) => container);
  const containers = plan.kept.spec.containers.filter(({ name }) => covered.includes(name));
  const refusal = unreplaceable(owner, containers);
  if (refusal) return failed(refusal);
  await requireNewest(context, plan);
  await leaveNode(context, request, plan);
  const since = await askedAt(context, request);
  const [first] = containers;
  const workload = workloadNameOf(plan.kept.metadata, first);
  const places = (): Pod[] =>
    [...cluster.pods.all()].filter(
      (pod) =>
        ownerOf(pod.metadata)?.uid === owner.uid &&
        workloadNameOf(
          pod.metadata,
          containersOf(pod).find(({ name }) => name === first?.name),
        ) === workload,
    );
  const isNew = (pod: Pod): boolean =>
    uidOf(pod) !== plan.kept.metadata?.uid && (pod.metadata?.creationTimestamp ?? '') >= since;
  for (const pod of places().filter((one) => !isNew(one) && !isEnding(one)))
    await cluster.client.delete(PODS, { namespace: namespaceOf(pod), name: nameOf(pod) }, { uid: uidOf(pod) });
  return restoredIn(context, () => places().find((pod) => isNew(pod) && !isEnding(pod)), plan, {
    uid: undefined,
    alive,
  });
}

/** Since when a pod of the owner is the one that was asked for, in whole seconds as Kubernetes has them. */
async function askedAt({ service }: WorkContext, { kind, actionId, startedAt }: StartedRestore): Promise<string> {
  const action = await getAction(service, actionId);
  const at = kind === 'move' ? action.checkpoint_completed_timestamp : action.action_timestamp;
  return `${(at ?? startedAt).slice(0, 19)}Z`;
}

async function requireNewest({ service }: WorkContext, { containers }: RestorePlan): Promise<void> {
  for (const { name, reference } of containers) {
    const newest = await service
      .send('get_checkpoint_path', (api) =>
        api.GET('/v1/checkpoint/path', { params: { query: { name } }, parseAs: 'text' }),
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
  throw new AgentFailure({
    cause: 'not_requeueable',
    message: `The owner of the pod may start it on the node ${away} again, which this agent may not cordon.`,
    remedy: 'Cordon the node, or start the agent without --no-drain.',
  });
}
