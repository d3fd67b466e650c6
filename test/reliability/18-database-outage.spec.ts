import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWERED_MS, healthy, restarts, survived, terminations, type RecordFigure } from '../support/database-attacks';
import { printFigures, recordFigure } from '../support/figures';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas, tally, type Replica } from '../support/replicas';
import { call, during, elapsed, mixed } from '../support/steady-load';

const RATE = 200;
const OUTAGE_MS = 30_000;
/** On a slow machine there are fewer restarts; the figures show how many. */
const RESTARTS = { times: 200, withinMs: 300_000, atLeast: 100 };
const TERMINATIONS = { lastsMs: 20_000, atLeast: 100 };
const HEALTHY_MS = 2_000;

describe('a database that goes away', () => {
  let postgres: OwnPostgres;
  let replicas: Replicas;
  let replica: Replica;

  beforeAll(async () => {
    postgres = await OwnPostgres.create();
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, { LOG_LEVEL: 'fatal' });
    replica = replicas.of(0);
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  const record: RecordFigure = (attack, measure, value, unit, bound) =>
    recordFigure({ row: 18, attack, measure, value, unit, bound });

  it('is reported to every caller quickly, and served again as soon as it is back', async () => {
    const attack = `PostgreSQL is stopped for ${OUTAGE_MS / 1_000} s at ${RATE} requests/s`;
    let [goneAt, backAt] = [0, 0];
    const [live = [], ...others] = await during(
      async () => {
        await sleep(1_000);
        await postgres.stop('fast');
        goneAt = performance.now();
        await sleep(OUTAGE_MS);
        await postgres.start();
        backAt = performance.now();
        await healthy(replica);
        await sleep(1_000);
      },
      [() => call(replica, '/livez'), ...mixed(replica)],
      RATE,
    );
    const replies = others.flat();
    // Also those that waited until it was back, but not what came at the last moment.
    const within = replies.filter(
      ({ askedAt, answeredAt }) => askedAt > goneAt && (answeredAt < backAt || askedAt < backAt - ANSWERED_MS),
    );
    // The server listens again some moments before the test knows it.
    expect(Object.keys(tally(within.filter(({ answeredAt }) => answeredAt < backAt - 1_000)))).toEqual(['503']);
    record(attack, 'requests during the outage', within.length, '', {
      atLeast: (RATE * OUTAGE_MS) / 1_000 / 3,
    });
    record(attack, 'slowest of their refusals', Math.max(...elapsed(within)), 'ms', { atMost: ANSWERED_MS });
    const first = replies.filter(({ status, answeredAt }) => status === 200 && answeredAt > backAt);
    const back = Math.min(...first.map(({ answeredAt }) => answeredAt)) - backAt;
    record(attack, 'from its return to the first success', back, 'ms', { atMost: HEALTHY_MS });
    record(attack, '/livez not answered with 200', live.filter(({ status }) => status !== 200).length, '', {
      atMost: 0,
    });
    survived(record, attack, replica, replies);
  });

  it(
    'does not end the process by restarts under load',
    () => restarts(record, { postgres, replica }, RESTARTS),
    RESTARTS.withinMs + 120_000,
  );

  it(
    'does not end the process by terminated connections under load',
    () => terminations(record, { postgres, replica }, TERMINATIONS),
    120_000,
  );
});
