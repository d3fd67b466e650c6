import { buildNode, buildPod } from '../../../support/builders';
import { eventually } from '../../../support/eventually';
import { cluster } from '../../../support/inventory';
import { Service } from '../../../support/service';

describe('DELETE /v1/cluster/{id} while its agents keep reporting', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  it('succeeds at the first attempt, and the agents receive 404', async () => {
    const org = await service.organisation();
    const clusterId = await cluster(org);
    const node = buildNode('n1');
    const pods = Array.from({ length: 300 }, (_, i) => buildPod(`pod-${i}`, { spec: { nodeName: 'n1' } }));
    let version = 1;
    let over = false;
    const agent = async (statuses: number[]): Promise<number[]> => {
      while (!over && statuses.at(-1) !== 404) {
        const newer = pods.map((pod) => ({
          ...pod,
          metadata: { ...pod.metadata, resourceVersion: String(1_000 + version++) },
        }));
        const body = { cluster_id: clusterId, resources: [node, ...newer] };
        statuses.push((await org.controller.post('/v1/cluster/sync/batch', body)).status);
      }
      return statuses;
    };
    const received: number[][] = Array.from({ length: 4 }, () => []);
    const agents = received.map(agent);
    try {
      // Each agent found the cluster at first.
      await eventually(() => expect(received.map((statuses) => statuses[0])).toEqual(received.map(() => 200)));
      const deleted = await org.operator.delete(`/v1/cluster/${clusterId}`);
      expect(deleted.status).toBe(200);
      await eventually(() => expect(received.map((statuses) => statuses.at(-1))).toEqual(received.map(() => 404)));
    } finally {
      // Agents that continue after a failure would keep the test process alive.
      over = true;
      await Promise.allSettled(agents);
    }
    for (const statuses of await Promise.all(agents)) {
      expect(new Set(statuses.slice(0, -1))).toEqual(new Set([200]));
      expect(statuses.at(-1)).toBe(404);
    }
    const { rows } = await service.db.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(Number(rows[0].deadlocks)).toBe(0);
    expect((await service.db.query('select count(*) from pods')).rows).toEqual([{ count: '0' }]);
  });
});
