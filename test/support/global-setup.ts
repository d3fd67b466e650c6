import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/common/logger';
import { EmbeddedServer } from '../../src/database/embedded-server';
import { migrate } from '../../src/database/migrate';
import { asAdmin, SERVER_VARIABLE, urlOf, type TestServer } from './test-server';

/** One PostgreSQL for the whole run: the one of `TEST_DATABASE_URL`, or one that is started here and thrown away. */
export default async function setup(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'control-plane-test-'));
  // Run as root, the server has an account of its own, which must be able to enter.
  chmodSync(directory, 0o755);
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await EmbeddedServer.start(directory, createLogger('silent'));
  const suffix = randomBytes(4).toString('hex');
  const server: TestServer = {
    adminUrl: process.env.TEST_DATABASE_URL ?? embedded?.adminUrl ?? '',
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
