import { podListing } from '../../../../src/2-inventory/pods/pods.queries';
import { buildNode, buildPod } from '../../../support/builders';
import { cluster, syncObjects } from '../../../support/inventory';
import { BY_INDEX, plansOf } from '../../../support/plans';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
beforeAll(async () => {
  service = await Service.start();
  org = await service.organisation();
  await syncObjects(org.controller, await cluster(org), ...['x-1', 'x-2', 'y'].map((name) => buildPod(name)));
});
afterAll(() => service.close());

const page = async (query: string) => (await org.viewer.get(`/v1/pods/paginated?${query}`)).body;

describe.each([
  ['name', 'pods_listed_by_name_idx'],
  ['age', 'pods_listed_by_age_idx'],
  ['node', 'pods_on_node_idx'],
  ['restarts', 'pods_listed_by_restarts_idx'],
])('a page of pods by %s', (sort, index) => {
  const plansOfPage = (ascending: boolean, after?: string): Promise<string[]> =>
    plansOf(service, org, (tx) => podListing.page(tx, {}, { sort, ascending, limit: 50, offset: 0, after }), BY_INDEX);

  it('is read in the order of an index, in both directions', async () => {
    for (const ascending of [true, false]) {
      const plans = await plansOfPage(ascending);
      expect(plans).toEqual([expect.stringContaining(`using ${index} `)]);
      expect(plans[0]!.includes('Backward')).toBe(!ascending);
    }
  });

  it('begins in the index at the row behind which it begins', async () => {
    const [{ id: after }] = (await page('')).pods;
    for (const ascending of [true, false]) {
      const [, plan] = await plansOfPage(ascending, after);
      const condition = new RegExp(`${index} [^]*?Index Cond: ([^\n]*)`).exec(plan!)?.[1];
      expect(condition).toMatch(ascending ? / > ROW\(/ : / < ROW\(/);
    }
  });
});

describe('the total of a page of named pods', () => {
  it.each([
    ['pod_name=x', 5, 0, 2],
    ['pod_name=x', 2, 0, 2],
    ['pod_name=x', 1, 0, 2],
    ['pod_name=x', 1, 1, 2],
    ['pod_name=x', 2, 1, 2],
    ['pod_name=x', 5, 7, 2],
    ['pod_name=nowhere', 5, 0, 0],
  ])('counts all of %s where the page has at most %i rows from %i on', async (query, limit, offset, total) => {
    expect((await page(`${query}&limit=${limit}&offset=${offset}`)).total_count).toBe(total);
  });

  it('counts all of them where the page begins behind a row', async () => {
    const [{ id }] = (await page('pod_name=x&limit=1')).pods;
    expect(await page(`pod_name=x&limit=5&after=${id}`)).toMatchObject({ pods: [{ name: 'x-2' }], total_count: 2 });
  });
});

describe('the total of more named pods than are found at once', () => {
  const PODS = 3_000;
  let many: Organisation;
  /** Of `many`: pods on five nodes each, every second one with a capital. */
  let clusters: string[];
  beforeAll(async () => {
    many = await service.organisation();
    clusters = [await cluster(many, 'one'), await cluster(many, 'two')];
    for (const clusterId of clusters) {
      const nodes = Array.from({ length: 5 }, (_, n) => buildNode(`n${n}`));
      await syncObjects(many.controller, clusterId, ...nodes);
      const insert = `
        insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers,
          total_containers, restarts, labels, object, deleted)
        select $1, gen_random_uuid(), $2, 'u' || n, case when n % 2 = 0 then 'Many-' else 'many-' end || n, 'ns-' || n % 20,
          case when n % 10 = 0 then '' else 'n' || n % 5 end, 'Running', 1, 1, n, '{}', '{}', n % 30 = 0
        from generate_series(1, $3::int) n`;
      await service.db.query(insert, [many.id, clusterId, PODS]);
    }
  });

  const LISTED = PODS - PODS / 30;
  const WITH_1 = Array.from({ length: PODS }, (_, n) => n + 1).filter((n) => n % 30 > 0 && `${n}`.includes('1'));

  const totals = async (query: string): Promise<number> => {
    const { pods, total_count: total } = (await many.viewer.get(`/v1/pods/paginated?limit=1&${query}`)).body;
    expect(pods).toHaveLength(1);
    return total;
  };
  const silence = (name: string) =>
    service.db.query("update nodes set synced_at = now() - interval '1 hour' where org_id = $1 and name = $2", [
      many.id,
      name,
    ]);

  it('counts those that the list shows, and no others', async () => {
    expect(await totals('pod_name=many')).toBe(2 * LISTED);
    expect(await totals('pod_name=-')).toBe(2 * LISTED);
    expect(await totals(`pod_name=many&cluster_id=${clusters[0]}`)).toBe(LISTED);
    expect(WITH_1.length).toBeGreaterThan(1_000);
    expect(await totals('pod_name=1')).toBe(2 * WITH_1.length);

    await silence('n1');
    const isOn = (place: number) => (n: number) => n % 10 > 0 && n % 5 === place;
    const onNode1 = Array.from({ length: PODS }, (_, n) => n + 1).filter((n) => n % 30 > 0 && isOn(1)(n)).length;
    expect(await totals('pod_name=many')).toBe(2 * (LISTED - onNode1));
    expect(await totals('pod_name=1')).toBe(2 * WITH_1.filter((n) => !isOn(1)(n)).length);

    // In no active cluster: its silent node counts no second time.
    const inactive = "update clusters set last_sync = now() - interval '1 day' where org_id = $1 and id = $2";
    await service.db.query(inactive, [many.id, clusters[1]]);
    expect(await totals('pod_name=many')).toBe(LISTED - onNode1);
    expect(await totals('')).toBe(LISTED - onNode1);
  });
});
