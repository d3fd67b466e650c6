import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { TransactionPool } from '../../../../src/1-platform/database/connections/database-pool';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { Service, type Organisation } from '../../../support/service';

/** A fault of the connection after which the server would still take statements. */
const FAULT = "do $$ begin raise exception 'out of memory' using errcode = '53200'; end $$";
/** Outlives the transaction, unless that is rolled back. */
const LEAVE = "select set_config('app.test', 'left over', false)";
const REFUSAL = "do $$ begin raise exception 'refused' using errcode = '22023'; end $$";

describe('a connection that has noted a fault', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start({ databasePoolSize: 1 });
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const backend = async (): Promise<number> => {
    const [row] = await service.app
      .get(UnitOfWork)
      .read({ orgId: org.id }, (tx) => tx.query<{ pid: number }>('select pg_backend_pid() as pid'));
    return row?.pid ?? NaN;
  };
  /** What an earlier transaction left behind. */
  const left = async (): Promise<string | null | undefined> => {
    const [row] = await service.app
      .get(UnitOfWork)
      .read({ orgId: org.id }, (tx) =>
        tx.query<{ left: string | null }>("select nullif(current_setting('app.test', true), '') as left"),
      );
    return row?.left;
  };
  const fail = (text: string): Promise<unknown> =>
    service.app.get(UnitOfWork).run({ orgId: org.id }, (tx) => tx.query(text));

  it('is closed by the end of its transaction', async () => {
    const before = await backend();
    await expect(fail(FAULT)).rejects.toThrow('out of memory');
    expect(await backend()).not.toBe(before);
  });

  it('is closed where the ORM sent the statement', async () => {
    const before = await backend();
    const work = service.app.get(UnitOfWork).run({ orgId: org.id }, (tx) => tx.manager.query(FAULT));
    await expect(work).rejects.toThrow('out of memory');
    expect(await backend()).not.toBe(before);
  });

  it('stays open where a statement was only refused, and nothing of the transaction stays', async () => {
    const before = await backend();
    const work = service.app.get(UnitOfWork).run({ orgId: org.id }, async (tx) => {
      await tx.query(LEAVE);
      await tx.query(REFUSAL);
    });
    await expect(work).rejects.toThrow('refused');
    expect(await backend()).toBe(before);
    expect(await left()).toBeNull();
  });

  it('stays open, and its transaction is rolled back, where the fault is of another connection', async () => {
    const before = await backend();
    const statements = service.app.get(StatementPool);
    const work = service.app.get(UnitOfWork).run({ orgId: org.id }, async (tx) => {
      await tx.query(LEAVE);
      await statements.script(FAULT, 1_000);
    });
    await expect(work).rejects.toThrow('out of memory');
    expect(await backend()).toBe(before);
    expect(await left()).toBeNull();
  });

  it('is counted no more', async () => {
    await expect(fail(FAULT)).rejects.toThrow('out of memory');
    expect(service.app.get(TransactionPool).totalCount).toBe(0);
  });
});
