import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { timestamp } from '../../../clock';
import { AgentFailure, failureOf } from '../../../failures';
import { pause } from '../../../service/retries';
import type { WorkloadStatus } from '../../../supervisor/control/control-protocol';
import type { ClusterContext } from '../../common/cluster-context';
import { patiently, type Patience } from '../../workers/patience';
import { Receipts } from '../../workers/receipts';
import type { KnownRun, RunId, RunStatus, RunWish, WorkerRuns } from '../../workers/worker-runs';
import type { ClusterClient } from '../cluster/cluster-client';
import { ApiRefusal, ApiUnreachable, isRefusal, mayPassLater } from '../cluster/refusals';
import { PODS, type Pod } from '../cluster/resources';
import type { Watched } from '../cluster/watched';
import { annotation } from '../pods/marks';
import { isEnding, nameOf, placeOf, podText, uidOf, type SupervisedContainer } from '../pods/pod-state';
import type { PodSupervisors } from '../pods/pod-supervisors';
import { LABELS, podNameOf, podOf, RECORD, type WorkerPods } from './worker-pod';
import { endOfGone, workerState } from './worker-state';
import { WORKER_CONTAINER } from './worker-template';

/** For so long, one command in a pod waits for its worker. */
const COMES_UP_SECONDS = 60;
/** Before a pod is asked again that gave no answer. */
const ASKED_AGAIN_MS = 1_000;
/** So that the command which asked for a checkpoint learns its result before the pod ends. */
const ANSWER_SECONDS = 3;
/** So long, people can read the output of pods that have ended. */
const KEPT_MS = 600_000;
/** Ports that neither the kernel gives to clients nor a well-known service has. */
const [FIRST_PORT, BEHIND_PORTS] = [20_000, 30_000];
/** With less, the API server forgets a pod that may still run. */
const LEAST_GRACE_SECONDS = 1;
/** A node that lives has ended a pod by then. */
const FORCED_WITHIN_MS = 10_000;
const EXISTS = 409;
const REMEMBERED = 1_000;

export interface KubernetesWorkerTools {
  readonly context: Pick<ClusterContext, 'directory' | 'signal' | 'log'>;
  readonly client: Pick<ClusterClient, 'create' | 'get' | 'delete'>;
  /** Those of workers. */
  readonly pods: Pick<Watched<Pod>, 'get' | 'all' | 'ready' | 'onChange'>;
  readonly supervisors: Pick<PodSupervisors, 'statusOnceUp' | 'connections' | 'checkpoint'>;
  readonly wishes: WorkerPods;
}

/**
 * Workers as pods, one each. The name of a pod follows from the uid of its worker, so the API server refuses
 * a second one. What Kubernetes says of them comes by a watch. Whether a worker runs, and where, only its
 * supervisor knows: one command in the pod waits for that, so pods need no rights at the API server.
 */
export class KubernetesWorkerRuns implements WorkerRuns {
  private readonly receipts: Receipts;
  /** Of workers whose end the service knows from here. */
  private readonly reported: Receipts;
  private readonly patience: Patience;
  /** Ports of those that were seen to run, by the uid of the worker; null: not published. */
  private readonly up = new Map<string, number | null>();
  private readonly asked = new Set<string>();
  /** Why the API server did not let a supervisor be asked, by the uid of the worker. */
  private readonly unasked = new Map<string, string>();
  /** Of pods that were deleted, by the uid of the worker: the newest ones. */
  private readonly gone = new Map<string, RunStatus>();

  constructor(private readonly tools: KubernetesWorkerTools) {
    const { directory, signal } = tools.context;
    this.receipts = new Receipts(directory, 'pods');
    this.reported = new Receipts(directory, 'reported-pods');
    this.patience = { signal, mayPass: mayPassLater, whom: 'The Kubernetes API server' };
    tools.pods.onChange(({ type, object }) => {
      if (type === 'gone') this.remember(object);
    });
  }

  /** A pod has a network of its own, unless the template gives it that of its node. */
  get sharesNetwork(): boolean {
    return this.tools.wishes.template.spec.hostNetwork === true;
  }

  async start(wish: RunWish): Promise<void> {
    // What is wrong with the profile is known before anything is asked.
    const pod = podOf(wish, this.tools.wishes);
    await patiently(this.patience, async () => {
      if (await this.receipts.has(wish.uid)) return;
      await this.create(pod, wish).catch((error: unknown) => {
        throw error instanceof ApiRefusal && !mayPassLater(error) ? refused(error) : error;
      });
      await this.receipts.keep(wish.uid, { pod: podNameOf(wish) });
    });
  }

  async status(run: KnownRun): Promise<RunStatus | undefined> {
    const { uid } = run;
    const pod = await this.podOf(run);
    const seen = pod && workerState(pod, Date.parse(timestamp()));
    if (seen?.state !== 'running') {
      this.up.delete(uid);
      this.unasked.delete(uid);
    }
    if (!seen) return this.gone.get(uid);
    if (seen.state !== 'running') return seen;
    const published = this.up.get(uid);
    const ending = seen.isEnding && { isEnding: seen.isEnding };
    if (published === undefined) {
      this.ask(uid, placeOf(pod, WORKER_CONTAINER));
      const unasked = this.unasked.get(uid);
      return { state: 'starting', endpoint: undefined, ...ending, ...(unasked !== undefined && { unasked }) };
    }
    const port = run.network === 'host' ? run.port : published;
    const { address } = seen;
    const isReachable = port !== null && address !== undefined;
    return { state: 'running', endpoint: isReachable ? `http://${hostIn(address)}:${port}` : undefined, ...ending };
  }

  /** That it is not in the state directory says nothing: it goes also if its profile is not run from here. */
  async records(): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const pod of (await this.own()).filter(isOwnName)) {
      if (await this.reported.has(labelOf(pod, LABELS.uid))) continue;
      const record = jsonIn(annotation(pod, RECORD));
      // Nobody else reports its end to the service, where it would run for ever.
      found.push(isEnding(pod) ? { ...(record as object), isDismissed: true } : record);
    }
    return found;
  }

  endReported(uid: string): Promise<void> {
    return this.reported.keep(uid, {});
  }

  async list(): Promise<RunId[]> {
    const all = await this.own();
    await this.removeOld(all);
    const uids = new Set(all.map((pod) => labelOf(pod, LABELS.uid)));
    for (const receipts of [this.receipts, this.reported]) await receipts.forgetOld((uid) => uids.has(uid));
    const live = await this.live();
    for (const pod of live) if (!isOwnName(pod)) await this.endCopy(pod);
    return live.filter(isOwnName).map((pod) => ({ uid: labelOf(pod, LABELS.uid), name: labelOf(pod, LABELS.name) }));
  }

  /** Only a node says that its containers have ended: it is asked first, also where there is no choice. */
  async end(run: RunId, isForced: boolean): Promise<void> {
    const pod = await this.podOf(run);
    // One that has ended stays for those who read its output.
    if (!pod || endOf(pod) !== undefined || (pod.metadata?.deletionTimestamp !== undefined && !isForced)) return;
    if (!isForced) return this.delete(pod);
    const { deletionTimestamp, deletionGracePeriodSeconds = Infinity } = pod.metadata ?? {};
    const isAsked = deletionTimestamp !== undefined && deletionGracePeriodSeconds <= LEAST_GRACE_SECONDS;
    if (!isAsked) return this.delete(pod, LEAST_GRACE_SECONDS);
    if (Date.parse(timestamp()) - Date.parse(deletionTimestamp) > FORCED_WITHIN_MS) await this.delete(pod, 0);
  }

  checkpoint(run: RunId, wish: { readonly id: string; readonly leaveRunning: boolean }): Promise<void> {
    return patiently(this.patience, async () => {
      const place = await this.running(run);
      await this.tools.supervisors.checkpoint(place, { ...wish, staySeconds: ANSWER_SECONDS }, () => {});
    });
  }

  /** If that is not known, somebody may be. */
  async isQuiet(run: RunId, endpoint: string): Promise<boolean> {
    const { context, supervisors } = this.tools;
    try {
      return (await supervisors.connections(await this.running(run), Number(new URL(endpoint).port))) === 0;
    } catch (error) {
      context.signal.throwIfAborted();
      context.log.info({ err: error, uid: run.uid }, 'the connections of a worker are not known');
      return false;
    }
  }

  /** A pod has all of them in a network of its own. In that of a node, the supervisor refuses a taken one. */
  freePort(): Promise<number> {
    return Promise.resolve(randomInt(FIRST_PORT, BEHIND_PORTS));
  }

  /** Somebody has copied the pod of a worker, with its labels. */
  private async endCopy(pod: Pod): Promise<void> {
    this.tools.context.log.warn({ pod: podText(pod) }, 'a pod has the labels of a worker, and is deleted');
    await this.delete(pod);
  }

  private async live(): Promise<Pod[]> {
    return (await this.own()).filter((pod) => !isEnding(pod));
  }

  /** Of this cluster: another one of the service may have the same namespace. */
  private async own(): Promise<Pod[]> {
    const { pods, wishes } = this.tools;
    await pods.ready();
    return [...pods.all()].filter((pod) => labelOf(pod, LABELS.owner) === wishes.owner());
  }

  private remember(pod: Pod): void {
    this.gone.set(labelOf(pod, LABELS.uid), endOfGone(pod));
    for (const uid of this.gone.keys()) {
      if (this.gone.size <= REMEMBERED) break;
      this.gone.delete(uid);
    }
  }

  private async create(pod: Pod, { uid }: RunWish): Promise<void> {
    const { client } = this.tools;
    try {
      await client.create(PODS, pod);
    } catch (error) {
      if (!isRefusal(error, EXISTS)) throw error;
      // An earlier attempt, or an earlier controller, has made it.
      const there = await client.get(PODS, { namespace: pod.metadata?.namespace, name: nameOf(pod) });
      // Without a pod, another one has changed the quota at the same moment.
      if (!there) throw new ApiUnreachable(error.message, { cause: error });
      if (labelOf(there, LABELS.uid) === uid) return;
      throw new AgentFailure({
        cause: 'name_taken',
        message: `Another pod has the name ${podText(pod)}.`,
      });
    }
  }

  /** @returns undefined if there is none. Throws if that is not known */
  private async podOf(run: RunId): Promise<Pod | undefined> {
    const { pods, client, wishes } = this.tools;
    const name = podNameOf(run);
    // A watch may not have seen yet what was just made, and may have missed what is gone.
    const pod = pods.get(name, wishes.namespace) ?? (await client.get(PODS, { namespace: wishes.namespace, name }));
    return pod && labelOf(pod, LABELS.uid) === run.uid ? pod : undefined;
  }

  /** Asks a supervisor once, in the background, until it says that its worker runs. */
  private ask(uid: string, place: SupervisedContainer): void {
    if (this.asked.has(uid)) return;
    this.asked.add(uid);
    const { supervisors, context } = this.tools;
    supervisors
      .statusOnceUp(place, COMES_UP_SECONDS)
      .then(
        (status) => {
          this.unasked.delete(uid);
          if (isUp(status)) this.up.set(uid, status.network?.published?.port ?? null);
        },
        (error: unknown) => {
          if (context.signal.aborted) return;
          context.log.info({ err: error, uid }, 'the supervisor of a worker gave no answer');
          // What the container itself is the cause of must come to an end.
          if (mayPassLater(error)) this.unasked.set(uid, failureOf(error).message);
          else this.unasked.delete(uid);
          return pause(ASKED_AGAIN_MS, context.signal);
        },
      )
      .finally(() => this.asked.delete(uid));
  }

  private async running(run: RunId): Promise<SupervisedContainer> {
    const pod = await this.podOf(run);
    const state = pod && workerState(pod, Date.parse(timestamp()));
    if (pod && state?.state === 'running') return placeOf(pod, WORKER_CONTAINER);
    throw new AgentFailure({
      cause: 'workload_ended',
      message: `The pod of the worker ${run.name} does not run: ${state?.state ?? 'there is none'}.`,
    });
  }

  /** The API server keeps pods that have ended until it has thousands of them. */
  private async removeOld(pods: readonly Pod[]): Promise<void> {
    const now = Date.parse(timestamp());
    for (const pod of pods) {
      if (pod.metadata?.deletionTimestamp !== undefined) continue;
      const endedAt = endOf(pod);
      if (endedAt !== undefined && now - endedAt > KEPT_MS) await this.delete(pod);
    }
  }

  private async delete(pod: Pod, graceSeconds?: number): Promise<void> {
    const { namespace, name } = pod.metadata ?? {};
    const options = { uid: uidOf(pod), ...(graceSeconds !== undefined && { graceSeconds }) };
    await this.tools.client.delete(PODS, { namespace, name }, options);
  }
}

const isUp = ({ phase }: WorkloadStatus): boolean => phase === 'running' || phase === 'checkpointing';

/** No artifact is to blame for what the API server refuses, such as a quota. */
const refused = (error: ApiRefusal): AgentFailure =>
  new AgentFailure({ ...error.facts, cause: 'scheduler_refused' }, { cause: error });

function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

const labelOf = ({ metadata }: Pod, name: string): string => metadata?.labels?.[name] ?? '';

const isOwnName = (pod: Pod): boolean =>
  nameOf(pod) === podNameOf({ name: labelOf(pod, LABELS.name), uid: labelOf(pod, LABELS.uid) });

const hostIn = (address: string): string => (isIPv6(address) ? `[${address}]` : address);

/** When a pod ended, or at least was made; undefined: it has not ended. */
function endOf({ status, metadata }: Pod): number | undefined {
  if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') return undefined;
  const ends = (status.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const known = ends.filter((end) => !Number.isNaN(end));
  return known.length > 0 ? Math.max(...known) : Date.parse(metadata?.creationTimestamp ?? '');
}
