import pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { bind, statement } from '../../src/1-platform/database/transactions/statement';
import { APPEND } from '../../src/1-platform/outbox/outbox.queries';
import { CREATE_AGGREGATES, OutboxChecker, type CheckerTx, type Trial } from '../support/outbox-checker';
import type { CheckCase } from './bench';
import type { Serving, Workbench } from './workbench';

const SECONDS = Number(process.env.CHECKER_SECONDS ?? 60);
const SEEDS = Number(process.env.CHECKER_SEEDS ?? 20);
const FIRST_SEED = Number(process.env.CHECKER_FIRST_SEED ?? 1);
const WRITERS = 16;
const CUTS = 3;
const WRITER_NAME = 'outbox-checker-writer';

/** The writers' own connections, and those of the service. */
const CONNECTIONS = `
  select pid, application_name from pg_stat_activity
  where datname = current_database() and application_name in ('${WRITER_NAME}', 'checkpoint-control-plane') order by pid`;

export const outboxChecker: CheckCase = {
  name: 'outbox-checker',
  what: `${SEEDS} runs of ${SECONDS} s: ${WRITERS} writers, two processes of the service, connections that are ended`,
  async check(bench, note) {
    await bench.db.query(CREATE_AGGREGATES);
    const writers = new pg.Pool({ connectionString: bench.databaseUrl, max: WRITERS, application_name: WRITER_NAME });
    // A terminated connection reports it twice: to its statement, and here.
    writers.on('error', () => undefined);
    writers.on('connect', (client) => client.on('error', () => undefined));
    const replica = await bench.replica();
    const violations: string[] = [];
    try {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        const trial = await trialOf(bench, writers, replica, seed);
        const { violations: found, ...counts } = await new OutboxChecker(trial).run();
        violations.push(...found.map((one) => `seed ${seed}: ${one}`));
        const shown = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
        note(`seed ${seed}: ${found.length} violations; ${shown.join(', ')}`);
      }
    } finally {
      await writers.end();
      await replica.stop();
    }
    return violations;
  },
};

/** In a separate organisation. */
async function trialOf(bench: Workbench, writers: pg.Pool, replica: Serving, seed: number): Promise<Trial> {
  const name = `checker-${seed}-${newId()}`;
  const { id: orgId } = await bench.made<{ id: string }>('/v1/organisations', { name });
  const controller = { name, role: 'controller', organisation_id: orgId };
  const { raw_token: token } = await bench.made<{ raw_token: string }>('/v1/tokens', controller);
  const urls = [bench.url, replica.url];
  return {
    seed,
    orgId,
    writers: WRITERS,
    aggregates: 64,
    consumers: 4,
    writingMs: SECONDS * 1_000,
    replicas: urls.length,
    transact: (_writer, work) => transact(writers, orgId, work),
    async request(at, method, path, body) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${urls[at]}${path}`, { method, headers, body: body && JSON.stringify(body) });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
    },
    cut: { times: CUTS, now: (random) => cut(bench, random) },
  };
}

async function transact(writers: pg.Pool, orgId: string, work: (tx: CheckerTx) => Promise<void>): Promise<void> {
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

/** Terminates about half of the connections. @returns how many */
async function cut(bench: Workbench, random: () => number): Promise<number> {
  const { rows } = await bench.db.query<{ pid: number }>(CONNECTIONS);
  const pids = rows.map(({ pid }) => pid).filter(() => random() < 0.5);
  await bench.db.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
  return pids.length;
}
