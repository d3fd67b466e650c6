import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { createApplication } from './application';
import { directUrl, type Environment } from './1-platform/config/environment';
import { EmbeddedServerError } from './1-platform/database/embedded/embedded-account';
import { StatementPool } from './1-platform/database/connections/statement-pool';
import { inspectDatabase, migrate } from './1-platform/database/migrate';
import { untilReached } from './1-platform/database/until-reached';
import { unlessStopped } from './1-platform/common/work/unless-stopped';
import { Sweeps } from './1-platform/scheduling/sweeps';
import { Autoscaler } from './5-traffic/autoscaling/autoscaler.service';
import { Draining } from './1-platform/http/admission/draining';
import { servedDescription } from './openapi/served-description';
import { StopFailed } from './1-platform/common/start-refused';
import { FirstStart } from './1-platform/tokens/first-start';

/** For people. The log is for machines, and goes to standard error. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs the service on a database that runs, until `stopping` aborts. */
export async function runService(environment: Environment, logger: Logger, stopping: AbortSignal): Promise<void> {
  const { databaseUrl = '', databaseListenUrl } = environment;
  const inspect = () => inspectDatabase(databaseUrl, databaseListenUrl);
  let app: NestExpressApplication | undefined;
  try {
    await unlessStopped(stopping, async () => {
      const { fault, warning } = await untilReached(inspect, logger, stopping);
      if (fault) throw new EmbeddedServerError(fault);
      if (warning) logger.warn(warning);
      await untilReached(() => migrate(directUrl({ ...environment, databaseUrl })), logger, stopping);
      stopping.throwIfAborted();
      app = await createApplication(environment, logger);
      await listen(app, environment, stopping);
      await aborted(stopping);
    });
  } finally {
    if (app)
      await close(app).catch((error: unknown) => {
        // Of a start that failed, the reason is on its way already.
        if (stopping.aborted) throw new StopFailed(error);
        logger.warn({ err: error }, 'the stop after a failed start was not complete');
      });
  }
}

async function close(app: NestExpressApplication): Promise<void> {
  const [draining, statements] = [app.get(Draining), app.get(StatementPool)];
  await draining.close(app);
  statements.checkLastWork();
}

async function listen(app: NestExpressApplication, environment: Environment, stopping: AbortSignal): Promise<void> {
  await servedDescription(app);
  const draining = app.get(Draining);
  // The port and the sweeps come first: a start that fails must not create a token, which
  // is printed only once. Requests are refused until the token exists.
  draining.starting = true;
  await app.listen(environment.port, environment.host);
  stopping.throwIfAborted();
  await app.get(Sweeps).start();
  app.get(Autoscaler).start();
  const token = await app.get(FirstStart).prepare();
  // Printed at once, because the database has only its digest.
  if (token !== undefined) say(`Admin token:     ${token}   (shown this once)`);
  // Before the service reports that it serves, so that no request waits for this.
  giveBackMemory();
  draining.starting = false;
  announce(await app.getUrl());
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
