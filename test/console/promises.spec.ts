import type { Browser, Locator } from 'playwright-core';
import { buildConsole } from '../support/built-console';
import { registered } from '../support/artifacts';
import { createKey } from '../support/chat';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { inForm } from '../support/form';
import { createProfile, setState } from '../support/profiles';
import { Service, type Organisation } from '../support/service';
import { launch, Tab } from './support/browser';
import { seed } from './support/seed';

const MOST_CLICKS = 3;

/** Of the memory of scripts. */
const HEAP_BYTES = 150 * 1024 ** 2;
/** In the long form a third of the events that a page sees in an hour, if one comes every 15 seconds. */
const EVENTS = inForm(30, 80);
/** A page gathers the changes of two seconds. */
const SECONDS_BETWEEN = 2;
/** What caches and compiled code may grow by meanwhile. */
const GROWTH_BYTES = 3 * 1024 ** 2;

/** Of processor time: how long a first paint takes also depends on what else the machine does. */
const FIRST_PAINT_MS = 1_000;

describeWith(['Chromium'], 'what the console promises', () => {
  let browser: Browser;
  let service: Service;
  let org: Organisation;
  let tab: Tab;
  let clicks = 0;

  beforeAll(async () => {
    buildConsole();
    [service, browser] = await Promise.all([Service.start(), launch({ asShipped: true })]);
    org = await service.organisation();
    await seed(service, org);
    const profile = await createProfile(org, { profile_id: 'llama-h100' });
    await registered(org, profile, {
      artifact_id: 'llama-1',
      storage_tier: 'local',
      metadata: { node_name: 'gpu-node-2', node_boot_id: 'boot-1' },
    });
    for (const [name, spent] of Object.entries({ search: 4, support: 9, probes: 1 })) {
      const { key_id: id } = await createKey(org, { name });
      await service.db.query('update inference_keys set spent_usd = $2 where id = $1', [id, spent]);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await service.close();
  });
  beforeEach(async () => {
    tab = await Tab.open(browser, service.url, { token: org.operator.token });
    clicks = 0;
  });
  afterEach(async () => {
    await tab.close();
  });

  const click = async (target: Locator): Promise<void> => {
    clicks++;
    await target.click();
    await tab.settled();
  };
  const link = (name: string) => tab.page.getByRole('link', { name, exact: true }).first();
  const reads = (text: string | RegExp) => tab.page.getByText(text).filter({ visible: true }).first().waitFor();

  describe('a newcomer who starts at the overview finds with three clicks', () => {
    afterEach(() => expect(clicks).toBeLessThanOrEqual(MOST_CLICKS));

    it('shows a newcomer why the last checkpoint failed', async () => {
      await reads('no space left on device');
      await click(link('train-70b-0'));
      await reads('The checkpoint failed in the stage memory_dump');
    });

    it('what restoring saved this week', async () => {
      await click(link('Costs'));
      await reads('last 7 days');
      await tab.page.getByRole('heading', { name: 'What restoring saved' }).waitFor();
    });

    it('shows a newcomer which key spends most', async () => {
      await click(link('Keys'));
      await reads('3 keys spent $14.00; support spends most, $9.00');
    });

    it('shows a newcomer which nodes cannot take an artifact, and why', async () => {
      await click(link('Profiles'));
      await click(link('llama-h100'));
      await click(link('llama-1'));
      await reads('11 of 12 nodes cannot take it, because it lies on gpu-node-2 only');
      await tab.page.getByRole('button', { name: 'gpu-node-5' }).waitFor();
    });
  });

  it('paints first after less than a second of work', async () => {
    const devtools = await tab.page.context().newCDPSession(tab.page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const workMs = async (): Promise<number> => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
    };
    await tab.page.goto('about:blank');
    const before = await workMs();
    await tab.goto('/operations');
    // What is in the document need not be painted yet.
    await eventually(async () =>
      expect(await tab.page.evaluate("performance.getEntriesByName('first-contentful-paint').length")).toBe(1),
    );
    // The whole page is there by now, not only its first paint.
    expect((await workMs()) - before).toBeLessThan(FIRST_PAINT_MS);
  });

  it('keeps its memory while a page is open for an hour', async () => {
    const devtools = await tab.page.context().newCDPSession(tab.page);
    const heap = async (): Promise<number> => {
      await devtools.send('HeapProfiler.collectGarbage');
      return (await devtools.send('Runtime.getHeapUsage')).usedSize;
    };
    const reread = () => tab.requests.filter((request) => request.includes('/v1/inference/capacity-intents')).length;
    // Between two changes there are seconds in an hour, but not in this test.
    await tab.page.clock.install();
    await tab.goto('/profiles');
    const change = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        const seen = reread();
        const desired_state = time % 2 === 0 ? 'Active' : 'Suspended';
        expect((await setState(org.operator, 'llama-h100', { desired_state })).status).toBe(202);
        // One event at a time: together they would be one change to the page.
        await eventually(async () => {
          await tab.page.clock.fastForward(SECONDS_BETWEEN * 1_000);
          expect(reread()).toBeGreaterThan(seen);
        });
      }
    };
    await change(20);
    const before = await heap();
    await change(EVENTS);
    const after = await heap();
    expect(after).toBeLessThan(HEAP_BYTES);
    expect(after - before).toBeLessThan(GROWTH_BYTES);
    expect(tab.faults).toEqual([]);
  });
});
