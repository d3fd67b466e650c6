import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { appendEvent } from '../../../../src/1-platform/outbox/outbox';
import { AGGREGATES, CREATE_AGGREGATES, OutboxChecker } from '../../../support/outbox-checker';
import { Caller, Service, type Organisation } from '../../../support/service';

/** Writers of two replicas, some slow, some rolled back; consumers that lose answers, crash and restart. */
describe('the outbox under slow, failing and concurrent writers', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    await service.db.query(CREATE_AGGREGATES);
    await service.db.query(`grant all on ${AGGREGATES} to public`);
  });
  afterAll(() => service.close());

  it('loses no event, delivers in order, and numbers without a gap', async () => {
    const replica = await service.replica();
    const apps = [service.app, replica.app];
    const callers = [service.url, replica.url].map((url) => new Caller(url, org.controller.token));
    const { violations, committed, lost, crashes, redelivered } = await new OutboxChecker({
      seed: 1,
      orgId: org.id,
      writers: 12,
      aggregates: 32,
      consumers: 2,
      writingMs: 4_000,
      enough: (counts, confirmed) => confirmed > 500 && counts.lost > 0 && counts.crashes > 0 && counts.redelivered > 0,
      replicas: apps.length,
      transact: (writer, work) =>
        (apps[writer % apps.length] ?? service.app).get(UnitOfWork).run({ orgId: org.id }, (tx) =>
          work({
            query: (text, values) => tx.query(text, values),
            append: (event) => appendEvent(tx, event),
          }),
        ),
      request: (at, method, path, body) => (callers[at] ?? service.admin).send(method.toLowerCase(), path, body, {}),
    }).run();

    expect(violations).toEqual([]);
    expect(committed).toBeGreaterThan(500);
    for (const tried of [lost, crashes, redelivered]) expect(tried).toBeGreaterThan(0);
  });
});
