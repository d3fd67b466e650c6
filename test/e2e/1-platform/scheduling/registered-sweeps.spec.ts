import { eventually } from '../../../support/eventually';
import { Service } from '../../../support/service';
import { SWEEPS } from './sweeps-of-the-service';

/**
 * Other tests run rounds themselves, by name. This one shows that a started service plans a round of every
 * sweep, and runs the two most frequent ones.
 */
describe('sweeps of the service', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({}, { sweeping: true });
  });
  afterAll(() => service.close());

  it('are planned once they start, each for its next round', async () => {
    // A round that begins plans the next one a moment later.
    await eventually(async () => {
      const { rows } = await service.db.query<{ name: string; seconds: number }>(
        `select substr(name, 7) as name, round(extract(epoch from start_after - created_on))::int as seconds
         from pgboss.job where name like 'sweep-%' and name <> 'sweep-replant' and state = 'created'`,
      );
      expect(Object.fromEntries(rows.map(({ name, seconds }) => [name, seconds]))).toEqual(SWEEPS);
    });
  });

  it('run rounds by themselves', async () => {
    await eventually(async () => {
      const { rows } = await service.db.query<{ name: string }>(
        `select distinct name from pgboss.job where state = 'completed' and name in ('sweep-authorizations', 'sweep-capacity-intents')`,
      );
      expect(rows).toHaveLength(2);
    });
  });
});
