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
  return () => run.mock.calls.map(([{ name }]) => name).filter((name) => name.startsWith('activation-'));
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
