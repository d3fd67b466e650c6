import { DataSource } from 'typeorm';
import { AuditEntry } from '../../../../src/1-platform/audit/audit-entry.entity';
import { AuditHistory } from '../../../../src/1-platform/audit/audit-history';
import { alternativesOf, NEWEST_FIRST } from '../../../../src/1-platform/audit/audit.service';
import { newId } from '../../../../src/1-platform/common/ids';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { Service, type Organisation } from '../../../support/service';

describe('old audit entries', () => {
  let service: Service;
  let orgs: Organisation[];
  beforeAll(async () => {
    service = await Service.start({ auditRetentionDays: 30 });
    orgs = [await service.organisation(), await service.organisation()];
    for (const { id } of orgs)
      for (const days of [29, 31, 45, 400])
        await service.db.query(
          `insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, request_id)
           values ($1, $2, clock_timestamp() - make_interval(days => $3), 'tests', 'admin', $4, 'cluster', 'request')`,
          [id, newId(), days, `of_${days}_days`],
        );
  });
  afterAll(() => service.close());

  const actions = async ({ id }: Organisation): Promise<string[]> => {
    const { rows } = await service.db.query<{ action: string }>(
      "select action from audit_entries where org_id = $1 and action like 'of_%_days' order by occurred_at desc",
      [id],
    );
    return rows.map(({ action }) => action);
  };

  it('are kept for ever unless the settings limit their age', async () => {
    const { app } = await service.replica({ auditRetentionDays: 0 });
    await app.get(AuditHistory).run();
    for (const org of orgs)
      expect(await actions(org)).toEqual(['of_29_days', 'of_31_days', 'of_45_days', 'of_400_days']);
  });

  it('are deleted in small steps, those of every organisation, and younger ones stay', async () => {
    await service.app.get(AuditHistory).run(2);
    for (const org of orgs) expect(await actions(org)).toEqual(['of_29_days']);
  });
});

describe('the audit entries of one actor or resource', () => {
  const ENTRIES = 60_000;
  let service: Service;
  let org: Organisation;
  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    await service.db.query(
      `insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, resource_id,
         request_id)
       select $1, gen_random_uuid(), clock_timestamp() - n * interval '1 minute',
         case when n % 20000 = 0 then 'rare-actor' else 'frequent-actor' end, 'admin', 'saved',
         case when n % 20000 = 1 then 'rare' else 'cluster' end,
         case when n % 20000 = 2 then 'rare-resource' else 'resource-' || n % 100 end, 'request'
       from generate_series(1, $2) n`,
      [org.id, ENTRIES],
    );
    await service.db.query('analyze audit_entries');
  });
  afterAll(() => service.close());

  /** Rows that PostgreSQL reads, whether it returns them or not. */
  async function rowsRead(query: Parameters<typeof alternativesOf>[0]): Promise<number> {
    const where = alternativesOf(query).map((one) => ({ ...one, orgId: org.id }));
    const [text, parameters] = service.app
      .get(DataSource)
      .getRepository(AuditEntry)
      .createQueryBuilder('e')
      .setFindOptions({ where, order: NEWEST_FIRST, take: 51 })
      .getQueryAndParameters();
    return service.app.get(UnitOfWork).read({ orgId: org.id }, async (tx) => {
      const plan = await tx.manager.query<{ 'QUERY PLAN': string }[]>(
        `explain (analyze, costs off, timing off) ${text}`,
        parameters,
      );
      const lines = plan
        .map((row) => row['QUERY PLAN'])
        .filter((line) => / Scan .*audit_entries|Removed by/.test(line));
      return lines.reduce(
        (sum, line) => sum + Number(/rows=([\d.]+)|Removed by .*: (\d+)/.exec(line)?.slice(1).find(Boolean)),
        0,
      );
    });
  }

  it.each([
    ['an actor of few', { actor: 'rare-actor' }, 3],
    ['a resource of few', { resource: 'rare-resource' }, 3],
    ['a kind of few', { resource: 'rare' }, 3],
    ['an actor of most', { actor: 'frequent-actor' }, 50],
    ['a kind of most', { resource: 'cluster' }, 50],
    ['no actor', { actor: 'nobody' }, 0],
  ])('are found without a walk through all: %s', async (_case, query, found) => {
    const listed = await org.operator.get(`/v1/audit?${new URLSearchParams({ ...query, limit: '50' }).toString()}`);
    expect(listed.body).toHaveLength(found);
    expect(await rowsRead(query)).toBeLessThan(1_000);
  });
});
