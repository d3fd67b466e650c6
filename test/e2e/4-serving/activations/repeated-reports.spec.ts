import type pg from 'pg';
import {
  noteRepeatedReport,
  noteRepeatedReports,
  type Repeated,
} from '../../../../src/4-serving/activations/activations.queries';
import { inForm, SEED } from '../../../support/form';
import { poolOn, takenBack, withFrozenTime } from '../../../support/frozen-time';
import { createProfile, report } from '../../../support/profiles';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';

const CASES = inForm(60, 1_000);
const PROFILES = 8;
const VERSIONS = 3;
/** Of each kind of answer, so that the cases differ. */
const OF_EACH = 10;

const WRITTEN = 'select to_jsonb(a) as row from activations a order by org_id, profile_id';

describe(`reports that repeat what is known, with the seed ${SEED}`, () => {
  let service: Service;
  let org: Organisation;
  let profileIds: string[];
  const random = seeded(SEED);
  const below = (count: number): number => Math.floor(random() * count);

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    const another = await service.organisation();
    profileIds = [];
    for (let n = 0; n < PROFILES; n++) {
      const { profile_id: id } = await createProfile(org);
      profileIds.push(id);
      await report(org.controller, id);
    }
    // Another organisation has the same profiles.
    const { rowCount } = await service.db.query(
      `with profile as (
         insert into profiles select (jsonb_populate_record(p, jsonb_build_object('org_id', $2::uuid))).* from profiles p
         where org_id = $1 returning profile_id
       )
       insert into activations
       select (jsonb_populate_record(a, jsonb_build_object('org_id', $2::uuid, 'start_id', null))).*
       from activations a join profile using (profile_id) where a.org_id = $1`,
      [org.id, another.id],
    );
    expect(rowCount).toBe(PROFILES);
  });
  afterAll(() => service.close());

  /** A report each on some of the profiles, in any order, and on one that has no activation. */
  const someReports = (): Repeated[] =>
    [...profileIds, 'unknown']
      .map((profileId) => ({ profileId, version: 1 + below(VERSIONS), place: random() }))
      .filter(() => below(3) > 0)
      .sort((a, b) => a.place - b.place)
      .map(({ profileId, version }) => ({ profileId, version }));

  it('have the same answers and write the same rows, together and alone', async () => {
    const answers = { true: 0, false: 0, skipped: 0 };
    for (let n = 0; n < CASES; n++) {
      await withFrozenTime(service, async (client) => {
        for (const id of profileIds)
          await client.query('update activations set version = $2 where profile_id = $1', [id, 1 + below(VERSIONS)]);
        const reports = someReports();
        const by = (way: (client: pg.ClientBase) => Promise<unknown>) =>
          takenBack(client, async () => ({
            answers: await way(client),
            written: (await client.query(WRITTEN)).rows as unknown[],
          }));
        const alone = await by(async () => {
          const noted = new Map<string, boolean>();
          for (const one of reports) noted.set(one.profileId, await noteRepeatedReport(poolOn(client), org.id, one));
          return noted;
        });
        const together = await by(async () => {
          const noted = await noteRepeatedReports(poolOn(client), org.id, reports);
          const skipped = reports.filter(({ profileId }) => !noted.has(profileId));
          // Nobody holds a row, so it skips only what there is not, which is then reported alone.
          expect(skipped.filter(({ profileId }) => profileId !== 'unknown')).toEqual([]);
          answers.skipped += skipped.length;
          for (const { profileId } of skipped) noted.set(profileId, false);
          return noted;
        });
        expect({ case: n, reports, ...together }).toEqual({ case: n, reports, ...alone });
        for (const noted of (alone.answers as Map<string, boolean>).values()) answers[`${noted}`]++;
      });
    }
    expect(Math.min(...Object.values(answers))).toBeGreaterThanOrEqual(OF_EACH);
  });
});
