import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import type { Organisation, Service } from '../support/service';
import { slurmCluster } from '../support/slurm-builders';
import type { Tab } from './support/browser';
import { expectLooks } from './support/looks';
import { seedSlurm, type SeededSlurm } from './support/slurm-seed';
import { Tabs } from './support/tabs';

/** A page, and words that it shows of the seeded organisation. */
type Expected = readonly [name: string, path: (seeded: SeededSlurm) => string, shows: readonly string[]];

const PAGES: readonly Expected[] = [
  [
    'slurm',
    () => '/slurm',
    [
      'all 41 nodes drawn',
      'hpc-1',
      'lab-2',
      'urgent',
      '24 nodes',
      'IDLE+DRAIN: 1',
      'DRAIN',
      'Longest job',
      '48 h 0 min',
    ],
  ],
  [
    'slurm-load-of-nodes',
    ({ clusterId }) => `/slurm?by=load&cluster=${clusterId}`,
    ['all 40 nodes drawn that match the filters', 'above 100 %: 1', 'up to 75 %'],
  ],
  [
    'slurm-nodes',
    () => '/slurm?show=table&status=DOWN',
    ['gpu-06', 'NOT_RESPONDING', 'power supply failed', '0 of 64'],
  ],
  ['slurm-load', () => '/slurm?tab=load', ['CPU load', 'latest', 'Partitions now', 'points drawn']],
  ['slurm-load-of-partition', () => '/slurm?tab=load&partition=gpu', ['Load of gpu', 'latest']],
  [
    'slurm-load-table',
    () => '/slurm?tab=load&partition=cpu&show=table',
    ['Free memory', 'Show as chart', 'the last values of each half hour'],
  ],
  [
    'slurm-ended',
    () => '/slurm?tab=ended',
    ['climate-2x', 'NODE_FAIL', 'NodeDown on gpu-06', 'OOM', '4 jobs, newest first'],
  ],
  [
    'slurm-maintenance',
    () => '/slurm?tab=maintenance',
    ['firmware', 'Scheduled', 'before firmware', 'once, before it begins', 'every 1 h', 'Move of the lab', 'Active'],
  ],
  [
    'slurm-past-maintenance',
    () => '/slurm?tab=maintenance&when=all',
    ['cabling', 'New switches', 'Over', '3 windows, the latest start first'],
  ],
  ['slurm-checkpoints', () => '/slurm?tab=checkpoints', ['md-relax', 'Ready', 'Deprecated', '2 checkpoints']],
];

describeWith(['Chromium'], 'the page of Slurm', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let seeded: SeededSlurm;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    seeded = await seedSlurm(service, org);
  });

  const open = (token = org.operator.token): Promise<Tab> => tabs.open(token);

  it.each(PAGES)('%s shows what there is, in both themes and at both widths', async (name, path, shows) => {
    await expectLooks(await open(), { name, path: path(seeded), title: 'Slurm', shows });
  });

  it('keeps its filters in the address, over Reload and Back, and lets the service filter', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/slurm?show=table');
    await page.getByLabel('Node name').first().fill('gpu-0');
    await page.getByText('all 9 nodes drawn that match the filters').waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'DOWN' }).click();
    await page.getByText('all 1 node drawn that match the filters').waitFor();
    expect(new URL(page.url()).search).toBe('?show=table&name=gpu-0&status=DOWN');
    expect(tab.requests.some((request) => request.includes('status=DOWN&name=gpu-0'))).toBe(true);
    await page.reload();
    await page.getByText('power supply failed').waitFor();
    await page.getByRole('tab', { name: 'Ended jobs' }).click();
    await page.getByText('climate-2x').waitFor();
    await page.goBack();
    await page.getByText('power supply failed').waitFor();
    expect(await page.getByLabel('Node name').first().inputValue()).toBe('gpu-0');
    await page.getByLabel('Node name').first().fill('nothing');
    await page.getByText('No nodes match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('all 41 nodes drawn.').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('filters ended jobs and checkpoints by their statuses, and leads to the job', async () => {
    const tab = await open();
    await tab.goto('/slurm?tab=ended&status=OOM');
    await tab.page.getByText('1 job, newest first').waitFor();
    await tab.page.getByRole('link', { name: 'fold-batch' }).click();
    await tab.page.getByRole('dialog').getByText('OUT_OF_MEMORY').waitFor();
    await tab.goto('/slurm?tab=checkpoints&status=deprecated');
    await tab.page.getByText('1 checkpoint, newest first').waitFor();
    await tab.goto('/slurm?tab=ended&window=1h');
    await tab.page.getByText('1 job, newest first').waitFor();
    await tab.goto('/slurm?tab=ended&status=DEADLINE');
    await tab.page.getByText('No ended jobs match these filters').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('creates, cancels and deletes a maintenance window, each with the request of the API', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/slurm?tab=maintenance');
    await page.getByRole('button', { name: 'Create window …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It reserves nothing in Slurm').waitFor();
    await dialog.getByText('Say when it begins and ends.').waitFor();
    await dialog.getByLabel('Begins').fill('2033-01-10T20:00');
    await dialog.getByLabel('Ends').fill('2033-01-10T19:00');
    await dialog.getByText('It must end after it begins.').first().waitFor();
    await dialog.getByLabel('Ends').fill('2033-01-10T23:00');
    await dialog.getByLabel('Reason').fill('Replace the switches');
    await dialog.getByLabel('Nodes').fill('gpu-01');
    await page.keyboard.press('Enter');
    expect(await tab.findings()).toEqual([]);
    const created = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/maintenance_window'));
    await dialog.getByRole('button', { name: 'Create window', exact: true }).click();
    const at = (hour: number) => new Date(2033, 0, 10, hour).toISOString();
    expect((await created).postDataJSON()).toEqual({
      start_time: at(20),
      end_time: at(23),
      reason: 'Replace the switches',
      nodes: ['gpu-01'],
      partitions: [],
    });
    await dialog.getByText('It is in the list now.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const row = page.getByRole('row').filter({ hasText: 'Replace the switches' });
    await row.getByText('Scheduled').waitFor();

    await row.getByRole('button', { name: 'Change …' }).click();
    await dialog.getByText('Nothing is changed yet.').waitFor();
    await dialog.getByLabel('Cancelled').click();
    const changed = page.waitForRequest((one) => one.method() === 'PUT');
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    expect((await changed).postDataJSON()).toEqual({ status: 'cancelled' });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row.getByText('Cancelled').waitFor();

    await row.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByText('nobody can undo it').waitFor();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('Deleted', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row.waitFor({ state: 'detached' });
    const left = (await org.viewer.get('/v1/slurm/maintenance_window')).body as { reason: string }[];
    expect(left.map(({ reason }) => reason)).not.toContain('Replace the switches');
    expect(tab.faults).toEqual([]);
  });

  it('deprecates a checkpoint after it has said what that does', async () => {
    const tab = await open();
    await tab.goto('/slurm?tab=checkpoints&status=ready');
    await tab.page.getByRole('button', { name: 'Deprecate …' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('no job is restored from this checkpoint').waitFor();
    const asked = tab.page.waitForRequest((one) => one.method() === 'PATCH');
    await dialog.getByRole('button', { name: 'Deprecate', exact: true }).click();
    expect((await asked).url()).toBe(`${service.url}/v1/slurm/checkpoints/deprecate/${seeded.readyCheckpointId}`);
    await dialog.getByText('Deprecated', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await tab.page.getByText('No checkpoints match these filters').waitFor();
    expect((await org.controller.put(`/v1/checkpoints/removed/${seeded.readyCheckpointId}`)).status).toBe(204);
    await tab.goto('/slurm?tab=checkpoints&status=deprecated');
    await tab.page.getByText(/^removed /).waitFor();

    // A replica of the release before does not say it.
    await tab.page.route(/\/v1\/slurm\/checkpoints/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(/,"bytes_removed_at":"[^"]+"/g, '') });
    });
    await tab.goto('/slurm?tab=checkpoints&status=deprecated');
    await tab.page.getByText('deprecated', { exact: true }).first().waitFor();
    expect(await tab.page.getByText(/^removed /).count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it('lets a viewer change nothing, and says why', async () => {
    const tab = await open(org.viewer.token);
    await tab.goto('/slurm?tab=maintenance');
    for (const name of ['Create window …', 'Change …', 'Delete …']) {
      const button = tab.page.getByRole('button', { name }).first();
      await eventually(async () => expect(await button.getAttribute('aria-disabled')).toBe('true'));
    }
    await tab.page
      .getByText('This needs the role admin or operator. Your role is viewer.')
      .first()
      .waitFor({ state: 'attached' });
    await tab.page.getByRole('button', { name: 'Create window …' }).click({ force: true });
    expect(await tab.page.getByRole('dialog').count()).toBe(0);
    expect(await tab.findings()).toEqual([]);
  });

  it('says what is missing, with the command that reports it', async () => {
    const fresh = await service.organisation();
    const tab = await open(fresh.viewer.token);
    const sees = async (path: string, text: string): Promise<void> => {
      await tab.goto(path);
      await tab.page.getByText(text).waitFor();
      expect([path, await tab.findings()]).toEqual([path, []]);
    };
    await sees('/slurm', 'No Slurm cluster has registered yet');
    const clusterId = await slurmCluster(fresh);
    await sees('/slurm', 'No node was reported yet');
    expect(await tab.page.getByLabel('Command').textContent()).toContain(`nodes/sync?cluster_id=${clusterId}`);
    await sees('/slurm?tab=load', 'No load was reported in the last 24 hours');
    await sees('/slurm?tab=load&partition=gpu', 'No reports of this partition match these filters');
    await sees('/slurm?tab=ended', 'No Slurm job has ended yet');
    await sees('/slurm?tab=maintenance', 'No maintenance window is open or coming');
    await sees('/slurm?tab=checkpoints', 'No Slurm job was checkpointed yet');
    expect(tab.faults).toEqual([]);
  });

  it('shows a failure with its code, and can be tried again', async () => {
    const tab = await open();
    let fails = true;
    await tab.page.route('**/v1/slurm/nodes?*', (route) =>
      fails ? route.abort('connectionrefused') : route.continue(),
    );
    await tab.goto('/slurm');
    await tab.page.getByText('The service does not answer').waitFor();
    expect(await tab.findings()).toEqual([]);
    fails = false;
    await tab.page.getByRole('button', { name: 'Try again' }).click();
    await tab.page.getByText('all 41 nodes drawn').waitFor();
  });

  it('finds partitions and nodes with Ctrl-K', async () => {
    const tab = await open();
    await tab.goto('');
    await tab.page.keyboard.press('Control+k');
    const field = tab.page.getByRole('combobox', { name: 'Page, name or id' });
    await field.fill('urge');
    await tab.page.getByRole('option', { name: /urgent.*Slurm partition, UP/ }).waitFor();
    await field.fill('gpu-06');
    await tab.page.getByRole('option', { name: /gpu-06.*Slurm node, DOWN/ }).click();
    await tab.page.getByText('power supply failed').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('ignores what makes no sense in its address', async () => {
    const tab = await open();
    await tab.goto('/slurm?tab=moon&cluster=x&by=colour&window=99y');
    await tab.page.getByText('all 41 nodes drawn.').waitFor();
    expect(tab.faults).toEqual([]);
  });
});
