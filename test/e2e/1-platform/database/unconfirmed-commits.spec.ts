import { setTimeout as sleep } from 'node:timers/promises';
import { createApplication } from '../../../../src/application';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { readEnvironment } from '../../../../src/1-platform/config/environment';
import { migrate } from '../../../../src/1-platform/database/migrate';
import { FirstStart } from '../../../../src/1-platform/tokens/first-start';
import { eventually } from '../../../support/eventually';
import { describeWith } from '../../../support/components';
import { OwnPostgres } from '../../../support/own-postgres';
import { PgBouncer } from '../../../support/pg-bouncer';
import { ADMIN_TOKEN, Caller } from '../../../support/service';
import { asAdmin } from '../../../support/test-server';

for (const { through, components } of [
  { through: 'directly', components: [] },
  { through: 'through pgbouncer', components: ['pgbouncer'] as const },
])
  describeWith(components, `a database whose standby does not confirm commits, ${through}`, () => {
    let postgres: OwnPostgres;
    let bouncer: PgBouncer | undefined;
    let app: Awaited<ReturnType<typeof createApplication>>;
    let admin: Caller;

    beforeAll(async () => {
      postgres = await OwnPostgres.create();
      await migrate(postgres.url);
      if (components.length > 0) bouncer = await PgBouncer.before(postgres.url);
      const database = bouncer
        ? { databaseUrl: bouncer.inFrontOf(postgres.url), databaseListenUrl: postgres.url }
        : { databaseUrl: postgres.url };
      const settings = { ...database, bootstrapToken: ADMIN_TOKEN, databaseStatementTimeoutMs: 500 };
      app = await createApplication({ ...readEnvironment({}), ...settings }, createLogger('silent'));
      await app.get(FirstStart).prepare();
      await app.listen(0, '127.0.0.1');
      admin = new Caller((await app.getUrl()).replace('[::1]', '127.0.0.1'), ADMIN_TOKEN);
    });
    afterAll(async () => {
      await setStandby('');
      await app.close();
      await bouncer?.stop();
      await postgres.remove();
    });

    const setStandby = (name: string): Promise<void> =>
      asAdmin(postgres.adminUrl, async (client) => {
        await client.query(`alter system set synchronous_standby_names = '${name}'`);
        await client.query('select pg_reload_conf()');
        // The server takes a moment to require it: until then, commits wait for nobody.
        if (name !== '') await eventually(async () => expect(await probe()).toBe('SyncRep'));
      });
    /** @returns what a small write waits for, which is cut then; undefined: it is over at once */
    const probe = (): Promise<unknown> =>
      asAdmin(postgres.adminUrl, async (client) => {
        const { rows: ids } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        const write = client.query("select pg_logical_emit_message(true, 'probe', '')");
        if (await Promise.race([write, sleep(100)])) return undefined;
        const waitsFor = await asAdmin(postgres.adminUrl, async (other) => {
          const asked = 'select wait_event, pg_cancel_backend(pid) from pg_stat_activity where pid = $1';
          const { rows } = await other.query<{ wait_event: string | null }>(asked, [ids[0]?.pid]);
          return rows[0]?.wait_event;
        });
        await write.catch(() => undefined);
        return waitsFor;
      });
    const waitingForStandby = async (): Promise<number> => {
      let waiting = NaN;
      await asAdmin(postgres.adminUrl, async (client) => {
        const { rows } = await client.query("select from pg_stat_activity where wait_event = 'SyncRep'");
        waiting = rows.length;
      });
      return waiting;
    };
    const create = (name: string) => admin.post('/v1/cluster', { cluster_name: name });

    it('answers no write with success that a fail-over would lose, and serves again with the standby', async () => {
      expect((await create('before')).status).toBe(200);
      await setStandby('missing');
      const answer = await create('unconfirmed');
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 503, code: 'database_unavailable' });
      // Reads wait for nobody.
      expect((await admin.get('/v1/cluster')).status).toBe(200);
      // Nor does the server: otherwise each repetition would take one of its connections, until it has none.
      await eventually(async () => expect(await waitingForStandby()).toBe(0));
      await setStandby('');
      // The client cannot know whether it was stored, and repeats it.
      expect((await create('unconfirmed')).status).toBe(200);
      const names = (await admin.get('/v1/cluster')).body.map(({ name }: { name: string }) => name).sort();
      expect(names).toEqual(['before', 'unconfirmed']);
    });
  });
