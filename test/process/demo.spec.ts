import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { Tab, launch } from '../console/support/browser';
import { buildConsole } from '../support/built-console';
import { find } from '../support/components';
import { freePorts } from '../support/free-ports';

const PROJECT = join(__dirname, '../..');
const COLD_START = /Until ready: cold start \d+\.\d s \(median of [1-9]\d*\), restored /;

describe('npm run demo', () => {
  let demo: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  afterEach(async () => {
    if (demo?.exitCode === null && demo.signalCode === null) demo.kill('SIGKILL');
    await ended;
  });

  beforeAll(() => buildConsole());

  /** Each page that the navigation leads to, and the first thing of each list, by clicks. */
  const lookAt = async (address: string): Promise<void> => {
    const browser = await launch();
    const url = new URL(address).origin;
    const tab = await Tab.open(browser, url, { token: new URL(address).hash.slice('#token='.length) });
    const { page } = tab;
    expect(page.url()).toBe(`${url}/console`);
    // It looks alive: attempts that ran, the last failure or that there is none, and a cluster that reports.
    await page.getByText(/% of \d+ attempts/).waitFor();
    await page
      .getByText(/^\d of \d$/)
      .first()
      .waitFor();
    const pages = await page.getByRole('navigation').getByRole('link').all();
    const names = await Promise.all(pages.map((link) => link.textContent()));
    expect(names.length).toBeGreaterThan(8);
    for (const name of names.filter((one) => one !== 'API description')) {
      await page.getByRole('navigation').getByRole('link', { name: name!, exact: true }).click();
      await tab.settled();
      const first = page.getByRole('main').getByRole('table').first().getByRole('link').first();
      if ((await first.count()) === 0) continue;
      await first.click();
      await tab.settled();
      expect([name, await page.getByRole('heading', { level: 1 }).count()]).toEqual([name, 1]);
      await page.goBack();
      await tab.settled();
    }
    expect(tab.faults).toEqual([]);
    await browser.close();
  };

  it('shows how long starts of a simulated fleet took, fills the pages of the console, and ends with a summary on Ctrl-C', async () => {
    const [port] = await freePorts(1);
    const started = spawn(process.execPath, ['--import', 'tsx', 'test/demo/main.ts', '--speed', '100'], {
      cwd: PROJECT,
      env: { ...process.env, PORT: String(port), DEMO_DATA_DIR: '' },
    });
    demo = started;
    ended = once(started, 'exit');
    let shown = '';
    started.stdout.setEncoding('utf8').on('data', (piece: string) => (shown += piece));
    await eventually(() => expect(shown).toMatch(COLD_START), 120_000);
    if (find('chromium') !== undefined) await lookAt(/Console: +(\S+)/.exec(shown)![1]!);
    started.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    const [before, summary] = shown.split('\nSummary\n');
    expect(before).toContain('Everything takes 1/100 of its real time');
    expect(before).toMatch(/\nConsole: +http:\/\/127\.0\.0\.1:\d+\/console#token=ccp_[\w-]{43}\n/);
    expect(before).toMatch(/chat-1 +(Active|Suspended) \d (Pending|Fulfilled|Failed)/);
    expect(summary).toMatch(/^Ran \d+ s with 6 profiles\.\nCapacity intents: \d+ of \d+ fulfilled at the end\.\n/);
    expect(summary).toMatch(COLD_START);
    expect(summary).toMatch(/\nNo faults\.\n$/);
  });
});
