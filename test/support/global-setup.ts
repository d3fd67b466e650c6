import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { createApplication } from '../../src/application';
import { createLogger } from '../../src/1-platform/common/logger';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { EmbeddedServer } from '../../src/1-platform/database/embedded/embedded-server';
import { migrate } from '../../src/1-platform/database/migrate';
import { Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { QUEUE_SCHEMA } from '../../src/1-platform/scheduling/boss-connections';
import { PgBouncer } from './pg-bouncer';
import { shownConfiguration } from './shown-configuration';
import { SwiftOfTheRun } from './swift-of-the-run';
import { asAdmin, SERVER_VARIABLE, urlOf, type TestServer } from './test-server';

/**
 * Provides one PostgreSQL for the whole run: that of `TEST_DATABASE_URL`, or a temporary one, whose programs
 * come from npm or from `TEST_POSTGRES_HOME` (for example /usr/lib/postgresql/15). With
 * `TEST_PGBOUNCER=true`, the services of the tests reach it through a pgbouncer.
 */
export default async function setup(): Promise<void> {
  const directory = mkdtempSync(join(roomInMemory() ?? tmpdir(), 'control-plane-test-'));
  // If the tests run as root, the server runs as another account, which must be able to enter this directory.
  chmodSync(directory, 0o755);
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await EmbeddedServer.start(directory, createLogger('silent'), {
        home: process.env.TEST_POSTGRES_HOME || undefined,
      });
  try {
    await prepareServer(directory, embedded);
  } catch (error) {
    // Jest runs no tear-down if the set-up failed.
    await embedded?.stop();
    throw error;
  }
}

/** A few databases at a time, and the log of the server. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * A directory in memory. Each spec creates a database of 500 files and drops it, which takes a file system on
 * a disk a sixth of the run.
 */
function roomInMemory(): string | undefined {
  const shared = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(shared);
    return Math.min(bavail * bsize, freemem()) > NEEDED_BYTES ? shared : undefined;
  } catch {
    return undefined;
  }
}

async function prepareServer(directory: string, embedded: EmbeddedServer | undefined): Promise<void> {
  if (embedded) {
    await asAdmin(embedded.adminUrl, forgetOnPowerLoss);
    await asAdmin(embedded.adminUrl, (client) => connectCheaply(client, embedded.adminUrl));
  }
  const suffix = randomBytes(4).toString('hex');
  const adminUrl = process.env.TEST_DATABASE_URL ?? embedded?.adminUrl ?? '';
  const superuser = await asAdmin(adminUrl, async (client) => {
    const { rows } = await client.query<{ superuser: boolean }>(
      'select rolsuper as superuser from pg_roles where rolname = current_user',
    );
    return rows[0]?.superuser === true;
  });
  const server: TestServer = {
    adminUrl,
    superuser,
    owner: `e2e_owner_${suffix}`,
    ownerPassword: randomBytes(12).toString('hex'),
    template: `e2e_template_${suffix}`,
    callsFile: join(directory, 'calls'),
    ...(embedded && { socketDirectory: embedded.files }),
  };
  writeFileSync(server.callsFile, '');
  await asAdmin(server.adminUrl, async (client) => {
    await client.query(`create role ${server.owner} login password '${server.ownerPassword}'`);
    await client.query(`grant ${server.owner} to current_user`);
    await client.query(`create database ${server.template} owner ${server.owner}`);
  });
  await prepare(urlOf(server, server.template));
  const database = urlOf(server, server.template);
  const pooler = process.env.TEST_PGBOUNCER === 'true' ? await poolerBefore(server) : undefined;
  const whole: TestServer = { ...server, ...(pooler && { pooler: pooler.inFrontOf(database) }) };
  process.env[SERVER_VARIABLE] = JSON.stringify(whole);
  const swift = await SwiftOfTheRun.offer();
  Object.assign(globalThis, { e2eServer: { embedded, directory, server, swift, pooler } });
}

/** With the settings of the role that the guide recommends. */
async function poolerBefore(server: TestServer): Promise<PgBouncer> {
  const settings = shownConfiguration('sql', 'client_connection_check_interval').replaceAll(
    'control_plane',
    server.owner,
  );
  await asAdmin(server.adminUrl, (client) => client.query(settings));
  return PgBouncer.before(urlOf(server, server.template));
}

/** The database is temporary, so it need not survive a power cut. */
async function forgetOnPowerLoss(client: pg.Client): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await client.query(`alter system set ${setting} = off`);
  // The log may be in memory.
  await client.query("alter system set max_wal_size = '256MB'");
  await client.query('select pg_reload_conf()');
}

/**
 * Services and tests connect thousands of times, and each proof of a password takes milliseconds of both
 * sides. PostgreSQL 15 has no such setting.
 */
async function connectCheaply(client: pg.Client, adminUrl: string): Promise<void> {
  const { rows } = await client.query("select from pg_settings where name = 'scram_iterations'");
  if (rows.length === 0) return;
  await client.query('alter system set scram_iterations = 1');
  await client.query('select pg_reload_conf()');
  await client.query('set scram_iterations = 1');
  const { username, password } = new URL(adminUrl);
  await client.query(`alter role ${username} password ${client.escapeLiteral(password)}`);
}

/**
 * Prepares a database as a first start does, with the tables of the queue, so that no test has to wait for
 * them.
 */
async function prepare(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const app = await createApplication({ ...readEnvironment({}), databaseUrl }, createLogger('silent'));
  try {
    await app.init();
    await app.get(Sweeps).start();
  } finally {
    await app.close();
  }
  // Sweeps are due some time after the start of a service; each test starts its own.
  await asAdmin(databaseUrl, (client) => client.query(`delete from ${QUEUE_SCHEMA}.job`));
}
