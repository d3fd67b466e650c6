import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/1-platform/database/connections/data-source-options';
import { migrate } from '../../src/1-platform/database/migrate';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { schemaOf } from '../support/schema';
import { Replicas } from '../support/replicas';
import { call } from '../support/steady-load';

const ROWS = 1_000_000;
const RUN_MS = 15 * 60_000;

/** Rows of the largest tables. */
const FILL = `
  insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers, total_containers, restarts,
    labels, object, deleted, resource_version, created_at)
  select c.org_id, gen_random_uuid(), c.id, gen_random_uuid(), 'pod-' || n, 'ns-' || n % 20, '', 'Running', 1, 1, 0,
    '{}', '{}', false, n, clock_timestamp()
  from clusters c, generate_series(1, ${ROWS}) n`;

describe(`migrations of a database with ${ROWS} pods`, () => {
  let replicas: Replicas;
  let source: DataSource;

  beforeAll(async () => {
    replicas = await Replicas.start(1, { LOG_LEVEL: 'fatal' });
    await call(replicas.of(0), '/v1/cluster', { cluster_name: 'filled' });
    await replicas.db.query(FILL);
    await replicas.db.query('analyze');
    source = new DataSource(
      dataSourceOptions({ databaseUrl: replicas.databaseUrl, poolSize: 2, statementTimeoutMs: RUN_MS }),
    );
    await source.initialize();
  }, RUN_MS);
  afterAll(async () => {
    await source?.destroy();
    await replicas.close();
    printFigures();
  });

  async function rowsOf(): Promise<Record<string, string>> {
    const { rows: tables } = await replicas.db.query<{ name: string }>(
      // A partitioned table has the rows of its partitions.
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition and relname not in ('migrations', 'schema_objects') order by 1`,
    );
    const found: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await replicas.db.query<{ n: string }>(`select count(*) as n from ${name}`);
      found[name] = rows[0]?.n ?? '';
    }
    return found;
  }

  it(
    'down and up again keep every row and end with the same schema, and the last one disturbs no reader',
    async () => {
      const [schema, rows] = [await schemaOf(source), await rowsOf()];
      const { rows: applied } = await replicas.db.query<{ n: number }>('select count(*)::int as n from migrations');
      // The baseline is the first one: without it there are no tables.
      const undone = (applied[0]?.n ?? 0) - 1;
      for (let n = 0; n < undone; n++) await source.undoLastMigration();
      expect(await schemaOf(source)).not.toEqual(schema);

      let over = false;
      const waits: number[] = [];
      const reading = (async () => {
        while (!over) {
          const { status, askedAt, answeredAt } = await call(replicas.of(0), '/v1/cluster');
          expect(status).toBe(200);
          waits.push(answeredAt - askedAt);
        }
      })();
      const began = performance.now();
      await migrate(replicas.databaseUrl);
      const took = performance.now() - began;
      over = true;
      await reading;

      const after = await rowsOf();
      const changed = Object.keys(rows).filter((table) => rows[table] !== after[table]);
      expect(await schemaOf(source)).toEqual(schema);
      const attack = `${undone} migrations down and up with ${ROWS} pods, under reads`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 16, attack, measure, value, unit, bound });
      record('tables with other rows', changed.length, { atMost: 0 });
      record('longest read meanwhile', Math.max(...waits), { atMost: 1_000 }, 'ms');
      record('time of the way up', took / 1_000, { atMost: 60 }, 's');
    },
    RUN_MS,
  );
});
