import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import type { Replica } from '../support/replicas';
import { startBuild, type Start } from '../support/start';
import { Writers } from '../support/writers';

const PROJECT = join(__dirname, '../..');
const TOKEN = `ccp_${'u'.repeat(43)}`;
const LOAD_MS = 20_000;
const RUN_MS = 10 * 60_000;

const git = (...args: string[]): string =>
  spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 28 }).stdout?.trim() ?? '';

/**
 * The commit to upgrade from: `UPGRADE_FROM`, or the last one before the newest change of the service.
 * Undefined in a clone without history.
 */
const [, before = ''] = git('log', '-2', '--format=%H', '--', 'src').split('\n');
const previous = git('rev-parse', '--verify', '--quiet', process.env.UPGRADE_FROM ?? before) || undefined;
const why = previous === undefined ? ' (skipped unless the clone has the previous commit)' : '';

(previous === undefined ? describe.skip : describe)(`an upgrade one replica at a time${why}`, () => {
  let postgres: OwnPostgres;
  let old: string;
  const started: Start[] = [];

  beforeAll(async () => {
    postgres = await OwnPostgres.create();
    old = mkdtempSync(join(tmpdir(), 'previous-'));
    const archive = spawnSync('git', ['archive', previous ?? ''], { cwd: PROJECT, maxBuffer: 2 ** 28 });
    expect(spawnSync('tar', ['-x'], { cwd: old, input: archive.stdout }).status).toBe(0);
    symlinkSync(join(PROJECT, 'node_modules'), join(old, 'node_modules'));
    const built = spawnSync('npx', ['nest', 'build'], { cwd: old, encoding: 'utf8' });
    expect({ status: built.status, output: built.status === 0 ? '' : built.stdout + built.stderr }).toEqual({
      status: 0,
      output: '',
    });
  }, RUN_MS);
  afterAll(async () => {
    for (const process of started) process.kill();
    await Promise.all(started.map(({ exit }) => exit));
    await postgres.remove();
    rmSync(old, { recursive: true, force: true });
    printFigures();
  }, 60_000);

  /** A replica of the build in a directory. */
  async function replica(cwd: string): Promise<Replica> {
    const variables = { LOG_LEVEL: 'error', DATABASE_URL: postgres.url, BOOTSTRAP_TOKEN: TOKEN };
    const service = startBuild(cwd, variables);
    started.push(service);
    return { process: service, url: await service.address() };
  }

  it(
    'refuses and loses no request, whichever build answers, and keeps the order of events',
    async () => {
      // As a balancer's list: a replica is stopped once it gets no new requests.
      const serving = [await replica(old), await replica(old)];
      const first = [...serving];
      const writers = new Writers(serving, TOKEN, 6);
      const since = (): Promise<void> => {
        const enough = writers.written.length + 50;
        return eventually(() => expect(writers.written.length).toBeGreaterThan(enough));
      };
      await since();
      for (const retired of first) {
        serving.push(await replica(PROJECT));
        await since();
        await sleep(LOAD_MS);
        serving.splice(serving.indexOf(retired), 1);
        process.kill(retired.process.process.pid ?? 0, 'SIGTERM');
        expect(await retired.process.exit).toBe(0);
        await since();
      }
      await writers.stop();
      const attack = `upgrade from ${previous?.slice(0, 7)}, ${writers.written.length} writes by both builds`;
      const refused = Object.values(writers.refusals).reduce((sum, count) => sum + count, 0);
      const created = writers.createdProfiles;
      const record = (measure: string, value: number, bound: Figure['bound']): void =>
        recordFigure({ row: 33, attack, measure, value, unit: '', bound });
      record('requests refused', refused, { atMost: 0 });
      record('lost, repeated or out of order', writers.violations.length, { atMost: 0 });
      record('events delivered', created, { atLeast: writers.written.length });
      expect({ created, violations: writers.violations }).toEqual({
        created: writers.written.length,
        violations: [],
      });
    },
    RUN_MS,
  );
});
