import { EnvironmentError, type Environment } from './1-platform/config/environment';
import { loadEnvironment } from './1-platform/config/load-environment';
import { startTracing } from './1-platform/tracing/tracing';
import { StartRefused, StopFailed } from './1-platform/common/start-refused';

async function main(): Promise<void> {
  if (!('rawJSON' in JSON))
    throw new StartRefused(`Node ${process.version} is too old; npm start uses a newer one, which npm ci installs`);
  const environment = settings();
  const stopTracing = await startTracing(process.env);
  try {
    // Not before, because tracing replaces functions of the modules that this loads.
    const { serve } = await import('./serve.js');
    await serve(environment);
  } finally {
    await stopTracing?.();
  }
}

function settings(): Environment {
  try {
    return loadEnvironment();
  } catch (error) {
    if (error instanceof EnvironmentError) throw new StartRefused(error.message);
    throw error;
  }
}

/** Prints one line, and sets an exit code for supervisors. */
function refuse(error: unknown): never {
  const message = error instanceof StartRefused ? error.message : ((error as Error).stack ?? String(error));
  const what = error instanceof StopFailed ? 'stopped with an error' : 'cannot start';
  process.stderr.write(`${what}: ${message.replaceAll('\n', ' ')}\n`);
  process.exit(1);
}

// Otherwise the timers of the pools would keep the process alive for a while.
main().then(() => process.exit(0), refuse);
