import { AgentFailure } from '../../../failures';
import type { Settings } from '../../../settings/settings';
import type { ClusterContext } from '../../common/cluster-context';
import type { EventHandler, Loop } from '../../common/control-cluster';
import type { ArtifactStores } from '../../workers/artifacts/artifact-stores';
import { WorkersController } from '../../workers/workers-controller';
import { requireAccess, type AccessRule } from '../access-rules';
import type { ClusterClient } from '../cluster/cluster-client';
import { PODS } from '../cluster/resources';
import { Watched } from '../cluster/watched';
import type { PodSupervisors } from '../pods/pod-supervisors';
import { KubernetesWorkerRuns } from './kubernetes-worker-runs';
import { LABELS } from './worker-pod';
import type { WorkerTemplate } from './worker-template';

/** How the workers of profiles run as pods. */
export interface KubernetesWorkersOptions {
  /** Where they run; undefined: in the namespace of the controller. */
  readonly namespace: string | undefined;
  /** The image with the agent and CRIU. */
  readonly agentImage: string;
  /** The Secret with the key of the store, and a token for the object storage of the service. */
  readonly secret: string;
  readonly template: WorkerTemplate;
  /** The only profiles whose workers it runs; undefined: all. */
  readonly profiles: readonly string[] | undefined;
}

interface Tools {
  readonly context: ClusterContext;
  readonly client: ClusterClient;
  readonly supervisors: PodSupervisors;
  readonly stores: ArtifactStores;
}

/** What runs the workers of profiles, for the controller of a cluster. */
export function kubernetesWorkers(
  options: KubernetesWorkersOptions,
  { context, client, supervisors, stores }: Tools,
): { readonly handlers: readonly EventHandler[]; readonly loops: readonly Loop[] } {
  const { settings, signal, log } = context;
  const { profiles, ...pods } = options;
  const namespace = namespaceOf(options, client);
  const watched = new Watched(client, PODS, {
    namespaces: [namespace],
    labelSelector: LABELS.owner,
    ...{ signal, log },
  });
  const runs = new KubernetesWorkerRuns({
    context,
    client,
    pods: watched,
    supervisors,
    wishes: { ...pods, namespace, settings, owner: context.clusterId },
  });
  const workers = new WorkersController({
    ...{ context, runs, stores, node: undefined },
    profiles: profiles && new Set(profiles),
  });
  return { handlers: [workers], loops: [watched, workers] };
}

/** In the namespace of the workers. */
export const WORKER_RULES: readonly AccessRule[] = [
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch', 'create', 'delete'], isNamespaced: true },
  { group: '', resource: 'pods/exec', verbs: ['get', 'create'], isNamespaced: true },
];

/** Throws `AgentFailure` if workers could not run as pods, or could not use the checkpoints of each other. */
export async function requireWorkers(
  client: ClusterClient,
  options: KubernetesWorkersOptions,
  { storeKeyFile }: Settings,
): Promise<void> {
  if (storeKeyFile === undefined)
    throw new AgentFailure({
      cause: 'invalid_setting',
      message: 'Pods sign their checkpoints with one key for all of them, which this agent lacks.',
      remedy:
        'Make one with "umask 077; openssl rand -hex 32 > FILE", name it with --store-key-file, and put it ' +
        'into the Secret that --worker-secret names, as store-key.',
    });
  await requireAccess(client, WORKER_RULES, [namespaceOf(options, client)]);
}

const namespaceOf = ({ namespace }: KubernetesWorkersOptions, { access }: ClusterClient): string =>
  namespace ?? access.namespace;
