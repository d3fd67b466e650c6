import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownEnvironment } from './own-environment';

const SCRIPT = join(__dirname, '../../docker/build/ccp-agent.sh');

describe('the environment of what the agent starts', () => {
  it("has no setting of this project's npm", () => {
    const byNpm = { HOME: '/root', npm_lifecycle_event: 'agent' };
    expect(ownEnvironment({ ...byNpm, npm_config_ignore_scripts: 'true' })).toEqual(byNpm);
  });

  it('keeps the settings of whoever starts the agent', () => {
    const own = { HOME: '/root', npm_config_ignore_scripts: 'true' };
    expect(ownEnvironment(own)).toEqual(own);
  });

  it('has the options for Node of a container, which the agent there does not get', () => {
    const kit = mkdtempSync(join(tmpdir(), 'kit-'));
    try {
      mkdirSync(join(kit, 'bin'));
      writeFileSync(join(kit, 'bin/node'), '#!/bin/sh\nexec env\n', { mode: 0o755 });
      const script = readFileSync(SCRIPT, 'utf8').replace('kit=/opt/ccp', `kit=${kit}`);
      const agentOf = (given: Record<string, string>): NodeJS.ProcessEnv => {
        const env = { PATH: process.env.PATH, ...given };
        const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8', env });
        return Object.fromEntries(stdout.split('\n').map((line) => [line.split('=', 1)[0], line.replace(/^.*?=/, '')]));
      };
      const agent = agentOf({ NODE_OPTIONS: '--inspect=0.0.0.0:9229' });
      expect(agent).not.toHaveProperty('NODE_OPTIONS');
      const workload = ownEnvironment(agent);
      expect(workload.NODE_OPTIONS).toBe('--inspect=0.0.0.0:9229');
      expect(Object.keys(workload).filter((name) => name.startsWith('CCP_'))).toEqual([]);
      expect(ownEnvironment(agentOf({}))).not.toHaveProperty('NODE_OPTIONS');
    } finally {
      rmSync(kit, { recursive: true });
    }
  });
});
