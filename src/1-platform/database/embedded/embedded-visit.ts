import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { isConnectionFault } from '../connections/database-errors';
import { DirectoryInUse, EmbeddedServerError } from './embedded-account';
import { passwordOf, serverPort, wasStarted } from './embedded-files';
import { EmbeddedServer, ownerUrl } from './embedded-server';

/** How long the database of a running service may take to answer. */
const ANSWERS_WITHIN_MS = 20_000;
const RETRY_MS = 200;

/**
 * Gives a tool the database of a data directory: that of the running service or, if none runs, one that is
 * started for the tool. It creates no database.
 * @param work is repeated if the database stopped meanwhile
 * @throws EmbeddedServerError if there is none, or it does not answer
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
    // A service may hold the directory before its database answers, and may stop, with its database, at any
    // moment.
    const url = await urlOfRunning(root);
    if (url !== undefined) {
      try {
        return await work(url);
      } catch (error) {
        if (!isConnectionFault(error)) throw error;
      }
    }
    if (waited >= ANSWERS_WITHIN_MS)
      throw new EmbeddedServerError(`a running service uses ${dataDir}, and its database does not answer`);
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
