import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Serving, Workbench } from './workbench';

/** Another gateway, which passes requests on and does nothing else. It is no dependency: it is fetched for a run. */
const PACKAGE = '@portkey-ai/gateway';
const VERSION = '1.15.2';
const INSTALLED_WITHIN_MS = 120_000;

/** @returns the gateway; or why it cannot be had */
export async function portkey(bench: Workbench): Promise<Serving | string> {
  const prefix = join(bench.directory, 'portkey');
  const program = join(prefix, 'node_modules', PACKAGE, 'build/start-server.js');
  try {
    if (!existsSync(program)) await install(prefix);
    const args = [program, '--headless', `--port=${await freePort()}`];
    const gateway = await bench.program(args, { NODE_ENV: 'production' }, /(http:\/\/localhost:\d+)/);
    return { ...gateway, url: gateway.url.replace('localhost', '127.0.0.1') };
  } catch (error) {
    return `${PACKAGE}@${VERSION} cannot be had: ${String(error).slice(0, 300)}`;
  }
}

async function install(prefix: string): Promise<void> {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const args = ['install', '--prefix', prefix, ...flags, `${PACKAGE}@${VERSION}`];
  await promisify(execFile)('npm', args, { timeout: INSTALLED_WITHIN_MS });
}

/** It cannot tell on which port it listens, so it is told. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Where it is to send a request to. */
export const portkeyHeaders = (workerUrl: string): Record<string, string> => ({
  'x-portkey-provider': 'openai',
  'x-portkey-custom-host': `${workerUrl}/v1`,
});
