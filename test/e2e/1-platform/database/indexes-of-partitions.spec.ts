import { DataSource, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from '../../../../src/1-platform/database/connections/data-source-options';
import { buildOnPartitions } from '../../../../src/1-platform/database/schema/build-on-partitions';
import { cloneDatabase, dropDatabase, testServer } from '../../../support/test-server';

const PLAN = { index: 'visits_of_guest_idx', table: 'visits', columns: ['guest'], where: 'guest is not null' };
/** In the order in which they were made, and in which retention drops them. That of their names differs. */
const PARTITIONS = ['visits_before', 'visits_2026', 'visits_2027'];

describe('an index of a partitioned table that is built beside the traffic', () => {
  let database: { name: string; url: string };
  let source: DataSource;
  let runner: QueryRunner;

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    source = new DataSource({
      ...dataSourceOptions({ databaseUrl: database.url, poolSize: 2, statementTimeoutMs: 30_000 }),
      entities: [],
    });
    await source.initialize();
    runner = source.createQueryRunner();
  });
  beforeEach(async () => {
    await source.query('drop table if exists visits');
    await source.query('create table visits (year int not null, guest text) partition by range (year)');
    await makePartition('visits_before', 'minvalue', 2026);
    await makePartition('visits_2026', 2026, 2027);
    await makePartition('visits_2027', 2027, 2028);
    await source.query("insert into visits select 2020 + n % 8, 'guest ' || n from generate_series(1, 5000) n");
  });
  afterAll(async () => {
    await runner.release();
    await source.destroy();
    await dropDatabase(testServer(), database.name);
  });

  const makePartition = (name: string, from: number | string, to: number) =>
    source.query(`create table ${name} partition of visits for values from (${from}) to (${to})`);

  /** A runner that does something before the statements that a text begins. */
  function interrupted(begins: string, then: (statement: string) => Promise<unknown>): QueryRunner {
    return new Proxy(runner, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (name !== 'query') return typeof member === 'function' ? member.bind(target) : member;
        return async (statement: string) => {
          if (statement.startsWith(begins)) await then(statement);
          return target.query(statement);
        };
      },
    });
  }
  const drop = (partition: string) => source.query(`drop table if exists ${partition}`);

  /** The index is valid, and each partition has a valid one that belongs to it. */
  async function expectValid(partitions: string[]): Promise<void> {
    const [whole] = await source.query<{ valid: boolean }[]>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [PLAN.index],
    );
    expect(whole).toEqual({ valid: true });
    const attached = await source.query<{ partition: string }[]>(
      `select i.indrelid::regclass::text as partition from pg_inherits a join pg_index i on i.indexrelid = a.inhrelid
       where a.inhparent = to_regclass($1) and i.indisvalid order by 1`,
      [PLAN.index],
    );
    expect(attached.map(({ partition }) => partition)).toEqual(partitions.toSorted());
  }

  it('is valid, and so it is on partitions that are made meanwhile', async () => {
    const made = interrupted('create index concurrently', async (statement) => {
      if (statement.includes('visits_2026')) await makePartition('visits_2028', 2028, 2029);
    });
    await buildOnPartitions(made, PLAN);
    await expectValid([...PARTITIONS, 'visits_2028']);
  });

  it.each(PARTITIONS)('is valid although retention drops %s while it builds the index of it', async (dropped) => {
    const dropping = interrupted('create index concurrently', async (statement) => {
      if (statement.includes(dropped)) await drop(dropped);
    });
    await buildOnPartitions(dropping, PLAN);
    await expectValid(PARTITIONS.filter((name) => name !== dropped));
  });

  it.each(PARTITIONS)('is built once on each other partition if retention drops %s during that', async (dropped) => {
    const built: string[] = [];
    const dropping = interrupted('create index concurrently', async (statement) => {
      built.push(...PARTITIONS.filter((name) => statement.includes(` on ${name} `)));
      if (statement.includes(dropped)) await drop(dropped);
    });
    await buildOnPartitions(dropping, PLAN);
    expect(built).toEqual(PARTITIONS);
  });

  it.each(PARTITIONS)('is valid although retention drops %s before its index is attached', async (dropped) => {
    const dropping = interrupted('alter index', async (statement) => {
      if (statement.includes(dropped)) await drop(dropped);
    });
    await buildOnPartitions(dropping, PLAN);
    await expectValid(PARTITIONS.filter((name) => name !== dropped));
  });

  it('is valid although all partitions of before are dropped', async () => {
    let isMade = false;
    const dropping = interrupted('create index concurrently', async () => {
      if (!isMade) await makePartition('visits_2028', 2028, 2029);
      isMade = true;
      for (const name of PARTITIONS) await drop(name);
    });
    await buildOnPartitions(dropping, PLAN);
    await expectValid(['visits_2028']);
  });

  it('is valid after it was killed, wherever that was', async () => {
    for (let statements = 0, isDone = false; !isDone; statements++) {
      await source.query(`drop index if exists ${PLAN.index}`);
      for (const name of PARTITIONS) await source.query(`drop index if exists ${name}_guest_idx`);
      let left = statements;
      const killed = interrupted('', () => (left-- === 0 ? Promise.reject(new Error('killed')) : Promise.resolve()));
      isDone = await buildOnPartitions(killed, PLAN).then(
        () => true,
        () => false,
      );
      await buildOnPartitions(runner, PLAN);
      await expectValid(PARTITIONS);
    }
  });

  it('serves statements on each partition, even while it is not valid', async () => {
    await source.query(`create index ${PLAN.index} on only visits (guest) where guest is not null`);
    for (const name of PARTITIONS) {
      await source.query(`create index ${name}_guest_idx on ${name} (guest) where guest is not null`);
      if (name !== 'visits_before') await source.query(`alter index ${PLAN.index} attach partition ${name}_guest_idx`);
    }
    await drop('visits_before');
    await source.query('analyze visits');
    const plan = await source.query<{ 'QUERY PLAN': string }[]>("explain select * from visits where guest = 'guest 7'");
    const scans = plan.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Index Scan'));
    expect(scans.length).toBe(2);
    await makePartition('visits_2028', 2028, 2029);
    await buildOnPartitions(runner, PLAN);
    await expectValid(['visits_2026', 'visits_2027', 'visits_2028']);
  });
});
