import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createApplication } from '../../../../src/application';
import { newId } from '../../../../src/1-platform/common/ids';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import { appendEvents } from '../../../../src/1-platform/outbox/outbox';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { ack, eventsOf, read, write } from '../../../support/outbox';
import { lockAwaited, Pause } from '../../../support/pause';
import { Caller, Service, type Organisation } from '../../../support/service';

describe('the outbox', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
  });

  const written = (count: number, from = 0) =>
    write(service.app, org.id, ...Array.from({ length: count }, (_, place) => ({ payload: { place: from + place } })));
  const idsOf = async (query: object, caller = org.controller) =>
    eventsOf(await read(caller, { consumer_id: 'c', ...query })).map(({ id }) => id);

  const consumers = async (caller = org.viewer) =>
    (await caller.get('/v1/inference/outbox/consumers')).body as Record<string, unknown>[];

  it('delivers events in the order in which they were written, numbered from 1 without a gap', async () => {
    await written(3);
    await write(service.app, org.id, {
      type: 'cluster.workload_queued',
      aggregateId: 'a',
      payload: { workload_id: 'w' },
    });
    const events = eventsOf(await read(org.controller, { consumer_id: 'c' }));
    expect(events).toEqual([
      ...[0, 1, 2].map((place) => ({
        id: place + 1,
        aggregate_type: 'test',
        aggregate_id: expect.any(String),
        event_type: 'test.happened',
        payload: { place },
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      })),
      {
        id: 4,
        aggregate_type: 'cluster',
        aggregate_id: 'a',
        event_type: 'cluster.workload_queued',
        payload: { workload_id: 'w' },
        created_at: expect.any(String),
      },
    ]);
  });

  it('delivers events of one statement in their order, as those that were written one by one', async () => {
    const clusterId = newId();
    const events = Array.from({ length: 20 }, (_, place) => ({
      type: 'thing.happened' as const,
      aggregateId: `thing ${place}`,
      clusterId: place % 2 === 0 ? clusterId : null,
      payload: { place, cluster_id: clusterId },
    }));
    await service.app.get(UnitOfWork).run({ orgId: org.id }, (tx) => appendEvents(tx, events));
    const { body } = await read(org.controller, { consumer_id: 'c' });
    expect(body).toMatchObject(
      events.map(({ aggregateId, payload }, place) => ({
        id: place + 1,
        aggregate_type: 'thing',
        aggregate_id: aggregateId,
        event_type: 'thing.happened',
        payload,
      })),
    );
    const { rows } = await service.db.query<{ id: string; cluster_id: string | null }>(
      'select id, cluster_id from outbox_events where org_id = $1 order by event_id',
      [org.id],
    );
    expect(rows.map((row) => row.cluster_id)).toEqual(events.map((event) => event.clusterId));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(20);
  });

  it('delivers to an organisation its own events only, with its own numbers', async () => {
    const other = await service.organisation();
    await written(2);
    await write(service.app, other.id, { aggregateId: 'of the other' });
    expect(eventsOf(await read(other.controller, { consumer_id: 'c' }))).toMatchObject([
      { id: 1, aggregate_id: 'of the other' },
    ]);
    expect(await idsOf({})).toEqual([1, 2]);
    expect((await ack(other.controller, 'd', 1)).status).toBe(404);
  });

  it('delivers them again until they are acknowledged, page by page, from any cursor', async () => {
    await written(5);
    expect(await idsOf({ limit: 2 })).toEqual([1, 2]);
    expect(await idsOf({ limit: 2 })).toEqual([1, 2]);
    expect((await ack(org.controller, 'c', 2)).status).toBe(204);
    expect(await idsOf({ limit: 2 })).toEqual([3, 4]);
    expect(await idsOf({ after: 4 })).toEqual([5]);
    expect(await idsOf({ after: 0 })).toEqual([1, 2, 3, 4, 5]);
    const empty = await read(org.controller, { consumer_id: 'c', after: 5 });
    expect([empty.body, empty.headers['x-outbox-head']]).toEqual([[], '5']);
    expect(await idsOf({ limit: 5_000, consumer_id: 'another' })).toEqual([1, 2, 3, 4, 5]);
  });

  it('does not treat a cursor as an acknowledgement', async () => {
    await written(3);
    expect(await idsOf({ consumer_id: 'starts late', after: 2 })).toEqual([3]);
    expect(await idsOf({ consumer_id: 'starts late' })).toEqual([1, 2, 3]);
  });

  it('answers 410 with the head when the cursor is beyond the newest event', async () => {
    const none = await read(org.controller, { consumer_id: 'c', after: 1 });
    expect([none.status, none.body.code, none.body.head]).toEqual([410, 'cursor_ahead', 0]);
    await written(3);
    expect(await idsOf({ after: 0 })).toEqual([1, 2, 3]);
    const begun = performance.now();
    const ahead = await read(org.controller, { consumer_id: 'ahead', after: 4, wait_ms: 20_000 });
    expect([ahead.status, ahead.body.code, ahead.body.head]).toEqual([410, 'cursor_ahead', 3]);
    expect(performance.now() - begun).toBeLessThan(10_000);
    // The consumer does not exist yet; it continues from the head.
    expect((await ack(org.controller, 'ahead', 1)).status).toBe(404);
    expect(await idsOf({ consumer_id: 'ahead', after: 3 })).toEqual([]);
  });

  it('never moves an acknowledgement back, and refuses one for undelivered events', async () => {
    await written(3);
    await idsOf({});
    for (const event of [2, 2, 1]) expect((await ack(org.controller, 'c', event)).status).toBe(204);
    expect(await idsOf({})).toEqual([3]);
    const above = await ack(org.controller, 'c', 4);
    expect([above.status, above.body.errors[0].field]).toEqual([400, 'event_id']);
    const unknown = await ack(org.controller, 'never seen', 1);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'consumer_not_found']);
    for (const body of [{}, { consumer_id: 'c' }, { consumer_id: 'c', event_id: -1 }, { consumer_id: '', event_id: 1 }])
      expect((await org.controller.post('/v1/inference/outbox/ack', body)).status).toBe(400);
    const audit = (await org.operator.get('/v1/audit?resource=outbox_consumer')).body;
    expect(audit).toHaveLength(3);
    expect(audit[0]).toMatchObject({ action: 'ack_outbox', resource_id: 'c', details: { event_id: 1 } });
  });

  it.each([
    [{ consumer_id: undefined }, 'consumer_id'],
    [{ after: -1 }, 'after'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 'x' }, 'limit'],
    [{ wait_ms: -1 }, 'wait_ms'],
  ])('refuses %j', async (query, field) => {
    const asked = Object.fromEntries(
      Object.entries({ consumer_id: 'c', ...query }).filter(([, value]) => value !== undefined),
    );
    const answer = await read(org.controller, asked);
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, field]);
  });

  it('answers a waiting reader as soon as there is an event, on any replica', async () => {
    const { url } = await service.replica();
    const elsewhere = new Caller(url, org.controller.token);
    const late: number[] = [];
    let cursor = 0;
    for (let round = 0; round < 20; round++) {
      const poll = read(elsewhere, { consumer_id: 'waits', after: cursor, wait_ms: 20_000 });
      await sleep(30);
      await written(1, round);
      const committed = performance.now();
      const [event] = eventsOf(await poll);
      late.push(performance.now() - committed);
      expect(event?.payload.place).toBe(round);
      cursor = event?.id ?? 0;
    }
    late.sort((a, b) => a - b);
    // The fallback poll for lost notifications would take up to a second.
    expect(late[10]).toBeLessThan(onThisMachine(250));
  });

  it('delivers a page to a reader that is behind, without waiting for those who number and for its own row', async () => {
    await written(3);
    expect(await idsOf({ limit: 2 })).toEqual([1, 2]);
    const others = await service.db.connect();
    try {
      await others.query('begin');
      for (const table of ['outbox_heads', 'outbox_consumers'])
        await others.query(`select from ${table} where org_id = $1 for update`, [org.id]);
      expect(await idsOf({ limit: 2 })).toEqual([1, 2]);
      expect(await idsOf({ limit: 2, after: 1 })).toEqual([2, 3]);
      // It has caught up: what is new may have no number yet.
      expect((await read(org.controller, { consumer_id: 'c', after: 2, limit: 2 })).status).toBe(503);
    } finally {
      await others.query('rollback');
      others.release();
    }
    expect(await idsOf({ limit: 2, after: 2 })).toEqual([3]);
  });

  it('answers a reader that waited in vain with the number of the newest event', async () => {
    await written(2);
    const begun = performance.now();
    const answer = await read(org.controller, { consumer_id: 'c', after: 2, wait_ms: 400 });
    expect([answer.status, answer.body, answer.headers['x-outbox-head']]).toEqual([200, [], '2']);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(390);
  });

  it('answers a waiting reader when its instance stops, so it can wait at another one', async () => {
    // Longer than a waiting reader takes to notice the stop; then its connection would be closed.
    const app = await createApplication({ ...service.environment, drainTimeoutSeconds: 10 }, createLogger('silent'));
    await app.listen(0, '127.0.0.1');
    const elsewhere = new Caller(await app.getUrl(), org.controller.token);
    const poll = read(elsewhere, { consumer_id: 'waits', wait_ms: 20_000 });
    const lanes = Object.values(app.get(Admission).limits.lanes);
    await eventually(() => {
      const [admitted, held] = [lanes.map((lane) => lane.admitted), lanes.map((lane) => lane.held)];
      // While it waits, it has no place.
      expect([Math.max(...admitted), Math.max(...held)]).toEqual([1, 0]);
    });
    await app.get(Draining).close(app);
    const { status, body, headers } = await poll;
    expect([status, body, headers['x-outbox-head']]).toEqual([200, [], '0']);
  });

  it('removes old acknowledged events, oldest first, and reports the gap to a reader behind it', async () => {
    await written(6);
    await idsOf({});
    const age = (ids: number[]) =>
      service.db.query(
        "update outbox_events set created_at = created_at - interval '8 days' where org_id = $1 and event_id = any($2)",
        [org.id, ids],
      );
    // The fourth event is recent, so it and everything after it stays.
    await age([1, 2, 3, 5]);
    const forget = () => service.sweep('outbox retention');
    await forget();
    expect(await idsOf({})).toEqual([1, 2, 3, 4, 5, 6]);
    await ack(org.controller, 'c', 2);
    await forget();
    expect(await idsOf({ after: 2 })).toEqual([3, 4, 5, 6]);
    const behind = await read(org.controller, { consumer_id: 'c', after: 1 });
    expect([behind.status, behind.body.code, behind.body.oldest_event_id]).toEqual([410, 'outbox_cursor_gone', 3]);

    // A consumer that was not seen for a day holds nothing back; a new one starts with the oldest stored
    // event.
    await service.db.query("update outbox_consumers set seen_at = seen_at - interval '25 hours' where org_id = $1", [
      org.id,
    ]);
    await forget();
    expect(await idsOf({ consumer_id: 'new' })).toEqual([4, 5, 6]);
    expect((await read(org.controller, { consumer_id: 'c' })).status).toBe(410);
    expect(await idsOf({ after: 3 })).toEqual([4, 5, 6]);
  });

  it('keeps old events that the slowest of its consumers has not acknowledged', async () => {
    await written(4);
    for (const [consumer_id, acknowledged] of [
      ['fast', 4],
      ['slow', 1],
    ] as const) {
      await idsOf({ consumer_id });
      await ack(org.controller, consumer_id, acknowledged);
    }
    await service.db.query("update outbox_events set created_at = created_at - interval '8 days' where org_id = $1", [
      org.id,
    ]);
    await service.sweep('outbox retention');
    expect(await idsOf({ consumer_id: 'slow' })).toEqual([2, 3, 4]);
  });

  it('numbers more events than one database call handles, in the order in which they were written', async () => {
    const count = 1_234;
    await service.db.query(
      `insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, payload)
       select $1, gen_random_uuid(), 'test.happened', 'test', 'a', json_build_object('place', place)
       from generate_series(1, $2::int) place order by place`,
      [org.id, count],
    );
    const events: ReturnType<typeof eventsOf> = [];
    while (events.length < count) {
      const page = eventsOf(await read(org.controller, { consumer_id: 'c', after: events.length }));
      expect(page.length).toBeGreaterThan(0);
      events.push(...page);
    }
    const places = Array.from({ length: count }, (_, place) => place + 1);
    expect(events.map(({ id }) => id)).toEqual(places);
    expect(events.map(({ payload }) => payload.place)).toEqual(places);
    expect((await read(org.controller, { consumer_id: 'c', after: count })).headers['x-outbox-head']).toBe(`${count}`);
  });

  it('continues its numbers after every event was removed', async () => {
    await written(2);
    await idsOf({});
    await ack(org.controller, 'c', 2);
    await service.db.query("update outbox_events set created_at = created_at - interval '8 days' where org_id = $1", [
      org.id,
    ]);
    await service.sweep('outbox retention');
    expect(await idsOf({})).toEqual([]);
    expect((await read(org.controller, { consumer_id: 'c', after: 1 })).body.oldest_event_id).toBe(3);
    await written(1);
    expect(await idsOf({})).toEqual([3]);
  });

  it('stores nothing for a reader without a consumer id', async () => {
    await written(3);
    expect(await idsOf({ consumer_id: 'looks' }, org.viewer)).toEqual([1, 2, 3]);
    expect(await idsOf({ consumer_id: 'works' })).toEqual([1, 2, 3]);
    await ack(org.controller, 'works', 1);
    expect((await consumers()).map(({ consumer_id: id }) => id)).toEqual(['works']);
    expect((await ack(org.controller, 'looks', 1)).status).toBe(404);
  });

  it('shows the lag of its consumers to every role of the organisation', async () => {
    expect(await consumers()).toEqual([]);
    await written(3);
    for (const consumer_id of ['b', 'a']) await idsOf({ consumer_id });
    await ack(org.controller, 'b', 2);
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;
    // Events that nobody has read yet count too.
    await written(1);
    for (const caller of [org.operator, org.viewer, org.controller, org.admin])
      expect(await consumers(caller)).toEqual([
        { consumer_id: 'a', acknowledged_event_id: null, lag_events: 4, last_seen_at: at },
        { consumer_id: 'b', acknowledged_event_id: 2, lag_events: 2, last_seen_at: at },
      ]);
    const other = await service.organisation();
    expect(await consumers(other.viewer)).toEqual([]);
    expect((await service.as(undefined).get('/v1/inference/outbox/consumers')).status).toBe(401);
  });

  it('removes the consumer that was not seen for the longest time when there are more than 1,000', async () => {
    await service.db.query(
      `insert into outbox_consumers (org_id, id, acked, seen_at)
       select $1, 'old ' || n, 0, clock_timestamp() - make_interval(mins => n) from generate_series(1, 1000) n`,
      [org.id],
    );
    const oldest = async () => (await consumers()).map(({ consumer_id: id }) => String(id));
    await written(1);
    expect(await idsOf({ consumer_id: 'old 7' })).toEqual([1]);
    expect(await oldest()).toHaveLength(1_000);
    await Promise.all(['new 1', 'new 2', 'new 3'].map((consumer_id) => idsOf({ consumer_id })));
    const left = await oldest();
    expect(left).toHaveLength(1_000);
    for (const id of ['new 1', 'new 2', 'new 3', 'old 7', 'old 997']) expect(left).toContain(id);
    for (const id of ['old 998', 'old 999', 'old 1000']) expect(left).not.toContain(id);
    expect((await ack(org.controller, 'old 1000', 1)).status).toBe(404);
  });

  it('lets anybody watch, from the newest event on and without becoming a consumer', async () => {
    const watch = (query: object) => read(org.admin, { consumer_id: 'console', watch: true, ...query });
    await written(3);
    // It gets what happens from now on. The number of the newest event tells where that begins.
    const start = await watch({});
    expect([eventsOf(start), start.headers['x-outbox-head']]).toEqual([[], '3']);
    await written(2, 3);
    expect(eventsOf(await watch({ after: 3 })).map(({ id }) => id)).toEqual([4, 5]);
    expect(eventsOf(await watch({ after: 0, limit: 2 })).map(({ id }) => id)).toEqual([1, 2]);
    expect((await watch({ after: 99 })).status).toBe(410);
    expect(await consumers()).toEqual([]);
    // Others are not disturbed: a consumer gets all events, from the first one.
    expect(await idsOf({ consumer_id: 'c' })).toEqual([1, 2, 3, 4, 5]);
  });

  it('counts locked consumers when it removes those beyond 1,000', async () => {
    await service.db.query(
      `insert into outbox_consumers (org_id, id, acked, seen_at)
       select $1, 'old ' || n, 0, clock_timestamp() - make_interval(mins => n) from generate_series(1, 1000) n`,
      [org.id],
    );
    const client = await service.db.connect();
    await client.query('begin');
    // These consumers are locked, as by concurrent acknowledgements.
    await client.query("select from outbox_consumers where org_id = $1 and id in ('old 1', 'old 2') for update", [
      org.id,
    ]);
    await idsOf({ consumer_id: 'new' });
    await client.query('rollback');
    client.release();
    const left = (await consumers()).map(({ consumer_id: id }) => id);
    expect(left).toHaveLength(1_000);
    expect(left).not.toContain('old 1000');
  });

  it('keeps a consumer that is seen while those beyond 1,000 are being removed', async () => {
    await service.db.query(
      `insert into outbox_consumers (org_id, id, acked, seen_at)
       select $1, 'old ' || n, 0, clock_timestamp() - make_interval(mins => n) from generate_series(1, 1000) n`,
      [org.id],
    );
    const pause = await Pause.before(service.db, 'delete on outbox_consumers');
    try {
      const newest = idsOf({ consumer_id: 'new' });
      await pause.reached();
      // What is to be removed is chosen already.
      await idsOf({ consumer_id: 'old 1000' });
      await pause.over();
      await newest;
    } finally {
      await pause.remove();
    }
    expect((await ack(org.controller, 'old 1000', 0)).status).toBe(204);
  });

  it('numbers the first events of an organisation once, also if several replicas begin at the same moment', async () => {
    await written(2);
    const pause = await Pause.before(service.db, 'insert on outbox_heads');
    const number = (replica: Pick<pg.Pool, 'query'>) => replica.query('select outbox_sequence($1, 500)', [org.id]);
    try {
      const late = number(service.db);
      await pause.reached();
      // Another replica has made the row of the head meanwhile, and then holds it.
      await number(pause.session);
      await written(1, 2);
      await pause.session.query('begin');
      await number(pause.session);
      await written(1, 3);
      await pause.over();
      await lockAwaited(service.db);
      await pause.session.query('commit');
      await late;
    } finally {
      await pause.remove();
    }
    const events = eventsOf(await read(org.controller, { consumer_id: 'c' }));
    expect(events.map(({ id, payload }) => [id, payload.place])).toEqual([1, 2, 3, 4].map((id) => [id, id - 1]));
  });

  it('numbers all other events at once when some are deleted meanwhile', async () => {
    const numberedAtOnce = 500;
    await written(1);
    expect(await idsOf({})).toEqual([1]);
    await service.db.query(
      `insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, payload)
       select $1, gen_random_uuid(), 'test.happened', 'test', 'a', json_build_object('place', place)
       from generate_series(1, $2::int) place order by place`,
      [org.id, numberedAtOnce + 1],
    );
    const others = await service.db.connect();
    try {
      await others.query('begin');
      await others.query("delete from outbox_events where org_id = $1 and payload ->> 'place' = '2'", [org.id]);
      const numbered = service.sweep('outbox numbers');
      await lockAwaited(service.db);
      await others.query('commit');
      await numbered;
    } finally {
      others.release();
    }
    const { rows } = await service.db.query<{ id: string | null }>(
      'select event_id as id from outbox_events where org_id = $1 order by position',
      [org.id],
    );
    expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: numberedAtOnce + 1 }, (_, n) => n + 1));
  });

  it('numbers events that nobody reads', async () => {
    await written(2);
    await service.sweep('outbox numbers');
    const { rows } = await service.db.query('select event_id from outbox_events where org_id = $1 order by event_id', [
      org.id,
    ]);
    expect(rows.map(({ event_id: id }) => Number(id))).toEqual([1, 2]);
  });
});
