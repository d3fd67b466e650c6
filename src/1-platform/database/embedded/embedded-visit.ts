import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { isConnectionFault } from '../connections/database-errors';
import { DirectoryInUse, EmbeddedServerError } from './embedded-account';
import { passwordOf, serverPort, wasStarted } from './embedded-files';
import { EmbeddedServer, ownerUrl } from './embedded-server';

/** How long a service that holds the directory may take until its database answers. */
const ANSWERS_WITHIN_MS = 20_000;
const RETRY_MS = 200;

/**
 * Gives a tool the database of a data directory: the one that the running service has started, or, while none
 * runs, one that is started for as long as the tool works. It makes no database.
 * @param work is repeated when the database ended meanwhile
 * @throws EmbeddedServerError when there is none, or it does not answer
 */
export async function withEmbeddedDatabase<T>(
  dataDir: string,
  logger: Logger,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const root = resolve(dataDir);
  if (!(await wasStarted(root)))
    throw new EmbeddedServerError(`there is no database in ${dataDir}; set DATA_DIR or DATABASE_URL`);
  for (let waited = 0; ; waited += RETRY_MS) {
    const server = await startUnlessInUse(dataDir, logger);
    if (server) {
      try {
        return await work(server.url);
      } finally {
        await server.stop();
      }
    }
    // Whoever has the directory may do so before its database
    // answers, and may end, database included, at any moment.
    const url = await urlOfRunning(root);
    if (url !== undefined) {
      try {
        return await work(url);
      } catch (error) {
        if (!isConnectionFault(error)) throw error;
      }
    }
    if (waited >= ANSWERS_WITHIN_MS)
      throw new EmbeddedServerError(`the database of the instance that uses ${dataDir} does not answer`);
    await sleep(RETRY_MS);
  }
}

async function startUnlessInUse(dataDir: string, logger: Logger): Promise<EmbeddedServer | undefined> {
  try {
    return await EmbeddedServer.start(dataDir, logger);
  } catch (error) {
    if (error instanceof DirectoryInUse) return undefined;
    throw error;
  }
}

/** @returns undefined unless it answers */
async function urlOfRunning(root: string): Promise<string | undefined> {
  const port = await serverPort(root);
  if (port === undefined) return undefined;
  const url = ownerUrl(port, await passwordOf(root));
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return url;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
