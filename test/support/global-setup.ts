import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/common/logger';
import { EmbeddedServer } from '../../src/database/embedded-server';
import { migrate } from '../../src/database/migrate';
import { asAdmin, SERVER_VARIABLE, urlOf, type TestServer } from './test-server';

/**
 * One PostgreSQL for the whole run: the one of `TEST_DATABASE_URL`, or one that is started here and thrown away. The latter
 * comes from npm, or from the installation in `TEST_POSTGRES_HOME` (for example /usr/lib/postgresql/15).
 */
export default async function setup(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'control-plane-test-'));
  // Run as root, the server has an account of its own, which must be able to enter.
  chmodSync(directory, 0o755);
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await EmbeddedServer.start(directory, createLogger('silent'), process.env.TEST_POSTGRES_HOME || undefined);
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
  };
  writeFileSync(server.callsFile, '');
  await asAdmin(server.adminUrl, async (client) => {
    await client.query(`create role ${server.owner} login password '${server.ownerPassword}'`);
    await client.query(`grant ${server.owner} to current_user`);
    await client.query(`create database ${server.template} owner ${server.owner}`);
  });
  await migrate(urlOf(server, server.template));
  process.env[SERVER_VARIABLE] = JSON.stringify(server);
  Object.assign(globalThis, { e2eServer: { embedded, directory, server } });
}
