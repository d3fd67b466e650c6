import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { goOn } from '../support/fleet/client';
import { Fleet } from '../support/fleet/fleet';
import { DemoService } from './demo-service';
import { tableOf } from './table';

/**
 * `npm run demo`: the service with a simulated fleet that lives in it, until Ctrl-C. `-- --seconds 20`
 * ends by itself, with the exit code 1 when the service answered something that the fleet has no place
 * for. `--seed` and `--speed` make it another fleet.
 */
const TABLE_EVERY_MS = 3_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function options() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string', default: '1' },
      speed: { type: 'string', default: '20' },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
    return value;
  };
  return {
    seconds: values.seconds === undefined ? Infinity : number('seconds', values.seconds),
    seed: number('seed', values.seed),
    speed: number('speed', values.speed),
  };
}

async function main(): Promise<void> {
  const { seconds, seed, speed } = options();
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());
  let done = false;
  const service = DemoService.start();
  void service.exit.then(() => {
    if (!done) process.exitCode = 1;
    interrupted.abort();
  });
  try {
    const url = await service.address();
    say(`Control plane:   ${url}`);
    say(`API description: ${url}/docs`);
    say(`Admin token:     ${service.token}`);
    say(`A fleet of seed ${seed} lives in it, ${speed} times as fast as a real one. Ctrl-C ends it.`);
    const fleet = new Fleet({ url, operatorToken: service.token, controllerToken: service.token, seed, speed });
    await live(fleet, seconds * 1_000, interrupted.signal);
    say(fleet.faults.length === 0 ? 'No faults.' : `Faults:\n${JSON.stringify(fleet.faults, null, 2)}`);
    if (fleet.faults.length > 0) process.exitCode = 1;
  } finally {
    done = true;
    await service.stop();
  }
}

/** A table every few seconds. */
async function live(fleet: Fleet, forMs: number, interrupted: AbortSignal): Promise<void> {
  const until = performance.now() + forMs;
  try {
    await fleet.start();
    for (let left = forMs; left > 0 && !interrupted.aborted; left = until - performance.now()) {
      await sleep(Math.min(left, TABLE_EVERY_MS), undefined, { signal: interrupted }).catch(() => undefined);
      await goOn(show(fleet));
    }
  } finally {
    await fleet.stop();
  }
}

async function show(fleet: Fleet): Promise<void> {
  const table = await tableOf(
    fleet.operator,
    fleet.profiles.map(({ id }) => id),
  );
  say(`\n${new Date().toLocaleTimeString()}\n${table}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
