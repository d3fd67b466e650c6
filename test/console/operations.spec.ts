import { newId } from '../../src/1-platform/common/ids';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import type { Organisation, Service } from '../support/service';
import { askCheckpoint, buildPod, ok, putInfo, reportRestore, syncAll, takeUp } from '../support/workloads';
import type { Tab } from './support/browser';
import { seed, type Seeded } from './support/seed';
import { Tabs } from './support/tabs';

const HOUR = 3_600_000;

describeWith(['Chromium'], 'operations in the console', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let seeded: Seeded;
  let tab: Tab;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    seeded = await seed(service, org);
  });
  beforeEach(async () => {
    tab = await tabs.open(org.operator.token);
  });

  const row = (name: string) => tab.page.getByRole('row').filter({ hasText: name });
  /** @returns the id of the action that asks for a checkpoint of a new pod */
  const requested = async (name: string): Promise<string> => {
    // After the page was opened: the service has the time of the last operation that was seeded.
    service.clock.set(new Date());
    const { id } = await buildPod(org, seeded.clusterId, { name, node: 'gpu-node-1' });
    return askCheckpoint(org, id);
  };
  const rendered = () =>
    tab.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const begin = async (actionId: string): Promise<void> => {
    ok(await putInfo(org, await takeUp(org, actionId, { container_name: 'main' }), {}));
  };

  it('are listed up to the newest one where the clock of the browser is behind', async () => {
    await tab.page.addInitScript(`const { now } = Date; Date.now = () => now() - ${HOUR};`);
    await tab.goto('/operations?name=clock');
    await tab.page.getByText('No operations match').waitFor();
    const name = `clock-${newId()}`;
    await begin(await requested(name));
    await tab.page.reload();
    await tab.page.getByRole('button', { name: '1 new' }).click();
    await row(name).waitFor();
    await tab.page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' });
    expect(tab.faults).toEqual([]);
  });

  it('are listed up to the newest one where a node is hours ahead, also after a filter was chosen', async () => {
    const name = `ahead-${newId()}`;
    for (const started_at of [new Date(Date.now() + 3 * HOUR).toISOString(), '9999-12-31T23:59:59Z'])
      ok(
        await reportRestore(org, 'restore_start', { restore_uuid: newId(), started_at, metadata: { pod_name: name } }),
      );
    await tab.goto(`/operations?name=${name}&window=1h`);
    await tab.page.getByText('No operations match').waitFor();
    await tab.page.getByRole('button', { name: '1 new' }).click();
    await row(name).waitFor();
    await tab.page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' });
    await tab.page.getByRole('radiogroup', { name: 'Kind' }).getByText('restore').click();
    await tab.page.waitForURL(/kind=restore/);
    await tab.settled();
    await row(name).waitFor();
    expect(await row(name).count()).toBe(1);
    expect(tab.faults).toEqual([]);
  });

  it('are listed up to the moment at which a filter was chosen', async () => {
    await tab.goto('/operations');
    await row('train-70b-0').first().waitFor();
    const name = `later-${newId()}`;
    await begin(await requested(name));
    await tab.page.getByLabel('Workload name').fill(name);
    await row(name).waitFor();
    // The list has no window of time: only what asks for new ones says since when.
    const answered = tab.page.waitForResponse(/\/v1\/operations\?.*since=/);
    await tab.page.goto(`${service.url}/console/operations?name=${name}`);
    await (await answered).finished();
    await row(name).waitFor();
    await rendered();
    expect(await tab.page.getByRole('button', { name: /new$/ }).count()).toBe(0);
  });

  it('show each filter of their address, and take it away again', async () => {
    await tab.goto('/operations?workload=slurm&namespace=training');
    await tab.page.getByText('No operations match').waitFor();
    expect(await tab.page.getByRole('combobox', { name: 'Namespace' }).inputValue()).toBe('training');
    const workloads = tab.page.getByRole('radiogroup', { name: 'Workloads' });
    expect(await workloads.getByRole('radio', { name: 'Slurm' }).isChecked()).toBe(true);
    await tab.page.getByLabel('Clear namespace').click();
    await row('md-relax').waitFor();
    expect(new URL(tab.page.url()).search).toBe('?workload=slurm');
    await workloads.getByText('All', { exact: true }).click();
    await row('train-70b-0').first().waitFor();
    expect(new URL(tab.page.url()).search).toBe('');
    expect(await tab.page.getByRole('combobox', { name: 'Namespace' }).count()).toBe(0);
    expect(await tab.findings()).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  it('appear on their page as soon as their node reports them, and are a failure only if they go away', async () => {
    const actionId = await requested(`waits-${newId()}`);
    const { checkpoint_ids: ids } = ok(await org.viewer.get(`/v1/actions/${actionId}`)).body;
    const [checkpointId] = ids as string[];
    await tab.goto(`/operations/${checkpointId}`);
    const state = tab.page.getByText('No node has reported on it yet');
    await state.waitFor();
    await tab.page.getByText('No attempt with that id was reported.').waitFor();
    expect(await tab.page.getByRole('alert').count()).toBe(0);
    expect(await tab.findings()).toEqual([]);
    const read = `GET /v1/operations/${checkpointId}`;
    await eventually(
      () => expect(tab.requests.filter((request) => request === read).length).toBeGreaterThan(1),
      20_000,
    );
    await begin(actionId);
    await tab.page.getByText('Where the time went').waitFor();
    expect(await state.count()).toBe(0);
    const problem = { title: 'Not Found', status: 404, code: 'operation_not_found', detail: 'It was removed.' };
    await tab.page.route(`**/v1/operations/${checkpointId}`, (route) =>
      route.fulfill({ status: 404, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await tab.page.getByRole('alert').getByText('It was removed.').waitFor();
    expect(await tab.page.getByText('Where the time went').count()).toBe(1);
    expect(await state.count()).toBe(0);
  });

  it('lead from a job to its pods in its own cluster', async () => {
    await tab.goto('/workloads?tab=jobs');
    await row('train-7b').getByRole('link', { name: /pods$/ }).click();
    await row('train-7b-0').waitFor();
    expect(new URL(tab.page.url()).searchParams.get('cluster')).toBe(seeded.clusterId);
  });

  it('leave the page where it is when a filter of nodes or clusters is chosen', async () => {
    const many = Array.from({ length: 60 }, (_, place) => ({
      type: 'Node',
      kind: 'Node',
      metadata: { uid: `many-${place}`, name: `many-${place}`, resourceVersion: '1' },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: place < 30 ? 'True' : 'False' }] },
    }));
    const clusterId = ok(await org.operator.post('/v1/cluster', { cluster_name: 'many' })).text;
    await syncAll(org.controller, clusterId, many);
    await tab.page.setViewportSize({ width: 1280, height: 300 });
    const scrolled = () => tab.page.evaluate<number>('window.scrollY');
    for (const [path, filter, word] of [
      [`/clusters/${clusterId}`, 'Nodes', 'In trouble'],
      ['/clusters', 'Status', 'Active'],
    ] as const) {
      await tab.goto(path);
      const choice = tab.page.getByRole('radiogroup', { name: filter }).getByText(word);
      await choice.scrollIntoViewIfNeeded();
      await tab.page.evaluate('window.scrollBy(0, 60)');
      const before = await scrolled();
      expect(before).toBeGreaterThan(0);
      await choice.click();
      await tab.page.waitForURL(/\?/);
      // The router scrolls when the page was rendered, in the frame after that.
      await rendered();
      expect(await scrolled()).toBe(before);
    }
  });
});
