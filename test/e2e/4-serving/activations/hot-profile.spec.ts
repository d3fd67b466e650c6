import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { eventually } from '../../../support/eventually';
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

  const profiles = (): Promise<string[]> =>
    Promise.all(Array.from({ length: PROFILES }, async () => (await createProfile(org)).profile_id));

  const each = (ids: readonly string[], phase: string): Promise<number[]> =>
    Promise.all(ids.map(async (id) => (await reportPhase(org.controller, id, phase, 1)).status));

  const NOTHING_LOST = Array(PROFILES).fill(204);

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
    const ran = statements();
    expect(await each(ids, 'Loading')).toEqual(NOTHING_LOST);
    expect(ran()).toContain('activations-repeated');
    expect(ran().length).toBeLessThan(PROFILES / 2);
    const noted = { version: 1, phase: 'Loading', recent: true, phases: 1, entries: 1, open: 1 };
    expect(await stored(ids, rows[0]?.now)).toEqual(ids.map(() => noted));
  });

  it('share statements that write what has changed, each with its start, phase and audit entry', async () => {
    const ids = await profiles();
    const ran = statements();
    for (const phase of ['Pending', 'Loading', 'Ready', 'Suspended'])
      expect(await each(ids, phase)).toEqual(NOTHING_LOST);
    const moves = ran().filter((name) => name !== 'activation-known');
    expect(moves).toContain('activations-move');
    expect(moves.length).toBeLessThan((4 * PROFILES) / 2);
    const written = { version: 4, phase: 'Suspended', recent: true, phases: 4, entries: 4, open: 0 };
    expect(await stored(ids)).toEqual(ids.map(() => written));
    const { rows } = await service.db.query(
      `select count(*)::int as starts, count(*) filter (where ready_at between began_at and ended_at)::int as served
       from starts where profile_id = any ($1)`,
      [ids],
    );
    expect(rows).toEqual([{ starts: PROFILES, served: PROFILES }]);
  });

  it.each(['Loading', 'Ready'])('wait for no other profile, if one is locked: %s', async (phase) => {
    const ids = await profiles();
    await each(ids, 'Loading');
    const client = await service.db.connect();
    await client.query('begin');
    await client.query('select from activations where profile_id = $1 for update', [ids[7]]);
    let isAnswered = false;
    const locked = reportPhase(org.controller, ids[7] ?? '', phase, 1).finally(() => (isAnswered = true));
    const others = ids.filter((id) => id !== ids[7]);
    expect(new Set(await each(others, phase))).toEqual(new Set([204]));
    expect(isAnswered).toBe(false);
    await client.query('rollback');
    client.release();
    expect((await locked).status).toBe(204);
    expect((await stored(ids)).map((one) => one.phase)).toEqual(ids.map(() => phase));
  });

  it('are answered each for itself, if one names an unknown profile', async () => {
    const ids = await profiles();
    const asked = [...ids.slice(0, 20), 'nowhere', ...ids.slice(20)];
    expect(await each(asked, 'Pending')).toEqual(asked.map((id) => (id === 'nowhere' ? 404 : 204)));
    expect((await stored(ids)).map(({ phase, phases, entries }) => ({ phase, phases, entries }))).toEqual(
      ids.map(() => ({ phase: 'Pending', phases: 1, entries: 1 })),
    );
  });

  it('are decided again where another replica has changed the profile', async () => {
    const ids = await profiles();
    await each(ids, 'Loading');
    await service.db.query(
      `update activations set version = version + 1, phase = 'Warming' where profile_id = any ($1)`,
      [ids.slice(0, 5)],
    );
    expect(await each(ids, 'Loading')).toEqual(NOTHING_LOST);
    const after = await stored(ids);
    expect(after.slice(0, 5).map(({ version, phase }) => ({ version, phase }))).toEqual(
      Array(5).fill({ version: 3, phase: 'Loading' }),
    );
    expect(after.slice(5).map(({ version }) => version)).toEqual(Array(PROFILES - 5).fill(1));
  });
});
