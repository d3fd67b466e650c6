import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../../src/agent/commands/output/exit-codes';
import { freePorts } from '../../support/free-ports';
import { Service, type Organisation } from '../../support/service';
import type { Ended } from '../../support/started-program';
import { AgentUnderTest } from '../support/agent';

describe('a command that cannot do what it was asked', () => {
  let agent: AgentUnderTest;
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    agent = new AgentUnderTest();
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(async () => {
    await agent.killAll();
    await service.close();
    agent.remove();
  });

  const host = (url: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    agent.start(['host', '--cluster', 'laptop', '--url', url, '--log-level', 'silent'], env).ended;
  const linesOf = ({ err }: Ended): string[] => err.trimEnd().split('\n');

  it('names the missing token, and the variables for it', async () => {
    const { url } = service;
    const ended = await host(url);
    expect([ended.code, ...linesOf(ended)]).toEqual([
      EXIT.unreachable,
      `ccp-agent: The service at ${url} needs a token, and none is set. (service_unreachable)`,
      'ccp-agent: Put a token with the role controller in CCP_TOKEN, or in a file that CCP_TOKEN_FILE or --token-file names.',
    ]);
  });

  it('reports that the token is not accepted, and never shows it', async () => {
    const file = join(agent.root, 'token');
    writeFileSync(file, 'not-a-token-of-this-service\n');
    const { url } = service;
    for (const env of [{ CCP_TOKEN: 'not-a-token-of-this-service' }, { CCP_TOKEN_FILE: file }]) {
      const ended = await host(url, env);
      expect([ended.code, linesOf(ended)[0]]).toEqual([
        EXIT.unreachable,
        `ccp-agent: The service at ${url} does not accept the token: it is unknown, expired or revoked. (service_unreachable)`,
      ]);
      expect(ended.err + ended.out).not.toContain('not-a-token');
    }
  });

  it.each<[what: string, content: string | undefined, message: string]>([
    ['is missing', undefined, 'cannot be read.'],
    ['is empty', '', 'must hold one token and nothing else.'],
  ])('names the file of the token if it %s, and not the service', async (what, content, message) => {
    const file = join(agent.root, what);
    if (content !== undefined) writeFileSync(file, content);
    const [port] = await freePorts(1);
    const ended = await host(`http://127.0.0.1:${port}`, { CCP_TOKEN_FILE: file });
    expect([ended.code, ...linesOf(ended)]).toEqual([
      EXIT.unreachable,
      `ccp-agent: The file of the token, ${file}, ${message} (service_unreachable)`,
      'ccp-agent: A token with the role controller belongs in CCP_TOKEN, or in a file that CCP_TOKEN_FILE or --token-file names.',
    ]);
  });

  it('names the role it needs if that of the token does not suffice', async () => {
    const ended = await host(service.url, { CCP_TOKEN: org.viewer.token ?? '' });
    expect(ended.code).toBe(EXIT.unreachable);
    expect(linesOf(ended)[0]).toMatch(/^ccp-agent: The role of the token does not suffice: .*viewer/);
    expect(linesOf(ended)[1]).toBe('ccp-agent: An agent needs a token with the role controller.');
  });

  it('names the address if nobody answers there', async () => {
    const [port] = await freePorts(1);
    const ended = await host(`http://127.0.0.1:${port}`, { CCP_TOKEN: org.controller.token ?? '' });
    expect(ended.code).toBe(EXIT.unreachable);
    expect(linesOf(ended)[0]).toMatch(`ccp-agent: The service at http://127.0.0.1:${port} was not reached: `);
    expect(linesOf(ended)[1]).toBe('ccp-agent: Check --url.');
  });

  it('names the token if it lists the checkpoints that the service keeps without one', async () => {
    const { err } = await agent.call('list', '--store', 'service', '--url', service.url);
    expect(err.trimEnd().split('\n')).toEqual([
      'ccp-agent: The store failed: the service does not accept the token, or none is set. (store_failed)',
      'ccp-agent: Put a token with the role controller in CCP_TOKEN, or in a file that CCP_TOKEN_FILE or --token-file names.',
    ]);
  });

  it('reports that a store does not exist, and not that it is empty', async () => {
    const absent = join(agent.root, 'absent/deep');
    const { code, out, err } = await agent.call('list', '--store', absent);
    expect([code, out]).toEqual([0, '']);
    expect(err).toBe(`ccp-agent: ${absent} holds no store of checkpoints yet: the first checkpoint makes it.\n`);
    // A list of a mistyped directory must not make it.
    expect(existsSync(join(agent.root, 'absent'))).toBe(false);
    mkdirSync(join(absent, 'checkpoints'), { recursive: true, mode: 0o700 });
    const missing = async (...filter: string[]): Promise<string> =>
      (await agent.call('list', ...filter, '--store', absent)).err;
    expect(await missing()).toBe('ccp-agent: The store has no checkpoint that this agent would restore.\n');
    expect(await missing('train', '--namespace', 'team')).toBe(
      'ccp-agent: The store has no checkpoint of train in the namespace team that this agent would restore.\n',
    );
    const json = await agent.call('list', '--store', absent, '--json');
    expect(JSON.parse(json.out)).toEqual({ checkpoints: [] });
  });

  it.each([['status', '--json'], ['--version']])('fails if its answer cannot be written: %s', async (...args) => {
    const full = ['sh', '-c', 'exec "$@" >/dev/full', 'sh'];
    expect(await agent.start(args, {}, full).ended).toMatchObject({ code: EXIT.failed, err: '' });
  });

  it('does not fail because the reader of its answer has left', async () => {
    const answers = agent.start(['status', '--json']);
    answers.child.stdout!.destroy();
    expect(await answers.ended).toMatchObject({ code: EXIT.done, err: '' });
  });
});
