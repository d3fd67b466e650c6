import type { Browser, Locator } from 'playwright-core';
import { newId } from '../../src/1-platform/common/ids';
import { buildConsole } from '../support/built-console';
import { describeWith } from '../support/components';
import { Service, type Organisation } from '../support/service';
import { syncAll } from '../support/workloads';
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

  describe('with more nodes than a map can draw', () => {
    const EAST = 1_050;
    /** By name, every 22nd node is one of the other cluster. */
    const names = Array.from({ length: EAST }, (_, number) => `node-${String(number).padStart(4, '0')}`).flatMap(
      (name, number) => [{ of: 'east', name: `${name}-e` }, ...(number % 21 === 0 ? [{ of: 'west', name }] : [])],
    );
    const numberIn = (of: string, among = names): number => among.filter((one) => one.of === of).length;
    const drawn = names.toSorted((one, other) => (one.name < other.name ? -1 : 1)).slice(0, LARGEST_PAGE);
    const last = `node-${EAST - 1}-e`;
    let tab: Tab;
    let clusters: Record<string, string>;

    beforeEach(async () => {
      clusters = {};
      for (const cluster of ['east', 'west']) {
        clusters[cluster] = (await org.operator.post('/v1/cluster', { cluster_name: cluster })).text;
        const own = names.filter(({ of }) => of === cluster);
        await syncAll(
          org.controller,
          clusters[cluster],
          own.map(({ name }) => ({
            type: 'Node',
            kind: 'Node',
            metadata: { uid: `${cluster}-${name}`, name, resourceVersion: '1' },
            spec: {},
            status: { conditions: [{ type: 'Ready', status: name === last ? 'False' : 'True' }] },
          })),
        );
      }
      tab = await Tab.blank(browser, service.url, { token: org.viewer.token });
    });
    afterEach(async () => {
      expect(tab.faults).toEqual([]);
      await tab.close();
    });

    it('counts those of each cluster, and says how many are drawn', async () => {
      await tab.goto('/clusters');
      const map = tab.page.getByRole('region', { name: 'Fleet map' });
      await map.getByText(`${LARGEST_PAGE.toLocaleString('en-US')} of 1,100 nodes drawn`).waitFor();
      for (const [cluster, all] of [
        ['east', '1,050'],
        ['west', '50'],
      ] as const) {
        const own = numberIn(cluster, drawn);
        expect(numberIn(cluster)).toBeGreaterThan(own);
        await map.getByRole('heading', { name: `${cluster} ${own} of ${all} nodes drawn` }).waitFor();
      }
      await map.getByText('Ready: 1099', { exact: true }).waitFor();
      await map.getByText('NotReady: 1').waitFor();
      expect(tab.requests.length).toBeLessThanOrEqual(6);
    });

    it('finds those in trouble that it does not draw', async () => {
      await tab.goto(`/clusters/${clusters.east}`);
      const nodes = tab.page.getByRole('region', { name: 'Nodes' });
      await nodes.getByText('1,000 of 1,050 nodes drawn').waitFor();
      await nodes.getByText('NotReady: 1').waitFor();
      await nodes.getByText('In trouble').click();
      const table = nodes.getByRole('table');
      await table.getByText(last).waitFor();
      expect(await table.getAttribute('aria-rowcount')).toBe('2');
      await tab.goto(`/clusters/${clusters.west}?nodes=troubled`);
      await tab.page.getByText('No nodes match these filters').waitFor();
    });
  });

  it('names as many inference keys as an answer has, and says that there are more', async () => {
    const add = async (count: number, name: string): Promise<unknown> =>
      service.db.query(
        `insert into inference_keys (org_id, id, name, models, digest, spent_usd, created_at)
         select $1, gen_random_uuid(), $2 || n, '{}', sha256(gen_random_uuid()::text::bytea), n,
           clock_timestamp() + n * interval '1 ms'
         from generate_series(1, $3::int) n`,
        [org.id, name, count],
      );
    await add(LARGEST_PAGE, 'team-');
    const tab = await Tab.blank(browser, service.url, { token: org.viewer.token });
    await tab.goto('/keys');
    const keys = tab.page.getByRole('region', { name: 'Inference keys' });
    await keys.getByText(/^1,000 keys spent .*; team-1000 spends most/).waitFor();
    expect(await keys.getByText('Only the newest').count()).toBe(0);
    await add(1, 'latest-');
    await tab.page.reload();
    await keys.getByText(/^the newest 1,000 keys spent .*; team-1000 spends most/).waitFor();
    await keys.getByText('Only the newest 1,000 keys are here; the API lists all of them.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
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
