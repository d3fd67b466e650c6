import { podListing } from '../../../../src/2-inventory/pods/pods.queries';
import { buildPod } from '../../../support/builders';
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
