import { ARTIFACT_STATUSES } from '../../../../src/4-serving/artifacts/artifact.states';
import {
  ARTIFACTS,
  artifactOf,
  chainOf,
  fieldsOf,
  patch,
  profileFor,
  registered,
  publishedIds,
  type ProfileOf,
} from '../../../support/artifacts';
import { Caller, Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let profile: ProfileOf;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  profile = await profileFor(org);
});
afterAll(() => service.close());

const remove = (id: string, query = '') => org.operator.delete(`${ARTIFACTS}/${id}${query}`);

/** @returns the id of an artifact with a status */
async function of(status: string): Promise<string> {
  const id = await registered(org, profile);
  const answer = status === 'deleted' ? await remove(id) : await patch(org, id, { status });
  expect([answer.status, answer.body.status]).toEqual([200, status]);
  return id;
}

describe('PATCH /v1/inference/artifacts/{artifact_id}', () => {
  const MOVES = ARTIFACT_STATUSES.flatMap((from) => ARTIFACT_STATUSES.map((to) => [from, to] as const));

  it.each(MOVES)('moves an artifact from %s to %s', async (from, to) => {
    const id = await of(from);
    const before = await artifactOf(org, id);
    const answer = await patch(org, id, { status: to });
    // DELETE alone makes an artifact deleted, and nothing brings it back.
    const status = to === 'deleted' ? 400 : from === 'deleted' ? 409 : 200;
    expect(answer.status).toBe(status);
    if (status === 400) expect(fieldsOf(answer)).toEqual(['status']);
    if (status === 409) expect(answer.body.code).toBe('artifact_deleted');
    const after = await artifactOf(org, id);
    if (status === 200) expect(answer.body).toEqual(after);
    expect(after.status).toBe(status === 200 ? to : from);
    expect(after.updated_at > before.updated_at).toBe(status === 200 && from !== to);
    const expired = [from, ...(status === 200 && from !== to ? [to] : [])].filter((each) => each === 'expired');
    expect(await publishedIds(org, 'artifact.expired')).toEqual(expired.map(() => id));
  });

  it('changes nothing with an empty body', async () => {
    const id = await registered(org, profile);
    const before = await artifactOf(org, id);
    for (const body of [
      undefined,
      {},
      { status: null, restore_count_increment: null },
      { restore_count_increment: false },
    ]) {
      const answer = await patch(org, id, body);
      expect([answer.status, answer.body]).toEqual([200, before]);
    }
    await remove(id);
    expect((await patch(org, id, {})).status).toBe(409);
  });

  it('counts the restores that old clients report, and nothing else', async () => {
    const id = await registered(org, profile);
    await patch(org, id, { restore_count_increment: true });
    const { body } = await patch(org, id, { restore_count_increment: true, status: 'golden' });
    expect(body).toMatchObject({
      restore_count: 2,
      status: 'golden',
      observed_restores: 0,
      observed_restore_attempts: 0,
    });
    await Promise.all(Array.from({ length: 10 }, () => patch(org, id, { restore_count_increment: true })));
    expect((await artifactOf(org, id)).restore_count).toBe(12);
  });

  it.each([
    [{ status: 'gone' }, 'status'],
    [{ status: 1 }, 'status'],
    [{ promotion: 'pending' }, 'promotion'],
    [{ restore_count_increment: 1 }, 'restore_count_increment'],
  ])('refuses %j', async (body, field) => {
    const id = await registered(org, profile);
    const answer = await patch(org, id, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('answers 404 for an unknown artifact', async () => {
    const answer = await patch(org, 'unknown', { status: 'ready' });
    expect([answer.status, answer.body.code]).toEqual([404, 'artifact_not_found']);
  });
});

describe('DELETE /v1/inference/artifacts/{artifact_id}', () => {
  it.each(['ready', 'quarantined', 'expired'])('marks a %s artifact as deleted, once', async (status) => {
    const id = await of(status);
    const first = await remove(id);
    expect([first.status, first.body]).toMatchObject([200, { status: 'deleted', residency: { state: 'deleted' } }]);
    const again = await remove(id);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await publishedIds(org, 'artifact.deleted')).toEqual([id]);
  });

  it('needs force for a golden artifact', async () => {
    const id = await of('golden');
    for (const query of ['', '?force=false', '?force=']) {
      const refused = await remove(id, query);
      expect([refused.status, refused.body.code]).toEqual([409, 'artifact_golden']);
    }
    expect((await artifactOf(org, id)).status).toBe('golden');
    expect((await remove(id, '?force=true')).body.status).toBe('deleted');
    expect(await publishedIds(org, 'artifact.deleted')).toEqual([id]);
  });

  it('needs force for the parent of a live child', async () => {
    const [parent, child] = (await chainOf(org, profile, 2)) as [string, string];
    for (const status of ['ready', 'golden', 'quarantined']) {
      await patch(org, child, { status });
      const refused = await remove(parent);
      expect([refused.status, refused.body.code]).toEqual([409, 'artifact_has_children']);
      expect(refused.body.detail).toContain(child);
    }
    expect(await publishedIds(org, 'artifact.deleted')).toEqual([]);
    expect((await remove(parent, '?force=true')).body.status).toBe('deleted');
    expect(await artifactOf(org, child)).toMatchObject({ status: 'quarantined', residency: { state: 'not_ready' } });
  });

  it.each(['deleted', 'expired'])('needs no force if all children are %s', async (status) => {
    const [parent, child] = (await chainOf(org, profile, 2)) as [string, string];
    await (status === 'deleted' ? remove(child) : patch(org, child, { status }));
    expect((await remove(parent)).body.status).toBe('deleted');
  });

  it('refuses an invalid force', async () => {
    const id = await registered(org, profile);
    const answer = await remove(id, '?force=yes');
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['force']]);
    expect((await artifactOf(org, id)).status).toBe('ready');
  });

  it('announces ids without states', async () => {
    const id = await registered(org, profile);
    await remove(id);
    const [event] = (await org.controller.get('/v1/inference/outbox?consumer_id=c')).body.filter(
      (row: { event_type: string }) => row.event_type === 'artifact.deleted',
    );
    expect(event).toMatchObject({
      aggregate_type: 'artifact',
      aggregate_id: id,
      payload: { artifact_id: id, profile_id: profile.profile_id },
    });
    expect(Object.keys(event.payload)).toEqual(['artifact_id', 'profile_id']);
  });

  it('announces one deletion, however many concurrent requests on two replicas', async () => {
    const elsewhere = new Caller((await service.replica()).url, org.operator.token);
    const ids = await Promise.all(Array.from({ length: 10 }, () => registered(org, profile)));
    const answers = await Promise.all(
      ids.flatMap((id) =>
        [org.operator, elsewhere, org.operator, elsewhere].map((caller) => caller.delete(`${ARTIFACTS}/${id}`)),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status}`))).toEqual(new Set(['200 deleted']));
    expect((await publishedIds(org, 'artifact.deleted')).sort()).toEqual(ids.sort());
  });

  it('never succeeds together with the registration of a child', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 40; round++) {
      const parent = await registered(org, profile);
      const child = () =>
        org.controller.post(ARTIFACTS, {
          ...profile,
          artifact_id: `c${round}`,
          checkpoint_mode: 'criu',
          uri: 'x',
          parent_artifact_id: parent,
        });
      const [made, deleted] = await (round % 2
        ? Promise.all([child(), remove(parent)])
        : Promise.all([remove(parent), child()]).then(([b, a]) => [a, b] as const));
      outcomes.add(`${made.status} ${deleted.status}`);
    }
    expect([...outcomes].filter((outcome) => !['201 409', '400 200'].includes(outcome))).toEqual([]);
  });
});
