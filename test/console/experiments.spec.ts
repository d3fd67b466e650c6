import { newId } from '../../src/1-platform/common/ids';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { startExperiment } from '../support/experiments';
import type { Organisation, Service } from '../support/service';
import { buildCluster } from '../support/workloads';
import type { Tab } from './support/browser';
import { seedExperiments, type SeededExperiments } from './support/experiments-seed';
import { expectLooks } from './support/looks';
import { Tabs } from './support/tabs';

type Page = readonly [
  name: string,
  path: (seeded: SeededExperiments) => string,
  title: string,
  shows: readonly string[],
];

const PAGES: readonly Page[] = [
  [
    'experiments',
    () => '/experiments',
    'Experiments',
    ['3 experiments, 1 running', 'evening peak', 'Completed', 'named requests only', 'Start experiment …'],
  ],
  [
    'experiment',
    ({ measuredId: id }) => `/experiments/${id}`,
    'evening peak',
    ['50 clients', 'Always running', '$8.00', '40 requests, 10 fallbacks', '310 ms (n = 40)', 'p50 24.0 ms'],
  ],
  [
    'experiment-starts',
    ({ measuredId: id }) => `/experiments/${id}?tab=starts`,
    'evening peak',
    ['Restoring saves 42.4 s at the median', 'cold, n = 6', 'restored, n = 6'],
  ],
  [
    'experiment-linked',
    ({ measuredId: id }) => `/experiments/${id}?tab=linked`,
    'evening peak',
    ['primary', '40 requests, 40 successful, 10 fallbacks', '3 restore; the newest 3 are listed', 'controller'],
  ],
  [
    'thin-experiment',
    ({ thinId: id }) => `/experiments/${id}`,
    'smoke test',
    ['3 requests, 1 fallback; too few for a mean', 'Read with care', 'too few requests'],
  ],
];

describeWith(['Chromium'], 'the experiments of the console', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let seeded: SeededExperiments;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    seeded = await seedExperiments(service, org);
  });

  const open = (token = org.operator.token): Promise<Tab> => tabs.open(token);

  it.each(PAGES)('%s shows what there is, in both themes and at both widths', async (name, path, title, shows) => {
    await expectLooks(await open(), { name, path: path(seeded), title, shows });
  });

  it('have no mean and no median of fewer than five measurements', async () => {
    const tab = await open();
    await tab.goto(`/experiments/${seeded.thinId}`);
    await tab.page.getByText('measured 3 times: too few').waitFor();
    expect(await tab.page.getByText('310 ms').count()).toBe(0);
  });

  it('are filtered by the service, and the filters survive a reload', async () => {
    const tab = await open();
    await tab.goto('/experiments');
    await tab.page.getByRole('radiogroup', { name: 'State' }).getByText('Completed').click();
    await tab.page.getByLabel('Name', { exact: true }).fill('PEAK');
    const rows = tab.page.getByRole('table', { name: 'Experiments' }).getByRole('row');
    await eventually(async () => expect(await rows.count()).toBe(2));
    await tab.page.reload();
    await eventually(async () => expect(await rows.count()).toBe(2));
    expect(Object.fromEntries(new URL(tab.page.url()).searchParams)).toEqual({ status: 'completed', name: 'PEAK' });
    await tab.page.getByLabel('Name', { exact: true }).fill('nothing like it');
    await tab.page.getByText('No experiments match these filters').waitFor();
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByText('3 experiments').waitFor();
  });

  it('are started with the body of the API, and lead to the new one', async () => {
    const tab = await open();
    await tab.goto('/experiments');
    await tab.page.getByRole('button', { name: 'Start experiment …' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('Give it a name.').waitFor();
    await dialog.getByLabel('Name').fill('evening soak');
    await dialog.getByLabel('Scenario').fill('50 clients for an hour');
    await dialog.getByLabel('Parameters').fill('{"clients": 50');
    await dialog.getByText('The parameters are not JSON.').waitFor();
    await dialog.getByLabel('Parameters').fill('{"clients": 50}');
    await dialog.getByRole('combobox', { name: 'Profile' }).click();
    await tab.page.getByRole('option', { name: 'llama-h100' }).click();
    expect(await tab.findings()).toEqual([]);
    const sent = tab.page.waitForRequest((request) => request.method() === 'POST');
    await dialog.getByRole('button', { name: 'Start experiment', exact: true }).click();
    expect((await sent).postDataJSON()).toEqual({
      name: 'evening soak',
      scenario: '50 clients for an hour',
      parameters: { clients: 50 },
      profile_id: 'llama-h100',
    });
    await dialog.getByRole('link', { name: 'Show evening soak' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'evening soak' }).waitFor();
    await tab.page.getByText('"clients": 50').waitFor();
    const id = new URL(tab.page.url()).pathname.split('/').at(-1);
    expect((await org.viewer.get(`/v1/inference/experiments/${id}`)).body).toMatchObject({ status: 'running' });
    expect(tab.faults).toEqual([]);
  });

  it.each([
    ['Complete', 'completed', 'Completed'],
    ['Cancel experiment', 'cancelled', 'Cancelled'],
  ])('end once, by “%s …”, which shows the outcome', async (verb, status, word) => {
    const id = await startExperiment(org, { name: `to be ${status}` });
    const tab = await open();
    await tab.goto(`/experiments/${id}`);
    await tab.page.getByRole('button', { name: `${verb} …` }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('Nobody can start it again').waitFor();
    const sent = tab.page.waitForRequest((request) => request.method() === 'POST');
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    expect((await sent).postDataJSON()).toEqual({ status });
    await dialog.getByText(word, { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await tab.page.getByText(`It is ${status} already.`).first().waitFor({ state: 'attached' });
    expect(await tab.page.getByRole('button', { name: `${verb} …` }).getAttribute('aria-disabled')).toBe('true');
    expect((await org.viewer.get(`/v1/inference/experiments/${id}`)).body).toMatchObject({ status });
  });

  it('say who may end them, what there is none of, and what failed', async () => {
    const viewer = await open(org.viewer.token);
    await viewer.goto(`/experiments/${seeded.runningId}?tab=linked`);
    await viewer.page.getByText('Your role is viewer').first().waitFor({ state: 'attached' });
    await viewer.page.getByText('No observation names this experiment').waitFor();
    await viewer.page.getByText('No request belongs to this experiment yet').waitFor();
    expect(await viewer.findings()).toEqual([]);
    await viewer.page.getByRole('tab', { name: 'Cold against restored' }).click();
    await viewer.page.getByText('No worker became ready while it ran').waitFor();
    await viewer.page.goBack();
    await viewer.page.getByText('No observation names this experiment').waitFor();
    await viewer.goto(`/experiments/${newId()}`);
    await viewer.page.getByText('There is no experiment with this id').waitFor();

    const fresh = await open((await service.organisation()).viewer.token);
    await fresh.goto('/experiments');
    await fresh.page.getByText('No experiment was started yet').waitFor();
    expect(await fresh.page.getByLabel('Command').textContent()).toContain('/v1/inference/experiments');
    expect(await fresh.findings()).toEqual([]);

    const failing = await open();
    for (const status of [500, 403]) {
      await failing.page.route('**/v1/inference/experiments?*', (route) =>
        route.fulfill({
          status,
          contentType: 'application/problem+json',
          headers: { 'x-request-id': 'r-78' },
          body: JSON.stringify({ code: 'broken', title: 'It broke', status, detail: 'The disk is gone.' }),
        }),
      );
      await failing.goto('/experiments');
      await failing.page.getByText(status === 403 ? 'Not allowed' : 'It broke').waitFor();
      await failing.page.getByText('r-78').waitFor();
      await failing.page.unroute('**/v1/inference/experiments?*');
    }
  });

  it('are found with Ctrl-K, by name and by id, and so are nodes with GPUs', async () => {
    const tab = await open();
    await tab.goto('/experiments');
    const find = async (text: string, option: RegExp): Promise<void> => {
      await tab.page.keyboard.press('Control+k');
      await tab.page.getByLabel('Page, name or id').fill(text);
      await tab.page.getByRole('option', { name: option }).click();
    };
    await find('night', /night soak/);
    await tab.page.getByRole('heading', { level: 1, name: 'night soak' }).waitFor();
    await find(seeded.measuredId, /evening peak/);
    await tab.page.getByRole('heading', { level: 1, name: 'evening peak' }).waitFor();
    await buildCluster(org);
    await find('node-1', /node-1/);
    await tab.page.getByText('No GPU of node-1 was reported in the last hour').waitFor();
    expect(new URL(tab.page.url()).search).toBe('?node=node-1');
  });
});
