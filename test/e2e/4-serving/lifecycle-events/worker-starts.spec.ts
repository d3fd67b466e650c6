import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { lockNumber } from '../../../../src/1-platform/database/transactions/advisory-locks';
import { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { onThisMachine } from '../../../support/machine';
import {
  activationOf,
  buildArtifact,
  buildEvent,
  createProfile,
  report as reportActivation,
  reportPhase,
  reportEvent,
} from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';
import { nodeResource, podResource, syncAll } from '../../../support/workloads';
import { untilServed } from '../../../support/until-served';

const CHECKPOINT = 's3://checkpoints/worker';

/** What counts as a restore: a worker with a checkpoint to restore, which became ready. */
describe('a start of a worker', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let profile: { profile_id: string; compatibility_key: string };
  let artifactId: string;
  let clock: number;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = (await org.operator.post('/v1/cluster', { cluster_name: 'cluster' })).text;
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    profile = await createProfile(org);
    artifactId = `artifact-${newId()}`;
    const uri = `${CHECKPOINT}/${artifactId}`;
    await org.controller.post('/v1/inference/artifacts', buildArtifact(profile, artifactId, { uri }));
    // Events carry the time of the cluster, a little before they arrive.
    clock = Date.now() - 60_000;
  });

  const phases = async (...names: string[]) => {
    for (const phase of names) expect((await reportPhase(org.controller, profile.profile_id, phase)).status).toBe(204);
  };
  const report = async (kind: string, overrides: JsonObject = {}) => {
    const occurred_at = new Date((clock += 100)).toISOString();
    const event = buildEvent(clusterId, profile.profile_id, { kind, occurred_at, ...overrides });
    expect((await reportEvent(org.controller, event)).status).toBe(204);
    return event;
  };
  const counts = async () => {
    const { body } = await org.viewer.get(`/v1/inference/artifacts/${artifactId}`);
    const { observed_restores, observed_restore_attempts, last_restored_at } = body as JsonObject;
    return [observed_restore_attempts, observed_restores, last_restored_at];
  };
  const starts = async () =>
    (await service.db.query('select * from starts where profile_id = $1 order by began_at', [profile.profile_id])).rows;
  const progress = async () =>
    (await org.viewer.get(`/v1/inference/profiles/${profile.profile_id}/progress`)).body as JsonObject;
  const reported = () => ({ payload: { restore_checkpoint_path: `${CHECKPOINT}/${artifactId}` } });
  const restoring = (overrides: JsonObject = {}) => report('worker.restoring', { ...reported(), ...overrides });

  it('is cold unless a checkpoint is reported', async () => {
    await report('worker.scheduled');
    await phases('Pending', 'Loading', 'Ready');
    expect(await progress()).toMatchObject({ start_kind: 'cold', restore_checkpoint_path: null, ready: true });
    expect(await counts()).toEqual([0, 0, null]);
  });

  it('is a restore if the worker names a checkpoint, and only an attempt until it is ready', async () => {
    await report('worker.scheduled');
    await phases('Pending');
    await restoring();
    expect(await counts()).toEqual([1, 0, null]);
    await phases('Restoring', 'Ready');
    const { ready_at: readyAt, restore_checkpoint_path: path, start_kind: kind } = await progress();
    expect([path, kind]).toEqual([`${CHECKPOINT}/${artifactId}`, 'restore']);
    expect(await counts()).toEqual([1, 1, readyAt]);
  });

  it('is a restore from an artifact that is named without its path', async () => {
    await report('restore.started', { artifact_id: artifactId });
    await phases('Restoring', 'Ready');
    expect(await progress()).toMatchObject({ start_kind: 'restore', restore_checkpoint_path: null });
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
  });

  it('is no restore if the restore failed', async () => {
    await report('worker.scheduled');
    await restoring();
    await phases('Restoring', 'Failed');
    expect(await counts()).toEqual([1, 0, null]);
  });

  it('is counted anew for each worker', async () => {
    for (let times = 0; times < 3; times++) {
      await report('worker.scheduled');
      await restoring();
      await phases('Restoring', 'Ready', 'Suspended');
      clock = Date.now();
    }
    expect(await counts()).toMatchObject([3, 3, expect.any(String)]);
    expect(await starts()).toHaveLength(3);
  });

  it('has the right times when events arrive after the reports that they caused', async () => {
    const scheduledAt = clock;
    clock = Date.now();
    await phases('Pending');
    await restoringLater();
    await phases('Ready');
    const before = await progress();
    expect(before).toMatchObject({ start_kind: 'restore' });
    clock = scheduledAt;
    const scheduled = await report('worker.scheduled');
    const after = await progress();
    expect(after).toMatchObject({ activation_started_at: scheduled.occurred_at, ready_at: before.ready_at });
    expect(after.cold_start_ms).toBe(Date.parse(String(after.ready_at)) - Date.parse(String(scheduled.occurred_at)));
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
  });
  const restoringLater = () => restoring();

  describe('whose events arrive in any order', () => {
    const LIFE = ['worker.scheduled', 'worker.pulling', 'worker.loading', 'model.ready', 'worker.stopped'];
    const began = Date.now() - 120_000;
    const times = async (): Promise<unknown> =>
      (
        await service.db.query(
          'select began_at, beginning_seen, ready_at, failed_at, ended_at from starts where profile_id = $1',
          [profile.profile_id],
        )
      ).rows;
    const moment = (place: number): Date => new Date(began + place * 10_000);
    const expected = [
      { began_at: moment(0), beginning_seen: true, ready_at: moment(3), failed_at: null, ended_at: moment(4) },
    ];
    const send = (kind: string, workload_uid: string | null) =>
      report(kind, {
        occurred_at: moment(LIFE.indexOf(kind)).toISOString(),
        ...(workload_uid ? { workload_uid } : {}),
      });
    const ORDERS = [
      ['model.ready', 'worker.stopped', 'worker.loading', 'worker.pulling', 'worker.scheduled'],
      ['worker.stopped', 'model.ready', 'worker.scheduled', 'worker.loading', 'worker.pulling'],
      ['worker.loading', 'model.ready', 'worker.scheduled', 'worker.stopped', 'worker.pulling'],
      ['worker.pulling', 'worker.stopped', 'worker.scheduled', 'model.ready', 'worker.loading'],
      LIFE,
    ];

    it.each(ORDERS.map((order) => [order]))('has the same times: %j', async (order) => {
      for (const workloadUid of [newId(), null]) {
        profile = await createProfile(org);
        for (const kind of order) await send(kind, workloadUid);
        expect(await times()).toEqual(expected);
      }
    });

    it('has the same times when all events arrive at once, on a profile without any report', async () => {
      for (let round = 0; round < 8; round++) {
        profile = await createProfile(org);
        const workloadUid = round % 2 ? newId() : null;
        await Promise.all(LIFE.map((kind) => send(kind, workloadUid)));
        expect(await times()).toEqual(expected);
      }
    });
  });

  describe('whose events arrive in every order', () => {
    /** Kind, second and pod of each event. */
    type Reported = readonly [kind: string, second: number, pod?: 'a' | 'b'];
    const SCENARIOS: (readonly [string, readonly Reported[]])[] = [
      [
        'a worker that fails and comes up again in its pod',
        [
          ['worker.scheduled', 1, 'a'],
          ['worker.failed', 3, 'a'],
          ['worker.scheduled', 4, 'a'],
          ['model.ready', 6, 'a'],
        ],
      ],
      [
        'a worker without a pod that fails and comes up again',
        [
          ['worker.scheduled', 1],
          ['worker.failed', 3],
          ['worker.scheduled', 4],
          ['model.ready', 6],
        ],
      ],
      [
        'model.ready without a pod while two come up',
        [
          ['worker.scheduled', 1, 'a'],
          ['worker.scheduled', 2, 'b'],
          ['model.ready', 3],
        ],
      ],
    ];
    const began = Date.now() - 600_000;
    const startsAfter = async (order: readonly Reported[], atOnce = false): Promise<unknown> => {
      profile = await createProfile(org);
      const pods = { a: newId(), b: newId() };
      const send = ([kind, second, pod]: Reported) =>
        report(kind, {
          occurred_at: new Date(began + second * 1_000).toISOString(),
          ...(pod === undefined ? {} : { workload_uid: pods[pod] }),
        });
      if (atOnce) await Promise.all(order.map(send));
      else for (const one of order) await send(one);
      const names = new Map(Object.entries(pods).map(([name, uid]) => [uid, name]));
      return ((await starts()) as Record<string, Date | string | null>[]).map(
        ({ began_at, ready_at, failed_at, ended_at, pod_uid }) => ({
          times: [began_at, ready_at, failed_at, ended_at].map((at) => at && (Number(at) - began) / 1_000),
          pod: names.get(String(pod_uid)) ?? null,
        }),
      );
    };
    const orders = <T>(all: readonly T[]): T[][] =>
      all.length === 0
        ? [[]]
        : all.flatMap((one, place) => orders(all.toSpliced(place, 1)).map((rest) => [one, ...rest]));

    it.each(SCENARIOS)('is the same: %s', async (_name, events) => {
      const expected = await startsAfter(events);
      for (const order of orders(events)) expect([order, await startsAfter(order)]).toEqual([order, expected]);
      for (let round = 0; round < 5; round++) expect(await startsAfter(events, true)).toEqual(expected);
    });

    it('keeps its id and its reported times when an earlier event arrives', async () => {
      const pod = { workload_uid: newId() };
      clock = Date.now() - 10_000;
      const at = clock;
      await report('worker.loading', pod);
      await phases('Loading', 'Ready');
      const [before] = (await starts()) as JsonObject[];
      clock = at - 5_000;
      const scheduled = await report('worker.scheduled', pod);
      expect(await starts()).toEqual([
        expect.objectContaining({
          id: before?.id,
          ready_at: before?.ready_at,
          began_at: new Date(String(scheduled.occurred_at)),
        }),
      ]);
    });

    it("is the same for a pod whose events are older than the profile's folded events", async () => {
      const [pod, other] = [newId(), newId()];
      const reported = (kind: string, second: number, workload_uid: string) =>
        report(kind, { occurred_at: new Date(began + second * 1_000).toISOString(), workload_uid });
      await reported('model.ready', 3, pod);
      await reported('worker.scheduled', 20, other);
      // More steps of the other worker than are folded.
      await service.db.query(
        `insert into lifecycle_events (org_id, event_id, kind, occurred_at, cluster_id, profile_id, workload_uid)
         select $1, gen_random_uuid(), 'worker.loading', $2::timestamptz + make_interval(secs => n / 100.0), $3, $4, $5 from generate_series(1, 600) n`,
        [org.id, new Date(began + 20_000), clusterId, profile.profile_id, other],
      );
      await reported('worker.stopped', 5, pod);
      await reported('worker.scheduled', 1, pod);
      const at = (second: number) => new Date(began + second * 1_000);
      expect(await starts()).toMatchObject([
        { began_at: at(1), ready_at: at(3), ended_at: at(5), pod_uid: pod },
        { began_at: at(20), ready_at: null, ended_at: null, pod_uid: other },
      ]);
    });

    it('reads no earlier events for an event that arrives in order', async () => {
      const pod = { workload_uid: newId() };
      await report('worker.scheduled', pod);
      const prepared = jest.spyOn(Tx.prototype, 'prepared');
      await report('worker.loading', pod);
      const names = prepared.mock.calls.map(([{ name }]) => name);
      prepared.mockClear();
      await report('model.ready', pod);
      const ready = prepared.mock.calls.map(([{ name }]) => name);
      prepared.mockRestore();
      const reads = ['lifecycle-event', 'starts-lock', 'starts-recent', 'lifecycle-standing'];
      const known = (all: readonly string[]) => all.filter((name) => /^(starts?|lifecycle|activation)-/.test(name));
      expect(known(names)).toEqual(reads);
      expect(known(ready)).toEqual([...reads, 'starts-save', 'activation-follow-starts']);
    });
  });

  it('becomes ready by a model.ready without a pod if it is the only one in progress', async () => {
    const readyAt = async () => ((await starts()) as { ready_at: Date | null }[]).map(({ ready_at }) => ready_at);
    await report('worker.scheduled', { workload_uid: newId() });
    const first = await report('model.ready');
    expect(await readyAt()).toEqual([new Date(String(first.occurred_at))]);
    await report('worker.scheduled', { workload_uid: newId() });
    await report('worker.scheduled', { workload_uid: newId() });
    await report('model.ready');
    expect(await readyAt()).toEqual([new Date(String(first.occurred_at)), null, null]);
  });

  it('may become a restore after the worker is gone, by late events', async () => {
    await report('worker.scheduled');
    await phases('Loading', 'Ready', 'Suspended');
    expect(await counts()).toEqual([0, 0, null]);
    await restoring();
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
  });

  it('ends when the worker stops, and the next worker begins another start', async () => {
    await report('worker.scheduled');
    await phases('Loading', 'Ready');
    clock = Date.now() - 1_000;
    const stopped = await report('worker.stopped');
    // Without a serving worker the profile is not ready, whatever was reported before.
    expect(await activationOf(org.viewer, profile.profile_id)).toMatchObject({
      activation_started_at: null,
      ready_at: null,
      ready: false,
      endpoint: null,
    });
    await report('worker.scheduled');
    await restoring();
    await phases('Restoring', 'Ready');
    const [first, second, ...more] = await starts();
    expect(more).toEqual([]);
    expect(first.ended_at.toISOString()).toBe(stopped.occurred_at);
    expect(second).toMatchObject({ ended_at: null, artifact_id: artifactId, ready_at: expect.any(Date) });
  });

  it('counts a further replica as a start of its own, which becomes ready by its own event', async () => {
    const [one, two] = [newId(), newId()];
    await report('worker.scheduled', { workload_uid: one });
    await phases('Loading', 'Ready');
    clock = Date.now();
    await report('worker.scheduled', { workload_uid: two });
    await restoring({ workload_uid: two });
    expect(await counts()).toEqual([1, 0, null]);
    await report('model.ready', { workload_uid: two });
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
    expect(await activationOf(org.viewer, profile.profile_id)).toMatchObject({ ready: true, phase: 'Ready' });
    await report('worker.stopped', { workload_uid: one });
    const rows = await starts();
    expect(rows.map(({ pod_uid: uid, ended_at: end }) => [uid, end !== null])).toEqual([
      [one, true],
      [two, false],
    ]);
    await phases('Suspended');
    expect((await starts()).every(({ ended_at: end }) => end !== null)).toBe(true);
  });

  it('counts no restore of a worker that failed if only its sibling became ready, whichever event came last', async () => {
    const [one, two] = [newId(), newId()];
    await phases('Pending');
    await report('worker.scheduled', { workload_uid: one });
    await report('worker.scheduled', { workload_uid: two });
    await restoring({ workload_uid: two });
    await report('model.ready', { workload_uid: one });
    await phases('Ready');
    await report('worker.failed', { workload_uid: two });
    expect(await counts()).toEqual([1, 0, null]);
  });

  describe('in a pod, of a controller that lists its workers,', () => {
    const worker = (workload_uid: string, ready: boolean) => ({
      workload_uid,
      endpoint: 'http://10.0.0.1:8000',
      ready,
    });
    const lists = async (phase: string, workers: readonly JsonObject[]) => {
      const ready = workers.some((one) => one.ready);
      const body = { phase, ready, endpoint: null, workers };
      expect((await reportActivation(org.controller, profile.profile_id, body)).status).toBe(204);
    };

    it('goes on while its controller has restarted, and does not know yet that it serves', async () => {
      const uid = newId();
      await report('worker.scheduled', { workload_uid: uid });
      await report('model.ready', { workload_uid: uid });
      await lists('Ready', [worker(uid, true)]);
      await lists('Loading', []);
      expect(await activationOf(org.viewer, profile.profile_id)).toMatchObject({ ready: false, phase: 'Loading' });
      await lists('Ready', [worker(uid, true)]);
      expect(await starts()).toMatchObject([{ pod_uid: uid, ended_at: null, failed_at: null }]);
      expect(await activationOf(org.viewer, profile.profile_id)).toMatchObject({ ready: true, phase: 'Ready' });
    });

    it('has not failed while the profile has, because of those before it', async () => {
      const uids = [newId(), newId()];
      for (const uid of uids) {
        await report('worker.scheduled', { workload_uid: uid });
        await lists('Failed', []);
        if (uid === uids[0]) await report('worker.failed', { workload_uid: uid });
      }
      const rows = () => starts().then((all) => all.map(({ pod_uid, failed_at }) => [pod_uid, failed_at !== null]));
      expect(await rows()).toEqual([
        [uids[0], true],
        [uids[1], false],
      ]);
      await lists('Ready', [worker(uids[1]!, true)]);
      await report('model.ready', { workload_uid: uids[1] });
      expect(await starts()).toMatchObject([{}, { failed_at: null, ended_at: null, ready_at: expect.any(Date) }]);
    });

    it('is not ready because another replica is, whether that is reported before its event or after it', async () => {
      for (const reportFirst of [true, false]) {
        profile = await createProfile(org);
        clock = Date.now() - 60_000;
        const [one, two] = [newId(), newId()];
        await report('worker.scheduled', { workload_uid: one });
        await report('worker.scheduled', { workload_uid: two });
        await lists('Loading', []);
        const serves = [
          () => lists('Ready', [worker(one, false), worker(two, true)]),
          () => report('model.ready', { workload_uid: two }),
        ];
        for (const step of reportFirst ? serves : serves.toReversed()) await step();
        expect(await starts()).toMatchObject([
          { pod_uid: one, ready_at: null },
          { pod_uid: two, ready_at: expect.any(Date) },
        ]);
        await lists('Ready', [worker(one, true), worker(two, true)]);
        await report('model.ready', { workload_uid: one });
        expect(await starts()).toMatchObject([{ ready_at: expect.any(Date) }, { ready_at: expect.any(Date) }]);
      }
    });

    it('is known to be in its pod by reports that it began before', async () => {
      await lists('Loading', []);
      const uid = newId();
      clock = Date.now();
      await report('worker.loading', { workload_uid: uid });
      await lists('Failed', []);
      expect(await starts()).toMatchObject([{ pod_uid: uid, failed_at: null }]);
    });
  });

  it('knows the replacement of a serving worker from events, and counts it as current with its first report', async () => {
    const [one, two] = [newId(), newId()];
    await report('worker.scheduled', { workload_uid: one });
    await phases('Loading', 'Ready');
    clock = Date.now() - 1_000;
    const scheduled = await report('worker.scheduled', { workload_uid: two });
    await restoring({ workload_uid: two });
    await phases('Restoring');
    expect(await activationOf(org.viewer, profile.profile_id)).toMatchObject({
      activation_started_at: scheduled.occurred_at,
      ready_at: null,
    });
    await phases('Ready');
    const rows = await starts();
    expect(rows).toMatchObject([
      { pod_uid: one, ended_at: expect.any(Date) },
      { pod_uid: two, ready_at: expect.any(Date), ended_at: null },
    ]);
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
  });

  it('is cold, and a restore attempt, if its restore failed', async () => {
    await report('worker.scheduled');
    await restoring();
    await report('restore.failed', { artifact_id: artifactId });
    await phases('Loading', 'Ready');
    expect(await progress()).toMatchObject({ start_kind: 'cold' });
    expect(await counts()).toEqual([1, 0, null]);
    // If the worker tries again, the result of the retry counts.
    await restoring();
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
  });

  it('is one per pod for many replicas, in any order of events', async () => {
    const pods = Array.from({ length: 30 }, () => newId());
    for (const workload_uid of pods) await report('worker.scheduled', { workload_uid });
    for (const workload_uid of pods) await restoring({ workload_uid });
    for (const workload_uid of pods) await report('worker.loading', { workload_uid });
    expect(await starts()).toHaveLength(30);
    expect(await counts()).toMatchObject([30, 0, null]);
    for (const workload_uid of pods) await report('worker.stopped', { workload_uid });
    expect((await starts()).every(({ ended_at: end }) => end !== null)).toBe(true);
  });

  it('is kept for each replica whose events overtake one another', async () => {
    const [a, b] = [newId(), newId()];
    const base = clock;
    const at = (second: number) => ({ occurred_at: new Date(base + second * 1_000).toISOString() });
    await report('worker.scheduled', { workload_uid: a, ...at(2) });
    await report('worker.scheduled', { workload_uid: b, ...at(1) });
    await restoring({ workload_uid: b, ...at(1.5) });
    await report('model.ready', { workload_uid: b, ...at(3) });
    await report('worker.stopped', { workload_uid: a, ...at(4) });
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
    const { activation_started_at: began } = (await activationOf(org.viewer, profile.profile_id)) ?? {};
    expect(began).toBe(at(1).occurred_at);
  });

  it('ends at once if its pod was reported as stopped before it began', async () => {
    const workload_uid = newId();
    const stopped = new Date(clock + 5_000).toISOString();
    await report('worker.stopped', { workload_uid, occurred_at: stopped });
    await restoring({ workload_uid });
    const [start] = await starts();
    expect(start.ended_at.toISOString()).toBe(stopped);
    expect(await counts()).toEqual([1, 0, null]);
  });

  it('takes the time of arrival from a worker whose clock is ahead', async () => {
    const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    await report('worker.scheduled', { occurred_at: ahead(24) });
    await restoring({ occurred_at: ahead(25) });
    await phases('Ready');
    const reported = await progress();
    expect(reported).toMatchObject({ start_kind: 'restore' });
    expect(reported.cold_start_ms).toBeGreaterThanOrEqual(0);
    expect(reported.cold_start_ms).toBeLessThan(onThisMachine(10_000));
    const { steps } = reported as unknown as { steps: { kind: string; elapsed_ms: number }[] };
    expect(steps.map(({ kind }) => kind).sort()).toEqual([
      'phase.Ready',
      'phase.Scheduling',
      'worker.restoring',
      'worker.scheduled',
    ]);
    for (const { elapsed_ms: elapsed } of steps) expect(elapsed).toBeLessThan(onThisMachine(10_000));
  });

  it('ends when the worker crashes and the next one begins', async () => {
    for (const workload_uid of [newId(), newId(), newId()]) {
      await restoring({ workload_uid });
      await report('worker.failed', { workload_uid });
    }
    expect((await starts()).map(({ ended_at: end }) => end !== null)).toEqual([true, true, false]);
    expect(await counts()).toEqual([3, 0, null]);
  });

  it('begins with the report of a ready worker even if its beginning was not reported', async () => {
    await phases('Ready');
    // A millisecond later, by the clock that dated the report: those of two processes may differ by some.
    const [begun] = await starts();
    await report('worker.stopped', { occurred_at: new Date(Number(begun.began_at) + 1).toISOString() });
    await phases('Warming', 'Ready');
    expect(await starts()).toMatchObject([
      { ended_at: expect.any(Date) },
      { ready_at: expect.any(Date), ended_at: null, beginning_seen: false },
    ]);
  });

  it('follows another one in the same pod after a failure, and the last one runs', async () => {
    const workload_uid = newId();
    await report('worker.scheduled', { workload_uid });
    await restoring({ workload_uid });
    await report('worker.failed', { workload_uid });
    await restoring({ workload_uid });
    await report('model.ready', { workload_uid });
    expect(await starts()).toMatchObject([
      { failed_at: expect.any(Date), ended_at: expect.any(Date), ready_at: null },
      { failed_at: null, ended_at: null, ready_at: expect.any(Date) },
    ]);
    expect(await counts()).toMatchObject([2, 1, expect.any(String)]);
  });

  it('ends when it failed, whoever reports its end later: an event, its controller, or the list of its pods', async () => {
    for (const end of [
      (workload_uid: string) => report('worker.stopped', { workload_uid }),
      () => phases('Suspended'),
      async (uid: string) => {
        await syncAll(org.controller, clusterId, [nodeResource('node-1'), podResource({ uid })]);
        const gone = podResource({ uid, version: 2, phase: 'Failed' });
        const metadata = { ...gone.metadata, deletionTimestamp: '2026-06-01T11:00:00Z' };
        await syncAll(org.controller, clusterId, [{ ...gone, metadata }]);
      },
    ]) {
      profile = await createProfile(org);
      const workload_uid = newId();
      await report('worker.scheduled', { workload_uid });
      await report('worker.failed', { workload_uid });
      await end(workload_uid);
      const [only] = await starts();
      expect([only.ended_at, only.failed_at]).toEqual([only.failed_at, expect.any(Date)]);
    }
  });

  it('is another one if a failed worker serves again, whether an event or its controller reports it first', async () => {
    for (const eventFirst of [true, false]) {
      profile = await createProfile(org);
      const workload_uid = newId();
      await report('worker.scheduled', { workload_uid });
      await phases('Loading', 'Failed');
      clock = Date.now() + 1_000;
      const serves = [() => report('model.ready', { workload_uid }), () => phases('Ready')];
      for (const one of eventFirst ? serves : serves.toReversed()) await one();
      expect(await starts()).toMatchObject([
        { pod_uid: workload_uid, failed_at: expect.any(Date), ended_at: expect.any(Date) },
        { pod_uid: workload_uid, failed_at: null, ended_at: null, ready_at: expect.any(Date), beginning_seen: false },
      ]);
      clock = Date.now() - 60_000;
    }
  });

  it('stays one if its controller lags behind the events', async () => {
    const workload_uid = newId();
    await report('worker.scheduled', { workload_uid });
    await restoring({ workload_uid });
    await phases('Restoring');
    await report('model.ready', { workload_uid });
    await phases('Loading', 'Ready');
    expect(await starts()).toMatchObject([{ pod_uid: workload_uid, ended_at: null, ready_at: expect.any(Date) }]);
    expect(await progress()).toMatchObject({ start_kind: 'restore' });
  });

  it('is not ended by the end of an unknown worker', async () => {
    await phases('Pending', 'Ready');
    for (const kind of ['worker.stopped', 'worker.failed'])
      await report(kind, { workload_uid: newId(), occurred_at: new Date().toISOString() });
    expect(await starts()).toMatchObject([{ ended_at: null, failed_at: null, pod_uid: null }]);
    expect(await activationOf(org.viewer, profile.profile_id)).toMatchObject({ ready: true });
  });

  it('applies the next report to the start that an event began', async () => {
    await phases('Pending', 'Ready');
    clock = Date.now() - 1_000;
    await report('worker.scheduled', { workload_uid: newId(), generation: 3 });
    await reportPhase(org.controller, profile.profile_id, 'Suspended', 2);
    await reportPhase(org.controller, profile.profile_id, 'Scheduling', 3);
    await reportPhase(org.controller, profile.profile_id, 'Ready', 3);
    expect(await starts()).toMatchObject([
      { ended_at: expect.any(Date) },
      { ended_at: null, ready_at: expect.any(Date) },
    ]);
  });

  it('ends with Suspended if the controller reports no generation, whatever generation the events have', async () => {
    await report('worker.scheduled', { generation: 5 });
    await phases('Pending', 'Suspended');
    expect(await starts()).toMatchObject([{ ended_at: expect.any(Date) }]);
    expect(
      (await reportEvent(org.controller, buildEvent(clusterId, profile.profile_id, { generation: 2 ** 53 - 1 })))
        .status,
    ).toBe(400);
  });

  it('shows no steps of the previous start, whose clock was ahead', async () => {
    await report('worker.scheduled', { occurred_at: new Date(Date.now() + 60_000).toISOString() });
    await phases('Ready', 'Suspended', 'Scheduling');
    const { steps } = (await progress()) as { steps: { kind: string; elapsed_ms: number }[] };
    expect(steps.map(({ kind }) => kind)).toEqual(['phase.Scheduling']);
  });

  it('uses the artifact that still lies at the path of a restore', async () => {
    const again = buildArtifact(profile, newId(), { uri: `${CHECKPOINT}/${artifactId}` });
    await org.controller.post('/v1/inference/artifacts', again);
    await org.operator.delete(`/v1/inference/artifacts/${String(again.artifact_id)}`);
    await restoring();
    expect(await counts()).toEqual([1, 0, null]);
  });

  it('ends the start of a pod that was never synced with its cluster', async () => {
    const own = (await org.operator.post('/v1/cluster', { cluster_name: newId() })).text;
    await reportEvent(org.controller, buildEvent(own, profile.profile_id, { workload_uid: newId() }));
    expect(await starts()).toMatchObject([{ ended_at: null }]);
    expect((await org.operator.delete(`/v1/cluster/${own}`)).status).toBe(200);
    expect(await starts()).toMatchObject([{ ended_at: expect.any(Date) }]);
  });

  describe('in a cluster that is deleted', () => {
    let own: string;
    let other: string;
    beforeEach(async () => {
      const made = [0, 1].map(() => org.operator.post('/v1/cluster', { cluster_name: newId() }));
      [own = '', other = ''] = (await Promise.all(made)).map(({ text }) => text);
    });
    const deleteOwn = async () => expect((await org.operator.delete(`/v1/cluster/${own}`)).status).toBe(200);
    const serves = (cluster_id: string, overrides: JsonObject = {}) =>
      reportActivation(org.controller, profile.profile_id, {
        cluster_id,
        endpoint: 'http://10.0.0.1:8000',
        ...overrides,
      });
    const activation = async () => {
      const { rows } = await service.db.query(
        'select ready, endpoint, workers, cluster_id, start_id from activations where profile_id = $1',
        [profile.profile_id],
      );
      return rows[0] as JsonObject;
    };
    const nobody = { ready: false, endpoint: null, workers: null, cluster_id: null, start_id: null };

    it('ends if only the reports of its controller are known', async () => {
      const workers = [{ workload_uid: newId(), endpoint: 'http://10.0.0.1:8000', ready: true }];
      expect((await serves(own, { workers })).status).toBe(204);
      expect(await starts()).toMatchObject([{ pod_uid: null, ended_at: null }]);
      await deleteOwn();
      expect(await starts()).toMatchObject([{ ended_at: expect.any(Date), reported_ended_at: expect.any(Date) }]);
      expect(await activation()).toEqual(nobody);
      const { rows } = await service.db.query(
        'select ready from activation_phases where profile_id = $1 order by ready desc',
        [profile.profile_id],
      );
      expect(rows).toEqual([{ ready: true }, { ready: false }]);
      // Its controller has not noticed yet.
      expect((await serves(own, { workers })).body.code).toBe('cluster_not_found');
      expect(await activation()).toEqual(nobody);
      expect((await serves(other)).status).toBe(204);
      expect(await starts()).toMatchObject([{ ended_at: expect.any(Date) }, { ended_at: null }]);
    });

    it('ends although retention has deleted the events that name its pod', async () => {
      const uid = newId();
      await reportEvent(org.controller, buildEvent(own, profile.profile_id, { workload_uid: uid }));
      await service.db.query('delete from lifecycle_events where workload_uid = $1', [uid]);
      await deleteOwn();
      expect(await starts()).toMatchObject([{ pod_uid: uid, cluster_id: own, ended_at: expect.any(Date) }]);
    });

    it('ends although an event named its pod after a report had begun it', async () => {
      const uid = newId();
      await phases('Loading');
      await reportEvent(
        org.controller,
        buildEvent(own, profile.profile_id, { kind: 'model.ready', workload_uid: uid }),
      );
      await service.db.query('delete from lifecycle_events where workload_uid = $1', [uid]);
      await deleteOwn();
      expect(await starts()).toMatchObject([{ pod_uid: uid, cluster_id: own, ended_at: expect.any(Date) }]);
    });

    it('ends if an earlier release has not noted where it is', async () => {
      const [named, unnamed] = [newId(), newId()];
      for (const workload_uid of [named, unnamed])
        await reportEvent(org.controller, buildEvent(own, profile.profile_id, { workload_uid }));
      await service.db.query('update starts set cluster_id = null where profile_id = $1', [profile.profile_id]);
      await service.db.query('delete from lifecycle_events where workload_uid = $1', [unnamed]);
      expect((await serves(own)).status).toBe(204);
      await deleteOwn();
      expect(await starts()).toMatchObject([{ ended_at: expect.any(Date) }, { ended_at: expect.any(Date) }]);
    });

    it('stays if it runs in another cluster', async () => {
      const uid = newId();
      await reportEvent(org.controller, buildEvent(other, profile.profile_id, { workload_uid: uid }));
      await reportEvent(
        org.controller,
        buildEvent(other, profile.profile_id, { kind: 'model.ready', workload_uid: uid }),
      );
      expect((await serves(own)).status).toBe(204);
      await deleteOwn();
      const [start, ...others] = await starts();
      expect([start, others]).toMatchObject([{ pod_uid: uid, cluster_id: other, ended_at: null }, []]);
      // Nobody reports any more how to reach it.
      expect(await activation()).toEqual({ ...nobody, start_id: start.id });
    });

    it('stays if another cluster has taken its profile over', async () => {
      await reportEvent(org.controller, buildEvent(own, profile.profile_id, {}));
      expect((await serves(other)).status).toBe(204);
      await deleteOwn();
      expect(await starts()).toMatchObject([{ pod_uid: null, ended_at: null }]);
      expect(await activation()).toMatchObject({ ready: true, cluster_id: other });
    });

    it('is not begun by a report that takes the profile for it meanwhile', async () => {
      // As a deletion does, from its first statement on.
      const deleting = await service.db.connect();
      try {
        await deleting.query('begin');
        await deleting.query(`select pg_advisory_xact_lock(${lockNumber('cluster')})`.replaceAll('$id', `'${own}'`));
        for (const phase of ['new', 'known']) {
          expect([phase, (await serves(own)).body.code]).toEqual([phase, 'activation_busy']);
          if (phase === 'new') await serves(other, { phase: 'Suspended', ready: false, desired_state: 'Suspended' });
        }
      } finally {
        await deleting.query('rollback');
        deleting.release();
      }
      expect(await starts()).toEqual([]);
    });
  });

  it('keeps what one event names and a later one omits', async () => {
    await report('worker.restoring', { payload: { restore_checkpoint_path: '/unregistered' } });
    await report('restore.started', { artifact_id: artifactId });
    await phases('Ready');
    expect(await progress()).toMatchObject({ restore_checkpoint_path: '/unregistered', start_kind: 'restore' });
    expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
  });

  it('survives many concurrent senders without a deadlock', async () => {
    const kinds = ['worker.restoring', 'checkpoint.completed', 'restore.started', 'worker.loading'];
    const node = { node_uid: newId(), boot_id: 'boot', artifact_id: artifactId };
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        untilServed(() =>
          reportEvent(
            org.controller,
            buildEvent(clusterId, profile.profile_id, { kind: kinds[n % 4], ...reported(), ...node }),
          ),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status !== 204)).toEqual([]);
    const { rows } = await service.db.query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });

  it('begins with the event if that precedes any report', async () => {
    const scheduled = await report('worker.scheduled');
    expect(await activationOf(org.viewer, profile.profile_id)).toMatchObject({
      phase: 'Scheduling',
      ready: false,
      observed_generation: 0,
      activation_started_at: scheduled.occurred_at,
    });
    await phases('Scheduling', 'Ready');
    expect(await starts()).toHaveLength(1);
    const { steps } = (await progress()) as { steps: { kind: string }[] };
    expect(steps.map(({ kind }) => kind)).toEqual(['phase.Scheduling', 'worker.scheduled', 'phase.Ready']);
  });

  it('is not ended by a report of an older generation', async () => {
    await phases('Suspended');
    clock = Date.now();
    await report('worker.scheduled', { generation: 4 });
    await reportPhase(org.controller, profile.profile_id, 'Suspended', 3);
    expect(await starts()).toMatchObject([{ ended_at: null }]);
    await reportPhase(org.controller, profile.profile_id, 'Suspended', 4);
    expect(await starts()).toMatchObject([{ ended_at: expect.any(Date) }]);
  });

  describe('of a pod that names its checkpoint itself', () => {
    const sync = async (uid: string) => {
      const resource = podResource({ uid, checkpoint: `${CHECKPOINT}/${artifactId}` });
      const node = {
        type: 'Node',
        kind: 'Node',
        metadata: { name: 'node-1', uid: 'node-1', resourceVersion: '1' },
        status: {},
      };
      await org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource: node });
      const answer = await org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource });
      expect(answer.status).toBe(200);
    };

    it.each(['before', 'after'])('is a restore if the pod is synced %s the first event', async (when) => {
      const uid = newId();
      if (when === 'before') await sync(uid);
      await report('worker.scheduled', { workload_uid: uid });
      if (when === 'after') await sync(uid);
      await phases('Pending', 'Ready');
      expect(await progress()).toMatchObject({ start_kind: 'restore' });
      expect(await counts()).toMatchObject([1, 1, expect.any(String)]);
    });

    it('fails beside others from the same artifact, one after the other', async () => {
      const uids = [newId(), newId(), newId()];
      for (const uid of uids) {
        await sync(uid);
        await report('worker.scheduled', { workload_uid: uid });
      }
      // Each event is stored after its artifact is held, and before that is changed. Repetitions count too.
      await service.db.query(`
        create sequence stored;
        create function store_slowly() returns trigger language plpgsql as $$
        begin perform nextval('stored'), pg_sleep(0.2); return new; end $$;
        create trigger store_slowly before insert on lifecycle_events for each row
        when (new.kind = 'restore.failed') execute function store_slowly()`);
      await Promise.all(
        uids.map((uid) => report('restore.failed', { workload_uid: uid, artifact_id: artifactId, payload: {} })),
      );
      const { rows } = await service.db.query('select last_value::int as count from stored');
      await service.db.query('drop function store_slowly cascade; drop sequence stored');
      expect(rows).toEqual([{ count: uids.length }]);
      const { body } = await org.viewer.get(`/v1/inference/artifacts/${artifactId}`);
      expect((body as { residency: JsonObject }).residency.state).toBe('restore_failed');
    });

    it('ends with its pod, even if no event says that the worker stopped', async () => {
      const uid = newId();
      await sync(uid);
      await report('worker.scheduled', { workload_uid: uid });
      await phases('Ready');
      const gone = podResource({ uid, version: 2, phase: 'Succeeded' });
      const metadata = { ...gone.metadata, deletionTimestamp: '2026-06-01T11:00:00Z' };
      const body = { cluster_id: clusterId, resource: { ...gone, metadata } };
      expect((await org.controller.post('/v1/cluster/sync', body)).status).toBe(200);
      expect(await starts()).toMatchObject([{ pod_uid: uid, ended_at: expect.any(Date) }]);
      const { profile_id: id } = profile;
      expect(await activationOf(org.viewer, id)).toMatchObject({ activation_started_at: null });
    });

    it('holds no node after the pod is gone, whatever events arrive late', async () => {
      const uid = newId();
      await sync(uid);
      const gone = podResource({ uid, version: 2, phase: 'Succeeded' });
      const metadata = { ...gone.metadata, deletionTimestamp: '2026-06-01T11:00:00Z' };
      await org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource: { ...gone, metadata } });
      await report('worker.loading', { workload_uid: uid });
      expect(await starts()).toMatchObject([{ ended_at: expect.any(Date) }]);
    });

    it('ends when its cluster is deleted', async () => {
      const uid = newId();
      const own = clusterId;
      try {
        clusterId = (await org.operator.post('/v1/cluster', { cluster_name: newId() })).text;
        await sync(uid);
        await report('worker.scheduled', { workload_uid: uid });
        await phases('Ready');
        expect((await org.operator.delete(`/v1/cluster/${clusterId}`)).status).toBe(200);
        expect(await starts()).toMatchObject([{ pod_uid: uid, ended_at: expect.any(Date) }]);
      } finally {
        clusterId = own;
      }
    });

    it('restores per profile if two profiles share the pod', async () => {
      const uid = newId();
      const other = await createProfile(org);
      await report('worker.scheduled', { workload_uid: uid });
      await reportEvent(org.controller, buildEvent(clusterId, other.profile_id, { workload_uid: uid }));
      await sync(uid);
      const { rows } = await service.db.query('select artifact_id from starts where profile_id = $1', [
        other.profile_id,
      ]);
      expect(rows).toEqual([{ artifact_id: null }]);
      expect(await counts()).toEqual([1, 0, null]);
    });

    it('takes the checkpoint of the event over that of the pod', async () => {
      const uid = newId();
      await sync(uid);
      await report('worker.scheduled', { workload_uid: uid });
      await report('worker.restoring', { workload_uid: uid, payload: { restore_checkpoint_path: '/other' } });
      await phases('Ready');
      expect(await progress()).toMatchObject({ start_kind: 'restore', restore_checkpoint_path: '/other' });
      expect(await counts()).toEqual([0, 0, null]);
    });
  });
});
