import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas, tally } from '../support/replicas';
import { asAdmin } from '../support/test-server';
import { call, during, failed, mixed } from '../support/steady-load';

const FULL_MS = 10_000;
const ATTACK = 'the disk of PostgreSQL is full';
/** Fails at an index that contradicts its table. */
const CHECK_INDEXES = `
  select bt_index_check(i.indexrelid, true) from pg_index i join pg_class c on c.oid = i.indexrelid
  join pg_namespace n on n.oid = c.relnamespace join pg_am m on m.oid = c.relam
  where n.nspname = 'public' and c.relkind = 'i' and m.amname = 'btree'`;

const isRoot = process.getuid?.() === 0;
(isRoot ? describe : describe.skip)(`a full disk${isRoot ? '' : ' (skipped unless root runs the tests)'}`, () => {
  let mount: string;
  let postgres: OwnPostgres;
  let replicas: Replicas;

  beforeAll(async () => {
    mount = mkdtempSync(join(tmpdir(), 'small-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=755', 'tmpfs', mount]);
    postgres = await OwnPostgres.create(mount);
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, { LOG_LEVEL: 'fatal' });
  }, 60_000);
  afterAll(async () => {
    await replicas.close();
    execFileSync('umount', ['-l', mount]);
    rmSync(mount, { recursive: true, force: true });
    printFigures();
  }, 60_000);

  const record = (measure: string, value: number, unit: string, bound: Figure['bound']): void =>
    recordFigure({ row: 30, attack: ATTACK, measure, value, unit, bound });

  it('is reported by readyz, refused with 503, and over as soon as there is room', async () => {
    const replica = replicas.of(0);
    const filler = join(mount, 'filler');
    mkdirSync(filler);
    const began = performance.now();
    try {
      for (let n = 0; ; n++) writeFileSync(join(filler, String(n)), Buffer.alloc(1024 * 1024));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
    await eventually(async () => expect((await call(replica, '/readyz')).text).toContain('"full"'), 20_000);
    record('until readyz reports it', performance.now() - began, 'ms', { atMost: 10_000 });
    const replies = (await during(() => sleep(FULL_MS), mixed(replica), 40)).flat();
    expect(Object.keys(tally(replies)).filter((status) => !['200', '503'].includes(status))).toEqual([]);
    record('replies with 500', failed(replies), '', { atMost: 0 });
    const created = replies.filter(({ status, text }) => status === 200 && /^[0-9a-f-]{36}$/.test(text));
    rmSync(filler, { recursive: true });
    const freed = performance.now();
    await eventually(async () => expect((await call(replica, '/readyz')).status).toBe(200), 20_000);
    await eventually(
      async () => expect((await call(replica, '/v1/cluster', { cluster_name: 'room' })).status).toBe(200),
      20_000,
    );
    record('until it serves again', performance.now() - freed, 'ms', { atMost: 5_000 });
    record('processes that ended', replica.process.ended ? 1 : 0, '', { atMost: 0 });

    // Nothing that was acknowledged is lost, and no index contradicts its table.
    const { rows } = await replicas.db.query<{ id: string }>('select id from clusters');
    const kept = new Set(rows.map(({ id }) => id));
    record('acknowledged writes that are lost', created.filter(({ text }) => !kept.has(text)).length, '', {
      atMost: 0,
    });
    const url = new URL(postgres.adminUrl);
    url.pathname = new URL(postgres.url).pathname;
    const { rowCount } = await asAdmin(url.href, async (client) => {
      await client.query('create extension amcheck');
      return client.query(CHECK_INDEXES);
    });
    record('indexes that agree with their tables', rowCount ?? 0, '', { atLeast: 50 });
  }, 120_000);
});
