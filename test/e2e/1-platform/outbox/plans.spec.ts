import pg from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { type BoundStatement } from '../../../../src/1-platform/database/transactions/statement';
import { bind, unscoped } from '../../../../src/1-platform/database/transactions/statement';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { CHAT, createKey, question, readyProfile, routeTo, serviceFor } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { InferenceWorker } from '../../../support/inference-worker';
import { eventsOf, read, write } from '../../../support/outbox';
import type { Service } from '../../../support/service';
import { asAdmin, testServer } from '../../../support/test-server';

/**
 * PostgreSQL's `jit_above_cost`: above it, plans are compiled to machine code, which takes up to a second.
 */
const COMPILED_ABOVE = 100_000;

interface Plan {
  readonly text: string;
  readonly cost: number;
}

describe('plans of hot statements', () => {
  let worker: InferenceWorker;
  let service: Service;
  const single = jest.spyOn(StatementPool.prototype, 'run');

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await service.close();
    await worker.close();
  });

  it('are not compiled to machine code, whatever PostgreSQL estimates', async () => {
    const jit = "select current_setting('jit') as jit";
    expect(await service.app.get(StatementPool).run(unscoped('jit', jit), {})).toEqual([{ jit: 'off' }]);
    const org = await service.organisation();
    const inTransaction = await service.app.get(UnitOfWork).read({ orgId: org.id }, (tx) => tx.query(jit));
    expect(inTransaction).toEqual([{ jit: 'off' }]);
  });

  const asSuperuser = testServer().superuser ? it : it.skip;
  asSuperuser(
    'need no disabled type of plan, even within functions (skipped unless TEST_DATABASE_URL is of a superuser)',
    async () => {
      const org = await service.organisation();
      const model = await routeTo(org, [await readyProfile(org, worker)]);
      const key = await createKey(org, { budget_usd: 1_000, rate_limit_rps: 10_000 });
      await write(service.app, org.id, { aggregateId: newId() });
      expect(eventsOf(await read(org.controller, { consumer_id: 'c' })).length).toBeGreaterThan(0);
      expect((await service.as(key.raw_key).post(CHAT, question(model, { max_tokens: 16 }))).status).toBe(200);
      const sent = (): Map<string, BoundStatement> =>
        new Map(
          single.mock.calls.map(([statement, values]) => [
            statement.name,
            bind(statement, typeof values === 'function' ? values() : values),
          ]),
        );
      // A chat is settled after its answer.
      await eventually(() => expect([...sent().keys()]).toContain('settle-requests'));
      expect([...sent().keys()]).toEqual(expect.arrayContaining(['outbox-sequence', 'authorize-requests']));

      const adminUrl = new URL(testServer().adminUrl);
      adminUrl.pathname = new URL(service.environment.databaseUrl ?? '').pathname;
      const plans = await asAdmin(adminUrl.href, async (client) => {
        await client.query(`
          load 'auto_explain';
          set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
          set auto_explain.log_level = 'notice'; set auto_explain.log_format = 'json'`);
        return plansOf(client, [...sent().values()]);
      });
      expect(plans.length).toBeGreaterThan(10);
      expect(plans.some(({ text }) => text.includes('outbox_events'))).toBe(true);
      expect(plans.filter(({ cost }) => cost > COMPILED_ABOVE)).toEqual([]);
    },
  );
});

/**
 * Runs statements and rolls them back.
 * @returns the plans of all statements that ran, those within functions included
 */
async function plansOf(client: pg.Client, statements: readonly BoundStatement[]): Promise<Plan[]> {
  const plans: Plan[] = [];
  client.on('notice', ({ message = '' }) => {
    const json = message.slice(message.indexOf('{'));
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as {
      'Query Text': string;
      Plan: { 'Total Cost': number };
    };
    plans.push({ text, cost: plan['Total Cost'] });
  });
  for (const statement of statements) {
    await client.query('begin');
    await client.query(statement);
    await client.query('rollback');
  }
  return plans;
}
