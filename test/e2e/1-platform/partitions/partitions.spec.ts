import pg from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import { Partitions } from '../../../../src/1-platform/partitions/partitions';
import { PlanLog, sendPlans } from '../../../plans/plan-log';
import { eventually } from '../../../support/eventually';
import { Service, type Answer, type Organisation } from '../../../support/service';

const KEPT_DAYS = 30;
/** Older than what is kept, and by how much does not matter. */
const LONG_AGO = "clock_timestamp() - interval '60 days'";
const MONDAY = 1;
const DAY_MS = 86_400_000;

interface Partition {
  name: string;
  since: Date | null;
  ends: Date;
}

describe('partitions of the audit trail', () => {
  let service: Service;
  let org: Organisation;
  let partitions: Partitions;

  beforeAll(async () => {
    service = await Service.start({ auditRetentionDays: KEPT_DAYS });
    org = await service.organisation();
    partitions = service.app.get(Partitions);
  });
  afterAll(() => service.close());
  // Those that the service makes ahead, and not that of the time before, which holds all other times.
  beforeEach(async () => {
    await dropAll();
    await partitions.makeAhead();
  });

  const list = async (): Promise<Partition[]> =>
    (await service.db.query<Partition>("select * from partitions_of('audit_entries')")).rows;
  const dropAll = async (): Promise<void> => {
    for (const { name } of await list()) await service.db.query(`drop table ${name}`);
  };
  const make = async (width: string, moment: string): Promise<string | undefined> => {
    const text = `select partition_made('audit_entries', $1, ${moment}) as outcome`;
    return (await service.db.query<{ outcome: string }>(text, [width])).rows[0]?.outcome;
  };
  const change = (): Promise<Answer> => org.operator.post('/v1/cluster', { cluster_name: newId() });
  const changesOf = async (): Promise<number> => (await org.operator.get('/v1/audit?limit=1000')).body.length as number;

  /** Calls back while another transaction has read the table. */
  async function whileRead(work: (reader: pg.PoolClient) => Promise<void>): Promise<void> {
    const reader = await service.db.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from audit_entries');
      await work(reader);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
  }

  it('exist for the next four weeks, without a gap, from Monday to Monday', async () => {
    const found = await list();
    for (const [place, { since, ends }] of found.entries()) {
      expect([since?.getUTCDay(), Number(since) % DAY_MS, Number(ends) - Number(since)]).toEqual([
        MONDAY,
        0,
        7 * DAY_MS,
      ]);
      if (place > 0) expect(since).toEqual(found[place - 1]?.ends);
    }
    const { rows } = await service.db.query<{ now: boolean; later: boolean }>(
      `select bool_or(since <= clock_timestamp() and ends > clock_timestamp()) as now,
         bool_or(ends > clock_timestamp() + interval '4 weeks') as later from partitions_of('audit_entries')`,
    );
    expect(rows).toEqual([{ now: true, later: true }]);
  });

  it('are made once by replicas that do it together', async () => {
    const { app } = await service.replica();
    await dropAll();
    const moments = [3, 10, 17].map((day) => new Date(Date.UTC(2024, 0, day)));
    const all = [partitions, app.get(Partitions), partitions, app.get(Partitions)];
    await Promise.all(all.map((one) => one.make('audit_entries', moments)));
    expect((await list()).map(({ name }) => name)).toEqual(
      ['20240101', '20240108', '20240115'].map((monday) => `audit_entries_${monday}`),
    );
  });

  it('have the same bounds whatever the time zone and the style of dates of a session', async () => {
    const before = await list();
    await dropAll();
    const session = await service.db.connect();
    try {
      await session.query("set timezone to 'America/St_Johns'; set datestyle to 'SQL, DMY'");
      for (const { since } of before)
        await session.query("select partition_made('audit_entries', 'week', $1)", [since?.toISOString()]);
      const { rows } = await session.query<{ name: string; since: string }>(
        "select name, extract(epoch from since)::text as since from partitions_of('audit_entries')",
      );
      expect(rows.map(({ name, since }) => [name, Number(since) * 1_000])).toEqual(
        before.map(({ name, since }) => [name, Number(since)]),
      );
    } finally {
      session.release(true);
    }
    expect(await list()).toEqual(before);
  });

  it('fill what their neighbours leave free, if those have another width', async () => {
    await dropAll();
    expect(await make('day', "'2024-02-14 12:00Z'")).toBe('made');
    expect(await make('week', "'2024-02-14 13:00Z'")).toBe('found');
    expect(await make('week', "'2024-02-13 13:00Z'")).toBe('made');
    expect(await make('month', "'2024-02-20 13:00Z'")).toBe('made');
    expect(await make('month', "'2024-02-01 00:00Z'")).toBe('made');
    const dates = (await list()).map(({ since, ends }) => [since, ends].map((one) => one?.toISOString().slice(5, 16)));
    expect(dates).toEqual([
      ['02-01T00:00', '02-12T00:00'],
      ['02-12T00:00', '02-14T00:00'],
      ['02-14T00:00', '02-15T00:00'],
      ['02-15T00:00', '03-01T00:00'],
    ]);
  });

  describe('that are missing', () => {
    it('are made by the requests that need them, all of which succeed', async () => {
      await dropAll();
      const answers = await Promise.all(Array.from({ length: 8 }, change));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(await changesOf()).toBe(8);
      // A round makes those that follow.
      await service.sweep('partitions');
      expect((await list()).length).toBeGreaterThan(4);
    });

    it('answers 503, and leaves nothing behind, if a partition is missing and cannot be made for now', async () => {
      await dropAll();
      const cluster = newId();
      const other = await service.db.connect();
      try {
        await other.query('begin');
        await other.query("select pg_advisory_xact_lock(hashtextextended('audit_entries', 5))");
        const answer = await org.operator.post('/v1/cluster', { cluster_name: cluster });
        expect([answer.status, answer.body.code]).toEqual([503, 'database_busy']);
        expect((await org.operator.get('/v1/cluster')).text).not.toContain(cluster);
      } finally {
        await other.query('rollback');
        other.release();
      }
      expect((await change()).status).toBe(200);
    });
  });

  describe('that are old', () => {
    beforeEach(async () => expect(await make('week', LONG_AGO)).toBe('made'));

    it('are dropped as a whole, and the others stay', async () => {
      const [old, ...others] = await list();
      expect(Number(old?.ends)).toBeLessThan(Number(others[0]?.since));
      expect((await change()).status).toBe(200);
      await service.sweep('old partitions');
      expect(await list()).toEqual(others);
      expect(await changesOf()).toBe(1);
    });

    it('stay if the settings do not limit their age', async () => {
      const { sweep } = await service.replica({ auditRetentionDays: 0 });
      const all = await list();
      await sweep('old partitions');
      expect(await list()).toEqual(all);
    });

    it('leaves an old partition alone that is in use, and neither changes nor new partitions wait for it', async () => {
      const [old, ...others] = await list();
      await service.db.query(`drop table ${others.at(-1)?.name}`);
      await whileRead(async () => {
        const round = service.sweep('old partitions');
        expect((await Promise.all([change(), change(), change()])).map(({ status }) => status)).toEqual([
          200, 200, 200,
        ]);
        await service.sweep('partitions');
        await round;
        expect(await list()).toEqual(expect.arrayContaining([old, ...others]));
      });
      await service.sweep('old partitions');
      expect(await list()).not.toContainEqual(old);
    });

    it('are dropped in the same round if they become free', async () => {
      const [old] = await list();
      let round: Promise<void> | undefined;
      await whileRead(async (reader) => {
        const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
        round = service.sweep('old partitions');
        await eventually(async () => {
          const text = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
          expect((await service.db.query(text, [rows[0]?.pid])).rowCount).toBe(1);
        });
      });
      await round;
      expect(await list()).not.toContainEqual(old);
    });
  });

  it('show their rows to the service alone if a statement names them', async () => {
    await change();
    const { rows } = await service.db.query<{ name: string }>(
      'select tableoid::regclass::text as name from audit_entries where org_id = $1',
      [org.id],
    );
    expect(rows).toHaveLength(1);
    const name = rows[0]?.name ?? '';
    const owner = new pg.Client({ connectionString: service.environment.databaseUrl });
    await owner.connect();
    const visible = async (table: string) => (await owner.query(`select from ${table}`)).rowCount;
    try {
      expect([await visible('audit_entries'), await visible(name)]).toEqual([0, 0]);
      await owner.query("select set_config('app.org', $1, false)", [org.id]);
      expect([await visible('audit_entries'), await visible(name)]).toEqual([1, 0]);
      await expect(owner.query(`insert into ${name} select * from audit_entries`)).rejects.toMatchObject({
        code: '42501',
      });
      // As a backup does.
      await owner.query("set app.system = 'on'");
      expect(await visible(name)).toBeGreaterThan(0);
    } finally {
      await owner.end();
    }
  });

  describe('are read', () => {
    let log: PlanLog;
    let reader: Organisation['operator'];
    /** Weeks ago. */
    const WEEKS = [1, 2, 3];

    beforeAll(async () => {
      await sendPlans(service);
      log = new PlanLog();
      const replica = await service.replica({
        databaseUrl: service.environment.databaseListenUrl ?? service.environment.databaseUrl,
        databaseListenUrl: undefined,
      });
      reader = replica.as(org.operator.token);
    });
    afterAll(() => jest.restoreAllMocks());
    beforeEach(async () => {
      for (const weeks of WEEKS) await make('week', `clock_timestamp() - interval '${weeks} weeks'`);
      await service.db.query(
        `insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, request_id)
         select $1, gen_random_uuid(), p.since + n * interval '1 minute', 'tests', 'admin', 'planned', 'cluster', ''
         from partitions_of('audit_entries') p, generate_series(0, 999) n where p.since <= clock_timestamp()`,
        [org.id],
      );
      await service.db.query('analyze audit_entries');
      log.forget();
    });

    /** The plan of the list, as the service had it planned. */
    async function planOf(query: string): Promise<string> {
      expect((await reader.get(`/v1/audit?limit=20${query}`)).body).toHaveLength(20);
      const plans = [...log.statements.values()].filter(({ text }) => /from "?audit_entries/i.test(text));
      expect(plans).toHaveLength(1);
      return JSON.stringify([...(plans[0]?.plans.values() ?? [])]);
    }

    it('are read from the newest on, by the index, until the page is full', async () => {
      const [oldest] = await list();
      const plan = await planOf('');
      expect(plan).not.toMatch(/Sort|Seq Scan/);
      // The plan has each partition, and the oldest was not reached.
      const scans = /\{[^{}]*"Relation Name":"([^"]+)"[^{}]*"Actual Loops":(\d+)/g;
      const loops = new Map([...plan.matchAll(scans)].map(([, name, times]) => [name, Number(times)]));
      expect(loops.get(oldest?.name)).toBe(0);
      expect([...loops.values()].filter((times) => times > 0).length).toBeGreaterThan(0);
    });

    it('are read by the range of time that is asked for, and no others', async () => {
      const { rows } = await service.db.query<{ name: string }>(
        'select tableoid::regclass::text as name from audit_entries order by occurred_at desc limit 1',
      );
      const found = await list();
      const newest = found.find(({ name }) => name === rows[0]?.name);
      const plan = await planOf(`&since=${newest?.since?.toISOString()}`);
      expect(plan).toMatch(/Index Cond[^}]*occurred_at >=/);
      expect(plan).toContain(newest?.name);
      const older = found.filter(({ ends }) => Number(ends) <= Number(newest?.since));
      expect(older.length).toBeGreaterThanOrEqual(WEEKS.length);
      for (const { name } of older) expect(plan).not.toContain(name);
    });
  });
});
