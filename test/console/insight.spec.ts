import { createKey } from '../support/chat';
import { saveRates, reportedLived } from '../support/costs';
import { describeWith } from '../support/components';
import type { Organisation, Service } from '../support/service';
import { eventually } from '../support/eventually';
import { issueKey } from '../support/inference';
import { createProfile, setState } from '../support/profiles';
import { ok } from '../support/workloads';
import { HOUR } from '../support/durations';
import type { Tab } from './support/browser';
import { expectAllLooks, expectLooks, type Expected } from './support/looks';
import { Tabs } from './support/tabs';

const PAGES: readonly Expected[] = [
  {
    name: 'costs',
    path: '/costs',
    title: 'Costs',
    shows: ['$6.00 in the last 7 days, 100 % of it idle', 'chat-1', 'Ready, no request', 'Per 10⁶, held', '$2.00'],
  },
  {
    name: 'costs-by-day',
    path: '/costs?by=day',
    title: 'Costs',
    shows: ['$6.00 in 7 days of UTC', 'until now', 'Serving requests'],
  },
  {
    name: 'table-of-days',
    path: '/costs?by=day&show=table',
    title: 'Costs',
    shows: ['Node time', 'Show as chart', 'Ready, no request'],
  },
  { name: 'audit', path: '/audit', title: 'Audit', shows: ['create inference key', 'team-chat', 'operator'] },
  {
    name: 'outbox',
    path: '/outbox',
    title: 'Outbox',
    shows: ['1 consumer; 1 behind, 1 of them silent', 'eu-controller', 'Silent, behind'],
  },
  {
    name: 'keys',
    path: '/keys',
    title: 'Keys and tokens',
    shows: ['team-chat spends most, $8.00', '$8.00 spent, $1.50 reserved of $10.00', 'exhausted', '$0.0042 spent'],
  },
  { name: 'tokens', path: '/keys?tab=tokens', title: 'Keys and tokens', shows: ['you are signed in with it', 'never'] },
];

async function seed(service: Service, org: Organisation): Promise<void> {
  const spend = async (name: string, budget_usd: number | null, spent: number, reserved = 0): Promise<void> => {
    const { key_id } = await createKey(org, { name, budget_usd });
    await service.db.query('update inference_keys set spent_usd = $2, reserved_usd = $3 where id = $1', [
      key_id,
      spent,
      reserved,
    ]);
  };
  await spend('team-chat', 10, 8, 1.5);
  await spend('batch', 2, 2);
  await spend('probe', null, 0.0042);
  await seedCosts(service, org);
  ok(await org.controller.get('/v1/inference/outbox?consumer_id=eu-controller'));
  await service.db.query("update outbox_consumers set seen_at = now() - interval '10 minutes'");
  const asked = await setState(org.operator, 'chat-1', { desired_state: 'Suspended', desired_replicas: 0 });
  expect(asked.status).toBe(202);
}

/** A worker that was ready for three hours, and served nothing. */
async function seedCosts(service: Service, org: Organisation): Promise<void> {
  await createProfile(org, { profile_id: 'chat-1' });
  await saveRates(org, 'chat-1', { node: 2 });
  const now = Date.now();
  const life = { scheduled: now - 5 * HOUR, ready: now - 4.5 * HOUR, stopped: now - 2 * HOUR };
  await reportedLived(service, org, 'chat-1', life);
}

describeWith(['Chromium'], 'pages of money, rules and records', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let admin: string;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    const body = { name: 'admin of the tests', role: 'admin', organisation_id: org.id };
    admin = (await service.admin.post('/v1/tokens', body)).body.raw_token;
    await seed(service, org);
  });

  const open = (token: string | undefined): Promise<Tab> => tabs.open(token);

  it.each(PAGES)('$name shows what there is, in both themes and at both widths', async (expected) => {
    await expectLooks(await open(admin), expected);
  });

  it('creates a key that is shown once, keeps it out of the address, changes it, and revokes it', async () => {
    const tab = await open(org.operator.token);
    const { page } = tab;
    await tab.goto('/keys?order=newest');
    await page.getByRole('button', { name: 'Create key …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Give the key a name').waitFor();
    await dialog.getByLabel('Name').fill('team-search');
    await dialog.getByLabel('Budget').fill('-');
    await dialog.getByText('Enter numbers').waitFor();
    await dialog.getByLabel('Budget').fill('25.');
    const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/keys'));
    await dialog.getByRole('button', { name: 'Create key' }).click();
    expect((await asked).postDataJSON()).toEqual({
      name: 'team-search',
      models: [],
      budget_usd: 25,
      rate_limit_rps: null,
    });
    const key = (await dialog.getByLabel('Command').textContent())?.trim() ?? '';
    expect((await service.as(key).get('/v1/inference/models')).status).toBe(200);
    expect(await tab.findings()).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('$0.00 spent of $25.00').waitFor();
    expect(await page.content()).not.toContain(key);
    expect(page.url()).not.toContain(key);
    const row = page.getByRole('row').filter({ hasText: 'team-search' });
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByText('Nothing is changed yet').waitFor();
    await dialog.getByLabel('Budget').fill('40');
    const changed = page.waitForRequest((request) => request.method() === 'PATCH');
    await dialog.getByRole('button', { name: 'Change' }).click();
    expect((await changed).postDataJSON()).toEqual({ budget_usd: 40, expected: { budget_usd: 25 } });
    await dialog.getByText('Changed', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('$0.00 spent of $40.00').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('Nobody can undo it').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('Every replica refuses').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row.getByText('Revoked').waitFor();
    expect((await service.as(key).get('/v1/inference/models')).status).toBe(401);
    expect(tab.faults).toEqual([]);
  });

  it('does not take back what somebody else has changed of a key meanwhile, but says so', async () => {
    const { keyId } = await issueKey(service, org, { name: 'shared-key', budget_usd: 5 });
    const tab = await open(org.operator.token);
    const { page } = tab;
    await tab.goto('/keys?order=newest');
    const dialog = page.getByRole('dialog');
    const row = page.getByRole('row').filter({ hasText: 'shared-key' });
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Budget').fill('40');
    ok(await org.operator.patch(`/v1/inference/keys/${keyId}`, { budget_usd: 50 }));
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByText('budget_usd is 50, and not 5.').waitFor();
    await dialog.getByText('Somebody else has changed the key').waitFor();
    await expectAllLooks(tab, 'key-conflict');
    await dialog.getByRole('button', { name: 'Start from what it has now' }).click();
    await eventually(async () => expect(await dialog.getByLabel('Budget').inputValue()).toBe('$50'));
    expect(await dialog.getByText('Somebody else has changed the key').count()).toBe(0);
    await dialog.getByLabel('Budget').fill('60');
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByText('Changed', { exact: true }).waitFor();
    const keys = (await org.viewer.get('/v1/inference/keys')).body as { key_id: string; budget_usd: number }[];
    expect(keys.find(({ key_id: id }) => id === keyId)?.budget_usd).toBe(60);
    // The refusal itself is an error for the browser.
    expect(tab.faults.filter((fault) => !fault.includes('409 (Conflict)'))).toEqual([]);
  });

  it('has no figures of another window while its own are on their way', async () => {
    const tab = await open(org.operator.token);
    await tab.goto('/costs');
    await tab.page
      .getByText(/in the last 7 days/)
      .first()
      .waitFor();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await tab.page.route(/hours=720/, async (route) => {
      await answered;
      await route.continue();
    });
    await tab.page.getByText('30d', { exact: true }).click();
    await tab.page.getByLabel('Loading', { exact: true }).first().waitFor();
    expect(await tab.page.getByText(/in the last/).count()).toBe(0);
    answer();
    await tab.page
      .getByText(/in the last 30 days/)
      .first()
      .waitFor();
    // The API takes the id of anybody who acts, which is no UUID for people of an identity provider.
    await tab.goto('/audit?actor=alice@example.org');
    expect(await tab.page.getByLabel('Id of who did it').inputValue()).toBe('alice@example.org');
  });

  it('names no share saved where there is nothing to compare with', async () => {
    const empty = await service.organisation();
    const tab = await open(empty.viewer.token);
    await tab.goto('/costs');
    await tab.page.getByText('Nothing to compare with').waitFor();
    const share = tab.page.getByText('Share saved', { exact: true }).locator('xpath=following-sibling::*[1]');
    expect(await share.textContent()).toBe('–');
  });

  it('says what a role may not do, and does not ask for it', async () => {
    const tab = await open(org.viewer.token);
    await tab.goto('/keys?tab=tokens');
    await tab.page.getByText('This needs the role admin. Your role is viewer.').first().waitFor();
    await tab.goto('/keys');
    await tab.page.getByText('team-chat spends most').waitFor();
    const button = tab.page.getByRole('button', { name: 'Create key …' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expect(tab.requests.filter((request) => request.includes('/v1/tokens'))).toEqual([]);
    expect(tab.faults).toEqual([]);
  });
});
