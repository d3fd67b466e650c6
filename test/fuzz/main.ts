import { parseArgs } from 'node:util';
import { randomInt } from 'node:crypto';
import { keepFigure } from '../support/figures';
import { OwnPostgres } from '../support/own-postgres';
import { start } from '../support/start';
import { Campaign } from './campaign';
import { EVERY_ROLE } from './target/identities';
import { Surroundings } from './target/surroundings';

/**
 * `npm run fuzz -- --minutes 10 --seed 7`: requests every operation of the description with valid and
 * corrupted bodies, parameters, headers and bearers, over a PostgreSQL and a service that it starts. `--only
 * TEXT` limits it to operations whose id contains the text. The exit code is 1 if a reply was not as
 * described; each fault is printed as the smallest request that shows it.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ADMIN_TOKEN = `ccp_${'f'.repeat(43)}`;
const PER_OPERATION = 25;
/** A shorter run would replace the figures of a full one. */
const FULL_MINUTES = 10;

function options() {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' }, only: { type: 'string' } },
  });
  const seed = values.seed === undefined ? randomInt(1, 1_000_000) : Number(values.seed);
  const minutes = Number(values.minutes);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be an integer');
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  return { seed, minutes, only: values.only };
}

async function main(): Promise<void> {
  const { seed, minutes, only } = options();
  say(`Seed ${seed}, ${minutes} minutes. Again: npm run fuzz -- --minutes ${minutes} --seed ${seed}`);
  const surroundings = await Surroundings.start();
  const postgres = await OwnPostgres.create();
  const service = start({
    ...surroundings.variables,
    DATABASE_URL: postgres.url,
    BOOTSTRAP_TOKEN: ADMIN_TOKEN,
    LOG_LEVEL: 'error',
  });
  try {
    const url = await service.address();
    const campaign = await Campaign.prepare({
      url,
      adminToken: ADMIN_TOKEN,
      surroundings,
      seed,
      perOperation: PER_OPERATION,
      only,
    });
    const until = performance.now() + minutes * 60_000;
    const over = () => performance.now() > until || service.ended;
    let rounds = 0;
    while (!over()) {
      await campaign.runRound(over);
      say(`Round ${++rounds}: ${campaign.coverage.requests} requests, ${campaign.faults.length} faults`);
    }
    campaign.close();
    if (campaign.refused.size > 0) say(`Refused in the scenario: ${[...campaign.refused].join(', ')}`);
    report(campaign, only, service.ended);
    if (only === undefined && minutes >= FULL_MINUTES) keepFigures(campaign, seed, minutes);
    if (service.errors !== '') say(`\nThe service logged:\n${service.errors.slice(-20_000)}`);
  } finally {
    service.kill();
    await service.exit;
    await postgres.remove();
    await surroundings.close();
  }
}

function report({ coverage, faults }: Campaign, only: string | undefined, ended: boolean): void {
  say(`\n${coverage.table()}\n`);
  for (const { signature, command, reply } of faults) say(`FAULT ${signature}\n${command}\n${reply}\n`);
  const missed = [
    ...(ended ? ['the service ended'] : []),
    ...(only === undefined ? coverage.notHit.map((id) => `${id} was not requested`) : []),
    ...(only === undefined ? coverage.notRequestedAs(EVERY_ROLE).map((what) => `${what} was not requested`) : []),
    ...(only === undefined ? coverage.neverSucceeded.map((id) => `${id} never succeeded`) : []),
  ];
  for (const line of missed) say(`FAULT ${line}`);
  say(`${faults.length + missed.length} faults`);
  process.exitCode = faults.length + missed.length > 0 ? 1 : 0;
}

/** For docs/reliability.md. */
function keepFigures({ coverage, faults }: Campaign, seed: number, minutes: number): void {
  const attack = `every operation, as every role, ${minutes} minutes, seed ${seed}`;
  const figure = { row: 13, attack, unit: '' };
  keepFigure({ ...figure, measure: 'requests', value: coverage.requests });
  keepFigure({ ...figure, measure: 'faults', value: faults.length, bound: { atMost: 0 } });
  const never = new Set([...coverage.notHit, ...coverage.neverSucceeded]);
  keepFigure({ ...figure, measure: 'operations that never succeeded', value: never.size, bound: { atMost: 0 } });
  const absent = coverage.notRequestedAs(EVERY_ROLE).length;
  const roles = `operations times roles (${EVERY_ROLE.length}) that were not requested`;
  keepFigure({ ...figure, measure: roles, value: absent, bound: { atMost: 0 } });
  const fewest = 'requests of the operation that was requested least';
  keepFigure({ ...figure, measure: fewest, value: coverage.fewestRequests, bound: { atLeast: 50 } });
}

main().catch((error: unknown) => {
  console.error(error);
  // No fault was found: there is no verdict.
  process.exitCode = 2;
});
