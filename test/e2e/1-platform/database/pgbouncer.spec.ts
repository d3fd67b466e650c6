import pg from 'pg';
import { inspectDatabase } from '../../../../src/1-platform/database/migrate';
import { Notifications } from '../../../../src/1-platform/database/connections/notifications';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { unscoped } from '../../../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { directUrl } from '../../../../src/1-platform/config/environment';
import { buildPod } from '../../../support/builders';
import { CHAT, createKey, question, readyProfile, routeTo } from '../../../support/chat';
import { describeWith } from '../../../support/components';
import { eventually } from '../../../support/eventually';
import { InferenceWorker } from '../../../support/inference-worker';
import { cluster, syncObjects } from '../../../support/inventory';
import { PgBouncer } from '../../../support/pg-bouncer';
import { beat, buildPolicy, ofNamespace, podsAsked } from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { asAdmin, cloneDatabase, dropDatabase, testServer, urlOf } from '../../../support/test-server';

/** Without any condition, so that only row level security limits it. */
const SEEN = 'select name, pg_backend_pid() as pid from clusters';
const SETTINGS = `
  select current_setting('app.org', true) as org, current_setting('app.system', true) as system,
    current_setting('statement_timeout') as statement_timeout, current_setting('lock_timeout') as lock_timeout,
    current_setting('idle_in_transaction_session_timeout') as idle, current_setting('jit') as jit`;
const SINGLE = unscoped('test-settings', SETTINGS);
const ALL = unscoped('test-all-clusters', SEEN);

const ROUNDS = 40;

interface Seen {
  name: string;
  pid: number;
}

describeWith(['pgbouncer'], 'a pgbouncer in transaction mode with one connection', () => {
  let bouncer: PgBouncer;
  let worker: InferenceWorker;
  let service: Service;
  let [first, second] = [] as unknown as [Organisation, Organisation];

  beforeAll(async () => {
    // So every transaction of the service follows one of somebody else on the same connection.
    bouncer = await PgBouncer.before(urlOf(testServer(), testServer().template), { default_pool_size: '1' });
    worker = await InferenceWorker.start();
    service = await Service.start(
      { databaseStatementTimeoutMs: 9_000, workerEndpointAllow: ['llama-8b.models.svc', worker.host] },
      { pooled: (url) => bouncer.inFrontOf(url) },
    );
    [first, second] = [await service.organisation('first'), await service.organisation('second')];
    for (const [org, name] of [
      [first, 'of-first'],
      [second, 'of-second'],
    ] as const)
      expect((await org.operator.post('/v1/cluster', { cluster_name: name })).status).toBe(200);
  });
  afterAll(async () => {
    await service?.close();
    await worker?.close();
    await bouncer?.stop();
  });

  /** As another client of the pooler, which gets the same connection. */
  const asOther = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> =>
    asAdmin(service.environment.databaseUrl ?? '', work);

  it('shows two organisations that take turns on it their own rows only', async () => {
    const unitOfWork = service.app.get(UnitOfWork);
    const statements = service.app.get(StatementPool);
    const look = (tx: Tx): Promise<Seen[]> => tx.query<Seen>(SEEN);
    const rounds = Array.from({ length: ROUNDS }, async () => {
      const [ofFirst, ofSecond, ofAll] = await Promise.all([
        unitOfWork.run({ orgId: first.id }, look),
        unitOfWork.read({ orgId: second.id }, look),
        statements.run<Seen>(ALL, {}),
      ]);
      return { ofFirst, ofSecond, ofAll };
    });
    const seen = await Promise.all(rounds);
    const names = (rows: readonly Seen[]): string[] => rows.map(({ name }) => name).sort();
    for (const { ofFirst, ofSecond, ofAll } of seen)
      expect([names(ofFirst), names(ofSecond), names(ofAll)]).toEqual([
        ['of-first'],
        ['of-second'],
        ['of-first', 'of-second'],
      ]);
    const processes = seen.flatMap(({ ofFirst, ofSecond, ofAll }) => [...ofFirst, ...ofSecond, ...ofAll]);
    expect(new Set(processes.map(({ pid }) => pid)).size).toBe(1);
  });

  it('answers requests of two organisations at once, each with its own rows', async () => {
    const asked = Array.from({ length: ROUNDS }, (_, n) => (n % 2 ? second : first).viewer.get('/v1/cluster'));
    for (const [n, { status, body }] of (await Promise.all(asked)).entries())
      expect({ status, names: (body as { name: string }[]).map(({ name }) => name) }).toEqual({
        status: 200,
        names: [n % 2 ? 'of-second' : 'of-first'],
      });
  });

  it('gives every transaction its time limits, and leaves neither them nor an organisation behind', async () => {
    const before = await asOther(async (client) => (await client.query<object>(SETTINGS)).rows[0]);
    expect(before).toMatchObject({ org: '', system: '', statement_timeout: '0', lock_timeout: '0' });
    const within = await service.app.get(UnitOfWork).run({ orgId: first.id }, (tx) => tx.query(SETTINGS));
    const limits = { lock_timeout: '500ms', idle: '3s', jit: 'off' };
    expect(within).toEqual([{ org: first.id, system: '', statement_timeout: '9s', ...limits }]);
    const single = await service.app.get(StatementPool).run(SINGLE, {});
    expect(single).toEqual([{ org: '', system: 'on', statement_timeout: '2s', ...limits }]);
    expect(await asOther(async (client) => (await client.query<object>(SETTINGS)).rows[0])).toEqual(before);
  });

  it('leaves nothing behind after a failure, and goes on', async () => {
    const statements = service.app.get(StatementPool);
    const wrong = unscoped('test-wrong', 'select 1 / $divisor::int as quotient');
    await expect(statements.run(wrong, { divisor: 0 })).rejects.toThrow('division by zero');
    await expect(
      service.app.get(UnitOfWork).run({ orgId: first.id }, (tx) => tx.query('select 1 / $d::int', { d: 0 })),
    ).rejects.toThrow('division by zero');
    expect(await statements.run(wrong, { divisor: 1 })).toEqual([{ quotient: 1 }]);
    const after = await asOther(async (client) => (await client.query<object>(SETTINGS)).rows[0]);
    expect(after).toMatchObject({ org: '', system: '' });
    const { rows } = await asOther((client) => client.query('select name from pg_prepared_statements'));
    expect(rows).toEqual([]);
  });

  it('receives notifications by the direct connection', async () => {
    const received: string[] = [];
    service.app.get(Notifications).on('test_channel', (payload) => received.push(payload));
    await eventually(async () => {
      await asOther((client) => client.query("select pg_notify('test_channel', 'hello')"));
      expect(received).toContain('hello');
    });
  });

  it('serves a sync, a policy that asks for a checkpoint, its event, and a chat', async () => {
    const clusterId = await cluster(first, 'synced');
    await syncObjects(first.controller, clusterId, buildPod('worker', { metadata: { namespace: 'training' } }));
    const policyId = await buildPolicy(first, ofNamespace(clusterId));
    await beat(service, policyId);
    expect(await podsAsked(service, policyId)).toEqual(['worker']);
    const path = '/v1/inference/outbox?consumer_id=pooled&wait_ms=5000';
    const { body: events } = await first.controller.get(path);
    expect(events).toContainEqual(expect.objectContaining({ event_type: 'action.checkpoint_requested' }));
    const [newest] = (events as { id: number }[]).slice(-1);
    const acknowledged = await first.controller.post('/v1/inference/outbox/ack', {
      consumer_id: 'pooled',
      event_id: newest?.id,
    });
    expect(acknowledged.status).toBe(204);

    const model = await routeTo(second, [await readyProfile(second, worker)]);
    const { raw_key: rawKey } = await createKey(second, { budget_usd: 1 });
    const answer = await service.as(rawKey).post(CHAT, question(model));
    expect({ status: answer.status, refusal: answer.status === 200 ? '' : answer.text }).toEqual({
      status: 200,
      refusal: '',
    });
  });

  describe('at the start of the service', () => {
    const needsListenUrl = { fault: expect.stringContaining('DATABASE_LISTEN_URL must name the database itself') };

    it('is accepted beside the database itself', async () => {
      const { databaseUrl = '' } = service.environment;
      expect(await inspectDatabase(databaseUrl, directUrl(service.environment))).toEqual({});
    });

    it('is refused without it', async () => {
      expect(await inspectDatabase(service.environment.databaseUrl ?? '')).toEqual(needsListenUrl);
    });

    it('is refused without it if it ignores the settings that it cannot keep', async () => {
      const ignored = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout';
      const lenient = await PgBouncer.before(directUrl(service.environment), { ignore_startup_parameters: ignored });
      try {
        expect(await inspectDatabase(lenient.inFrontOf(directUrl(service.environment)))).toEqual(needsListenUrl);
      } finally {
        await lenient.stop();
      }
    });

    it('is refused if it leads to another database', async () => {
      const other = await cloneDatabase(testServer());
      try {
        expect(await inspectDatabase(service.environment.databaseUrl ?? '', other.url)).toEqual({
          fault: 'DATABASE_LISTEN_URL names another database or role than DATABASE_URL',
        });
      } finally {
        await dropDatabase(testServer(), other.name);
      }
    });
  });
});
