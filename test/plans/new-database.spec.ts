import { inForm } from '../support/form';
import { InferenceWorker } from '../support/inference-worker';
import { Service } from '../support/service';
import { asAdmin } from '../support/test-server';
import { entryOf, REACHING_AT_FIRST } from './exceptions';
import { databaseAsAdmin, neverAnalyse, PlanLog, readTables, sendPlans } from './plan-log';
import { faultsOf, type TableFacts } from './plan-reader';
import { Traffic } from './traffic';

const ROUNDS = inForm(150, 1_000);

// PostgreSQL plans by what it knows of a table, which is nothing until the first run of autovacuum. A plan
// that is kept from then may go through all rows of an organisation, which are few at first.
describe('the statements of a new database, whose tables PostgreSQL has never analysed', () => {
  let service: Service;
  let worker: InferenceWorker;
  let log: PlanLog;
  let tables: TableFacts;

  beforeAll(
    async () => {
      worker = await InferenceWorker.start();
      service = await Service.start(
        { workerEndpointAllow: ['llama-8b.models.svc', 'other', worker.host] },
        { pooled: () => undefined },
      );
      await asAdmin(databaseAsAdmin(service.environment).href, neverAnalyse);
      await sendPlans(service);
      tables = await readTables(service);
      log = new PlanLog();
      // Its connections receive the plans.
      const replica = await service.replica();
      const org = await service.organisation();
      const through = ({ token }: { token: string | undefined }) => replica.as(token);
      const { admin, operator, viewer, controller } = org;
      const busy = {
        id: org.id,
        admin: through(admin),
        operator: through(operator),
        viewer: through(viewer),
        controller: through(controller),
      };
      await new Traffic(service, replica, busy, worker).rush(ROUNDS);
    },
    inForm(120_000, 600_000),
  );
  afterAll(async () => {
    await service.close();
    await worker.close();
  });

  it('reach few rows for each request, however many are stored', () => {
    const frequent = [...log.statements.values()].filter(({ runs }) => runs >= ROUNDS);
    expect(frequent.length).toBeGreaterThan(20);
    const reaching = frequent.flatMap(({ name, plans }) =>
      [...plans.values()]
        .flatMap((plan) => faultsOf(plan, tables, ROUNDS / 3))
        .flatMap((fault) => (fault.kind === 'reads many rows' ? [{ name, table: fault.table, rows: fault.rows }] : [])),
    );
    const isAllowed = ({ name, table, rows }: { name: string; table: string; rows: number }): boolean => {
      const entry = REACHING_AT_FIRST[entryOf(REACHING_AT_FIRST, name) ?? ''];
      return entry !== undefined && entry.table === table && rows <= entry.atMost;
    };
    expect(reaching.filter((one) => !isAllowed(one))).toEqual([]);
    // The short form is over before an entry is needed.
    const unused = Object.keys(REACHING_AT_FIRST).filter(
      (one) => !reaching.some(({ name }) => entryOf(REACHING_AT_FIRST, name) === one),
    );
    expect(inForm([], unused)).toEqual([]);
  });
});
