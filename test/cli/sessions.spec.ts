import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Service, type Organisation } from '../support/service';
import { CliUnderTest } from './support/cli';

describe('ccp login', () => {
  let service: Service;
  let org: Organisation;
  let cli: CliUnderTest;
  const file = (): string => join(cli.config, 'ccp/config.json');
  const tokenOf = ({ token }: { token: string | undefined }): string => token ?? '';

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    cli = new CliUnderTest();
  });
  afterAll(async () => {
    await cli.remove();
    await service.close();
  });
  beforeEach(() => rmSync(cli.config, { recursive: true, force: true }));

  const login = (token: string, ...more: readonly string[]) =>
    cli.call(['login', '--url', service.url, ...more], { input: `${token}\n` });

  it('stores a token that the service accepts, for its owner only', async () => {
    const { code, out, err } = await login(tokenOf(org.operator));
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain(`You are operator (operator) at ${service.url}.`);
    expect(err).not.toContain(tokenOf(org.operator));
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(cli.config, 'ccp')).mode & 0o777).toBe(0o700);
    expect(await cli.json('whoami')).toMatchObject({ role: 'operator', organisation_id: org.id, url: service.url });
  });

  it('stores nothing if the service refuses the token, and says what to do', async () => {
    const { code, err } = await login('nobody');
    expect(code).toBe(3);
    expect(err).toContain('(unauthenticated)');
    expect(err).toMatch(/The request was [0-9a-f-]{36}\./);
    expect(existsSync(file())).toBe(false);
  });

  it.each([
    ['', 'No token was given.'],
    ['two words', 'no spaces'],
  ])('refuses what is no token: %j', async (input, message) => {
    const { code, err } = await cli.call(['login', '--url', service.url], { input });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) as string });
  });

  it('keeps a context for each service, and forgets what it should', async () => {
    await login(tokenOf(org.operator), '--context', 'one');
    await login(tokenOf(org.viewer), '--context', 'two');
    expect(await cli.json('context', 'list')).toEqual([
      { name: 'one', url: service.url, current: false },
      { name: 'two', url: service.url, current: true },
    ]);
    expect(await cli.json('whoami', '--context', 'one')).toMatchObject({ role: 'operator' });
    expect(await cli.json('whoami')).toMatchObject({ role: 'viewer' });
    expect((await cli.call(['context', 'use', 'one'])).code).toBe(0);
    expect(await cli.json('whoami')).toMatchObject({ role: 'operator' });
    expect((await cli.call(['context', 'use', 'three'])).code).toBe(4);
    expect((await cli.call(['logout'])).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).not.toContain(tokenOf(org.operator));
    expect((await cli.call(['logout', '--all'])).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).not.toContain(tokenOf(org.viewer));
    const { code, err } = await cli.call(['whoami', '--url', service.url]);
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringContaining(`ccp login --url ${service.url}`) as string,
    });
  });

  it('lets flags win over the environment, and this over the current context', async () => {
    await login(tokenOf(org.operator), '--context', 'one');
    const env = { CCP_URL: service.url, CCP_TOKEN: tokenOf(org.viewer) };
    const roleWith = async (...args: readonly string[]): Promise<string> =>
      (JSON.parse((await cli.call(['whoami', '-o', 'json', ...args], { env })).out) as { role: string }).role;
    expect(await roleWith()).toBe('viewer');
    expect(await roleWith('--context', 'one')).toBe('operator');
    const tokenFile = join(cli.root, 'token');
    writeFileSync(tokenFile, tokenOf(org.controller));
    expect(await roleWith('--token-file', tokenFile)).toBe('controller');
  });

  it('warns if others can read the tokens', async () => {
    await login(tokenOf(org.viewer));
    chmodSync(file(), 0o644);
    expect((await cli.call(['whoami'])).err).toContain('Others can read the tokens');
  });

  describe('beside another service', () => {
    let other: Server;
    const got: (string | undefined)[] = [];
    beforeAll(async () => {
      other = createServer((request, response) => {
        got.push(request.headers.authorization);
        response.writeHead(401, { 'content-type': 'application/problem+json' }).end('{"code":"unauthenticated"}');
      }).listen(0, '127.0.0.1');
      await once(other, 'listening');
    });
    afterAll(() => other.close());

    const elsewhere = (): string => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const contexts = async (): Promise<unknown> => cli.json('context', 'list');

    it('logs in to the context that other commands use', async () => {
      await login(tokenOf(org.operator), '--context', 'one');
      await login(tokenOf(org.viewer), '--context', 'two');
      const loginWith = async (token: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<number> =>
        (await cli.call(['login', ...args], { input: token, env })).code ?? -1;
      got.length = 0;
      // A context by a flag is its address too.
      expect(await loginWith(tokenOf(org.controller), { CCP_URL: elsewhere() }, '--context', 'one')).toBe(0);
      expect(await cli.json('whoami', '--context', 'one')).toMatchObject({ role: 'controller', url: service.url });
      expect(await loginWith(tokenOf(org.operator), { CCP_CONTEXT: 'two' })).toBe(0);
      expect(await cli.json('whoami', '--context', 'two')).toMatchObject({ role: 'operator' });
      // The current one is the second of its address.
      expect(await loginWith(tokenOf(org.viewer), {})).toBe(0);
      expect(await cli.json('whoami', '--context', 'two')).toMatchObject({ role: 'viewer' });
      expect(await cli.json('whoami', '--context', 'one')).toMatchObject({ role: 'controller' });
      expect(await loginWith(tokenOf(org.viewer), { CCP_CONTEXT: 'new', CCP_URL: service.url })).toBe(0);
      expect(await contexts()).toEqual(
        ['one', 'two', 'new'].map((name) => ({ name, url: service.url, current: name === 'new' })),
      );
      expect(got).toEqual([]);
    });

    it('logs out of the context that other commands use', async () => {
      for (const name of ['one', 'two', 'three']) await login(tokenOf(org.operator), '--context', name);
      const logoutWith = async (env: NodeJS.ProcessEnv): Promise<number | null> =>
        (await cli.call(['logout'], { env })).code;
      expect(await logoutWith({ CCP_CONTEXT: 'one' })).toBe(0);
      expect(await logoutWith({ CCP_CONTEXT: 'one' })).toBe(4);
      expect(await logoutWith({ CCP_URL: elsewhere() })).toBe(4);
      expect(await contexts()).toMatchObject([
        { name: 'two', current: false },
        { name: 'three', current: true },
      ]);
    });

    it('sends a token to no service that it was not stored for', async () => {
      await login(tokenOf(org.operator));
      const url = elsewhere();
      got.length = 0;
      expect((await cli.call(['get', 'pods', '--url', url])).code).toBe(3);
      expect((await cli.call(['get', 'pods'], { env: { CCP_URL: url } })).code).toBe(3);
      expect(got).toEqual([undefined, undefined]);
    });
  });

  it('says which address is not reached', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    closed.close();
    await once(closed, 'close');
    const { code, err } = await cli.call(['get', 'pods', '--url', url]);
    expect({ code, err }).toEqual({
      code: 5,
      err: expect.stringContaining(`${url} was not reached: ECONNREFUSED`) as string,
    });
  });
});
