import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { Tab, launch } from '../console/support/browser';
import { buildConsole } from '../support/built-console';
import { describeWith } from '../support/components';
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

  /** Pages whose first table has a row with a link, and what it leads to. */
  const FILLED: Readonly<Record<string, RegExp>> = {
    Operations: /^train|^finetune|^eval/,
    Clusters: /^(fleet|training|hpc)$/,
    Profiles: /^(chat|embed|toy)/,
    Routes: /^(demo|chat|embed)/,
    Costs: /^(chat|embed|toy)/,
    Experiments: /^questions of two teams, part \d+$/,
  };
  /** Words on the others. */
  const SAYS: Readonly<Record<string, RegExp>> = {
    // A row opens a drawer there, which hides the heading.
    Workloads: /^\d+ pods/,
    Overview: /% of \d+ attempts/,
    Metrics: /^8 nodes with 56 GPUs: mean utilisation \d+ %/,
    Policies: /^[\d,]+ beats: /,
    Slurm: /^One tile for each node, in each of its partitions: all 10 nodes drawn/,
    Keys: /team (search|support) spends most/,
    Audit: /^(report activation|record lifecycle event|set profile state|create checkpoint)/,
    Outbox: /consumers?;/,
  };

  /** Each page that the navigation leads to, and the first thing of each list, by clicks. */
  const lookAt = async (address: string): Promise<void> => {
    const browser = await launch();
    try {
      const url = new URL(address).origin;
      const tab = await Tab.open(browser, url, { token: new URL(address).hash.slice('#token='.length) });
      const { page } = tab;
      expect(page.url()).toBe(`${url}/console`);
      const links = await page.getByRole('navigation').getByRole('link').allTextContents();
      const names = links.filter((name) => name !== 'API description');
      expect(names).toEqual(expect.arrayContaining([...Object.keys(FILLED), ...Object.keys(SAYS)]));
      for (const name of names) {
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
        await tab.settled();
        const says = SAYS[name];
        if (says) await page.getByText(says).first().waitFor();
        const leadsTo = FILLED[name];
        if (leadsTo === undefined) continue;
        // Until then, the table is that of the page before.
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
        await tab.settled();
        await page.getByRole('main').getByRole('table').first().getByRole('link').first().click();
        await page.getByRole('heading', { level: 1, name: leadsTo }).waitFor();
        await page.goBack();
        await tab.settled();
      }
      expect(tab.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  };

  const start = async () => {
    const [port] = await freePorts(1);
    const started = spawn(process.execPath, ['--import', 'tsx', 'test/demo/main.ts', '--speed', '100'], {
      cwd: PROJECT,
      env: { ...process.env, PORT: String(port), DEMO_DATA_DIR: '' },
    });
    demo = started;
    ended = once(started, 'exit');
    // Behind all that it printed.
    const closed = once(started, 'close');
    let shown = '';
    started.stdout.setEncoding('utf8').on('data', (piece: string) => (shown += piece));
    return { started, closed, said: () => shown };
  };

  it('shows how long starts of a simulated fleet took, and ends with a summary on Ctrl-C', async () => {
    const { started, closed, said } = await start();
    await eventually(() => expect(said()).toMatch(COLD_START), 120_000);
    started.kill('SIGINT');
    expect(await closed).toEqual([0, null]);
    const [before, summary] = said().split('\nSummary\n');
    expect(before).toContain('Everything takes 1/100 of its real time');
    expect(before).toMatch(/\nConsole: +http:\/\/127\.0\.0\.1:\d+\/console#token=ccp_[\w-]{43}\n/);
    expect(before).toMatch(/chat-1 +(Active|Suspended) \d (Pending|Fulfilled|Failed)/);
    expect(summary).toMatch(/^Ran \d+ s with 6 profiles\.\nCapacity intents: \d+ of \d+ fulfilled at the end\.\n/);
    expect(summary).toMatch(COLD_START);
    expect(summary).toMatch(/\nNo faults\.\n$/);
  });

  it('carries out what a policy and a person ask for', async () => {
    const { started, closed, said } = await start();
    await eventually(() => expect(said()).toMatch(/Console: /), 60_000);
    const [, url, token] = /Console: +(\S+)\/console#token=(\S+)/.exec(said())!;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const get = async <Body>(path: string) => (await (await fetch(url + path, { headers })).json()) as Body;
    type Action = { action_id: string; status: string; node_name: string };
    const ended = async (type: string): Promise<Action[]> =>
      (await get<Action[]>(`/v1/actions?type=${type}`)).filter(
        ({ status }) => status === 'ready' || status === 'error',
      );
    await eventually(async () => expect(await ended('heartbeat')).not.toEqual([]), 120_000);
    const taken = (await ended('checkpoint_pod')).find(
      ({ status, node_name: node }) => status === 'ready' && node.startsWith('gpu-node'),
    );
    const body = JSON.stringify({ action_id: taken?.action_id, reason: 'manual' });
    expect((await fetch(`${url}/v1/restore/pod`, { method: 'POST', headers, body })).status).toBe(200);
    await eventually(async () => expect(await ended('restore_pod')).toHaveLength(1), 120_000);
    const newest = async () => (await get<{ id: string }[]>('/v1/inference/experiments'))[0]?.id;
    const cancel = { method: 'POST', headers, body: JSON.stringify({ status: 'cancelled' }) };
    let cancelled: string | undefined;
    await eventually(async () => {
      cancelled = await newest();
      const answer = await fetch(`${url}/v1/inference/experiments/${cancelled}/complete`, cancel);
      // Another status: it has just ended by itself, and the next one begins.
      expect(answer.status).toBe(200);
    });
    await eventually(async () => expect(await newest()).not.toBe(cancelled), 120_000);
    started.kill('SIGINT');
    expect(await closed).toEqual([0, null]);
  });

  describeWith(['Chromium'], 'in the console', () => {
    it('fills the pages', async () => {
      const { started, said } = await start();
      await eventually(() => expect(said()).toMatch(COLD_START), 120_000);
      await lookAt(/Console: +(\S+)/.exec(said())![1]!);
      started.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
    });
  });
});
