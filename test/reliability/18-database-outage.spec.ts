import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas, tally, type Replica, type Reply } from '../support/replicas';
import { call, during, elapsed, failed, mixed, NO_ANSWER } from '../support/steady-load';

const RATE = 200;
const OUTAGE_MS = 30_000;
const RESTARTS = 100;
/** On a slow machine there are fewer restarts; the figures show how many. */
const RESTARTS_MS = 100_000;
const TERMINATED_MS = 20_000;
const ANSWERED_MS = 1_500;
const HEALTHY_MS = 2_000;

describe('a database that goes away', () => {
  let postgres: OwnPostgres;
  let replicas: Replicas;
  let replica: Replica;

  beforeAll(async () => {
    postgres = await OwnPostgres.create();
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, { LOG_LEVEL: 'fatal' });
    replica = replicas.of(0);
  }, 60_000);
  afterAll(async () => {
    await replicas.close();
    printFigures();
  }, 60_000);

  const record = (attack: string, measure: string, value: number, unit: string, bound: Figure['bound']): void =>
    recordFigure({ row: 18, attack, measure, value, unit, bound });
  const survived = (attack: string, replies: readonly Reply[]): void => {
    record(attack, 'processes that ended', replica.process.ended ? 1 : 0, '', { atMost: 0 });
    record(attack, 'replies with 500', failed(replies), '', { atMost: 0 });
  };
  const healthy = (): Promise<void> =>
    eventually(async () => expect((await call(replica, '/readyz')).status).toBe(200), 20_000);

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
        await healthy();
        await sleep(1_000);
      },
      [() => call(replica, '/livez'), ...mixed(replica)],
      RATE,
    );
    const replies = others.flat();
    const within = replies.filter(({ askedAt, answeredAt }) => askedAt > goneAt && answeredAt < backAt);
    // The server listens again some moments before the test knows it.
    expect(Object.keys(tally(within.filter(({ answeredAt }) => answeredAt < backAt - 1_000)))).toEqual(['503']);
    record(attack, 'requests during the outage', within.length, '', { atLeast: 10 });
    record(attack, 'slowest of their refusals', Math.max(...elapsed(within)), 'ms', { atMost: ANSWERED_MS });
    const first = replies.filter(({ status, answeredAt }) => status === 200 && answeredAt > backAt);
    const back = Math.min(...first.map(({ answeredAt }) => answeredAt)) - backAt;
    record(attack, 'from its return to the first success', back, 'ms', { atMost: HEALTHY_MS });
    record(attack, '/livez not answered with 200', live.filter(({ status }) => status !== 200).length, '', {
      atMost: 0,
    });
    survived(attack, replies);
  }, 120_000);

  it('does not end the process by restarts under load', async () => {
    let restarts = 0;
    const replies = await during(
      async () => {
        const until = performance.now() + RESTARTS_MS;
        while (restarts < RESTARTS && performance.now() < until && !replica.process.ended) {
          await postgres.restart('fast');
          restarts++;
          await sleep(50);
        }
      },
      mixed(replica),
      80,
    );
    const attack = 'restarts of PostgreSQL at 80 requests/s';
    record(attack, 'restarts', restarts, '', { atLeast: 50 });
    survived(attack, replies.flat());
    await healthy();
  }, 300_000);

  it('does not end the process by terminated connections under load', async () => {
    const admin = new pg.Client({ connectionString: postgres.adminUrl });
    await admin.connect();
    let terminated = 0;
    const replies = await during(
      async () => {
        const until = performance.now() + TERMINATED_MS;
        while (performance.now() < until) {
          terminated += await postgres.terminate(admin, 0.5);
          await sleep(30);
        }
      },
      mixed(replica),
      80,
    );
    await admin.end();
    const attack = `connections are terminated for ${TERMINATED_MS / 1_000} s at 80 requests/s`;
    record(attack, 'terminated', terminated, '', { atLeast: 100 });
    record(attack, 'requests without a reply', tally(replies.flat())[NO_ANSWER] ?? 0, '', { atMost: 0 });
    survived(attack, replies.flat());
  }, 120_000);
});
