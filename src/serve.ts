import { createLoggerFor } from './1-platform/common/logger';
import { StartRefused, StopFailed } from './1-platform/common/start-refused';
import type { Environment } from './1-platform/config/environment';
import { EmbeddedServerError } from './1-platform/database/embedded/embedded-account';
import { EmbeddedServer } from './1-platform/database/embedded/embedded-server';
import { UnknownSchemaError } from './1-platform/database/schema/adopt-baseline';
import { unlessStopped } from './1-platform/common/work/unless-stopped';

/** Most modules of the service, which take a second to load. */
const load = () => import('./service.js');

/** Runs the service until a signal ends it. What a person can put right is a `StartRefused`. */
export async function serve(environment: Environment): Promise<void> {
  try {
    await run(environment);
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

async function run(environment: Environment): Promise<void> {
  const logger = await createLoggerFor(environment);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      logger.info({ signal }, 'stopping');
      stopping.abort();
    });
  }

  // Whatever was started is stopped again in any case, the database last.
  let embedded: EmbeddedServer | undefined;
  try {
    await unlessStopped(stopping.signal, async () => {
      // PostgreSQL starts on another processor while the modules are loaded.
      if (environment.databaseUrl === undefined)
        embedded = await EmbeddedServer.start(environment.dataDir, logger, { meanwhile: load });
      else await load();
    });
    if (stopping.signal.aborted) return;
    const { runService } = await load();
    const databaseUrl = environment.databaseUrl ?? embedded?.url;
    await runService({ ...environment, databaseUrl }, logger, stopping.signal);
  } finally {
    await embedded?.stop().catch((error: unknown) => {
      // Of a start that failed, the reason is on its way already.
      if (stopping.signal.aborted) throw new StopFailed(error);
      logger.warn({ err: error }, 'PostgreSQL was not stopped after a failed start');
    });
  }
}

function refusalOf(error: unknown): StartRefused | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof EmbeddedServerError || error instanceof UnknownSchemaError) return new StartRefused(message);
  if (code === 'EADDRINUSE') return new StartRefused('the port is in use; set PORT');
  if (code === 'EACCES') return new StartRefused(`no permission: ${message}`);
  return code ? new StartRefused(message || code) : undefined;
}
