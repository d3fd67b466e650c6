import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import pg from 'pg';
import { notFound } from '../../../../../src/1-platform/common/answers/problem';
import { createLogger } from '../../../../../src/1-platform/common/logger';
import { ENVIRONMENT } from '../../../../../src/1-platform/config/config.module';
import type { Environment } from '../../../../../src/1-platform/config/environment';
import type { PooledClient } from '../../../../../src/1-platform/database/connections/database-pool';
import { StatementPool } from '../../../../../src/1-platform/database/connections/statement-pool';
import { ReadReplica } from '../../../../../src/1-platform/database/read-replica/read-replica';
import { UnitOfWork } from '../../../../../src/1-platform/database/transactions/unit-of-work';
import { migrate } from '../../../../../src/1-platform/database/migrate';
import { eventually } from '../../../../support/eventually';
import { OwnPostgres } from '../../../../support/own-postgres';
import { createProfile } from '../../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../../support/service';
import { asAdmin } from '../../../../support/test-server';
import { samplesOf } from '../../../../support/workloads';

const REPORT = '/v1/inference/costs/breakdown?limit=1000';
const MAX_LAG_MS = 2_000;
const LAG = 'x-data-lag-ms';
const NO_CACHE = { 'cache-control': 'no-cache' };

let primary: OwnPostgres;
let standby: OwnPostgres;
let service: Service;
let org: Organisation;
/** Another organisation, whose rows nobody here may see. */
let other: Organisation;
let made = 0;

beforeAll(async () => {
  primary = await OwnPostgres.create();
  await migrate(primary.url);
  standby = await primary.standby();
  service = await Service.start({
    databaseUrl: primary.url,
    databaseReadUrl: standby.url,
    databaseReadMaxLagMs: MAX_LAG_MS,
  });
  org = await service.organisation();
  other = await service.organisation();
  await createProfile(other, { profile_id: 'of-another' });
});
afterAll(async () => {
  await service.close();
  await standby.remove();
  await primary.remove();
});

/** A page of a list, or all of it. */
const isList = (body: unknown): boolean =>
  Array.isArray(body) || (typeof body === 'object' && body !== null && Object.values(body).some(Array.isArray));
/** Their rows are read by entities, by single statements of hot paths, or not from the database. */
const FROM_PRIMARY = [
  'get_router_config',
  'list_audit_entries',
  'list_instance_types',
  'list_models',
  'list_organisations',
  'list_outbox_consumers',
  'list_plugins',
  'list_route_statuses',
];
/** Reports end now. */
const withoutTimes = ({ text }: Answer): string => text.replaceAll(/"\d{4}-\d{2}-\d{2}T[^"]*"/g, '"…"');

const create = async (): Promise<string> => {
  const profileId = `profile-${made++}`;
  await createProfile(org, { profile_id: profileId });
  return profileId;
};

interface Report {
  readonly ids: string[];
  /** Milliseconds; undefined if the primary answered. */
  readonly lag: number | undefined;
}
const reportOf = ({ status, body, headers, text }: Answer): Report => {
  expect({ status, text }).toEqual({ status: 200, text });
  const lag = headers[LAG];
  return {
    ids: (body as unknown as { profile_id: string }[]).map(({ profile_id: id }) => id),
    lag: lag === undefined ? undefined : Number(lag),
  };
};
const report = async (headers = {}): Promise<Report> => reportOf(await org.viewer.get(REPORT, headers));

const onStandby = (statement: string) => asAdmin(standby.adminUrl, (client) => client.query(statement));
const pauseReplay = async () => {
  await onStandby('select pg_wal_replay_pause()');
  await eventually(async () => {
    const { rows } = await onStandby("select pg_get_wal_replay_pause_state() = 'paused' as paused");
    expect(rows).toEqual([{ paused: true }]);
  });
};
const resumeReplay = () => onStandby('select pg_wal_replay_resume()');
const readFromReplica = () => eventually(async () => expect((await report()).lag).toBeDefined(), 30_000);
beforeEach(() => readFromReplica());

it('answers a report, and says how far it is behind', async () => {
  const { ids, lag } = await report();
  expect(ids).not.toContain('of-another');
  expect(lag).toBeGreaterThanOrEqual(0);
  expect(lag).toBeLessThanOrEqual(MAX_LAG_MS);
});

describe('a list', () => {
  const LIST = '/v1/inference/profiles?limit=1000';
  const idsIn = ({ text }: Answer): string[] => text.match(/profile-\d+/g) ?? [];

  it('is read from it for a caller that accepts a stale one', async () => {
    await pauseReplay();
    try {
      const profileId = await create();
      const stale = await org.viewer.get(LIST, { 'cache-control': 'max-stale' });
      // It answered from its own rows, or the bound of the service had passed.
      expect(idsIn(stale).includes(profileId)).toBe(stale.headers[LAG] === undefined);
    } finally {
      await resumeReplay();
    }
    await eventually(async () => {
      const { headers } = await org.viewer.get(LIST, { 'cache-control': 'max-stale=60' });
      expect(Number(headers[LAG])).toBeGreaterThanOrEqual(0);
    });
  });

  it('is read from the primary if it would be older than the caller accepts', async () => {
    for (const value of ['max-stale=0', 'no-cache, max-stale=60']) {
      const profileId = await create();
      const { headers, text } = await org.viewer.get(LIST, { 'cache-control': value });
      expect(text).toContain(profileId);
      // A replica can be level with its primary.
      if (headers[LAG] !== undefined) expect([value, headers[LAG]]).toEqual(['max-stale=0', '0']);
    }
    expect(service.app.get(ReadReplica).isUsable).toBe(true);
  });

  it('is the same from both servers, and few lists come from the primary only', async () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
      paths: Record<string, { get?: { operationId: string; parameters?: { required?: boolean }[] } }>;
    };
    const fromPrimary: string[] = [];
    let fromReplica = 0;
    for (const [path, { get }] of Object.entries(paths)) {
      if (!get || path.includes('{') || get.parameters?.some(({ required }) => required)) continue;
      if (!path.startsWith('/v1/')) continue;
      const latest = await org.admin.get(path, NO_CACHE);
      if (latest.status !== 200 || !isList(latest.body)) continue;
      await eventually(async () => {
        const stale = await org.admin.get(path, { 'cache-control': 'max-stale' });
        expect([path, withoutTimes(stale)]).toEqual([path, withoutTimes(latest)]);
        if (stale.headers[LAG] === undefined) fromPrimary.push(get.operationId);
        else fromReplica++;
      });
    }
    expect(fromPrimary.sort()).toEqual(FROM_PRIMARY);
    expect(fromReplica).toBeGreaterThan(20);
  });
});

it('does not answer what is read to see a change: lists, and reports that ask for the latest state', async () => {
  await pauseReplay();
  try {
    const profileId = await create();
    const listed = await org.viewer.get('/v1/inference/profiles?limit=1000');
    expect(listed.headers[LAG]).toBeUndefined();
    expect(listed.text).toContain(profileId);
    const latest = await report(NO_CACHE);
    expect(latest.lag).toBeUndefined();
    expect(latest.ids).toContain(profileId);
  } finally {
    await resumeReplay();
  }
});

it('is left alone when its replay is paused for longer than the bound, and read again after that', async () => {
  await pauseReplay();
  try {
    const profileId = await create();
    const first = await report();
    // It answered from its own rows, or the bound had passed.
    expect(first.ids.includes(profileId)).toBe(first.lag === undefined);
    await eventually(async () => {
      const { ids, lag } = await report();
      expect({ lag, found: ids.includes(profileId) }).toEqual({ lag: undefined, found: true });
    }, 30_000);
  } finally {
    await resumeReplay();
  }
  await readFromReplica();
});

it('is shown by the metrics: whether it is in use, and how far behind it is', async () => {
  const shown = async () => {
    const samples = samplesOf((await service.as(undefined).get('/metrics')).text);
    return { inUse: samples.get('read_replica_in_use'), lag: samples.get('read_replica_lag_seconds') ?? NaN };
  };
  const isInUse = () =>
    eventually(async () => {
      const { inUse, lag } = await shown();
      expect(inUse).toBe(1);
      expect(lag).toBeGreaterThanOrEqual(0);
      expect(lag).toBeLessThanOrEqual(MAX_LAG_MS / 1_000);
    });
  await isInUse();
  await pauseReplay();
  try {
    await eventually(async () => {
      const { inUse, lag } = await shown();
      expect(inUse).toBe(0);
      expect(lag).toBeGreaterThan(MAX_LAG_MS / 1_000);
    });
  } finally {
    await resumeReplay();
  }
  await isInUse();
});

it('shows everything that was committed before its lag, whenever its replay stops and goes on', async () => {
  const committed: { id: string; at: number }[] = [];
  let fromReplica = 0;
  for (let turn = 0; turn < 24; turn++) {
    if (turn % 6 === 1) await pauseReplay();
    if (turn % 6 === 4) await resumeReplay();
    const id = await create();
    committed.push({ id, at: performance.now() });
    const asked = performance.now();
    const { ids, lag } = await report();
    if (lag !== undefined) fromReplica++;
    const due = committed.filter(({ at }) => at < asked - (lag ?? 0)).map((one) => one.id);
    expect({ turn, missing: due.filter((one) => !ids.includes(one)) }).toEqual({ turn, missing: [] });
  }
  await resumeReplay();
  expect(fromReplica).toBeGreaterThan(0);
});

it('shows a transaction the rows of its organisation only, and writes nothing', async () => {
  const lags: number[] = [];
  const read = (statement: string) =>
    service.app
      .get(UnitOfWork)
      .read({ orgId: org.id, lagged: (lag) => void lags.push(lag) }, (tx) => tx.query<{ org_id: string }>(statement));
  await eventually(async () => {
    lags.length = 0;
    const rows = await read('select distinct org_id, pg_is_in_recovery() as replica from profiles');
    expect(lags).toHaveLength(1);
    expect(rows).toEqual([{ org_id: org.id, replica: true }]);
  });
  await expect(read('delete from profiles')).rejects.toThrow('read-only');
  expect(service.app.get(ReadReplica).isUsable).toBe(true);
});

it.each([
  ['fails', 'select pg_is_in_recovery() as replica, 1 / (not pg_is_in_recovery())::int as quotient'],
  ['does not find its rows', 'select pg_is_in_recovery() as replica'],
])('is still read after a report that %s there was repeated on the primary', async (_how, text) => {
  const replica = service.app.get(ReadReplica);
  let asked = 0;
  let lagged = false;
  const rows = await service.app
    .get(UnitOfWork)
    .read({ orgId: org.id, lagged: () => void (lagged = true) }, async (tx) => {
      asked++;
      const found = await tx.query<{ replica: boolean }>(text);
      if (found[0]?.replica === true) throw notFound('profile_not_found', 'There is no such profile.');
      return found;
    });
  expect(rows).toMatchObject([{ replica: false }]);
  expect({ asked, lagged, usable: replica.isUsable }).toEqual({ asked: 2, lagged: false, usable: true });
});

/** The URL of another database of a server. */
const of = (url: string, name: string): string => Object.assign(new URL(url), { pathname: name }).href;

/** Another look at a replica, with what it logs. */
async function lookAt<T>(databaseReadUrl: string, work: (replica: ReadReplica, log: () => string) => Promise<T>) {
  let log = '';
  const destination = new Writable({
    write(line: Buffer, _encoding, written) {
      log += line.toString();
      written();
    },
  });
  const environment = { ...service.app.get<Environment>(ENVIRONMENT), databaseReadUrl };
  const replica = new ReadReplica(environment, createLogger('info', destination), service.app.get(StatementPool));
  await replica.onApplicationBootstrap();
  try {
    return await work(replica, () => log);
  } finally {
    await replica.onApplicationShutdown();
  }
}

it('is not read if it is of another database, however new that seems', async () => {
  const name = 'another';
  await asAdmin(primary.adminUrl, (client) => client.query(`create database ${name} owner service`));
  await migrate(of(primary.url, name));
  const beat = () =>
    asAdmin(of(primary.adminUrl, name), (client) =>
      client.query(`
        insert into heartbeats values (1, clock_timestamp())
        on conflict (id) do update set beaten_at = excluded.beaten_at`),
    );
  await beat();
  // The database appears on the replica when its creation was replayed there.
  await eventually(() =>
    asAdmin(of(standby.adminUrl, name), async (client) => {
      const { rowCount } = await client.query('select from heartbeats');
      expect(rowCount).toBe(1);
    }),
  );
  await lookAt(of(standby.url, name), async (replica, log) => {
    await eventually(async () => {
      await beat();
      expect(log()).toContain('of another database');
    });
    expect(replica.isUsable).toBe(false);
  });
});

it('is read with a warning if its role bypasses row level security', async () => {
  await lookAt(of(standby.adminUrl, 'service'), async (replica, log) => {
    await eventually(() => Promise.resolve(expect(replica.isUsable).toBe(true)));
    expect(log()).toContain('bypasses row level security');
  });
});

it.each([
  ['its clock is late', { now: -3_000 }, 'clock differs'],
  ['its clock is early', { now: 3_000 }, 'clock differs'],
  ["the primary's clock stepped back", { beaten_at: 5_000 }, "after the primary's"],
])('is behind if %s', async (_how, shifts, message) => {
  const replica = service.app.get(ReadReplica);
  const client = await replica.connect();
  // The clocks of two servers on one machine do not differ.
  const shifting = {
    query: async (...asked: Parameters<PooledClient['query']>) => {
      const answer = client.query(...asked) as unknown as Promise<{ rows: Record<string, unknown>[] }>;
      const { rows } = await answer;
      const [row = {}] = rows;
      for (const [column, by] of Object.entries(shifts)) row[column] = new Date((row[column] as Date).getTime() + by);
      return { rows: [row] };
    },
  } as unknown as PooledClient;
  try {
    await expect(replica.lagOf(shifting)).rejects.toThrow(message);
  } finally {
    client.release();
  }
});

it('is read again after its primary wrote a time in the future', async () => {
  await asAdmin(of(primary.adminUrl, 'service'), async (client) => {
    await client.query("update heartbeats set beaten_at = clock_timestamp() + interval '1 hour'");
    await eventually(async () => {
      const { rows } = await client.query('select beaten_at <= clock_timestamp() as mended from heartbeats');
      expect(rows).toEqual([{ mended: true }]);
    });
  });
  await readFromReplica();
});

it.each([
  ['is stopped', () => standby.stop('immediate'), () => standby.start()],
  ['hangs', () => Promise.resolve(standby.pause()), () => Promise.resolve(standby.resume())],
])('is replaced by the primary while it %s, and read again after that', async (_how, fail, recover) => {
  const profileId = await create();
  await fail();
  try {
    for (let times = 0; times < 5; times++) {
      const { ids, lag } = await report();
      expect({ lag, found: ids.includes(profileId) }).toEqual({ lag: undefined, found: true });
    }
  } finally {
    await recover();
  }
  await readFromReplica();
});

it('is not needed for a start', async () => {
  await standby.stop();
  try {
    const { as } = await service.replica();
    const started = reportOf(await as(org.viewer.token).get(REPORT));
    expect(started.lag).toBeUndefined();
  } finally {
    await standby.start();
  }
});

// The last one: it is no replica any more.
it('is never read again once it was promoted, whatever time it shows', async () => {
  await onStandby('select pg_promote()');
  await eventually(() => expect(service.app.get(ReadReplica).isUsable).toBe(false), 30_000);
  const promoted = new pg.Client({ connectionString: standby.url });
  await promoted.connect();
  try {
    await promoted.query("update heartbeats set beaten_at = clock_timestamp() + interval '1 hour'");
  } finally {
    await promoted.end();
  }
  const profileId = await create();
  const { ids, lag } = await report();
  expect({ lag, found: ids.includes(profileId) }).toEqual({ lag: undefined, found: true });
});
