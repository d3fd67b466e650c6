import type { Browser } from 'playwright-core';
import { newId } from '../../src/1-platform/common/ids';
import { buildConsole } from '../support/built-console';
import { chainOf, registered } from '../support/artifacts';
import { coldProfile, readyProfile, routeTo, serviceFor } from '../support/chat';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { breaksOff, InferenceWorker, replays, streams } from '../support/inference-worker';
import { activationOf, createProfile, intentOf, report, reportPhase } from '../support/profiles';
import type { Organisation, Service } from '../support/service';
import { launch, Tab } from './support/browser';
import { expectLooks } from './support/looks';

/** A page: its name here, its address, its title unless it is the artifact's id, and words that it shows. */
type Expected = readonly [name: string, path: () => string, title: string | undefined, shows: readonly string[]];

/** Starts that are enough for a median. */
const STARTS = 5;

describeWith(['Chromium'], 'the pages of models', () => {
  let browser: Browser;
  let service: Service;
  let org: Organisation;
  let worker: InferenceWorker;
  let ready: string;
  let chain: readonly string[];

  beforeAll(async () => {
    buildConsole();
    worker = await InferenceWorker.start();
    [service, browser] = await Promise.all([serviceFor(worker), launch()]);
    org = await service.organisation();
    ready = await readyProfile(org, worker, { profile_id: 'llama-a10g', max_replicas: 2 });
    const cold = await coldProfile(org, { profile_id: 'llama-h100' });
    await routeTo(org, [cold, ready], { logical_model: 'llama-8b' });
    const failing = await createProfile(org, { profile_id: 'mistral-h100' });
    await report(org.controller, failing.profile_id, { phase: 'Failed', ready: false, message: 'CUDA out of memory' });
    chain = await chainOf(org, failing, 2, { written_bytes: 3_000_000_000, logical_bytes: 12_000_000_000 });
    for (let start = 0; start < STARTS; start++)
      for (const phase of ['Suspended', 'Pending', 'Loading', 'Ready']) await reportPhase(org.controller, cold, phase);
    await reportPhase(org.controller, cold, 'Suspended');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await worker?.close();
  });

  const open = (token = org.operator.token): Promise<Tab> => Tab.blank(browser, service.url, { token });
  const artifact = (): string => chain.at(-1) ?? '';

  const PAGES: readonly Expected[] = [
    ['profiles', () => '/profiles', 'Profiles', ['CUDA out of memory', '1 failing', 'llama-a10g', '1 of 0']],
    ['failing-profile', () => '/profiles/mistral-h100', 'mistral-h100', ['CUDA out of memory', '2 of 2 artifacts']],
    ['measured-profile', () => '/profiles/llama-h100', 'llama-h100', ['5 cold starts, median', 'reported Loading']],
    ['starts', () => '/profiles/llama-h100?starts=table', 'llama-h100', ['Show as chart', 'Duration']],
    ['artifact', () => `/artifacts/${artifact()}`, undefined, ['A restore reads 2 artifacts', 'restorable', '3.00 GB']],
    [
      'retention',
      () => `/artifacts/${artifact()}?node=gpu-9&retention=shown`,
      undefined,
      ['kept', 'could be restored on gpu-9'],
    ],
    ['routes', () => '/routes', 'Routes', ['llama-8b', 'Only a fallback serves', 'llama-h100']],
    [
      'route',
      () => '/routes/llama-8b',
      'llama-8b',
      [
        '1 of 2 targets ready',
        'A chat now is served by llama-a10g, and wakes llama-h100.',
        'no worker of it runs',
        '0 of 64 places taken',
        'Try it',
      ],
    ],
    ['no-route', () => '/routes/nothing', 'nothing', ['This model has no route', 'curl -X POST']],
  ];
  it.each(PAGES)('%s shows what there is, in both themes and at both widths', async (name, path, title, shows) => {
    const tab = await open();
    await expectLooks(tab, {
      name,
      path: path(),
      title: title ?? artifact(),
      shows,
      isShellFree: true,
      isMissing: name === 'no-route',
    });
    await tab.close();
  });

  it('wakes a profile: the dialog says what will happen, asks as the API does, and shows the outcome', async () => {
    const tab = await open();
    await tab.goto(`/profiles/${ready}`);
    await tab.page.getByRole('button', { name: 'Wake …' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('Its controller is asked for one worker.').waitFor();
    await dialog.getByLabel('Workers').fill('2');
    const asked = tab.page.waitForRequest((request) => request.url().endsWith(`/profiles/${ready}/state`));
    await dialog.getByRole('button', { name: 'Wake', exact: true }).click();
    expect((await asked).postDataJSON()).toEqual({ desired_state: 'Active', desired_replicas: 2 });
    await dialog.getByText('Asked', { exact: true }).waitFor();
    const intent = await intentOf(org.viewer, ready);
    const reported = await report(org.controller, ready, {
      observed_generation: intent?.generation,
      workers: [newId(), newId()].map((uid) => ({ workload_uid: uid, endpoint: worker.url, ready: true })),
    });
    expect([reported.status, reported.text]).toEqual([204, '']);
    await dialog.getByText('Done', { exact: true }).waitFor();
    expect(await tab.findings()).toEqual([]);
    await tab.page.keyboard.press('Escape');
    await tab.page.getByText('2 of 2 workers ready').waitFor();
    expect(await activationOf(org.viewer, ready)).toMatchObject({ ready: true });
    await tab.close();
  });

  it('says how severe each difference of an artifact from its profile is', async () => {
    const other = await createProfile(org, { profile_id: 'qwen-l4' });
    const id = await registered(org, other, { compatibility_key: 'of another engine' });
    const tab = await open();
    await tab.goto(`/artifacts/${id}`);
    await tab.page.getByText('It differs in 1 property from what is wanted on any node.').waitFor();
    await tab.page.getByRole('row', { name: /compatibility_key.*prevents it.*of another engine/ }).waitFor();

    // A replica of the release before does not report it, and one of the next may have another word.
    for (const severity of ['', ',"severity":"fatal"', ',"severity":"constructor"']) {
      await tab.page.unrouteAll();
      await tab.page.route(/artifacts\/lookup/, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replaceAll(/,"severity":"\w+"/g, severity) });
      });
      await tab.goto(`/artifacts/${id}`);
      await tab.page.getByText('It differs in 1 property from what is wanted on any node.').waitFor();
      await tab.page.getByRole('row', { name: /compatibility_key.*prevents it.*of another engine/ }).waitFor();
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('deletes a route after a question, and then shows that there is none', async () => {
    await routeTo(org, [ready], { logical_model: 'retired' });
    const tab = await open();
    const { page } = tab;
    await tab.goto('/routes/retired');
    await page.getByRole('button', { name: 'Delete route …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The profiles and their workers stay').waitFor();
    await dialog.getByRole('button', { name: 'Delete route' }).click();
    await dialog.getByText('Requests for the model are refused from now on.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('This model has no route').waitFor();
    const { body } = await org.viewer.get('/v1/inference/routes');
    expect((body as { logical_model: string }[]).map((route) => route.logical_model)).not.toContain('retired');
  });

  it('lets nobody act whose role may not, and says why', async () => {
    const tab = await open(org.viewer.token);
    await tab.goto(`/artifacts/${artifact()}`);
    const promote = tab.page.getByRole('button', { name: 'Delete …' });
    expect(await promote.getAttribute('aria-disabled')).toBe('true');
    await tab.page.getByText('Your role is viewer.').first().waitFor({ state: 'attached' });
    await tab.close();
  });

  it('is walked by the arrow keys where it is a tree', async () => {
    const tab = await open();
    await tab.goto(`/artifacts/${artifact()}`);
    const [root = '', leaf = ''] = chain;
    const row = (id: string) => tab.page.getByRole('row', { name: id });
    await row(leaf).focus();
    await tab.page.keyboard.press('ArrowLeft');
    await tab.page.keyboard.press('ArrowLeft');
    expect(await row(root).getAttribute('aria-expanded')).toBe('false');
    expect(await row(leaf).count()).toBe(0);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: root }).waitFor();
    await tab.close();
  });

  it('finds profiles, routes and artifacts with Ctrl-K', async () => {
    const tab = await open();
    await tab.goto('/profiles');
    await tab.page.keyboard.press('Control+k');
    const field = tab.page.getByRole('combobox', { name: 'Page, name or id' });
    await field.fill('LLAMA');
    for (const name of [/llama-h100.*profile of/, /llama-8b.*route/])
      await tab.page.getByRole('option', { name }).waitFor();
    await field.fill(artifact());
    await tab.page.getByRole('option', { name: /artifact of mistral-h100/ }).waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: artifact() }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('streams an answer, says who served it and why the first target did not, and ends it when one leaves', async () => {
    const tab = await open();
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    worker.behaves(streams({ before: (place) => (place === 4 ? held : undefined) }));
    await tab.goto('/routes/llama-8b');
    const ask = async () => {
      await tab.page.getByLabel('Message').fill('Hello!');
      await tab.page.getByRole('button', { name: 'Send' }).click();
    };
    await ask();
    await tab.page.getByText('Streaming', { exact: true }).waitFor();
    await tab.page.getByText(`${ready} served: no earlier target had room.`).waitFor();
    await tab.page.getByText('llama-h100 did not: no worker of it runs').waitFor();
    goOn();
    await tab.page.getByText('Complete', { exact: true }).waitFor();
    await tab.page.getByText('The quick brown fox jumps over the lazy dog.').waitFor();
    for (const figure of ['Time to first token', 'Tokens per second', 'Cost'])
      await tab.page.getByText(figure, { exact: true }).waitFor();
    expect(await tab.findings()).toEqual([]);

    worker.behaves(streams({ before: (place) => (place === 4 ? new Promise(() => undefined) : undefined) }));
    await ask();
    await tab.page.getByText('Streaming', { exact: true }).waitFor();
    await tab.page.getByRole('link', { name: 'Profiles' }).click();
    await eventually(() => Promise.resolve(expect(worker.abandoned).toHaveLength(1)));
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  describe('an answer with reasoning', () => {
    const event = (delta: object, more: object = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
    const thought = ['First', ' I', ' think', '.'].map((reasoning_content) => event({ reasoning_content }));
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}\n\n';
    const ask = async (tab: Tab): Promise<void> => {
      await tab.goto('/routes/llama-8b');
      await tab.page.getByLabel('Message').fill('Hello!');
      await tab.page.getByRole('button', { name: 'Send' }).click();
    };

    it('counts its reasoning from the first token on, and shows it apart', async () => {
      const tab = await open();
      let goOn = (): void => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      const stream = [...thought, event({ content: 'Hi!' }), event({}, { finish_reason: 'stop' }), usage];
      const before = (place: number) => (place === thought.length ? held : undefined);
      worker.behaves(replays([...stream, 'data: [DONE]\n\n'].join(''), { before }));
      await ask(tab);
      await tab.page.getByText('Streaming', { exact: true }).waitFor();
      await tab.page.getByText('Time to first token', { exact: true }).waitFor();
      expect(await tab.page.getByLabel('Reasoning').isVisible()).toBe(false);
      await tab.page.getByText('Reasoning before the answer').click();
      await tab.page.getByLabel('Reasoning').getByText('First I think.').waitFor();
      goOn();
      await tab.page.getByText('Complete', { exact: true }).waitFor();
      expect(await tab.page.getByLabel('Answer', { exact: true }).textContent()).toBe('Hi!');
      const figure = (name: string) => tab.page.locator('dl > div').filter({ hasText: name }).locator('dd');
      // The first token was not the last one.
      expect(Number(await figure('Tokens per second').textContent())).toBeGreaterThan(0);
      expect(await tab.findings()).toEqual([]);
      expect(tab.faults).toEqual([]);
      await tab.close();
    });

    it('says that the limit of tokens left none for the answer', async () => {
      const tab = await open();
      const stream = [...thought, event({}, { finish_reason: 'length' }), usage, 'data: [DONE]\n\n'];
      worker.behaves(replays(stream.join('')));
      await ask(tab);
      await tab.page.getByText('Ended by the limit of tokens', { exact: true }).waitFor();
      await tab.page.getByText('The limit of tokens was reached before the answer began.').waitFor();
      expect(await tab.page.getByText('Complete', { exact: true }).count()).toBe(0);
      await tab.close();
    });
  });

  it('names the request of an answer that broke off, and keeps what had come', async () => {
    const tab = await open();
    worker.behaves(breaksOff(4));
    await tab.goto('/routes/llama-8b');
    await tab.page.getByLabel('Message').fill('Hello!');
    const response = tab.page.waitForResponse('**/chat/completions');
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await tab.page.getByText('Failed', { exact: true }).waitFor();
    const problem = tab.page.getByRole('alert');
    await problem.getByText('The answer broke off', { exact: true }).waitFor();
    await problem.getByText((await response).headers()['x-request-id'] ?? 'none').waitFor();
    expect(await tab.page.getByLabel('Answer', { exact: true }).textContent()).toBe('The quick brown');
    await tab.close();
  });
});
