import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas, tally } from '../support/replicas';
import { asAdmin } from '../support/test-server';
import { call, during, failed, mixed } from '../support/steady-load';

/** Before the disk fills, and once there is room again. */
const PHASE_MS = 4_000;
const FILL_MS = 8_000;
const FULL_MS = 10_000;
const PIECE = 1024 * 1024;
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
  }, 240_000);
  afterAll(async () => {
    await replicas.close();
    execFileSync('umount', ['-l', mount]);
    rmSync(mount, { recursive: true, force: true });
    printFigures();
  }, 240_000);

  const record = (measure: string, value: number, unit: string, bound: Figure['bound']): void =>
    recordFigure({ row: 30, attack: ATTACK, measure, value, unit, bound });

  it('is reported by readyz, refused with 503, and over as soon as there is room', async () => {
    const replica = replicas.of(0);
    const filler = join(mount, 'filler');
    mkdirSync(filler);
    /** The phases of the load, by the time of `performance.now` at which each began. */
    const began = { empty: performance.now(), filling: Infinity, full: Infinity, room: Infinity };
    const replies = (
      await during(
        async () => {
          await sleep(PHASE_MS);
          began.filling = performance.now();
          await fillUp(filler);
          began.full = performance.now();
          await eventually(async () => expect((await call(replica, '/readyz')).text).toContain('"full"'), 20_000);
          record('until readyz reports it', performance.now() - began.full, 'ms', { atMost: 10_000 });
          await sleep(FULL_MS);
          rmSync(filler, { recursive: true });
          began.room = performance.now();
          await eventually(async () => expect((await call(replica, '/readyz')).status).toBe(200), 20_000);
          await eventually(
            async () => expect((await call(replica, '/v1/cluster', { cluster_name: 'room' })).status).toBe(200),
            20_000,
          );
          record('until it serves again', performance.now() - began.room, 'ms', { atMost: 5_000 });
          await sleep(PHASE_MS);
        },
        mixed(replica),
        40,
      )
    ).flat();
    expect(Object.keys(tally(replies)).filter((status) => !['200', '503'].includes(status))).toEqual([]);
    record('replies with 500', failed(replies), '', { atMost: 0 });
    record('processes that ended', replica.process.ended ? 1 : 0, '', { atMost: 0 });

    // Nothing that was acknowledged is lost, whenever it was, and no index contradicts its table.
    const phaseOf = (askedAt: number): string =>
      Object.entries(began).findLast(([, since]) => askedAt >= since)?.[0] ?? '';
    const acknowledged = replies.flatMap(({ status, text, askedAt }) => {
      const id = /^[0-9a-f-]{36}$/.exec(text)?.[0] ?? /"restore_uuid":"([0-9a-f-]{36})"/.exec(text)?.[1];
      return status === 200 && id !== undefined ? [{ id, phase: phaseOf(askedAt) }] : [];
    });
    const { rows } = await replicas.db.query<{ id: string }>(
      'select id::text from clusters union select restore_uuid::text from restores',
    );
    const kept = new Set(rows.map(({ id }) => id));
    const writes = (phase: string): number => acknowledged.filter((one) => one.phase === phase).length;
    record('writes acknowledged before', writes('empty'), '', { atLeast: 20 });
    record('writes acknowledged while it fills', writes('filling'), '', { atLeast: 20 });
    record('writes acknowledged while it is full', writes('full'), '', undefined);
    record('writes acknowledged once there is room', writes('room'), '', { atLeast: 20 });
    record('acknowledged writes that are lost', acknowledged.filter(({ id }) => !kept.has(id)).length, '', {
      atMost: 0,
    });
    const url = new URL(postgres.adminUrl);
    url.pathname = new URL(postgres.url).pathname;
    const { rowCount } = await asAdmin(url.href, async (client) => {
      await client.query('create extension amcheck');
      return client.query(CHECK_INDEXES);
    });
    record('indexes that agree with their tables', rowCount ?? 0, '', { atLeast: 50 });
  }, 300_000);

  /** Slowly enough for writes to be acknowledged meanwhile, up to the last byte. */
  async function fillUp(directory: string): Promise<void> {
    const { bavail, bsize } = statfsSync(mount);
    const pieceMs = FILL_MS / ((bavail * bsize) / PIECE);
    try {
      for (let n = 0; ; n++) {
        writeFileSync(join(directory, String(n)), Buffer.alloc(PIECE));
        await sleep(pieceMs);
      }
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  }
});
