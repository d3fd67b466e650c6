import { buildPod } from '../support/builders';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm } from '../support/form';
import { cluster, syncObjects } from '../support/inventory';
import { Service, type Answer, type Organisation } from '../support/service';

const PODS = inForm(300, 2_000);
const ROUNDS = inForm(1, 5);
const PAGE = 50;

describe('a reader that follows the pages of a list', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    printFigures();
  });

  /** All pods of a batch have the same time. */
  const add = (clusterId: string, from: number, count: number): Promise<void> =>
    syncObjects(org.controller, clusterId, ...Array.from({ length: count }, (_, n) => buildPod(`pod-${from + n}`)));

  async function readWhile(clusterId: string, adding: () => Promise<void>): Promise<string[]> {
    const names: string[] = [];
    const list = `/v1/pods/paginated?cluster_id=${clusterId}&limit=${PAGE}&sort=age&ascending=true`;
    for (let after = ''; ;) {
      const [answer]: [Answer, void] = await Promise.all([org.viewer.get(list + after), adding()]);
      expect(answer.status).toBe(200);
      const { pods } = answer.body as { pods: { id: string; name: string }[] };
      if (pods.length === 0) break;
      names.push(...pods.map(({ name }) => name));
      after = `&after=${pods.at(-1)?.id}`;
    }
    return names;
  }

  it('sees every row once that was there before, whatever is added meanwhile', async () => {
    let [twice, missing, added] = [0, 0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const clusterId = await cluster(org, `pages-${round}`);
      for (let from = 0; from < PODS; from += 500) await add(clusterId, from, Math.min(500, PODS - from));
      let next = PODS;
      const names = await readWhile(clusterId, async () => {
        if (next >= 2 * PODS) return;
        await add(clusterId, next, 10);
        next += 10;
      });
      added += next - PODS;
      const seen = new Set(names);
      twice += names.length - seen.size;
      missing += Array.from({ length: PODS }, (_, n) => `pod-${n}`).filter((name) => !seen.has(name)).length;
    }
    const attack = `${ROUNDS} readers of ${PODS} pods in pages of ${PAGE}, ${added} pods with equal times are added`;
    const record = (measure: string, value: number, bound: Figure['bound']): void =>
      recordFigure({ row: 27, attack, measure, value, unit: '', bound });
    record('rows read twice', twice, { atMost: 0 });
    record('rows not read', missing, { atMost: 0 });
    expect(added).toBeGreaterThan(0);
  });
});
