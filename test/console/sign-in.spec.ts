import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator } from 'playwright-core';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { write } from '../support/outbox';
import type { Organisation, Service } from '../support/service';
import { ok } from '../support/workloads';
import type { Tab } from './support/browser';
import { expectAllLooks } from './support/looks';
import { seed, type Seeded } from './support/seed';
import { Tabs } from './support/tabs';

const TOKEN = "sessionStorage.getItem('control-plane-token')";

describeWith(['Chromium'], 'a session of the console', () => {
  const tabs = new Tabs();
  let service: Service;
  let org: Organisation;
  let seeded: Seeded;

  beforeAll(async () => {
    ({ service, org } = await tabs.start());
    seeded = await seed(service, org);
  });

  const open = (token: string | undefined = org.operator.token): Promise<Tab> => tabs.open(token);
  const tokenOf = async (role: string, name = role): Promise<{ id: string; token: string }> => {
    const body = { name, role, organisation_id: org.id };
    const created = (await service.admin.post('/v1/tokens', body)).body;
    return { id: created.token_id, token: created.raw_token };
  };
  const revoke = async (id: string): Promise<void> => {
    ok({ ...(await service.admin.delete(`/v1/tokens/${id}`)), status: 200 });
    // The long poll is answered, and the next one refused.
    await write(service.app, org.id, {});
  };

  it('begins with a token in the fragment of the address, which is removed at once', async () => {
    const tab = await tabs.open();
    await tab.goto(`/operations?result=failed#token=${org.viewer.token}`);
    expect(tab.page.url()).toBe(`${service.url}/console/operations?result=failed`);
    await tab.page.getByText('no space left on device').first().waitFor();
    // It survives a reload of this tab, and no other tab gets it.
    await tab.page.reload();
    await tab.page.getByText('no space left on device').first().waitFor();
    expect(await tab.page.evaluate<number>('localStorage.length')).toBe(0);
  });

  it('begins with a pasted token, and goes to the address that was asked for', async () => {
    const tab = await tabs.open();
    await tab.goto(`/operations/${seeded.failedId}`);
    expect(await tab.page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
    expect(await tab.findings()).toEqual([]);
    await tab.page.getByLabel('Access token').fill('not a token');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByText('A token has letters').waitFor();
    await tab.page.getByLabel('Access token').fill(org.viewer.token ?? '');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('The checkpoint failed').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('ends with the token: when it is revoked, and when the service does not know it', async () => {
    const { id, token } = await tokenOf('viewer');
    const tab = await open(token);
    await tab.goto('/clusters');
    ok({ ...(await service.admin.delete(`/v1/tokens/${id}`)), status: 200 });
    // The next request, at the latest the long poll, is refused.
    await tab.page.getByRole('link', { name: 'Operations' }).click();
    await tab.page.getByText('no longer accepts your token').waitFor();
    expect(await tab.page.evaluate<string | null>("sessionStorage.getItem('control-plane-token')")).toBeNull();
    const stranger = await tabs.open();
    await stranger.goto('#token=ccp_unknown');
    await stranger.page.getByText('no longer accepts your token').waitFor();
  });

  it('ends when the user signs out', async () => {
    const tab = await open();
    await tab.goto('');
    await tab.page.getByRole('button', { name: /^Account/ }).click();
    await tab.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await tab.page.getByText('You are signed out.').waitFor();
    await tab.page.reload();
    await tab.page.getByLabel('Access token').waitFor();
  });

  describe('whose token is refused', () => {
    const dialog = (tab: Tab, name: string): Locator => tab.page.getByRole('dialog', { name });
    const signIn = (tab: Tab): Locator => dialog(tab, 'Sign in again');
    const paste = async (tab: Tab, token: string | undefined): Promise<void> => {
      await signIn(tab)
        .getByLabel('Access token')
        .fill(token ?? '');
      await tab.page.keyboard.press('Enter');
    };

    it('keeps a token that is shown once until its user has signed in again, and goes on', async () => {
      const { id, token } = await tokenOf('admin', 'alice');
      const tab = await open(token);
      await tab.goto('/keys?tab=tokens');
      await tab.page.getByRole('button', { name: 'Create token …' }).click();
      await dialog(tab, 'Create an access token').getByLabel('Name').fill('night shift');
      await tab.page.getByRole('button', { name: 'Create token', exact: true }).click();
      const secret = tab.page.getByLabel('Command', { exact: true });
      const text = (await secret.textContent())?.trim() ?? '';
      await revoke(id);
      await signIn(tab).getByText('no longer accepts your token').waitFor();
      expect(await tab.page.evaluate<string | null>(TOKEN)).toBeNull();
      await expectAllLooks(tab, 'sign-in-again');
      await tab.look('light', 1280);
      // Neither question nor secret goes by a key.
      await tab.page.keyboard.press('Escape');
      await tab.page.mouse.click(5, 5);
      await signIn(tab).waitFor();
      expect(await secret.textContent()).toContain(text);
      await paste(tab, 'ccp_unknown');
      await signIn(tab).getByText('A valid bearer token is needed.').waitFor();
      // A token of another role would end what is open, so its user is asked.
      const other = await tokenOf('operator', 'alice');
      await paste(tab, other.token);
      await signIn(tab).getByText(`operator, organisation ${org.id}`).waitFor();
      await signIn(tab).getByText('of the same name and role').waitFor();
      await expectAllLooks(tab, 'sign-in-as-another');
      await tab.look('light', 1280);
      await tab.page.keyboard.press('Escape');
      expect(await secret.textContent()).toContain(text);
      expect(await tab.page.evaluate<string | null>(TOKEN)).toBeNull();
      await signIn(tab).getByRole('button', { name: 'Keep what is open' }).click();
      const next = await tokenOf('admin', 'alice');
      await paste(tab, next.token);
      await signIn(tab).waitFor({ state: 'detached' });
      expect(await secret.textContent()).toContain(text);
      expect(await tab.page.evaluate<string | null>(TOKEN)).toBe(next.token);
      // The list is read with the new token.
      await dialog(tab, 'Create an access token').getByRole('button', { name: 'Close' }).last().click();
      await tab.page.getByRole('row').filter({ hasText: 'night shift' }).waitFor();
      await tab.page.getByRole('button', { name: 'Account: alice, admin' }).waitFor();
    });

    it('keeps a form that is half filled', async () => {
      const { id, token } = await tokenOf('admin', 'bob');
      const tab = await open(token);
      await tab.goto('/keys');
      await tab.page.getByRole('button', { name: 'Create key …' }).click();
      await tab.page.getByLabel('Name').fill('of the evening');
      await revoke(id);
      await signIn(tab).waitFor();
      tab.requests.length = 0;
      await paste(tab, (await tokenOf('admin', 'bob')).token);
      await signIn(tab).waitFor({ state: 'detached' });
      expect(await tab.page.getByLabel('Name').inputValue()).toBe('of the evening');
    });

    it('sends no requests until its user has signed in again', async () => {
      const { id, token } = await tokenOf('operator', 'carol');
      const tab = await open(token);
      await tab.page.clock.install();
      await tab.goto('/clusters');
      await revoke(id);
      await signIn(tab).waitFor();
      tab.requests.length = 0;
      for (let minute = 0; minute < 3; minute++) await tab.page.clock.fastForward(60_000);
      expect(tab.requests).toEqual([]);
      await paste(tab, (await tokenOf('operator', 'carol')).token);
      await signIn(tab).waitFor({ state: 'detached' });
      await eventually(() => expect(tab.requests).toContain('GET /v1/cluster'));
    });

    it.each(['of another name', 'of the same name'])('shows nothing of it to a viewer %s', async (kind) => {
      const { id, token } = await tokenOf('admin', 'dora');
      const other = kind === 'of the same name' ? 'dora' : 'viewer';
      const tab = await open(token);
      await tab.goto('/keys');
      await tab.page.getByRole('button', { name: 'Create key …' }).click();
      await tab.page.getByLabel('Name').fill('of the night');
      await revoke(id);
      await signIn(tab).waitFor();
      await paste(tab, (await tokenOf('viewer', other)).token);
      await signIn(tab)
        .getByRole('button', { name: `Sign in as ${other}` })
        .click();
      await tab.page.getByRole('button', { name: `Account: ${other}, viewer` }).waitFor();
      await eventually(async () => expect(await tab.page.getByRole('dialog').count()).toBe(0));
      expect(await tab.page.content()).not.toContain('of the night');
    });

    it('ends when its user signs out instead', async () => {
      const { id, token } = await tokenOf('viewer', 'erin');
      const tab = await open(token);
      await tab.goto('/clusters');
      await revoke(id);
      await signIn(tab)
        .getByRole('button', { name: /^Sign out/ })
        .click();
      await tab.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      expect(await tab.page.getByText('eu-gpu-1').count()).toBe(0);
    });
  });

  describe('into which a link brings another token', () => {
    const question = (tab: Tab): Locator => tab.page.getByRole('dialog', { name: 'A link wants to sign you in' });
    const account = (tab: Tab, words: string): Locator => tab.page.getByRole('button', { name: `Account: ${words}` });
    const follow = (tab: Tab, token: string | undefined): Promise<unknown> =>
      tab.page.evaluate(`location.hash = 'token=${token}'`);

    it('removes it from the address, and asks whether to sign in as its user', async () => {
      const tab = await open();
      await tab.goto('/operations?result=failed');
      const address = tab.page.url();
      await follow(tab, org.viewer.token);
      await question(tab).getByText(`viewer, organisation ${org.id}`).waitFor();
      expect(tab.page.url()).toBe(address);
      await expectAllLooks(tab, 'offered');
      await tab.look('light', 1280);
      await question(tab).getByRole('button', { name: 'Stay signed in as operator' }).click();
      await account(tab, 'operator, operator').waitFor();
      expect(await tab.page.evaluate<string | null>(TOKEN)).toBe(org.operator.token);
      await follow(tab, org.viewer.token);
      await question(tab).getByRole('button', { name: 'Sign in as viewer' }).click();
      await account(tab, 'viewer, viewer').waitFor();
      expect(await tab.page.evaluate<string | null>(TOKEN)).toBe(org.viewer.token);
      expect(tab.page.url()).toBe(address);
      // Neither is it in the history.
      await tab.page.goBack();
      expect(tab.page.url()).not.toContain('token');
      expect(tab.faults).toEqual([]);
    });

    it('asks when the link loads the page, too', async () => {
      const tab = await open();
      await tab.goto('/operations');
      await tab.page.goto(`${service.url}/console/clusters#token=${org.viewer.token}`);
      await question(tab).waitFor();
      expect(tab.page.url()).toBe(`${service.url}/console/clusters`);
      await tab.page.keyboard.press('Escape');
      await question(tab).waitFor({ state: 'detached' });
      await account(tab, 'operator, operator').waitFor();
    });

    it('goes on with what is open where the token is of the same user', async () => {
      const own = await tokenOf('admin', 'frank');
      const tab = await open(own.token);
      await tab.goto('/keys');
      await tab.page.getByRole('button', { name: 'Create key …' }).click();
      await tab.page.getByLabel('Name').fill('of the morning');
      const next = await tokenOf('admin', 'frank');
      await follow(tab, next.token);
      await question(tab).getByRole('button', { name: 'Sign in as frank' }).click();
      await question(tab).waitFor({ state: 'detached' });
      expect(await tab.page.getByLabel('Name').inputValue()).toBe('of the morning');
      expect(await tab.page.evaluate<string | null>(TOKEN)).toBe(next.token);
    });

    it('says so where the service does not know the token', async () => {
      const tab = await open();
      await tab.goto('/operations');
      await follow(tab, 'ccp_unknown');
      await question(tab).getByText('A valid bearer token is needed.').waitFor();
      await question(tab).getByRole('button', { name: 'Stay signed in as operator' }).click();
      await account(tab, 'operator, operator').waitFor();
    });

    it('takes it at once where nobody is signed in', async () => {
      const tab = await open('');
      await tab.page.goto(`${service.url}/console/operations`);
      await tab.page.getByLabel('Access token').waitFor();
      await follow(tab, org.viewer.token);
      await account(tab, 'viewer, viewer').waitFor();
      expect(tab.page.url()).toBe(`${service.url}/console/operations`);
    });
  });

  describe('that cannot begin', () => {
    it('says why the ways to sign in are not known, and asks again', async () => {
      const tab = await open('');
      await tab.page.route('**/v1/user/sign-in', (route) => route.fulfill({ status: 500, json: {} }));
      await tab.page.goto(`${service.url}/console`);
      await tab.page.getByText('The answer has no explanation.').waitFor();
      expect(await tab.findings()).toEqual([]);
      await tab.page.unroute('**/v1/user/sign-in');
      await tab.page.getByRole('button', { name: 'Try again' }).click();
      await tab.page.getByText('The answer has no explanation.').waitFor({ state: 'detached' });
      // A token needs none of them.
      await tab.page.getByLabel('Access token').waitFor();
    });
  });
});

describeWith(['Chromium'], 'signing in with an identity provider', () => {
  const tabs = new Tabs();
  let service: Service;
  let provider: Server;
  let providerUrl: string;
  let org: Organisation;
  const exchanges: URLSearchParams[] = [];
  let token = '';
  /** What the provider answers in place of a code. */
  let refusal: string | undefined;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      const address = new URL(request.url ?? '', providerUrl);
      if (address.pathname === '/authorize') {
        const back = new URL(address.searchParams.get('redirect_uri') ?? '');
        if (refusal === undefined) back.searchParams.set('code', 'code-1');
        else back.searchParams.set('error_description', refusal);
        back.searchParams.set('state', address.searchParams.get('state') ?? '');
        challenge = address.searchParams;
        response.writeHead(302, { location: back.href }).end();
        return;
      }
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        exchanges.push(new URLSearchParams(body));
        const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
        response.writeHead(200, headers).end(JSON.stringify({ access_token: token, token_type: 'Bearer' }));
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const signIn = {
      clientId: 'console',
      authorizationUrl: `${providerUrl}/authorize`,
      tokenUrl: `${providerUrl}/token`,
      scope: 'openid',
    };
    const jwt = {
      jwksUrl: `${providerUrl}/jwks`,
      issuer: 'https://login.example/',
      audience: 'control-plane',
      organisationClaim: 'organisation',
      roleClaim: 'role',
      signIn,
    };
    ({ service, org } = await tabs.start({ jwt }));
    // Any bearer that the service accepts: how it verifies JWTs is tested elsewhere.
    token = org.operator.token ?? '';
  });
  afterAll(() => provider.close());
  let challenge = new URLSearchParams();

  it('uses a code with a proof key, and returns to the address that was asked for', async () => {
    const tab = await tabs.open();
    await tab.goto('/clusters?kind=slurm');
    await tab.page.getByRole('button', { name: 'Sign in with login.example' }).click();
    await tab.page.getByText('No cluster has registered yet').waitFor();
    expect(tab.page.url()).toBe(`${service.url}/console/clusters?kind=slurm`);
    expect(Object.fromEntries(challenge)).toMatchObject({
      response_type: 'code',
      client_id: 'console',
      redirect_uri: `${service.url}/console/sign-in`,
      scope: 'openid',
      code_challenge_method: 'S256',
    });
    expect(exchanges).toHaveLength(1);
    expect(Object.fromEntries(exchanges[0] ?? [])).toMatchObject({
      grant_type: 'authorization_code',
      code: 'code-1',
      client_id: 'console',
    });
    const verifier = exchanges[0]?.get('code_verifier') ?? '';
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    expect(Buffer.from(digest).toString('base64url')).toBe(challenge.get('code_challenge'));
    await tab.close();
  });

  it('refuses a code that this tab did not ask for', async () => {
    const tab = await tabs.open();
    await tab.goto('/sign-in?code=stolen&state=other');
    await tab.page.getByText('was not begun in this tab').waitFor();
    expect(exchanges).toHaveLength(1);
    await tab.close();
  });

  it('removes the answer of the provider from the address, also if it refuses', async () => {
    refusal = 'The account is locked.';
    const tab = await tabs.open();
    await tab.goto('/clusters?kind=slurm');
    await tab.page.getByRole('button', { name: 'Sign in with login.example' }).click();
    await tab.page.getByText('The identity provider refused: The account is locked.').waitFor();
    expect(tab.page.url()).toBe(`${service.url}/console/clusters?kind=slurm`);
    refusal = undefined;
    await tab.close();
  });

  it('shows no words of an answer that this tab did not ask for', async () => {
    const tab = await tabs.open();
    await tab.goto('/sign-in?error=x&error_description=Call+0800+now&state=other');
    await tab.page.getByText('was not begun in this tab').waitFor();
    expect(await tab.page.getByText('0800').count()).toBe(0);
    expect(tab.page.url()).toBe(`${service.url}/console`);
    await tab.close();
  });

  it('says that it needs https at an address without it', async () => {
    const tab = await tabs.open();
    // As browsers have it at such an address.
    await tab.page.addInitScript("Object.defineProperty(crypto, 'subtle', { value: undefined })");
    await tab.goto('');
    await tab.page.getByRole('button', { name: 'Sign in with login.example' }).click();
    await tab.page.getByText('needs https').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('keeps what is open while its user signs in again in another tab', async () => {
    const alice = async (): Promise<{ token_id: string; raw_token: string }> => {
      const body = { name: 'alice', role: 'admin', organisation_id: org.id };
      return (await service.admin.post('/v1/tokens', body)).body;
    };
    const first = await alice();
    const tab = await tabs.open(first.raw_token);
    await tab.goto('/keys');
    await tab.page.getByRole('button', { name: 'Create key …' }).click();
    await tab.page.getByLabel('Name').fill('of the evening');
    ok({ ...(await service.admin.delete(`/v1/tokens/${first.token_id}`)), status: 200 });
    await write(service.app, org.id, {});
    token = (await alice()).raw_token;
    exchanges.length = 0;
    const [beside] = await Promise.all([
      tab.page.context().waitForEvent('page'),
      tab.page.getByRole('button', { name: 'Sign in with login.example' }).click(),
    ]);
    await tab.page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'detached' });
    await beside.getByText('Close this one.').waitFor();
    // The code is of use to the tab only that has begun.
    expect(await beside.evaluate<string | null>(TOKEN)).toBeNull();
    expect(exchanges).toHaveLength(1);
    expect(await tab.page.evaluate<string | null>(TOKEN)).toBe(token);
    expect(await tab.page.getByLabel('Name').inputValue()).toBe('of the evening');
    await beside.close();
    await tab.close();
  });
});
