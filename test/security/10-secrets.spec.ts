import { newId } from '../../src/1-platform/common/ids';
import { CHAT, coldProfile, createKey, question } from '../support/chat';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { Replicas, TOKEN } from '../support/replicas';
import { call } from '../support/steady-load';

/** Secrets that the service got or gave, in each form that a leak might have. */
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
];

const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'`;

describe('the secrets of a process that logs everything', () => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start(1, { LOG_LEVEL: 'trace' });
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  it('are in no table, no line of its output, no metric, no audit entry and no reply but the first', async () => {
    const replica = replicas.of(0);
    const org = replicas.organisation();
    const replies: string[] = [];
    const send = async (
      path: string,
      body?: Parameters<typeof call>[2],
      bearer = TOKEN,
      headers = {},
    ): Promise<void> => {
      const { text, headers: returned } = await call(replica, path, body, bearer, headers);
      replies.push(text, JSON.stringify([...returned]));
    };
    const model = await replicas.routeTo([await coldProfile(org)]);
    const once = { 'idempotency-key': newId() };
    const issued = await org.admin.post('/v1/tokens', { name: 'secret', role: 'operator' }, once);
    const token = String((issued.body as { raw_token: string }).raw_token);
    const { raw_key: key } = await createKey(org, { budget_usd: 10 });
    const password = decodeURIComponent(new URL(replicas.databaseUrl).password);

    // Use, misuse and failures.
    await send('/v1/cluster', undefined, token);
    await send('/v1/cluster', { cluster_name: 'named' }, token, { 'idempotency-key': newId() });
    await send('/v1/inference/router/authorize', { request_id: newId(), logical_model: model }, key);
    await send(CHAT, question(model), key, { 'x-request-timeout-ms': '500' });
    await send(`/v1/nowhere?token=${token}&key=${key}`, undefined, token);
    await send(`/v1/pods/${key}`, undefined, key);
    await send('/v1/cluster', { [`x-${token.length}`]: 1, cluster_name: 7 }, token);
    await send('/v1/user', undefined, `${token}x`);
    await send('/v1/user', undefined, `${key} ${key}`);
    await send('/v1/user', undefined, TOKEN, { cookie: `session=${token}`, 'x-api-key': key });
    await replicas.db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'checkpoint-control-plane'",
    );
    await send('/v1/user', undefined, token);
    await replicas.db.query("alter table clusters add constraint refuses check (name <> 'refused')");
    await send('/v1/cluster', { cluster_name: 'refused' }, token);
    for (const path of ['/v1/audit?limit=1000', '/v1/tokens', '/v1/inference/keys', '/metrics', '/readyz'])
      await send(path);

    const { rows: tables } = await replicas.db.query<{ name: string }>(TABLES);
    const dump: string[] = [];
    for (const { name } of tables) {
      const { rows } = await replicas.db.query<{ row: string }>(`select t::text as row from ${name} t`);
      dump.push(...rows.map(({ row }) => row));
    }
    replica.process.process.kill('SIGTERM');
    await replica.process.exit;
    const places = {
      tables: dump.join('\n'),
      output: `${replica.process.output}\n${replica.process.errors}`,
      replies: replies.join('\n'),
    };
    // Each of them has something to find.
    expect(places.tables).toContain('named');
    expect(places.output).toContain('/v1/cluster');
    expect(places.replies).toContain(model);
    const secrets = { token, key, 'first token': TOKEN, 'password of the database': password };
    const found = Object.entries(secrets).flatMap(([what, secret]) =>
      Object.entries(places).flatMap(([place, text]) =>
        formsOf(secret)
          .filter((form) => text.includes(form))
          .map(() => `${what} in ${place}`),
      ),
    );
    const attack = `use, misuse and failures; ${tables.length} tables, the whole output at the level trace`;
    const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
      recordFigure({ row: 10, attack, measure, value, unit, bound });
    record('secrets found, in clear, base64 or hex', found.length, { atMost: 0 });
    record('searched', Object.values(places).join('').length / 1_024, { atLeast: 10 }, 'KiB');
    expect(found).toEqual([]);
  });
});
