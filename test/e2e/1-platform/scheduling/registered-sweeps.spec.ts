import { eventually } from '../../../support/eventually';
import { Service } from '../../../support/service';

const HOUR = 3_600;

/** Every sweep of the service, and the seconds between two of its rounds. */
const SWEEPS: Readonly<Record<string, number>> = {
  'abandoned-uploads': 600,
  'audit-history': 6 * HOUR,
  authorizations: 2,
  'capacity-intents': 2,
  'checkpoint-requests': 10,
  'checkpoint-savings': 60,
  'idempotency-keys': 600,
  instances: 10,
  'kept-checkpoints': 10,
  'ledger-balances': 600,
  'lifecycle-history': 6 * HOUR,
  'metric-samples': 6 * HOUR,
  'old-partitions': 600,
  'old-rows': 6 * HOUR,
  'operation-sums': 30,
  'outbox-numbers': 15,
  'outbox-retention': 600,
  partitions: 600,
  'plugin-uploads': 60,
  policies: 5,
  'presumed-uploads': 10,
  promotions: 10,
  'queued-workloads': 600,
  'restored-pods': 15,
  retention: 60,
  'router-samples': 6 * HOUR,
  'silent-Slurm-jobs': 6 * HOUR,
  'unanswered-actions': 10,
  'usage-history': 6 * HOUR,
  'worker-sums': 60,
};

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
