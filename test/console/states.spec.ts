import type { Browser, Route } from 'playwright-core';
import { buildConsole } from '../support/built-console';
import { registered } from '../support/artifacts';
import { routeTo } from '../support/chat';
import { describeWith } from '../support/components';
import { startExperiment } from '../support/experiments';
import { eventually } from '../support/eventually';
import { eachInForm } from '../support/form';
import { createProfile } from '../support/profiles';
import { Service, type Organisation } from '../support/service';
import { launch, Tab } from './support/browser';
import { PAGES, type Shown } from './support/pages';
import { seed } from './support/seed';

const NAMES = Object.keys(PAGES);
/** How many there are of each page. */
const STATES = 5;

/** What the shell needs, and events. */
const OF_THE_SHELL = /\/v1\/(user|inference\/outbox\?)/;

/** Of fields and chosen options. */
const VALUES = `[...document.querySelectorAll('main input')]
  .filter(({ type, checked }) => type !== 'radio' || checked)
  .map(({ value }) => value)`;

describeWith(['Chromium'], 'each page of the console', () => {
  let browser: Browser;
  let service: Service;
  let org: Organisation;
  let shown: Shown;
  let tab: Tab;
  /** Whose requests get other answers, which keeps it from using its cache. */
  let failing: Tab;
  /** Of an organisation that has nothing. */
  let visit: Tab | undefined;
  /** What becomes of requests for what the page shows. */
  let answer: ((route: Route) => Promise<void>) | undefined;

  beforeAll(async () => {
    buildConsole();
    [service, browser] = await Promise.all([Service.start(), launch()]);
    org = await service.organisation();
    const seeded = await seed(service, org);
    const profile = await createProfile(org, { profile_id: 'llama-h100', logical_model: 'llama' });
    await routeTo(org, [profile.profile_id], { logical_model: 'llama' });
    await registered(org, profile, { artifact_id: 'llama-1' });
    shown = { ...seeded, experimentId: await startExperiment(org) };
    tab = await Tab.blank(browser, service.url, { token: org.operator.token });
    failing = await Tab.blank(browser, service.url, { token: org.operator.token });
    await failing.page.route(/\/v1\//, (route) =>
      answer && !OF_THE_SHELL.test(route.request().url()) ? answer(route) : route.fallback(),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await service.close();
  });
  beforeEach(() => {
    answer = undefined;
  });

  const page = (name: string) => {
    const one = PAGES[name]!;
    return { ...one, address: one.path(shown) };
  };
  const problem = (status: number, code: string, title: string) => (route: Route) =>
    route.fulfill({
      status,
      contentType: 'application/problem+json',
      headers: { 'x-request-id': 'request-7' },
      body: JSON.stringify({ title, status, code, detail: `The test answers ${status}.` }),
    });

  // The short form shows each page in one of its states, and so each state on some pages.
  const inState = (state: number) => eachInForm(NAMES, (place) => place % STATES === state);

  inState(0)('%s keeps its state over a reload, and over another page and Back', async (name) => {
    const { address } = page(name);
    await tab.goto(address);
    const looks = async () => [
      tab.page.url(),
      await tab.page.title(),
      await tab.page.getByRole('main').getByRole('heading').allTextContents(),
      await tab.page.evaluate<string[]>(VALUES),
    ];
    const before = await looks();
    expect(before[0]).toBe(`${service.url}/console${address}`);
    const looksAsBefore = () => eventually(async () => expect(await looks()).toEqual(before));
    await tab.page.reload();
    await tab.settled();
    await looksAsBefore();
    const other = name === 'clusters' ? 'Operations' : 'Clusters';
    await tab.page.getByRole('link', { name: other }).first().click();
    // Until then, Back would leave the page itself.
    await tab.page.getByRole('heading', { level: 1, name: other, exact: true }).waitFor();
    await tab.settled();
    await tab.page.goBack();
    await looksAsBefore();
  });

  inState(1)('%s says that its data could not be read, with the id of the request', async (name) => {
    // One that is not repeated, so that the test need not wait.
    answer = problem(500, 'internal_error', 'Internal Server Error');
    await failing.goto(page(name).address);
    await failing.page.getByText('request-7').first().waitFor();
    await failing.page.getByRole('button', { name: 'Try again' }).first().waitFor();
    expect(await failing.findings()).toEqual([]);
  });

  inState(2)('%s says that it is not allowed', async (name) => {
    answer = problem(403, 'forbidden', 'Forbidden');
    await failing.goto(page(name).address);
    await failing.page.getByText('Not allowed').first().waitFor();
    expect(await failing.findings()).toEqual([]);
  });

  inState(3)('%s shows that it loads', async (name) => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    answer = async (route) => {
      await held;
      await route.fallback().catch(() => undefined);
    };
    await failing.visit(page(name).address);
    await failing.page.locator('[aria-label=Loading], [class*=Skeleton]').first().waitFor();
    expect(await failing.findings()).toEqual([]);
    goOn();
    await failing.settled();
  });

  inState(4)('%s tells an organisation that has nothing what to do', async (name) => {
    visit ??= await Tab.blank(browser, service.url, { token: (await service.organisation()).operator.token });
    visit.faults.length = 0;
    const { address, empty, isOfOne } = page(name);
    await visit.goto(address);
    await visit.page.getByText(empty).first().waitFor();
    expect(await visit.findings()).toEqual([]);
    // The browser reports an answer of 404 as an error of the page.
    const isMissing = (fault: string) => isOfOne === true && fault.includes('404 (Not Found)');
    expect(visit.faults.filter((fault) => !isMissing(fault))).toEqual([]);
  });
});
