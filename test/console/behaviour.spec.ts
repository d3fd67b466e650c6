import { newId } from '../../src/1-platform/common/ids';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import type { Organisation, Service } from '../support/service';
import { askCheckpoint, ok, putInfo, putUploaded, takeUp } from '../support/workloads';
import type { Tab } from './support/browser';
import { seed, type Seeded } from './support/seed';
import { Tabs } from './support/tabs';

describeWith(['Chromium'], 'the console', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let seeded: Seeded;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    seeded = await seed(service, org);
  });

  const open = (token: string | undefined = org.operator.token): Promise<Tab> => tabs.open(token);

  describe('the state of a page', () => {
    it('is in the address: filters survive a reload, and Back undoes a page, not a filter', async () => {
      const tab = await open();
      await tab.goto('/operations');
      await tab.page.getByRole('radiogroup', { name: 'Result' }).getByText('Failed').click();
      await tab.page.getByLabel('Workload name').fill('70b');
      await eventually(() => expect(new URL(tab.page.url()).search).toBe('?result=failed&name=70b'));
      const rows = tab.page.getByRole('row');
      await eventually(async () => expect(await rows.count()).toBe(2));
      await tab.page.reload();
      await eventually(async () => expect(await rows.count()).toBe(2));
      await tab.page.getByRole('link', { name: 'train-70b-0' }).click();
      await tab.page.getByText('The checkpoint failed').waitFor();
      await tab.page.goBack();
      await eventually(async () => expect(await rows.count()).toBe(2));
      expect(await tab.page.getByLabel('Workload name').inputValue()).toBe('70b');
    });

    it('is ignored where an address makes no sense', async () => {
      const tab = await open();
      await tab.goto('/operations?result=excellent&window=99y&cluster=x');
      await tab.page.getByText('train-70b-0').first().waitFor();
      expect(tab.faults).toEqual([]);
    });
  });

  describe('a filter', () => {
    it('keeps what is typed while it searches for a part of it', async () => {
      const tab = await open();
      await tab.goto('/operations');
      const field = tab.page.getByLabel('Workload name');
      await field.pressSequentially('evening ');
      await tab.page.waitForURL(/name=evening$/);
      await field.pressSequentially('peak');
      await tab.page.waitForURL(/name=evening(\+|%20)peak$/);
      expect(await field.inputValue()).toBe('evening peak');
      await tab.page.getByRole('button', { name: 'Clear filters' }).click();
      await eventually(async () => expect(await field.inputValue()).toBe(''));
    });

    it('shows no rows of another one while its own are on their way', async () => {
      const tab = await open();
      await tab.goto('/operations');
      await tab.page.getByText('train-70b-0').first().waitFor();
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      await tab.page.route('**/v1/operations?*', async (route) => {
        await answered;
        await route.continue();
      });
      await tab.page.getByText('Succeeded', { exact: true }).first().click();
      await tab.page.getByLabel('Loading', { exact: true }).waitFor();
      expect(await tab.page.getByText('train-70b-0').count()).toBe(0);
      answer();
      await tab.page.getByText('train-7b-1').first().waitFor();
    });
  });

  describe('a long list', () => {
    it('asks for rows that could not be read when its user scrolls again, and not at once', async () => {
      const tab = await open();
      const asked: (string | null)[] = [];
      let fails = true;
      await tab.page.route('**/v1/operations?*', async (route) => {
        const url = new URL(route.request().url());
        // Those that began since the list was opened.
        if (url.searchParams.has('since')) return route.fulfill({ json: [] });
        const after = url.searchParams.get('after');
        asked.push(after);
        if (after !== null && fails) return route.fulfill({ status: 500, json: {} });
        const [row] = (await org.viewer.get('/v1/operations?limit=1')).body;
        const json = Array.from({ length: 100 }, (_, place) => ({ ...row, operation_id: `${after}-${place}` }));
        url.searchParams.set('after', 'row');
        const headers: Record<string, string> =
          after === null ? { link: `<${url.pathname}${url.search}>; rel="next"` } : {};
        return route.fulfill({ json, headers });
      });
      await tab.goto('/operations');
      await tab.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
      await tab.page.getByText('The answer has no explanation.').waitFor({ state: 'attached' });
      expect(await tab.findings()).toEqual([]);
      expect(asked).toEqual([null, 'row']);
      fails = false;
      await tab.page.evaluate('window.scrollBy(0, -500)');
      await tab.page.getByText('200 attempts, newest first').waitFor({ state: 'attached' });
    });
  });

  describe('what there is nothing of', () => {
    it('says so with a command, or offers to clear the filters', async () => {
      const fresh = await service.organisation();
      const tab = await open(fresh.viewer.token);
      for (const [path, text] of [
        ['', 'No attempt failed'],
        ['/operations', 'No attempt was reported yet'],
        ['/clusters', 'No cluster has registered yet'],
        ['/workloads', 'No cluster reports pods'],
        ['/workloads?tab=slurm', 'No Slurm job was reported yet'],
        [`/clusters/${newId()}`, 'There is no cluster with this id'],
      ] as const) {
        await tab.goto(path);
        await tab.page.getByText(text).waitFor();
        expect([path, await tab.findings()]).toEqual([path, []]);
      }
      await tab.goto('/operations');
      expect(await tab.page.getByLabel('Command').textContent()).toContain(`${service.url}/v1/checkpoint/pod`);
      await tab.goto('/operations?name=nobody');
      await tab.page.getByText('No operations match these filters').waitFor();
      await tab.page.getByRole('button', { name: 'Clear filters' }).click();
      await tab.page.getByText('No attempt was reported yet').waitFor();
      expect(tab.faults).toEqual([]);
    });

    it('is a problem with its code and the id of the request, which can be tried again', async () => {
      const tab = await open();
      await tab.goto(`/operations/${newId()}`);
      await tab.page.getByText('No attempt with that id was reported.').waitFor();
      await tab.page.getByText('operation_not_found').waitFor();
      expect(await tab.findings()).toEqual([]);
      let fails = true;
      await tab.page.route('**/v1/cluster', (route) => (fails ? route.abort('connectionrefused') : route.continue()));
      await tab.goto('/clusters');
      await tab.page.getByText('The service does not answer').waitFor();
      expect(await tab.findings()).toEqual([]);
      fails = false;
      await tab.page.getByRole('button', { name: 'Try again' }).click();
      await tab.page.getByText('eu-gpu-1').first().waitFor();
    });

    it('shows that it loads, accessibly too', async () => {
      const tab = await open();
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => (answer = resolve));
      await tab.page.route('**/v1/operations?*', async (route) => {
        await held;
        await route.continue();
      });
      await tab.visit('/operations');
      await tab.page.getByLabel('Loading', { exact: true }).waitFor();
      expect(await tab.findings()).toEqual([]);
      answer();
      await tab.settled();
      await tab.page.getByText('train-70b-0').first().waitFor();
    });
  });

  describe('an action', () => {
    it('says what it does, sends what the API describes, and shows the outcome as it happens', async () => {
      const tab = await open();
      await tab.goto(`/workloads?open=${seeded.podId}`);
      await tab.page.getByRole('button', { name: 'Checkpoint …' }).click();
      await tab.page.getByText('stops the processes for a moment').waitFor();
      expect(await tab.findings()).toEqual([]);
      const [request] = await Promise.all([
        tab.page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/v1/checkpoint/pod')),
        tab.page.getByRole('button', { name: 'Checkpoint', exact: true }).click(),
      ]);
      expect(request.postDataJSON()).toEqual({ pod_id: seeded.podId, reason: 'manual', leave_running: true });
      expect(request.headers()['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
      await tab.page.getByText('It waits for the agent').waitFor();
      const actionId = (await org.viewer.get(`/v1/actions/from_pod/${seeded.podId}`)).text;
      const checkpointId = await takeUp(org, actionId, { container_name: 'main' });
      await tab.page.getByText('The node has taken it up').waitFor();
      ok(await putInfo(org, checkpointId, {}));
      ok(await putUploaded(org, checkpointId, 's3://checkpoints/eval-0'));
      await tab.page.getByText('It succeeded.').waitFor();
      await tab.page.getByRole('link', { name: 'Show its stages' }).click();
      await eventually(() => expect(tab.page.url()).toBe(`${service.url}/console/operations/${checkpointId}`));
      expect(tab.faults).toEqual([]);
    });

    it('says of a pod that is to be released that its owner starts it again', async () => {
      const tab = await open();
      await tab.goto(`/workloads?open=${seeded.podId}`);
      await tab.page.getByRole('button', { name: 'Checkpoint …' }).click();
      await tab.page.getByRole('switch', { name: 'The workload goes on afterwards' }).click();
      await tab.page.getByText('An owner, such as a Deployment, starts it again.').waitFor();
      expect(tab.faults).toEqual([]);
    });

    it('shows the refusal of the service, and can be tried again', async () => {
      const tab = await open();
      await tab.goto(`/operations/${seeded.succeededId}`);
      await tab.page.route('**/v1/restore/pod', (route) =>
        route.fulfill({
          status: 409,
          contentType: 'application/problem+json',
          headers: { 'x-request-id': 'request-1' },
          body: JSON.stringify({ title: 'Conflict', status: 409, code: 'node_silent', detail: 'The node is silent.' }),
        }),
      );
      await tab.page.getByRole('button', { name: 'Restore …' }).click();
      await tab.page.getByText('if it still runs, both run').waitFor();
      await tab.page.getByText('the running pod is deleted and its owner replaces it').waitFor();
      await tab.page.getByRole('button', { name: 'Restore', exact: true }).click();
      await tab.page.getByText('The node is silent.').waitFor();
      await tab.page.getByText('request-1').waitFor();
      await tab.page.unroute('**/v1/restore/pod');
      const [request] = await Promise.all([
        tab.page.waitForRequest('**/v1/restore/pod'),
        tab.page.getByRole('button', { name: 'Restore', exact: true }).click(),
      ]);
      const { action_id: actionId } = (await org.viewer.get(`/v1/operations/${seeded.succeededId}`)).body;
      expect(request.postDataJSON()).toEqual({ action_id: actionId, reason: 'manual' });
      await tab.page.getByText('It waits for the agent').waitFor();
    });

    it('restores a pod beside its owner, if that is chosen', async () => {
      const tab = await open();
      await tab.goto(`/operations/${seeded.succeededId}`);
      await tab.page.getByRole('button', { name: 'Restore …' }).click();
      await tab.page.getByRole('switch', { name: 'Beside its owner' }).click();
      await tab.page.getByText('the owner and its pods are not touched').waitFor();
      const [request] = await Promise.all([
        tab.page.waitForRequest('**/v1/restore/pod'),
        tab.page.getByRole('button', { name: 'Restore', exact: true }).click(),
      ]);
      expect(request.postDataJSON()).toMatchObject({ overrides: { standalone: true } });
      await tab.page.getByText('It waits for the agent').waitFor();
      expect(tab.faults).toEqual([]);
    });

    it('says that a restore of a job of Slurm stops the job', async () => {
      const tab = await open();
      await tab.goto(`/workloads?tab=slurm&open=${seeded.slurmClusterId}:4711`);
      await tab.page.getByRole('button', { name: 'Restore …' }).click();
      await tab.page.getByText('it is stopped, and its work since the checkpoint is lost').waitFor();
      expect(await tab.page.getByText('the original is not touched').count()).toBe(0);
    });

    it('is not for a viewer, who learns why', async () => {
      const tab = await open(org.viewer.token);
      await tab.goto(`/operations/${seeded.succeededId}`);
      const button = tab.page.getByRole('button', { name: 'Restore …' });
      await eventually(async () => expect(await button.getAttribute('aria-disabled')).toBe('true'));
      await tab.page
        .getByText('This needs the role admin or operator. Your role is viewer.')
        .first()
        .waitFor({ state: 'attached' });
      await button.click({ force: true });
      expect(await tab.page.getByRole('dialog').count()).toBe(0);
      expect(await tab.findings()).toEqual([]);
    });
  });

  it('leads by the keyboard alone from a failed restore to its reason, its checkpoint and a new restore', async () => {
    const tab = await open();
    await tab.goto('');
    const press = (key: string) => tab.page.keyboard.press(key);
    const focused = () => tab.page.evaluate<string>('document.activeElement.textContent');
    const onTitle = () =>
      eventually(async () => expect(await tab.page.evaluate('document.activeElement.tagName')).toBe('H1'));
    const tabTo = async (name: string): Promise<void> => {
      await tab.page.getByText(name, { exact: true }).first().waitFor();
      for (let presses = 0; presses < 60; presses++) {
        await press('Tab');
        if ((await focused()) === name) return;
      }
      throw new Error(`${name} is not reached by the keyboard`);
    };
    await press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await press('Enter');
    await tabTo('train-7b-1');
    await press('Enter');
    await tab.page.getByText('The restore failed').waitFor();
    await tab.page.getByText('driver 570.86').first().waitFor();
    await onTitle();
    await tabTo(seeded.succeededId);
    await press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: 'train-7b-1' }).waitFor();
    await tab.page.getByRole('button', { name: 'Restore …' }).waitFor();
    await onTitle();
    await tabTo('Restore …');
    await press('Enter');
    await tab.page.getByText('the original is not touched').waitFor();
    await press('Escape');
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(async () => expect(await focused()).toBe('Restore …'));
    expect(tab.faults).toEqual([]);
  });

  it('finds names and ids with Ctrl-K', async () => {
    const tab = await open();
    await tab.goto('');
    await tab.page.keyboard.press('Control+k');
    const field = tab.page.getByRole('combobox', { name: 'Page, name or id' });
    await field.fill('70b-0');
    await tab.page.getByRole('option', { name: /train-70b-0.*checkpoint, failed/ }).waitFor();
    expect(await tab.findings()).toEqual([]);
    await field.fill(seeded.failedRestoreId);
    await tab.page.getByRole('option', { name: /restore/ }).waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('The restore failed').waitFor();
    await tab.page.keyboard.press('Control+k');
    await field.fill('clus');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('opens what is chosen in Ctrl-K, also after a late answer, and keeps it in sight', async () => {
    const tab = await open();
    await tab.goto('/outbox');
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await tab.page.route('**/v1/cluster', async (route) => {
      await answered;
      await route.continue();
    });
    await tab.page.keyboard.press('Control+k');
    const chosen = tab.page.getByRole('option', { selected: true });
    const field = tab.page.getByRole('combobox', { name: 'Page, name or id' });
    await field.fill('-1');
    await tab.page
      .getByRole('option', { name: /train-7b-1/ })
      .first()
      .waitFor();
    const before = await chosen.textContent();
    answer();
    await tab.page
      .getByRole('option', { name: /^eu-gpu-1/ })
      .first()
      .waitFor();
    expect(await chosen.textContent()).toBe(before);
    await field.fill('');
    await tab.page.getByRole('option', { name: /^Outbox/ }).waitFor();
    await tab.page.keyboard.press('ArrowUp');
    await eventually(async () => {
      const [last, list] = await Promise.all([chosen.boundingBox(), tab.page.getByRole('listbox').boundingBox()]);
      expect((last?.y ?? NaN) + (last?.height ?? NaN)).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0) + 1);
    });
  });

  describe('live updates', () => {
    it('show a request as soon as it is made, unless they are paused, and disturb no consumer', async () => {
      // With a role that could acknowledge, and so become a consumer.
      const tab = await open(org.admin.token);
      await tab.goto('/operations');
      await tab.page.getByText('train-70b-0').first().waitFor();
      service.clock.set(new Date());
      const id = await takeUp(org, await askCheckpoint(org, seeded.podId), { container_name: 'main' });
      ok(await putInfo(org, id, {}));
      // An event says that something happened. New rows wait until the user asks for them.
      await askCheckpoint(org, seeded.otherPodId);
      await tab.page.getByRole('button', { name: /^\d+ new$/ }).click();
      await eventually(async () => expect(await tab.page.getByRole('row').nth(1).textContent()).toContain('eval-0'));
      await tab.page.getByRole('button', { name: 'Pause live updates' }).click();
      await tab.page.getByRole('button', { name: /Frozen at/ }).waitFor();
      tab.requests.length = 0;
      ok(await putUploaded(org, id, 's3://x'));
      await tab.page.getByRole('button', { name: /Frozen at/ }).click();
      await tab.page.getByRole('button', { name: 'Pause live updates' }).waitFor();
      expect((await org.viewer.get('/v1/inference/outbox/consumers')).body).toEqual([]);
      expect(tab.faults).toEqual([]);
    });

    it('are paused without cancelling what a page has never shown', async () => {
      const tab = await open();
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      await tab.page.route('**/v1/operations?*', async (route) => {
        await answered;
        await route.continue().catch(() => undefined);
      });
      await tab.visit('/operations');
      await tab.page.getByRole('button', { name: 'Pause live updates' }).click();
      await tab.page.getByRole('button', { name: /Frozen at/ }).waitFor();
      answer();
      await tab.page.getByText('train-70b-0').first().waitFor();
      // Not by a later request: a query that is not read again by itself would never be answered.
      const listed = tab.requests.filter((request) => request.includes('until=') && !request.includes('since='));
      expect(listed).toHaveLength(1);
    });

    it('begin anew where the events behind their cursor are gone', async () => {
      const tab = await open();
      let gone = true;
      await tab.page.route('**/v1/inference/outbox?*', (route) =>
        gone ? route.fulfill({ status: 410, contentType: 'application/problem+json', body: '{}' }) : route.continue(),
      );
      await tab.goto('/clusters');
      const before = tab.requests.filter((one) => one.startsWith('GET /v1/cluster')).length;
      // Everything is read again, because nobody knows what has changed.
      await eventually(() =>
        expect(tab.requests.filter((one) => one.startsWith('GET /v1/cluster')).length).toBeGreaterThan(before),
      );
      gone = false;
      await tab.page.getByText('eu-gpu-1').first().waitFor();
    });
  });
});
