import { buildNode, buildPod } from '../../../support/builders';
import { cluster } from '../../../support/inventory';
import { Service, type Organisation } from '../../../support/service';

/** A container may end with any bytes in its termination message; one such pod must not block the others. */
describe('text that PostgreSQL cannot store', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await cluster(org);
  });
  afterAll(() => service.close());

  const message = (text: string) => ({ status: { containerStatuses: [{ state: { terminated: { message: text } } }] } });

  it('fails its resource in a batch, by index and path, and the others are stored', async () => {
    const resources = [
      buildNode('n1'),
      buildPod('sound'),
      buildPod('nul', message('a\0b')),
      buildPod('half', message('\ud800')),
    ];
    const answer = await org.controller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources });
    const place = 'status.containerStatuses[0].state.terminated.message';
    expect(answer.body).toEqual({
      synced: 2,
      failed: [
        { index: 2, message: expect.stringContaining(`${place} must not contain`) },
        { index: 3, message: expect.stringContaining(`${place} must not contain`) },
      ],
    });
    const { pods } = (await org.viewer.get('/v1/pods/paginated')).body as { pods: { name: string }[] };
    expect(pods.map(({ name }) => name)).toEqual(['sound']);
  });

  it('is answered with 400 and its path in a single sync', async () => {
    const answer = await org.controller.post('/v1/cluster/sync', {
      cluster_id: clusterId,
      resource: buildPod('nul', message('\0')),
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe('resource.status.containerStatuses[0].state.terminated.message');
  });
});
