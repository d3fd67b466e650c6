import type { Environment } from './1-platform/config/environment';
import type { KeptRows } from './1-platform/old-rows/old-rows';
import { OLD_JOBS } from './2-inventory/jobs/jobs.queries';
import { OLD_WINDOWS } from './2-inventory/maintenance-windows/maintenance-windows.queries';
import { OLD_NODES } from './2-inventory/nodes/nodes.queries';
import { OLD_PODS } from './2-inventory/pods/pods.queries';
import { OLD_ACTIONS } from './3-checkpointing/checkpoints/actions/actions.queries';
import { OLD_CHECKPOINTS } from './3-checkpointing/checkpoints/checkpoints.queries';
import { OLD_FORGOTTEN } from './3-checkpointing/checkpoints/forgotten/forgotten-checkpoints.queries';
import { OLD_FACTS } from './3-checkpointing/operations/operations.queries';
import { OLD_RESTORES } from './3-checkpointing/restores/restores.queries';
import { OLD_STARTS } from './4-serving/activations/starts/starts.queries';
import { OLD_ASKS } from './4-serving/capacity-intents/capacity-intents.queries';
import { HOLDS_NO_ARTIFACT } from './4-serving/artifacts/residency/kept-artifacts.queries';
import { OLD_EXPERIMENTS } from './4-serving/experiments/experiments.queries';
import { OLD_CHECKPOINT_REQUESTS } from './4-serving/profile-checkpoints/profile-checkpoints.queries';
import { OLD_OBSERVATIONS } from './4-serving/profile-observations/profile-observations.queries';
import { OLD_RUNS } from './4-serving/retention-policies/retention-policies.queries';
import { OLD_INSTANCES } from './7-cloud/instances/instances.queries';

type KeptDays = Pick<
  Environment,
  'operationRetentionDays' | 'startRetentionDays' | 'podRetentionDays' | 'historyRetentionDays'
>;

const EMPTY_NODES = { ...OLD_NODES, unneeded: `${OLD_NODES.unneeded} and ${HOLDS_NO_ARTIFACT}` };

/**
 * The table of what is deleted row by row after how long, in the order of the deletions: an attempt stays as
 * long as its action does, and an observation as long as its experiment. `docs/guides/operating.md` has the
 * rows that go by other means, as whole partitions or by a rule of their own, and those that stay: what node
 * daemons reported and delete themselves (hosts, legacy jobs and their checkpoints).
 */
export const keptRows = (kept: KeptDays): readonly KeptRows[] =>
  (
    [
      ['podRetentionDays', [OLD_PODS, OLD_JOBS, EMPTY_NODES]],
      ['operationRetentionDays', [OLD_RESTORES, OLD_ACTIONS, OLD_CHECKPOINTS, OLD_FORGOTTEN, OLD_FACTS]],
      ['startRetentionDays', [OLD_STARTS, OLD_ASKS]],
      [
        'historyRetentionDays',
        [OLD_EXPERIMENTS, OLD_OBSERVATIONS, OLD_CHECKPOINT_REQUESTS, OLD_RUNS, OLD_WINDOWS, OLD_INSTANCES],
      ],
    ] as const
  ).flatMap(([setting, tables]) => tables.map((rows): KeptRows => ({ ...rows, keptDays: kept[setting] })));
