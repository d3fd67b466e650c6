import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../../../src/application';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { RawConnection } from '../../../support/raw-http';
import { Caller, Service, type Organisation } from '../../../support/service';

describe('a replica that starts or stops', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  /** Another replica, which a test may stop. */
  const instance = async (drainDelaySeconds: number, drainTimeoutSeconds = 20) => {
    const environment = { ...service.environment, drainDelaySeconds, drainTimeoutSeconds };
    const app = await createApplication(environment, createLogger('silent'), service.clock);
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    return { app, url, caller: new Caller(url, org.operator.token) };
  };
  const stop = (app: NestExpressApplication): Promise<void> => app.get(Draining).close(app);
  const request = (line: string, body = '') =>
    [
      `${line} HTTP/1.1`,
      'Host: service',
      `Authorization: Bearer ${org.operator.token}`,
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      '',
      body,
    ].join('\r\n');
  const waitingForALock = () =>
    eventually(async () => {
      const { rowCount } = await service.db.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(rowCount).toBeGreaterThan(0);
    });

  it('finishes the requests in progress and refuses new ones', async () => {
    const { app, url } = await instance(0);
    const holder = await service.db.connect();
    const connection = await RawConnection.open(url);
    try {
      await holder.query('begin');
      await holder.query('lock table clusters in access exclusive mode');
      connection.write(request('POST /v1/cluster', '{"cluster_name":"under-way"}'));
      await waitingForALock();

      let closed = false;
      const closing = stop(app).then(() => (closed = true));
      await eventually(async () => {
        expect(app.get(Draining).closing).toBe(true);
        // New connections are refused.
        await expect(RawConnection.open(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      });
      // On an existing connection, a request is read and answered with 503 and "Connection: close".
      connection.write(request('GET /v1/user'));
      expect(closed).toBe(false);

      await holder.query('rollback');
      const first = await connection.answer();
      expect([first.status, first.body]).toEqual([200, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      const second = await connection.answer();
      expect([second.status, second.headers.connection, second.headers['retry-after']]).toEqual([503, 'close', '1']);
      expect(JSON.parse(second.body)).toMatchObject({ code: 'draining', status: 503 });
      await connection.closed();
      await closing;
    } finally {
      await holder.query('rollback');
      holder.release();
      connection.close();
    }
    const { rowCount } = await service.db.query("select from clusters where name = 'under-way'");
    expect(rowCount).toBe(1);
  });

  it('answers 503 while the port is bound and the first token does not exist yet', async () => {
    const { app, caller } = await instance(0);
    app.get(Draining).starting = true;
    const early = await caller.get('/v1/user');
    expect([early.status, early.headers['retry-after'], early.body.code]).toEqual([503, '1', 'starting']);
    app.get(Draining).starting = false;
    expect((await caller.get('/v1/user')).status).toBe(200);
    await stop(app);
  });

  it('reports not ready first, and keeps serving in the meantime', async () => {
    const { app, caller } = await instance(1);
    expect((await caller.get('/readyz')).status).toBe(200);
    const closing = stop(app);
    const ready = await caller.get('/readyz');
    expect([ready.status, ready.headers['retry-after'], ready.body.details.serving]).toEqual([
      503,
      '1',
      { status: 'down', message: 'draining' },
    ]);
    expect(ready.body.details.database).toEqual({ status: 'up' });
    expect((await caller.get('/livez')).status).toBe(200);
    expect((await caller.get('/v1/user')).status).toBe(200);
    await closing;
    await expect(caller.get('/livez')).rejects.toThrow('ECONNREFUSED');
  });

  it('does not wait for an idle connection', async () => {
    const { app, url } = await instance(0);
    const connection = await RawConnection.open(url);
    connection.write(request('GET /v1/user'));
    expect((await connection.answer()).status).toBe(200);
    const started = performance.now();
    await stop(app);
    expect(performance.now() - started).toBeLessThan(onThisMachine(5_000));
    await connection.closed();
  });

  it('does not wait for a connection without a request', async () => {
    const { app, url } = await instance(0);
    const connection = await RawConnection.open(url);
    const started = performance.now();
    await stop(app);
    expect(performance.now() - started).toBeLessThan(onThisMachine(5_000));
    await connection.closed();
  });

  it('aborts requests that do not finish in time', async () => {
    const { app, url } = await instance(0, 1);
    const holder = await service.db.connect();
    const connection = await RawConnection.open(url);
    try {
      await holder.query('begin');
      await holder.query('lock table clusters in access exclusive mode');
      connection.write(request('GET /v1/cluster'));
      await waitingForALock();
      const closing = stop(app);
      await expect(connection.answer()).rejects.toThrow('the connection ended');
      await holder.query('rollback');
      await closing;
    } finally {
      await holder.query('rollback');
      holder.release();
      connection.close();
    }
  });

  it('stops once, however often it receives the signal', async () => {
    const { app } = await instance(0);
    await Promise.all([stop(app), stop(app)]);
    await stop(app);
    expect(app.get(Draining)).toMatchObject({ started: true, closing: true });
  });
});
