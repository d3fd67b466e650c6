import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { buildPolicy, heartbeat, ofNamespace } from '../support/policies';
import type { Organisation, Service } from '../support/service';
import { ok } from '../support/workloads';
import type { Tab } from './support/browser';
import { expectLooks, LOOKS } from './support/looks';
import { seedPolicies, type SeededPolicies } from './support/policies';
import { Tabs } from './support/tabs';

interface Expected {
  readonly name: string;
  readonly path: (seeded: SeededPolicies) => string;
  /** Words that it shows of the seeded organisation. */
  readonly shows: readonly string[];
}

const PAGES: readonly Expected[] = [
  {
    name: 'policies',
    path: () => '/policies',
    shows: [
      'training, hourly',
      'every 1 h',
      '2 running pods',
      'cluster silent',
      'Next firings',
      '1 policy waits: the cluster is silent',
      '2 ready',
      'Slurm job 4711, 4712',
      '4 of 4 policies drawn',
    ],
  },
  {
    name: 'policies-last-week',
    path: ({ lastWeek, failedHour }) => `/policies?week=${lastWeek}&hour=${failedHour}`,
    shows: [
      '168 beats: 330 checkpoints requested, 329 ready, 1 failed, 1 beat late, 3 beats missed',
      'Cooling of hall 2, 2 nodes',
      '1 beat: 2 checkpoints requested, 1 ready, 1 failed',
      '1 missed',
      '1 late',
    ],
  },
  {
    name: 'policies-table',
    path: ({ lastWeek }) => `/policies?week=${lastWeek}&show=table`,
    shows: ['Show as chart', 'Requested nothing'],
  },
  {
    name: 'policy',
    path: ({ hourlyId }) => `/policies?open=${hourlyId}`,
    shows: ['Delete …', '668 checkpoints requested: 667 ready, 1 failed, 0 open', 'The newest 50 of 668'],
  },
  {
    name: 'policy-matches',
    path: ({ slurmId }) => `/policies?open=${slurmId}&part=matches`,
    shows: ['2 jobs; those that run are checkpointed', 'PENDING', 'until 40 checkpoints are ready'],
  },
  {
    name: 'automatic-restores',
    path: () => '/policies?tab=automatic',
    shows: ['llm-train', 'llm-0', 'disabled', 'reported: Failed'],
  },
];

/** Scrolls to the middle of the table, and counts the rows that are seen there. */
const SEEN_ROWS = `(() => {
  const table = document.querySelector('[role=table][aria-label=Policies]');
  const { top, height } = table.getBoundingClientRect();
  window.scrollBy(0, top + height / 2 - window.innerHeight / 2);
  return [...table.querySelectorAll('[data-index]')]
    .map((row) => row.getBoundingClientRect())
    .filter((row) => row.bottom > 0 && row.top < window.innerHeight).length;
})()`;

describeWith(['Chromium'], 'the page of policies', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let seeded: SeededPolicies;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    seeded = await seedPolicies(service, org);
  });

  const open = (token: string | undefined = org.operator.token): Promise<Tab> => tabs.open(token);
  const searchOf = (tab: Tab) => Object.fromEntries(new URL(tab.page.url()).searchParams);

  it.each(PAGES)('$name shows what there is, in both themes and at both widths', async ({ name, path, shows }) => {
    await expectLooks(await open(), { name, path: path(seeded), title: 'Policies', shows });
  });

  it('keeps the week, the hour, the drawer and the tab over a reload, and Back undoes them one by one', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto(`/policies?week=${seeded.lastWeek}`);
    await page.getByRole('gridcell', { name: /1 failed/ }).click();
    await page.getByRole('link', { name: 'training, hourly' }).first().click();
    await page.getByRole('dialog').getByRole('tab', { name: 'Matches now' }).click();
    await page.getByText('training/train-7b-1').waitFor();
    const all = { week: seeded.lastWeek, hour: String(seeded.failedHour), open: seeded.hourlyId, part: 'matches' };
    expect(searchOf(tab)).toEqual(all);
    await page.reload();
    await page.getByRole('dialog').getByText('training/train-7b-1').waitFor();
    await page.getByText('1 beat: 2 checkpoints requested').waitFor({ state: 'attached' });
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(searchOf(tab)).toEqual({ week: seeded.lastWeek, hour: String(seeded.failedHour) });
    await page.getByRole('button', { name: 'Next week' }).click();
    await eventually(() => expect(searchOf(tab)).toEqual({}));
    const thisWeek = page.getByRole('button', { name: 'This week' });
    await eventually(async () => expect(await thisWeek.isDisabled()).toBe(true));
    await page.goBack();
    await page.getByText('3 beats missed').first().waitFor({ state: 'attached' });
    await page.getByRole('tab', { name: 'Automatic restores' }).click();
    await page.getByText('llm-0').waitFor();
    await page.reload();
    await page.getByText('llm-0').waitFor();
    await page.goBack();
    await page.getByText('3 beats missed').first().waitFor({ state: 'attached' });
    expect(tab.faults).toEqual([]);
  });

  it('has a calendar that the arrow keys walk, and from which Enter opens an hour', async () => {
    const tab = await open();
    await tab.goto(`/policies?week=${seeded.lastWeek}`);
    const cell = (day: number, hour: number) => tab.page.locator(`[data-place="${day} ${hour}"]`);
    expect(await tab.page.locator('[role=gridcell][tabindex="0"]').count()).toBe(1);
    await cell(0, 0).focus();
    await tab.page.keyboard.press('ArrowRight');
    for (let hour = 0; hour < 9; hour++) await tab.page.keyboard.press('ArrowDown');
    expect(await tab.page.evaluate('document.activeElement?.getAttribute("data-place")')).toBe('1 9');
    expect(await cell(1, 9).getAttribute('aria-label')).toMatch(
      /09:00\. 1 failed\. 1 beat: 2 checkpoints requested, 1 ready, 1 failed$/,
    );
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('region', { name: 'Beats of the chosen hour' }).getByText('training, hourly').waitFor();
    expect(searchOf(tab).hour).toBe(String(seeded.failedHour));
    expect(await cell(1, 9).getAttribute('aria-selected')).toBe('true');
    await tab.page.getByRole('button', { name: 'Close' }).press('Enter');
    await eventually(() => expect(searchOf(tab).hour).toBeUndefined());
    await eventually(async () =>
      expect(await tab.page.evaluate('document.activeElement?.getAttribute("data-place")')).toBe('1 9'),
    );
  });

  it('creates a policy: it shows first what would match, sends the body of the API, and then shows the policy', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/policies');
    await page.getByRole('button', { name: 'Create policy …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Choose a cluster. Name a namespace.').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('evaluation');
    await dialog
      .getByRole('textbox', { name: 'Every' })
      .or(dialog.getByRole('spinbutton', { name: 'Every' }))
      .fill('5');
    await dialog.getByRole('combobox', { name: 'Unit' }).click();
    await page.getByRole('option', { name: 'minutes' }).click();
    await dialog.getByRole('combobox', { name: 'Cluster' }).click();
    await page.getByRole('option', { name: 'eu-gpu-1' }).click();
    const previewed = page.waitForRequest((request) => request.url().endsWith('/v1/policy/pipeline/preview'));
    await dialog
      .getByRole('combobox', { name: 'Namespace' })
      .or(dialog.getByLabel('Namespace'))
      .last()
      .fill('evaluation');
    const pipeline = {
      trigger: { type: 'heartbeat', config: { interval_seconds: 300, max_checkpoints: null } },
      filter: { type: 'namespace', config: { cluster_id: seeded.clusterId, namespace: 'evaluation' } },
      action: { type: 'checkpoint', config: { kind: 'simple', runc_root: null } },
    };
    expect((await previewed).postDataJSON().pipeline).toEqual(pipeline);
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await preview.getByText('1 running pod would be checkpointed').waitFor();
    await preview.getByText('evaluation/eval-0').waitFor();
    expect(await preview.getByRole('list').last().getByRole('listitem').count()).toBe(10);
    expect((await org.viewer.get('/v1/policy/list')).body.total_count).toBe(4);
    for (const [theme, width] of LOOKS) {
      await tab.look(theme, width);
      await tab.screenshot(`policy-form-${theme}-${width}`);
      expect([theme, width, await tab.findings()]).toEqual([theme, width, []]);
    }
    await tab.look('light', 1280);
    const asked = page.waitForRequest((request) => request.url().endsWith('/v1/policy/pipeline/create'));
    await dialog.getByRole('button', { name: 'Create policy' }).click();
    expect((await asked).postDataJSON()).toEqual({ name: 'evaluation', keep_last: null, pipeline });
    await dialog.getByText('Created', { exact: true }).first().waitFor();
    await dialog.getByText('every 5 min').waitFor();
    await dialog.getByRole('button', { name: 'Show the policy' }).click();
    await page.getByText('This policy has requested nothing yet').waitFor();
    const { policies } = (await org.viewer.get('/v1/policy/pipeline/list?name=evaluation')).body;
    expect(policies).toMatchObject([{ id: searchOf(tab).open, pipeline }]);

    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByText('nobody can undo that').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('It requests nothing any more.').waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await eventually(() => expect(searchOf(tab)).toEqual({}));
    await page.getByText('4 policies, newest first').waitFor();
    expect((await org.viewer.get('/v1/policy/list')).body.total_count).toBe(4);
    expect(tab.faults).toEqual([]);
  });

  it('pauses a policy, lets it go on, and lets it keep fewer checkpoints', async () => {
    const id = await buildPolicy(org, ofNamespace(seeded.clusterId, 'restored'), heartbeat(), { name: 'short-lived' });
    try {
      const tab = await open();
      const { page } = tab;
      await tab.goto(`/policies?open=${id}`);
      const stored = async () => (await org.viewer.get(`/v1/policy/pipeline/${id}`)).body;
      const closed = async () => {
        await page.getByRole('button', { name: 'Close' }).last().click();
        await eventually(async () => expect(await page.getByRole('dialog').count()).toBe(1));
      };
      await page.getByRole('button', { name: 'Pause …' }).click();
      await page.getByText('No beat acts until somebody lets it go on.').waitFor();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByRole('dialog').getByText('Paused', { exact: true }).waitFor();
      await closed();
      await page.getByText('when it goes on').first().waitFor();
      expect(await stored()).toMatchObject({ paused: true, next_at: null });
      await page.getByRole('button', { name: 'Resume …' }).click();
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      await page.getByText('It goes on', { exact: true }).waitFor();
      await closed();
      await page.getByRole('button', { name: 'Keep …' }).click();
      const number = page.getByLabel('Keep the last');
      await number.fill('1001');
      await page.getByText('It must be a whole number from 1 to 1,000.').first().waitFor();
      await number.fill('3');
      await page.getByText('No checkpoint would go now.').waitFor();
      await tab.screenshot('policy-keep');
      expect(await tab.findings()).toEqual([]);
      await page.getByRole('button', { name: 'Keep', exact: true }).click();
      await page.getByText('It keeps the last 3 of each workload').waitFor();
      await closed();
      await page.getByText('the last 3 of each workload').waitFor();
      expect(await stored()).toMatchObject({ paused: false, keep_last: 3 });
      expect(tab.faults).toEqual([]);
    } finally {
      await org.operator.delete('/v1/policy/delete', { id });
    }
  });

  it('shows what the service refuses at the field that it names, and warns in words', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/policies');
    await page.getByRole('button', { name: 'Create policy …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Cluster' }).click();
    await page.getByRole('option', { name: 'hpc-1' }).click();
    const jobs = dialog.getByLabel('Slurm jobs', { exact: false }).last();
    await jobs.fill('4711 47_1');
    await dialog.getByText("47_1 must be Slurm's number of a job, such as 4711.").waitFor();
    expect(await jobs.getAttribute('aria-invalid')).toBe('true');
    await dialog.getByText('The service refuses it: see the field.').waitFor();
    await jobs.fill('4712');
    await dialog.getByText('The jobs that match do not run now.').waitFor();
    await dialog.getByText('0 running jobs of 1 matching job would be checkpointed.').waitFor();
    await jobs.fill('99');
    await dialog.getByText('0 running jobs of 0 matching jobs would be checkpointed.').waitFor();
    expect(await jobs.getAttribute('aria-invalid')).not.toBe('true');
    await dialog.getByText('The workloads stand still for a moment').waitFor();
    await dialog.getByText('In a maintenance window', { exact: true }).click();
    await dialog.getByText('The window empties nodes').waitFor();
    expect(await dialog.getByText('The workloads stand still for a moment').count()).toBe(0);
    await dialog.getByLabel('Begins').fill('2026-01-01T10:00');
    await dialog.getByLabel('Ends').fill('2026-01-01T09:00');
    await dialog.getByLabel('Begins').focus();
    await dialog.getByText('It must end after it begins.').first().waitFor();
    expect(await dialog.getByRole('button', { name: 'Create policy' }).isDisabled()).toBe(true);
    // The refused preview is an answer of 400, which browsers note.
    expect(tab.faults.filter((fault) => !fault.includes('400'))).toEqual([]);
  });

  it('lets nobody create or delete whose role may not, and says why', async () => {
    const tab = await open(org.viewer.token);
    await tab.goto(`/policies?open=${seeded.hourlyId}`);
    const dialog = tab.page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete …' }).getAttribute('aria-disabled')).toBe('true');
    await dialog
      .getByText('This needs the role admin or operator. Your role is viewer.')
      .first()
      .waitFor({ state: 'attached' });
    await tab.goto('/policies');
    const create = tab.page.getByRole('button', { name: 'Create policy …' });
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await create.click({ force: true });
    expect(await tab.page.getByRole('dialog').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it('tells nothing yet, nothing matches, gone and failed apart', async () => {
    const other = await service.organisation();
    const empty = await open(other.operator.token);
    await empty.goto('/policies');
    await empty.page.getByText('There is no policy yet').waitFor();
    await empty.page.getByText(`curl -X POST ${service.url}/v1/policy/pipeline/create`).waitFor();
    await empty.page.getByText('no beat was or will be due in this week').waitFor();
    await empty.screenshot('no-policies');
    expect(await empty.findings()).toEqual([]);
    await empty.goto('/policies?tab=automatic');
    await empty.page.getByText('No pod or job asks to be restored').waitFor();

    const tab = await open();
    await tab.goto('/policies?name=nobody');
    await tab.page.getByText('No policies match these filters').waitFor();
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByText('4 policies, newest first').waitFor();
    await tab.goto('/policies?open=0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10');
    await tab.page.getByText('This policy does not exist any more').waitFor();

    const failing = await open();
    await failing.page.route('**/v1/policy/schedule**', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        headers: { 'x-request-id': 'request-of-the-test' },
        body: JSON.stringify({
          type: '',
          title: 'Internal error',
          status: 500,
          detail: 'It failed.',
          code: 'internal',
        }),
      }),
    );
    await failing.goto('/policies');
    await failing.page.getByText('request-of-the-test').waitFor();
    // The table has its own request.
    await failing.page.getByText('4 policies, newest first').waitFor();
    await failing.page.unroute('**/v1/policy/schedule**');
    await failing.page.getByRole('button', { name: 'Try again' }).click();
    await failing.page.getByText('Next firings').waitFor();
  });

  it('is found in the command palette by the name of a policy', async () => {
    const tab = await open();
    await tab.goto('/');
    await tab.page.keyboard.press('Control+K');
    // Letters that are typed before it is open would go nowhere.
    await tab.page.getByRole('combobox', { name: 'Page, name or id' }).fill('molecular');
    await tab.page.getByRole('option', { name: /molecular dynamics/ }).waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { name: 'molecular dynamics' }).waitFor();
    expect(searchOf(tab)).toEqual({ open: seeded.slurmId });
  });

  it('shows the rows of its table wherever the table moves as the calendar above grows and shrinks', async () => {
    const many = await service.organisation();
    const clusterId = ok(await many.operator.post('/v1/cluster', { cluster_name: 'eu-gpu-1' })).text;
    for (let number = 0; number < 60; number++)
      await buildPolicy(many, ofNamespace(clusterId), heartbeat(3_600), { name: `policy ${number}` });
    const tab = await open(many.viewer.token);
    const { page } = tab;
    await tab.goto('/policies');
    await page.getByRole('button', { name: 'Next week' }).click();
    const table = page.getByRole('table', { name: 'Policies' });
    await page.getByRole('gridcell').first().waitFor();
    await table.getByRole('row').nth(5).waitFor();
    const fillsThePage = () =>
      eventually(async () => expect(await page.evaluate<number>(SEEN_ROWS)).toBeGreaterThan(10));
    const topOf = async () => ((await table.boundingBox())?.y ?? 0) + (await page.evaluate<number>('window.scrollY'));
    await fillsThePage();
    const before = await topOf();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await eventually(async () => expect((await topOf()) - before).toBeGreaterThan(3_000));
    await fillsThePage();
    await page.getByRole('button', { name: 'Show as chart' }).click();
    await eventually(async () => expect(Math.abs((await topOf()) - before)).toBeLessThan(300));
    await fillsThePage();
    expect(tab.faults).toEqual([]);
  });
});
