import { registered, type ProfileOf } from '../support/artifacts';
import { describeWith } from '../support/components';
import { createProfile, reportPhase, setState } from '../support/profiles';
import type { Organisation } from '../support/service';
import { ok } from '../support/workloads';
import type { Tab } from './support/browser';
import { Tabs } from './support/tabs';

/** How often pages without events are read again. */
const REFRESH_MS = 15_000;
/** Artifacts that the page of a profile lists. */
const LISTED = 50;

const SUMMARY = '**/v1/metrics/operations/summary?*';

const REFUSED = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({ title: 'Internal Server Error', status: 500, code: 'internal_error', detail: 'It failed.' }),
};

describeWith(['Chromium'], 'what is not known', () => {
  const tabs = new Tabs();
  let org: Organisation;
  let profile: ProfileOf;
  let tab: Tab;

  beforeAll(async () => {
    ({ org } = await tabs.start());
    profile = await createProfile(org, { profile_id: 'llama-h100' });
    await wake(profile.profile_id);
    for (const phase of ['Pending', 'Loading', 'Ready']) await reportPhase(org.controller, profile.profile_id, phase);
  });
  beforeEach(async () => {
    tab = await tabs.open(org.operator.token);
  });

  const wake = async (id: string): Promise<void> => {
    expect((await setState(org.operator, id, { desired_state: 'Active' })).status).toBe(202);
  };
  const refuse = (path: string) => tab.page.route(path, (route) => route.fulfill(REFUSED));
  /** @returns lets the answers through */
  const hold = async (path: string | RegExp): Promise<() => void> => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await tab.page.route(path, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    return goOn;
  };
  const shown = (text: string | RegExp) => tab.page.getByText(text).first().waitFor({ state: 'attached' });
  const count = (text: string | RegExp): Promise<number> => tab.page.getByText(text).count();

  describe('of a profile', () => {
    const fact = (name: string) => tab.page.locator('dl > div').filter({ hasText: name });

    it('is not called a lack of ready workers', async () => {
      await refuse('**/v1/inference/activations?*');
      await tab.goto('/profiles/llama-h100');
      await shown('Whether a worker is ready is not known.');
      await fact('Workers allowed').waitFor();
      expect(await fact('Workers ready').count()).toBe(0);
      expect(await count('No worker is ready')).toBe(0);
      expect(await tab.page.getByRole('button', { name: 'Checkpoint …' }).getAttribute('aria-disabled')).toBe('true');
      await tab.page.unrouteAll();
      await tab.page.getByRole('button', { name: 'Try again' }).first().click();
      await fact('Workers ready').getByText('1 of 1').waitFor();
    });

    it('is not called a failed wake', async () => {
      const other = await createProfile(org, { profile_id: 'served-late' });
      await wake(other.profile_id);
      await tab.page.route('**/v1/inference/capacity-intents?*', async (route) => {
        const response = await route.fetch();
        const intents = (await response.json()) as object[];
        await route.fulfill({ response, json: intents.map((intent) => ({ ...intent, status: 'Expired' })) });
      });
      await tab.goto('/profiles/served-late');
      await shown('It does not serve');
      await refuse('**/v1/inference/activations?*');
      await tab.goto('/profiles/served-late');
      await shown('Whether a worker is ready is not known.');
      await tab.page.getByRole('region', { name: 'Wanted' }).getByText('1 worker').waitFor();
      expect(await count('It does not serve')).toBe(0);
    });

    it('is not drawn as a profile that is asleep', async () => {
      await refuse('**/v1/inference/activations?*');
      await tab.goto('/profiles');
      await shown('It failed.');
      expect(await tab.page.getByRole('table').count()).toBe(0);
      expect(await count(/asleep$/)).toBe(0);
      await tab.page.unrouteAll();
      await tab.page.getByRole('button', { name: 'Try again' }).first().click();
      await tab.page.getByRole('row', { name: /llama-h100/ }).waitFor();
    });

    it('is no list without measured starts', async () => {
      const goOn = await hold('**/v1/inference/startup-comparison?*');
      await tab.visit('/profiles');
      const row = tab.page.getByRole('row', { name: /llama-h100/ });
      await row.waitFor();
      expect(await row.getByText('none measured').count()).toBe(0);
      goOn();
      await row.getByText('cold,').waitFor();
    });

    it('is neither an empty table of starts nor the sentence that none was measured', async () => {
      const goOn = await hold('**/v1/inference/startup-comparison?*');
      await tab.visit('/profiles/llama-h100?starts=table');
      const starts = tab.page.getByRole('region', { name: 'Cold against restored' });
      await starts.getByLabel('Loading').waitFor();
      expect(await starts.getByText('No start was measured yet').count()).toBe(0);
      goOn();
      await starts.getByRole('table').waitFor();
      await refuse('**/v1/inference/startup-comparison?*');
      await tab.goto('/profiles/llama-h100?starts=table');
      await starts.getByText('It failed.').waitFor();
      expect(await starts.getByText('No start was measured yet').count()).toBe(0);
    });

    it('is not a cold start where only the newest artifacts were looked at', async () => {
      const many = await createProfile(org, { profile_id: 'many' });
      const quarantined = async (): Promise<void> => {
        const id = await registered(org, many);
        ok(await org.admin.patch(`/v1/inference/artifacts/${id}`, { status: 'quarantined' }));
      };
      await quarantined();
      await tab.goto('/profiles/many');
      await shown('None of its checkpoints can be restored now.');
      await registered(org, many);
      for (let place = 0; place < LISTED; place++) await quarantined();
      await tab.goto('/profiles/many');
      await shown('0 of the newest 50 artifacts can be restored now');
      await tab.page.getByRole('button', { name: 'Wake …' }).click();
      await shown('Whether one of its checkpoints can be restored is not known here.');
      await tab.page.keyboard.press('Escape');
      await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
      await tab.page.getByRole('button', { name: 'Restart …' }).click();
      const answered = tab.page.waitForResponse((response) => response.url().endsWith('/many/restart'));
      await tab.page.getByRole('button', { name: 'Restart', exact: true }).click();
      expect((await answered).ok()).toBe(true);
    });
  });

  describe('of retention', () => {
    beforeAll(async () => {
      const other = await createProfile(org, { profile_id: 'llama-base' });
      await registered(org, other, { artifact_id: 'base' });
      for (const artifact_id of ['leaf', 'gone'])
        await registered(org, profile, { artifact_id, parent_artifact_id: 'base' });
      ok(await org.operator.delete('/v1/inference/artifacts/gone'));
    });

    const PREVIEW = '**/v1/inference/retention-policies/preview?*';
    const judgement = (id: string) =>
      tab.page.getByRole('row', { name: id }).getByRole('gridcell').last().textContent();

    it('is not called what no policy judges', async () => {
      const goOn = await hold(PREVIEW);
      await tab.goto('/artifacts/leaf?retention=shown');
      expect(await judgement('leaf')).toBe('…');
      goOn();
      await tab.page.getByRole('row', { name: 'leaf' }).getByText('kept').waitFor();
      expect(await judgement('gone')).toBe('not judged');
      expect(await judgement('base')).toBe('not asked, it is of llama-base');
      const asked = tab.requests.filter((request) => request.includes('preview'));
      expect(asked).toEqual(['POST /v1/inference/retention-policies/preview?profile_id=llama-h100&limit=1000']);
    });

    it('is called so where reading it failed, and beyond the end of the answer', async () => {
      await refuse(PREVIEW);
      await tab.goto('/artifacts/leaf?retention=shown');
      await shown('It failed.');
      expect(await judgement('leaf')).toBe('not known');
      await tab.page.unrouteAll();
      await tab.page.route(PREVIEW, async (route) => {
        const link = `<${new URL(route.request().url()).pathname}?offset=1000>; rel="next"`;
        await route.fulfill({ json: [], headers: { link } });
      });
      await tab.page.getByRole('button', { name: 'Try again' }).first().click();
      await tab.page.getByText('It failed.').waitFor({ state: 'detached' });
      expect(await judgement('leaf')).toBe('not known');
    });
  });

  it('is said beside a figure that could not be read again and was good, or bad', async () => {
    await tab.page.clock.install();
    await tab.goto('');
    const figure = tab.page.getByRole('link', { name: /^Failed attempts/ });
    await figure.getByText('no attempt began').waitFor();
    const value = figure.getByText('0', { exact: true });
    expect(await value.getAttribute('data-tone')).toBe('good');
    await refuse(SUMMARY);
    await tab.page.clock.fastForward(REFRESH_MS);
    await figure.getByText('no attempt began; this may be old: It failed.').waitFor();
    expect(await value.getAttribute('data-tone')).toBeNull();
    await tab.page.unroute(SUMMARY);
    await tab.page.route(SUMMARY, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), attempts: 4, failed: 1 } });
    });
    await tab.page.clock.fastForward(REFRESH_MS);
    await figure.getByText('25 % of 4 attempts', { exact: true }).waitFor();
    await refuse(SUMMARY);
    await tab.page.clock.fastForward(REFRESH_MS);
    await figure.getByText('25 % of 4 attempts; this may be old: It failed.').waitFor();
    expect(await figure.getByText('1', { exact: true }).getAttribute('data-tone')).toBe('bad');
    expect(await tab.findings()).toEqual([]);
  });

  it('is not a pod without samples, as a table either', async () => {
    const goOn = await hold(/\/v1\/metrics\/pods\?.*pod_uid=/);
    await tab.visit('/metrics?tab=pods&pod=1f0f4a4e-0000-4000-8000-000000000000&samples=table');
    const series = tab.page.getByRole('region', { name: 'Use of a pod' });
    await series.getByLabel('Loading').waitFor();
    expect(await series.getByRole('table').count()).toBe(0);
    goOn();
    await series.getByText('No sample of this pod').waitFor();
  });
});
