import { AuditHistory } from '../../../../src/1-platform/audit/audit-history';
import { newId } from '../../../../src/1-platform/common/ids';
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
