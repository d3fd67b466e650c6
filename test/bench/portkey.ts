import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../support/free-ports';
import type { Serving, Workbench } from './workbench';

/** Another gateway, which only passes requests on. It is no dependency: it is fetched for a run. */
export const PORTKEY = { name: '@portkey-ai/gateway', version: '1.15.2' } as const;
const INSTALLED_WITHIN_MS = 120_000;

/** @returns the gateway, or why it is not available */
export async function portkey(bench: Workbench): Promise<Serving | string> {
  const prefix = join(bench.directory, 'portkey');
  const program = join(prefix, 'node_modules', PORTKEY.name, 'build/start-server.js');
  try {
    if (!existsSync(program)) await install(prefix);
    const [port = 0] = await freePorts(1);
    const args = [program, '--headless', `--port=${port}`];
    const gateway = await bench.program(args, { NODE_ENV: 'production' }, /(http:\/\/localhost:\d+)/);
    return { ...gateway, url: gateway.url.replace('localhost', '127.0.0.1') };
  } catch (error) {
    return `${PORTKEY.name}@${PORTKEY.version} cannot be had: ${String(error).slice(0, 300)}`;
  }
}

async function install(prefix: string): Promise<void> {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const args = ['install', '--prefix', prefix, ...flags, `${PORTKEY.name}@${PORTKEY.version}`];
  await promisify(execFile)('npm', args, { timeout: INSTALLED_WITHIN_MS });
}

/** The target of its requests. */
export const portkeyHeaders = (workerUrl: string): Record<string, string> => ({
  'x-portkey-provider': 'openai',
  'x-portkey-custom-host': `${workerUrl}/v1`,
});
