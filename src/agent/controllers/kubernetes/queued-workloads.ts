import { AgentFailure, failureOf } from '../../failures';
import type { OutboxEvent } from '../../service/outbox-reader';
import { isProblem } from '../../service/problems';
import type { ClusterContext } from '../common/cluster-context';
import type { EventHandler } from '../common/control-cluster';
import { memberOf, members } from '../common/members';
import type { ClusterClient } from './cluster/cluster-client';
import { isRefusal, mayPassLater } from './cluster/refusals';
import { apiVersionOf, DEPLOYMENTS, JOBS, nameOf, PODS, type KubeObject, type Resource } from './cluster/resources';

const QUEUED = 'cluster.workload_queued';
const KINDS: Readonly<Record<string, Resource>> = { deployment: DEPLOYMENTS, job: JOBS, pod: PODS };
const MAX_MESSAGE = 2_000;
/** Faults with one workload only, as by a broken or silent webhook: those behind it in the outbox wait. */
const MAX_FAULTS = 3;
/** And since the first of them: a webhook that is started anew is back by then. */
const MIN_FAULTY_MS = 120_000;
/** A busy API server or a token that is replaced answers so; a webhook may, too, and would do so for ever. */
const OF_NO_WORKLOAD = [401, 429];
const MIN_BUSY_MS = 600_000;

/** A manifest whose object gets its name from this agent, so that a second attempt finds it. */
const GENERATED_DIGITS = 8;

/**
 * Creates the workloads that people queue for the cluster, by server-side apply: a second attempt changes
 * nothing. An event is acknowledged when its workload is applied or refused, and the service knows which, so
 * nothing has to be kept here.
 */
export class QueuedWorkloads implements EventHandler {
  /** How often the API server failed with each workload while it answered others, and since when. */
  private readonly faults = new Map<string, { readonly count: number; readonly sinceMs: number }>();

  constructor(
    private readonly context: Pick<ClusterContext, 'service' | 'clusterId' | 'signal' | 'log' | 'say'>,
    private readonly client: Pick<ClusterClient, 'apply' | 'version'>,
    private readonly serves: (namespace: string) => boolean,
  ) {}

  async take(events: readonly OutboxEvent[]): Promise<void> {
    for (const { event_type: type, payload } of events) {
      if (type !== QUEUED || memberOf(payload, 'cluster_id') !== this.context.clusterId()) continue;
      const id = memberOf(payload, 'workload_id');
      if (id !== undefined) await this.apply(id);
    }
  }

  /** The service lists no workloads: whoever queued one sees that it waits. */
  resync(): Promise<void> {
    return Promise.resolve();
  }

  private async apply(id: string): Promise<void> {
    const { service, say } = this.context;
    const params = { path: { id } };
    let queued;
    try {
      queued = await service.send('get_workload', (api) => api.GET('/v1/cluster/workload/{id}', { params }));
    } catch (error) {
      if (isProblem(error, 'workload_not_found')) return;
      throw error;
    }
    if (queued.status !== 'queued' || queued.manifest === null) return;
    const outcome = await this.outcomeOf(id, queued.kind, queued.manifest);
    this.faults.delete(id);
    const { message } = outcome;
    const body = message === undefined ? { status: 'applied' as const } : { status: 'refused' as const, message };
    try {
      await service.send('update_workload', (api) => api.PATCH('/v1/cluster/workload/{id}', { params, body }));
    } catch (error) {
      if (!isProblem(error, 'workload_outcome_known', 'workload_not_found')) throw error;
    }
    say(
      message === undefined ? `Applied the queued ${outcome.name}.` : `Refused the queued ${outcome.name}: ${message}`,
    );
  }

  /** Only what is asked after a fault shows whether it is about the workload: the API server may be away. */
  private async isHopeless(id: string, namespace: string, error: unknown): Promise<boolean> {
    if (!(await this.isAnswered(namespace))) {
      this.faults.delete(id);
      return false;
    }
    const { count, sinceMs } = this.faults.get(id) ?? { count: 0, sinceMs: performance.now() };
    this.faults.set(id, { count: count + 1, sinceMs });
    const leastMs = isRefusal(error, ...OF_NO_WORKLOAD) ? MIN_BUSY_MS : MIN_FAULTY_MS;
    return count + 1 >= MAX_FAULTS && performance.now() - sinceMs >= leastMs;
  }

  private async isAnswered(namespace: string): Promise<boolean> {
    try {
      await this.client.version(PODS, { namespace });
      return true;
    } catch {
      this.context.signal.throwIfAborted();
      return false;
    }
  }

  /** @returns why it was refused, if it was */
  private async outcomeOf(id: string, kind: string, manifest: unknown): Promise<{ name: string; message?: string }> {
    const resource = KINDS[kind];
    const object = resource && objectOf(resource, id, manifest);
    const name = resource && object ? nameOf(resource, object.metadata ?? {}) : kind;
    const { namespace = '' } = object?.metadata ?? {};
    try {
      if (!resource || !object) throw refusal(`This agent applies ${Object.keys(KINDS).join(', ')}.`);
      if (!this.serves(namespace))
        throw refusal(`The agent of the cluster does not act in the namespace ${namespace}.`);
      await this.client.apply(resource, object);
      return { name };
    } catch (error) {
      this.context.signal.throwIfAborted();
      if (mayPassLater(error) && !(await this.isHopeless(id, namespace, error))) throw error;
      return { name, message: failureOf(error).message.slice(0, MAX_MESSAGE) };
    }
  }
}

/** What is applied: the manifest, with a name that is the same for each attempt. */
function objectOf(resource: Resource, id: string, manifest: unknown): KubeObject {
  const { metadata: given, status: _status, ...object } = members(manifest);
  const {
    generateName,
    managedFields: _managedFields,
    resourceVersion: _version,
    uid: _uid,
    ...metadata
  } = members(given);
  const name =
    memberOf(metadata, 'name') ?? `${String(generateName)}${id.replaceAll('-', '').slice(-GENERATED_DIGITS)}`;
  const namespace = memberOf(metadata, 'namespace') ?? 'default';
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    ...object,
    metadata: { ...metadata, name, namespace },
  };
}

const refusal = (message: string): AgentFailure => new AgentFailure({ cause: 'invalid_setting', message });
