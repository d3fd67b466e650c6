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
    const reaching = frequent.map(({ name, plans }) => [
      name,
      ...new Set(
        [...plans.values()]
          .flatMap((plan) => faultsOf(plan, tables, ROUNDS / 3))
          .flatMap(({ kind, table }) => (kind === 'reads many rows' ? [table] : [])),
      ),
    ]);
    const isAllowed = (name = ''): boolean => entryOf(REACHING_AT_FIRST, name) !== undefined;
    expect(reaching.filter(([name, ...found]) => found.length > 0 && !isAllowed(name))).toEqual([]);
  });
});
