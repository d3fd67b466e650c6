import { eventually } from '../../../support/eventually';
import { Service, type Organisation } from '../../../support/service';
import { asAdmin, testServer } from '../../../support/test-server';

describe('GET /readyz while the database takes no writes', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  /** A default applies to connections that begin later, so all others end. */
  const setDefault = (change: string) =>
    asAdmin(testServer().adminUrl, async (client) => {
      const { rows } = await service.db.query<{ name: string }>('select current_database() as name');
      const name = client.escapeIdentifier(rows[0]?.name ?? '');
      await client.query(`alter database ${name} ${change}`);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [rows[0]?.name]);
    });
  const ready = () => service.as(undefined).get('/readyz');
  const isGreen = () =>
    eventually(async () => {
      const { status, body } = await ready();
      expect([status, body.details.database]).toEqual([200, { status: 'up' }]);
    });
  const write = (name: string) => org.operator.post('/v1/cluster', { cluster_name: name });

  it('answers 503 until it takes writes again', async () => {
    await isGreen();
    await setDefault('set default_transaction_read_only = on');
    await eventually(async () => {
      const { status, body, headers } = await ready();
      expect([status, body.details.database]).toEqual([503, { status: 'down', message: 'read only' }]);
      expect(headers['retry-after']).toBe('1');
    });
    const refused = await write('refused');
    expect([refused.status, refused.body.code]).toEqual([503, 'database_unavailable']);
    expect((await service.as(undefined).get('/livez')).status).toBe(200);

    await setDefault('reset default_transaction_read_only');
    await isGreen();
    await eventually(async () => expect((await write('taken')).status).toBe(200));
  });
});
