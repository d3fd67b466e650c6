import { hostname } from 'node:os';
import type { FailureFacts } from '../../failures';
import { SlurmUnavailable } from '../../slurm/slurm-commands';
import type { ClusterContext, ControllerOptions } from '../common/cluster-context';
import { controlCluster } from '../common/control-cluster';
import { ActionRequests } from '../common/requests/action-requests';
import { RequestJournal } from '../common/requests/request-journal';
import { ArtifactRequests } from '../workers/artifacts/artifact-requests';
import { ArtifactStores } from '../workers/artifacts/artifact-stores';
import { WorkersController } from '../workers/workers-controller';
import { DrainedNodes } from './drained-nodes';
import { JobSteps } from './job-steps';
import { giveUpCheckpoint } from './requests/checkpoint-work';
import { checkpointAndMove } from './requests/move-work';
import { giveUpRestore, restoreJob } from './requests/restore-work';
import { requestOf, requestOfAction, type Request, type RestoreAsked } from './requests/slurm-requests';
import type { WorkContext } from './requests/work-context';
import { SlurmCluster } from './slurm-cluster';
import { SlurmInventory } from './slurm-inventory';
import { SlurmWorkerRuns } from './workers/slurm-worker-runs';
import { WorkerJobs } from './workers/worker-jobs';

/** Most of them wait for a free node; how many steps run at once is bounded by itself. */
const REQUESTS_AT_ONCE = 10_000;
/** Between two looks at the jobs, however many requests wait for one. */
const GAP_MS = 500;

export interface SlurmOptions extends ControllerOptions {
  readonly everyMs: number;
  /** What runs `ccp-agent` on the nodes; undefined: as this process was started. */
  readonly nodeAgent?: readonly string[] | undefined;
  /** Whether it runs workers of profiles: whose commands run with the rights of this process. */
  readonly workers?: boolean | undefined;
  /** The only profiles whose workers it runs; undefined: all. */
  readonly profiles?: readonly string[] | undefined;
  /** Whether nodes are drained while their jobs are moved away for maintenance. */
  readonly drain: boolean;
}

/**
 * The controller of one Slurm cluster: reports its jobs, nodes, partitions and reservations, and does what
 * the service requests by Slurm's own commands.
 */
export async function runSlurmController(options: SlurmOptions): Promise<void> {
  const { settings, everyMs, nodeAgent, drain } = options;
  const mayPass = (error: unknown) => error instanceof SlurmUnavailable;
  const kinds = { kind: 'slurm', clusterKind: 'slurm' } as const;
  await controlCluster({ ...options, ...kinds, node: hostname(), mayPass }, (common) => {
    const { directory, service, signal, log, say } = common;
    const cluster = new SlurmCluster(signal, GAP_MS);
    const nodes = new DrainedNodes(cluster, log, say);
    const journal = new RequestJournal<Request>(directory);
    const program = nodeAgent ?? ownProgram();
    const steps = new JobSteps(program, settings.stateDir, signal);
    const context: WorkContext = {
      ...common,
      cluster,
      steps,
      journal,
      drained: drain ? nodes : undefined,
      agent: `ccp-agent slurm on ${hostname()}`,
    };
    const restoring = {
      perform: (request: RestoreAsked) => restoreJob(context, request),
      giveUp: (request: RestoreAsked, failure: FailureFacts) => giveUpRestore(context, request, failure),
    };
    const requests = new ActionRequests<Request>(common, journal, {
      requestOf,
      requestOfAction: (open) => requestOfAction(service, open),
      atOnce: REQUESTS_AT_ONCE,
      work: {
        checkpoint: {
          perform: (request) => checkpointAndMove(context, request),
          giveUp: (request, failure) => giveUpCheckpoint(context, request, failure),
        },
        restore: restoring,
        move: restoring,
      },
    });
    // Slurm chooses the node, so a directory of checkpoints is one that all nodes see.
    const stores = new ArtifactStores(settings, common.store, 'shared');
    const workers = options.workers ? workersOf(options, common, program, stores) : undefined;
    // Also of workers that earlier ones have run here.
    const artifacts = new ArtifactRequests(common, stores, options.workers ?? false);
    return {
      inventory: new SlurmInventory(common, cluster, { everyMs, onNodes: (records) => nodes.resumeDue(records) }),
      handlers: [requests, artifacts, ...(workers ? [workers] : [])],
      loops: [artifacts, ...(workers ? [workers] : [])],
    };
  });
}

function workersOf(
  { settings, profiles }: SlurmOptions,
  context: ClusterContext,
  program: readonly string[],
  stores: ArtifactStores,
): WorkersController {
  const jobs = new WorkerJobs(context.signal);
  // Of their own: checkpoints of workers and of other jobs do not wait for each other.
  const steps = new JobSteps(program, settings.stateDir, context.signal);
  return new WorkersController({
    context,
    runs: new SlurmWorkerRuns({ context, jobs, steps, program }),
    stores,
    node: undefined,
    profiles: profiles && new Set(profiles),
  });
}

/** Nodes have this program under the same path, or `--node-agent` names another one. */
const ownProgram = (): string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
