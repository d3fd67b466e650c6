import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page, type Request } from 'playwright-core';
import { find } from '../../support/components';

/** Chromium as Debian has it: without a sandbox for root, and without calls of its own. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** A page lives for seconds here, so compiling its scripts for speed costs more than it saves. */
const SHORT_LIVED = '--js-flags=--no-opt --no-maglev --single-threaded-gc';

export const THEMES = ['light', 'dark'] as const;
export const WIDTHS = [1280, 390] as const;
export type Theme = (typeof THEMES)[number];

const HEIGHTS = { 1280: 800, 390: 844 } as const;
/** Where a wait ends that a page never fulfils. */
const LONGEST_MS = 20_000;

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export interface Visit {
  readonly theme?: Theme;
  readonly width?: (typeof WIDTHS)[number];
  readonly token?: string;
}

/** A tab of the console, which notes what must not happen. */
export class Tab {
  /** Errors and warnings in the console of the browser, failed requests, and requests to other hosts. */
  readonly faults: string[] = [];
  /** Requests of the API since the last `open`. */
  readonly requests: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
    /** With which the first `goto` signs in. */
    private token: string | undefined,
  ) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.faults.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.faults.push(`thrown: ${error.message}`));
    page.on('requestfailed', (request) => this.noteFailed(request));
    page.on('request', (request) => {
      const { host, pathname, search } = new URL(request.url());
      if (host !== new URL(url).host) this.faults.push(`another host: ${request.url()}`);
      if (pathname.startsWith('/v1/')) this.requests.push(`${request.method()} ${pathname}${search}`);
    });
  }

  /** A tab that shows the overview. */
  static async open(browser: Browser, url: string, visit: Visit = {}): Promise<Tab> {
    const tab = await Tab.blank(browser, url, visit);
    if (visit.token !== undefined) await tab.goto('');
    return tab;
  }

  /**
   * A tab whose first `goto` signs in, as a link with a token does. Tabs of a browser share its cache, and
   * nothing else: a session belongs to a tab.
   */
  static async blank(
    browser: Browser,
    url: string,
    { theme = 'light', width = 1280, token }: Visit = {},
  ): Promise<Tab> {
    const context = browser.contexts()[0] ?? (await browser.newContext({ reducedMotion: 'reduce' }));
    context.setDefaultTimeout(LONGEST_MS);
    const tab = new Tab(await context.newPage(), url, token);
    await tab.look(theme, width);
    return tab;
  }

  /** Goes to a page of the console, and waits until nothing loads any more. */
  async goto(path: string): Promise<void> {
    await this.visit(path);
    await this.settled();
  }

  /** As `goto`, without waiting for what the page loads. */
  async visit(path: string): Promise<void> {
    this.requests.length = 0;
    const fragment = this.token === undefined ? '' : `#token=${this.token}`;
    this.token = undefined;
    await this.page.goto(`${this.url}/console${path}${fragment}`);
  }

  /** Until the title is there and nothing is loading. */
  async settled(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.page.getByLabel('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  }

  /** Changes the theme of the system and the size of the window, as people do while they look at a page. */
  async look(theme: Theme, width: (typeof WIDTHS)[number]): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme });
    await this.page.setViewportSize({ width, height: HEIGHTS[width] });
  }

  /** Findings of axe that keep somebody from using the page. */
  async findings(): Promise<string[]> {
    // In the page's own world, which the policy does not keep from running it.
    if (!(await this.page.evaluate<boolean>("'axe' in window"))) await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate<AxeResult>("axe.run({ resultTypes: ['violations'] })");
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html}: ${nodes[0]?.failureSummary}`);
  }

  /** A page that is wider than the screen must be scrolled sideways. */
  overflow(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  /** Kept where `CONSOLE_SCREENSHOTS` names a directory: they are for people, and decide nothing. */
  async screenshot(name: string): Promise<void> {
    const directory = process.env.CONSOLE_SCREENSHOTS;
    if (directory !== undefined) await this.page.screenshot({ path: join(directory, `${name}.png`), fullPage: false });
  }

  close(): Promise<void> {
    return this.page.close();
  }

  private noteFailed(request: Request): void {
    const reason = request.failure()?.errorText ?? '';
    // The page itself ends requests whose answers it no longer needs.
    if (reason !== 'net::ERR_ABORTED') this.faults.push(`failed: ${request.url()}: ${reason}`);
  }
}

interface AxeResult {
  violations: { id: string; impact?: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/**
 * The headless shell draws no window around its pages, which takes a browser half of its time.
 * @param asShipped with the optimisations of a browser that lives longer, where its own work is measured
 */
export const launch = ({ asShipped = false } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: find('chromium-headless-shell') ?? find('chromium'),
    args: asShipped ? ARGUMENTS : [...ARGUMENTS, SHORT_LIVED],
  });
