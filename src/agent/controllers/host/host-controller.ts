import { Criu } from '../../criu/criu';
import { machineFacts, type MachineFacts } from '../../machine/machine-facts';
import { SupervisorSilent } from '../../supervisor/control/control-client';
import type { ClusterContext, ControllerOptions } from '../common/cluster-context';
import { controlCluster } from '../common/control-cluster';
import { ActionRequests } from '../common/requests/action-requests';
import { RequestJournal } from '../common/requests/request-journal';
import { ArtifactRequests } from '../workers/artifacts/artifact-requests';
import { ArtifactStores, storeSetting } from '../workers/artifacts/artifact-stores';
import type { StoreKind } from '../workers/worker-runs';
import { WorkersController } from '../workers/workers-controller';
import { EndedWorkloads } from './ended-workloads';
import { HostInventory } from './host-inventory';
import { LocalWorkloads } from './local-workloads';
import { LocalWorkerRuns, WORKERS_NAMESPACE } from './local-worker-runs';
import { nodeFacts } from './node-facts';
import type { NodeFacts } from './pod-resources';
import { giveUpCheckpoint, takeCheckpoint } from './requests/checkpoint-work';
import { requestOf, requestOfAction, type Request } from './requests/host-requests';
import { giveUpRestore, restore } from './requests/restore-work';
import type { WorkContext } from './requests/work-context';

export interface HostOptions extends ControllerOptions {
  /** Name of the node; undefined: that of the machine. */
  readonly nodeName?: string | undefined;
  /** It reports, checkpoints and restores in these only; undefined: in all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether it runs workers of profiles: whose commands run with the rights of this process. */
  readonly workers?: boolean | undefined;
  /** The only profiles whose workers it runs; undefined: all. */
  readonly profiles?: readonly string[] | undefined;
  /** What runs `ccp-agent`; undefined: as this process was started. */
  readonly program?: readonly [string, ...string[]] | undefined;
  /** Whether one supervisor waits for the next restore, with its modules loaded. */
  readonly standby?: boolean | undefined;
}

/** Checkpoints that are begun before there is a place for their dump: the next ones need no time to start. */
const NEXT_DUMPS = 2;

/**
 * The controller of one machine: reports its supervised workloads as pods of a cluster, and passes what the
 * service requests on to their supervisors.
 */
export async function runHost(options: HostOptions): Promise<void> {
  const { settings, nodeName, namespaces, program, standby } = options;
  const node = nodeFacts(nodeName);
  const mayPass = (error: unknown) => error instanceof SupervisorSilent;
  await controlCluster({ ...options, kind: 'host', node: node.name, mayPass }, (cluster) => {
    const { directory, signal, log } = cluster;
    const own = options.workers ? [WORKERS_NAMESPACE] : [];
    const served = namespaces && new Set([...namespaces, ...own]);
    const workloads = new LocalWorkloads(settings, program, served, standby);
    workloads.prepareRestore();
    const journal = new RequestJournal<Request>(directory);
    const context: WorkContext = { ...cluster, workloads, journal, node: node.name };
    const requests = new ActionRequests<Request>(cluster, journal, {
      requestOf,
      requestOfAction,
      // Those that wait for a place to dump would only look for one, each in a process of its own. Each
      // leaves its place after its dump, so that a slow upload keeps nobody waiting.
      atOnce: { checkpoint: settings.parallelDumps + NEXT_DUMPS },
      work: {
        checkpoint: {
          perform: (request, leave) => takeCheckpoint(context, request, leave),
          giveUp: (request, failure) => giveUpCheckpoint(context, request, failure),
        },
        restore: {
          perform: (request) => restore(context, request),
          giveUp: (request, failure) => giveUpRestore(context, request, failure),
        },
      },
    });
    const stores = new ArtifactStores(settings, cluster.store);
    const workers = options.workers ? workersOf(options, cluster, workloads, node, stores) : undefined;
    // Also of workers that earlier ones have run here.
    const artifacts = new ArtifactRequests(cluster, stores, options.workers ?? false, node);
    return {
      inventory: new HostInventory(cluster, workloads, node),
      reportsFirst: true,
      handlers: [requests, artifacts, ...(workers ? [workers] : [])],
      loops: [
        new EndedWorkloads(workloads, { stateDir: settings.stateDir, signal, log }),
        artifacts,
        ...(workers ? [workers] : []),
      ],
    };
  });
}

function workersOf(
  { settings, program, profiles }: HostOptions,
  context: ClusterContext,
  usual: LocalWorkloads,
  node: NodeFacts,
  stores: ArtifactStores,
): WorkersController {
  const workloads = (kind: StoreKind) =>
    kind === stores.usual ? usual : new LocalWorkloads({ ...settings, store: storeSetting(settings, kind) }, program);
  return new WorkersController({
    context,
    runs: new LocalWorkerRuns(workloads, stores.usual, settings, context.signal),
    stores,
    node,
    machine: ownMachine(),
    profiles: profiles && new Set(profiles),
  });
}

/** Looked at once, because the start of a worker waits for it; again while there is no CRIU. */
function ownMachine(): () => Promise<MachineFacts> {
  let known: Promise<MachineFacts> | undefined;
  return () => {
    known ??= Criu.find().then(({ version }) => machineFacts(version));
    return known.catch(() => {
      known = undefined;
      return machineFacts('');
    });
  };
}
