import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { MINUTE } from '../support/durations';
import { writeSeries } from '../support/metric-series';
import { databaseNow } from '../support/reports';
import type { Organisation, Service } from '../support/service';
import type { Tab } from './support/browser';
import { expectLooks, type Expected } from './support/looks';
import { reportAgain, seedMetrics, type SeededMetrics } from './support/metrics-seed';
import { Tabs } from './support/tabs';

const PAGES: readonly Expected[] = [
  {
    name: 'metrics',
    path: '/metrics?window=6h',
    title: 'Metrics',
    shows: [
      '6 nodes with 48 GPUs: mean utilisation',
      'gpu-node-3',
      '75 % and more',
      'mean of up to 4 samples of a GPU',
    ],
  },
  {
    name: 'metrics-table',
    path: '/metrics?window=6h&show=table&layer=memory',
    title: 'Metrics',
    shows: ['GPUs reported', 'not reported', '8 of 8', 'mean used memory'],
  },
  {
    name: 'metrics-node',
    path: '/metrics?window=6h&node=gpu-node-1&gpu=GPU-1-0',
    title: 'Metrics',
    shows: [
      'GPUs of gpu-node-1',
      'mean of all its samples',
      'GPU 7',
      'ml/train-0',
      'What held the GPUs',
      'Samples of GPU 0',
      'H100',
    ],
  },
  {
    name: 'metrics-long',
    path: '/metrics?window=7d&measure=max',
    title: 'Metrics',
    shows: ['highest utilisation', 'of up to 4 samples of a GPU'],
  },
  {
    name: 'metrics-pods',
    path: '/metrics?tab=pods',
    title: 'Metrics',
    shows: ['ml/train-0', '25 h 0 min', 'CPU time counts since the pod started'],
  },
  {
    name: 'metrics-nodes',
    path: '/metrics?tab=nodes',
    title: 'Metrics',
    shows: ['12.5 · 11.0 · 9.3', '25 % of 2.00 TB', '1 with more than 90 %', '/: 96 % of 1.00 TB'],
  },
];

describeWith(['Chromium'], 'the metrics of the console', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let seeded: SeededMetrics;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    seeded = await seedMetrics(service, org);
  });
  beforeEach(() => reportAgain(service, org, seeded));

  const open = (token = org.viewer.token): Promise<Tab> => tabs.open(token);
  const search = (tab: Tab) => new URL(tab.page.url()).searchParams;
  /** Of the row with this name, by the number of minutes before the last sample. */
  const cellsOf = (tab: Tab, name: string) => tab.page.getByRole('row', { name }).getByRole('gridcell');

  it.each(PAGES)('$name shows what there is, in both themes and at both widths', async (expected) => {
    await expectLooks(await open(), expected);
  });

  it('lead from a node to its GPUs, from a cell to the pod that ran there then, and back', async () => {
    const tab = await open();
    await tab.goto('/metrics?window=6h');
    await tab.page.getByRole('link', { name: 'gpu-node-1' }).click();
    await tab.page.getByText('GPUs of gpu-node-1').first().waitFor();
    const cells = cellsOf(tab, 'GPU 0');
    // Three hours ago: of 48 bins of 7.5 minutes.
    await cells.nth(24).click();
    const moment = tab.page.getByRole('region', { name: 'What ran on gpu-node-1' });
    await moment.getByRole('link', { name: 'ml/train-0' }).waitFor();
    expect(await moment.getByText('1 of 1 GPU was held by a pod').count()).toBe(1);
    // A moment later, the same GPU was another pod's.
    await cells.nth(45).click();
    await moment.getByRole('link', { name: 'ml/eval-0' }).waitFor();
    await cells.nth(24).click();
    await moment.getByRole('link', { name: 'ml/train-0' }).click();
    await tab.page.getByRole('dialog').getByText('train-0').first().waitFor();
    expect(search(tab).get('open')).toBe(seeded.trainUid);
    await tab.page.goBack();
    await moment.getByRole('link', { name: 'ml/train-0' }).waitFor();
    await tab.page.goBack();
    await tab.page.getByText('GPUs by node').first().waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('show what was not reported as missing, never as zero', async () => {
    const tab = await open();
    await tab.goto('/metrics?window=6h');
    const levels = async (name: string): Promise<(string | null)[]> =>
      Promise.all((await cellsOf(tab, name).all()).map((cell) => cell.getAttribute('data-level')));
    await tab.page.getByRole('grid').waitFor();
    const silent = await levels('gpu-node-3');
    // 90 minutes of 7.5 each, less those that are only silent in part.
    const missing = silent.filter((level) => level === 'missing').length;
    expect(missing).toBeGreaterThanOrEqual(10);
    expect(missing).toBeLessThanOrEqual(12);
    const idle = await levels('gpu-node-6');
    expect(new Set(idle.slice(0, 46))).toEqual(new Set(['0']));
    const place = silent.indexOf('missing', 20);
    expect(await cellsOf(tab, 'gpu-node-3').nth(place).getAttribute('aria-label')).toMatch(/: not reported$/);
    await cellsOf(tab, 'gpu-node-3').nth(place).click();
    await tab.page.getByText('Nothing was reported in this time').waitFor();
    expect(await tab.findings()).toEqual([]);
  });

  it('can be used with keys alone: arrows move, Enter shows what ran, and the map is one stop of Tab', async () => {
    const tab = await open();
    await tab.goto('/metrics?window=6h&node=gpu-node-1');
    const cells = cellsOf(tab, 'GPU 0');
    await cells.last().focus();
    for (let step = 0; step < 20; step++) await tab.page.keyboard.press('ArrowLeft');
    await tab.page.keyboard.press('ArrowDown');
    await tab.page.keyboard.press('ArrowUp');
    expect(await tab.page.getByRole('gridcell').and(tab.page.locator('[tabindex="0"]')).count()).toBe(1);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('region', { name: 'What ran on gpu-node-1' }).getByText('ml/train-0').waitFor();
    expect(await cells.nth(27).getAttribute('aria-selected')).toBe('true');
    await tab.page.getByRole('status').getByText('1 of 1 GPU was held by a pod').waitFor();
    await tab.page.getByRole('button', { name: 'Close' }).click();
    const onBin = (bin: string): Promise<void> =>
      eventually(async () => expect(await tab.page.evaluate('document.activeElement.dataset.bin')).toBe(bin));
    await onBin('27');
    await tab.page.keyboard.press('ArrowRight');
    await onBin('28');
    await tab.page.keyboard.press('Home');
    await onBin('0');
  });

  it('keep tab, window, figure and cell over a reload and over Back', async () => {
    const tab = await open();
    await tab.goto('/metrics');
    await tab.page.getByRole('radiogroup', { name: 'Time' }).getByText('24h').click();
    await tab.page.getByRole('radiogroup', { name: 'Figure' }).getByText('Highest').click();
    await tab.page.getByRole('radiogroup', { name: 'Colour' }).getByText('Used memory').click();
    await tab.page.getByText('highest used memory').waitFor();
    await cellsOf(tab, 'gpu-node-2').nth(20).click();
    await tab.page.getByRole('region', { name: 'What ran on gpu-node-2' }).waitFor();
    await tab.page.reload();
    await tab.page.getByText('highest used memory').waitFor();
    await tab.page.getByRole('region', { name: 'What ran on gpu-node-2' }).waitFor();
    expect(Object.fromEntries(search(tab))).toMatchObject({ window: '24h', measure: 'max', layer: 'memory' });
    await tab.page.getByRole('tab', { name: 'Pods' }).click();
    await tab.page.getByRole('button', { name: 'ml/eval-0' }).click();
    await tab.page.getByText('Use of eval-0').first().waitFor();
    expect(Object.fromEntries(search(tab))).toMatchObject({ tab: 'pods', window: '24h' });
    await tab.page.reload();
    await tab.page.getByText('Use of eval-0').first().waitFor();
    await tab.page.goBack();
    await tab.page.getByText('highest used memory').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('say what ran on GPUs that were reported without a node', async () => {
    const other = await service.organisation();
    await writeSeries(service.db, other, {
      family: 'gpu',
      metric: 'DCGM_FI_DEV_GPU_UTIL',
      gpu_uuid: 'GPU-x',
      gpu_index: '3',
      samples: [[(await databaseNow(service)) - 30 * MINUTE, 40]],
    });
    const tab = await open(other.viewer.token);
    await tab.goto('/metrics');
    await tab.page.getByRole('gridcell', { name: 'utilisation 40 %' }).click();
    const moment = tab.page.getByRole('region', { name: 'What ran on the unknown node' });
    await moment.getByText('GPU 3').waitFor();
    expect(await tab.page.locator('[aria-selected="true"][role="gridcell"]').count()).toBe(1);
    expect(tab.faults).toEqual([]);
  });

  it('find nodes by a part of their names', async () => {
    const tab = await open();
    await tab.goto('/metrics?tab=nodes&name=node-2');
    await tab.page.getByText('1 node: 1 with more than 90 %').waitFor();
    await tab.goto('/metrics?tab=nodes&name=nowhere');
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByText('2 nodes: 1 with more than 90 %').waitFor();
    expect(tab.requests.filter((request) => request.includes('/v1/metrics/k8'))).toHaveLength(2);
  });

  it('draw the CPU cores and the memory of a pod, and list the same', async () => {
    const tab = await open();
    await tab.goto(`/metrics?tab=pods&window=6h&pod=${seeded.trainUid}`);
    await tab.page.getByRole('img', { name: 'CPU cores that the pod used over time' }).locator('canvas').waitFor();
    await tab.screenshot('metrics-pod');
    expect(await tab.findings()).toEqual([]);
    await tab.page.getByRole('button', { name: 'Show as table' }).click();
    // 90 CPU seconds a minute.
    await tab.page.getByText('1.50 cores').first().waitFor();
    await tab.page.getByText('Pods that used most CPU time').waitFor();
  });

  it('show that there are no metrics, that they are not allowed, and that they failed', async () => {
    const fresh = await service.organisation();
    const tab = await open(fresh.viewer.token);
    for (const [path, text] of [
      ['/metrics', 'No GPU was reported in the last hour'],
      ['/metrics?window=7d&node=nowhere', 'No GPU of nowhere was reported in the last 7 days'],
      ['/metrics?tab=pods', 'No pod was reported in the last 5 minutes'],
      ['/metrics?tab=pods&pod=none', 'No sample of this pod in the last hour'],
      ['/metrics?tab=nodes', 'No node was reported yet'],
    ] as const) {
      await tab.goto(path);
      await tab.page.getByText(text).waitFor();
      expect([path, await tab.findings()]).toEqual([path, []]);
    }
    await tab.goto('/metrics');
    expect(await tab.page.getByLabel('Command').textContent()).toContain(`${service.url}/v1/metrics/write`);
    await tab.goto('/metrics?window=century&at=yesterday&after=-3&tab=x&measure=sum');
    await tab.page.getByText('No GPU was reported in the last hour').waitFor();
    expect(tab.faults).toEqual([]);

    const failing = await open();
    for (const status of [500, 403]) {
      await failing.page.route('**/v1/metrics/gpu/heatmap*', (route) =>
        route.fulfill({
          status,
          contentType: 'application/problem+json',
          headers: { 'x-request-id': 'r-77' },
          body: JSON.stringify({ code: 'broken', title: 'It broke', status, detail: 'The disk is gone.' }),
        }),
      );
      await failing.goto('/metrics');
      await failing.page.getByText(status === 403 ? 'Not allowed' : 'It broke').waitFor();
      await failing.page.getByText('r-77').waitFor();
      await failing.page.unroute('**/v1/metrics/gpu/heatmap*');
    }
    await failing.goto('/metrics?tab=gpu');
    await failing.page.getByText('GPUs by node').first().waitFor();
  });

  it('are read in pages when there are many nodes, and no page is asked for row by row', async () => {
    const tab = await open();
    await tab.goto('/metrics?after=4');
    await tab.page.getByText('nodes 5 to 6 of 6 are drawn').waitFor();
    expect(tab.requests.filter((request) => request.includes('/v1/metrics/gpu/heatmap'))).toHaveLength(1);
    await tab.page.getByRole('button', { name: 'Previous' }).click();
    await tab.page.getByText('6 nodes with 48 GPUs').waitFor();
    await eventually(() => expect(search(tab).has('after')).toBe(false));
  });
});
