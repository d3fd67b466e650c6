import pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { bind, statement } from '../../src/1-platform/database/transactions/statement';
import { APPEND } from '../../src/1-platform/outbox/outbox.queries';
import { percentile, printFigures, recordFigure, type Figure } from '../support/figures';
import { fullUnless, SEED } from '../support/form';
import { AGGREGATES, CREATE_AGGREGATES, OutboxChecker, type CheckerTx, type Trial } from '../support/outbox-checker';
import { Replicas, TOKEN, type Replica } from '../support/replicas';

const SEEDS = 20;
/** Twenty minutes in all. */
const SECONDS = fullUnless('OUTBOX_SECONDS', 60, 2);
const WRITERS = 16;
/** Of each run, the last one also kills a process of the service. */
const CUTS = 3;
const WRITER_NAME = 'outbox-writer';
/** On a slow machine, a run lasts until there were as many. */
const EVENTS = 1_000;
const RUN_MS = 60 * 60_000;

/** The writers' own connections, and those of the service. */
const CONNECTIONS = `
  select pid from pg_stat_activity
  where datname = current_database() and application_name in ('${WRITER_NAME}', 'checkpoint-control-plane') order by pid`;

describe(`the outbox over two processes, in ${SEEDS} runs of ${SECONDS} s`, () => {
  let replicas: Replicas;
  let writers: pg.Pool;

  beforeAll(async () => {
    replicas = await Replicas.start(2, { LOG_LEVEL: 'fatal' });
    await replicas.db.query(CREATE_AGGREGATES);
    await replicas.db.query(`grant all on ${AGGREGATES} to public`);
    writers = new pg.Pool({
      connectionString: replicas.databaseUrl,
      max: WRITERS,
      application_name: WRITER_NAME,
    });
    // A terminated connection reports it twice: to its statement, and here.
    writers.on('error', () => undefined);
    writers.on('connect', (client) => client.on('error', () => undefined));
  });
  afterAll(async () => {
    await writers.end();
    await replicas.close();
    printFigures();
  });

  /** By fetch, which opens a new connection where the service is about to close an idle one. */
  async function request(replica: Replica, token: string, method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${replica.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }

  /** As the admin of the default organisation. */
  const post = async (path: string, body: object): Promise<unknown> =>
    (await request(replicas.of(0), TOKEN, 'POST', path, body)).body;

  /** In a separate organisation. */
  async function trialOf(seed: number, restarts: Promise<void>[]): Promise<Trial> {
    const name = `outbox-${seed}-${newId()}`;
    const { id: orgId } = (await post('/v1/organisations', { name })) as { id: string };
    const controller = { name, role: 'controller', organisation_id: orgId };
    const { raw_token: token } = (await post('/v1/tokens', controller)) as { raw_token: string };
    let cuts = 0;
    return {
      seed,
      orgId,
      writers: WRITERS,
      aggregates: 64,
      consumers: 4,
      writingMs: SECONDS * 1_000,
      enough: (counts, confirmed) => confirmed >= EVENTS && counts.crashes > 0 && counts.lost > 0,
      replicas: replicas.all.length,
      transact: (_writer, work) => transact(orgId, work),
      request: (at, method, path, body) => request(replicas.of(at), token, method, path, body),
      cut: {
        times: CUTS,
        async now(random) {
          if (++cuts === CUTS) restarts.push(killed(replicas.of(seed)));
          return terminate(random);
        },
      },
    };
  }

  async function killed(replica: Replica): Promise<void> {
    replica.process.kill();
    await replicas.replace(replica);
  }

  /** Ends about half of the connections. @returns how many */
  async function terminate(random: () => number): Promise<number> {
    const { rows } = await replicas.db.query<{ pid: number }>(CONNECTIONS);
    const pids = rows.map(({ pid }) => pid).filter(() => random() < 0.5);
    await replicas.db.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
    return pids.length;
  }

  async function transact(orgId: string, work: (tx: CheckerTx) => Promise<void>): Promise<void> {
    const client = await writers.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      await client.query("select set_config('app.org', $1, true)", [orgId]);
      await work({
        query: async (text, values) =>
          (await client.query<object & pg.QueryResultRow>(bind(statement('', text), values))).rows,
        async append({ type, aggregateId, clusterId, payload }) {
          const values = {
            org_id: orgId,
            id: newId(),
            type,
            aggregate_id: aggregateId,
            cluster_id: clusterId,
            payload: JSON.stringify(payload),
          };
          await client.query(bind(APPEND, values));
        },
      });
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  it(
    'loses no event, keeps the order of each object, and numbers without a gap',
    async () => {
      const violations: string[] = [];
      const lagMs: number[] = [];
      const sums = { committed: 0, crashes: 0, lost: 0, cut: 0 };
      for (let seed = SEED; seed < SEED + SEEDS; seed++) {
        const restarts: Promise<void>[] = [];
        const verdict = await new OutboxChecker(await trialOf(seed, restarts)).run();
        await Promise.all(restarts);
        violations.push(...verdict.violations.map((one) => `seed ${seed}: ${one}`));
        lagMs.push(...verdict.lagMs);
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += verdict[name];
      }
      const attack = `${SEEDS} runs of ${SECONDS} s with ${WRITERS} writers and 4 consumers, seeds from ${SEED}`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 2, attack, measure, value, unit, bound });
      record('lost, repeated under another number, or out of order', violations.length, { atMost: 0 });
      record('events', sums.committed, { atLeast: SEEDS * EVENTS });
      record('connections ended', sums.cut, { atLeast: 200 });
      record('processes killed', SEEDS, { atLeast: SEEDS });
      record('crashes of consumers', sums.crashes, { atLeast: 1 });
      record('replies lost by consumers', sums.lost, { atLeast: 1 });
      const lag = 'from the commit to the first consumer';
      record(`${lag}, p50`, percentile(lagMs, 0.5), { atMost: 100 }, 'ms');
      record(`${lag}, p99`, percentile(lagMs, 0.99), { atMost: 250 }, 'ms');
      expect(violations.slice(0, 20)).toEqual([]);
    },
    RUN_MS,
  );
});
