import { cpus, totalmem } from 'node:os';
import type { WorkloadStatus } from '../../supervisor/control/control-protocol';

/** A resource of a sync: a Kubernetes object and its type. */
export type Resource = Readonly<Record<string, unknown>> & { readonly type: string };

/** The one container that stands for a supervised process. */
export const CONTAINER = 'main';

/** A command line may be as long as a file; what people read of it is not. */
const MAX_ARGUMENTS = 64;
const MAX_ARGUMENT = 1_024;

const NS_PER_MS = 1e6;

/** Facts of this machine that its node shows. */
export interface NodeFacts {
  readonly name: string;
  /** The machine's own id, which outlives its name. */
  readonly uid: string;
  readonly bootId: string;
  readonly architecture: string;
  readonly kernel: string;
}

export function nodeResource({ name, uid, bootId, architecture, kernel }: NodeFacts, now: string): Resource {
  return {
    type: 'Node',
    kind: 'Node',
    metadata: {
      name,
      uid,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': architecture },
    },
    status: {
      capacity: { cpu: String(cpus().length), memory: String(totalmem()) },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: now }],
      nodeInfo: { bootID: bootId, kernelVersion: kernel, architecture, operatingSystem: 'linux' },
    },
  };
}

/** Under which name the service finds a workload's checkpoints. */
export const checkpointNameOf = ({ namespace, name }: { namespace: string; name: string }): string =>
  `${namespace}/${name}`;

/** Whether a workload has a process, or will have one. */
export const isLive = ({ phase }: WorkloadStatus): boolean => phase !== 'ended' && phase !== 'gone';

/**
 * A supervised process as the pod that the service knows. One that ended is a deleted pod: nothing starts it
 * again under the same uid.
 */
export function podResource(status: WorkloadStatus, node: string, now: string): Resource {
  const { namespace, name, uid, startedAt, command, restored } = status;
  const env = restored ? [{ name: 'SVC_CHECKPOINT', value: checkpointNameOf(restored.workload) }] : [];
  const { phase, state, ready, reason } = shown(status, now);
  const since = readySince(status);
  return {
    type: 'Pod',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid,
      creationTimestamp: startedAt,
      labels: { 'app.kubernetes.io/managed-by': 'ccp-agent' },
      ...(isLive(status) ? {} : { deletionTimestamp: now }),
    },
    spec: { nodeName: node, containers: [{ name: CONTAINER, command: shortened(command), env }] },
    status: {
      phase,
      ...(reason === undefined ? {} : { reason }),
      startTime: startedAt,
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: startedAt },
        { type: 'Ready', status: ready ? 'True' : 'False', ...(ready ? { lastTransitionTime: since } : {}) },
      ],
      containerStatuses: [{ name: CONTAINER, ready, restartCount: 0, state }],
    },
  };
}

/** A pod of which nothing is left but that it was reported. */
export const forgottenPod = (
  pod: Pick<WorkloadStatus, 'namespace' | 'name' | 'uid' | 'startedAt'>,
  node: string,
  now: string,
): Resource =>
  podResource(
    {
      ...pod,
      ...{ phase: 'gone', command: [], pid: null, supervisorPid: null, network: null, restored: null },
      ...{ exitCode: null, failure: null, checkpoints: [] },
    },
    node,
    now,
  );

interface Shown {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly ready: boolean;
  readonly state: object;
  readonly reason?: string;
}

function shown({ phase, exitCode, startedAt }: WorkloadStatus, now: string): Shown {
  switch (phase) {
    case 'starting':
    case 'restoring':
      return { phase: 'Pending', ready: false, state: { waiting: { reason: 'ContainerCreating' } } };
    case 'running':
    case 'checkpointing':
      return { phase: 'Running', ready: true, state: { running: { startedAt } } };
    case 'ended': {
      const terminated = { exitCode: exitCode ?? 1, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: now };
      return { phase: exitCode === 0 ? 'Succeeded' : 'Failed', ready: false, state: { terminated } };
    }
    case 'gone': {
      // The supervisor was killed, and its workload with it.
      const terminated = { exitCode: 137, reason: 'SupervisorGone', finishedAt: now };
      return { phase: 'Failed', ready: false, state: { terminated }, reason: 'SupervisorGone' };
    }
  }
}

/** A restored workload works when its stages have passed; any other as soon as it is started. */
function readySince({ startedAt, restored }: WorkloadStatus): string {
  const stagesMs = (restored?.stages ?? []).reduce((sum, { durationNs }) => sum + durationNs, 0) / NS_PER_MS;
  return new Date(Date.parse(startedAt) + Math.round(stagesMs)).toISOString();
}

const shortened = (command: readonly string[]): string[] =>
  command.slice(0, MAX_ARGUMENTS).map((argument) => argument.slice(0, MAX_ARGUMENT));
