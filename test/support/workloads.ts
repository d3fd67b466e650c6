import { newId } from '../../src/1-platform/common/ids';
import { eventually } from './eventually';
import type { Answer, Caller, Organisation, Service } from './service';

interface PodOptions {
  uid?: string;
  name?: string;
  namespace?: string;
  node?: string;
  phase?: string;
  /** Value of SVC_CHECKPOINT. */
  checkpoint?: string;
  owner?: { kind: string; name: string; uid?: string };
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  containers?: string[];
  createdAt?: string;
  scheduledAt?: string;
  /** Since when the pod is Ready; missing if it is not. */
  readyAt?: string;
  version?: number;
}

/** A pod with the members that the service reads. */
export function podResource({
  uid = newId(),
  name = `pod-${uid.slice(-12)}`,
  namespace = 'training',
  node = 'node-1',
  phase = 'Running',
  checkpoint,
  owner,
  labels,
  annotations,
  containers = ['main'],
  createdAt = '2026-06-01T10:00:00Z',
  scheduledAt,
  readyAt,
  version = 1,
}: PodOptions = {}) {
  const env = checkpoint === undefined ? [] : [{ name: 'SVC_CHECKPOINT', value: checkpoint }];
  const condition = (type: string, since: string | undefined) => ({
    type,
    status: since === undefined ? 'False' : 'True',
    lastTransitionTime: since ?? createdAt,
  });
  return {
    type: 'Pod',
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      uid,
      name,
      namespace,
      labels,
      annotations,
      creationTimestamp: createdAt,
      resourceVersion: String(version),
      ownerReferences: owner && [{ apiVersion: 'v1', uid: newId(), controller: true, ...owner }],
    },
    spec: {
      nodeName: node,
      containers: containers.map((container) => ({ name: container, image: 'registry/x:1', env })),
    },
    status: { phase, conditions: [condition('PodScheduled', scheduledAt), condition('Ready', readyAt)] },
  };
}

export const nodeResource = (name: string) => ({
  type: 'Node',
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { uid: newId(), name, resourceVersion: '1', creationTimestamp: '2026-06-01T09:00:00Z' },
  spec: {},
  status: {
    conditions: [{ type: 'Ready', status: 'True' }],
    capacity: { cpu: '64', memory: '512Gi', 'nvidia.com/gpu': '8' },
    allocatable: { cpu: '64', memory: '512Gi', 'nvidia.com/gpu': '8' },
  },
});

/** @throws an error with the answer unless its status is 200 */
export function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** A cluster with the node `node-1`. @returns its id */
export async function buildCluster({ operator, controller }: Organisation, name = `c-${newId()}`): Promise<string> {
  const clusterId = ok(await operator.post('/v1/cluster', { cluster_name: name })).text;
  await syncAll(controller, clusterId, [nodeResource('node-1')]);
  return clusterId;
}

export async function syncAll(controller: Caller, clusterId: string, resources: object[]): Promise<void> {
  const { body } = ok(await controller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources }));
  if (body.failed.length > 0) throw new Error(JSON.stringify(body.failed));
}

export interface RunningPod {
  clusterId: string;
  /** Row id. */
  id: string;
  uid: string;
  name: string;
  namespace: string;
  resource: ReturnType<typeof podResource>;
}

/** A running pod of a cluster. */
export async function buildPod(
  { controller }: Organisation,
  clusterId: string,
  options: PodOptions = {},
): Promise<RunningPod> {
  const resource = podResource(options);
  const { uid, name, namespace } = resource.metadata;
  const id = ok(await controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource })).text;
  return { clusterId, id, uid, name, namespace, resource };
}

/** Requests a checkpoint of a pod. @returns the action's id */
export const askCheckpoint = async ({ operator }: Organisation, podId: string, more: object = {}): Promise<string> =>
  ok(await operator.post('/v1/checkpoint/pod', { pod_id: podId, ...more })).text;

/** Takes up one container as its node does. @returns the checkpoint's id */
export const takeUp = async ({ controller }: Organisation, actionId: string, more: object = {}): Promise<string> =>
  ok(await controller.post('/v1/checkpoints', { action_id: actionId, ...more })).text;

export const putInfo = ({ controller }: Organisation, id: string, info?: unknown, more: object = {}): Promise<Answer> =>
  controller.put(`/v1/checkpoints/info/${id}`, { gpu: 'NVIDIA H100', platform: 'linux/amd64', info, ...more });

export const putUploaded = ({ controller }: Organisation, id: string, path?: string): Promise<Answer> =>
  controller.post(`/v1/checkpoints/uploaded/${id}`, path === undefined ? {} : { restore_path: path });

/** An action with one ready checkpoint. */
export async function readyCheckpoint(
  org: Organisation,
  podId: string,
  {
    info,
    name,
    path = '/checkpoints/1',
    container = 'main',
  }: { info?: unknown; name?: string; path?: string; container?: string } = {},
): Promise<{ actionId: string; checkpointId: string }> {
  const actionId = await askCheckpoint(org, podId);
  const checkpointId = await takeUp(org, actionId, {
    container_name: container,
    ...(name === undefined ? {} : { name }),
  });
  ok(await putInfo(org, checkpointId, info));
  ok(await putUploaded(org, checkpointId, path));
  return { actionId, checkpointId };
}

/**
 * The service gives an action up, as if nothing had been reported in time. What was sent before may still
 * arrive, and is a sign of life.
 */
export const giveUp = (service: Service, { viewer }: Organisation, action: string): Promise<void> =>
  eventually(async () => {
    await service.db.query('update actions set answer_by = clock_timestamp() where id = $1', [action]);
    await service.sweep('unanswered actions');
    expect((await viewer.get(`/v1/actions/${action}`)).body.status).toBe('error');
  });

export type RestoreEvent = 'restore_start' | 'restore_success' | 'restore_error';

export const reportRestore = ({ controller }: Organisation, event: RestoreEvent, body: object): Promise<Answer> =>
  controller.post(`/v1/restores/events/${event}`, body);

/** Samples of a text exposition by name and labels as printed. */
export const samplesOf = (exposition: string): Map<string, number> =>
  new Map(
    exposition
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
  );
