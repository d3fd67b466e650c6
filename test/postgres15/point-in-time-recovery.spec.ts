import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pino from 'pino';
import { outboxCursor } from '../../src/agent/controllers/common/outbox-cursor';
import { ServiceClient } from '../../src/agent/service/client';
import { OutboxReader, type OutboxEvent } from '../../src/agent/service/outbox-reader';
import { createApplication } from '../../src/application';
import { createLogger } from '../../src/1-platform/common/logger';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { serverProcess, unprivilegedAccount } from '../../src/1-platform/database/embedded/embedded-account';
import { migrate } from '../../src/1-platform/database/migrate';
import { FirstStart } from '../../src/1-platform/tokens/first-start';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { buildProfile } from '../support/profiles';
import { ADMIN_TOKEN, Caller } from '../support/service';
import { shownConfiguration } from '../support/shown-configuration';
import { asAdmin } from '../support/test-server';

const run = promisify(execFile);
const PROFILES = '/v1/inference/profiles';
const OUTBOX = '/v1/inference/outbox?consumer_id=elsewhere';
const RETENTION = '/v1/inference/retention-policies';

/** As docs/guides/operating.md describes it: a base backup and the log, restored to an earlier time. */
describe('a recovery to a point in time', () => {
  const home = process.env.TEST_POSTGRES_HOME ?? '';
  let directory: string;
  let archive: string;
  let original: OwnPostgres;
  const restored: OwnPostgres[] = [];
  const running: NestExpressApplication[] = [];
  const readers: { stop: AbortController; ended: Promise<void> }[] = [];
  /** Two times to which a server is restored. */
  let target: string;
  let later: string;
  let cursorOfTheLost = 0;

  /** The service on a database. */
  async function serve({ url: databaseUrl }: OwnPostgres): Promise<{ admin: Caller; url: string }> {
    const environment = { ...readEnvironment({}), databaseUrl, bootstrapToken: ADMIN_TOKEN };
    const app = await createApplication(environment, createLogger('silent'));
    running.push(app);
    await app.get(FirstStart).prepare();
    await app.listen(0, '127.0.0.1');
    const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
    return { admin: new Caller(url, ADMIN_TOKEN), url };
  }

  /** The agent's own reader, whose cursor is a file that outlives it. */
  function read(url: string, agent: string) {
    const [taken, resyncs, stop] = [[] as OutboxEvent[], { count: 0 }, new AbortController()];
    const client = new ServiceClient({ url, token: ADMIN_TOKEN, signal: stop.signal });
    const files = join(directory, agent);
    mkdirSync(files, { recursive: true });
    const settings = { consumerId: agent, waitMs: 200, signal: stop.signal, log: pino({ level: 'silent' }) };
    const ended = new OutboxReader(client, outboxCursor(files), settings).run({
      take: (events) => Promise.resolve(void taken.push(...events)),
      resync: () => Promise.resolve(void resyncs.count++),
    });
    readers.push({ stop, ended });
    return { taken, resyncs, cursor: () => outboxCursor(files).load() };
  }
  async function stopReaders(): Promise<void> {
    for (const { stop, ended } of readers.splice(0)) {
      stop.abort();
      await ended;
    }
  }

  async function create(admin: Caller, ...ids: string[]): Promise<void> {
    for (const id of ids) expect((await admin.post(PROFILES, buildProfile(id))).status).toBe(201);
  }
  const idsOf = async (admin: Caller): Promise<string[]> =>
    ((await admin.get(PROFILES)).body as { profile_id: string }[]).map(({ profile_id: id }) => id).sort();
  const created = (events: readonly OutboxEvent[]): string[] => events.map(({ aggregate_id: id }) => id);

  /** What the guide appends to the settings of the copy. */
  function recoveryTo(time: string): string {
    const [, settings = ''] = /<<END\n([\s\S]*?)^END$/m.exec(shownConfiguration('shell', 'recovery.signal')) ?? [];
    expect(settings).toContain("'$(date ");
    return settings.replaceAll('/archive', archive).replace(/'\$\(date .*\)'/, `'${time}'`);
  }

  /** A new server on a copy of the base backup, with the log up to that time. */
  async function restore(name: string, time = target, more: Record<string, string> = {}): Promise<OwnPostgres> {
    const files = join(directory, name);
    const asServer = serverProcess(await unprivilegedAccount());
    await run('cp', ['-a', join(directory, 'base'), files], asServer);
    await run('touch', [join(files, 'recovery.signal')], asServer);
    appendFileSync(join(files, 'postgresql.auto.conf'), recoveryTo(time));
    const server = await original.restored(files, more);
    restored.push(server);
    await eventually(async () => {
      const { rows } = await asAdmin(server.adminUrl, (client) => client.query('select pg_is_in_recovery() as going'));
      expect(rows).toEqual([{ going: false }]);
    });
    return server;
  }

  const timeOf = (server: OwnPostgres): Promise<string> =>
    asAdmin(server.adminUrl, async (client) => {
      const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now');
      return rows[0]?.now ?? '';
    });

  /** Ends the current file of the log, and waits until it is in the archive. */
  const archiveLog = (server: OwnPostgres): Promise<void> =>
    asAdmin(server.adminUrl, async (client) => {
      const { rows: switched } = await client.query<{ file: string }>(
        'select pg_walfile_name(pg_switch_wal()) as file',
      );
      await eventually(async () => {
        const { rows } = await client.query<{ archived: boolean }>(
          'select coalesce(last_archived_wal >= $1, false) as archived from pg_stat_archiver',
          [switched[0]?.file],
        );
        expect(rows).toEqual([{ archived: true }]);
      });
    });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'recovery-'));
    archive = join(directory, 'archive');
    mkdirSync(archive);
    for (const path of [directory, archive]) chmodSync(path, 0o777);
    original = await OwnPostgres.create(directory, { home });
    // In the settings that a backup contains, as an operator writes them.
    await asAdmin(original.adminUrl, async (client) => {
      for (const setting of shownConfiguration('conf').trim().split('\n'))
        await client.query(`alter system set ${setting.replaceAll('/archive', archive)}`);
    });
    await original.restart();
    await migrate(original.url);
    const { admin, url } = await serve(original);
    await create(admin, 'before-the-backup');
    const options = [`--pgdata=${join(directory, 'base')}`, `--dbname=${original.adminUrl}`, '--checkpoint=fast'];
    await run(join(home, 'bin/pg_basebackup'), options, serverProcess(await unprivilegedAccount()));
    await create(admin, 'before-the-time');
    expect((await admin.post(RETENTION, { name: 'five of each', max_count: 5 })).status).toBe(200);
    target = await timeOf(original);
    const [present, away] = [read(url, 'present'), read(url, 'away')];
    await create(admin, 'lost-1', 'lost-2');
    later = await timeOf(original);
    await create(admin, 'lost-3');
    for (const reader of [present, away])
      await eventually(async () => {
        expect(created(reader.taken)).toContain('lost-3');
        expect(await reader.cursor()).toBe(reader.taken.length);
      });
    cursorOfTheLost = (await present.cursor()) ?? 0;
    await stopReaders();
    await archiveLog(original);
    await original.stop('immediate');
  });
  afterAll(async () => {
    await stopReaders();
    for (const app of running) {
      app.getHttpServer().closeAllConnections();
      await app.close();
    }
    for (const server of restored) await server.remove();
    await original.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has what was written before that time, and nothing later', async () => {
    const { admin, url } = await serve(await restore('plain'));
    expect(await idsOf(admin)).toEqual(['before-the-backup', 'before-the-time']);

    // A cursor of the time that was undone is refused, and the agent reads the state instead.
    const answer = await admin.get(`${OUTBOX}&after=${cursorOfTheLost}`);
    expect(answer).toMatchObject({ status: 410, body: { code: 'cursor_ahead', head: 2 } });
    const present = read(url, 'present');
    await eventually(() => expect(present.resyncs.count).toBe(1));
    await create(admin, 'new-1', 'new-2', 'new-3', 'new-4');
    await eventually(() => expect(created(present.taken)).toEqual(['new-1', 'new-2', 'new-3', 'new-4']));

    // An agent that was away until the numbers had passed its cursor cannot see that they are others.
    const away = read(url, 'away');
    await eventually(() => expect(created(away.taken)).toEqual(['new-4']));
    expect(away.resyncs.count).toBe(0);
    await stopReaders();
  });

  it('refuses every old cursor if the numbers of events begin anew, also that of an agent that was away', async () => {
    const server = await restore('renumbered');
    await asAdmin(server.url, (client) => client.query(shownConfiguration('sql', 'outbox_heads')));
    const { admin, url } = await serve(server);
    await create(admin, 'new-1', 'new-2', 'new-3', 'new-4');
    writeFileSync(join(directory, 'away', 'cursor.json'), JSON.stringify({ event_id: cursorOfTheLost }));
    const answer = await admin.get(`${OUTBOX}&after=${cursorOfTheLost}`);
    expect(answer).toMatchObject({ status: 410, body: { code: 'outbox_cursor_gone' } });
    const away = read(url, 'away');
    // The state is read once, and events that are stored are delivered as well.
    const stored = ['before-the-backup', 'before-the-time', 'new-1', 'new-2', 'new-3', 'new-4'];
    await eventually(() => expect(created(away.taken)).toEqual(stored));
    expect(away.resyncs.count).toBe(1);
    await create(admin, 'new-5');
    await eventually(() => expect(created(away.taken)).toContain('new-5'));
    await stopReaders();
  });

  it('has its retention policies switched off by the statement of the guide, which lists them', async () => {
    const server = await restore('without-retention');
    // A block of several statements has an answer for each.
    const answers = await asAdmin(server.url, (client) =>
      client.query(shownConfiguration('sql', 'update retention_policies')),
    );
    const listed = ([answers].flat() as { rows: object[] }[]).flatMap(({ rows }) => rows);
    expect(listed).toEqual([expect.objectContaining({ name: 'five of each', policy_id: expect.any(String) })]);
    const { admin } = await serve(server);
    expect((await admin.get(RETENTION)).body).toMatchObject([{ name: 'five of each', enabled: false }]);
  });

  describe('that is repeated with a later time', () => {
    const laterOne = ['before-the-backup', 'before-the-time', 'lost-1', 'lost-2'];

    it('has what was written before that time, and nothing of the first attempt, which the archive lacks', async () => {
      const archived = readdirSync(archive);
      const first = await restore('first-attempt');
      await create((await serve(first)).admin, 'of-the-first-attempt');
      await asAdmin(first.adminUrl, (client) => client.query('select pg_switch_wal()'));
      const { rows } = await asAdmin(first.adminUrl, (client) => client.query('show archive_mode'));
      expect(rows).toEqual([{ archive_mode: 'off' }]);

      const { admin } = await serve(await restore('second-attempt', later));
      expect(await idsOf(admin)).toEqual(laterOne);
      expect(readdirSync(archive)).toEqual(archived);
    });

    it('has the same if the first attempt has added its own history to the archive', async () => {
      const first = await restore('archiving-attempt', target, { archive_mode: 'on' });
      await create((await serve(first)).admin, 'of-another-history');
      await archiveLog(first);
      expect(readdirSync(archive)).toContain('00000002.history');

      const { admin } = await serve(await restore('attempt-after-it', later));
      expect(await idsOf(admin)).toEqual(laterOne);
    });
  });
});
