import type { Browser, Locator } from 'playwright-core';
import { newId } from '../../src/1-platform/common/ids';
import { buildConsole } from '../support/built-console';
import { describeWith } from '../support/components';
import { Service, type Organisation } from '../support/service';
import { launch, Tab } from './support/browser';

/** Of one answer. */
const LARGEST_PAGE = 1_000;

describeWith(['Chromium'], 'the console', () => {
  let browser: Browser;
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    buildConsole();
    [service, browser] = await Promise.all([Service.start(), launch()]);
  });
  beforeEach(async () => {
    org = await service.organisation(`research-${newId()}`);
  });
  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  describe('with more access tokens than an answer has', () => {
    const REVOKED = `
      insert into access_tokens (org_id, id, name, role, digest, created_at, revoked_at)
      select $1, gen_random_uuid(), 'rotated-' || n, 'viewer', sha256(gen_random_uuid()::text::bytea),
        clock_timestamp() + n * interval '1 ms', clock_timestamp()
      from generate_series(1, ${LARGEST_PAGE}) n`;
    let tab: Tab;
    let forgotten: string;

    beforeEach(async () => {
      forgotten = (await org.admin.post('/v1/tokens', { name: 'forgotten', role: 'operator' })).body.raw_token;
      await service.db.query(REVOKED, [org.id]);
    });
    afterEach(async () => {
      expect(tab.faults).toEqual([]);
      await tab.close();
    });
    const row = (): Locator => tab.page.getByRole('row').filter({ hasText: 'forgotten' });
    const isValid = async () => (await service.as(forgotten).get('/v1/user')).status === 200;
    const revoke = async (says: string): Promise<void> => {
      await row().getByRole('button', { name: 'Revoke' }).click();
      const dialog = tab.page.getByRole('dialog');
      await dialog.getByText(says).waitFor();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByText('Revoked', { exact: true }).waitFor();
    };

    it('finds the oldest one that can be used, and revokes it', async () => {
      tab = await Tab.blank(browser, service.url, { token: org.admin.token });
      await tab.goto('/keys?tab=tokens');
      await tab.page.getByText('at least 0 tokens can be used').waitFor();
      expect(await row().count()).toBe(0);
      await tab.page.getByText('Active', { exact: true }).click();
      await tab.page.getByText('5 tokens can be used').waitFor();
      expect(await tab.page.getByRole('columnheader', { name: 'Organisation' }).count()).toBe(0);
      await revoke('Nobody can undo it.');
      expect(await isValid()).toBe(false);
    });

    it('shows to an admin of the platform whose token it is', async () => {
      const name = `research-of-${org.id}`;
      await service.db.query('update organisations set name = $2 where id = $1', [org.id, name]);
      tab = await Tab.blank(browser, service.url, { token: service.admin.token });
      await tab.goto('/keys?tab=tokens&status=active&name=FORGOTTEN');
      await row().filter({ hasText: name }).waitFor();
      await revoke(`It is a token of the organisation ${name}`);
      expect(await isValid()).toBe(false);
    });
  });
});
