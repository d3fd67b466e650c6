/**
 * Brings the database of DATABASE_URL to the schema of this release and ends: `npm run migrate`. With
 * `--wait` it changes nothing, and ends once another process has done so. Exit code 0 if the schema is that
 * of this release, 1 if that failed, 2 for wrong arguments.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DataSource } from 'typeorm';
import { directUrl, EnvironmentError, type Environment } from '../config/environment';
import { loadEnvironment } from '../config/load-environment';
import { dataSourceOptions } from './connections/data-source-options';
import { inspectDatabase, isMigrated, migrate } from './migrate';
import { UnknownSchemaError } from './schema/adopt-baseline';

const USAGE = `npm run migrate [-- --wait]

Brings the database of DATABASE_URL to the schema of this release, as a start of the service does, and ends. Several
of them take turns.

  --wait   changes nothing; waits until another process has migrated the database
  --help   this text`;

const PAUSE_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 5_000;

/** Reported to the person in one line. */
class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Wish {
  readonly help?: boolean;
  readonly wait?: boolean;
}

function wishOf(args: string[]): Wish {
  try {
    return parseArgs({ args, options: { wait: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    throw new CommandError((error as Error).message, 2);
  }
}

type Database = Pick<Environment, 'databaseListenUrl'> & { readonly databaseUrl: string };

function settings(): Database {
  const { databaseUrl, databaseListenUrl } = loadEnvironment();
  if (databaseUrl === undefined) throw new CommandError('DATABASE_URL is missing: it names the database to migrate');
  return { databaseUrl, databaseListenUrl };
}

async function migrateNow(database: Database): Promise<void> {
  const { fault, warning } = await inspectDatabase(database.databaseUrl, database.databaseListenUrl);
  if (fault) throw new CommandError(fault);
  if (warning) process.stderr.write(`warning: ${warning}\n`);
  await migrate(directUrl(database));
  say('the database has the schema of this release');
}

/** While a database cannot be reached it is waited for too: it may start later than this process. */
async function waitForMigration(database: Database): Promise<void> {
  const url = directUrl(database);
  let reported: string | undefined;
  for (;;) {
    const obstacle = await obstacleOf(url);
    if (obstacle === undefined) return say('the database has the schema of this release');
    if (obstacle !== reported) say(`waiting: ${obstacle}`);
    reported = obstacle;
    await sleep(PAUSE_MS);
  }
}

async function obstacleOf(url: string): Promise<string | undefined> {
  const dataSource = new DataSource(
    dataSourceOptions({ databaseUrl: url, poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  );
  try {
    await dataSource.initialize();
    return (await isMigrated(dataSource)) ? undefined : 'the database is empty or of an older release';
  } catch (error) {
    return unreachable(error);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

const unreachable = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return `the database cannot be used: ${message || code}`;
};

async function main(): Promise<number> {
  try {
    const wish = wishOf(process.argv.slice(2));
    if (wish.help) say(USAGE);
    else await (wish.wait ? waitForMigration : migrateNow)(settings());
    return 0;
  } catch (error) {
    const expected = [CommandError, EnvironmentError, UnknownSchemaError].some((kind) => error instanceof kind);
    process.stderr.write(`${(expected ? (error as Error).message : unreachable(error)).replaceAll('\n', ' ')}\n`);
    if (!(error instanceof CommandError) || error.exitCode === 1) return 1;
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
}

// A signal ends it at once: an unfinished migration is rolled back.
void main().then((code) => process.exit(code));
