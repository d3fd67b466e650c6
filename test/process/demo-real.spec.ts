import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itWith } from '../support/components';
import { eventually } from '../support/eventually';

const PROJECT = join(__dirname, '../..');
const DEMO = [process.execPath, '--import', 'tsx', join(PROJECT, 'test/demo/real.ts')] as const;
/** Root without the one capability that everything here needs. */
const POWERLESS = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_admin'] : [];

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(...words: readonly string[]): Promise<Ended> {
  const { JEST_WORKER_ID: _jest, ...env } = process.env;
  const [program, ...args] = words;
  const child = spawn(program!, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** What a demo leaves behind if it does not clean up. */
const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('control-plane-real-'));

/** Processes that count as the demo's does, and their supervisors. */
const withTheCounter = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('do n=$((n + 1)); echo $n; sleep 0.1; done');
      } catch {
        return false;
      }
    });

describe('npm run demo:real', () => {
  itWith(
    ['CRIU'],
    'checkpoints, kills, resumes and clones a real process, lets a model sleep and wake, and prints the facts',
    async () => {
      const before = folders();
      const { code, out, err } = await run(...DEMO, '--megabytes', '40');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const [frozen, first] = [/kill -9 at (\d+)/, /not at 1: (\d+) /].map((words) => Number(words.exec(out)?.[1]));
      expect(first).toBeGreaterThanOrEqual(10);
      expect(first).toBeLessThan(frozen!);
      const [, one, copy] = /count is at (\d+), count-2 at (\d+)/.exec(out)!.map(Number);
      expect(Math.min(one!, copy!)).toBeGreaterThan(first!);
      expect(out).toMatch(
        /\n {2}checkpoint {2}\d+ ms, \d+ KiB; the process stood still for [1-9]\d* ms\n.* dump \d+ ms/,
      );
      expect(out).toMatch(
        /\n {2}restore {5}\d+ ms, as count\n.* restore \d+ ms(?:, \w+ \d+ ms)*\n {2}restore {5}\d+ ms, as count-2\n/,
      );
      expect(out).toMatch(/\n {2}chain {7}checkpoint of count ─▶ restored as count and as count-2\n/);
      expect(out).toMatch(/\n {2}saved {7}[1-9]\d*\.\d s of counting/);
      expect(out).toMatch(/\n {2}cold {8}.*, of which [1-9]\d* ms for a cold start\. It builds 40 MB of tables\n/);
      expect(out).toMatch(/\n {2}wake {8}.*, of which [1-9]\d* ms for a restored start\n/);
      expect(out).toMatch(/\n {2}copies {6}3 workers from one checkpoint \(restore, restore, restore\)/);
      const shares = /90 chats, 9 at a time: (\d+) \+ (\d+) \+ (\d+) for each/.exec(out)!.slice(1).map(Number);
      expect(Math.min(...shares)).toBeGreaterThan(15);
      expect(shares.reduce((sum, count) => sum + count)).toBe(90);
      expect(out).toMatch(/\n {2}kill {8}kill -9 of a worker during 90 chats: none failed, and another worker took/);
      expect(out).toMatch(/\n {2}starts {6}1 cold, median \d+ ms; [34] restored, median \d+ ms/);
      expect(out).toMatch(/\n {2}costs {7}0\.0\d*[1-9]\d* US dollars for [1-9][\d.]* s of workers/);
      expect(out).toMatch(/\n {2}savings {5}3\.9\d+ US dollars against a worker that is awake/);
      expect(folders()).toEqual(before);
      // A process that was killed may need a moment.
      await eventually(() => expect(withTheCounter()).toEqual([]));
    },
  );

  it('says what is missing where it cannot run, and starts nothing', async () => {
    const { code, out, err } = await run(...POWERLESS, ...DEMO);
    expect({ code, err }).toEqual({ code: 3, err: '' });
    expect(out).toMatch(/^This demo cannot run here, and nothing was started\. It needs Linux, root and CRIU 4\.\n/);
    if (process.platform === 'linux') expect(out).toMatch(/\n {2}permissions: .*CAP_SYS_ADMIN/);
    expect(out).not.toContain('checkpoint/pod');
  });
});
