import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Route } from 'playwright-core';
import { buildConsole } from '../support/built-console';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { Service, type Organisation } from '../support/service';
import { launch, Tab } from './support/browser';
import { seed } from './support/seed';

/** Between two events: twenty a second. */
const EVENT_MS = 50;
const SUMMARY_MS = 300;
const LEAST_GAP_MS = 2_000;
const GRACE_MS = 30_000;
const ROWS = 100;

/** A page sees itself hidden, as in a tab that is not looked at. */
const visibility = (state: 'hidden' | 'visible'): string => `
  Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
  Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`;

describeWith(['Chromium'], 'a page of the console while twenty things happen a second', () => {
  let browser: Browser;
  let service: Service;
  let org: Organisation;
  let tab: Tab;
  /** Addresses of the long polls. */
  let polls: string[];
  let events: number;

  beforeAll(async () => {
    buildConsole();
    [service, browser] = await Promise.all([Service.start(), launch()]);
    org = await service.organisation();
    await seed(service, org);
  });
  afterAll(async () => {
    await browser?.close();
    await service.close();
  });
  beforeEach(async () => {
    tab = await Tab.blank(browser, service.url, { token: org.viewer.token });
    polls = [];
    events = 0;
    await tab.page.route('**/v1/inference/outbox?*', async (route) => {
      polls.push(route.request().url());
      await sleep(EVENT_MS);
      const event = { id: ++events, aggregate_type: 'action', event_type: 'action.checkpoint_requested' };
      await route.fulfill({ json: [event] }).catch(() => undefined);
    });
  });
  afterEach(async () => {
    await tab.page.unrouteAll({ behavior: 'ignoreErrors' });
    await tab.close();
  });

  /** Requests of the summary, whose answers count them; and before when none of the answers had arrived. */
  async function summaries(): Promise<{ at: number[]; answeredAt: number[]; aborted: () => number }> {
    const at: number[] = [];
    const answeredAt: number[] = [];
    let aborted = 0;
    tab.page.on('requestfailed', (request) => {
      if (request.url().includes('/operations/summary')) aborted++;
    });
    await tab.page.route('**/v1/metrics/operations/summary?*', async (route) => {
      at.push(performance.now());
      const failed = at.length;
      await sleep(SUMMARY_MS);
      const json = { attempts: 1_000, succeeded: 0, failed, fallbacks: 0, operations: [] };
      answeredAt.push(performance.now());
      await route.fulfill({ json }).catch(() => undefined);
    });
    return { at, answeredAt, aborted: () => aborted };
  }

  it('reads the same again every two seconds at most, cancels no read, and shows what it has read', async () => {
    const { at, answeredAt, aborted } = await summaries();
    await tab.visit('');
    await eventually(() => expect(at.length).toBeGreaterThan(3));
    // The page waits behind an answer. However late this process learns of a request, that is no gap.
    const gaps = at.slice(1).map((time, place) => time - answeredAt[place]!);
    // The first change is shown at once.
    expect(gaps.slice(1).filter((gap) => gap < LEAST_GAP_MS)).toEqual([]);
    expect(aborted()).toBe(0);
    expect(events).toBeGreaterThan(4 * at.length);
    const figure = tab.page.getByRole('link', { name: /Failed attempts/ });
    await eventually(async () => expect(await figure.textContent()).toContain(`hours${at.length}0.`));
    expect(tab.faults).toEqual([]);
  });

  it('asks once a second at most when the service does not wait for events', async () => {
    const asked: number[] = [];
    await tab.page.route('**/v1/inference/outbox?*', async (route) => {
      asked.push(performance.now());
      await route.fulfill({ json: [], headers: { 'x-outbox-head': '7' } }).catch(() => undefined);
    });
    await tab.visit('');
    await eventually(() => expect(asked.length).toBeGreaterThanOrEqual(4));
    // The first answer only names the newest event.
    expect(asked[3]! - asked[1]!).toBeGreaterThan(1_900);
  });

  it('reads nothing while nobody looks, follows no events after a while, and begins anew afterwards', async () => {
    await tab.page.clock.install();
    const { at } = await summaries();
    await tab.visit('');
    await eventually(() => expect(at.length).toBeGreaterThan(1));
    await tab.page.evaluate(visibility('hidden'));
    const more = (times: number, than = polls.length): Promise<void> =>
      eventually(() => expect(polls.length).toBeGreaterThan(than + times));
    // A read that was on its way is known by then.
    await more(20);
    const seen = at.length;
    await more(60);
    expect(at).toHaveLength(seen);
    const left = tab.page.waitForEvent('requestfailed', (request) => request.url().includes('/outbox?'));
    await tab.page.clock.fastForward(GRACE_MS);
    await left;
    const before = polls.length;
    await tab.page.evaluate(visibility('visible'));
    await eventually(() => expect(at.length).toBeGreaterThan(seen));
    await eventually(() => expect(polls.length).toBeGreaterThan(before));
    expect(new URL(polls[before]!).searchParams.get('after')).toBeNull();
    expect(new URL(polls[before - 1]!).searchParams.get('after')).not.toBeNull();
  });

  it('shows the next rows of a list that is scrolled far, whose rows are not read again', async () => {
    const asked: string[] = [];
    await tab.page.route('**/v1/operations?*', async (route) => listed(route, asked));
    await tab.goto('/operations');
    for (let page = 2; page <= 6; page++) {
      await tab.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
      await tab.page.getByText(`more than ${page * ROWS} attempts`).waitFor();
    }
    const seen = asked.length;
    const polled = polls.length;
    await eventually(() => expect(polls.length).toBeGreaterThan(polled + 60));
    expect(asked).toHaveLength(seen);
    // The first two pages are read again while the list has no more.
    expect(asked.filter((page) => page > '2').sort()).toEqual(['3', '4', '5', '6']);
    expect(tab.faults).toEqual([]);
  });

  /** A list without an end, whose pages are noted. */
  async function listed(route: Route, asked: string[]): Promise<void> {
    const url = new URL(route.request().url());
    // Those that began since the list was opened.
    if (url.searchParams.has('since')) return route.fulfill({ json: [] });
    const page = Number(url.searchParams.get('after') ?? '1');
    asked.push(String(page));
    const [row] = (await org.viewer.get('/v1/operations?limit=1')).body;
    url.searchParams.set('after', String(page + 1));
    const json = Array.from({ length: ROWS }, (_, place) => ({
      ...row,
      operation_id: `operation-${page}-${place}`,
      name: `train-${page}-${place}`,
    }));
    await route
      .fulfill({ json, headers: { link: `<${url.pathname}${url.search}>; rel="next"` } })
      .catch(() => undefined);
  }
});
