import type { NestExpressApplication } from '@nestjs/platform-express';
import { ClustersService } from '../../../../src/2-inventory/clusters/clusters.service';
import { ActionsService } from '../../../../src/3-checkpointing/checkpoints/actions/actions.service';
import { eventually } from '../../../support/eventually';
import { lockAwaited } from '../../../support/pause';
import {
  actionsOf,
  allBeaten,
  buildPolicy,
  endActions,
  heartbeat,
  maintenance,
  makeDue,
  ofNamespace,
  retryNow,
  rounds,
  storedPolicy,
  type Trigger,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, podResource, syncAll } from '../../../support/workloads';

const PODS = 1_200;
/** The bound of one transaction. */
const AT_ONCE = 500;

describe('a beat of a policy with many workloads', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let apps: NestExpressApplication[];

  beforeAll(async () => {
    service = await Service.start();
    apps = [service.app, (await service.replica()).app];
    org = await service.organisation();
    clusterId = await buildCluster(org);
    await syncAll(
      org.controller,
      clusterId,
      Array.from({ length: PODS }, () => podResource()),
    );
    // As autovacuum does soon after.
    await service.db.query('analyze pods');
  });
  afterEach(() => endActions(service));
  afterAll(() => service.close());

  const build = (trigger: Trigger) => buildPolicy(org, ofNamespace(clusterId), trigger);

  /** Sizes of the transactions that made the actions of a policy, the largest first. */
  async function transactions(id: string): Promise<number[]> {
    const { rows } = await service.db.query<{ made: number }>(
      'select count(*)::int as made from actions where policy_id = $1 group by xmin::text order by 1 desc',
      [id],
    );
    return rows.map(({ made }) => made);
  }

  /** Every pod was requested once in each beat. @returns the times of the beats */
  async function beatsOf(id: string): Promise<Date[]> {
    const byBeat = Map.groupBy(await actionsOf(service, id), ({ beat_at }) => beat_at.getTime());
    for (const actions of byBeat.values()) {
      expect(actions.length).toBe(PODS);
      expect(new Set(actions.map(({ pod_uid }) => pod_uid)).size).toBe(PODS);
    }
    return [...byBeat.keys()].sort((a, b) => a - b).map((time) => new Date(time));
  }

  /** Fails the beat after this many requests, as a lost connection would. @returns what lets it go on */
  async function failAfter(id: string, requests: number): Promise<() => Promise<unknown>> {
    await service.db.query(`
      create function refuse() returns trigger language plpgsql as $f$ begin
        if (select count(*) from actions where policy_id = new.policy_id) > ${requests} then raise exception 'refused'; end if;
        return null;
      end $f$`);
    await service.db.query(
      `create trigger refused after insert on actions for each row when (new.policy_id = '${id}') execute function refuse()`,
    );
    return () => service.db.query('drop function refuse cascade');
  }

  it.each([
    ['heartbeat', heartbeat()],
    ['window', maintenance(-60, 3600)],
  ])('is requested by bounded transactions, each workload once: %s', async (_what, trigger) => {
    const id = await build(trigger);
    await makeDue(service, [id]);
    await rounds([...apps, ...apps]);
    await allBeaten(service, [id]);
    const [beat] = await beatsOf(id);
    expect(await transactions(id)).toEqual([AT_ONCE, AT_ONCE, PODS - 2 * AT_ONCE]);
    expect((await storedPolicy(service, id))?.last_beat_at).toEqual(beat);
    await service.db.query('delete from policies where id = $1', [id]);
  });

  it.each([
    ['begins', 0],
    ['goes on', AT_ONCE],
  ])('%s in the same round while a report holds the policy for a moment', async (_what, requested) => {
    const id = await build(heartbeat());
    await makeDue(service, [id]);
    const report = await service.db.connect();
    const hold = () => report.query('select from policies where id = $1 for no key update', [id]);
    // Each transaction holds the cluster first. The report gets the policy before the second one asks for it.
    const clusters = service.app.get(ClustersService);
    const tryHold = clusters.tryHold.bind(clusters);
    const spy = jest.spyOn(clusters, 'tryHold');
    if (requested > 0)
      spy.mockImplementationOnce(tryHold).mockImplementationOnce(async (...asked) => {
        await hold();
        return tryHold(...asked);
      });
    try {
      await report.query('begin');
      if (requested === 0) await hold();
      const round = rounds([service.app]);
      await eventually(async () => expect((await actionsOf(service, id)).length).toBe(requested));
      await lockAwaited(service.db);
      expect((await actionsOf(service, id)).length).toBe(requested);
      await report.query('rollback');
      await round;
    } finally {
      await report.query('rollback');
      report.release();
      spy.mockRestore();
    }
    expect((await actionsOf(service, id)).length).toBe(PODS);
    expect((await storedPolicy(service, id))?.next_at?.getTime()).toBeGreaterThan(Date.now());
    await service.db.query('delete from policies where id = $1', [id]);
  });

  it('goes on where it was interrupted, on the same beat, however many others were due since', async () => {
    const id = await build(heartbeat(10));
    await makeDue(service, [id]);
    const goOn = await failAfter(id, AT_ONCE);
    await rounds(apps);
    expect((await actionsOf(service, id)).length).toBe(AT_ONCE);
    const begun = (await actionsOf(service, id))[0]?.beat_at as Date;
    const due = await storedPolicy(service, id);
    expect(due?.next_at?.getTime()).toBeLessThanOrEqual(begun.getTime());

    // Its beat was due 35 seconds ago, and some of its actions have ended since.
    await endActions(service);
    const earlierBy = "- interval '35 seconds'";
    await service.db.query(`update policies set next_at = next_at ${earlierBy} where id = $1`, [id]);
    await service.db.query(`update actions set beat_at = beat_at ${earlierBy} where policy_id = $1`, [id]);
    await goOn();
    await retryNow(service);
    await rounds([service.app]);
    const earlier = new Date(begun.getTime() - 35_000);
    expect((await beatsOf(id))[0]).toEqual(earlier);
    // The beats that were missed meanwhile are replaced by one, on the grid.
    await endActions(service);
    await rounds([service.app]);
    await allBeaten(service, [id]);
    const beats = await beatsOf(id);
    expect(beats.length).toBe(2);
    expect((Number(beats[1]) - Number(beats[0])) % 10_000).toBe(0);
    await service.db.query('delete from policies where id = $1', [id]);
  });

  it('ends although the rest of its workloads fell silent', async () => {
    const id = await build(heartbeat());
    await makeDue(service, [id]);
    const goOn = await failAfter(id, AT_ONCE);
    await rounds([service.app]);
    await goOn();
    const asked = (await actionsOf(service, id)).map(({ pod_uid }) => pod_uid);
    await service.db.query(
      "update nodes set synced_at = clock_timestamp() - interval '6 minutes' where cluster_id = $1",
      [clusterId],
    );
    await retryNow(service);
    await rounds([service.app]);
    await service.db.query('update nodes set synced_at = clock_timestamp() where cluster_id = $1', [clusterId]);
    await allBeaten(service, [id]);
    expect((await actionsOf(service, id)).map(({ pod_uid }) => pod_uid)).toEqual(asked);
    await service.db.query('delete from policies where id = $1', [id]);
  });

  it('does not spend its transactions on workloads whose checkpoint is open', async () => {
    const [first, second] = [await build(heartbeat()), await build(heartbeat())];
    await makeDue(service, [first]);
    await rounds([service.app]);
    await makeDue(service, [second]);
    const requests = jest.spyOn(service.app.get(ActionsService), 'requestCheckpoints');
    await rounds([service.app]);
    expect(requests).not.toHaveBeenCalled();
    await allBeaten(service, [first, second]);
    expect([(await actionsOf(service, first)).length, (await actionsOf(service, second)).length]).toEqual([PODS, 0]);
  });
});
