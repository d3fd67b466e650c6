import type { INestApplication } from '@nestjs/common';
import { Sweeps } from '../../../../src/1-platform/scheduling/sweeps';
import { newId } from '../../../../src/1-platform/common/ids';
import { inParallel } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  readyCheckpoint,
  samplesOf,
  takeUp,
  reportRestore,
  type RestoreEvent,
} from '../../../support/workloads';

const UNANSWERED = 50;

describe('actions without reports', () => {
  let service: Service;
  let org: Organisation;
  let podUid: string;
  let apps: INestApplication[];

  beforeAll(async () => {
    service = await Service.start({ checkpointTimeoutSeconds: 600 });
    org = await service.organisation();
    podUid = (await buildPod(org, await buildCluster(org))).uid;
    apps = [service.app, (await service.replica()).app, (await service.replica()).app];
  });
  afterAll(() => service.close());

  const asked = async (count: number) => {
    const ids: string[] = [];
    await inParallel(Array(count).fill(podUid), 5, async (uid: string) => ids.push(await askCheckpoint(org, uid)));
    return ids;
  };
  const pastDeadline = (ids: string[]) =>
    service.db.query("update actions set answer_by = clock_timestamp() - interval '1 second' where id = any($1)", [
      ids,
    ]);
  const sweep = () => Promise.all(apps.map((app) => app.get(Sweeps).runNow('unanswered actions')));
  const actions = async (ids: string[]) =>
    (await service.db.query('select id, status, error from actions where id = any($1) order by id', [ids])).rows;
  const facts = async (ids: string[]) =>
    (
      await service.db.query(
        'select result, failure_reason, failure_reason_label from operation_facts where action_id = any($1)',
        [ids],
      )
    ).rows;

  it('have the configured deadline', async () => {
    const id = await askCheckpoint(org, podUid);
    const { rows } = await service.db.query(
      'select extract(epoch from answer_by - clock_timestamp())::float as left from actions where id = $1',
      [id],
    );
    expect(rows[0].left).toBeGreaterThan(590);
    expect(rows[0].left).toBeLessThanOrEqual(600);
    await sweep();
    expect((await actions([id]))[0].status).toBe('initialized');
  });

  it('become error exactly once, whichever replica sweeps; others stay unchanged', async () => {
    const silent = await asked(UNANSWERED);
    const { actionId: ready } = await readyCheckpoint(org, podUid);
    const waiting = await askCheckpoint(org, podUid);
    await pastDeadline([...silent, ready]);

    await sweep();
    await sweep();

    const error = 'no node answered in 600 seconds';
    expect(await actions(silent)).toEqual([...silent].sort().map((id) => ({ id, status: 'error', error })));
    expect(await facts(silent)).toEqual(
      Array(UNANSWERED).fill({ result: 'failed', failure_reason: error, failure_reason_label: 'unanswered' }),
    );
    const others = new Map((await actions([ready, waiting])).map(({ id, status }) => [id, status]));
    expect([ready, waiting].map((id) => others.get(id))).toEqual(['ready', 'initialized']);

    const samples = samplesOf((await org.viewer.get('/v1/metrics/export')).text);
    expect(samples.get('checkpoint_operations_total{operation="checkpoint",result="failed"}')).toBe(UNANSWERED);
    expect(
      samples.get('checkpoint_operation_failures_total{operation="checkpoint",stage="unknown",reason="unanswered"}'),
    ).toBe(UNANSWERED);
    const { rows } = await service.db.query(
      "select count(*) from checkpoints where action_id = any($1) and status = 'deprecated'",
      [silent],
    );
    expect(Number(rows[0].count)).toBe(UNANSWERED);
  });

  it('become error in any state when the last report is too old', async () => {
    const claimed = await askCheckpoint(org, podUid);
    const unmade = await takeUp(org, claimed);
    const reported = await askCheckpoint(org, podUid);
    const made = await takeUp(org, reported);
    ok(await putInfo(org, made));
    await pastDeadline([claimed, reported]);

    await sweep();

    const error = 'no report arrived for 600 seconds';
    expect(await actions([claimed, reported])).toEqual(
      [claimed, reported].sort().map((id) => ({ id, status: 'error', error })),
    );
    expect(await facts([claimed, reported])).toEqual(
      Array(2).fill({ result: 'failed', failure_reason: error, failure_reason_label: 'unanswered' }),
    );
    for (const id of [unmade, made]) {
      const late = await org.controller.post(`/v1/checkpoints/uploaded/${id}`, {});
      expect([late.status, late.body.code]).toEqual([409, 'checkpoint_state_conflict']);
    }
    const further = await org.controller.post('/v1/checkpoints', { action_id: claimed, container_name: 'sidecar' });
    expect([further.status, further.body.code]).toEqual([409, 'action_over']);
  });

  it('get the full time again after each report', async () => {
    const left = async (id: string) => {
      const { rows } = await service.db.query(
        'select extract(epoch from answer_by - clock_timestamp())::float as left from actions where id = $1',
        [id],
      );
      return rows[0].left as number;
    };
    const id = await askCheckpoint(org, podUid);
    let checkpointId = '';
    const reports: [string, () => Promise<unknown>][] = [
      ['take up', async () => (checkpointId = await takeUp(org, id))],
      ['progress', () => org.controller.put(`/v1/checkpoints/progress/${checkpointId}`, { stage: 'dump' })],
      ['info', async () => ok(await putInfo(org, checkpointId))],
      ['pod', async () => ok(await org.controller.post('/v1/actions/upload', { action_id: id, status: 'busy' }))],
    ];
    for (const [name, report] of reports) {
      await pastDeadline([id]);
      await report();
      expect([name, (await left(id)) > 590]).toEqual([name, true]);
      await sweep();
      expect((await actions([id]))[0].status).not.toBe('error');
    }
  });

  it('keep presumed uploads when their node reported the end', async () => {
    const id = await askCheckpoint(org, podUid);
    const checkpointId = await takeUp(org, id);
    ok(await putInfo(org, checkpointId));
    ok(await org.controller.post('/v1/actions/upload', { action_id: id, status: 'ready' }));
    await pastDeadline([id]);
    await sweep();
    expect((await actions([id]))[0].status).toBe('error');
    expect(await facts([id])).toEqual([expect.objectContaining({ result: 'running' })]);
    ok(await org.controller.post(`/v1/checkpoints/uploaded/${checkpointId}`, { restore_path: '/late' }));
    expect(await facts([id])).toEqual([expect.objectContaining({ result: 'succeeded' })]);
    expect((await actions([id]))[0].status).toBe('error');
  });

  it('accept no further container after they were given up, even if their node had reported the end', async () => {
    const id = await askCheckpoint(org, podUid);
    ok(await putInfo(org, await takeUp(org, id)));
    ok(await org.controller.post('/v1/actions/upload', { action_id: id, status: 'ready' }));
    // The deadline passes after the reported end, as it does when nothing else arrives.
    await service.db.query(
      `update actions set ended_at = ended_at - interval '20 minutes', answer_by = clock_timestamp() - interval '1 second' where id = $1`,
      [id],
    );
    await sweep();
    expect((await actions([id]))[0].status).toBe('error');
    const further = await org.controller.post('/v1/checkpoints', { action_id: id, container_name: 'sidecar' });
    expect([further.status, further.body.code]).toEqual([409, 'action_over']);
  });

  describe('that restore', () => {
    const asked = async () => {
      const { actionId } = await readyCheckpoint(org, podUid);
      return ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).text;
    };
    const event = (kind: RestoreEvent, action_id: string, restore_uuid: string, members = {}) =>
      reportRestore(org, kind, { restore_uuid, action_id, ...members });

    it('end as the restore ends, even if they were given up before', async () => {
      for (const [kind, members, expected] of [
        ['restore_success', {}, { status: 'ready', error: null }],
        ['restore_error', { error_message: 'no space' }, { status: 'error', error: 'no space' }],
      ] as const) {
        const [id, uuid] = [await asked(), newId()];
        ok(await event('restore_start', id, uuid));
        await pastDeadline([id]);
        await sweep();
        const error = 'no report arrived for 600 seconds';
        expect(await actions([id])).toEqual([{ id, status: 'error', error }]);
        // A repeated start does not change the end.
        ok(await event('restore_start', id, uuid));
        expect(await actions([id])).toEqual([{ id, status: 'error', error }]);
        ok(await event(kind, id, uuid, members));
        expect(await actions([id])).toEqual([{ id, ...expected }]);
        const { body } = await org.viewer.get(`/v1/actions/${id}`);
        expect(body).toMatchObject(expected);
      }
    });

    it('stay in error when the restore failed, whatever is reported about it, until another attempt succeeds', async () => {
      const [id, uuid] = [await asked(), newId()];
      ok(await event('restore_error', id, uuid, { error_message: 'no space' }));
      ok(await event('restore_success', id, uuid));
      expect(await actions([id])).toEqual([{ id, status: 'error', error: 'no space' }]);
      ok(await event('restore_success', id, newId()));
      expect(await actions([id])).toEqual([{ id, status: 'ready', error: null }]);
    });

    it('get the full time again after each event, and after the profile', async () => {
      const [id, uuid] = [await asked(), newId()];
      ok(await event('restore_start', id, uuid));
      const reports = [
        () => event('restore_start', id, uuid, { metadata: { stage: 'download' } }),
        () => org.controller.put(`/v1/restores/${uuid}/profile`, { name: 'restore', duration: 1, components: [] }),
      ];
      for (const report of reports) {
        await pastDeadline([id]);
        ok(await report());
        await sweep();
        expect(await actions([id])).toEqual([{ id, status: 'processing', error: null }]);
      }
    });
  });

  it('are in error or answered, and never both, when the answer arrives during a sweep', async () => {
    const ids = await asked(20);
    await pastDeadline(ids);
    const answers = ids.map((id) => org.controller.post('/v1/checkpoints', { action_id: id, container_name: 'main' }));
    const [, ...answered] = await Promise.all([sweep(), ...answers]);
    const statuses = new Map((await actions(ids)).map(({ id, status }) => [id, status]));
    answered.forEach(({ status }, i) =>
      expect([status, statuses.get(ids[i])]).toEqual(status === 200 ? [200, 'processing'] : [409, 'error']),
    );
  });

  it('do not wait for one that cannot be marked as failed', async () => {
    const [stuck = '', ...others] = await asked(4);
    // The oldest one cannot be written, for whatever reason.
    await service.db.query(
      `create function refuse() returns trigger language plpgsql as $f$ begin raise exception 'stuck'; end $f$`,
    );
    await service.db.query(
      `create trigger stuck before update on actions for each row when (old.id = '${stuck}') execute function refuse()`,
    );
    await service.db.query('alter table actions disable trigger stuck');
    await service.db.query("update actions set answer_by = clock_timestamp() - interval '1 hour' where id = $1", [
      stuck,
    ]);
    await service.db.query('alter table actions enable trigger stuck');
    await pastDeadline(others);
    await sweep();
    expect((await actions(others)).map(({ status }) => status)).toEqual(['error', 'error', 'error']);
    expect((await actions([stuck]))[0].status).toBe('initialized');
    await service.db.query('drop trigger stuck on actions');
    await sweep();
    expect((await actions([stuck]))[0].status).toBe('error');
  });

  it('are not affected by a restore that uses the id of their checkpoint', async () => {
    const id = await askCheckpoint(org, podUid);
    const { checkpoint_id: checkpointId } = (await org.viewer.get(`/v1/actions/${id}`)).body;
    const event = await org.controller.post('/v1/restores/events/restore_start', { restore_uuid: checkpointId });
    expect([event.status, event.body.code]).toEqual([409, 'operation_id_taken']);
    await pastDeadline([id]);
    await sweep();
    expect((await actions([id]))[0].status).toBe('error');
  });

  it('ignore a late report of their node', async () => {
    const id = await askCheckpoint(org, podUid);
    await pastDeadline([id]);
    await sweep();
    const late = await org.controller.post('/v1/checkpoints', { action_id: id });
    expect([late.status, late.body.code]).toEqual([409, 'action_over']);
    ok(await org.controller.post('/v1/actions/upload', { action_id: id, status: 'processing' }));
    expect((await actions([id]))[0].status).toBe('error');
  });

  it('become error if they were to restore', async () => {
    const { actionId } = await readyCheckpoint(org, podUid);
    const id = ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).text;
    await pastDeadline([id]);
    await sweep();
    expect((await org.viewer.get(`/v1/checkpoint/status/${id}`)).body).toEqual({
      status: 'error',
      details: 'no node answered in 600 seconds',
    });
    // No attempt was reported, so there is no fact.
    expect(await facts([id])).toEqual([]);
  });
});
