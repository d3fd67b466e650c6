import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findings, outboxFindings } from '../history/checker';
import { recordHistory } from '../history/clients';
import type { Call } from '../history/history';
import { readOutbox } from '../history/outbox-reader';
import { createSubjects } from '../history/subjects';
import { overHttp } from '../history/transport';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { eventually } from '../support/eventually';
import { inForm, SEED } from '../support/form';
import { OwnPostgres } from '../support/own-postgres';
import { inParallel, seeded } from '../support/random';
import type { Replica } from '../support/replicas';
import { startBuild, type Start } from '../support/start';
import { Writers } from '../support/writers';

const PROJECT = join(__dirname, '../..');
const TOKEN = `ccp_${'u'.repeat(43)}`;
/** Beside each replica that is to be replaced. */
const LOAD_MS = inForm(500, 20_000);
const CHAOS_MS = inForm(10_000, 120_000);
/** Recorded at a time, each by half of the clients. */
const LANES = 2;
const CLIENTS = 16;
const CALLS = 10;
const CUT = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'checkpoint-control-plane' and random() < 0.5`;
const RUN_MS = 10 * 60_000;

const git = (...args: string[]): string =>
  spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 28 }).stdout?.trim() ?? '';

const MIGRATIONS = 'src/1-platform/database/migrations';
/** Their names begin with their times. */
const NEWEST = readdirSync(join(PROJECT, MIGRATIONS)).sort().at(-1) ?? '';
/** A migration that gets a later time is not a new one. */
const nameOf = (file: string): string => file.replace(/^\d+/, '');
const NAME = nameOf(NEWEST);

/**
 * The commit to upgrade from: `UPGRADE_FROM`, or the last one without the newest migration, which is the
 * current one while that is not committed. Undefined in a clone without history.
 */
function commitBefore(): string | undefined {
  const commits = git('log', '--diff-filter=A', '--no-renames', '--format=%H', '--', `${MIGRATIONS}/*${NAME}`);
  const added = commits.split('\n').at(-1) ?? '';
  const wanted = process.env.UPGRADE_FROM ?? (added === '' ? 'HEAD' : `${added}^`);
  return git('rev-parse', '--verify', '--quiet', wanted) || undefined;
}
const previous = commitBefore();
/** What both builds share, and could disagree about: migrations, functions, views and triggers. */
const differing = previous === undefined ? '' : git('diff', '--name-only', previous, '--', MIGRATIONS, 'src/*.sql');
/** As a figure names it. */
const UPGRADE = `${previous?.slice(0, 7)}, before ${NEWEST} (files of the schema that differ: ${differing.split('\n').length})`;
const why = previous === undefined ? ' (skipped unless the clone has the previous commit)' : '';

(previous === undefined ? describe.skip : describe)(`two builds on one database${why}`, () => {
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
  });

  /** A replica of the build in a directory. */
  async function replica(cwd: string): Promise<Replica> {
    const variables = { LOG_LEVEL: 'error', DATABASE_URL: postgres.url, BOOTSTRAP_TOKEN: TOKEN };
    const service = startBuild(cwd, variables);
    started.push(service);
    return { process: service, url: await service.address() };
  }

  it('differ in the newest migration at least, unless another build was asked for', () => {
    if (process.env.UPGRADE_FROM !== undefined) return;
    const names = (root: string) => readdirSync(join(root, MIGRATIONS)).map(nameOf);
    expect(names(old)).not.toContain(NAME);
    expect(names(PROJECT)).toContain(NAME);
  });

  it(
    'refuse and lose no request while replicas are replaced one at a time, and keep the order of events',
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
      const attack = `upgrade from ${UPGRADE}, ${writers.written.length} writes by both builds`;
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

  it(
    'agree on every object while processes of both are killed and connections end',
    async () => {
      for (const one of started.splice(0)) {
        one.kill();
        await one.exit;
      }
      const random = seeded(SEED);
      const running = await Promise.all([PROJECT, old].map(async (cwd) => ({ cwd, at: await replica(cwd) })));
      let urls = running.map(({ at }) => at.url);
      const transport = overHttp((client) => urls[client % urls.length] ?? '');
      const db = new pg.Client({ connectionString: postgres.url });
      await db.connect();
      const behind = (await readOutbox(transport, TOKEN, 'checker')).at(-1)?.id;
      const calls: Call[] = [];
      const found: string[] = [];
      const done = { histories: 0, kills: 0, cut: 0 };
      const until = performance.now() + CHAOS_MS;
      const over = (): boolean => performance.now() > until;
      const disturb = async (): Promise<void> => {
        // In turn: a process whose first connection ends does not start.
        while (!over() || done.kills < running.length) {
          await sleep(500 + random() * 1_500);
          done.cut += (await db.query(CUT)).rowCount ?? 0;
          await sleep(500 + random() * 1_500);
          const victim = running[done.kills % running.length];
          if (!victim) continue;
          victim.at.process.kill();
          urls = urls.filter((url) => url !== victim.at.url);
          await victim.at.process.exit;
          victim.at = await replica(victim.cwd);
          urls = [...urls, victim.at.url];
          done.kills++;
        }
      };
      const record = async (seed: number): Promise<void> => {
        const subjects = await createSubjects(transport, TOKEN, running.length);
        const session = { transport, bearer: TOKEN, subjects, seed, clients: CLIENTS / LANES, calls: CALLS };
        const history = await recordHistory(session);
        found.push(...findings(history).map(({ what }) => what));
        calls.push(...history.calls);
        done.histories++;
      };
      const lanes = inParallel(Array.from({ length: LANES }), LANES, async (_, lane) => {
        for (let place = lane; !over() || done.histories < LANES * 2; place += LANES)
          await record(SEED * 1_000 + place);
      });
      await Promise.all([disturb(), lanes]);
      await db.end();
      found.push(
        ...outboxFindings(calls, await readOutbox(transport, TOKEN, 'checker', behind)).map(({ what }) => what),
      );
      const times = `${done.kills} kills of each in turn, ${done.cut} connections ended, seed ${SEED}`;
      const attack = `this build and ${UPGRADE}, for ${CHAOS_MS / 1_000} s, ${times}`;
      const keep = (measure: string, value: number, bound: Figure['bound']): void =>
        recordFigure({ row: 33, attack, measure, value, unit: '', bound });
      keep('histories', done.histories, { atLeast: inForm(4, 20) });
      keep('calls', calls.length, { atLeast: inForm(100, 1_000) });
      keep('anomalies', found.length, { atMost: 0 });
      expect(found.slice(0, 20)).toEqual([]);
      // Each build is killed at least once.
      expect(done.kills).toBeGreaterThanOrEqual(running.length);
      expect(done.cut).toBeGreaterThan(0);
    },
    RUN_MS,
  );
});
