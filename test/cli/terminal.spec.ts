import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describeWith } from '../support/components';
import { createProfile } from '../support/profiles';
import { Service, type Organisation } from '../support/service';
import { CliProcess, CliUnderTest } from './support/cli';

const CTRL_C = '\u0003';

/** `script` gives the program a terminal, and writes what it gets into it. */
describeWith(['script'], 'on a terminal, ccp', () => {
  let service: Service;
  let org: Organisation;
  let cli: CliUnderTest;
  const started: CliProcess[] = [];

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    cli = new CliUnderTest();
    await createProfile(org, { profile_id: 'llama', exact_model: 'x'.repeat(100) });
  });
  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    await cli.remove();
    await service.close();
  });

  const start = (args: string, env: NodeJS.ProcessEnv = {}): CliProcess => {
    const command = `stty cols 60 rows 20; exec '${process.execPath}' '${cli.main}' ${args}`;
    const { NO_COLOR: _noColour, ...inherited } = process.env;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...inherited, TERM: 'xterm', XDG_CONFIG_HOME: cli.config, CCP_URL: service.url, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const process_ = new CliProcess(child);
    started.push(process_);
    return process_;
  };
  const asOperator = (): NodeJS.ProcessEnv => ({ CCP_TOKEN: org.operator.token });

  it('asks for a token without showing it', async () => {
    const login = start('login');
    await login.printed('it is not shown');
    login.child.stdin!.write(`${org.operator.token}\r`);
    const { code, out } = await login.ended;
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('You are operator') as string });
    expect(out).not.toContain(org.operator.token);
    expect(readFileSync(join(cli.config, 'ccp/config.json'), 'utf8')).toContain(org.operator.token);
  });

  it('stores nothing when the prompt is interrupted', async () => {
    const login = start('login --context interrupted');
    await login.printed('it is not shown');
    login.child.stdin!.write(CTRL_C);
    expect((await login.ended).code).toBe(130);
    expect((await cli.call(['context', 'use', 'interrupted'])).code).toBe(4);
  });

  it('cuts tables to its width, and colours them unless NO_COLOR is set', async () => {
    const coloured = await start('get profiles -o wide', asOperator()).ended;
    const lines = stripVTControlCharacters(coloured.out).trimEnd().split('\r\n');
    expect(coloured.out).toContain('\u001b[1m');
    expect(lines[1]).toContain('…');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    const plain = await start('get profiles -o wide', { ...asOperator(), NO_COLOR: '1' }).ended;
    expect(plain.out).not.toContain('\u001b');
  });

  it('refreshes top on a screen of its own, and gives the old one back', async () => {
    const top = start('top profiles --interval 1', asOperator());
    await top.printed(/(Profiles by requests[^]*){2}/);
    top.child.stdin!.write(CTRL_C);
    const { code, out } = await top.ended;
    expect(code).toBe(130);
    expect(out.startsWith('\u001b[?1049h')).toBe(true);
    expect(out.trimEnd().endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });
});
