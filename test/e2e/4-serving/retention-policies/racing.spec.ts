import type { NestExpressApplication } from '@nestjs/platform-express';
import { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { RetentionRuns } from '../../../../src/4-serving/retention-policies/retention-runs';
import {
  age,
  ARTIFACTS,
  chainOf,
  idsOf,
  patch,
  profileFor,
  register,
  registered,
  publishedIds,
  type ProfileOf,
} from '../../../support/artifacts';
import { Service, type Organisation } from '../../../support/service';
import { ok } from '../../../support/workloads';
import { inForm } from '../../../support/form';

/** Attempts to catch a run of the policies in the middle. */
const ROUNDS = inForm(15, 50);

let service: Service;
let replica: NestExpressApplication;
let org: Organisation;
let profile: ProfileOf;

beforeAll(async () => {
  service = await Service.start();
  replica = (await service.replica()).app;
});
beforeEach(async () => {
  org = await service.organisation();
  profile = await profileFor(org);
});
afterAll(() => service.close());

const save = async (body: object) =>
  ok(await org.operator.post('/v1/inference/retention-policies', { name: 'x', ...body }));
const runs = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) => (i % 2 ? replica : service.app).get(RetentionRuns).run({ orgId: org.id })),
  );

/** Kept artifacts whose parent has expired. */
async function orphans(): Promise<string[]> {
  const rows = await service.db.query<{ artifact_id: string }>(
    `select c.artifact_id from artifacts c join artifacts p on p.org_id = c.org_id and p.artifact_id = c.parent_artifact_id
     where c.org_id = $1 and c.status in ('ready', 'golden', 'quarantined') and p.status = 'expired'`,
    [org.id],
  );
  return idsOf(rows.rows);
}

it('concurrent runs on two replicas expire each artifact once', async () => {
  for (let i = 0; i < 30; i++) await registered(org, profile, { artifact_id: `a${i}` });
  await save({ max_count: 5 });
  const counts = await runs(12);
  const expected = Array.from({ length: 25 }, (_, i) => `a${i}`);
  expect((await publishedIds(org, 'artifact.expired')).sort()).toEqual(expected.sort());
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(25);
  const { rows } = await service.db.query<{ expired: { artifact_id: string }[] }>(
    'select expired from retention_runs where org_id = $1',
    [org.id],
  );
  expect(rows.flatMap(({ expired }) => idsOf(expired)).sort()).toEqual(expected.sort());
});

it('an artifact that becomes golden during a run keeps its whole chain', async () => {
  await save({ max_age_days: 7 });
  const outcomes = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    // Another artifact is the newest restorable one, so this chain may expire.
    const ids = (await chainOf(org, profile, 3)) as [string, string, string];
    await registered(org, profile);
    for (const id of ids) await age(service, org, id, 10);
    const golden = () => patch(org, ids[2], { status: 'golden' });
    await Promise.all(round % 2 ? [golden(), runs(2)] : [runs(2), golden()]);
    const { body } = await org.viewer.get(`${ARTIFACTS}/${ids[2]}/ancestry`);
    const statuses = (body as { status: string }[]).map(({ status }) => status);
    outcomes.add(statuses.join(' '));
    await service.db.query("update artifacts set status = 'deleted' where org_id = $1", [org.id]);
  }
  // Golden in time, or only after it had expired with the others.
  expect(
    [...outcomes].filter((statuses) => !['ready ready golden', 'expired expired golden'].includes(statuses)),
  ).toEqual([]);
});

it('a locked artifact keeps its unlocked ancestors', async () => {
  await save({ max_age_days: 7 });
  const ids = (await chainOf(org, profile, 3)) as [string, string, string];
  await registered(org, profile);
  for (const id of ids) await age(service, org, id, 10);
  const busy = await service.db.connect();
  try {
    await busy.query('begin');
    await busy.query('select 1 from artifacts where org_id = $1 and artifact_id = $2 for update', [org.id, ids[2]]);
    expect(await runs(2)).toEqual([0, 0]);
    await busy.query("update artifacts set status = 'golden' where org_id = $1 and artifact_id = $2", [org.id, ids[2]]);
    await busy.query('commit');
  } finally {
    busy.release();
  }
  expect(await runs(1)).toEqual([0]);
  expect(await publishedIds(org, 'artifact.expired')).toEqual([]);
  // A run that expires nothing leaves no record.
  expect((await service.db.query('select from retention_runs where org_id = $1', [org.id])).rowCount).toBe(0);
});

it.each([
  ['becomes golden', "update artifacts set status = 'golden' where org_id = $1 and artifact_id = 'old'"],
  [
    'gets a running worker',
    `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, artifact_id)
     select org_id, gen_random_uuid(), profile_id, 1, now(), true, 'old' from profiles where org_id = $1`,
  ],
  [
    'becomes the newest restorable one',
    "update artifacts set status = 'quarantined' where org_id = $1 and artifact_id = 'new'",
  ],
  ['is no longer covered', 'delete from retention_policies where org_id = $1'],
])('an artifact that %s before it is locked is kept', async (_case, change) => {
  await save({ max_age_days: 7 });
  for (const artifact_id of ['old', 'new']) await registered(org, profile, { artifact_id });
  await age(service, org, 'old', 10);
  const query = Reflect.get<Tx, 'query'>(Tx.prototype, 'query');
  let changed = 0;
  const spy = jest.spyOn(Tx.prototype, 'query').mockImplementation(async function (this: Tx, text, values) {
    if (text.includes('for update skip locked')) changed += (await service.db.query(change, [org.id])).rowCount ?? 0;
    return query.call(this, text, values);
  });
  try {
    expect(await runs(1)).toEqual([0]);
  } finally {
    spy.mockRestore();
  }
  expect(changed).toBe(1);
  expect(await publishedIds(org, 'artifact.expired')).toEqual([]);
});

it('an artifact that gets a child during a run is kept, or refused as a parent', async () => {
  await save({ max_age_days: 7 });
  const outcomes = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const ids = (await chainOf(org, profile, 2)) as [string, string];
    await registered(org, profile);
    for (const id of ids) await age(service, org, id, 10);
    const child = () => register(org, profile, { parent_artifact_id: ids[1] });
    const [made] = await (round % 2
      ? Promise.all([child(), runs(2)])
      : Promise.all([runs(2), child()]).then(([, answer]) => [answer] as const));
    expect(await orphans()).toEqual([]);
    const parent = await org.viewer.get(`${ARTIFACTS}/${ids[1]}`);
    outcomes.add(`${made.status} ${parent.body.status}`);
  }
  expect([...outcomes].filter((outcome) => !['201 ready', '400 expired'].includes(outcome))).toEqual([]);
});

it('a policy that expires everything leaves no child without its parent', async () => {
  await save({ max_age_days: 0 });
  for (let round = 0; round < ROUNDS; round++) {
    const parent = await registered(org, profile);
    await registered(org, profile);
    await Promise.all([register(org, profile, { parent_artifact_id: parent }), runs(2)]);
    expect(await orphans()).toEqual([]);
  }
});
