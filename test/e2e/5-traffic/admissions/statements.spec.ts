import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import { CHAT, createKey, question, readyProfile, routeTo, serviceFor, type Key } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { answers, InferenceWorker } from '../../../support/inference-worker';
import { expectSoundLedger, moneyOf } from '../../../support/ledger';
import type { Answer, Organisation, Service } from '../../../support/service';
import { SentStatements } from '../../../support/statements';
import { untilServed } from '../../../support/until-served';

const ROUTER = '/v1/inference/router';
const REQUESTS = 40;
const AT_ONCE = 200;

/**
 * Periodic work of the service itself: it announces its load to other replicas, reads its routes again,
 * numbers events, and examines the connection for notifications.
 */
const ITS_OWN =
  /^(profile-loads-notify|routing-(routes|profiles|backend-times)|outbox-(unnumbered|sequence)|listen examined)$/;

describe('the statements of a request', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let model: string;
  let key: Key;
  const statements = new SentStatements();

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    model = await routeTo(org, [await readyProfile(org, worker, { target_concurrency: AT_ONCE })]);
    key = await createKey(org, { budget_usd: 1_000, rate_limit_rps: 10_000 });
    await Promise.all([authorize(), chat(), chat(org.operator.token), org.controller.get(`${ROUTER}/config`)]);
    await org.viewer.get('/v1/inference/routes/status');
  });
  beforeEach(async () => {
    worker.reset();
    await settled();
    forget();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await service.close();
    await worker.close();
  });

  /** Waits until every request that was sent to a worker is settled. */
  const settled = () =>
    eventually(async () => {
      const { rows } = await service.db.query(
        'select from authorizations where settled_at is null and resolved_at is not null',
      );
      expect(rows).toEqual([]);
    });
  const authorize = (request_id = newId()): Promise<Answer> =>
    service.as(key.raw_key).post(`${ROUTER}/authorize`, { request_id, logical_model: model });
  const chat = (bearer: string | undefined = key.raw_key): Promise<Answer> =>
    service.as(bearer).post(CHAT, question(model, { max_tokens: 16 }));
  const forget = () => statements.forget();
  /** How often each statement was sent, by its name. */
  const count = (): Record<string, number> =>
    Object.fromEntries(Object.entries(statements.counts(org.id)).filter(([name]) => !ITS_OWN.test(name)));
  const oneByOne = async (call: () => Promise<Answer>): Promise<void> => {
    for (let n = 0; n < REQUESTS; n++) expect((await call()).status).toBe(200);
    statements.expectFewLookUps();
  };
  /** All arrive while the first statement waits for the row of the key. */
  const atOnce = async (call: () => Promise<Answer>): Promise<void> => {
    const client = await service.db.connect();
    try {
      await client.query('begin');
      await client.query('select from inference_keys where id = $1 for update', [key.key_id]);
      // A busy machine refuses a part of so many at once, and has done nothing for those.
      const asked = Promise.all(Array.from({ length: AT_ONCE }, () => untilServed(call)));
      await eventually(async () => {
        const { rowCount } = await service.db.query('select from pg_locks where not granted');
        expect(rowCount).toBeGreaterThan(0);
      });
      // The others arrive while the first waits: a statement waits for a lock for half a second.
      await sleep(200);
      await client.query('commit');
      expect((await asked).map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    } finally {
      client.release();
    }
  };

  it('are one for its authorization', async () => {
    await oneByOne(() => authorize());
    expect(count()).toEqual({ 'authorize-requests': REQUESTS });
  });

  it('are shared by concurrent authorizations', async () => {
    await atOnce(() => authorize());
    const { 'authorize-requests': shared = 0, 'authorize-requests-of-key': waiting = 0, ...others } = count();
    expect(others).toEqual({});
    expect(waiting).toBeGreaterThan(0);
    expect(shared + waiting).toBeLessThan(AT_ONCE / 2);
  });

  it('are two for its resolution', async () => {
    const bodies = [];
    for (let n = 0; n < REQUESTS; n++) {
      const request_id = newId();
      const { body } = await authorize(request_id);
      bodies.push({ request_id, logical_model: model, authorization_id: body.authorization_id as string });
    }
    forget();
    for (const body of bodies) expect((await org.controller.post(`${ROUTER}/resolve`, body)).status).toBe(200);
    expect(count()).toEqual({ 'authorization-look': REQUESTS, 'authorization-resolve': REQUESTS });
    statements.expectFewLookUps();
    await service.db.query('update authorizations set held_until = clock_timestamp() where settled_at is null');
    await service.sweep('authorizations');
    expect(await moneyOf(service.db, key.key_id)).toMatchObject({ open: 0 });
  });

  it('are one for the state of all routes', async () => {
    await oneByOne(() => org.viewer.get('/v1/inference/routes/status'));
    expect(count()).toEqual({ 'route-statuses': REQUESTS });
  });

  it('are zero for the router configuration, and for the list of models', async () => {
    await oneByOne(() => org.controller.get(`${ROUTER}/config`));
    await oneByOne(() => service.as(key.raw_key).get('/v1/inference/models'));
    expect(count()).toEqual({});
  });

  it('are one before the worker is called and one after it, for a chat with a key', async () => {
    const before: Record<string, number>[] = [];
    worker.behaves(async (exchange) => {
      before.push(count());
      await answers()(exchange);
    });
    for (let n = 0; n < REQUESTS; n++) {
      expect((await chat()).status).toBe(200);
      await settled();
      expect(count()).toEqual({ 'authorize-requests': 1, 'settle-requests': 1 });
      statements.expectFewLookUps();
      forget();
    }
    expect(before).toEqual(Array(REQUESTS).fill({ 'authorize-requests': 1 }));
  });

  it('are zero before the worker is called, for a chat with a token', async () => {
    const before: Record<string, number>[] = [];
    worker.behaves(async (exchange) => {
      const { 'settle-requests': _ofTheOneBefore, ...others } = count();
      before.push(others);
      await answers()(exchange);
    });
    await oneByOne(() => chat(org.operator.token));
    expect(before).toEqual(Array(REQUESTS).fill({}));
  });

  it('are shared by concurrent chats, which are settled together', async () => {
    const { reserved, spent } = await moneyOf(service.db, key.key_id);
    await atOnce(() => chat());
    await eventually(async () => expect((await moneyOf(service.db, key.key_id)).reserved).toBe(reserved));
    expect((await moneyOf(service.db, key.key_id)).spent).toBeGreaterThan(spent);
    const {
      'authorize-requests': shared = 0,
      'authorize-requests-of-key': waiting = 0,
      'settle-requests': written = 0,
      ...others
    } = count();
    expect(others).toEqual({});
    expect(shared + waiting).toBeLessThan(AT_ONCE / 2);
    expect(written).toBeLessThan(AT_ONCE / 2);
    await expectSoundLedger(service.db);
  });
});
