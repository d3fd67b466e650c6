import { setImmediate as turn } from 'node:timers/promises';
import { newId } from '../../../src/common/ids';
import { inSlices } from '../../../src/common/slices';
import { UnitOfWork } from '../../../src/database/unit-of-work';
import { cluster } from '../../support/inventory';
import { Service, type Organisation } from '../../support/service';

/** Tasks that want slices all the time. */
const COMPETITORS = 60;
const PODS = 6_000;

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
  const sample = (place: number) => ({
    route: 'r',
    profile_id: 'p',
    metric_name: 'm',
    value: place,
    timestamp: 1_767_225_600_000,
  });

  it('judges a long list before a transaction is opened', async () => {
    const samples = Array.from({ length: 5_000 }, (_, place) => sample(place));
    const opened = jest.spyOn(service.app.get(UnitOfWork), 'run');
    const faulty = [...samples, { ...sample(0), value: 'many' }];
    const refused = await org.controller.post('/v1/inference/router/metrics', { samples: faulty }, keyed());
    expect(refused.status).toBe(400);
    expect(opened).not.toHaveBeenCalled();
    expect((await org.controller.post('/v1/inference/router/metrics', { samples }, keyed())).status).toBe(200);
    expect(opened).toHaveBeenCalledTimes(1);
  });

  // The transaction of a batch with a key is the longest.
  it('stores a batch while many others want slices, because its transaction does not wait for them', async () => {
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
    const burn = () => {
      const end = performance.now() + 5;
      while (performance.now() < end);
    };
    const competitors = Array.from({ length: COMPETITORS }, () => inSlices(steps(), burn));
    try {
      await turn();
      const answer = await org.controller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources }, keyed());
      expect([answer.status, answer.body]).toEqual([200, { synced: PODS, failed: [] }]);
    } finally {
      over = true;
      await Promise.all(competitors);
    }
  }, 120_000);
});
