import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { outdate, placedInstance } from '../support/instances';
import { buildType, Marketplace } from '../support/marketplace';
import { fetched, publish, sha256, temporaryDirectory } from '../support/plugins';
import { Service, type Organisation } from '../support/service';
import { buildNode } from '../support/builders';
import { cluster, syncObjects, typed } from '../support/inventory';
import { ok } from '../support/workloads';
import type { Tab } from './support/browser';
import { expectLooks } from './support/looks';
import { Tabs } from './support/tabs';

const HOUR_MS = 3_600_000;
/** Longer than the pause after which lists are read again. */
const REFRESH_MS = 20_000;

/** A page, and words that it shows of the seeded organisation. */
type Expected = readonly [name: string, path: string, title: string, shows: readonly (string | RegExp)[]];

const PAGES: readonly Expected[] = [
  [
    'instances',
    '/instances',
    'Instances',
    [
      'The marketplace fails now',
      /but now the marketplace fails, since \d+ \w{3} \d{4}/,
      '2 rented instances: $2.10 per hour, 1 of them without a price yet',
      /^\$5\.[23]\d$/,
      'creating',
    ],
  ],
  [
    'instance-types',
    '/instances?tab=types',
    'Instances',
    ['3 types, at most a minute old', '8 × H100 80 GB', '$0.57', 'CA, Montreal', 'no region', '3–5 min'],
  ],
  [
    'instance-prices',
    '/instances?tab=prices',
    'Instances',
    ['p4d.24xlarge', '$11.57', 'not known', '1 type of reported nodes has no price: p5.48xlarge'],
  ],
  [
    'plugins',
    '/plugins?open=criu',
    'Plugins',
    [
      '3 plugins for amd64, release builds',
      'Files of criu 4.1.0',
      'curl -fsSL -o criu ',
      'install-slurm is not published',
    ],
  ],
  [
    'compatible-plugins',
    '/plugins?compatibility=3.2.0',
    'Plugins',
    ['the newest that fit 3.2.0', '3.9.0', 'the latest is 4.1.0', 'Not the latest'],
  ],
];

describeWith(['Chromium'], 'the pages of instances and plugins', () => {
  const tabs = new Tabs();
  let service: Service;
  let market: Marketplace;
  let org: Organisation;
  const directory = temporaryDirectory();

  beforeAll(async () => {
    market = await Marketplace.start();
    const settings = {
      marketplace: market.settings(),
      objectStorageDir: join(directory, 'objects'),
      pluginsPublic: false,
    };
    ({ service, org } = await tabs.start(settings));
    await seed();
  });
  afterAll(() => market?.close());

  async function seed(): Promise<void> {
    market.types = [
      buildType(),
      buildType(
        { cloud: 'lambda', shade_instance_type: 'H100_x8', cloud_instance_type: 'gpu_8x_h100', hourly_price: 2_392 },
        { gpu_type: 'H100', num_gpus: 8, vram_per_gpu_in_gb: 80, vcpus: 208, memory_in_gb: 1_800 },
      ),
      buildType(
        {
          cloud: 'nebius',
          shade_instance_type: 'L40S',
          cloud_instance_type: 'l40s',
          hourly_price: 155,
          availability: [],
        },
        { gpu_type: 'L40S' },
      ),
    ];
    const running = await placedInstance(org.operator, { name: 'burst-1' });
    const machine = market.machines.find(({ tags }) => tags.includes(`ccp-${running}`));
    Object.assign(machine ?? {}, { status: 'active', hourly_price: 210, cost_estimate: '4.95', ip: '203.0.113.7' });
    await outdate(service);
    ok(await org.viewer.get('/v1/instances'));
    await service.db.query('update instances set created_at = created_at - $1::interval', [
      `${(2.5 * HOUR_MS) / 1_000} s`,
    ]);
    // Its machine is not listed yet, so it has no price.
    market.behaves('list', { status: 500 });
    await placedInstance(org.operator, { name: 'burst-2' });
    const prices = { capacity_type: 'spot', spot_price_per_hour: 11.57 };
    ok(await org.operator.put('/v1/pricing/instance-types', { instance_type: 'p4d.24xlarge', ...prices }));
    const labels = { 'node.kubernetes.io/instance-type': 'p5.48xlarge' };
    await syncObjects(org.controller, await cluster(org), typed('Node', buildNode('n1', { metadata: { labels } })));
    await publish(org.operator, 'criu', { version: '3.9.0', daemon_versions: '^3' });
    await publish(org.operator, 'criu', { version: '4.1.0', daemon_versions: '^4' });
    await publish(org.operator, 'install', { version: '4.1.0' });
    await publish(org.operator, 'main', { version: '4.1.0' });
  }

  const open = (token = org.operator.token, url = service.url): Promise<Tab> => tabs.open(token, url);

  it.each(PAGES)('%s shows what there is, in both themes and at both widths', async (name, path, title, shows) => {
    await expectLooks(await open(), { name, path, title, shows });
  });

  it('requests an instance: the price comes first, then the state until it runs, and why it is not deleted', async () => {
    market.behaves('list', {});
    const tab = await open();
    const { page } = tab;
    await tab.goto('/instances?tab=types&gpus=1&gpu=a6000');
    await page.getByText('1 type, at most a minute old').waitFor();
    await page.getByRole('button', { name: 'Request …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It costs $0.57 per hour, $13.68 per day,').waitFor();
    await dialog.getByText('Give it a name').waitFor();
    await dialog.getByLabel('Name').fill('night-run');
    expect(await tab.findings()).toEqual([]);
    const asked = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/v1/instances'));
    await dialog.getByRole('button', { name: 'Request', exact: true }).click();
    expect((await asked).postDataJSON()).toEqual({
      name: 'night-run',
      cloud: 'hyperstack',
      region: 'canada-1',
      marketplace_cloud: true,
      marketplace_instance_type: 'A6000',
    });
    await dialog.getByText('creating', { exact: true }).waitFor();
    const made = market.machines.find(({ name }) => name === 'night-run');
    Object.assign(made ?? {}, { status: 'active', ip: '203.0.113.9', ssh_port: 2222 });
    await outdate(service);
    await dialog.getByText('It runs.').waitFor();
    await dialog.getByText('ssh -p 2222 shadeform@203.0.113.9').waitFor();
    expect(await tab.findings()).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await tab.goto('/instances?name=night');
    const row = page.getByRole('row').filter({ hasText: 'night-run' });
    await row.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByText('with everything on its disks').waitFor();
    market.behaves('delete', { status: 409, body: { message: 'Machine is locked' } });
    const deleted = page.waitForRequest((one) => one.method() === 'DELETE');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    expect((await deleted).url()).toMatch(/\/v1\/instances\/[0-9a-f-]{36}$/);
    await dialog.getByText('Deletion requested').waitFor();
    expect(market.asked('delete')).toHaveLength(1);
    await tab.goto('/instances?name=night');
    await row.getByText('refuses the request (409: Machine is locked).').waitFor();
    market.behaves('delete', {});
    expect(tab.faults).toEqual([]);
  });

  it('does not replace the chosen region when it is full, but says so', async () => {
    const tab = await open();
    const { page } = tab;
    let isFull = false;
    await page.route('**/v1/instances/types?*', async (route) => {
      const response = await route.fetch();
      const types = (await response.json()) as { availability: { region: string; available: boolean }[] }[];
      for (const { availability } of types)
        availability.push({ ...availability[0], region: 'mars-1', display_name: 'Mars', available: true } as never);
      for (const { availability } of isFull ? types : [])
        for (const one of availability) one.available = one.region === 'mars-1';
      await route.fulfill({ response, json: types });
    });
    await page.clock.install();
    await tab.goto('/instances?tab=types&gpus=1&gpu=a6000');
    await page.getByRole('button', { name: 'Request …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('night-run');
    const confirm = dialog.getByRole('button', { name: 'Request', exact: true });
    const region = dialog.getByRole('combobox', { name: 'Region' });
    const chosen = await region.inputValue();
    expect([chosen === 'Mars', await confirm.isEnabled()]).toEqual([false, true]);
    isFull = true;
    await page.clock.fastForward(REFRESH_MS);
    await dialog.getByText(`${chosen} has none free any more.`).waitFor();
    expect([await region.inputValue(), await confirm.isDisabled()]).toEqual([chosen, true]);
    await region.click();
    await page.getByRole('option', { name: 'Mars' }).click();
    expect(await confirm.isEnabled()).toBe(true);
    expect(tab.faults).toEqual([]);
  });

  it('keeps its filters in the address, over Reload and Back, and lets the service filter', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/instances?tab=types');
    await page.getByRole('radiogroup', { name: 'GPUs' }).getByText('8', { exact: true }).click();
    await page.getByText('1 type, at most a minute old').waitFor();
    await page.getByRole('button', { name: /^Per hour/ }).click();
    await eventually(() => expect(new URL(page.url()).search).toBe('?tab=types&gpus=8&order=dearest'));
    expect(tab.requests.some((one) => one.includes('num_gpus=8') && one.includes('sort=-price'))).toBe(true);
    await page.reload();
    await page.getByText('8 × H100 80 GB').waitFor();
    await page.getByRole('tab', { name: 'Prices of nodes' }).click();
    await page.getByText('p4d.24xlarge').waitFor();
    await page.goBack();
    await page.getByText('8 × H100 80 GB').waitFor();
    await page.getByLabel('GPU, such as H100').fill('V100');
    await page.getByText('No types match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('3 types, at most a minute old').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('saves, changes and deletes a price with the requests of the API', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/instances?tab=prices');
    await page.getByRole('button', { name: 'Save price …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Name the instance type.').waitFor();
    await dialog.getByLabel('Instance type').fill('g5.xlarge');
    await page.keyboard.press('Tab');
    await dialog.getByLabel('On demand, per hour').fill('1.01');
    const put = () => page.waitForRequest((one) => one.method() === 'PUT');
    let asked = put();
    await dialog.getByRole('button', { name: 'Save price', exact: true }).click();
    const type = { instance_type: 'g5.xlarge', capacity_type: 'on-demand' };
    expect((await asked).postDataJSON()).toEqual({ ...type, ondemand_price_per_hour: 1.01 });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const row = page.getByRole('row').filter({ hasText: 'g5.xlarge' });
    await row.getByRole('button', { name: 'Change …' }).click();
    // Meanwhile, somebody else changes the other price.
    ok(await org.operator.put('/v1/pricing/instance-types', { ...type, ondemand_price_per_hour: 1.05 }));
    await dialog.getByLabel('Spot, per hour').fill('0.4');
    asked = put();
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    expect((await asked).postDataJSON()).toEqual({ ...type, spot_price_per_hour: 0.4 });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row.getByText('$0.40').waitFor();
    await row.getByText('$1.05').waitFor();
    await row.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByText('Every price of g5.xlarge is deleted').waitFor();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row.waitFor({ state: 'detached' });
    expect(tab.faults).toEqual([]);
  });

  it('keeps an open dialog with its row while another row takes its place', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/instances?tab=prices');
    const first = page.getByRole('row').nth(1);
    await first.getByRole('button', { name: 'Delete …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Every price of p4d.24xlarge is deleted').waitFor();
    const body = { instance_type: 'a2.first', capacity_type: 'spot', spot_price_per_hour: 1 };
    ok(await org.operator.put('/v1/pricing/instance-types', body));
    // The list is read again by itself.
    await eventually(async () => expect(await first.textContent()).toContain('a2.first'), REFRESH_MS);
    expect(await dialog.textContent()).toContain('Every price of p4d.24xlarge is deleted');
    ok(await org.operator.delete('/v1/pricing/instance-types/a2.first'));
  });

  it('uploads a build from the browser, with its checksum, and shows when it is served', async () => {
    const tab = await open();
    const { page } = tab;
    mkdirSync(directory, { recursive: true });
    const bytes = randomBytes(40_000);
    writeFileSync(join(directory, 'gpu-hook'), bytes);
    await tab.goto('/plugins');
    await page.getByRole('button', { name: 'Upload …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Choose a file.').waitFor();
    await page.locator('input[type=file]').setInputFiles(join(directory, 'gpu-hook'));
    await dialog.getByText('its SHA-256 is sent with it').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('gpu-hook');
    await dialog.getByRole('textbox', { name: 'Version', exact: true }).fill('1.2.0');
    await dialog.getByLabel('Repository').fill('github.com/example/plugins');
    expect(await tab.findings()).toEqual([]);
    const asked = page.waitForRequest((one) => one.url().endsWith('/v1/plugins/upload/gpu-hook'));
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    expect((await asked).postDataJSON()).toEqual({
      version: '1.2.0',
      repository: 'github.com/example/plugins',
      arch: 'amd64',
      build: 'release',
      checksum: sha256(bytes),
    });
    await dialog.getByText('The service serves it').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'gpu-hook' }).click();
    await page.getByText('Files of gpu-hook 1.2.0').waitFor();
    const redirect = await org.viewer.get('/v1/plugins/download/gpu-hook?version=1.2.0');
    expect((await fetched(redirect.headers.location ?? '')).bytes.equals(bytes)).toBe(true);
    expect(tab.faults).toEqual([]);
  });

  it('shows the refusal of an upload, and can be tried again', async () => {
    const tab = await open();
    const { page } = tab;
    writeFileSync(join(directory, 'bad'), 'x');
    await tab.goto('/plugins');
    await page.getByRole('button', { name: 'Upload …' }).click();
    const dialog = page.getByRole('dialog');
    await page.locator('input[type=file]').setInputFiles(join(directory, 'bad'));
    await dialog.getByRole('textbox', { name: 'Version', exact: true }).fill('latest');
    await dialog.getByLabel('Repository').fill('example');
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await dialog.getByText('must not be latest').waitFor();
    expect(await tab.findings()).toEqual([]);
  });

  it('lets a viewer change nothing, and says why', async () => {
    const tab = await open(org.viewer.token);
    const { page } = tab;
    for (const [path, name] of [
      ['/instances', 'Delete …'],
      ['/instances?tab=types', 'Request …'],
      ['/instances?tab=prices', 'Save price …'],
      ['/plugins', 'Upload …'],
    ] as const) {
      await tab.goto(path);
      const button = page.getByRole('button', { name }).first();
      await eventually(async () => expect([path, await button.getAttribute('aria-disabled')]).toEqual([path, 'true']));
      await page
        .getByText('This needs the role admin or operator. Your role is viewer.')
        .first()
        .waitFor({ state: 'attached' });
      expect([path, await tab.findings()]).toEqual([path, []]);
    }
  });

  it('opens the files of a plugin, and returns the focus to what opened them', async () => {
    const tab = await open();
    const { page } = tab;
    await tab.goto('/plugins');
    const opener = page.getByRole('link', { name: 'criu' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Files of criu 4.1.0' });
    await dialog.waitFor();
    const isInside = () => dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement));
    await eventually(async () => expect(await isInside()).toBe(true));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true),
    );
    expect(tab.faults).toEqual([]);
  });

  it('filters plugins by name, and names those without a version that fits', async () => {
    const tab = await open();
    await tab.goto('/plugins?names=criu,nvidia');
    await tab.page.getByText('Without a version that matches: nvidia').waitFor();
    await tab.page.getByText('1 plugin for amd64').waitFor();
    await tab.page.reload();
    await tab.page.getByText('Without a version that matches: nvidia').waitFor();
    await tab.goto('/plugins?arch=riscv64');
    await tab.page.getByText('No plugins match these filters').waitFor();
    await tab.page.getByText("'http").first().waitFor();
    expect(await tab.page.getByLabel('Command').first().textContent()).toContain('arch=riscv64');
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByRole('link', { name: 'criu' }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('shows a failure with its code, and can be tried again', async () => {
    const tab = await open();
    let fails = true;
    await tab.page.route('**/v1/plugins?*', (route) => (fails ? route.abort('connectionrefused') : route.continue()));
    await tab.goto('/plugins');
    await tab.page.getByText('The service does not answer').first().waitFor();
    expect(await tab.findings()).toEqual([]);
    fails = false;
    await tab.page.getByRole('button', { name: 'Try again' }).first().click();
    await tab.page.getByRole('link', { name: 'criu' }).waitFor();
  });

  it('finds instances and plugins with Ctrl-K', async () => {
    const tab = await open();
    await tab.goto('');
    await tab.page.keyboard.press('Control+k');
    const field = tab.page.getByRole('combobox', { name: 'Page, name or id' });
    await field.fill('burst-1');
    await tab.page.getByRole('option', { name: /burst-1.*instance, active/ }).waitFor();
    await field.fill('criu');
    await tab.page.getByRole('option', { name: /criu.*plugin 4\.1\.0/ }).click();
    await tab.page.getByText('Files of criu 4.1.0').waitFor();
  });

  it('says what to configure where there is no marketplace, and what to publish first', async () => {
    const bare = await Service.start({ objectStorageDir: join(directory, 'bare') });
    try {
      const fresh = await bare.organisation();
      const tab = await open(fresh.viewer.token, bare.url);
      await tab.goto('/instances');
      await tab.page.getByText('No marketplace is configured', { exact: true }).waitFor();
      expect(await tab.page.getByLabel('Command').textContent()).toContain('MARKETPLACE_API_KEY');
      expect(await tab.findings()).toEqual([]);
      await tab.goto('/instances?tab=prices');
      await tab.page.getByText('No price was entered yet').waitFor();
      expect(await tab.findings()).toEqual([]);
      await tab.goto('/plugins');
      await tab.page.getByText('No plugin is published yet').waitFor();
      expect(await tab.page.getByLabel('Command').first().textContent()).toContain('plugins:publish');
      expect(tab.faults).toEqual([]);
    } finally {
      await bare.close();
    }
  });
});
