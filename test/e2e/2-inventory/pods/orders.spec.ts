import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import type { Values } from '../../../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { podListing } from '../../../../src/2-inventory/pods/pods.queries';
import { buildPod } from '../../../support/builders';
import { cluster, syncObjects } from '../../../support/inventory';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
beforeAll(async () => {
  service = await Service.start();
  org = await service.organisation();
});
afterAll(() => service.close());

const page = async (query: string) => (await org.viewer.get(`/v1/pods/paginated?${query}`)).body;

describe('orders of pods', () => {
  it.each(['name', 'age', 'node', 'restarts'])(
    'reads a page by %s in the order of an index, both ways',
    async (sort) => {
      for (const ascending of [true, false]) {
        const sorted = { sort, ascending, limit: 50, offset: 0 };
        const plans = await plansOf((tx) => podListing.page(tx, {}, sorted));
        expect(plans).toEqual([expect.stringContaining(`using pods_listed_by_${sort}_idx`)]);
        expect(plans[0]!.includes('Backward')).toBe(!ascending);
      }
    },
  );

  it.each(['name', 'age', 'node', 'restarts'])('begins a later page by %s at its place in the index', async (sort) => {
    await syncObjects(org.controller, await cluster(org), buildPod('one'));
    const [{ id: after }] = (await page('')).pods;
    for (const ascending of [true, false]) {
      const sorted = { sort, ascending, limit: 50, offset: 0, after };
      const [, plan] = await plansOf((tx) => podListing.page(tx, {}, sorted));
      const condition = new RegExp(`pods_listed_by_${sort}_idx[^]*?Index Cond: ([^\n]*)`).exec(plan!)?.[1];
      expect(condition).toMatch(ascending ? / > ROW\(/ : / < ROW\(/);
    }
  });

  it.each([
    ['pod_name=x', 5, 0, 2],
    ['pod_name=x', 2, 0, 2],
    ['pod_name=x', 1, 0, 2],
    ['pod_name=x', 1, 1, 2],
    ['pod_name=x', 2, 1, 2],
    ['pod_name=x', 5, 7, 2],
    ['pod_name=nowhere', 5, 0, 0],
  ])('counts all pods of %s where a page has at most %i rows from %i on', async (query, limit, offset, total) => {
    org = await service.organisation();
    await syncObjects(org.controller, await cluster(org), ...['x-1', 'x-2', 'y'].map((name) => buildPod(name)));
    expect((await page(`${query}&limit=${limit}&offset=${offset}`)).total_count).toBe(total);
  });

  it('counts all pods of a name also where the page begins behind a row', async () => {
    org = await service.organisation();
    await syncObjects(org.controller, await cluster(org), ...['x-1', 'x-2', 'y'].map((name) => buildPod(name)));
    const [{ id }] = (await page('pod_name=x&limit=1')).pods;
    expect(await page(`pod_name=x&limit=5&after=${id}`)).toMatchObject({ pods: [{ name: 'x-2' }], total_count: 2 });
  });
});

/** Plans of the statements of some work, with no other way than an index to an order. */
async function plansOf(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  await service.app.get(UnitOfWork).read({ orgId: org.id }, async (tx) => {
    await tx.query('set local enable_seqscan = off');
    await tx.query('set local enable_bitmapscan = off');
    await tx.query('set local enable_sort = off');
    const query = async (text: string, values?: Values) => {
      const plan = await tx.query<Record<string, string>>(`explain ${text}`, values);
      plans.push(plan.map((row) => row['QUERY PLAN']).join('\n'));
      return tx.query(text, values);
    };
    await work(Object.create(tx, { query: { value: query } }) as Tx);
  });
  return plans;
}
