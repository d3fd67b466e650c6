import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { newId } from '../../../../src/1-platform/common/ids';
import { MAX_WAITING } from '../../../../src/1-platform/idempotency/awaited-answers';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { AdmissionsService } from '../../../../src/5-traffic/admissions/admissions.service';
import { artifactEvents, profileFor, registered } from '../../../support/artifacts';
import { operations } from '../../../support/description';
import { eventually } from '../../../support/eventually';
import { activationOf, createProfile, report } from '../../../support/profiles';
import { buildModel, issueKey, routersSee, type IssuedKey } from '../../../support/inference';
import { Service, type Answer, type Caller, type Organisation } from '../../../support/service';

const keyed = (key: string = newId()) => ({ 'idempotency-key': key });

describe('Idempotency-Key', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const clusters = async (name: string): Promise<number> => {
    const found = await service.db.query('select from clusters where name = $1', [name]);
    return found.rowCount ?? 0;
  };
  const checkpoints = async (): Promise<number> =>
    (await service.db.query('select from checkpoints where org_id = $1', [org.id])).rowCount ?? 0;
  const remembered = async (): Promise<number> =>
    (await service.db.query('select from idempotency_keys')).rowCount ?? 0;
  const seen = ({ status, text, headers }: Answer) => [status, text, headers['content-type']];

  it('returns the first answer again, byte for byte, and does the work once', async () => {
    const headers = keyed();
    const before = await checkpoints();
    const first = await org.operator.post('/v1/checkpoints', { name: 'once' }, headers);
    const again = await org.operator.post('/v1/checkpoints', { name: 'once' }, headers);
    expect(first.status).toBe(200);
    expect(seen(again)).toEqual(seen(first));
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(await checkpoints()).toBe(before + 1);
    // Without a key, or with another key, it is a new request.
    for (const other of [{}, keyed()]) {
      expect((await org.operator.post('/v1/checkpoints', { name: 'once' }, other)).text).not.toBe(first.text);
    }
  });

  it('returns a JSON answer again with its status and times', async () => {
    const headers = keyed();
    const name = `again-${newId()}`;
    const first = await service.admin.post('/v1/organisations', { name }, headers);
    service.clock.advance(60);
    const again = await service.admin.post('/v1/organisations', { name }, headers);
    expect(first.status).toBe(201);
    expect(seen(again)).toEqual(seen(first));
  });

  it('works without a body', async () => {
    const headers = keyed();
    const first = await org.operator.post('/v1/checkpoints', undefined, headers);
    expect(first.status).toBe(200);
    expect((await org.operator.post('/v1/checkpoints', undefined, headers)).text).toBe(first.text);
    expect((await org.operator.post('/v1/checkpoints', {}, headers)).status).toBe(422);
  });

  it('answers 422 to another body under the same key', async () => {
    const headers = keyed();
    expect((await org.operator.post('/v1/cluster', { cluster_name: 'one' }, headers)).status).toBe(200);
    const other = await org.operator.post('/v1/cluster', { cluster_name: 'two' }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(other.headers['idempotent-replayed']).toBeUndefined();
    expect(await clusters('two')).toBe(0);
  });

  it('has one effect in 30 concurrent requests, which all get the same answer', async () => {
    const headers = keyed();
    const before = await checkpoints();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => org.operator.post('/v1/checkpoints', { name: 'many' }, headers)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(seen(answer)))).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await checkpoints()).toBe(before + 1);
  });

  it('has one effect across two replicas', async () => {
    const replica = await service.replica();
    const there = new (org.operator.constructor as typeof import('../../../support/service').Caller)(
      replica.url,
      org.operator.token,
    );
    const headers = keyed();
    const answers = await Promise.all(
      [org.operator, there, org.operator, there].map((caller) => caller.post('/v1/checkpoints', {}, headers)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('does not remember a refused request', async () => {
    const headers = keyed();
    const before = await remembered();
    expect((await org.operator.post('/v1/cluster', {}, headers)).status).toBe(400);
    expect((await org.operator.post('/v1/cluster', { cluster_name: 'x', kind: 'swarm' }, headers)).status).toBe(400);
    expect((await org.viewer.post('/v1/cluster', { cluster_name: 'x' }, headers)).status).toBe(403);
    expect((await org.operator.post('/v1/cluster', '{', headers)).status).toBe(400);
    expect(await remembered()).toBe(before);
    expect((await org.operator.post('/v1/cluster', { cluster_name: 'after-all' }, headers)).status).toBe(200);

    const pod = keyed();
    const missing = await org.operator.post('/v1/checkpoint/pod', { pod_id: newId() }, pod);
    expect(missing.status).toBe(404);
    expect((await org.operator.post('/v1/checkpoint/pod', {}, pod)).status).toBe(400);
  });

  it('does not remember a conflict', async () => {
    const headers = keyed();
    const name = `taken-${newId()}`;
    await service.admin.post('/v1/organisations', { name });
    expect((await service.admin.post('/v1/organisations', { name }, headers)).status).toBe(409);
    const free = await service.admin.post('/v1/organisations', { name: `${name}-2` }, headers);
    expect(free.status).toBe(201);
  });

  it('is scoped to an organisation, a caller and an operation', async () => {
    const headers = keyed();
    const other = await service.organisation();
    const body = { name: 'x' };
    const first = await org.operator.post('/v1/checkpoints', body, headers);
    const ofOther = await other.operator.post('/v1/checkpoints', body, headers);
    const ofController = await org.controller.post('/v1/checkpoints', body, headers);
    expect(new Set([first, ofOther, ofController].map(({ text }) => text)).size).toBe(3);
    // The same key on another operation is a new request.
    expect((await org.operator.post('/v1/cluster', { cluster_name: 'x' }, headers)).status).toBe(200);
  });

  it('is scoped to the target of the request', async () => {
    const headers = keyed();
    const first = await org.operator.post('/v1/checkpoints?part=1', {}, headers);
    expect((await org.operator.post('/v1/checkpoints?part=1', {}, headers)).text).toBe(first.text);
    expect((await org.operator.post('/v1/checkpoints?part=2', {}, headers)).status).toBe(422);
  });

  it('is forgotten after 24 hours, and not before', async () => {
    const headers = keyed();
    const body = { name: 'tomorrow' };
    const age = async (interval: string) => {
      const aged = await service.db.query('update idempotency_keys set created_at = clock_timestamp() - $1::interval', [
        interval,
      ]);
      expect(aged.rowCount).toBeGreaterThan(0);
    };
    const first = await org.operator.post('/v1/checkpoints', body, headers);
    await age('23 hours 59 minutes');
    expect((await org.operator.post('/v1/checkpoints', body, headers)).text).toBe(first.text);
    await age('24 hours 1 second');
    const next = await org.operator.post('/v1/checkpoints', { name: 'another' }, headers);
    expect(next.status).toBe(200);
    expect(next.text).not.toBe(first.text);
    expect((await org.operator.post('/v1/checkpoints', { name: 'another' }, headers)).text).toBe(next.text);
  });

  it('is deleted by a sweep after 25 hours, and not before', async () => {
    const others = await remembered();
    await org.operator.post('/v1/checkpoints', {}, keyed());
    expect(await remembered()).toBe(others + 1);
    for (const [age, left] of [
      ['24 hours 59 minutes', others + 1],
      ['25 hours 1 minute', 0],
    ] as const) {
      await service.db.query('update idempotency_keys set created_at = clock_timestamp() - $1::interval', [age]);
      await service.sweep('idempotency keys');
      expect(await remembered()).toBe(left);
    }
  });

  it.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['two words', 'one two'],
    ['not ASCII', 'clé'],
  ])('must be visible ASCII: %s', async (_what, key) => {
    const answer = await org.operator.post('/v1/cluster', { cluster_name: 'x' }, keyed(key));
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field: 'Idempotency-Key', message: 'must have 1 to 255 visible ASCII characters' }],
    ]);
  });

  it('is ignored by operations that change nothing', async () => {
    const before = await remembered();
    expect((await org.viewer.get('/v1/cluster', keyed('two words'))).status).toBe(200);
    const preview = await org.viewer.post('/v1/inference/retention-policies/preview', undefined, keyed());
    expect(preview.status).toBe(200);
    expect(await remembered()).toBe(before);
  });

  // Their answers are read anew, or streamed, or follow another protocol.
  const OTHERS: Readonly<Record<string, string>> = {
    lookup_artifacts: 'changes nothing',
    preview_pipeline_policy: 'changes nothing',
    preview_retention: 'changes nothing',
    simulate_route: 'changes nothing',
    create_chat_completion: 'streams',
    create_completion: 'streams',
    create_embedding: 'has no effect but its usage',
    create_response: 'streams',
    write_metrics: 'remote-write',
    export_otlp_metrics: 'OTLP',
  };

  it('is honoured by every POST that creates or changes something', () => {
    const posts = operations().filter(({ method }) => method === 'post');
    const honoured = posts.filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'));
    const missing = posts.filter((post) => !honoured.includes(post)).map(({ id }) => id);
    expect(missing.filter((id) => !(id in OTHERS))).toEqual([]);
    expect(honoured.filter(({ id }) => id in OTHERS)).toEqual([]);
    expect(honoured.length).toBeGreaterThan(40);
  });

  it.each(
    operations()
      .filter(({ method, id }) => method === 'post' && !(id in OTHERS))
      .map(({ id, path }) => [id, path]),
  )('is checked by %s', async (_id, path) => {
    const target = path.replace(/\{[^}]+\}/g, () => newId());
    const caller = path.endsWith('/router/authorize') ? await issueKey(service, org) : service.admin;
    const answer = await caller.post(target, {}, keyed('two words'));
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field: 'Idempotency-Key', message: 'must have 1 to 255 visible ASCII characters' }],
    ]);
  });

  describe('on operations that write outside of transactions', () => {
    const phaseOf = async (profileId: string) => (await activationOf(org.viewer, profileId))?.phase;

    it('returns the first answer of a report again, and does not process it again', async () => {
      const { profile_id: profileId } = await createProfile(org);
      const headers = keyed();
      const send = (phase: string, more = headers) =>
        org.controller.post(
          '/v1/inference/activations/report',
          { profile_id: profileId, desired_state: 'Active', phase, ready: false },
          more,
        );
      expect((await send('Pending')).status).toBe(204);
      expect((await send('Loading', keyed())).status).toBe(204);
      const again = await send('Pending');
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([204, 'true']);
      expect(await phaseOf(profileId)).toBe('Loading');
      const other = await send('Loading');
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    });

    it('does not remember a refused report', async () => {
      const headers = keyed();
      const profileId = `later-${newId()}`;
      const body = { profile_id: profileId, desired_state: 'Active', phase: 'Pending', ready: false };
      const send = () => org.controller.post('/v1/inference/activations/report', body, headers);
      expect((await send()).status).toBe(404);
      await createProfile(org, { profile_id: profileId });
      const second = await send();
      expect([second.status, second.headers['idempotent-replayed']]).toEqual([204, undefined]);
    });

    it('holds no transaction open while reports wait for each other', async () => {
      const { profile_id: profileId } = await createProfile(org);
      await report(org.controller, profileId, { phase: 'Pending', ready: false });
      const lock = await service.db.connect();
      await lock.query('begin');
      await lock.query('select from activations where profile_id = $1 for update', [profileId]);
      const reports: Promise<Answer>[] = [];
      for (const phase of ['Scheduling', 'Pulling', 'Loading']) {
        reports.push(
          org.controller.post(
            '/v1/inference/activations/report',
            { profile_id: profileId, desired_state: 'Active', phase, ready: false },
            keyed(),
          ),
        );
        // The report that arrives last wins.
        await eventually(async () => expect(await underWay()).toBe(reports.length));
      }
      await eventually(async () => {
        const { rows } = await service.db.query(
          "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        expect(rows).toEqual([{ waiting: 1 }]);
      });
      const { rows } = await service.db.query(
        `select count(*)::int as idle from pg_stat_activity
         where state like 'idle in transaction%' and datname = current_database() and pid <> $1`,
        [(await lock.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid],
      );
      expect(rows).toEqual([{ idle: 0 }]);
      await lock.query('rollback');
      lock.release();
      expect((await Promise.all(reports)).map(({ status }) => status)).toEqual([204, 204, 204]);
      expect(await phaseOf(profileId)).toBe('Loading');
    });
    const underWay = async (): Promise<number> =>
      (await service.db.query("select from idempotency_keys where operation = 'report_activation' and status is null"))
        .rowCount ?? 0;

    describe('on operations of routers', () => {
      let model: string;
      let profileId: string;
      let key: IssuedKey;
      beforeAll(async () => {
        const built = await buildModel(org);
        model = built.model;
        profileId = built.profileIds[0] ?? '';
        key = await issueKey(service, org);
        await report(org.controller, profileId);
        await routersSee(org.controller, profileId, { ready: true });
      });
      const send = (caller: Caller, path: string, body: JsonObject, headers: Record<string, string> = keyed()) =>
        caller.post(`/v1/inference/router/${path}`, body, headers);

      it('returns the first authorization, target and telemetry answer again', async () => {
        const request = { request_id: newId(), logical_model: model };
        const twice = async (caller: Caller, path: string, body: JsonObject) => {
          const headers = keyed();
          const first = await send(caller, path, body, headers);
          const again = await send(caller, path, body, headers);
          expect([path, first.status, again.headers['idempotent-replayed']]).toEqual([path, 200, 'true']);
          expect(seen(again)).toEqual(seen(first));
          const other = await send(caller, path, { ...body, request_id: newId() }, headers);
          expect([path, other.status, other.body.code]).toEqual([path, 422, 'idempotency_key_reused']);
          return first;
        };
        const { authorization_id } = (await twice(key, 'authorize', request)).body as { authorization_id: string };
        const target = await twice(org.controller, 'resolve', { ...request, authorization_id });
        expect(target.body.profile_id).toBe(profileId);
        // Without the key the authorization is already used.
        expect((await send(org.controller, 'resolve', { ...request, authorization_id })).status).toBe(409);
        await twice(org.controller, 'telemetry', { ...request, status_code: 200 });
      });

      it('runs again after an answer "the target is starting" and after a refusal', async () => {
        const cold = await buildModel(org);
        const request = { request_id: newId(), logical_model: cold.model };
        const { authorization_id } = (await send(key, 'authorize', request)).body as { authorization_id: string };
        const headers = keyed();
        const resolve = () => send(org.controller, 'resolve', { ...request, authorization_id }, headers);
        expect((await resolve()).status).toBe(202);
        const [coldId = ''] = cold.profileIds;
        await report(org.controller, coldId);
        await routersSee(org.controller, coldId, { ready: true });
        const second = await resolve();
        expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, undefined]);
        const unknown = { request_id: newId(), logical_model: `later-${newId()}` };
        const again = keyed();
        expect((await send(key, 'authorize', unknown, again)).status).toBe(404);
        expect((await send(key, 'authorize', request, again)).status).not.toBe(422);
      });

      it('does not wait longer than a minute for the answer of a request that has none', async () => {
        const request = { request_id: newId(), logical_model: model };
        const { authorization_id } = (await send(key, 'authorize', request)).body as { authorization_id: string };
        const headers = keyed();
        const resolve = () => send(org.controller, 'resolve', { ...request, authorization_id }, headers);
        expect((await resolve()).status).toBe(200);
        // Its process died before it stored the answer.
        const lost = (ago: string) =>
          service.db.query(
            `update idempotency_keys set answer = null, status = null, created_at = clock_timestamp() - $1::interval
             where operation = 'resolve_request' and created_at = (select max(created_at) from idempotency_keys)`,
            [ago],
          );
        const kept = async () =>
          (
            await service.db.query(
              "select from idempotency_keys where operation = 'resolve_request' and answer is null",
            )
          ).rowCount;
        expect((await lost('50 seconds')).rowCount).toBe(1);
        const before = performance.now();
        expect([(await resolve()).status, await kept()]).toEqual([409, 1]);
        expect(performance.now() - before).toBeGreaterThan(1_000);
        await service.db.query(
          "update idempotency_keys set created_at = created_at - interval '11 seconds' where answer is null",
        );
        expect([(await resolve()).status, await kept()]).toEqual([409, 0]);
      });

      /** Holds the first answer before it is stored. */
      function firstAnswerHeld() {
        const pool = service.app.get(StatementPool);
        const run = pool.run.bind(pool);
        const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
        const { promise: reached, resolve: isReached } = Promise.withResolvers<void>();
        let holds = true;
        const slow = jest.spyOn(pool, 'run').mockImplementation(async (statement, values) => {
          if (statement.name === 'idempotency-keep' && holds) {
            holds = false;
            isReached();
            await held;
          }
          return run(statement, values);
        });
        return { reached, letGo, restore: () => slow.mockRestore() };
      }
      /** Changes the newest stored answer. @returns its mark */
      async function mark(): Promise<string> {
        const marked = newId();
        await service.db.query(
          `update idempotency_keys
           set answer = convert_to(jsonb_set(convert_from(answer, 'UTF8')::jsonb, '{authorization_id}', to_jsonb($1::text))::text, 'UTF8')
           where operation = 'authorize_request' and created_at = (select max(created_at) from idempotency_keys)`,
          [marked],
        );
        return marked;
      }

      it('belongs to the newest request that took it, and never to another body', async () => {
        const headers = keyed();
        const body = () => ({ request_id: newId(), logical_model: model });
        const one = body();
        const { reached, letGo, restore } = firstAnswerHeld();
        const first = send(key, 'authorize', one, headers);
        await reached;
        await service.db.query(
          `update idempotency_keys set created_at = created_at - interval '61 seconds'
           where operation = 'authorize_request' and answer is null`,
        );
        const other = await send(key, 'authorize', body(), headers);
        expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
        const again = await send(key, 'authorize', one, headers);
        const marked = await mark();
        letGo();
        expect([again.status, (await first).status]).toEqual([200, 200]);
        restore();
        const replayed = await send(key, 'authorize', one, headers);
        expect([replayed.headers['idempotent-replayed'], replayed.body.authorization_id]).toEqual(['true', marked]);
      });

      it('keeps the first answer of two requests that are under way at once', async () => {
        const headers = keyed();
        const one = { request_id: newId(), logical_model: model };
        const { reached, letGo, restore } = firstAnswerHeld();
        const first = send(key, 'authorize', one, headers);
        await reached;
        expect((await send(key, 'authorize', one, headers)).status).toBe(200);
        const marked = await mark();
        letGo();
        expect((await first).status).toBe(200);
        restore();
        const replayed = await send(key, 'authorize', one, headers);
        expect([replayed.headers['idempotent-replayed'], replayed.body.authorization_id]).toEqual(['true', marked]);
      });

      it('returns the answer of a repetition that overtook its first request', async () => {
        const one = { request_id: newId(), logical_model: model };
        const { authorization_id } = (await send(key, 'authorize', one)).body as { authorization_id: string };
        const headers = keyed();
        const resolve = () => send(org.controller, 'resolve', { ...one, authorization_id }, headers);
        const admissions = service.app.get(AdmissionsService);
        const resolved = admissions.resolve.bind(admissions);
        const { promise: overtaken, resolve: letFirstGo } = Promise.withResolvers<void>();
        const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
        const slow = jest.spyOn(admissions, 'resolve').mockImplementationOnce(async (orgId, resolution) => {
          hasBegun();
          await overtaken;
          return resolved(orgId, resolution);
        });
        const first = resolve();
        await begun;
        const { reached, letGo, restore } = firstAnswerHeld();
        const repetition = resolve();
        await reached;
        letFirstGo();
        // It finds that the work is done, and waits for the answer.
        await sleep(100);
        letGo();
        const answers = await Promise.all([first, repetition, resolve()]);
        restore();
        slow.mockRestore();
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      });

      it('has some requests of an organisation wait for answers, and reads seldom meanwhile', async () => {
        const sends: (() => Promise<Answer>)[] = [];
        for (let n = 0; n <= MAX_WAITING; n++) {
          const request = { request_id: newId(), logical_model: model };
          const { authorization_id } = (await send(key, 'authorize', request)).body as { authorization_id: string };
          const headers = keyed();
          sends.push(() => send(org.controller, 'resolve', { ...request, authorization_id }, headers));
        }
        for (const one of sends) expect((await one()).status).toBe(200);
        // As if the process had died before it stored the answers.
        await service.db.query(
          "update idempotency_keys set answer = null, status = null where operation = 'resolve_request'",
        );
        const run = jest.spyOn(service.app.get(StatementPool), 'run');
        const found = await Promise.all(sends.map((one) => one()));
        const reads = run.mock.calls.filter(([{ name }]) => name === 'idempotency-find').length;
        run.mockRestore();
        const { 409: late = [], 503: busy = [] } = Object.groupBy(found, ({ status }) => status);
        expect([late.length, busy.map(({ body }) => body.code)]).toEqual([MAX_WAITING, ['idempotent_request_busy']]);
        expect(reads / sends.length).toBeLessThan(10);
      });

      it('does not change the statements of a request without the header', async () => {
        const request = { request_id: newId(), logical_model: model };
        const run = jest.spyOn(StatementPool.prototype, 'run');
        const { body } = await send(key, 'authorize', request, {});
        await send(
          org.controller,
          'resolve',
          { ...request, ...body, route_generation: undefined, expires_at: undefined },
          {},
        );
        await send(org.controller, 'telemetry', { ...request, status_code: 200 }, {});
        const names = run.mock.calls.map(([{ name }]) => name);
        run.mockRestore();
        expect(names.length).toBeGreaterThan(0);
        expect(names.filter((name) => name.startsWith('idempotency'))).toEqual([]);
      });
    });

    it('costs nothing if the header is missing', async () => {
      const { profile_id: profileId } = await createProfile(org);
      const run = jest.spyOn(StatementPool.prototype, 'run');
      await report(org.controller, profileId);
      const names = run.mock.calls.map(([{ name }]) => name);
      run.mockRestore();
      expect(names.filter((name) => name.startsWith('idempotency'))).toEqual([]);
      expect(names.filter((name) => name.startsWith('activation-'))).toEqual(['activation-known', 'activation-move']);
    });
  });

  it('applies a promotion once, and refuses a different one under the same key', async () => {
    const artifact = await registered(org, await profileFor(org), { storage_tier: 'object' });
    const headers = keyed();
    const promote = (tier: string) =>
      org.operator.post(`/v1/inference/artifacts/${artifact}/promote`, { tier }, headers);
    const first = await promote('local');
    expect(first.status).toBe(200);
    const again = await promote('local');
    expect([seen(again), again.headers['idempotent-replayed']]).toEqual([seen(first), 'true']);
    const other = await promote('memory');
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    const promotions = (await artifactEvents(org)).filter(
      ({ event_type: type }) => type === 'artifact.promote_requested',
    );
    expect(promotions).toHaveLength(1);
  });

  it('applies a cluster sync once, and refuses a different one under the same key', async () => {
    const cluster = (await org.operator.post('/v1/cluster', { cluster_name: 'synced' })).text;
    const headers = keyed();
    const sync = (names: string[]) =>
      org.controller.post(
        '/v1/cluster/sync/batch',
        { cluster_id: cluster, resources: names.map((name) => ({ type: 'Node', kind: 'Node', metadata: { name } })) },
        headers,
      );
    const first = await sync(['a', 'b']);
    expect(first.body).toEqual({ synced: 2, failed: [] });
    const again = await sync(['a', 'b']);
    expect([seen(again), again.headers['idempotent-replayed']]).toEqual([seen(first), 'true']);
    expect((await sync(['a'])).status).toBe(422);
  });

  describe('on an operation that returns a secret', () => {
    const body = { name: 'secret', role: 'viewer' };

    it('returns the same token again, although the database does not hold it', async () => {
      const headers = keyed();
      const first = await service.admin.post('/v1/tokens', body, headers);
      const again = await service.admin.post('/v1/tokens', body, headers);
      expect(first.status).toBe(201);
      expect(seen(again)).toEqual(seen(first));
      const { rows } = await service.db.query<{ answer: Buffer; row: string }>(
        "select answer, k::text as row from idempotency_keys k where operation = 'create_token'",
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { answer, row } of rows) {
        expect(answer.includes(first.body.raw_token as string)).toBe(false);
        expect(answer.includes('raw_token')).toBe(false);
        expect(row).not.toContain(Buffer.from(first.body.raw_token as string).toString('hex'));
        expect(row).not.toContain(headers['idempotency-key']);
      }
    });

    it('issues one token for many concurrent requests', async () => {
      const headers = keyed();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => service.admin.post('/v1/tokens', { ...body, name: 'one of many' }, headers)),
      );
      expect(new Set(answers.map(({ body: { raw_token: raw } }) => raw as string)).size).toBe(1);
      const { rowCount } = await service.db.query("select from access_tokens where name = 'one of many'");
      expect(rowCount).toBe(1);
    });

    it('does not depend on how the bearer is written', async () => {
      const headers = keyed();
      const first = await service.admin.post('/v1/tokens', body, headers);
      const anonymous = service.as(undefined);
      const again = await anonymous.post('/v1/tokens', body, {
        ...headers,
        authorization: `bearer  ${service.admin.token}`,
      });
      expect([again.status, again.body.raw_token]).toEqual([201, first.body.raw_token]);
    });
  });
});
