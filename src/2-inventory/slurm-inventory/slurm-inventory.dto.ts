import { Bool, Int, Json, Str, Uuid } from '../../1-platform/common/fields/fields';
import { recordSchema, Records, SlurmSyncBody } from '../slurm/sync/slurm-sync.dto';
import type { SlurmClusterRow, SlurmNodeRow, SlurmPartitionRow } from './slurm-inventory.queries';

/** Maximum number of records in one set. */
export const MAX_ENTRIES = 20_000;

const CLUSTER = recordSchema(['name'], ['id', 'status', 'metadata']);
const NODE = recordSchema(['name'], ['id', 'status', 'cpus', 'memory']);
const PARTITION = recordSchema(
  ['name'],
  ['state', 'nodes', 'total_nodes', 'total_cpus', 'priority_tier', 'max_time', 'default_time', 'is_default'],
);

export class SyncSlurmClustersBody extends SlurmSyncBody {
  @Records(MAX_ENTRIES, CLUSTER, 'All of them, as slurmrestd (slurmdb) prints them, or flat')
  clusters!: unknown[];
}

export class SyncSlurmNodesBody extends SlurmSyncBody {
  @Records(
    MAX_ENTRIES,
    NODE,
    'All of them, as slurmrestd, sinfo --json (22.05) or scontrol show nodes --json prints them, or flat',
  )
  nodes!: unknown[];
}

export class SyncSlurmPartitionsBody extends SlurmSyncBody {
  @Records(MAX_ENTRIES, PARTITION, 'All of them, as slurmrestd or scontrol show partitions --json prints them, or flat')
  partitions!: unknown[];
}

const STALE = 'STALE if the cluster no longer reports it';

export class SlurmClusterView implements SlurmClusterRow {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str({ description: `ACTIVE by default; ${STALE}` })
  status!: string;

  @Json({ description: "As reported, or the members of slurmdbd's output" })
  metadata!: unknown;
}

export class SlurmNodeView implements SlurmNodeRow {
  @Uuid()
  id!: string;

  @Str({ nullable: true })
  name!: string;

  @Str({ nullable: true, description: `Its state and flags in upper case; ${STALE}`, example: 'IDLE+DRAIN' })
  status!: string | null;

  @Int({ nullable: true, format: 'int32' })
  cpus!: number | null;

  @Int({ nullable: true, description: 'In MiB, as Slurm counts it' })
  memory!: number | null;
}

const MINUTES = 'Minutes; -1 for none';

export class SlurmPartitionView implements SlurmPartitionRow {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str({ description: STALE, example: 'UP' })
  state!: string;

  @Str({ max: 65_536, description: "In Slurm's notation", example: 'gpu-[1-2]' })
  nodes!: string;

  @Int({ format: 'int32' })
  total_nodes!: number;

  @Int({ format: 'int32' })
  total_cpus!: number;

  @Int({ format: 'int32' })
  priority_tier!: number;

  @Int({ description: MINUTES })
  max_time!: number;

  @Int({ description: `${MINUTES}: the largest counts` })
  default_time!: number;

  @Bool({ description: 'false if Slurm does not print it (since 23.02)' })
  is_default!: boolean;
}
