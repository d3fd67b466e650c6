import type { INestApplication } from '@nestjs/common';
import { Sweeps } from '../../../../src/1-platform/scheduling/sweeps';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { newId } from '../../../../src/1-platform/common/ids';
import { unansweredActions } from '../../../../src/3-checkpointing/checkpoints/actions/actions.queries';
import { partlyFailedActions } from '../../../../src/3-checkpointing/checkpoints/actions/silent-checkpoints.queries';
import { BY_INDEX, plansOf } from '../../../support/plans';
import { inParallel } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
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
  const pastDeadline = async (ids: string[]) => {
    await service.db.query(
      "update actions set answer_by = clock_timestamp() - interval '1 second' where id = any($1)",
      [ids],
    );
    await service.db.query(
      "update restores set updated_at = clock_timestamp() - interval '601 seconds' where action_id = any($1)",
      [ids],
    );
  };
  const sweep = async () => {
    for (const name of ['unanswered actions', 'silent checkpoints', 'silent restores'])
      await Promise.all(apps.map((app) => app.get(Sweeps).runNow(name)));
  };
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

  it('are found by an index of their deadlines, without a look at those that are not due', async () => {
    const pages = {
      actions_open_idx: (tx: Tx) => unansweredActions(tx, 1),
      actions_partly_failed_idx: (tx: Tx) => partlyFailedActions(tx, 600, 1),
    };
    for (const [index, page] of Object.entries(pages)) {
      const [plan] = await plansOf(service, org, page, BY_INDEX);
      expect(plan).toMatch(new RegExp(`${index} .*\\n *Index Cond: .*statement_timestamp\\(\\)`));
    }
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

  describe('that are in error by one of their containers', () => {
    /** One has failed, one is dumped, and two were reported to be there, one of them long ago. */
    const broken = async () => {
      const id = await askCheckpoint(org, podUid);
      const [failed, dumped, made, presumed] = await Promise.all(
        ['main', 'a', 'b', 'c'].map((name) => takeUp(org, id, { container_name: name })),
      );
      for (const one of [made, presumed]) ok(await putInfo(org, one!));
      ok(await putInfo(org, failed!, undefined, { error: 'no space' }));
      await service.db.query("update checkpoints set status = 'possibly_uploaded' where id = $1", [presumed]);
      return { id, failed: failed!, dumped: dumped!, made: [made!, presumed!] as const };
    };
    const checkpoints = async (id: string) =>
      (
        await service.db.query('select status, error from checkpoints where action_id = $1 order by error, status', [
          id,
        ])
      ).rows;
    const failedOf = async (id: string) => (await checkpoints(id)).flatMap(({ error }) => (error ? [error] : []));
    /** Since the last report on them. */
    const silentFor = async (ids: string[], seconds: number) => {
      const reported = 'clock_timestamp() - make_interval(secs => $2)';
      await service.db.query(`update actions set answer_by = ${reported} + interval '600 seconds' where id = any($1)`, [
        ids,
        seconds,
      ]);
      await service.db.query(
        `update checkpoints set created_at = ${reported},
           progressed_at = case when progressed_at is not null then ${reported} end where action_id = any($1)`,
        [ids, seconds],
      );
    };
    const isGivenUp = async (id: string) =>
      (await service.db.query('select given_up_at is not null as given_up from actions where id = $1', [id])).rows[0]
        .given_up as boolean;
    const [silence, aDay] = ['no report arrived for 600 seconds', 'no report arrived for a day'];
    const [HOUR, DAY] = [3_600, 86_400];

    it('fail what is being made once nothing was reported in time, and wait for uploads', async () => {
      const { id, dumped, made } = await broken();
      await silentFor([id], 590);
      await sweep();
      expect(await failedOf(id)).toEqual(['no space']);
      for (const seconds of [610, 23 * HOUR]) {
        await silentFor([id], seconds);
        await sweep();
        await sweep();
        expect(await failedOf(id)).toEqual([silence, 'no space']);
        // No round looks at it any more before the day is over.
        const due = await service.app.get(UnitOfWork).system('a test', (tx) => partlyFailedActions(tx, 600, 1_000));
        expect(due.map((one) => one.id)).not.toContain(id);
      }
      const late = await org.controller.post(`/v1/checkpoints/uploaded/${dumped}`, {});
      expect([late.status, late.body.code]).toEqual([409, 'checkpoint_state_conflict']);
      for (const one of made) {
        expect((await org.viewer.get(`/v1/operations/${one}`)).body).toMatchObject({ result: 'running' });
        ok(await putUploaded(org, one));
        expect((await org.viewer.get(`/v1/operations/${one}`)).body).toMatchObject({ result: 'succeeded' });
      }
      expect(await actions([id])).toEqual([{ id, status: 'error', error: 'no space' }]);
    });

    it('fail uploads after a silent day, and are given up then, with their reason', async () => {
      const { id, failed, dumped, made } = await broken();
      await silentFor([id], DAY - 60);
      await sweep();
      expect([await failedOf(id), await isGivenUp(id)]).toEqual([[silence, 'no space'], false]);
      await silentFor([id], DAY + 660);
      await sweep();
      await sweep();
      expect([await failedOf(id), await isGivenUp(id)]).toEqual([[silence, aDay, aDay, 'no space'], true]);
      expect(await actions([id])).toEqual([{ id, status: 'error', error: 'no space' }]);
      expect((await facts([id])).map(({ failure_reason: reason }) => reason).toSorted()).toEqual([
        silence,
        aDay,
        aDay,
        'no space',
      ]);
      for (const one of [failed, dumped, ...made])
        expect((await org.viewer.get(`/v1/operations/${one}`)).body).toMatchObject({ result: 'failed' });
      const late = await org.controller.post(`/v1/checkpoints/uploaded/${made[0]}`, {});
      expect([late.status, late.body.code]).toEqual([409, 'checkpoint_state_conflict']);
      const further = await org.controller.post('/v1/checkpoints', { action_id: id, container_name: 'd' });
      expect([further.status, further.body.code]).toEqual([409, 'action_over']);
    });

    it('have the full time again after each report on the others, and are given up once all have ended', async () => {
      const { id, dumped, made } = await broken();
      const reports = [
        () => org.controller.put(`/v1/checkpoints/progress/${dumped}`, { stage: 'upload' }),
        () => org.controller.post('/v1/checkpoints', { action_id: id, container_name: 'd' }),
        () => putInfo(org, dumped),
      ];
      for (const report of reports) {
        await silentFor([id], 2 * DAY);
        expect((await report()).status).toBeLessThan(300);
        await sweep();
        expect(await failedOf(id)).toEqual(['no space']);
      }
      for (const one of [dumped, ...made]) ok(await putUploaded(org, one));
      expect(await isGivenUp(id)).toBe(false);
      await silentFor([id], 610);
      await sweep();
      expect(await checkpoints(id)).toEqual([
        { status: 'deprecated', error: silence },
        { status: 'deprecated', error: 'no space' },
        ...[dumped, ...made].map(() => ({ status: 'ready', error: null })),
      ]);
      expect(await isGivenUp(id)).toBe(true);
    });

    it.each(['progressed_at', 'created_at'])(
      'go on while a replica of the release before writes %s of one alone',
      async (column) => {
        const { id, dumped } = await broken();
        await silentFor([id], 2 * DAY);
        const report = `update checkpoints set ${column} = clock_timestamp() - interval '5 minutes' where id = $1`;
        await service.db.query(report, [dumped]);
        await sweep();
        expect([await failedOf(id), await isGivenUp(id)]).toEqual([['no space'], false]);
      },
    );

    it('wait for nobody who reports on them, and go on after that report', async () => {
      const { id } = await broken();
      await silentFor([id], 2 * DAY);
      const report = await service.db.connect();
      try {
        await report.query('begin');
        await report.query("update actions set answer_by = now() + interval '10 minutes' where id = $1", [id]);
        await sweep();
      } finally {
        await report.query('commit');
        report.release();
      }
      await sweep();
      expect(await failedOf(id)).toEqual(['no space']);
    });

    it('have a late report and a sweep at the same time, and are failed or ready, never both', async () => {
      const all = await Promise.all(Array.from({ length: 8 }, broken));
      await silentFor(
        all.map(({ id }) => id),
        2 * DAY,
      );
      const uploads = all.map(({ made }) => putUploaded(org, made[0]));
      const [, ...answers] = await Promise.all([sweep(), ...uploads]);
      for (const [i, { status }] of answers.entries()) {
        const one = (await org.viewer.get(`/v1/operations/${all[i]!.made[0]}`)).body;
        expect([status, one.result]).toEqual(status === 200 ? [200, 'succeeded'] : [409, 'failed']);
      }
    });
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

    describe('count', () => {
      let counting: Organisation;
      let pod: string;
      beforeEach(async () => {
        counting = await service.organisation();
        pod = (await buildPod(counting, await buildCluster(counting))).uid;
      });
      const begun = async () => {
        const { actionId } = await readyCheckpoint(counting, pod);
        return ok(await counting.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).text;
      };
      const reported = (kind: RestoreEvent, action_id: string, restore_uuid: string, members = {}) =>
        reportRestore(counting, kind, { restore_uuid, action_id, ...members });
      /** Restores of the export that run, failed and succeeded, its failures, and those of the summary. */
      const counted = async () => {
        const samples = samplesOf((await counting.viewer.get('/v1/metrics/export')).text);
        const of = (result: string) =>
          samples.get(`checkpoint_operations_total{operation="restore",result="${result}"}`);
        const reasons = [...samples]
          .filter(([series]) => series.startsWith('checkpoint_operation_failures_total{operation="restore"'))
          .map(([series, count]) => [/reason="(.*)"/.exec(series)?.[1], count]);
        const { operations } = (await counting.viewer.get('/v1/metrics/operations/summary')).body as {
          operations: { operation: string; succeeded: number; failed: number }[];
        };
        const summed = operations.find(({ operation }) => operation === 'restore');
        return {
          running: samples.get('checkpoint_operations_running{operation="restore"}'),
          failed: of('failed'),
          succeeded: of('succeeded'),
          timed: samples.get('checkpoint_operation_duration_seconds_count{operation="restore"}'),
          reasons: Object.fromEntries(reasons) as object,
          summary: [summed?.failed, summed?.succeeded],
        };
      };
      const FAILED = {
        running: 0,
        failed: 1,
        succeeded: 0,
        timed: 0,
        reasons: { unanswered: 1 },
        summary: [1, 0],
      };

      it('count as failed when their node falls silent, and once as succeeded when it reports that late', async () => {
        const [id, uuid] = [await begun(), newId()];
        ok(await reported('restore_start', id, uuid, { started_at: new Date(Date.now() - 5_000).toISOString() }));
        expect(await counted()).toMatchObject({ running: 1, failed: 0 });
        await pastDeadline([id]);
        await sweep();
        await sweep();
        expect(await counted()).toEqual(FAILED);
        expect(await facts([id])).toEqual([
          {
            result: 'failed',
            failure_reason: 'no report arrived for 600 seconds',
            failure_reason_label: 'unanswered',
          },
        ]);
        // A sign of life is no end.
        ok(await reported('restore_start', id, uuid));
        expect(await counted()).toEqual(FAILED);
        for (let times = 0; times < 2; times++) {
          ok(await reported('restore_success', id, uuid));
          expect(await counted()).toEqual({ ...FAILED, succeeded: 1, timed: 1, summary: [0, 1] });
        }
        expect(await facts([id])).toEqual([{ result: 'succeeded', failure_reason: '', failure_reason_label: '' }]);
        // An end that was reported stays.
        ok(await reported('restore_error', id, uuid, { error_message: 'no space' }));
        expect(await counted()).toEqual({ ...FAILED, succeeded: 1, timed: 1, summary: [0, 1] });
      });

      it('count once as failed when their node reports the failure late, and show its reason', async () => {
        const [id, uuid] = [await begun(), newId()];
        ok(await reported('restore_start', id, uuid));
        await pastDeadline([id]);
        await sweep();
        ok(await reported('restore_error', id, uuid, { error_message: 'no space' }));
        expect(await counted()).toEqual(FAILED);
        expect(await facts([id])).toEqual([
          { result: 'failed', failure_reason: 'no space', failure_reason_label: 'no_space' },
        ]);
      });

      it('count as failed when no node takes them up, and a late attempt counts for itself', async () => {
        const id = await begun();
        await pastDeadline([id]);
        await sweep();
        await sweep();
        expect(await counted()).toEqual(FAILED);
        const { body } = await counting.viewer.get(`/v1/operations/${id}`);
        expect(body).toMatchObject({
          op_type: 'restore',
          action_id: id,
          restore_uuid: '',
          result: 'failed',
          workload_type: 'kubernetes',
        });
        ok(await reported('restore_success', id, newId(), { started_at: new Date(Date.now() - 5_000).toISOString() }));
        expect(await counted()).toEqual({ ...FAILED, succeeded: 1, timed: 1, summary: [1, 1] });
      });

      it('count as succeeded when they succeed during a sweep, and at most once as failed', async () => {
        const restores: { id: string; uuid: string }[] = [];
        for (let asked = 0; asked < 10; asked++) {
          const [id, uuid] = [await begun(), newId()];
          ok(await reported('restore_start', id, uuid));
          restores.push({ id, uuid });
        }
        await pastDeadline(restores.map(({ id }) => id));
        const successes = restores.map(({ id, uuid }) => reported('restore_success', id, uuid));
        const [, ...answers] = await Promise.all([sweep(), ...successes]);
        answers.forEach(ok);
        const after = await counted();
        expect(after).toMatchObject({ running: 0, succeeded: restores.length, summary: [0, restores.length] });
        expect(after.failed).toBeLessThanOrEqual(restores.length);
        expect(await actions(restores.map(({ id }) => id))).toEqual(
          restores.map(({ id }) => ({ id, status: 'ready', error: null })).sort((a, b) => a.id.localeCompare(b.id)),
        );
      });

      const uploadError = async (id: string) =>
        ok(await counting.controller.post('/v1/actions/upload', { action_id: id, status: 'error' }));

      it('count as failed when the node reports an error of the action alone, once it is silent', async () => {
        const [id, uuid] = [await begun(), newId()];
        ok(await reported('restore_start', id, uuid));
        for (let times = 0; times < 2; times++) await uploadError(id);
        await sweep();
        expect(await counted()).toMatchObject({ running: 1, failed: 0 });
        await pastDeadline([id]);
        await sweep();
        expect(await counted()).toEqual(FAILED);
      });

      it.each([
        ['with a start before', true],
        ['without a start before', false],
      ])('count once, for the reason that follows the error of the action, %s', async (_title, begins) => {
        const [id, uuid] = [await begun(), newId()];
        if (begins) ok(await reported('restore_start', id, uuid));
        await uploadError(id);
        ok(await reported('restore_error', id, uuid, { error_message: 'no space' }));
        await pastDeadline([id]);
        await sweep();
        expect(await counted()).toEqual({ ...FAILED, reasons: { no_space: 1 } });
      });

      it('count as failed when one container failed and the node of another falls silent', async () => {
        const [id, failed, silent] = [await begun(), newId(), newId()];
        const of = (name: string) => ({ metadata: { container_name: name } });
        ok(await reported('restore_error', id, failed, { error_message: 'no space', ...of('main') }));
        ok(await reported('restore_start', id, silent, of('sidecar')));
        await sweep();
        expect(await counted()).toMatchObject({ running: 1, failed: 1 });
        await pastDeadline([id]);
        await sweep();
        expect(await counted()).toEqual({
          ...FAILED,
          failed: 2,
          reasons: { no_space: 1, unanswered: 1 },
          summary: [2, 0],
        });
      });

      it('count as failed when they begin after the deadline and fall silent again', async () => {
        const [id, uuid] = [await begun(), newId()];
        await pastDeadline([id]);
        await sweep();
        ok(await reported('restore_start', id, uuid));
        await sweep();
        expect(await counted()).toMatchObject({ running: 1, failed: 1 });
        await pastDeadline([id]);
        await sweep();
        await sweep();
        expect(await counted()).toEqual({ ...FAILED, failed: 2, reasons: { unanswered: 2 }, summary: [2, 0] });
      });

      it('count as failed when an earlier release left them running, whatever ended their action', async () => {
        for (const status of ['error', 'ready']) {
          const [id, uuid] = [await begun(), newId()];
          ok(await reported('restore_start', id, uuid));
          await service.db.query('update actions set status = $2, ended_at = clock_timestamp() where id = $1', [
            id,
            status,
          ]);
          await pastDeadline([id]);
        }
        await sweep();
        expect(await counted()).toEqual({ ...FAILED, failed: 2, reasons: { unanswered: 2 }, summary: [2, 0] });
      });

      it.each(['no action', 'an unknown action', 'the action of a checkpoint'])(
        'count as failed after a silent day if they name %s, and once as succeeded when they report that late',
        async (named) => {
          const [uuid, started_at] = [newId(), new Date(Date.now() - 5_000).toISOString()];
          const { actionId } = await readyCheckpoint(counting, pod);
          const members = {
            'no action': {},
            'an unknown action': { action_id: newId() },
            'the action of a checkpoint': { action_id: actionId },
          }[named];
          const report = async (kind: RestoreEvent) =>
            ok(
              await reportRestore(counting, kind, {
                restore_uuid: uuid,
                started_at,
                ...members,
              }),
            );
          const silentFor = (hours: number) =>
            service.db.query(
              'update restores set updated_at = clock_timestamp() - make_interval(hours => $2) where restore_uuid = $1',
              [uuid, hours],
            );
          await report('restore_start');
          await silentFor(23);
          await sweep();
          expect(await counted()).toMatchObject({ running: 1, failed: 0 });
          await silentFor(25);
          await sweep();
          await sweep();
          expect(await counted()).toEqual(FAILED);
          const fact = async () => (await counting.viewer.get(`/v1/operations/${uuid}`)).body;
          expect(await fact()).toMatchObject({ result: 'failed', failure_reason: 'no report arrived for a day' });
          await report('restore_success');
          expect(await counted()).toEqual({ ...FAILED, succeeded: 1, timed: 1, summary: [0, 1] });
          expect(await fact()).toMatchObject({ result: 'succeeded', failure_reason: '' });
        },
      );

      it('go on after a day if a report arrives before the sweep has locked them', async () => {
        const uuid = newId();
        ok(await reportRestore(counting, 'restore_start', { restore_uuid: uuid }));
        const old = "update restores set updated_at = now() - interval '2 days' where restore_uuid = $1";
        await service.db.query(old, [uuid]);
        const report = await service.db.connect();
        try {
          await report.query('begin');
          await report.query('update restores set updated_at = now() where restore_uuid = $1', [uuid]);
          // It waits for nobody.
          await sweep();
        } finally {
          await report.query('commit');
          report.release();
        }
        await sweep();
        expect(await counted()).toMatchObject({ running: 1, failed: 0 });
      });

      it('go on while their action goes on, and while anything is reported', async () => {
        const [open, over] = [await begun(), await begun()];
        for (const id of [open, over]) ok(await reported('restore_start', id, newId()));
        await pastDeadline([open]);
        await service.db.query("update actions set answer_by = 'infinity' where id = $1", [open]);
        await uploadError(over);
        await sweep();
        expect(await counted()).toMatchObject({ running: 2, failed: 0 });
      });
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
    expect(await facts([id])).toEqual([
      { result: 'failed', failure_reason: 'no node answered in 600 seconds', failure_reason_label: 'unanswered' },
    ]);
  });
});
