import type { Browser } from 'playwright-core';
import { buildConsole } from '../support/built-console';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { inForm } from '../support/form';
import { Service, type Organisation } from '../support/service';
import { buildCluster, buildPod } from '../support/workloads';
import { launch, Tab } from './support/browser';

const PODS = inForm(20_000, 100_000);
const SHOWN = PODS.toLocaleString('en-US');
/** Of processor time: how long a frame takes also depends on what else the machine does. */
const FRAME_MS = 50;
const HEAP_BYTES = 150 * 1024 ** 2;
const FRAMES = 60;

/** Copies of one pod, which its cluster reports. */
const COPY = (columns: readonly string[]): string => `
  insert into pods (id, uid, name, ${columns.join(', ')})
  select gen_random_uuid(), gen_random_uuid()::text, 'pod-' || lpad(n::text, 6, '0'), ${columns.join(', ')}
  from pods, generate_series(1, ${PODS - 1}) n`;

describeWith(['Chromium'], `a list of ${SHOWN} pods`, () => {
  let browser: Browser;
  let service: Service;
  let org: Organisation;
  let tab: Tab;

  beforeAll(async () => {
    buildConsole();
    [service, browser] = await Promise.all([Service.start(), launch({ asShipped: true })]);
    org = await service.organisation();
    await buildPod(org, await buildCluster(org), { name: 'a-pod' });
    const { rows } = await service.db.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = 'pods' and is_generated = 'NEVER'",
    );
    const columns = rows.map(({ name }) => name).filter((name) => !['id', 'uid', 'name'].includes(name));
    await service.db.query(COPY(columns));
    await service.db.query('analyze pods');
    tab = await Tab.blank(browser, service.url, { token: org.viewer.token });
    await tab.goto('/workloads');
  });
  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  it('shows how many there are, with a few rows and few requests', async () => {
    await tab.page.getByText(`${SHOWN} pods`).waitFor();
    await tab.page.getByRole('link', { name: 'pod-000001' }).waitFor();
    expect(await tab.page.getByRole('row').count()).toBeLessThan(60);
    expect(await tab.page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(PODS + 1));
    expect(tab.requests.length).toBeLessThanOrEqual(6);
  });

  it('scrolls to its end at once, and loads what is seen there only', async () => {
    tab.requests.length = 0;
    await tab.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await tab.page.getByRole('link', { name: `pod-${String(PODS - 1).padStart(6, '0')}` }).waitFor();
    expect(tab.requests.filter((one) => one.includes('/v1/pods/paginated')).length).toBeLessThanOrEqual(2);
  });

  it('scrolls at 20 rows a frame with little work for each frame, in little memory', async () => {
    const [devtools, system] = await Promise.all([
      tab.page.context().newCDPSession(tab.page),
      browser.newBrowserCDPSession(),
    ]);
    /** Of the processes that run pages: this one only. */
    const processorMs = async (): Promise<number> => {
      const { processInfo } = await system.send('SystemInfo.getProcessInfo');
      const pages = processInfo.filter(({ type }) => type === 'renderer');
      return 1_000 * pages.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    };
    await tab.page.evaluate('window.scrollTo(0, 0)');
    await tab.page.getByRole('link', { name: 'pod-000001' }).waitFor();
    const before = await processorMs();
    await tab.page.evaluate(`(async () => {
      for (let frame = 0; frame < ${FRAMES}; frame++) {
        scrollBy(0, 900);
        await new Promise((done) => requestAnimationFrame(done));
      }
    })()`);
    const perFrame = ((await processorMs()) - before) / FRAMES;
    expect(perFrame).toBeGreaterThan(0);
    expect(perFrame).toBeLessThan(FRAME_MS);
    await eventually(async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      const { usedSize } = await devtools.send('Runtime.getHeapUsage');
      expect(usedSize).toBeLessThan(HEAP_BYTES);
    });
    expect(tab.faults).toEqual([]);
  });
});
