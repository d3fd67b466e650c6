import { newId } from '../../src/1-platform/common/ids';
import { coldProfile, createKey, routeTo } from '../support/chat';
import { describeWith } from '../support/components';
import { PgBouncer } from '../support/pg-bouncer';
import { buildProfile } from '../support/profiles';
import { ask, type Reply } from '../support/replicas';
import { Caller, type Organisation } from '../support/service';
import { start, type Start } from '../support/start';
import { cloneDatabase, dropDatabase, testServer } from '../support/test-server';
import { expectFigure, percentile, printFigures } from '../support/figures';

const TOKEN = `ccp_${'b'.repeat(43)}`;
const CLIENTS = 8;
const ROUNDS = 7;
const ROUND_MS = 1_500;

type Send = (to: { url: string }) => Promise<Reply>;

/** The price of a pgbouncer: its hop, statements without names, and settings for each transaction. */
describeWith(['pgbouncer'], 'a service behind pgbouncer, and one beside it with direct connections', () => {
  let database: { name: string; url: string };
  let bouncer: PgBouncer;
  const processes: Start[] = [];
  let direct: { url: string };
  let pooled: { url: string };
  let org: Organisation;

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    bouncer = await PgBouncer.before(database.url);
    const serve = async (variables: Record<string, string>): Promise<{ url: string }> => {
      const process = start({ BOOTSTRAP_TOKEN: TOKEN, LOG_LEVEL: 'fatal', ...variables });
      processes.push(process);
      return { url: await process.address() };
    };
    direct = await serve({ DATABASE_URL: database.url });
    const url = bouncer.inFrontOf(database.url);
    pooled = await serve({ DATABASE_URL: url, DATABASE_LISTEN_URL: database.url });
    const admin = new Caller(direct.url, TOKEN);
    org = { id: '', admin, operator: admin, viewer: admin, controller: admin };
  });
  afterAll(async () => {
    for (const process of processes) process.kill();
    await Promise.all(processes.map(({ exit }) => exit));
    await bouncer.stop();
    await dropDatabase(testServer(), database.name);
    printFigures();
  });

  async function perSecond(to: { url: string }, send: Send): Promise<number> {
    const began = performance.now();
    const until = began + ROUND_MS;
    let answered = 0;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < until) {
        const { status, text } = await send(to);
        if (status >= 300) throw new Error(`${status} ${text}`);
        answered++;
      }
    });
    await Promise.all(clients);
    return (answered * 1_000) / (performance.now() - began);
  }

  /** In turn, so that both have the same machine. */
  async function compare(measure: string, send: Send): Promise<void> {
    const rates: { direct: number; pooled: number }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rates.push({ direct: await perSecond(direct, send), pooled: await perSecond(pooled, send) });
    const ratio = percentile(
      rates.map((rate) => rate.direct / rate.pooled),
      0.5,
    );
    const shown = `${measure}, ${rates.at(-1)?.direct.toFixed(0)}/s direct, ${rates.at(-1)?.pooled.toFixed(0)}/s behind it`;
    expectFigure({
      attack: 'requests/s direct over behind pgbouncer',
      measure: shown,
      value: ratio,
      unit: 'times',
      bound: { atMost: 2.5 },
    });
  }

  it('answers at least two fifths as many authorisations, reads and writes', async () => {
    const model = await routeTo(org, [await coldProfile(org)]);
    const { raw_key: key } = await createKey(org, { budget_usd: 1_000_000 });
    await compare('authorisations', (to) =>
      ask(to, key, '/v1/inference/router/authorize', { request_id: newId(), logical_model: model }),
    );
    await compare('lists of clusters', (to) => ask(to, TOKEN, '/v1/cluster'));
    await compare('new profiles', (to) => ask(to, TOKEN, '/v1/inference/profiles', buildProfile(`profile-${newId()}`)));
  });
});
