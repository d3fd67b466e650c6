import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { newId } from '../../src/1-platform/common/ids';
import { isLockBusy } from '../../src/1-platform/database/connections/database-errors';
import { dataSourceOptions } from '../../src/1-platform/database/connections/data-source-options';
import { migrate } from '../../src/1-platform/database/migrate';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { schemaOf } from '../support/schema';
import { Replicas } from '../support/replicas';
import { call } from '../support/steady-load';
import { cloneDatabase, dropDatabase, testServer } from '../support/test-server';

const ROWS = 1_000_000;
const RUN_MS = 15 * 60_000;
/** Clients ask again after so long. */
const PAUSE_MS = 2;
/** A transaction reads every large table and stays open so long, again and again. */
const LONG_READ_MS = 2_000;
/** The way up waits for a lock so often at most, and the way down here as often. */
const ATTEMPTS = 1_200;

/** The largest tables, filled as they are in the oldest schema. */
const FILL = [
  `insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers, total_containers, restarts,
     labels, object, deleted, resource_version, created_at)
   select c.org_id, gen_random_uuid(), c.id, gen_random_uuid(), 'pod-' || n, 'ns-' || n % 20, '', 'Running', 1, 1, 0,
     '{}', '{}', false, n, clock_timestamp()
   from clusters c, generate_series(1, $1::int) n`,
  `insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, streamed, fallback_used, deadline_missed,
     cold_start_avoided_ms, cost_usd)
   select c.org_id, 'request-' || n, clock_timestamp() - n * interval '1 second', 'model', 'profile-' || n % 20,
     false, false, false, 0, n / 1000.0
   from clusters c, generate_series(1, $1::int) n`,
  `insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, resource_id, request_id)
   select c.org_id, gen_random_uuid(), clock_timestamp() - n * interval '1 second', 'actor-' || n % 20, 'operator',
     'save_cluster', 'cluster', c.id::text, 'request-' || n
   from clusters c, generate_series(1, $1::int) n`,
];

/** What clients do meanwhile, in rows of an organisation of their own, with any schema. */
const TRAFFIC: Readonly<Record<string, { readonly write: string; readonly read: string }>> = {
  pods: {
    write: `
      insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers, total_containers, restarts,
        labels, object, deleted, resource_version, created_at)
      values ($1, $2, $3, $2::uuid, 'pod', 'ns', '', 'Running', 1, 1, 0, '{}', '{}', false, 1, clock_timestamp())`,
    read: 'select phase from pods where org_id = $1 and id = $2 and cluster_id = $3',
  },
  usage_records: {
    write: `
      insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, streamed, fallback_used, deadline_missed,
        cold_start_avoided_ms, cost_usd)
      values ($1, $2::uuid::text, clock_timestamp(), 'model', $3::uuid::text, false, false, false, 0, 1)`,
    read: 'select cost_usd from usage_records where org_id = $1 and request_id = $2::uuid::text and profile_id = $3::uuid::text',
  },
  audit_entries: {
    write: `
      insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, resource_id, request_id)
      values ($1, $2, clock_timestamp(), 'actor', 'operator', 'save_cluster', 'cluster', $3::uuid::text, 'request')`,
    read: 'select action from audit_entries where org_id = $1 and id = $2 and resource_id = $3::uuid::text',
  },
};

const LONG_READ = Object.keys(TRAFFIC).map((table) => `select 1 from ${table} limit 1`);

/** One wait of a client, in milliseconds of `performance.now`. */
interface Wait {
  readonly what: string;
  readonly since: number;
  readonly until: number;
}

/** Of tables that have other rows too, which came with later migrations and go with them. */
const OF_THE_OLDEST = { usage_rollups: 'step in (60, 900, 3600)' };

describe(`migrations of a database with ${ROWS} pods, usage records and audit entries each`, () => {
  let replicas: Replicas;
  let source: DataSource;
  let trafficOrg: string;
  let trafficCluster: string;

  beforeAll(async () => {
    replicas = await Replicas.start(1, { LOG_LEVEL: 'fatal' });
    await call(replicas.of(0), '/v1/cluster', { cluster_name: 'filled' });
    for (const statement of FILL) await replicas.db.query(statement, [ROWS]);
    trafficOrg = newId();
    trafficCluster = newId();
    await replicas.db.query("insert into organisations (id, name, created_at) values ($1, 'traffic', now())", [
      trafficOrg,
    ]);
    await replicas.db.query("insert into clusters (org_id, id, name, kind) values ($1, $2, 'traffic', 'kubernetes')", [
      trafficOrg,
      trafficCluster,
    ]);
    // As the first count of their savings does it, whenever that comes.
    await replicas.db.query(
      "insert into savings_refreshes (org_id, refreshed_at) select id, 'epoch' from organisations on conflict do nothing",
    );
    await replicas.db.query('analyze');
    source = new DataSource(
      dataSourceOptions({
        databaseUrl: replicas.databaseUrl,
        poolSize: 2,
        statementTimeoutMs: RUN_MS,
        lockTimeoutMs: 50,
      }),
    );
    await source.initialize();
  }, RUN_MS);
  afterAll(async () => {
    await source?.destroy();
    await replicas.close();
    printFigures();
  });

  /**
   * The columns that each table has in the oldest schema: what comes with later ones goes with them. Without
   * what the service itself writes meanwhile: the last use of a token, and the last count of the savings.
   */
  async function oldestColumns(): Promise<Map<string, string[]>> {
    const { name, url } = await cloneDatabase(testServer());
    const oldest = new DataSource(dataSourceOptions({ databaseUrl: url, poolSize: 1, statementTimeoutMs: RUN_MS }));
    await oldest.initialize();
    try {
      const count = oldest.migrations.length - 1;
      for (let n = 0; n < count; n++) await oldest.undoLastMigration();
      const rows = await oldest.query<{ table: string; columns: string[] }[]>(
        `select c.relname as table, array_agg(quote_ident(a.attname) order by a.attnum) as columns
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and c.relname not in ('migrations', 'schema_objects')
           and (c.relname, a.attname) not in (('access_tokens', 'last_used_at'), ('savings_refreshes', 'refreshed_at'))
         group by 1 order by 1`,
      );
      return new Map(rows.map(({ table, columns }) => [table, columns]));
    } finally {
      await oldest.destroy();
      await dropDatabase(testServer(), name);
    }
  }

  /**
   * Number and checksum of the rows of each table, in any order, without those of the traffic.
   * @param among only some rows of a table
   */
  async function sumsOf(
    tables: ReadonlyMap<string, string[]>,
    among: Readonly<Record<string, string>> = {},
  ): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const [table, columns] of tables) {
      const isOthers = columns.includes('org_id') ? 'org_id <> $1' : '$1::uuid is not null';
      const { rows } = await replicas.db.query<{ sum: string }>(
        `select count(*) || ' ' || coalesce(sum(hashtextextended(row(${columns.join(', ')})::text, 0)), 0) as sum
         from ${table} where ${isOthers} and ${among[table] ?? 'true'}`,
        [trafficOrg],
      );
      found[table] = rows[0]?.sum ?? '';
    }
    return found;
  }

  /** Reads and writes the large tables, and keeps them open, until `work` is done. */
  async function underTraffic(work: () => Promise<void>): Promise<{ waits: Wait[]; written: Map<string, string[]> }> {
    const waits: Wait[] = [];
    const written = new Map<string, string[]>();
    let over = false;
    const timed = async <T>(what: string, ask: () => Promise<T>): Promise<T> => {
      const since = performance.now();
      const result = await ask();
      waits.push({ what, since, until: performance.now() });
      await sleep(PAUSE_MS);
      return result;
    };
    const client = async (ask: (db: pg.Client) => Promise<void>): Promise<void> => {
      const db = new pg.Client({ connectionString: replicas.databaseUrl, options: '-c app.system=on' });
      await db.connect();
      try {
        while (!over) await ask(db);
      } finally {
        await db.end();
      }
    };
    const clients = Object.entries(TRAFFIC).flatMap(([table, { write, read }]) => {
      const ids: string[] = [];
      written.set(table, ids);
      return [
        client(async (db) => {
          const id = newId();
          await timed(`write of ${table}`, () => db.query(write, [trafficOrg, id, trafficCluster]));
          ids.push(id);
        }),
        client(async (db) => {
          const id = ids.at(-1);
          if (id === undefined) return sleep(PAUSE_MS);
          const { rows } = await timed(`read of ${table}`, () => db.query(read, [trafficOrg, id, trafficCluster]));
          expect(rows).toHaveLength(1);
        }),
      ];
    });
    const requests = (async () => {
      while (!over) {
        const { status } = await timed('request of the service', () => call(replicas.of(0), '/v1/cluster'));
        expect(status).toBe(200);
      }
    })();
    const longReads = client(async (db) => {
      await db.query('begin');
      for (const statement of LONG_READ) await db.query(statement);
      const until = performance.now() + LONG_READ_MS;
      while (!over && performance.now() < until) await sleep(50);
      await db.query('commit');
      await sleep(LONG_READ_MS / 2);
    });
    try {
      await work();
    } finally {
      over = true;
      await Promise.all([...clients, requests, longReads]);
    }
    return { waits, written };
  }

  async function undoLast(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await source.undoLastMigration();
      } catch (error) {
        if (!isLockBusy(error) || attempt === ATTEMPTS) throw error;
        await sleep(100);
      }
    }
  }

  /** Of those written by traffic, the rows that are missing. */
  async function lostOf(written: ReadonlyMap<string, string[]>): Promise<number> {
    let lost = 0;
    for (const [table, ids] of written) {
      const key = table === 'usage_records' ? 'request_id' : 'id::text';
      const { rows } = await replicas.db.query<{ n: number }>(
        `select count(*)::int as n from ${table} where org_id = $1 and ${key} = any($2)`,
        [trafficOrg, ids],
      );
      lost += ids.length - (rows[0]?.n ?? 0);
    }
    return lost;
  }

  it(
    'keeps the data and the schema when migrations run down and up again, while large tables are read and written',
    async () => {
      const tables = await oldestColumns();
      const [schema, sums] = [await schemaOf(source), await sumsOf(tables)];
      const oldest = await sumsOf(tables, OF_THE_OLDEST);
      // The baseline is the first one: without it there are no tables.
      const undone = source.migrations.length - 1;
      const quiet = await underTraffic(() => sleep(5_000));
      const down = await underTraffic(async () => {
        for (let n = 0; n < undone; n++) await undoLast();
      });
      expect(await schemaOf(source)).not.toEqual(schema);
      const between = await sumsOf(tables, OF_THE_OLDEST);
      const began = performance.now();
      const up = await underTraffic(() => migrate(replicas.databaseUrl));
      const took = performance.now() - began;

      const after = await sumsOf(tables);
      expect(await schemaOf(source)).toEqual(schema);
      const differing = (one: Record<string, string>, than: Record<string, string>) =>
        [...tables.keys()].filter((name) => than[name] !== one[name]);
      const attack = `${undone} migrations down and up with ${ROWS} pods, usage records and audit entries, under traffic`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 16, attack, measure, value, unit, bound });
      const worst = ({ waits }: { waits: Wait[] }, of: RegExp): number =>
        Math.max(...waits.filter(({ what }) => of.test(what)).map(({ since, until }) => until - since));
      record('tables with other rows, below', differing(between, oldest).length, { atMost: 0 });
      record('tables with other rows, at the end', differing(after, sums).length, { atMost: 0 });
      const lost = (await Promise.all([quiet, down, up].map(({ written }) => lostOf(written)))).reduce((a, b) => a + b);
      record('rows written meanwhile that are lost', lost, { atMost: 0 });
      const writes = [down, up].map(({ waits }) => waits.filter(({ what }) => what.startsWith('write')).length);
      record('rows written meanwhile', Math.min(...writes), { atLeast: 100 });
      record('longest wait without a migration', worst(quiet, /./), undefined, 'ms');
      record('longest request of the service on the way up', worst(up, /^request/), { atMost: 100 }, 'ms');
      for (const what of Object.keys(TRAFFIC).flatMap((table) => [`read of ${table}`, `write of ${table}`]))
        record(`longest ${what} on the way up`, worst(up, new RegExp(what)), { atMost: 100 }, 'ms');
      record('longest read on the way down', worst(down, /^read|^request/), undefined, 'ms');
      record('longest write on the way down', worst(down, /^write/), undefined, 'ms');
      record('time of the way up', took / 1_000, { atMost: 120 }, 's');
      expect([differing(between, oldest), differing(after, sums)]).toEqual([[], []]);
    },
    RUN_MS,
  );
});
