import { newId } from '../../../../src/1-platform/common/ids';
import { incompressible, inParallel, seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import {
  buildCluster,
  buildPod,
  ok,
  readyCheckpoint,
  samplesOf,
  reportRestore,
  type RestoreEvent,
} from '../../../support/workloads';
import { untilServed } from '../../../support/until-served';

const KINDS: RestoreEvent[] = ['restore_start', 'restore_success', 'restore_error'];

describe('events of restores', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
  });
  afterAll(() => service.close());

  const listed = async (uuid: string, caller = org.viewer) =>
    (await caller.get(`/v1/restores?restore_uuid=${uuid}`)).body;
  const record = async (uuid: string) => (await listed(uuid))[0];
  const fact = async (uuid: string) => (await org.viewer.get(`/v1/operations/${uuid}`)).body;
  const counted = async () => {
    const samples = samplesOf((await org.viewer.get('/v1/metrics/export')).text);
    const of = (result: string) =>
      samples.get(`checkpoint_operations_total{operation="restore",result="${result}"}`) ?? 0;
    return { succeeded: of('succeeded'), failed: of('failed'), fallback: of('fallback') };
  };

  it.each<[RestoreEvent[], string, string]>([
    [['restore_start'], 'started', 'running'],
    [['restore_start', 'restore_success'], 'succeeded', 'succeeded'],
    [['restore_success', 'restore_start'], 'succeeded', 'succeeded'],
    [['restore_success'], 'succeeded', 'succeeded'],
    [['restore_start', 'restore_error'], 'failed', 'failed'],
    [['restore_error', 'restore_start'], 'failed', 'failed'],
    [['restore_success', 'restore_error'], 'succeeded', 'succeeded'],
    [['restore_error', 'restore_success', 'restore_start'], 'failed', 'failed'],
    [
      ['restore_start', 'restore_start', 'restore_success', 'restore_success', 'restore_start'],
      'succeeded',
      'succeeded',
    ],
  ])('%j end as %s', async (kinds, status, result) => {
    const uuid = newId();
    for (const kind of kinds) ok(await reportRestore(org, kind, { restore_uuid: uuid }));
    const last = ok(await reportRestore(org, kinds.at(-1) as RestoreEvent, { restore_uuid: uuid }));
    expect(last.body).toEqual({ restore_uuid: uuid, status });
    const { events, ...stored } = await record(uuid);
    expect(stored).toMatchObject({ restore_uuid: uuid, status });
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual([...new Set(kinds)]);
    expect((await fact(uuid)).result).toBe(result);
  });

  it('may name a node and a checkpoint with the longest texts, which an index must hold together', async () => {
    const text = incompressible(seeded(1));
    const checkpoint = ok(await org.controller.post('/v1/checkpoints', { name: text(512) })).text;
    // As an action for a job of Slurm names it: its name has as many characters, of four bytes each.
    const ofSlurm = ok(await org.controller.post('/v1/checkpoints', { name: 'slurm' })).text;
    const random = seeded(2);
    const name = Array.from({ length: 512 }, () => String.fromCodePoint(0x20000 + Math.floor(random() * 40_000)));
    await service.db.query('update checkpoints set name = $1 where id = $2', [name.join(''), ofSlurm]);
    const long = { node_name: text(600), checkpoint_name: text(600), pod_name: text(600), namespace: text(600) };
    for (const [kind, members] of [
      ['restore_start', { runtime_metadata: long }],
      ['restore_success', { request_metadata: long }],
      ['restore_success', { checkpoint_id: checkpoint }],
      ['restore_success', { checkpoint_id: ofSlurm }],
    ] as const) {
      const uuid = newId();
      ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, metadata: { node_name: long.node_name } }));
      ok(await reportRestore(org, kind, { restore_uuid: uuid, ...members }));
    }
  });

  it('are all kept when they arrive concurrently; the first end decides the status and counts once', async () => {
    const before = await counted();
    const uuids = Array.from({ length: 12 }, newId);
    const sent = uuids.flatMap((uuid) =>
      Array.from({ length: 15 }, (_, i) => [KINDS[i % 3] as RestoreEvent, uuid] as const),
    );
    // Interleaved, so that events of one restore meet each other and those of others.
    const shuffled = sent.map((one, i) => ({ one, at: (i * 7_919) % sent.length })).sort((a, b) => a.at - b.at);
    // Many at a time, but few enough that none waits long for a connection on a slow machine.
    await inParallel(shuffled, 30, async ({ one: [kind, uuid] }) =>
      ok(await untilServed(() => reportRestore(org, kind, { restore_uuid: uuid, [kind]: true }))),
    );
    const ends = { succeeded: 0, failed: 0 };
    for (const uuid of uuids) {
      const { status, events, ...members } = await record(uuid);
      expect(members).toMatchObject({ restore_start: true, restore_success: true, restore_error: true });
      const order = events.map(({ kind }: { kind: string }) => kind);
      expect([...order].sort()).toEqual([...KINDS].sort());
      const first = order.find((kind: string) => kind !== 'restore_start');
      expect(status).toBe(first === 'restore_success' ? 'succeeded' : 'failed');
      expect((await fact(uuid)).result).toBe(status);
      ends[status as 'succeeded' | 'failed']++;
    }
    const after = await counted();
    expect(after).toEqual({
      ...before,
      succeeded: before.succeeded + ends.succeeded,
      failed: before.failed + ends.failed,
    });
  });

  it('keep unknown members, and every digit', async () => {
    const uuid = newId();
    const body = `{"restore_uuid":"${uuid.toUpperCase()}","attempt":123456789012345678901234567890,"ratio":0.12345678901234567890123,"nested":{"x":[1,null,{"y":"z"}]},"metadata":{"pid":18446744073709551615},"action_ids":["a","b"],"profile_available_on_error":false,"gone":null}`;
    const answer = ok(await org.controller.post('/v1/restores/events/restore_start', body));
    expect(answer.body).toEqual({ restore_uuid: uuid, status: 'started' });
    const { text } = await org.viewer.get(`/v1/restores?restore_uuid=${uuid}`);
    expect(text).toContain('123456789012345678901234567890');
    expect(text).toContain('0.12345678901234567890123');
    expect(text).toContain('18446744073709551615');
    expect(await record(uuid)).toMatchObject({
      restore_uuid: uuid,
      nested: { x: [1, null, { y: 'z' }] },
      action_ids: ['a', 'b'],
      profile_available_on_error: false,
    });
  });

  it("cannot overwrite the service's own members of the record", async () => {
    const uuid = newId();
    const forged = { id: 'mine', events: 'none', created_at: 'never', updated_at: 5, status: 'succeeded' };
    ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, ...forged }));
    const stored = await record(uuid);
    expect(stored.status).toBe('started');
    expect(stored.id).not.toBe('mine');
    expect(stored.events).toHaveLength(1);
    expect(Date.parse(stored.created_at)).not.toBeNaN();
  });

  it('update the record to the last report', async () => {
    const uuid = newId();
    ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, a: 1, b: 1, c: 1 }));
    const first = await record(uuid);
    service.clock.advance(5);
    ok(await reportRestore(org, 'restore_success', { restore_uuid: uuid, a: 2, c: null }));
    ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, a: 3, b: 3, c: 3 }));
    const last = await record(uuid);
    expect(last).toMatchObject({ id: first.id, a: 2, b: 3, c: 3, created_at: first.created_at });
    expect(Date.parse(last.updated_at) - Date.parse(first.updated_at)).toBe(5_000);
    expect(last.events[0]).toEqual(first.events[0]);
  });

  it.each<[string, unknown]>([
    ['no uuid', {}],
    ['a malformed uuid', { restore_uuid: 'x' }],
    ['an empty uuid', { restore_uuid: '' }],
    ['a uuid of another type', { restore_uuid: 5 }],
    ['a malformed action id', { restore_uuid: newId(), action_id: 'x' }],
    ['a malformed checkpoint id', { restore_uuid: newId(), checkpoint_id: 'x' }],
    ['a member of the wrong type', { restore_uuid: newId(), error_message: 5 }],
    ['action ids that are not strings', { restore_uuid: newId(), action_ids: [1] }],
    ['a list', []],
    ['a known member that PostgreSQL cannot store', { restore_uuid: newId(), metadata: { a: '\0' } }],
    ['an unknown member that PostgreSQL cannot store', { restore_uuid: newId(), more: { a: ['\0'] } }],
    ['an unknown name that PostgreSQL cannot store', { restore_uuid: newId(), 'a\0': 1 }],
    ['half a surrogate', `{"restore_uuid":"${newId()}","more":"\\ud800"}`],
  ])('answer 400 with %s', async (_what, body) => {
    for (const kind of KINDS) expect((await org.controller.post(`/v1/restores/events/${kind}`, body)).status).toBe(400);
  });

  it('need the role operator or controller', async () => {
    const body = { restore_uuid: newId() };
    expect((await org.viewer.post('/v1/restores/events/restore_start', body)).status).toBe(403);
    expect((await service.as(undefined).post('/v1/restores/events/restore_start', body)).status).toBe(401);
    expect((await org.operator.post('/v1/restores/events/restore_start', body)).status).toBe(200);
  });

  it('counts restores with one uuid in two organisations as two', async () => {
    const uuid = newId();
    ok(await reportRestore(org, 'restore_success', { restore_uuid: uuid }));
    ok(await reportRestore(other, 'restore_error', { restore_uuid: uuid }));
    expect((await record(uuid)).status).toBe('succeeded');
    expect((await listed(uuid, other.viewer))[0].status).toBe('failed');
  });

  it('counts the zero value of a time type as no time', async () => {
    const uuid = newId();
    const zero = '0001-01-01T00:00:00Z';
    ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, started_at: zero, completed_at: zero }));
    ok(
      await reportRestore(org, 'restore_success', {
        restore_uuid: uuid,
        started_at: zero,
        completed_at: '9999-12-31T23:59:59.999Z',
      }),
    );
    const { started_at_ms: started, duration_ns: duration } = await fact(uuid);
    expect(started).toBeGreaterThan(Date.parse('2020-01-01T00:00:00Z'));
    expect(duration).toBe(Number.MAX_SAFE_INTEGER);
    expect((await org.viewer.get('/v1/metrics/operations/summary')).status).toBe(200);
  });

  it('may report a fallback, which is neither a success nor a plain failure', async () => {
    const before = await counted();
    const [byStatus, byFlag] = [newId(), newId()];
    ok(await reportRestore(org, 'restore_success', { restore_uuid: byStatus, status: 'fallback' }));
    ok(
      await reportRestore(org, 'restore_error', {
        restore_uuid: byFlag,
        runtime_metadata: { fallback: true },
        error_message: 'cold start',
      }),
    );
    expect((await record(byStatus)).status).toBe('succeeded');
    expect((await record(byFlag)).status).toBe('failed');
    expect((await fact(byStatus)).result).toBe('fallback');
    expect((await fact(byFlag)).result).toBe('fallback');
    // The end is unchanged.
    ok(await reportRestore(org, 'restore_success', { restore_uuid: byFlag }));
    ok(await reportRestore(org, 'restore_success', { restore_uuid: byStatus, status: 'done' }));
    expect((await fact(byStatus)).result).toBe('fallback');
    expect(await counted()).toEqual({ ...before, fallback: before.fallback + 2 });
  });

  it('are refused if their uuid is the id of a checkpoint', async () => {
    const pod = await buildPod(org, await buildCluster(org));
    const { checkpointId } = await readyCheckpoint(org, pod.uid);
    const before = await fact(checkpointId);
    const answer = await reportRestore(org, 'restore_error', { restore_uuid: checkpointId });
    expect([answer.status, answer.body.code]).toEqual([409, 'operation_id_taken']);
    expect(await fact(checkpointId)).toEqual(before);
    expect(await listed(checkpointId)).toEqual([]);
  });

  describe('in lists', () => {
    const sent = () => newId();
    let clusterId: string;
    let one: string;
    let two: string;
    let ids: { action: string; checkpoint: string };

    beforeAll(async () => {
      clusterId = await buildCluster(org);
      [one, two] = [sent(), sent()];
      ids = { action: newId(), checkpoint: newId() };
      ok(
        await reportRestore(org, 'restore_start', {
          restore_uuid: one,
          workload_type: 'job',
          cluster_id: clusterId,
          action_scope: 'scope-1',
          checkpoint_id: ids.checkpoint,
          action_id: ids.action,
        }),
      );
      service.clock.advance(1);
      ok(
        await reportRestore(org, 'restore_error', {
          restore_uuid: two,
          workload_type: 'job',
          cluster_id: 'unknown-1',
          action_scope: 'scope-2',
        }),
      );
    });

    const uuids = async (query: string) =>
      (await org.viewer.get(`/v1/restores?${query}`)).body.map(
        ({ restore_uuid: uuid }: { restore_uuid: string }) => uuid,
      );

    it('are sorted newest first and can be filtered', async () => {
      expect(await uuids('workload_type=job')).toEqual([two, one]);
      expect(await uuids('workload_type=job&limit=1')).toEqual([two]);
      expect(await uuids('workload_type=job&limit=1&offset=1')).toEqual([one]);
      expect(await uuids('workload_type=job&status=failed')).toEqual([two]);
      expect(await uuids('workload_type=job&status=nothing')).toEqual([]);
      expect(await uuids(`restore_uuid=${one}`)).toEqual([one]);
      expect(await uuids(`cluster_id=${clusterId}`)).toEqual([one]);
      expect(await uuids(`cluster_id=${clusterId.toUpperCase()}`)).toEqual([one]);
      expect(await uuids('cluster_id=unknown-1')).toEqual([two]);
      expect(await uuids('action_scope=scope-2')).toEqual([two]);
      expect(await uuids(`checkpoint_id=${ids.checkpoint}`)).toEqual([one]);
      expect(await uuids(`action_id=${ids.action}`)).toEqual([one]);
      expect(await uuids(`action_id=${ids.action}&status=failed`)).toEqual([]);
      expect(await uuids('limit=100000')).toContain(one);
    });

    it.each(['restore_uuid=x', 'checkpoint_id=x', 'action_id=x', 'limit=0', 'limit=many', 'offset=-1'])(
      'answer 400 for %s',
      async (query) => {
        expect((await org.viewer.get(`/v1/restores?${query}`)).status).toBe(400);
      },
    );

    it('can be read by their row id', async () => {
      const { id, ...rest } = await record(one);
      expect((await org.viewer.get(`/v1/restores/${id}`)).body).toEqual({ id, ...rest });
      expect((await org.viewer.get(`/v1/restores/${newId()}`)).body.code).toBe('restore_not_found');
      expect((await other.viewer.get(`/v1/restores/${id}`)).status).toBe(404);
      expect((await org.viewer.get('/v1/restores/x')).status).toBe(400);
      // The agent's uuid is not the id of the row.
      expect((await org.viewer.get(`/v1/restores/${one}`)).status).toBe(404);
    });
  });

  describe('and an uploaded profile', () => {
    const PROFILE = {
      components: [
        { name: 'criu_restore', duration: 4_000, io: 100 },
        { name: 'wake', duration: 500, io: 0 },
      ],
    };
    const put = (uuid: string, body: unknown) => org.controller.put(`/v1/restores/${uuid}/profile`, body);
    const stages = async (uuid: string) => (await fact(uuid)).stages.map(({ stage }: { stage: string }) => stage);

    it('takes the counted duration from a profile that is uploaded before the end', async () => {
      const uuid = newId();
      ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, profile_object_path: 's3://p/1' }));
      expect(ok(await put(uuid, PROFILE)).body).toEqual({ restore_uuid: uuid, profile_object_path: 's3://p/1' });
      expect(await fact(uuid)).toMatchObject({ result: 'running', duration_ns: 4_500 });
      ok(await reportRestore(org, 'restore_success', { restore_uuid: uuid }));
      expect(await fact(uuid)).toMatchObject({
        result: 'succeeded',
        duration_ns: 4_500,
        physical_bytes: 100,
        source: 'profile',
      });
      expect(await stages(uuid)).toEqual(['criu_restore', 'wake']);
    });

    it('adds missing figures, and changes no others, by a profile that is uploaded after the end', async () => {
      const uuid = newId();
      const at = (second: number) => new Date(Date.parse('2026-06-01T10:00:00Z') + second * 1_000).toISOString();
      ok(await reportRestore(org, 'restore_success', { restore_uuid: uuid, started_at: at(0), completed_at: at(3) }));
      expect(ok(await put(uuid, PROFILE)).body.profile_object_path).toBeNull();
      expect(await fact(uuid)).toMatchObject({ duration_ns: 3_000_000_000, physical_bytes: 100 });
      expect(await stages(uuid)).toEqual(['criu_restore', 'wake']);
      ok(await put(uuid, { components: [{ name: 'else', duration: 9 }] }));
      expect(await stages(uuid)).toEqual(['criu_restore', 'wake']);
    });

    it('accepts any storable value as a profile', async () => {
      const uuid = newId();
      ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid }));
      for (const body of ['[1,[2]]', '"text"', '7', 'false', '{"n":123456789012345678901234567890}']) {
        ok(await put(uuid, body));
        const { rows } = await service.db.query(
          'select profile::text as profile from restores where restore_uuid = $1',
          [uuid],
        );
        expect(rows[0].profile.replaceAll(' ', '')).toBe(body);
      }
      for (const body of ['null', '{"a":"\\u0000"}', '"\\ud800"', '{', JSON.stringify('x'.repeat(256 * 1024))])
        expect((await put(uuid, body)).status).toBe(400);
      expect((await put(uuid, undefined)).status).toBe(400);
    });

    it('answers 404 for the profile of a restore that is unknown or of another organisation', async () => {
      const uuid = newId();
      ok(await reportRestore(other, 'restore_start', { restore_uuid: uuid }));
      expect((await put(uuid, PROFILE)).status).toBe(404);
      expect((await put(newId(), PROFILE)).body.code).toBe('restore_not_found');
      expect((await put('x', PROFILE)).status).toBe(400);
      expect((await org.viewer.put(`/v1/restores/${uuid}/profile`, PROFILE)).status).toBe(403);
    });
  });
});
