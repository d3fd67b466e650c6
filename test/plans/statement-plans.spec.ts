import type pg from 'pg';
import { fill } from '../support/everything';
import { inForm } from '../support/form';
import { InferenceWorker } from '../support/inference-worker';
import { Marketplace } from '../support/marketplace';
import { read } from '../support/outbox';
import { temporaryDirectory } from '../support/plugins';
import { Service, type Organisation } from '../support/service';
import { asAdmin } from '../support/test-server';
import { CROSSING, entryOf, REACHING } from './exceptions';
import { INSTEAD, LARGE, LATER } from './large-tables';
import { copyRows } from './many-rows';
import { databaseAsAdmin, PlanLog, readTables, sendPlans, type PlannedStatement } from './plan-log';
import { faultsOf, type Fault, type TableFacts } from './plan-reader';
import { Traffic } from './traffic';

/**
 * Rows in each large table, of the organisation with the traffic and of each other one: more than 10⁵
 * together in the long form. The short form has so few that PostgreSQL reads them without any index, and so
 * shows which rows are read, but not by which way.
 */
const OWN = inForm(100, 20_000);
const OF_EACH = inForm(100, 5_000);
const OTHERS = inForm(4, 17);
/** How often the frequent requests are sent. */
const ROUNDS = inForm(3, 10);
/** A statement that reaches more rows of a table reads most of what its organisation has there. */
const MOST = OWN / 2;
const FREQUENT = 100;

// As the sequence of each organisation would have counted its events.
const COUNTED = `
  insert into outbox_heads (org_id, head) select org_id, max(event_id) from outbox_events where org_id = any ($1)
  group by org_id`;

describe('the statements of the service, as PostgreSQL planned and ran them', () => {
  let service: Service;
  let market: Marketplace;
  let worker: InferenceWorker;
  let log: PlanLog;
  let tables: TableFacts;

  beforeAll(
    async () => {
      [market, worker] = [await Marketplace.start(), await InferenceWorker.start()];
      service = await Service.start(
        {
          marketplace: market.settings(),
          pluginsPublic: false,
          objectStorageDir: temporaryDirectory(),
          workerEndpointAllow: ['llama-8b.models.svc', 'other', worker.host],
        },
        // Settings of the database apply to connections that begin later, and a pooler may have some already.
        { pooled: () => undefined },
      );
      const busy = await service.organisation();
      await grow(busy);
      tables = await readTables(service);
      log = new PlanLog();
      const replica = await service.replica();
      const through = ({ token }: { token: string | undefined }) => replica.as(token);
      const org: Organisation = {
        id: busy.id,
        admin: through(busy.admin),
        operator: through(busy.operator),
        viewer: through(busy.viewer),
        controller: through(busy.controller),
      };
      await new Traffic(service, replica, org, worker).run(ROUNDS);
    },
    inForm(240_000, 1_200_000),
  );
  afterAll(async () => {
    await service.close();
    await market.close();
    await worker.close();
  });

  /** Fills the database, with one organisation among others. */
  async function grow(busy: Organisation): Promise<void> {
    const seed = await service.organisation();
    await fill(service, seed);
    // Numbers its events, as reading them does.
    await read(seed.controller, { consumer_id: 'seed' });
    const sizes = [{ orgId: busy.id, rows: OWN }];
    for (let n = 0; n < OTHERS; n++) {
      const { body } = await service.admin.post('/v1/organisations', { name: `other-${n}` });
      sizes.push({ orgId: body.id as string, rows: OF_EACH });
    }
    await asAdmin(databaseAsAdmin(service.environment).href, async (client: pg.Client) => {
      for (const rows of LATER) await client.query(rows, [seed.id]);
      await copyRows(client, LARGE, seed.id, sizes, INSTEAD);
      await client.query(COUNTED, [sizes.map(({ orgId }) => orgId)]);
      await client.query('analyze');
    });
    await sendPlans(service);
  }

  const faults = ({ plans }: PlannedStatement): Fault[] =>
    [...plans.values()].flatMap((plan) => faultsOf(plan, tables, MOST));
  const byFrequency = (): PlannedStatement[] => [...log.statements.values()].sort((a, b) => b.runs - a.runs);

  it('are of many kinds, more than a hundred of them frequent', () => {
    expect(log.statements.size).toBeGreaterThan(350);
    expect(byFrequency()[FREQUENT]?.runs).toBeGreaterThanOrEqual(ROUNDS);
  });

  it('read rows of one organisation, which they name, unless they have a reason not to', () => {
    const crossing = byFrequency().flatMap((one) =>
      faults(one)
        .filter(({ kind }) => kind === 'crosses organisations')
        .map(({ table }) => ({ name: one.name, table })),
    );
    expect(crossing.filter(({ name }) => entryOf(CROSSING, name) === undefined)).toEqual([]);
    // A reason that nothing needs is removed.
    const needed = new Set(crossing.map(({ name }) => entryOf(CROSSING, name)));
    expect(Object.keys(CROSSING).filter((one) => !needed.has(one))).toEqual([]);
  });

  it('find rows of all organisations by an index where their reason is one', () => {
    const scanning = byFrequency()
      .filter(({ name }) => /by (an|the same) index/.test(CROSSING[entryOf(CROSSING, name) ?? ''] ?? ''))
      .map((one) => {
        const found = faults(one).filter(({ kind }) => kind === 'scans');
        return [one.name, ...new Set(found.map(({ table }) => table))];
      });
    expect(scanning.length).toBeGreaterThan(20);
    expect(scanning.filter(([, ...found]) => found.length > 0)).toEqual([]);
  });

  it('reach few rows of large tables, by keys that begin with the organisation, if they are frequent', () => {
    const reaching = byFrequency()
      .filter(({ runs }, place) => place < FREQUENT || runs >= ROUNDS)
      .filter(({ name }) => entryOf({ ...REACHING, ...CROSSING }, name) === undefined)
      .map((one) => {
        const found = faults(one).filter(({ kind }) => kind !== 'crosses organisations');
        return [one.name, ...new Set(found.map(({ kind, table }) => `${kind}: ${table}`))];
      });
    expect(reaching.filter(([, ...found]) => found.length > 0)).toEqual([]);
  });
});
