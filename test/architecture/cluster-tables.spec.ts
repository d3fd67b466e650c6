import { Service } from '../support/service';

/** Tables with a cluster whose rows stay when it is deleted, and why. */
const KEPT: Readonly<Record<string, string>> = {
  activations: 'They belong to profiles.',
  artifacts: 'They belong to profiles.',
  forgotten_checkpoints: 'The deletion itself notes them.',
  observations: 'They belong to profiles.',
  operation_facts: 'Reports continue to agree.',
  outbox_events: 'Their numbers have no gaps.',
  pod_savings: 'Reports continue to agree.',
  starts: 'They belong to profiles, and end.',
};

const TABLES = `
  select table_name as name, exists (
    select from pg_constraint where contype = 'f' and confdeltype = 'c' and confrelid = 'clusters'::regclass
      and conrelid = format('%I.%I', table_schema, table_name)::regclass
  ) as "goesWithIt"
  from information_schema.columns where table_schema = 'public' and column_name = 'cluster_id' order by 1`;

describe('every table with a cluster', () => {
  it('has a foreign key by which its rows go with the cluster, or a reason why they stay', async () => {
    const service = await Service.start();
    try {
      const { rows } = await service.db.query<{ name: string; goesWithIt: boolean }>(TABLES);
      expect(rows.filter(({ goesWithIt }) => !goesWithIt).map(({ name }) => name)).toEqual(Object.keys(KEPT));
      expect(rows.filter(({ goesWithIt }) => goesWithIt).length).toBeGreaterThan(10);
    } finally {
      await service.close();
    }
  });
});
