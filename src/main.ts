import { existsSync } from 'node:fs';
import { createApplication } from './application';
import { createLogger } from './common/logger';
import { EnvironmentError, readEnvironment, type Environment } from './config/environment';
import { EmbeddedServerError } from './database/embedded-account';
import { EmbeddedServer } from './database/embedded-server';
import { inspectDatabase, migrate } from './database/migrate';
import { Draining } from './http/draining';
import { FirstStart } from './tokens/first-start';

/** What a person reads; the log is for machines and goes to standard error. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One line, and an exit code that a supervisor understands. */
function refuse(message: string): never {
  process.stderr.write(`cannot start: ${message.replaceAll('\n', ' ')}\n`);
  process.exit(1);
}

function settings(): Environment {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    return readEnvironment(process.env);
  } catch (error) {
    if (error instanceof EnvironmentError) refuse(error.message);
    throw error;
  }
}

async function start(): Promise<void> {
  const environment = settings();
  const logger = createLogger(environment.logLevel);
  // A signal that comes while the service is still starting must not leave the database behind.
  let stop: () => Promise<void> = async () => {};
  let stopping: Promise<void> | undefined;
  const onSignal = (signal: string) => {
    if (stopping) return;
    logger.info({ signal }, 'stopping');
    stopping = stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => onSignal(signal));

  const embedded =
    environment.databaseUrl === undefined ? await EmbeddedServer.start(environment.dataDir, logger) : undefined;
  if (embedded) stop = () => embedded.stop();
  try {
    const databaseUrl = environment.databaseUrl ?? embedded?.url ?? '';
    const { fault, warning } = await inspectDatabase(databaseUrl);
    if (fault) throw new EmbeddedServerError(fault);
    if (warning) logger.warn(warning);
    await migrate(databaseUrl);

    const app = await createApplication({ ...environment, databaseUrl }, logger);
    stop = async () => {
      await app.get(Draining).close(app);
      await embedded?.stop();
    };
    const token = await app.get(FirstStart).prepare();
    await app.listen(environment.port, environment.host);
    announce(await app.getUrl(), token);
  } catch (error) {
    if (!stopping) await stop();
    throw error;
  }
}

function announce(address: string, token: string | undefined): void {
  say(`Control plane:   ${address}`);
  say(`API description: ${address}/docs`);
  if (token !== undefined) say(`Admin token:     ${token}   (shown this once)`);
}

start().catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof EmbeddedServerError) refuse(message);
  if (code === 'EADDRINUSE') refuse('the port is in use; set PORT');
  if (code === 'EACCES') refuse(`no permission: ${message}`);
  refuse(code ? `${message || code}` : ((error as Error).stack ?? String(error)));
});
