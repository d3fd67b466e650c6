import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { freePorts } from '../support/free-ports';

const PROJECT = join(__dirname, '../..');
const COLD_START = /Until ready: cold start \d+\.\d s \(median of [1-9]\d*\), restored /;

describe('npm run demo', () => {
  let demo: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  afterEach(async () => {
    if (demo?.exitCode === null && demo.signalCode === null) demo.kill('SIGKILL');
    await ended;
  });

  it('shows how long starts of a simulated fleet took, and ends with a summary on Ctrl-C', async () => {
    const [port] = await freePorts(1);
    const started = spawn(process.execPath, ['--import', 'tsx', 'test/demo/main.ts', '--speed', '100'], {
      cwd: PROJECT,
      env: { ...process.env, PORT: String(port), DEMO_DATA_DIR: '' },
    });
    demo = started;
    ended = once(started, 'exit');
    let shown = '';
    started.stdout.setEncoding('utf8').on('data', (piece: string) => (shown += piece));
    await eventually(() => expect(shown).toMatch(COLD_START), 120_000);
    started.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    const [before, summary] = shown.split('\nSummary\n');
    expect(before).toContain('Everything takes 1/100 of its real time');
    expect(before).toMatch(/\nConsole: +http:\/\/127\.0\.0\.1:\d+\/console#token=ccp_[\w-]{43}\n/);
    expect(before).toMatch(/chat-1 +(Active|Suspended) \d (Pending|Fulfilled|Failed)/);
    expect(summary).toMatch(/^Ran \d+ s with 6 profiles\.\nCapacity intents: \d+ of \d+ fulfilled at the end\.\n/);
    expect(summary).toMatch(COLD_START);
    expect(summary).toMatch(/\nNo faults\.\n$/);
  });
});
