import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { NIL, v5 } from 'uuid';
import { labelOf } from '../../kubernetes/pod-identity';
import { ServiceClient } from '../../service/client';
import { pause } from '../../service/retries';
import type { ControllerOptions } from '../common/cluster-context';
import { controlCluster } from '../common/control-cluster';
import { Places } from '../common/places';
import { ActionRequests } from '../common/requests/action-requests';
import { RequestJournal } from '../common/requests/request-journal';
import { ArtifactRequests } from '../workers/artifacts/artifact-requests';
import { ArtifactStores } from '../workers/artifacts/artifact-stores';
import { CORDON_RULES, KUBELET_RULES, LEASE_RULES, requireAccess, RULES } from './access-rules';
import { Access, type AccessOptions } from './cluster/access';
import { ClusterClient } from './cluster/cluster-client';
import { mayPassLater } from './cluster/refusals';
import { CordonedNodes } from './cordoned-nodes';
import { KubernetesCluster } from './kubernetes-cluster';
import { KubernetesInventory } from './kubernetes-inventory';
import { LeaseLeadership } from './lease-leadership';
import { KubeletCheckpoints } from './pods/kubelet-checkpoints';
import { PodSupervisors } from './pods/pod-supervisors';
import { QueuedWorkloads } from './queued-workloads';
import { giveUpCheckpoints, takeCheckpoints } from './requests/checkpoint-work';
import {
  requestOf,
  requestOfAction,
  type CheckpointAsked,
  type Request,
  type RestoreAsked,
} from './requests/kubernetes-requests';
import { openByMarks } from './requests/moving-pods';
import { giveUpRestore, restorePod } from './requests/restore-work';
import type { WorkContext } from './requests/work-context';
import { kubernetesWorkers, requireWorkers, type KubernetesWorkersOptions } from './workers/kubernetes-workers';

/** Most of them wait for a node; how many commands run at once is bounded by itself. */
const REQUESTS_AT_ONCE = 10_000;
/** Of all these, to the service: after an outage, each one asks for its action. */
const SERVICE_REQUESTS_AT_ONCE = 32;
const AGAIN_MS = 2_000;

export interface KubernetesOptions extends ControllerOptions, AccessOptions {
  /** It reports, checkpoints, restores and creates in these only; undefined: in all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether nodes are cordoned while their pods are moved away for maintenance. */
  readonly drain: boolean;
  /** Dumps at once in the cluster; undefined: as many as usual. */
  readonly dumpsAtOnce?: number | undefined;
  /** Who dumps containers; undefined: their supervisors. */
  readonly via?: 'kubelet' | undefined;
  /** How workers of profiles run as pods; undefined: they do not. */
  readonly workers?: KubernetesWorkersOptions | undefined;
}

/**
 * The controller of one Kubernetes cluster: reports its nodes, jobs and pods, takes checkpoints in their
 * containers, restores them as pods, and creates the workloads that people queue. Several may run: a Lease
 * decides which of them acts, and what it has to know is in Kubernetes and in the service.
 */
export async function runKubernetesController(options: KubernetesOptions): Promise<void> {
  const { clusterName, namespaces, drain, signal, say, workers, via } = options;
  const access = Access.load(options);
  const own = new ClusterClient(access, signal);
  await whenAnswered(options, async () => {
    await requireAccess(own, drain ? [...RULES, ...CORDON_RULES] : RULES, namespaces);
    await requireAccess(own, LEASE_RULES, [access.namespace]);
    if (via === 'kubelet') await requireAccess(own, KUBELET_RULES, undefined);
    if (workers) await requireWorkers(own, workers, options.settings);
  });
  const lease = { namespace: access.namespace, name: leaseName(clusterName) };
  const leadership = new LeaseLeadership({ access, say }, lease);
  const shared = { ...options, kind: 'kubernetes', node: hostname(), mayPass: mayPassLater, leadership } as const;
  await controlCluster(shared, (common) => {
    const client = new ClusterClient(access, common.signal, { mayChange: leadership.requireHeld });
    const cluster = new KubernetesCluster(client, { namespaces, signal: common.signal, log: common.log });
    const nodes = new CordonedNodes({ ...common, cluster });
    const journal = new RequestJournal<Request>(common.directory);
    const { requireHeld: mayAct } = leadership;
    const supervisors = new PodSupervisors(access, common.signal, { mayAct, dumpsAtOnce: options.dumpsAtOnce });
    const places = new Places(SERVICE_REQUESTS_AT_ONCE);
    const service = new ServiceClient({
      ...{ ...options.settings, signal: common.signal },
      limit: (request) => places.run(request),
    });
    const context: WorkContext = {
      ...{ ...common, service },
      ...{ cluster, journal, supervisors, run: randomUUID() },
      checkpoints: via === 'kubelet' ? viaKubelet(client, cluster) : supervisors,
      cordoned: drain ? nodes : undefined,
    };
    const restoring = {
      perform: (request: RestoreAsked) => restorePod(context, request),
      giveUp: (request: RestoreAsked, failure: Parameters<typeof giveUpRestore>[2]) =>
        giveUpRestore(context, request, failure),
    };
    const requests = new ActionRequests<Request>(common, journal, {
      requestOf,
      requestOfAction,
      alsoOpen: () => openByMarks(context),
      atOnce: REQUESTS_AT_ONCE,
      work: {
        checkpoint: {
          perform: (request) => checkpointAndMove(context, request),
          giveUp: (request, failure) => giveUpCheckpoints(context, request, failure),
        },
        restore: restoring,
        move: restoring,
      },
    });
    // Kubernetes chooses the node, so a directory of checkpoints is one that all nodes see.
    const stores = new ArtifactStores(common.settings, common.store, 'shared');
    const profiles = workers && kubernetesWorkers(workers, { context: common, client, supervisors, stores });
    // Also of workers that earlier controllers have run here.
    const artifacts = new ArtifactRequests(common, stores, workers !== undefined);
    return {
      inventory: new KubernetesInventory(common, cluster),
      handlers: [
        requests,
        artifacts,
        new QueuedWorkloads(common, client, (namespace) => cluster.serves(namespace)),
        ...(profiles?.handlers ?? []),
      ],
      // Also without `drain`: an earlier controller may have cordoned some.
      loops: [cluster, artifacts, nodes, ...(profiles?.loops ?? [])],
    };
  });
}

const viaKubelet = (client: ClusterClient, { pods }: KubernetesCluster): KubeletCheckpoints =>
  new KubeletCheckpoints(client, ({ namespace, pod }) => pods.get(pod, namespace)?.spec?.nodeName);

/** The API server may start later than this agent, or be replaced. */
async function whenAnswered({ signal, say }: KubernetesOptions, step: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPassLater(error)) throw error;
      if (attempt === 1) say((error as Error).message);
      await pause(AGAIN_MS, signal);
      signal.throwIfAborted();
    }
  }
}

async function checkpointAndMove(context: WorkContext, request: CheckpointAsked): Promise<void> {
  const move = await takeCheckpoints(context, request);
  if (!move) return;
  // In the place of the checkpoint, which is done.
  await context.journal.keep(move);
  await restorePod(context, move);
}

/** Names of clusters hold any character. */
const leaseName = (cluster: string): string => labelOf(`ccp-agent-${cluster}`) || `ccp-agent-${v5(cluster, NIL)}`;
