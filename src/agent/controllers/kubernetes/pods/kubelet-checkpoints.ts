import { AgentFailure } from '../../../failures';
import type { CheckpointRequest, CheckpointResult } from '../../../supervisor/control/control-protocol';
import type { ClusterClient } from '../cluster/cluster-client';
import { ApiRefusal, ApiUnreachable } from '../cluster/refusals';
import type { SupervisedContainer } from './pod-state';
import type { ContainerCheckpoints } from './pod-supervisors';

/** The kubelet passes this on to the container runtime. A connection may be silent for as long. */
const TIMEOUT_SECONDS = 120;
/** For the way of the answer. */
const ANSWERED_WITHIN_MS = (TIMEOUT_SECONDS + 20) * 1_000;
/** What kubelet calls a container that it does not have. */
const NOT_THERE = /(pod|container \S+) does not exist/;

interface Answer {
  readonly items?: readonly unknown[];
}

/**
 * Dumps containers by the kubelet's own checkpoint API: Kubernetes 1.30 or newer, with CRI-O or containerd 2.
 * It leaves an archive on the node, of the whole container, which no supervisor can restore. So what the
 * service learns is where the archive is, and that it is no checkpoint to restore from.
 */
export class KubeletCheckpoints implements ContainerCheckpoints {
  /** @param nodeOf the node on which a container runs; undefined: it does not */
  constructor(
    private readonly client: ClusterClient,
    private readonly nodeOf: (container: SupervisedContainer) => string | undefined,
  ) {}

  /** Always throws `AgentFailure`: each attempt may leave an archive, so none is repeated. */
  async checkpoint(container: SupervisedContainer, { leaveRunning }: CheckpointRequest): Promise<CheckpointResult> {
    if (!leaveRunning)
      throw new AgentFailure({
        cause: 'incompatible',
        message: 'A checkpoint of the kubelet cannot be restored by this agent, so the container is not ended.',
        remedy: 'Run the agent without --via kubelet, and the command under `ccp-agent run`.',
      });
    const node = this.nodeOf(container);
    if (node === undefined)
      throw new AgentFailure({ cause: 'workload_ended', message: `${textOf(container)} runs on no node.` });
    const archive = await this.archiveOf(container, node);
    throw new AgentFailure({
      cause: 'incompatible',
      message:
        `The kubelet of the node ${node} has written the archive ${archive} of ${textOf(container)}. This agent ` +
        'cannot restore it, so it does not count as a checkpoint.',
      remedy:
        'Examine it with checkpointctl, or make an image of it for a container runtime that restores such images.',
    });
  }

  /** @returns its path on the node */
  private async archiveOf(container: SupervisedContainer, node: string): Promise<string> {
    const { namespace, pod, container: name } = container;
    const path = ['checkpoint', namespace, pod, name];
    let answer: unknown;
    try {
      answer = await this.client.postToKubelet(node, path, { timeout: TIMEOUT_SECONDS }, ANSWERED_WITHIN_MS);
    } catch (error) {
      throw error instanceof Error ? explained(error, container, node) : error;
    }
    const [archive] = (answer as Answer | null)?.items ?? [];
    if (typeof archive === 'string' && archive !== '') return archive;
    throw new AgentFailure({
      cause: 'unclassified',
      message: `The kubelet of the node ${node} does not say where the archive of ${textOf(container)} is.`,
    });
  }
}

function explained(error: Error, container: SupervisedContainer, node: string): Error {
  const kubelet = `The kubelet of the node ${node}`;
  if (error instanceof ApiUnreachable)
    return new AgentFailure({
      cause: 'unclassified',
      message: `${kubelet} gave no answer, and may have written an archive of ${textOf(container)}: ${error.message}`,
    });
  if (!(error instanceof ApiRefusal)) return error;
  const { status, detail } = error;
  if (status === 404 && NOT_THERE.test(detail))
    return new AgentFailure({ cause: 'workload_ended', message: `${kubelet} does not have ${textOf(container)}.` });
  if (status === 404)
    return new AgentFailure({
      cause: 'incompatible',
      message: `${kubelet} takes no checkpoints: ${detail}`,
      remedy:
        'It needs Kubernetes 1.30 or newer, with the feature gate ContainerCheckpoint. Or do without --via kubelet.',
    });
  // The kubelet, or the runtime behind it, has failed. Repeated, it could write one archive after the other.
  if (status === 500)
    return new AgentFailure({
      cause: 'unclassified',
      message: `${kubelet} has taken no checkpoint of ${textOf(container)}: ${detail}`,
      remedy: 'The runtime must be CRI-O, or containerd 2, with CRIU on the node.',
    });
  return error;
}

const textOf = ({ namespace, pod, container }: SupervisedContainer): string =>
  `the container ${container} of the pod ${namespace}/${pod}`;
