import { buildJob, buildNode, buildPod } from '../../../support/builders';
import { cluster, namesOf, syncObjects } from '../../../support/inventory';
import { Service, type Organisation } from '../../../support/service';

const DELETED = { metadata: { deletionTimestamp: '2026-03-01T12:00:00Z' } };
const AGO = "clock_timestamp() - interval '6 minutes'";

describe('what nothing reports any more', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await cluster(org);
    await syncObjects(
      org.controller,
      clusterId,
      ...[buildNode('n1'), buildNode('n2'), buildNode('n3', DELETED)],
      ...[buildPod('a', { spec: { nodeName: 'n1' } }), buildPod('b', { spec: { nodeName: 'n2' } })],
      buildPod('c', { ...DELETED, spec: { nodeName: 'n1' }, status: { phase: 'Failed' } }),
      ...[buildJob('j'), buildJob('k', { ...DELETED, status: { conditions: [{ type: 'Failed', status: 'True' }] } })],
    );
  });
  afterAll(() => service.close());

  const body = async (path: string, caller = org.viewer) => (await caller.get(path)).body;
  const nodes = async (query: string) => namesOf(await body(`/v1/nodes${query}`));
  const pods = async (query: string) => {
    const { pods: found, ...rest } = await body(`/v1/pods/paginated${query}`);
    return { names: namesOf(found), ...rest };
  };
  const jobs = async (query: string) => {
    const { jobs: found, ...rest } = await body(`/v1/jobs/paginated${query}`);
    return { names: namesOf(found), ...rest };
  };
  const none = { names: [], total_count: 0, available_filters: { statuses: [], namespaces: [] } };

  it('is listed on request, with its number, until it is reported as deleted', async () => {
    await service.db.query(`update nodes set synced_at = ${AGO} where org_id = $1 and name = 'n2'`, [org.id]);
    expect(await nodes('')).toEqual(['n1']);
    expect(await nodes('?silent=true')).toEqual(['n1', 'n2']);
    expect(await pods('')).toMatchObject({ names: ['a'], total_count: 1 });
    const both = { total_count: 2, available_filters: { statuses: ['Running'], namespaces: ['default'] } };
    expect(await pods('?silent=true')).toEqual({ names: ['a', 'b'], ...both });
    expect(await pods('?silent=true&pod_name=b')).toEqual({ names: ['b'], ...both, total_count: 1 });

    await service.db.query(`update clusters set last_sync = ${AGO}, created_at = ${AGO} where org_id = $1`, [org.id]);
    expect(await nodes('')).toEqual([]);
    expect(await nodes('?silent=true')).toEqual(['n1', 'n2']);
    expect(await pods('')).toEqual(none);
    expect(await pods(`?silent=true&cluster_id=${clusterId}`)).toEqual({ names: ['a', 'b'], ...both });
    expect(await jobs('')).toEqual(none);
    expect(await jobs('?silent=true')).toMatchObject({ names: ['j'], total_count: 1 });
    expect(await jobs('?silent=true&job_name=j')).toMatchObject({ names: ['j'], total_count: 1 });
    expect(await jobs('?silent=false')).toEqual(none);
  });

  it('is listed to its organisation only', async () => {
    const { viewer } = await service.organisation();
    expect(await body('/v1/nodes?silent=true', viewer)).toEqual([]);
    expect(await body('/v1/pods/paginated?silent=true', viewer)).toMatchObject({ pods: [], total_count: 0 });
    expect(await body('/v1/jobs/paginated?silent=true', viewer)).toMatchObject({ jobs: [], total_count: 0 });
  });

  it.each(['/v1/nodes', '/v1/pods/paginated', '/v1/jobs/paginated'])('is requested of %s by true', async (path) => {
    const answer = await org.viewer.get(`${path}?silent=yes`);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'silent']);
  });
});
