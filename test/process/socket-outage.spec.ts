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
  });
  afterAll(() => replicas.close());

  const healthy = (): Promise<void> =>
    eventually(async () => expect((await call(replica, '/readyz')).status).toBe(200), 20_000);
  const statuses = (replies: readonly Reply[][]): string[] => Object.keys(tally(replies.flat())).sort();

  /** Requests at a steady rate, and a way to wait for so many answers with a status. */
  async function underLoad(work: (answered: (status: number, times: number) => Promise<void>) => Promise<void>) {
    const counts: Record<number, number> = {};
    const counted = mixed(replica).map((request) => async () => {
      const reply = await request();
      counts[reply.status] = (counts[reply.status] ?? 0) + 1;
      return reply;
    });
    const answered = (status: number, times: number): Promise<void> =>
      eventually(() => expect(counts[status] ?? 0).toBeGreaterThanOrEqual(times));
    return during(() => work(answered), counted, RATE);
  }

  it('is reported with 503 while it does not answer, and served again', async () => {
    const replies = await underLoad(async (answered) => {
      await answered(200, 1);
      postgres.pause();
      await answered(503, REFUSALS);
      postgres.resume();
      await healthy();
    });
    expect(statuses(replies)).toEqual(['200', '503']);
    expect(replica.process.ended).toBe(false);
  });

  it('is served again after a crash that leaves its socket behind', async () => {
    const replies = await underLoad(async (answered) => {
      await answered(200, 1);
      await postgres.kill();
      await answered(503, 1);
      await postgres.start();
      await healthy();
    });
    expect(statuses(replies)).toEqual(['200', '503']);
    expect(replica.process.ended).toBe(false);
  });
});
