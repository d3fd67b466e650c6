import { DAYS_AGO } from '../../../../src/1-platform/database/rows/days-ago';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { Service, type Organisation } from '../../../support/service';

describe('a statement that looks for old rows', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    await service.db.query(
      `insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, request_id)
       select $1, gen_random_uuid(), clock_timestamp() - n * interval '1 second', 'a', 'admin', 'a', 'a', 'a'
       from generate_series(1, 5000) n`,
      [org.id],
    );
    await service.db.query('analyze audit_entries');
  });
  afterAll(() => service.close());

  /** With the account of the service, to which row level security applies. */
  const planOf = async (moment: string): Promise<string> => {
    const rows = await service.app.get(UnitOfWork).system('a test reads a plan', (tx) =>
      tx.query<{ 'QUERY PLAN': string }>(
        `explain select id from audit_entries where org_id = $org_id and occurred_at < ${moment}
         order by occurred_at limit 10`,
        { org_id: org.id, days: 30 },
      ),
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it('finds them in an index, and reads no others', async () => {
    expect(await planOf(DAYS_AGO)).toMatch(/Index Cond: .*occurred_at </);
  });

  it('would read every row if the time were computed for each', async () => {
    expect(await planOf('clock_timestamp() - make_interval(days => $days)')).toMatch(/Filter: .*occurred_at </);
  });
});
