import { readFileSync, rmSync } from 'node:fs';
import type { EmbeddedServer } from '../../src/1-platform/database/embedded/embedded-server';
import { operations } from './description';
import type { PgBouncer } from './pg-bouncer';
import type { SwiftOfTheRun } from './swift-of-the-run';
import { asAdmin, dropDatabase, type TestServer } from './test-server';

interface Started {
  embedded: EmbeddedServer | undefined;
  directory: string;
  server: TestServer;
  swift: SwiftOfTheRun;
  pooler: PgBouncer | undefined;
}

export default async function teardown(): Promise<void> {
  const { embedded, directory, server, swift, pooler } = (globalThis as unknown as { e2eServer: Started }).e2eServer;
  await swift.stop();
  await pooler?.stop();
  const called = new Set(readFileSync(server.callsFile, 'utf8').split('\n'));
  if (embedded) {
    await embedded.stop();
  } else {
    await dropDatabase(server, server.template);
    await asAdmin(server.adminUrl, (client) => client.query(`drop role ${server.owner}`));
  }
  rmSync(directory, { recursive: true, force: true });
  const missed = operations().filter(({ id }) => !called.has(id));
  if (process.env.E2E_COVERAGE === 'all' && missed.length > 0) {
    throw new Error(`no test calls ${missed.map(({ id }) => id).join(', ')}`);
  }
}
