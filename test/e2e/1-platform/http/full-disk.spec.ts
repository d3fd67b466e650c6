import { SMALLEST_MEMORY, WRITE_TO_DISK } from '../../../../src/1-platform/database/connections/data-disk';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { Service, type Organisation } from '../../../support/service';

const FULL = Object.assign(new Error('could not extend file'), { code: '53100' });

describe("GET /readyz while the database's disk is full", () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    // The database refuses this statement with the error that it raises when a file cannot grow.
    await service.db.query(`
      create function refuse() returns trigger language plpgsql as $f$ begin
        if new.name like 'large-%' then raise exception 'could not extend file' using errcode = 'disk_full'; end if;
        return new;
      end $f$;
      create trigger refuse before insert on clusters for each row execute function refuse();`);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const ready = () => service.as(undefined).get('/readyz');
  const write = (name: string) => org.operator.post('/v1/cluster', { cluster_name: name });
  const writes = () => jest.spyOn(service.app.get(StatementPool), 'script');

  it('answers 200 while there is room, and tests the disk by a write every few seconds only', async () => {
    const written = writes();
    for (let asked = 0; asked < 10; asked++) {
      const { status, body } = await ready();
      expect([status, body.details.disk]).toEqual([200, { status: 'up' }]);
    }
    expect(written).toHaveBeenCalledTimes(1);
  });

  it('tests the disk by a statement that really writes to it', async () => {
    const client = await service.db.connect();
    try {
      await client.query(`begin; ${SMALLEST_MEMORY}`);
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${WRITE_TO_DISK}`);
      await client.query('rollback');
      expect(rows[0]['QUERY PLAN'][0].Plan['Temp Written Blocks']).toBeGreaterThan(100);
    } finally {
      client.release();
    }
  });

  it('answers 503 as soon as the disk refuses a statement, until a write succeeds', async () => {
    expect((await ready()).status).toBe(200);
    const written = writes().mockRejectedValue(FULL);
    expect((await write('large-1')).status).toBe(503);
    for (let asked = 0; asked < 3; asked++) {
      const { status, body, headers } = await ready();
      expect([status, body.details.disk]).toEqual([503, { status: 'down', message: 'full' }]);
      expect(headers['retry-after']).toBe('1');
      // The database itself still answers.
      expect(body.details.database).toEqual({ status: 'up' });
    }
    expect(written).toHaveBeenCalledTimes(3);
    expect((await service.as(undefined).get('/livez')).status).toBe(200);

    written.mockRestore();
    expect((await ready()).status).toBe(200);
    expect((await write('small-1')).status).toBe(200);
  });

  it('answers 200 after a refused statement if its own write succeeds at once', async () => {
    const written = writes();
    expect((await write('large-2')).status).toBe(503);
    expect((await ready()).status).toBe(200);
    expect(written).toHaveBeenCalledTimes(1);
  });
});
