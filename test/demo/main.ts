import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, goOn } from '../support/fleet/client';
import { Fleet } from '../support/fleet/fleet';
import { Journal } from '../support/fleet/journal';
import { Pace } from '../support/fleet/pace';
import { Day } from './day/day';
import { DemoService } from './demo-service';
import { analyticsOf, startsOf } from './startup';
import { summaryOf } from './summary';
import { LEGEND, tableOf } from './table';

/**
 * `npm run demo`: the service with a simulated fleet that uses it, until Ctrl-C. `-- --seconds 20` ends by
 * itself. The exit code is 1 if the service gave an answer that the fleet does not expect. `--seed` and
 * `--speed` change the fleet.
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
    say(`Console:         ${url}/console#token=${service.token}`);
    say(`API description: ${url}/docs`);
    say(`Admin token:     ${service.token}`);
    say(
      `\nA simulated fleet (seed ${seed}) uses it. No GPU is involved. Everything takes 1/${speed} of its real time,`,
    );
    say(
      `so a start of 5 s stands for one of ${5 * speed} s. Beside it, training pods and Slurm jobs are checkpointed and\nrestored, and a toy model answers chats, in real time. Ctrl-C ends the demo.\n\n${LEGEND}`,
    );
    const began = performance.now();
    const fleet = new Fleet({ url, operatorToken: service.token, controllerToken: service.token, seed, speed });
    // A separate client, because the fleet's clients end with the fleet.
    const viewer = new Client(url, 'viewer', service.token, new Pace(speed), new Journal(), []);
    const day = new Day(url, service.token, seed);
    try {
      await live(fleet, day, viewer, seconds * 1_000, interrupted.signal);
    } finally {
      await day.stop();
    }
    const faults = [...fleet.faults, ...day.faults];
    say(`\nSummary\n${await summaryOf(viewer, fleet.profiles.length, faults, performance.now() - began)}`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    done = true;
    await service.stop();
  }
}

/** Prints the table every few seconds. */
async function live(fleet: Fleet, day: Day, viewer: Client, forMs: number, interrupted: AbortSignal): Promise<void> {
  const until = performance.now() + forMs;
  try {
    await fleet.start();
    const [first, ...others] = fleet.profiles.map(({ id }) => id);
    if (first !== undefined) await day.start([first, ...others]);
    for (let left = forMs; left > 0 && !interrupted.aborted; left = until - performance.now()) {
      await sleep(Math.min(left, TABLE_EVERY_MS), undefined, { signal: interrupted }).catch(() => undefined);
      await goOn(show(fleet, viewer));
    }
  } finally {
    await fleet.stop();
  }
}

async function show(fleet: Fleet, viewer: Client): Promise<void> {
  const table = await tableOf(
    viewer,
    fleet.profiles.map(({ id }) => id),
  );
  say(`\n${new Date().toLocaleTimeString()}   ${startsOf(await analyticsOf(viewer))}\n${table}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
