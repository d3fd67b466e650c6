import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../../src/agent/commands/output/exit-codes';
import { freePorts } from '../../support/free-ports';
import { Replicas, TOKEN } from '../../support/replicas';
import type { Ended } from '../../support/started-program';
import { AgentUnderTest } from '../support/agent';

describe('a command that cannot do what it was asked', () => {
  let agent: AgentUnderTest;
  let replicas: Replicas;

  beforeAll(async () => {
    agent = new AgentUnderTest();
    replicas = await Replicas.start(1, { LOG_LEVEL: 'fatal' });
  });
  afterAll(async () => {
    await agent.killAll();
    await replicas.close();
    agent.remove();
  });

  const host = (url: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    agent.start(['host', '--cluster', 'laptop', '--url', url, '--log-level', 'silent'], env).ended;
  const linesOf = ({ err }: Ended): string[] => err.trimEnd().split('\n');

  it('names the missing token, and the variables for it', async () => {
    const { url } = replicas.of(0);
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
    const { url } = replicas.of(0);
    for (const env of [{ CCP_TOKEN: 'not-a-token-of-this-service' }, { CCP_TOKEN_FILE: file }]) {
      const ended = await host(url, env);
      expect([ended.code, linesOf(ended)[0]]).toEqual([
        EXIT.unreachable,
        `ccp-agent: The service at ${url} does not accept the token: it is unknown, expired or revoked. (service_unreachable)`,
      ]);
      expect(ended.err + ended.out).not.toContain('not-a-token');
    }
  });

  it('names the role it needs if that of the token does not suffice', async () => {
    const { admin } = replicas.organisation(replicas.of(0));
    expect(admin.token).toBe(TOKEN);
    const made = await admin.post('/v1/tokens', { name: 'reader', role: 'viewer' });
    const ended = await host(replicas.of(0).url, { CCP_TOKEN: (made.body as { raw_token: string }).raw_token });
    expect(ended.code).toBe(EXIT.unreachable);
    expect(linesOf(ended)[0]).toMatch(/^ccp-agent: The role of the token does not suffice: .*viewer/);
    expect(linesOf(ended)[1]).toBe('ccp-agent: An agent needs a token with the role controller.');
  });

  it('names the address if nobody answers there', async () => {
    const [port] = await freePorts(1);
    const ended = await host(`http://127.0.0.1:${port}`, { CCP_TOKEN: TOKEN });
    expect(ended.code).toBe(EXIT.unreachable);
    expect(linesOf(ended)[0]).toMatch(`ccp-agent: The service at http://127.0.0.1:${port} was not reached: `);
    expect(linesOf(ended)[1]).toBe('ccp-agent: Check --url.');
  }, 90_000);

  it('reports that a store does not exist, and not that it is empty', async () => {
    const absent = join(agent.root, 'absent');
    const { code, out, err } = await agent.call('list', '--store', absent);
    expect([code, out]).toEqual([0, '']);
    expect(err).toBe(`ccp-agent: ${absent} holds no store of checkpoints yet: the first checkpoint makes it.\n`);
    mkdirSync(join(absent, 'checkpoints'), { recursive: true, mode: 0o700 });
    expect((await agent.call('list', 'train', '--store', absent)).err).toBe(
      'ccp-agent: The store has no checkpoint of train that this agent would restore.\n',
    );
    const json = await agent.call('list', '--store', absent, '--json');
    expect(JSON.parse(json.out)).toEqual({ checkpoints: [] });
  });
});
