import { runSlurmController } from '../../controllers/slurm/slurm-controller';
import { AgentFailure } from '../../failures';
import type { Context } from '../context';
import { profilesOf, runController } from './controller';

interface Options {
  readonly cluster: string;
  readonly interval: string;
  readonly nodeAgent?: string;
  readonly drain: boolean;
  readonly workers?: boolean;
  readonly profiles?: string;
  readonly logLevel: string;
}

const MAX_INTERVAL_SECONDS = 60;

/** Until a signal ends it. */
export async function slurm(context: Context, options: Options): Promise<void> {
  const { cluster, nodeAgent, drain, workers, profiles, logLevel } = options;
  const seconds = Number(options.interval);
  if (!(seconds > 0 && seconds <= MAX_INTERVAL_SECONDS))
    throw new AgentFailure({
      cause: 'invalid_setting',
      message: `"${options.interval}" is not an interval in seconds, of at most ${MAX_INTERVAL_SECONDS}.`,
    });
  await runController(context, 'slurm', logLevel, (shared) =>
    runSlurmController({
      ...shared,
      clusterName: cluster,
      everyMs: seconds * 1_000,
      nodeAgent: nodeAgent === undefined ? undefined : [nodeAgent],
      ...{ drain, workers, profiles: profilesOf(workers, profiles) },
    }),
  );
}
