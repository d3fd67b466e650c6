import type pg from 'pg';
import { DataSource } from 'typeorm';
import { AuditHistory } from '../../../../src/1-platform/audit/audit-history';
import { newId } from '../../../../src/1-platform/common/ids';
import { dataSourceOptions } from '../../../../src/1-platform/database/connections/data-source-options';
import { migrate } from '../../../../src/1-platform/database/migrate';
import { eventually } from '../../../support/eventually';
import { schemaOf } from '../../../support/schema';
import { Service } from '../../../support/service';
import { asAdmin, cloneDatabase, dropDatabase, poolOf, testServer } from '../../../support/test-server';

const MIGRATION = 'AuditEntriesByTime1795464000000';
/** Days ago. */
const AGES = [0, 20, 40, 60];
const EACH = 3;
const IN_TWO_YEARS = -730;

const FILL = `
  insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, request_id, details)
  select o.id, gen_random_uuid(), clock_timestamp() - make_interval(days => ago), 'tests', 'admin', 'kept', 'cluster', '',
    '{"n": 1e400}'
  from organisations o, unnest($1::int[]) ago, generate_series(1, ${EACH})`;
/** As a replica of the build before writes it. */
const WRITE = `
  insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, request_id)
  select id, $1, now(), 'tests', 'admin', 'meanwhile', 'cluster', '' from organisations limit 1`;

describe('a table that a migration partitions by time', () => {
  const server = testServer();
  let service: Service;
  let database: { name: string; url: string };
  let source: DataSource;
  let db: pg.Pool;

  beforeAll(async () => {
    service = await Service.start();
    database = await cloneDatabase(server);
    source = new DataSource(dataSourceOptions({ databaseUrl: database.url, poolSize: 1, statementTimeoutMs: 30_000 }));
    await source.initialize();
    db = poolOf(database.url);
    await db.query(
      'insert into organisations (id, name, created_at) select gen_random_uuid(), n::text, now() from generate_series(1, 2) n',
    );
  });
  afterAll(async () => {
    await db.end();
    await source.destroy();
    await service.close();
    await dropDatabase(server, database.name);
  });
  // Each begins with the table of before, and rows of several ages.
  beforeEach(async () => {
    await undo();
    await db.query('delete from audit_entries');
    await db.query(FILL, [AGES]);
  });

  /** Takes migrations back, until that of the table is. */
  async function undo(): Promise<void> {
    for (;;) {
      const { rows } = await db.query<{ name: string }>('select name from migrations order by id desc');
      if (!rows.some(({ name }) => name === MIGRATION)) return;
      await source.undoLastMigration();
    }
  }
  const rowsOf = async (): Promise<unknown[]> =>
    (await db.query('select to_jsonb(e) as row from audit_entries e order by occurred_at, id')).rows;
  const partitions = async (): Promise<{ name: string; since: Date | null; ends: Date }[]> =>
    (await db.query("select * from partitions_of('audit_entries')")).rows as never;

  /** Writes rows all the while. @returns the ids of those that are there for certain */
  async function whileWriting(work: () => Promise<void>): Promise<string[]> {
    const written: string[] = [];
    let over = false;
    const writing = [1, 2].map(async () => {
      while (!over) {
        const id = newId();
        await db.query(WRITE, [id]);
        written.push(id);
      }
    });
    try {
      await eventually(() => expect(written.length).toBeGreaterThan(5));
      await work();
    } finally {
      over = true;
      await Promise.all(writing);
    }
    return written;
  }
  async function expectAll(written: readonly string[]): Promise<void> {
    const { rows } = await db.query<{ id: string }>("select id from audit_entries where action = 'meanwhile'");
    expect(rows.map(({ id }) => id).sort()).toEqual(written.toSorted());
  }

  it('keeps its rows, and those that are written meanwhile, on the way up and down', async () => {
    const before = await rowsOf();
    expect(before).toHaveLength(2 * EACH * AGES.length);
    const written = await whileWriting(() => migrate(database.url));
    await expectAll(written);
    expect(await rowsOf()).toEqual(expect.arrayContaining(before));
    expect(await partitions()).toEqual([{ name: 'audit_entries_before', since: null, ends: expect.any(Date) }]);

    const later = await whileWriting(undo);
    await expectAll([...written, ...later]);
    expect(await rowsOf()).toEqual(expect.arrayContaining(before));
  });

  it('waits for a reader, and others do not wait behind it', async () => {
    const [reader, writer] = [await db.connect(), await db.connect()];
    try {
      await writer.query("set lock_timeout = '5s'");
      await reader.query('begin');
      await reader.query('select count(*) from audit_entries');
      const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
      let over = false;
      const migration = migrate(database.url).finally(() => (over = true));
      const blocked = async (): Promise<void> => {
        const text = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid)) and query like $2';
        expect((await db.query(text, [rows[0]?.pid, 'alter table audit_entries%'])).rowCount).toBe(1);
      };
      await eventually(blocked);
      // They would wait for the reader, if the migration waited on.
      for (let n = 0; n < 5; n++) await writer.query(WRITE, [newId()]);
      expect(over).toBe(false);
      await reader.query('rollback');
      await migration;
    } finally {
      reader.release();
      writer.release(true);
    }
    expect(await partitions()).toHaveLength(1);
  });

  it('keeps the stages of attempts that a replica of the build before rewrites meanwhile, and no others on the way down', async () => {
    const [org] = (await db.query<{ id: string }>('select id from organisations limit 1')).rows;
    const ids = [newId(), newId()];
    await db.query(
      `insert into operation_facts (org_id, operation_id, op_type, result, name, namespace, node_name, pod_uid, checkpoint_name, kind,
         platform, gpu_model, reason, source, storage_tier, workload_type, failure_reason, failure_stage, failure_reason_label,
         failure_stage_label, duration_ns, pause_ns, logical_bytes, physical_bytes, started_at)
       select $1, id, 'checkpoint', 'succeeded', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', 1, 1, 1, 1, now()
       from unnest($2::uuid[]) id`,
      [org?.id, ids],
    );
    const stages = async (id: string): Promise<number> =>
      (await db.query('select from operation_stages where operation_id = $1', [id])).rowCount ?? NaN;
    const rewrite = async (id = ids[0]): Promise<void> => {
      const client = await db.connect();
      try {
        await client.query('begin');
        await client.query('select from operation_facts where operation_id = $1 for update', [id]);
        await client.query('delete from operation_stages where operation_id = $1', [id]);
        await client.query(
          `insert into operation_stages (org_id, operation_id, seq, stage, bytes_in, bytes_out, duration_ns, reason, result)
           select $1, $2, n, 'dump', 0, 1, 1, '', '' from generate_series(0, 2) n`,
          [org?.id, id],
        );
        await client.query('commit');
      } finally {
        client.release();
      }
    };
    for (const id of ids) await rewrite(id);
    let over = false;
    let rewritten = 0;
    const rewriting = (async () => {
      for (; !over; rewritten++) await rewrite();
    })();
    await migrate(database.url).finally(() => (over = true));
    await rewriting;
    expect(rewritten).toBeGreaterThan(0);
    expect([await stages(ids[0] ?? ''), await stages(ids[1] ?? '')]).toEqual([3, 3]);
    const { rows: made } = await db.query("select name, since from partitions_of('operation_stages')");
    expect(made).toEqual([{ name: 'operation_stages_before', since: null }]);
    // Attempts go before their stages.
    await db.query('delete from operation_facts where operation_id = $1', [ids[1]]);
    expect(await stages(ids[1] ?? '')).toBe(3);
    await undo();
    expect([await stages(ids[0] ?? ''), await stages(ids[1] ?? '')]).toEqual([3, 0]);
    await db.query('delete from operation_facts');
    expect(await stages(ids[0] ?? '')).toBe(0);
  });

  it('keeps the entries of the ledger, and numbers those that are written meanwhile behind them, up and down', async () => {
    await db.query(`
      insert into inference_keys (org_id, id, name, digest, models, bucket_tokens)
      select id, gen_random_uuid(), 'key', decode('00', 'hex'), '{}', 0 from organisations limit 1`);
    const positions: number[] = [];
    const enter = async (): Promise<void> => {
      const { rows } = await db.query<{ position: string }>(`
        insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
        select org_id, id, gen_random_uuid(), 'charge', 0, 1, 0, clock_timestamp() from inference_keys returning position`);
      positions.push(Number(rows[0]?.position));
    };
    /** Enters before, during and after. */
    async function entering(work: () => Promise<void>): Promise<void> {
      let over = false;
      await enter();
      const entered = (async () => {
        while (!over) await enter();
      })();
      await work().finally(() => (over = true));
      await entered;
      await enter();
    }
    await entering(() => migrate(database.url));
    await expect(db.query('delete from ledger_entries')).rejects.toThrow('stay as they are');
    await expect(db.query("update ledger_entries_before set kind = 'settle'")).rejects.toThrow('stay as they are');
    for (const gone of ['delete from inference_keys', 'truncate inference_keys cascade'])
      await expect(db.query(gone)).rejects.toThrow('the ledger names them');
    const { rows: made } = await db.query("select name, since from partitions_of('ledger_entries')");
    expect(made).toEqual([{ name: 'ledger_entries_before', since: null }]);
    await entering(undo);
    for (const gone of ['delete from ledger_entries', 'truncate ledger_entries', 'truncate inference_keys cascade'])
      await expect(db.query(gone)).rejects.toThrow(/stay as they are|names them/);
    expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
    const { rows } = await db.query<{ position: string }>('select position from ledger_entries order by position');
    expect(rows.map(({ position }) => Number(position))).toEqual(positions);
  });

  it('has the same schema if the migration was killed, wherever that was', async () => {
    await migrate(database.url);
    const [schema, before] = [await schemaOf(source), await rowsOf()];
    await undo();
    // While it built the index, which stays as an invalid one.
    await db.query('create unique index audit_entries_before_key on audit_entries (org_id, occurred_at, id)');
    const admin = new URL(server.adminUrl);
    admin.pathname = `/${database.name}`;
    await asAdmin(admin.href, (client) =>
      client.query("update pg_index set indisvalid = false where indexrelid = 'audit_entries_before_key'::regclass"),
    );
    // Behind the check, a long time ago.
    await db.query(
      "alter table audit_entries add constraint audit_entries_before_check check (occurred_at < '2020-01-06') not valid",
    );
    await migrate(database.url);
    expect(await schemaOf(source)).toEqual(schema);
    // Before it was recorded.
    await db.query('delete from migrations where name = $1', [MIGRATION]);
    await migrate(database.url);
    expect(await schemaOf(source)).toEqual(schema);
    expect(await rowsOf()).toEqual(before);
  });

  it('takes rows of a clock that was years ahead', async () => {
    await db.query(FILL, [[IN_TWO_YEARS]]);
    const before = await rowsOf();
    await migrate(database.url);
    expect(await rowsOf()).toEqual(before);
  });

  it('has statistics of all its rows after the migration', async () => {
    await migrate(database.url);
    const { rows } = await db.query<{ reltuples: number }>(
      "select reltuples::int from pg_class where oid = 'audit_entries'::regclass",
    );
    expect(rows).toEqual([{ reltuples: 2 * EACH * AGES.length }]);
  });

  it('is kept small: rows of before go one by one, and the partition once all of it is old', async () => {
    await migrate(database.url);
    const { app, sweep } = await service.replica({
      databaseUrl: database.url,
      databaseListenUrl: undefined,
      auditRetentionDays: 30,
    });
    await app.get(AuditHistory).run(2);
    const { rows: left } = await db.query(
      `select org_id, date_part('day', clock_timestamp() - min(occurred_at))::int as oldest, count(*)::int as entries
       from audit_entries where action = 'kept' group by org_id`,
    );
    expect(left).toHaveLength(2);
    for (const organisation of left) expect(organisation).toMatchObject({ oldest: 20, entries: 2 * EACH });
    await sweep('old partitions');
    expect((await partitions())[0]).toMatchObject({ since: null });

    // As if it had ended long ago.
    await db.query('alter table audit_entries detach partition audit_entries_before');
    await db.query('delete from audit_entries_before');
    await db.query(
      "alter table audit_entries attach partition audit_entries_before for values from (minvalue) to ('2020-01-06')",
    );
    await sweep('old partitions');
    expect((await partitions()).filter(({ since }) => since === null)).toEqual([]);
  });
});
