import { RestoredPods } from '../../../../src/3-checkpointing/operations/restored-pods';
import { WorkerStarts } from '../../../../src/4-serving/lifecycle-events/worker-starts';
import { buildPod } from '../../../support/builders';
import { cluster, namesOf, syncObject } from '../../../support/inventory';
import { Service, type Organisation } from '../../../support/service';

describe('a sync of pods', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await cluster(org);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const pods = async (): Promise<string[]> => namesOf((await org.viewer.get('/v1/pods')).body as { name: string }[]);

  it('stores nothing when an observer fails', async () => {
    const failing = jest.spyOn(service.app.get(WorkerStarts), 'observe').mockRejectedValue(new Error('out of order'));
    expect((await syncObject(org.controller, clusterId, buildPod('web'))).status).toBe(500);
    expect(failing).toHaveBeenCalledTimes(1);
    expect(await pods()).toEqual([]);
  });

  it('notifies every observer of the pods that changed, and of no others', async () => {
    const observers = [service.app.get(RestoredPods), service.app.get(WorkerStarts)];
    const calls = observers.map((observer) => jest.spyOn(observer, 'observe'));
    const pod = buildPod('web');
    for (let times = 0; times < 2; times++)
      expect((await syncObject(org.controller, clusterId, pod)).status).toBeLessThan(300);
    expect(await pods()).toEqual(['web']);
    for (const observe of calls)
      expect(observe.mock.calls.map(([, changed]) => namesOf([...changed]))).toEqual([['web']]);
  });
});
