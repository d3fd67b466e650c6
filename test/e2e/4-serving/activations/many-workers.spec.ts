import { newId } from '../../../../src/1-platform/common/ids';
import { MAX_PAGE_BYTES } from '../../../../src/1-platform/common/answers/paging';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { readRoutedProfiles } from '../../../../src/5-traffic/routes/choice/routing-tables.queries';
import { routeTo } from '../../../support/chat';
import { createProfile, report } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';

const PROFILES = 12;
const WORKERS = 1_000;

describe('activations of profiles with many workers', () => {
  let service: Service;
  let org: Organisation;
  const profileIds: string[] = [];
  const reported = {
    workload_uid: newId(),
    endpoint: 'http://10.0.0.1:8000',
    ready: true,
    start_kind: 'restore',
    artifact_id: 'a-1',
    message: 'It serves.',
  };

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    for (let made = 0; made < PROFILES; made++) {
      const spec = { worker: { command: ['engine'] } };
      const { profile_id } = await createProfile(org, { backend_url: undefined, spec });
      profileIds.push(profile_id);
      expect((await report(org.controller, profile_id, { workers: [reported] })).status).toBe(204);
    }
    profileIds.sort();
  });
  afterAll(() => service.close());

  const idsIn = ({ body }: Answer) => (body as { profile_id: string }[]).map(({ profile_id: id }) => id);

  it('are read into a routing table with what requests need of each worker', async () => {
    const [profileId = ''] = profileIds;
    await routeTo(org, [profileId]);
    const rows = await readRoutedProfiles(service.app.get(StatementPool), org.id);
    const { artifact_id: _artifact, message: _message, ...needed } = reported;
    expect(rows.map(({ profile_id: id, workers }) => [id, workers])).toEqual([[profileId, [needed]]]);
    for (const [workers, expected] of [
      ['[]', []],
      [null, null],
    ]) {
      await service.db.query('update activations set workers = $2 where profile_id = $1', [profileId, workers]);
      const [row] = await readRoutedProfiles(service.app.get(StatementPool), org.id);
      expect(row?.workers).toEqual(expected);
    }
  });

  it('are listed page by page: an answer ends before it is too large, and continues at its Link', async () => {
    const endpoint = `http://10.0.0.1/${'x'.repeat(1_900)}`;
    await service.db.query(
      `update activations set workers = (
         select jsonb_agg(jsonb_build_object('workload_uid', gen_random_uuid(), 'endpoint', $2::text, 'ready', true))
         from generate_series(1, $3::int))
       where org_id = $1`,
      [org.id, endpoint, WORKERS],
    );
    const first = await org.viewer.get('/v1/inference/activations');
    expect(first.text.length).toBeLessThan(MAX_PAGE_BYTES + 3_000_000);
    const shown = idsIn(first);
    expect(shown.length).toBeLessThan(PROFILES);
    const next = await org.viewer.get(/<([^>]+)>/.exec(first.headers.link ?? '')?.[1] ?? '');
    expect([...shown, ...idsIn(next)]).toEqual(profileIds);
    expect(next.headers.link).toBeUndefined();
    // One of them alone is shown in full.
    const alone = await org.viewer.get(`/v1/inference/activations?profile_id=${profileIds[0]}`);
    expect(alone.body).toMatchObject([{ workers: { length: WORKERS } }]);
  });
});
