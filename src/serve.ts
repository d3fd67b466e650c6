import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from './application';
import { createLoggerFor } from './1-platform/common/logger';
import { directUrl, type Environment } from './1-platform/config/environment';
import { EmbeddedServerError } from './1-platform/database/embedded/embedded-account';
import { EmbeddedServer } from './1-platform/database/embedded/embedded-server';
import { inspectDatabase, migrate } from './1-platform/database/migrate';
import { untilReached } from './1-platform/database/until-reached';
import { UnknownSchemaError } from './1-platform/database/schema/adopt-baseline';
import { Sweeps } from './1-platform/scheduling/sweeps';
import { Autoscaler } from './5-traffic/autoscaling/autoscaler.service';
import { Draining } from './1-platform/http/admission/draining';
import { writeDescription } from './openapi/description';
import { StartRefused } from './1-platform/common/start-refused';
import { FirstStart } from './1-platform/tokens/first-start';

/** For people. The log is for machines, and goes to standard error. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

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

  // Whatever was started is stopped again in any case, the database last. A signal is handled between two
  // steps.
  let embedded: EmbeddedServer | undefined;
  let app: NestExpressApplication | undefined;
  try {
    embedded =
      environment.databaseUrl === undefined ? await EmbeddedServer.start(environment.dataDir, logger) : undefined;
    stopping.signal.throwIfAborted();
    const databaseUrl = environment.databaseUrl ?? embedded?.url ?? '';
    const { databaseListenUrl } = environment;
    const inspect = () => inspectDatabase(databaseUrl, databaseListenUrl);
    const { fault, warning } = await untilReached(inspect, logger, stopping.signal);
    if (fault) throw new EmbeddedServerError(fault);
    if (warning) logger.warn(warning);
    await untilReached(() => migrate(directUrl({ ...environment, databaseUrl })), logger, stopping.signal);
    stopping.signal.throwIfAborted();
    app = await createApplication({ ...environment, databaseUrl }, logger);
    writeDescription(app);
    const draining = app.get(Draining);
    // The port and the sweeps come first: a start that fails must not create a token, which
    // is printed only once. Requests are refused until the token exists.
    draining.starting = true;
    await app.listen(environment.port, environment.host);
    stopping.signal.throwIfAborted();
    await app.get(Sweeps).start();
    app.get(Autoscaler).start();
    const token = await app.get(FirstStart).prepare();
    // Printed at once, because the database has only its digest.
    if (token !== undefined) say(`Admin token:     ${token}   (shown this once)`);
    // Before the service reports that it serves, so that no request waits for this.
    giveBackMemory();
    draining.starting = false;
    announce(await app.getUrl());
    await aborted(stopping.signal);
  } catch (error) {
    // The process was asked to end, so the error of the interrupted step does not matter.
    if (!stopping.signal.aborted) throw error;
  } finally {
    try {
      await app?.get(Draining).close(app);
    } finally {
      await embedded?.stop();
    }
  }
}

/**
 * The start leaves 50 MB of garbage, which an idle service would keep for ever. One collection of 60 ms frees
 * it. Only V8's own function does that, and it needs a flag.
 */
function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function announce(address: string): void {
  say(`Control plane:   ${address}`);
  say(`Console:         ${address}/console`);
  say(`API description: ${address}/docs`);
}

function refusalOf(error: unknown): StartRefused | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof EmbeddedServerError || error instanceof UnknownSchemaError) return new StartRefused(message);
  if (code === 'EADDRINUSE') return new StartRefused('the port is in use; set PORT');
  if (code === 'EACCES') return new StartRefused(`no permission: ${message}`);
  return code ? new StartRefused(message || code) : undefined;
}
