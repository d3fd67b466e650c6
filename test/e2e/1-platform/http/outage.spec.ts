import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../../../src/application';
import { newId } from '../../../../src/1-platform/common/ids';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { DatabaseProxy, type ProxyMode } from '../../../support/database-proxy';
import { SHARED_PING } from '../../../../src/1-platform/health/health.queries';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { Caller, Service, type Answer, type Organisation } from '../../../support/service';
import { samplesOf } from '../../../support/workloads';

/** Within this time, a caller learns that the database does not answer. */
const ANSWERED_WITHIN_MS = 3_000;
const REQUESTS = 20;

/**
 * The database behind a network that fails: every call must end, the process must survive, and the service
 * must recover as soon as the database is back.
 */
describe('while the database is away', () => {
  let service: Service;
  let org: Organisation;
  let proxy: DatabaseProxy;
  let app: NestExpressApplication;
  let url: string;
  const died: unknown[] = [];
  const note = (error: unknown) => died.push(error);

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    proxy = await DatabaseProxy.before(service.environment.databaseUrl ?? '');
    // With its own clock: the clock of the tests would stand still.
    app = await createApplication(
      { ...service.environment, databaseUrl: proxy.url },
      createLogger(process.env.TEST_LOG_LEVEL ?? 'silent'),
    );
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    process.on('uncaughtException', note);
    process.on('unhandledRejection', note);
  });
  afterAll(async () => {
    await proxy.set('pass');
    await app.close();
    await proxy.close();
    await service.close();
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
  });

  const caller = () => new Caller(url, org.operator.token);
  const timed = async (call: () => Promise<Answer>): Promise<Answer> => {
    const started = performance.now();
    const answer = await call();
    expect(performance.now() - started).toBeLessThan(onThisMachine(ANSWERED_WITHIN_MS));
    return answer;
  };
  const isUnavailable = (answer: Answer): void => {
    expect([answer.status, answer.body.code]).toEqual([503, 'database_unavailable']);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.body.message).not.toMatch(/connect|ECONN|postgres|127\.0\.0\.1|timeout/i);
  };

  it.each<[ProxyMode]>([['refuse'], ['reset'], ['swallow']])(
    'answers 503 to every caller while the database is away (%s), and recovers',
    async (mode) => {
      // Both pools have open connections, and the token is cached for a moment.
      const before = await Promise.all(Array.from({ length: REQUESTS }, () => caller().get('/v1/cluster')));
      expect(before.map(({ status }) => status)).toEqual(Array(REQUESTS).fill(200));

      await proxy.set(mode);
      const calls: (() => Promise<Answer>)[] = Array.from({ length: REQUESTS }, (_, index) =>
        index % 2 === 0
          ? () => caller().get('/v1/cluster')
          : () => caller().post('/v1/cluster', { cluster_name: `during-${mode}-${index}` }),
      );
      const answers = await Promise.all(calls.map((call) => timed(call)));
      for (const answer of answers) isUnavailable(answer);
      // Once more, now that the pools know of the outage and the token is no longer cached.
      for (const answer of await Promise.all(calls.slice(0, 4).map((call) => timed(call)))) isUnavailable(answer);

      expect((await timed(() => caller().get('/livez'))).status).toBe(200);
      // Probes share what the database answered within the last moment.
      await eventually(async () => {
        const ready = await timed(() => caller().get('/readyz'));
        expect([ready.status, ready.headers['retry-after'], ready.body.details.database]).toEqual([
          503,
          '1',
          { status: 'down', message: 'unreachable' },
        ]);
      }, 2 * SHARED_PING.reuseMs);
      await eventually(async () => {
        const { status, text } = await timed(() => new Caller(url, undefined).get('/metrics'));
        expect([status, samplesOf(text).get('readiness_check{check="database"}')]).toEqual([200, 0]);
      });
      // A request that does not need the database fails neither.
      expect((await timed(() => new Caller(url, undefined).get('/v1/cluster'))).status).toBe(401);
      expect((await timed(() => caller().get('/v1/nothing'))).status).toBe(404);

      await proxy.set('pass');
      await eventually(async () => {
        expect((await caller().get('/readyz')).status).toBe(200);
        const again = await Promise.all(Array.from({ length: REQUESTS }, () => caller().get('/v1/cluster')));
        expect(again.map(({ status }) => status)).toEqual(Array(REQUESTS).fill(200));
      }, 5_000);
      // No request that was answered 503 took effect.
      const { rows } = await service.db.query('select name from clusters where name like $1', [`during-${mode}-%`]);
      expect(rows).toEqual([]);
      expect(died).toEqual([]);
    },
  );

  it.each(Array.from({ length: 10 }, (_, answers) => answers))(
    'keeps running when the server closes each connection right after an answer, behind %i others',
    async (answersFirst) => {
      proxy.answersFirst = answersFirst;
      await proxy.set('depart');
      const agent = new Caller(url, org.controller.token);
      const calls = Array.from({ length: REQUESTS }, (_, index) =>
        index % 2 === 0
          ? caller().get('/v1/cluster')
          : agent.post('/v1/restores/events/restore_start', { restore_uuid: newId() }),
      );
      for (const { status } of await Promise.all(calls)) expect([200, 503]).toContain(status);
      await proxy.set('pass');
      await eventually(async () => expect((await caller().get('/v1/cluster')).status).toBe(200), 5_000);
      expect(died).toEqual([]);
    },
  );

  it('learns of revoked tokens again after the outage', async () => {
    await proxy.set('reset');
    await proxy.set('pass');
    const { body } = await service.admin.post('/v1/tokens', { name: 'x', role: 'viewer' });
    const there = new Caller(url, body.raw_token as string);
    await eventually(async () => expect((await there.get('/v1/user')).status).toBe(200));
    await service.admin.delete(`/v1/tokens/${body.token_id}`);
    // A cached token expires after a second, with or without a notification.
    await eventually(async () => expect((await there.get('/v1/user')).status).toBe(401), 1_500);
  });

  it('answers 503 as well when the database is too slow', async () => {
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table clusters in access exclusive mode');
      const hasty = await createApplication(
        { ...service.environment, databaseStatementTimeoutMs: 300 },
        createLogger('silent'),
      );
      try {
        await hasty.listen(0, '127.0.0.1');
        const answer = await new Caller(await hasty.getUrl(), org.viewer.token).get('/v1/cluster');
        expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'database_busy', '1']);
      } finally {
        await hasty.close();
      }
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
});
