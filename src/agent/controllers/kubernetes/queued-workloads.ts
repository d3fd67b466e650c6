import { join } from 'node:path';
import { AgentFailure, failureOf } from '../../failures';
import type { OutboxEvent } from '../../service/outbox-reader';
import { pagesOf } from '../../service/pages';
import { isProblem } from '../../service/problems';
import { pause } from '../../service/retries';
import type { components } from '../../service/schema';
import { UUID } from '../../uuid';
import type { ClusterContext } from '../common/cluster-context';
import type { EventHandler } from '../common/control-cluster';
import { memberOf, members } from '../common/members';
import { Places, type Leave } from '../common/places';
import { RequestJournal, type Asked } from '../common/requests/request-journal';
import { RequestRunner } from '../common/requests/request-runner';
import type { ClusterClient } from './cluster/cluster-client';
import { mayPassLater, ObjectEnding } from './cluster/refusals';
import { apiVersionOf, DEPLOYMENTS, JOBS, nameOf, PODS, type KubeObject, type Resource } from './cluster/resources';

const QUEUED = 'cluster.workload_queued';
const KINDS: Readonly<Record<string, Resource>> = { deployment: DEPLOYMENTS, job: JOBS, pod: PODS };
const MAX_MESSAGE = 2_000;
const ROWS = 1_000;
/** Between the attempts at a workload at which the API server fails. */
const LONGEST_PAUSE_MS = 120_000;
/**
 * It is refused if the API server, which answers otherwise, has failed with it for so long. An admission
 * webhook is away for five minutes and more if its node is lost.
 */
const REFUSED_AFTER_MS = 3_600_000;
/** The same of one behind which a later one of its object waits. */
const SUPERSEDED_AFTER_MS = 600_000;
/** Failures that are further apart are not about the same fault: nobody has tried meanwhile. */
const SAME_FAULT_MS = 1_800_000;
/** Applied at a time. A webhook that hangs must not take all requests of the controller. */
const AT_ONCE = 32;
/** Between looks at whether an earlier workload of the same object has its outcome. */
const TURN_EVERY_MS = 1_000;

/** A manifest whose object gets its name from this agent, so that a second attempt finds it. */
const GENERATED_DIGITS = 8;

type QueuedWorkload = components['schemas']['QueuedWorkloadView'];

interface WorkloadAsked extends Asked {
  readonly kind: 'workload';
  /** What it creates, with its namespace and name. */
  readonly object: string;
}

/** The first and the last failure with a workload while the API server answered otherwise. */
interface Fault {
  readonly sinceMs: number;
  readonly lastMs: number;
}

/**
 * Creates the workloads that people queue for the cluster, by server-side apply: a second attempt changes
 * nothing. One that fails is tried again beside the others, which do not wait for it.
 */
export class QueuedWorkloads implements EventHandler {
  private readonly journal: RequestJournal<WorkloadAsked>;
  private readonly runner: RequestRunner<WorkloadAsked>;
  /** Takes one page at a time. */
  private readonly inTurn = new Places(1);
  /** What those create that have no outcome yet, by id. */
  private readonly objects = new Map<string, string>();
  private readonly applying = new Places(AT_ONCE);
  private readonly faults = new Map<string, Fault>();
  /** Whether all that were queued before this process are known. */
  private isListed = false;

  constructor(
    private readonly context: Pick<
      ClusterContext,
      'service' | 'clusterId' | 'directory' | 'signal' | 'log' | 'say' | 'mayPass' | 'retryAfterMs'
    >,
    private readonly client: Pick<ClusterClient, 'apply' | 'version'>,
    private readonly serves: (namespace: string) => boolean,
    longestPauseMs = LONGEST_PAUSE_MS,
  ) {
    const { directory, signal, log, mayPass, retryAfterMs: firstPauseMs } = context;
    this.journal = new RequestJournal<WorkloadAsked>(join(directory, 'workloads'));
    this.runner = new RequestRunner(this.journal, (asked, leave) => this.perform(asked, leave), {
      ...{ signal, log, mayPass, firstPauseMs, longestPauseMs },
    });
  }

  async resume(): Promise<number> {
    for (const { actionId: id, object } of await this.journal.open()) this.objects.set(id, object);
    return this.runner.resume();
  }

  discard(): Promise<void> {
    return this.runner.discard();
  }

  take(events: readonly OutboxEvent[]): Promise<void> {
    const clusterId = this.context.clusterId();
    const queued = events.flatMap(({ id: eventId, event_type: type, payload }) => {
      const id = memberOf(payload, 'workload_id')?.toLowerCase() ?? '';
      const isOurs = type === QUEUED && memberOf(payload, 'cluster_id') === clusterId;
      return isOurs && UUID.test(id) ? [{ id, eventId }] : [];
    });
    // Most pages have none.
    if (queued.length === 0) return Promise.resolve();
    return this.inTurn.run(async () => {
      if (!this.isListed) await this.takeListed();
      await this.takeInOrder(queued);
    });
  }

  /** What events take meanwhile waits for those that were queued before. */
  resync(): Promise<void> {
    return this.inTurn.run(() => this.takeListed());
  }

  idle(): Promise<void> {
    return this.runner.idle();
  }

  private async takeListed(): Promise<void> {
    const { ids, isComplete } = await this.queued();
    await this.takeInOrder(ids.map((id) => ({ id })));
    this.isListed = isComplete;
  }

  /** Ids of those that have no outcome, in the order in which they were queued. */
  private async queued(): Promise<{ readonly ids: readonly string[]; readonly isComplete: boolean }> {
    const { service, clusterId, log } = this.context;
    const query = { cluster_id: clusterId(), status: 'queued' } as const;
    const pages = pagesOf(service, 'list_workloads', ROWS, (api, at) =>
      api.GET('/v1/cluster/workload', { params: { query: { ...query, ...at } } }),
    );
    const ids: string[] = [];
    try {
      for await (const page of pages) ids.push(...page.map(({ id }) => id));
    } catch (error) {
      // A service of an earlier release lists none. The next event asks again: it may have been upgraded.
      if (!isProblem(error, 'not_found')) throw error;
      log.warn({ err: error }, 'queued workloads whose events are gone were not read');
      return { ids: [], isComplete: false };
    }
    // The service makes ids that sort by creation.
    return { ids: ids.sort(), isComplete: true };
  }

  /** What each creates is known before any of them begins: those of one object take turns. */
  private async takeInOrder(queued: readonly { readonly id: string; readonly eventId?: number }[]): Promise<void> {
    const requests: WorkloadAsked[] = [];
    const fresh = new Map<string, string>();
    for (const { id, ...event } of queued) {
      const workload = this.objects.has(id) ? undefined : await this.read(id);
      if (workload) fresh.set(id, creationOf(workload).name);
      const object = fresh.get(id) ?? this.objects.get(id);
      if (object !== undefined) requests.push({ kind: 'workload', actionId: id, object, ...event });
    }
    // All at once, after the last read: one that is not taken, or has ended meanwhile, keeps no later one
    // waiting.
    for (const [id, object] of fresh) this.objects.set(id, object);
    await this.runner.take(requests.filter(({ actionId }) => this.objects.has(actionId)));
  }

  /** @returns undefined if it has an outcome, or if there is nothing to create any more */
  private async read(id: string): Promise<QueuedWorkload | undefined> {
    const params = { path: { id } };
    try {
      const workload = await this.context.service.send('get_workload', (api) =>
        api.GET('/v1/cluster/workload/{id}', { params }),
      );
      return workload.status === 'queued' && workload.manifest !== null ? workload : undefined;
    } catch (error) {
      if (isProblem(error, 'workload_not_found')) return undefined;
      throw error;
    }
  }

  private async perform({ actionId: id, object }: WorkloadAsked, leave: Leave): Promise<void> {
    await this.turnOf(id, object, leave);
    const workload = await this.read(id);
    if (workload) await this.report(id, object, await this.applying.run(() => this.refusalOf(workload, object)));
    this.objects.delete(id);
    this.faults.delete(id);
  }

  /** The last one queued is what stays, although an earlier one may be tried again. */
  private async turnOf(id: string, object: string, leave: Leave): Promise<void> {
    const { signal, retryAfterMs = TURN_EVERY_MS } = this.context;
    while (this.hasOther(object, (other) => other < id)) {
      leave();
      await pause(retryAfterMs, signal);
      signal.throwIfAborted();
    }
  }

  /** Whether another workload of an object has no outcome. */
  private hasOther(object: string, isMeant: (id: string) => boolean): boolean {
    for (const [id, created] of this.objects) if (created === object && isMeant(id)) return true;
    return false;
  }

  private async report(id: string, object: string, message: string | undefined): Promise<void> {
    const { service, say } = this.context;
    const params = { path: { id } };
    const body = message === undefined ? { status: 'applied' as const } : { status: 'refused' as const, message };
    try {
      await service.send('update_workload', (api) => api.PATCH('/v1/cluster/workload/{id}', { params, body }));
    } catch (error) {
      if (!isProblem(error, 'workload_outcome_known', 'workload_not_found')) throw error;
    }
    say(message === undefined ? `Applied the queued ${object}.` : `Refused the queued ${object}: ${message}`);
  }

  /** Creates it. @returns why it was refused, if it was */
  private async refusalOf(workload: QueuedWorkload, name: string): Promise<string | undefined> {
    const { resource, object } = creationOf(workload);
    const { namespace = '' } = object?.metadata ?? {};
    try {
      if (!resource || !object) throw refusal(`This agent applies ${Object.keys(KINDS).join(', ')}.`);
      if (!this.serves(namespace))
        throw refusal(`The agent of the cluster does not act in the namespace ${namespace}.`);
      const taken = await this.client.apply(resource, object);
      // The API server takes it all the same, and then there is nothing: the next attempt creates it.
      if (memberOf(taken.metadata, 'deletionTimestamp') !== undefined)
        throw new ObjectEnding(`The ${name} is being deleted.`);
      // Its report may come late: what fails then is another fault.
      this.faults.delete(workload.id);
      return undefined;
    } catch (error) {
      this.context.signal.throwIfAborted();
      if (mayPassLater(error) && !(await this.isHopeless(workload.id, name, namespace))) throw error;
      return failureOf(error).message.slice(0, MAX_MESSAGE);
    }
  }

  /**
   * Only what is asked after a fault shows whether it is about the workload: the API server may be away.
   */
  private async isHopeless(id: string, object: string, namespace: string): Promise<boolean> {
    if (!(await this.isAnswered(namespace))) {
      this.faults.delete(id);
      return false;
    }
    const lastMs = performance.now();
    const known = this.faults.get(id);
    const sinceMs = known && lastMs - known.lastMs <= SAME_FAULT_MS ? known.sinceMs : lastMs;
    this.faults.set(id, { sinceMs, lastMs });
    const isSuperseded = this.hasOther(object, (other) => other > id);
    return lastMs - sinceMs >= (isSuperseded ? SUPERSEDED_AFTER_MS : REFUSED_AFTER_MS);
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
}

interface Creation {
  readonly name: string;
  /** Missing if the kind is unknown. */
  readonly resource?: Resource;
  readonly object?: KubeObject;
}

function creationOf({ id, kind, manifest }: QueuedWorkload): Creation {
  const resource = KINDS[kind];
  if (!resource) return { name: `${kind} ${id}` };
  const object = objectOf(resource, id, manifest);
  return { name: nameOf(resource, object.metadata ?? {}), resource, object };
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
