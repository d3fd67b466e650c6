import { Bool, Int, Json, NamePart, Num, Str, Strings, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { recordSchema, Records, SlurmSyncBody } from '../slurm/sync/slurm-sync.dto';
import type {
  SlurmClusterRow,
  SlurmInventoryFilter,
  SlurmNodeFilter,
  SlurmNodeRow,
  SlurmPartitionRow,
} from './slurm-inventory.queries';

/** Maximum number of records in one set. */
export const MAX_ENTRIES = 20_000;

const CLUSTER = recordSchema(['name'], ['id', 'status', 'metadata']);
const NODE = recordSchema(
  ['name'],
  ['id', 'status', 'cpus', 'memory', 'partitions', 'reason', 'alloc_cpus', 'load', 'alloc_memory', 'free_memory'],
);
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

/** As long as the names that are stored. */
const MAX_NAME = 255;

export class ListSlurmPartitionsQuery extends PageQuery implements SlurmInventoryFilter {
  @Uuid({ optional: true, description: 'Of this registered cluster' })
  cluster_id?: string;

  @NamePart()
  name?: string;
}

export class ListSlurmNodesQuery extends ListSlurmPartitionsQuery implements SlurmNodeFilter {
  @Str({ optional: true, min: 1, max: MAX_NAME, description: 'Nodes of this partition' })
  partition?: string;

  @Str({
    optional: true,
    min: 1,
    max: 64,
    description: 'In this state, or with this flag, in any case; STALE for those that are no longer reported',
    example: 'DRAIN',
  })
  status?: string;
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

  @Uuid({ description: 'The registered cluster that reported it' })
  cluster_id!: string;

  @Strings({ nullable: true, maxItems: 1_000, description: 'Its partitions; null if they were not reported' })
  partitions!: string[] | null;

  @Str({ nullable: true, description: 'Why it was taken out of service' })
  reason!: string | null;

  @Int({ nullable: true, format: 'int32', description: 'CPUs that jobs have' })
  alloc_cpus!: number | null;

  @Num({
    nullable: true,
    description: 'Load average of its last minute; a sync reports it as `load`, or as Slurm prints it',
  })
  load!: number | null;

  @Int({ nullable: true, description: 'Memory that jobs have, in MiB' })
  alloc_memory!: number | null;

  @Int({ nullable: true, description: 'Free memory of its operating system, in MiB' })
  free_memory!: number | null;
}

const MINUTES = 'Minutes; -1 for none';

export class SlurmPartitionView implements SlurmPartitionRow {
  @Uuid()
  id!: string;

  @Uuid({ description: 'The registered cluster that reported it' })
  cluster_id!: string;

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
