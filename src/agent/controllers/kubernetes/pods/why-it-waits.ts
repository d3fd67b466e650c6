import type { Pod } from '../cluster/resources';
import { nameOf, namespaceOf, podText } from './pod-state';

type PodStatus = NonNullable<Pod['status']>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

const MAX_TEXT = 500;

/** Reasons of a container that waits for its node: of the container itself, they say nothing more. */
const USUAL: readonly string[] = ['ContainerCreating', 'PodInitializing'];
const OF_IMAGE =
  /^(ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|ImageInspectError|RegistryUnavailable)$/;

/** Why a pod does not run yet, in a sentence for people. */
export function whyItWaits(pod: Pod): string {
  const { status = {}, spec } = pod;
  const text = `The pod ${podText(pod)}`;
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (spec?.nodeName === undefined || spec.nodeName === '')
    return scheduled?.status === 'False'
      ? `${text} waits for a node: ${cut(scheduled.message ?? scheduled.reason ?? 'the scheduler does not say why')}`
      : `${text} waits for the scheduler.`;
  const on = `on the node ${spec.nodeName}`;
  const stuck = stuckContainer(pod);
  const { reason = '', message } = stuck?.state?.waiting ?? {};
  if (stuck && OF_IMAGE.test(reason))
    return `${text} waits ${on} for the image ${stuck.image}, which cannot be pulled (${reason}): ${cut(message ?? '')}`;
  if (stuck)
    return `${text} waits ${on}: its container ${stuck.name} cannot be started (${reason}): ${cut(message ?? '')}`;
  if (isUnprepared(pod))
    return `${text} waits ${on}: its volumes or its network are not ready; ${describedBy(pod)} names the reason.`;
  return `${text} is prepared ${on}.`;
}

/**
 * Whether its node has not prepared its volumes and its network: a missing Secret, a volume that is attached
 * to another node, no address. Its images come after that. Kubernetes says so from 1.29 on.
 */
export const isUnprepared = ({ spec, status = {} }: Pod): boolean =>
  Boolean(spec?.nodeName) &&
  status.conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status === 'False';

const describedBy = (pod: Pod): string => `\`kubectl describe pod ${nameOf(pod)} --namespace ${namespaceOf(pod)}\``;

/** A container that its node does not start now. It may do so later. */
export const stuckContainer = ({ status = {} }: Pod): ContainerStatus | undefined =>
  [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(
    ({ state }) => state?.waiting?.reason && !USUAL.includes(state.waiting.reason),
  );

/** Of the words of Kubernetes, as many as people read. */
export const cut = (text: string): string => text.trim().slice(0, MAX_TEXT).toWellFormed();
