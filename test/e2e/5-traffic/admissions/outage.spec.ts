import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../../../src/application';
import { newId } from '../../../../src/1-platform/common/ids';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { createKey, question, RawChat, readyProfile, routeTo, serviceFor, type Key } from '../../../support/chat';
import { DatabaseProxy, type ProxyMode } from '../../../support/database-proxy';
import { eventually } from '../../../support/eventually';
import { answers, InferenceWorker, streams } from '../../../support/inference-worker';
import { expectSoundLedger, moneyOf } from '../../../support/ledger';
import { onThisMachine } from '../../../support/machine';
import { Caller, type Organisation, type Service } from '../../../support/service';

const AUTHORIZE = '/v1/inference/router/authorize';

/** A caller learns within this time that the database does not answer. */
const KNOWN_WITHIN_MS = 3_000;
const HEALED_WITHIN_MS = 20_000;
const STREAMS = 20;

/**
 * Requests with keys at a service whose network to the database fails; the test reads the database directly.
 */
describe('requests with keys while the database is unreachable', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let proxy: DatabaseProxy;
  let app: NestExpressApplication;
  let url: string;
  let model: string;
  let key: Key;
  /** Lets the streams of a test go on. */
  let goOn = () => {};
  const died: unknown[] = [];
  const note = (error: unknown) => died.push(error);

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    model = await routeTo(org, [await readyProfile(org, worker)]);
    proxy = await DatabaseProxy.before(service.environment.databaseUrl ?? '');
    // The clock of the machine, so that a key is looked up again after a second, as in a real outage.
    app = await createApplication(
      { ...service.environment, databaseUrl: proxy.url },
      createLogger(process.env.TEST_LOG_LEVEL ?? 'silent'),
    );
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    process.on('uncaughtException', note);
    process.on('unhandledRejection', note);
  });
  beforeEach(async () => {
    worker.reset();
    key = await createKey(org, { budget_usd: 1_000 });
  });
  afterEach(async () => {
    goOn();
    await proxy.set('pass');
    // What a failed test may leave.
    await eventually(async () => expect((await chat()).status).toBe(200), HEALED_WITHIN_MS);
  });
  afterAll(async () => {
    await app.close();
    await proxy.close();
    await service.close();
    await worker.close();
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
    expect(died).toEqual([]);
  });

  const chat = async (
    overrides = {},
    at = url,
  ): Promise<{ status: number; id: string; text: string; tookMs: number }> => {
    const begun = performance.now();
    const answer = await RawChat.ask({ url: at }, key.raw_key, question(model, { max_tokens: 50, ...overrides }));
    const text = await answer.text();
    const id = answer.headers['x-request-id'] as string;
    return { status: answer.status, id, text, tookMs: performance.now() - begun };
  };
  const usage = async (): Promise<{ request_id: string; status_code: number; completion_tokens: number | null }[]> => {
    const { rows } = await service.db.query<{
      request_id: string;
      status_code: number;
      completion_tokens: number | null;
    }>('select request_id, status_code, completion_tokens::int from usage_records where key_id = $1', [key.key_id]);
    return rows;
  };
  const settled = () =>
    eventually(
      async () => expect(await moneyOf(service.db, key.key_id)).toMatchObject({ open: 0, reserved: 0, overrun: 0 }),
      HEALED_WITHIN_MS,
    );
  /** Streams that send nothing more until they are let go on. */
  const held = async (count: number, at = url) => {
    const reported = new Promise<void>((resolve) => (goOn = resolve));
    const slow = streams({ before: (place) => (place === 3 ? reported : undefined) });
    worker.behaves((exchange) => (exchange.asked.stream === true ? slow : answers())(exchange));
    const asked = Array.from({ length: count }, () => chat({ stream: true }, at));
    await eventually(() => expect(worker.underWay).toBe(count));
    return { asked };
  };

  it.each<[ProxyMode]>([['refuse'], ['reset'], ['swallow']])(
    'answers requests to their end (%s), settles them when the database is back, and refuses new ones',
    async (mode) => {
      const { asked } = await held(STREAMS);
      await proxy.set(mode);
      // With a cached key, with one that must be looked up, and with pools that have noticed the outage.
      const refused = [];
      for (let round = 0; round < 3; round++) {
        refused.push(...(await Promise.all(Array.from({ length: 5 }, () => chat()))));
        await sleep(400);
      }
      for (const { status, text, tookMs } of refused) {
        expect([status, (JSON.parse(text) as { error: { code: string } }).error.code]).toEqual([
          503,
          'database_unavailable',
        ]);
        expect(tookMs).toBeLessThan(onThisMachine(KNOWN_WITHIN_MS));
      }
      goOn();
      const streamed = await Promise.all(asked);
      for (const { status, text } of streamed) expect([status, text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
      expect(await usage()).toEqual([]);
      expect(await moneyOf(service.db, key.key_id)).toMatchObject({ open: STREAMS, spent: 0 });

      await proxy.set('pass');
      await settled();
      const used = await usage();
      // Nothing is lost, and nothing is recorded twice.
      const done = used.filter(({ status_code: status }) => status === 200);
      expect(new Set(done.map(({ request_id: id }) => id))).toEqual(new Set(streamed.map(({ id }) => id)));
      expect(done.map(({ completion_tokens: tokens }) => tokens)).toEqual(Array(STREAMS).fill(10));
      // Some of the refused requests are known to belong to the key.
      const ids = new Set(refused.map(({ id }) => id));
      for (const { request_id: id, status_code: status } of used) expect(status === 200 || ids.has(id)).toBe(true);
      await expectSoundLedger(service.db);
    },
  );

  /** While it is locked, no request of the key is admitted or settled. */
  async function whileLocked(work: (letGo: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const client = await service.db.connect();
    try {
      await client.query('begin');
      await client.query('select from inference_keys where id = $1 for update', [key.key_id]);
      await work(() => client.query('commit'));
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
  const isWaitedFor = () =>
    eventually(async () => {
      const { rows } = await service.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query not like '%pgboss%'`,
      );
      expect(rows).toHaveLength(1);
    });

  /**
   * Repeats a request until the database has executed its admission, while the reply was lost. A statement
   * that waits for the key gives up after a second, and a busy machine may take longer to let go.
   */
  async function executeWithoutReply(ask: () => Promise<{ status: number }>): Promise<void> {
    for (;;) {
      await whileLocked(async (letGo) => {
        const asked = ask();
        await isWaitedFor();
        await proxy.set('refuse');
        expect((await asked).status).toBe(503);
        await letGo();
      });
      await eventually(async () => {
        const { rows } = await service.db.query(
          `select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%admit_requests%'
             and pid <> pg_backend_pid()`,
        );
        expect(rows).toEqual([]);
      });
      if ((await moneyOf(service.db, key.key_id)).open === 1) return;
      await proxy.set('pass');
      await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), HEALED_WITHIN_MS);
    }
  }

  it('cost nothing if they were admitted, and the service did not receive the reply', async () => {
    await executeWithoutReply(() => chat());
    expect(worker.requests).toEqual([]);
    await proxy.set('pass');
    await settled();
    expect(await moneyOf(service.db, key.key_id)).toMatchObject({ spent: 0, entries: { reserve: 1, settle: 1 } });
    expect(new Set((await usage()).map(({ status_code: status }) => status))).toEqual(new Set([503]));
    await expectSoundLedger(service.db);
  });

  it('are authorized once if a router did not receive the reply and retries', async () => {
    const router = new Caller(url, key.raw_key);
    const body = { request_id: newId(), logical_model: model };
    await executeWithoutReply(() => router.post(AUTHORIZE, body));
    const { rows } = await service.db.query<{ id: string }>('select id from authorizations where key_id = $1', [
      key.key_id,
    ]);
    await proxy.set('pass');
    await eventually(async () => {
      const again = await router.post(AUTHORIZE, body);
      expect([again.status, again.body.authorization_id]).toEqual([200, rows[0]?.id]);
    }, HEALED_WITHIN_MS);
    expect(await moneyOf(service.db, key.key_id)).toMatchObject({ open: 1, entries: { reserve: 1 } });
    await expectSoundLedger(service.db);
  });

  it('are recorded if the database was reachable, but took longer than allowed', async () => {
    const replica = await service.replica({ databaseStatementTimeoutMs: 1_000 });
    const statements = replica.app.get(StatementPool);
    const run = statements.run.bind(statements);
    const late = jest.fn();
    jest.spyOn(statements, 'run').mockImplementation((statement, values) => {
      const written = run(statement, values);
      if (statement.name.startsWith('settle-requests')) written.catch(late);
      return written;
    });
    const { asked } = await held(5, replica.url);
    await whileLocked(async (letGo) => {
      goOn();
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
      await isWaitedFor();
      await eventually(() => expect(late.mock.calls.length).toBeGreaterThanOrEqual(2));
      await letGo();
    });
    await settled();
    const used = await usage();
    expect(new Set(used.map(({ request_id: id }) => id))).toEqual(
      new Set((await Promise.all(asked)).map(({ id }) => id)),
    );
    await expectSoundLedger(service.db);
  });
});
