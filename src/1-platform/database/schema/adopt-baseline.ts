import type { QueryRunner } from 'typeorm';
import { Baseline1795381200000, CREATE_SCHEMA_OBJECTS } from '../migrations/1795381200000-Baseline';

/** The migrations that the baseline replaced, before the first release. Together they made its tables. */
const REPLACED_MIGRATIONS = [
  'Baseline1795200000000',
  'HostsAndLegacyJobs1795300000000',
  'Slurm1795310000000',
  'SlurmCheckpointsAndPolicies1795320000000',
  'SlurmMended1795330000000',
  'KeptJson1795340000000',
  'PolicyRetry1795350000000',
  'OutboxDelivery1795360000000',
  'InferenceState1795370000000',
  'InferenceTraffic1795380000000',
  'TrafficInSets1795450000000',
  'ExperimentsAndFleets1795466400000',
  'Insight1795470000000',
  'MetricSamples1795480000000',
  'Savings1795490000000',
  'TurnsOfKeys1795492000000',
  'Instances1795500000000',
  'Plugins1795510000000',
  'OutboxCursor1795640000000',
  'ModelTraffic1795660000000',
  'CheckpointProgress1795670000000',
  'QueuedWorkloads1795670100000',
  'FactsOutliveClusters1795670200000',
  'DaemonVersions1795670400000',
  'TokenScopes1795680000000',
  'ArtifactMarks1795680001000',
  'StartHistory1795800000000',
  'ActionsGivenUp1795800001000',
  'MetricKinds1795800002000',
  'QueuedWorkloadsToRemove1795800003000',
];

const BASELINE = new Baseline1795381200000().name;

/** A database that this release cannot bring up to date. The message is for its operator. */
export class UnknownSchemaError extends Error {}

const HAS_MIGRATIONS = "select to_regclass('migrations') is not null as made";

/** What the replaced migrations made and no file defines any more: `applySchemaObjects` drops it. */
const RECORD_SUPERSEDED = `
  insert into schema_objects (kind, name, checksum, revision) values
    ('function', 'authorize_requests', '', 0),
    ('function', 'usage_added_up', '', 0),
    ('trigger', 'usage_added_up', '', 0)`;

const RECORD_BASELINE = `
  insert into migrations (timestamp, name) values (${/(?<!\d)\d+$/.exec(BASELINE)?.[0]}, '${BASELINE}')`;

/** Rows that were written before the column was added. This release cannot tell how sure their facts are. */
const HAS_UNRANKED = "select exists (select from slurm_jobs where ranks = '') as found";

/** The baseline has no defaults that only rows of earlier commits needed. */
const DROP_DEFAULT = 'alter table slurm_jobs alter column ranks drop default';

/**
 * Lets a database of the last commit before the baseline go on from the baseline. Call it under the lock of
 * the migrations, and before them.
 *
 * @throws UnknownSchemaError for a database that has some of the replaced migrations, or others beside them
 */
export async function adoptBaseline(runner: QueryRunner): Promise<void> {
  const [{ made }] = (await runner.query(HAS_MIGRATIONS)) as [{ made: boolean }];
  if (!made) return;
  const rows = (await runner.query('select name from migrations')) as { name: string }[];
  const names = new Set(rows.map(({ name }) => name));
  const replaced = REPLACED_MIGRATIONS.filter((name) => names.has(name));
  if (replaced.length === 0) return;
  const others = names.size - replaced.length;
  if (replaced.length < REPLACED_MIGRATIONS.length || others > 0)
    throw new UnknownSchemaError(
      `the database has ${replaced.length} of the ${REPLACED_MIGRATIONS.length} migrations that preceded the first` +
        ` release, and ${others} others. This release goes on from exactly those ${REPLACED_MIGRATIONS.length}: start` +
        ` the last commit before ${BASELINE} on the database once, or use an empty one`,
    );
  await runner.startTransaction();
  try {
    await runner.query("select set_config('app.system', 'on', true)");
    const [{ found }] = (await runner.query(HAS_UNRANKED)) as [{ found: boolean }];
    if (found)
      throw new UnknownSchemaError(
        "slurm_jobs has rows with ranks = '', of a build before the first release. Delete them: the next sync" +
          ' reports the jobs that Slurm still has',
      );
    await runner.query('delete from migrations');
    await runner.query(RECORD_BASELINE);
    await runner.query(CREATE_SCHEMA_OBJECTS);
    await runner.query(RECORD_SUPERSEDED);
    await runner.query(DROP_DEFAULT);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}
