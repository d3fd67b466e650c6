import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas, tally, type Replica, type Reply } from '../support/replicas';
import { call, during, mixed } from '../support/steady-load';

const RATE = 100;
/** More attempts to connect than a socket holds for a server that does not accept them. */
const REFUSALS = 300;

/** As with `npm start`, whose service reaches its own server through a socket. */
describe('a database that is reached through its Unix socket', () => {
  let postgres: OwnPostgres;
  let replicas: Replicas;
  let replica: Replica;

  beforeAll(async () => {
    postgres = await OwnPostgres.create(undefined, { overSocket: true });
    expect(decodeURIComponent(new URL(postgres.url).hostname)).toContain('own-postgres-');
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, { LOG_LEVEL: 'fatal' });
    replica = replicas.of(0);
  }, 60_000);
  afterAll(() => replicas.close(), 60_000);

  const healthy = (): Promise<void> =>
    eventually(async () => expect((await call(replica, '/readyz')).status).toBe(200), 20_000);
  const statuses = (replies: readonly Reply[][]): string[] => Object.keys(tally(replies.flat())).sort();

  it('is reported with 503 while it does not answer, and served again', async () => {
    let refused = 0;
    const counted = mixed(replica).map((request) => async () => {
      const reply = await request();
      if (reply.status === 503) refused++;
      return reply;
    });
    const replies = await during(
      async () => {
        await sleep(500);
        postgres.pause();
        await eventually(() => expect(refused).toBeGreaterThanOrEqual(REFUSALS), 30_000);
        postgres.resume();
        await healthy();
      },
      counted,
      RATE,
    );
    expect(statuses(replies)).toEqual(['200', '503']);
    expect(replica.process.ended).toBe(false);
  }, 60_000);

  it('is served again after a crash that leaves its socket behind', async () => {
    const replies = await during(
      async () => {
        await sleep(500);
        await postgres.kill();
        await sleep(500);
        await postgres.start();
        await healthy();
      },
      mixed(replica),
      RATE,
    );
    expect(statuses(replies)).toEqual(['200', '503']);
    expect(replica.process.ended).toBe(false);
  }, 60_000);
});
