import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuiltAgent } from '../support/built-agent';
import { DemoService } from './demo-service';
import { factsOf } from './real-facts';
import { NAME, Walk } from './real-walk';
import { Sleep } from './real-sleep';

/**
 * `npm run demo:real`: a real process of this machine is checkpointed by CRIU, killed, resumed and cloned, as
 * the service requests it. Everything is in a temporary directory, and is gone at the end. The exit code is 1
 * if something failed, and 3 if this machine lacks something.
 */
const CANNOT_RUN = 3;

/** Size of the tables of the model, which take seconds to build: with `-- --megabytes 60`, it is quicker. */
const DEFAULT_MEGABYTES = 300;

function megabytes(): number {
  const place = process.argv.indexOf('--megabytes');
  const given = place < 0 ? DEFAULT_MEGABYTES : Number(process.argv[place + 1]);
  if (!Number.isSafeInteger(given) || given < 1) throw new Error('--megabytes takes a number of megabytes');
  return given;
}

const say = (line = ''): void => void process.stdout.write(`${line}\n`);

/** What is missing here, a line each; empty if nothing is. */
function missingHere(stateDir: string): string[] {
  if (process.platform !== 'linux') return [`This is ${process.platform}. Checkpoints of processes need Linux.`];
  const args = [join(__dirname, '../../dist/agent/main.js'), '--state-dir', stateDir, '--json', 'check'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { lines } = JSON.parse(stdout) as {
    lines: { what: string; state: string; detail: string; remedy?: string }[];
  };
  return lines
    .filter(({ state }) => state === 'missing')
    .map(({ what, detail, remedy }) => `${what}: ${detail}${remedy === undefined ? '' : `\n    ${remedy}`}`);
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'control-plane-real-'));
  let service: DemoService | undefined;
  let agent: BuiltAgent | undefined;
  let interrupted = false;
  const close = async () => {
    await agent?.close();
    await service?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const missing = missingHere(directory);
    if (missing.length > 0) {
      say('This demo cannot run here, and nothing was started. It needs Linux, root and CRIU 4.\n');
      for (const line of missing) say(`  ${line}`);
      say('\n`npm run demo` shows the service with a simulated fleet, on any machine.');
      process.exitCode = CANNOT_RUN;
      return;
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        interrupted = true;
        void close().then(() => process.exit(0));
      });

    say('A real process of this machine: frozen by CRIU, killed, and brought back. No part of it is simulated.\n');
    service = DemoService.startThrowAway();
    const url = await service.address();
    agent = new BuiltAgent({
      url,
      token: service.token,
      stateDir: join(directory, 'state'),
      store: join(directory, 'store'),
    });
    await agent.host('demo', ['--workers']);
    say(`  start       the service at ${url}, and the host agent: this machine is the node ${hostname()}`);
    const walk = new Walk(url, service.token, agent, (what, line) => say(`  ${what.padEnd(12)}${line}`));
    const done = await walk.go();
    say(`\nWhat the service recorded about ${NAME}\n\n${await factsOf(walk, done)}`);
    say('\nA model of this machine: it starts, sleeps, wakes, and is copied.\n');
    const model = new Sleep(
      url,
      service.token,
      { killWorker: (uid) => agent!.killWorkload(uid) },
      (what, line) => say(`  ${what.padEnd(12)}${line}`),
      megabytes(),
    );
    await model.go();
    say(`\nWhat the service recorded about the model\n\n${await model.figures()}`);
    say('\nThe processes, the service and its data are gone now. docs/guides/agents-host.md does the same by hand.');
  } catch (error) {
    // What was interrupted fails in some way.
    if (!interrupted) throw error;
  } finally {
    if (!interrupted) await close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
