import type { Browser } from 'playwright-core';
import { buildConsole } from '../../support/built-console';
import { Service, type Organisation } from '../../support/service';
import { launch, Tab } from './browser';

/**
 * What specs of the console share: a service with an organisation, and tabs of a browser. Tabs close after
 * each test, all else after the last one.
 */
export class Tabs {
  private browser: Browser | undefined;
  private service: Service | undefined;
  private readonly opened: Tab[] = [];

  constructor() {
    afterEach(async () => {
      for (const tab of this.opened.splice(0)) await tab.close();
    });
    afterAll(async () => {
      await this.browser?.close();
      await this.service?.close();
    });
  }

  /** @param settings of the service, where they differ from those of other specs */
  async start(settings: Parameters<typeof Service.start>[0] = {}): Promise<{ service: Service; org: Organisation }> {
    buildConsole();
    const [service, browser] = await Promise.all([Service.start(settings), launch()]);
    Object.assign(this, { service, browser });
    return { service, org: await service.organisation() };
  }

  /** @param token with which its first `goto` signs in; without one it has no session */
  async open(token?: string, url = this.service?.url): Promise<Tab> {
    if (!this.browser || url === undefined) throw new Error('start it before');
    const tab = await Tab.blank(this.browser, url, { token });
    this.opened.push(tab);
    return tab;
  }
}
