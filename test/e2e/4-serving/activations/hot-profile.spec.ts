import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { DatabaseClient } from '../../../../src/1-platform/database/connections/database-client';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { ReportWrites } from '../../../../src/4-serving/activations/reports/report-writes';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { createProfile, report, reportPhase } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;

beforeAll(async () => {
  service = await Service.start();
  org = await service.organisation();
});
afterAll(() => service.close());
afterEach(() => jest.restoreAllMocks());

/** Names of the statements on activations that were run since. */
function statements(): () => string[] {
  const run = jest.spyOn(service.app.get(StatementPool), 'run');
  return () => run.mock.calls.map(([{ name }]) => name).filter((name) => /^activations?-/.test(name));
}

const count = async (table: string, profileId: string): Promise<number> =>
  (await service.db.query<{ count: number }>(`select count(*)::int from ${table} where profile_id = $1`, [profileId]))
    .rows[0]?.count ?? -1;

describe('many concurrent reports on one profile', () => {
  it('are answered with few statements if they are equal', async () => {
    const { profile_id: id } = await createProfile(org);
    await report(org.controller, id);
    const ran = statements();
    const client = await service.db.connect();
    await client.query('begin');
    await client.query('select from activations where profile_id = $1 for update', [id]);
    const lane = service.app.get(Admission).limits.lanes.report;
    const before = lane.admitted;
    const all = Array.from({ length: 40 }, () => report(org.controller, id));
    await eventually(() => expect(lane.admitted).toBe(before + 40));
    // Reports that wait for a slow write leave their places to reports on other profiles.
    await eventually(() => expect(lane.held).toBe(1));
    await client.query('rollback');
    client.release();
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([204]));
    // The first report, and one statement for all that waited.
    expect(ran()).toEqual(['activation-repeated', 'activation-repeated']);
    expect(await count('activation_phases', id)).toBe(1);
  });

  it('are each written once without a retry if they differ', async () => {
    const { profile_id: id } = await createProfile(org);
    await reportPhase(org.controller, id, 'Pending', 1);
    const ran = statements();
    const phases = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'Pulling' : 'Loading'));
    const answers = await Promise.all(phases.map((phase) => reportPhase(org.controller, id, phase, 1)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    // Without the lanes, each move that met another one was decided and written again.
    const moves = ran().filter((name) => name === 'activation-move').length;
    expect(moves).toBe((await count('activation_phases', id)) - 1);
    expect(ran().filter((name) => name === 'activation-known')).toEqual([]);
  });

  it('all answer 404 if the profile is unknown', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => report(org.controller, 'nowhere')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  });
});

describe('concurrent reports on many profiles', () => {
  const PROFILES = 40;
  /** One in the middle of a batch. */
  const MIDDLE = 20;

  let others: string[];
  beforeAll(async () => {
    others = await profiles(10);
    await each(others, 'Loading');
  });

  /** Is called before each statement, which waits for it. */
  let before: ((name: string) => Promise<void>) | undefined;
  let run: jest.SpiedFunction<StatementPool['run']>;
  beforeEach(() => {
    // Admission would hold reports back on a busy machine, while others wait for them to arrive.
    const { limits } = service.app.get(Admission);
    jest.spyOn(limits, 'adjust').mockReturnValue();
    limits.lanes.report.limit = limits.lanes.report.most;
    const pool = service.app.get(StatementPool);
    const really = pool.run.bind(pool);
    before = undefined;
    run = jest.spyOn(pool, 'run').mockImplementation(async (statement, values) => {
      await before?.(statement.name);
      return really(statement, values) as Promise<never>;
    });
  });

  const profiles = (count = PROFILES): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, async () => (await createProfile(org)).profile_id));

  const each = (ids: readonly string[], phase: string): Promise<number[]> =>
    Promise.all(ids.map(async (id) => (await reportPhase(org.controller, id, phase, 1)).status));

  const all = (status: number, count = PROFILES): number[] => Array<number>(count).fill(status);

  interface Ran {
    readonly name: string;
    readonly profiles: string[];
  }

  /** The statements on these activations since, with the profiles that each one names. */
  function statementsOn(ids: readonly string[]): () => Ran[] {
    const since = run.mock.calls.length;
    const named = (values: unknown): string[] => {
      const text = JSON.stringify(values).replaceAll('\\', '');
      return ids.filter((id) => text.includes(`"${id}"`));
    };
    return () =>
      run.mock.calls
        .slice(since)
        .map(([{ name }, values]) => ({ name, profiles: named(values) }))
        .filter((ran) => /^activations?-/.test(ran.name) && ran.profiles.length > 0);
  }

  type Kind = 'repeated' | 'moved';
  const TOGETHER = { repeated: 'activations-repeated', moved: 'activations-move' };
  const ALONE = { repeated: 'activation-repeated', moved: 'activation-move' };

  /**
   * Sends reports that share a statement, however slow the machine is: reports on other profiles share an
   * earlier one, which is held back until these have arrived behind it.
   *
   * @param meanwhile what happens after these are decided, and before their statement
   */
  async function sharing<T>(
    kind: Kind,
    ids: readonly string[],
    send: () => T,
    meanwhile?: () => Promise<unknown>,
  ): Promise<T> {
    let isHeld = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = new Promise<void>((isBegun) => {
      before = async (name) => {
        if (name !== TOGETHER[kind] || isHeld) return;
        isHeld = true;
        isBegun();
        await released;
      };
    });
    const earlier: Promise<unknown>[] = [];
    for (let round = 0; !isHeld; round++) {
      const sent = each(others, kind === 'moved' && round % 2 === 0 ? 'Warming' : 'Loading');
      earlier.push(sent);
      await Promise.race([sent, held]);
    }
    const decided = jest.spyOn(ReportWrites.prototype, kind);
    const answers = send();
    await eventually(() => {
      const arrived = new Set(decided.mock.calls.map(([, { profileId }]) => profileId));
      expect(ids.filter((id) => !arrived.has(id))).toEqual([]);
    });
    decided.mockRestore();
    await meanwhile?.();
    release();
    await Promise.all(earlier);
    before = undefined;
    return answers;
  }

  interface Written {
    version: number;
    phase: string;
    recent: boolean;
    phases: number;
    entries: number;
    open: number;
  }

  /** @returns what is stored of each profile, in their order */
  async function stored(ids: readonly string[], since = new Date(0)): Promise<Written[]> {
    const { rows } = await service.db.query<Written>(
      `select a.version::int, a.phase, a.updated_at >= $2 as recent,
         (select count(*)::int from activation_phases p where p.profile_id = a.profile_id) as phases,
         (select count(*)::int from audit_entries e where e.resource_type = 'activation' and e.resource_id = a.profile_id)
           as entries,
         (select count(*)::int from starts s where s.profile_id = a.profile_id and s.ended_at is null) as open
       from unnest($1::text[]) with ordinality asked (profile_id, place) join activations a using (profile_id)
       order by place`,
      [ids, since],
    );
    return rows;
  }

  it('share statements that note what is known', async () => {
    const ids = await profiles();
    await each(ids, 'Loading');
    const { rows } = await service.db.query<{ now: Date }>('select clock_timestamp() as now');
    const ran = statementsOn(ids);
    expect(await sharing('repeated', ids, () => each(ids, 'Loading'))).toEqual(all(204));
    expect(ran()).toEqual([{ name: 'activations-repeated', profiles: ids }]);
    const noted = { version: 1, phase: 'Loading', recent: true, phases: 1, entries: 1, open: 1 };
    expect(await stored(ids, rows[0]?.now)).toEqual(ids.map(() => noted));
  });

  it('share statements that write what has changed, each with its start, phase and audit entry', async () => {
    const ids = await profiles();
    await each(ids, 'Pending');
    const ran = statementsOn(ids);
    const phases = ['Loading', 'Ready', 'Suspended'];
    for (const phase of phases) expect(await sharing('moved', ids, () => each(ids, phase))).toEqual(all(204));
    expect(ran()).toEqual(phases.map(() => ({ name: 'activations-move', profiles: ids })));
    const written = { version: 4, phase: 'Suspended', recent: true, phases: 4, entries: 4, open: 0 };
    expect(await stored(ids)).toEqual(ids.map(() => written));
    const { rows } = await service.db.query(
      `select count(*)::int as starts, count(*) filter (where ready_at between began_at and ended_at)::int as served
       from starts where profile_id = any ($1)`,
      [ids],
    );
    expect(rows).toEqual([{ starts: PROFILES, served: PROFILES }]);
  });

  it('keep what each one says, and what it leaves out', async () => {
    const ids = await profiles(4);
    await Promise.all(
      ids.map((id) => report(org.controller, id, { endpoint: 'http://10.0.0.9:8000', message: 'old' })),
    );
    const { text: cluster } = await org.operator.post('/v1/cluster', { cluster_name: 'of one profile' });
    const workers = [{ workload_uid: newId(), endpoint: 'http://10.0.0.1:8000', ready: true }];
    const said: JsonObject[] = [
      {},
      { endpoint: 'http://10.0.0.2:8000' },
      { workers, message: 'It says "1 \\ of 1", é.' },
      { cluster_id: cluster },
    ];
    const ran = statementsOn(ids);
    const answers = await sharing('moved', ids, () =>
      Promise.all(ids.map((id, place) => report(org.controller, id, said[place]))),
    );
    expect(answers.map(({ status }) => status)).toEqual(all(204, 4));
    expect(ran().filter(({ name }) => name !== 'activation-known')).toEqual([{ name: TOGETHER.moved, profiles: ids }]);
    const { rows } = await service.db.query<JsonObject>(
      `select a.endpoint, a.workers, a.message, a.cluster_id
       from unnest($1::text[]) with ordinality asked (profile_id, place) join activations a using (profile_id)
       order by place`,
      [ids],
    );
    const nothing = { endpoint: null, workers: null, message: null, cluster_id: null };
    expect(rows).toEqual(said.map((one) => ({ ...nothing, ...one })));
  });

  /** Expects that all reports but one are answered while a transaction holds what that one needs. */
  async function answeredMeanwhile(
    [text, values]: [text: string, values: unknown[]],
    held: string,
    ids: readonly string[],
    send: () => Promise<Promise<number[]>[]>,
  ): Promise<void> {
    const client = await service.db.connect();
    let sent: Promise<number[]>[];
    try {
      await client.query('begin');
      await client.query(text, values);
      sent = await send();
      const began = performance.now();
      const answers = await Promise.all(sent.filter((_, place) => ids[place] !== held));
      expect(answers.flat()).toEqual(all(204, ids.length - 1));
      expect(performance.now() - began).toBeLessThan(onThisMachine(1_500));
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await Promise.all(sent)).flat()).toEqual(all(204, ids.length));
  }

  it.each([
    ['Loading', 'repeated'],
    ['Ready', 'moved'],
  ] as const)('wait for no other profile, if one is locked: %s', async (phase, kind) => {
    const ids = await profiles();
    await each(ids, 'Loading');
    const locked = ids[MIDDLE] ?? '';
    const ran = statementsOn(ids);
    const lock: [string, string[]] = ['select from activations where profile_id = $1 for update', [locked]];
    await answeredMeanwhile(lock, locked, ids, () => sharing(kind, ids, () => ids.map((id) => each([id], phase))));
    expect(ran()).toEqual([
      { name: TOGETHER[kind], profiles: ids },
      { name: ALONE[kind], profiles: [locked] },
    ]);
    expect((await stored(ids)).map((one) => one.phase)).toEqual(ids.map(() => phase));
  });

  it('are written each by itself, without another try, if a shared statement waits too long for a profile', async () => {
    const ids = await profiles();
    await each(ids, 'Loading');
    const locked = ids[MIDDLE] ?? '';
    const sent = jest.spyOn(DatabaseClient.prototype, 'query');
    // As its deletion does.
    const lock: [string, string[]] = ['select from profiles where profile_id = $1 for update', [locked]];
    await answeredMeanwhile(lock, locked, ids, () => sharing('moved', ids, () => ids.map((id) => each([id], 'Ready'))));
    const attempts = sent.mock.calls
      .map(([one]) => one as unknown as { name?: string; values?: unknown[] })
      .filter(({ name, values }) => name === TOGETHER.moved && JSON.stringify(values).includes(locked));
    expect(attempts).toHaveLength(1);
    expect((await stored(ids)).map(({ version }) => version)).toEqual(ids.map(() => 2));
  });

  it('are written each by itself for new rows, which may wait for others who make the same one', async () => {
    const ids = await profiles();
    const [fresh = '', made = ''] = await profiles(2);
    await each(ids, 'Loading');
    const asked = [...ids, fresh, made];
    const ran = statementsOn(asked);
    const make: [string, string[]] = [
      `insert into activations (org_id, profile_id, desired_state, phase, ready, observed_generation, version, updated_at)
       values ($1, $2, 'Active', 'Loading', false, 1, 1, clock_timestamp())`,
      [org.id, made],
    ];
    await answeredMeanwhile(make, made, asked, () =>
      sharing('moved', asked, () => asked.map((id) => each([id], 'Ready'))),
    );
    const moves = ran().filter(({ name }) => name !== 'activation-known');
    expect(moves.filter(({ name }) => name === TOGETHER.moved)).toEqual([{ name: TOGETHER.moved, profiles: ids }]);
    const alone = moves.filter(({ name }) => name === ALONE.moved).flatMap(({ profiles: named }) => named);
    expect(alone.sort()).toEqual([fresh, made].sort());
    expect((await stored([fresh, made])).map(({ version, phase }) => ({ version, phase }))).toEqual(
      Array(2).fill({ version: 1, phase: 'Ready' }),
    );
  });

  it('are written in one statement, and one alone, if that one names an unknown profile', async () => {
    const ids = await profiles();
    await each(ids, 'Pending');
    const asked = [...ids.slice(0, MIDDLE), 'nowhere', ...ids.slice(MIDDLE)];
    const ran = statementsOn(asked);
    const answers = await sharing('moved', asked, () => each(asked, 'Loading'));
    expect(answers).toEqual(asked.map((id) => (id === 'nowhere' ? 404 : 204)));
    expect(ran().filter(({ name }) => name !== 'activation-known')).toEqual([
      { name: ALONE.moved, profiles: ['nowhere'] },
      { name: TOGETHER.moved, profiles: ids },
    ]);
    expect((await stored(ids)).map(({ phase, phases, entries }) => ({ phase, phases, entries }))).toEqual(
      ids.map(() => ({ phase: 'Loading', phases: 2, entries: 2 })),
    );
  });

  it.each([
    ['Loading', 'repeated', 1],
    ['Ready', 'moved', 2],
  ] as const)('are decided again where another replica has changed the profile: %s', async (phase, kind, version) => {
    const ids = await profiles();
    await each(ids, 'Loading');
    const changed = ids.slice(0, 5);
    const ran = statementsOn(ids);
    const change = `update activations set version = version + 1, phase = 'Warming' where profile_id = any ($1)`;
    const answers = await sharing(
      kind,
      ids,
      () => each(ids, phase),
      () => service.db.query(change, [changed]),
    );
    expect(answers).toEqual(all(204));
    for (const id of changed) {
      const names = ran().flatMap(({ name, profiles: named }) => (named.includes(id) ? [name] : []));
      expect(names).toEqual([TOGETHER[kind], 'activation-known', expect.stringMatching(/^activations?-move$/)]);
    }
    expect((await stored(ids)).map((one) => ({ version: one.version, phase: one.phase }))).toEqual(
      ids.map((id) => ({ version: changed.includes(id) ? 3 : version, phase })),
    );
  });

  it('do not take a profile whose holder reported it after they were decided', async () => {
    const create = (name: string) => org.operator.post('/v1/cluster', { cluster_name: name });
    const [{ text: holder }, { text: other }] = [await create('holder'), await create('other')];
    const ids = await profiles();
    const from = (cluster: string) =>
      Promise.all(ids.map(async (id) => (await report(org.controller, id, { cluster_id: cluster })).status));
    await from(holder);
    const setAge = (seconds: number, of: readonly string[]) =>
      service.db.query(
        'update activations set updated_at = clock_timestamp() - make_interval(secs => $2) where profile_id = any ($1)',
        [of, seconds],
      );
    await setAge(91, ids);
    const kept = ids[MIDDLE] ?? '';
    const ran = statementsOn([kept]);
    const answers = await sharing(
      'moved',
      ids,
      () => from(other),
      () => setAge(0, [kept]),
    );
    expect(answers).toEqual(ids.map((id) => (id === kept ? 409 : 204)));
    expect(ran().map(({ name }) => name)).toEqual(['activation-known', TOGETHER.moved, 'activation-known']);
    const { rows } = await service.db.query<{ cluster_id: string; profile_id: string }>(
      'select profile_id, cluster_id from activations where profile_id = any ($1)',
      [ids],
    );
    const held = new Map(rows.map((row) => [row.profile_id, row.cluster_id]));
    expect(ids.map((id) => held.get(id))).toEqual(ids.map((id) => (id === kept ? holder : other)));
  });
});
