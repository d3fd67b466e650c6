import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import express, { type Express } from 'express';
import type { Browser } from 'playwright-core';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { BuiltConsole } from '../../src/console/built-console';
import { addConsole, BUILT } from '../../src/console/console-routes';
import { buildConsole } from '../support/built-console';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { launch, Tab } from './support/browser';

const TEXTS = ['.html', '.js', '.css'];
/** The first one, and eight more. */
const MOST_LOADS = 9;
const COMPRESSED = ['.br', '.gz'];

/** What another build has: the same files under other names. */
function anotherBuild(directory: string): void {
  cpSync(BUILT, directory, { recursive: true });
  const folder = join(directory, 'assets');
  for (const name of readdirSync(folder)) if (COMPRESSED.includes(extname(name))) rmSync(join(folder, name));
  const names = readdirSync(folder).map((name) => [name, name.replace(/\.(\w+)$/, '-2.$1')] as const);
  const rename = (file: string): void => {
    let text = readFileSync(file, 'utf8');
    for (const [name, other] of names) text = text.replaceAll(name, other);
    writeFileSync(file, text);
  };
  for (const [name] of names) if (TEXTS.includes(extname(name))) rename(join(folder, name));
  rename(join(directory, 'index.html'));
  for (const [name, other] of names) renameSync(join(folder, name), join(folder, other));
}

/** A replica, of which browsers ask nothing but the console. */
function replicaWith(directory: string): Express {
  const app = express();
  app.use((request, _response, next) => {
    Object.assign(request, { requestId: 'r-1' });
    next();
  });
  app.get('/v1/user/sign-in', (_request, response) => void response.json({ identity_provider: null }));
  addConsole(app, BuiltConsole.read(directory), readEnvironment({}));
  return app;
}

describeWith(['Chromium'], 'the console while replicas of two builds answer', () => {
  let browser: Browser;
  let directory: string;
  let replicas: readonly [old: Express, next: Express];
  let proxy: Server;
  let url: string;
  /** Which replica answers a request. */
  let choose: (path: string) => 0 | 1;
  let pages: number;
  let tab: Tab;

  beforeAll(async () => {
    buildConsole();
    directory = mkdtempSync(join(tmpdir(), 'console-'));
    anotherBuild(directory);
    replicas = [replicaWith(BUILT), replicaWith(directory)];
    proxy = createServer((request, response) => {
      const path = request.url ?? '';
      if (!path.includes('/assets/') && path.startsWith('/console')) pages++;
      replicas[choose(path)](request, response);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    proxy.close();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    pages = 0;
    tab = await Tab.blank(browser, url);
    // Nobody waits for its pauses.
    await tab.page.clock.install();
  });
  afterEach(() => tab.close());

  const signIn = () => tab.page.getByRole('heading', { level: 1, name: 'Sign in' });
  const loads = () => tab.page.evaluate<string | null>("sessionStorage.getItem('control-plane-loads')");
  const soon = (check: () => Promise<void>): Promise<void> =>
    eventually(async () => {
      await tab.page.clock.fastForward(1_000);
      await check();
    });

  it('loads its page again by itself until its files come from the same build', async () => {
    // One request each, until the upgrade is over.
    let requests = 0;
    choose = () => (pages > 2 ? 1 : ((requests++ % 2) as 0 | 1));
    await tab.visit('/operations');
    await soon(async () => expect(await signIn().isVisible()).toBe(true));
    expect(pages).toBe(3);
    await eventually(async () => expect(await loads()).toBeNull());
  });

  it('says what happens, and leaves the next try to its user if that does not help', async () => {
    choose = (path) => (path.includes('/assets/') ? 1 : 0);
    await tab.visit('/operations?result=failed');
    await tab.page.getByText('This page is loaded again').waitFor();
    const link = tab.page.getByRole('link', { name: 'Load the page again' });
    await soon(async () => expect(await link.isVisible()).toBe(true));
    expect(pages).toBe(MOST_LOADS);
    expect(await tab.findings()).toEqual([]);
    choose = () => 1;
    await link.click();
    await signIn().waitFor();
    expect(tab.page.url()).toBe(`${url}/console/operations?result=failed`);
    expect(await loads()).toBeNull();
  });

  it('loads its page again where only its styles are missing, and stays without them in the end', async () => {
    choose = () => 0;
    // Not from the cache of the browser.
    await tab.page.route('**/*.css', (route) => route.fulfill({ status: 404 }));
    await tab.visit('');
    await soon(async () => expect([pages, await loads()]).toEqual([MOST_LOADS, null]));
    await signIn().waitFor();
    await tab.page.clock.fastForward(60_000);
    await signIn().waitFor();
    expect(pages).toBe(MOST_LOADS);
  });

  it('keeps what is open when a part of it is missing later', async () => {
    choose = () => 0;
    await tab.visit('');
    await signIn().waitFor();
    await tab.page.getByLabel('Access token').fill('half a token');
    await tab.page.evaluate(`new Promise((resolve) => {
      const style = document.createElement('link');
      Object.assign(style, { rel: 'stylesheet', href: '/console/assets/gone.css', onerror: resolve });
      document.head.append(style);
    })`);
    await tab.page.clock.fastForward(60_000);
    expect([pages, await tab.page.getByLabel('Access token').inputValue()]).toEqual([1, 'half a token']);
  });
});
