import { setImmediate as turn } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import { inSlices } from '../../../../src/1-platform/common/work/slices';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { cluster } from '../../../support/inventory';
import { createProfile } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

/** Tasks that compete for slices all the time. */
const COMPETITORS = 60;
const PODS = 3_000;

describe('long work of a request', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const keyed = () => ({ 'idempotency-key': newId() });

  it('validates a list before it opens a transaction', async () => {
    const { profile_id: id } = await createProfile(org);
    const opened = jest.spyOn(service.app.get(UnitOfWork), 'run');
    const route = (priority: unknown) => ({
      logical_model: 'judged-first',
      targets: [{ profile_id: id, tier: 'small', priority }],
    });
    const refused = await org.operator.post('/v1/inference/routes', route('first'), keyed());
    expect(refused.status).toBe(400);
    expect(opened).not.toHaveBeenCalled();
    expect((await org.operator.post('/v1/inference/routes', route(1), keyed())).status).toBe(200);
    expect(opened).toHaveBeenCalled();
  });

  // A batch with a key has the longest transaction.
  it('stores a batch while many tasks compete for slices, because its transaction does not wait for them', async () => {
    const clusterId = await cluster(org);
    const resources = Array.from({ length: PODS }, (_, place) => ({
      type: 'Pod',
      metadata: { name: `pod-${place}`, namespace: 'team', uid: newId(), labels: { app: 'train', team: 'one' } },
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    }));
    let over = false;
    // Each step fills a slice.
    function* steps(): Iterable<void> {
      while (!over) yield;
    }
    // Blocks the event loop, and leaves the processor to other tests.
    const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    const competitors = Array.from({ length: COMPETITORS }, () => inSlices(steps(), block));
    try {
      await turn();
      const answer = await org.controller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources }, keyed());
      expect([answer.status, answer.body]).toEqual([200, { synced: PODS, failed: [] }]);
    } finally {
      over = true;
      await Promise.all(competitors);
    }
  });
});
