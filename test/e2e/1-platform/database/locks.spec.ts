import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { unscoped } from '../../../../src/1-platform/database/transactions/statement';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { eventually } from '../../../support/eventually';
import { cluster } from '../../../support/inventory';
import { createProfile, setState } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

const POOL_SIZE = 4;
const ASKED = 12;

describe('a row that stays locked', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;
  let holder: pg.PoolClient;

  beforeAll(async () => {
    // Settings of network connections are among what it checks.
    service = await Service.start({ databasePoolSize: POOL_SIZE }, { overTcp: true });
    org = await service.organisation();
    ({ profile_id: profileId } = await createProfile(org));
  });
  beforeEach(async () => {
    holder = await service.db.connect();
    await holder.query('begin');
  });
  afterEach(async () => {
    await holder.query('rollback');
    holder.release();
  });
  afterAll(() => service.close());

  it('does not exhaust the connections: other requests are served at once, blocked ones after the unlock', async () => {
    await holder.query('select from profiles where profile_id = $1 for update', [profileId]);
    const asked = Array.from({ length: ASKED }, (_, n) =>
      setState(org.operator, profileId, { desired_state: 'Active', desired_replicas: 1 + (n % 3) }),
    );
    const expectFewWaiting = async (): Promise<void> => {
      const { rows } = await service.db.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and application_name = 'checkpoint-control-plane'`,
      );
      expect(rows[0]?.waiting).toBeLessThanOrEqual(POOL_SIZE / 2);
    };
    // Until some requests have met the lock, they may take all connections.
    await sleep(1_000);
    await eventually(expectFewWaiting);
    for (let round = 0; round < 5; round++) {
      const others = await Promise.all(Array.from({ length: 4 }, () => org.viewer.get('/v1/cluster')));
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await expectFewWaiting();
    }
    await holder.query('rollback');
    for (const { status } of await Promise.all(asked)) expect(status).toBe(202);
  });

  it('lets one deletion of a cluster wait as long as it takes, and the others give their connections back', async () => {
    const clusterId = await cluster(org);
    const path = `/v1/cluster/${clusterId}`;
    await holder.query('select from clusters where id = $1 for update', [clusterId]);
    const asked = Array.from({ length: ASKED }, () => org.operator.delete(path));
    await sleep(1_000);
    for (let round = 0; round < 5; round++) expect((await org.viewer.get('/v1/cluster')).status).toBe(200);
    const stranger = await service.organisation();
    expect((await stranger.operator.delete(path)).status).toBe(404);
    await holder.query('rollback');
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: ASKED - 1 }, () => 404)]);
  });

  it('makes single statements retry in turns as well', async () => {
    const statements = service.app.get(StatementPool);
    await holder.query('select from profiles where profile_id = $1 for update', [profileId]);
    const touch = unscoped(
      'test-touch',
      'update profiles set profile_id = profile_id where org_id = $org_id and profile_id = $profile_id',
    );
    const asked = Array.from({ length: ASKED }, () => statements.run(touch, { org_id: org.id, profile_id: profileId }));
    const outcome = Promise.allSettled(asked);
    await sleep(800);
    for (let round = 0; round < 5; round++) await statements.run(unscoped('test-one', 'select 1'), {});
    await holder.query('rollback');
    for (const { status } of await outcome) expect(status).toBe('fulfilled');
  });

  it('is unlocked within seconds when the process that owns the transaction hangs', async () => {
    const unitOfWork = service.app.get(UnitOfWork);
    const lock = 'select from profiles where profile_id = $profile_id for update';
    const held = Promise.withResolvers<void>();
    const unlocked = Promise.withResolvers<void>();
    const stuck = unitOfWork.run({ orgId: org.id, operation: 'stuck' }, async (tx) => {
      await tx.query(lock, { profile_id: profileId });
      held.resolve();
      await unlocked.promise;
      await tx.query('select 1');
    });
    const failed = expect(stuck).rejects.toThrow();
    await held.promise;
    const began = performance.now();
    try {
      await unitOfWork.run({ orgId: org.id, operation: 'next' }, (tx) => tx.query(lock, { profile_id: profileId }));
      expect(performance.now() - began).toBeLessThan(4_400);
    } finally {
      unlocked.resolve();
    }
    await failed;
  });

  it("is unlocked when the session's client is gone, because the server checks its clients", async () => {
    await service.app.get(UnitOfWork).run({ orgId: org.id }, async (tx) => {
      const [settings] = await tx.query<Record<string, string>>(
        `select current_setting('client_connection_check_interval') as looks, current_setting('tcp_user_timeout') as silent,
           current_setting('idle_in_transaction_session_timeout') as idle, current_setting('lock_timeout') as locks`,
      );
      expect(settings).toEqual({ looks: '1s', silent: '3000', idle: '3s', locks: '500ms' });
    });
  });
});
