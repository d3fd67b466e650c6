import { newId } from '../../../../src/1-platform/common/ids';
import {
  ARTIFACTS,
  artifactOf,
  fieldsOf,
  idsOf,
  patch,
  profileFor,
  register,
  registered,
  type ProfileOf,
} from '../../../support/artifacts';
import { buildArtifact, buildProfile } from '../../../support/profiles';
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

describe('POST /v1/inference/artifacts', () => {
  it('registers an artifact with the given members, and with defaults', async () => {
    const answer = await register(org, profile, { artifact_id: 'a1' });
    expect(answer.status).toBe(201);
    const known = buildProfile(profile.profile_id);
    expect(answer.body).toEqual({
      artifact_id: 'a1',
      ...profile,
      logical_model: known.logical_model,
      exact_model: known.exact_model,
      hosting_mode: known.hosting_mode,
      checkpoint_mode: 'criu',
      storage_tier: 'object',
      uri: 's3://checkpoints/a1',
      source: 'controller',
      status: 'ready',
      restore_count: 0,
      metadata: {},
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: answer.body.created_at,
      checksum: null,
      parent_artifact_id: null,
      logical_bytes: null,
      physical_bytes: null,
      reused_bytes: null,
      written_bytes: null,
      last_restored_at: null,
      observed_restores: 0,
      observed_restore_attempts: 0,
      bytes_removed_at: null,
      residency: {
        state: 'restorable',
        reason: 'It is ready on the object tier, which outlives reboots.',
        boot_tied: false,
        original_tier: null,
        copy_lost: false,
        artifact_boot_id: null,
        node_boot_id: null,
        node_name: null,
        node_status: null,
        node_last_sync: null,
        flags_verified: null,
      },
    });
    expect(await artifactOf(org, 'a1')).toEqual(answer.body);

    const members = {
      checksum: 'sha256:1',
      logical_bytes: Number.MAX_SAFE_INTEGER,
      physical_bytes: 3,
      reused_bytes: 2,
      written_bytes: 0,
      source: 'hand',
      storage_tier: 'shared',
      parent_artifact_id: 'a1',
      metadata: { any: [1, null, { x: 'y' }] },
    };
    const full = await register(org, profile, members);
    expect([full.status, full.body]).toEqual([201, expect.objectContaining(members)]);
    const nulls = Object.fromEntries(Object.keys(members).map((name) => [name, null]));
    const bare = await register(org, profile, { ...nulls, metadata: {} });
    expect([bare.status, bare.body]).toEqual([
      201,
      expect.objectContaining({ ...nulls, metadata: {}, source: 'controller', storage_tier: 'object' }),
    ]);
  });

  it.each([[1], ['text'], [[1, 2]], [null], [12345678901234567890n]])(
    'keeps metadata of any type: %p',
    async (value) => {
      const body = JSON.stringify(buildArtifact(profile, 'm')).replace(
        /}$/,
        `,"metadata":${typeof value === 'bigint' ? String(value) : JSON.stringify(value)}}`,
      );
      const answer = await org.controller.post(ARTIFACTS, body);
      expect(answer.status).toBe(201);
      const text = typeof value === 'bigint' ? String(value) : value === null ? '{}' : JSON.stringify(value);
      expect((await org.viewer.get(`${ARTIFACTS}/m`)).text).toContain(`"metadata":${text},`);
    },
  );

  it('returns the stored artifact again, whatever its status', async () => {
    const first = await register(org, profile, { artifact_id: 'a1', physical_bytes: 7 });
    const again = await register(org, profile, { artifact_id: 'a1', physical_bytes: 8, storage_tier: 'shared' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    await patch(org, 'a1', { status: 'golden' });
    expect((await register(org, profile, { artifact_id: 'a1' })).body).toMatchObject({
      status: 'golden',
      physical_bytes: 7,
    });
    await org.operator.delete(`${ARTIFACTS}/a1?force=true`);
    const deleted = await register(org, profile, { artifact_id: 'a1', parent_artifact_id: 'unknown' });
    expect([deleted.status, deleted.body.status]).toEqual([200, 'deleted']);
  });

  it('refuses a different artifact under the same id, and names the differences', async () => {
    const other = await profileFor(org);
    await registered(org, profile, { artifact_id: 'a1' });
    const cases: [object, string[]][] = [
      [{ profile_id: other.profile_id }, ['profile_id']],
      [{ uri: 's3://elsewhere' }, ['uri']],
      [{ compatibility_key: 'another' }, ['compatibility_key']],
      [{ checkpoint_mode: 'rootfs' }, ['checkpoint_mode']],
      [{ uri: 's3://elsewhere', checkpoint_mode: 'rootfs' }, ['uri', 'checkpoint_mode']],
    ];
    for (const [members, names] of cases) {
      const answer = await register(org, profile, { artifact_id: 'a1', ...members });
      expect([answer.status, answer.body.code]).toEqual([409, 'artifact_exists']);
      const named = ['profile_id', 'uri', 'compatibility_key', 'checkpoint_mode'].filter((name) =>
        answer.body.detail.includes(name),
      );
      expect(named).toEqual(names);
    }
    expect(await artifactOf(org, 'a1')).toMatchObject({
      ...profile,
      uri: 's3://checkpoints/a1',
      checkpoint_mode: 'criu',
    });
  });

  it('accepts only a parent of the same compatibility key that is still there', async () => {
    const twin = await profileFor(org);
    expect(twin.compatibility_key).toBe(profile.compatibility_key);
    const stranger = await profileFor(org, { compatibility: { gpu: 'H100' } });
    const parents = {
      fits: await registered(org, profile),
      ofTwin: await registered(org, twin),
      golden: await registered(org, profile),
      quarantined: await registered(org, profile),
      ofStranger: await registered(org, stranger),
      expired: await registered(org, profile),
      deleted: await registered(org, profile),
    };
    await patch(org, parents.golden, { status: 'golden' });
    await patch(org, parents.quarantined, { status: 'quarantined' });
    await patch(org, parents.expired, { status: 'expired' });
    await org.operator.delete(`${ARTIFACTS}/${parents.deleted}`);
    const answers: unknown[] = [];
    for (const parent_artifact_id of [...Object.values(parents), 'unknown', 'itself']) {
      const answer = await register(org, profile, {
        artifact_id: parent_artifact_id === 'itself' ? 'itself' : newId(),
        parent_artifact_id,
      });
      answers.push(answer.status === 400 ? fieldsOf(answer) : [answer.status, answer.body.parent_artifact_id]);
    }
    const refused = ['parent_artifact_id'];
    expect(answers).toEqual([
      ...[parents.fits, parents.ofTwin, parents.golden, parents.quarantined].map((id) => [201, id]),
      ...Array<string[]>(5).fill(refused),
    ]);
    expect((await org.viewer.get(`${ARTIFACTS}/itself`)).status).toBe(404);
  });

  it('registers once per Idempotency-Key, and repeats the 201', async () => {
    const key = { 'idempotency-key': newId() };
    const body = buildArtifact(profile, 'a1');
    const first = await org.controller.post(ARTIFACTS, body, key);
    await patch(org, 'a1', { status: 'golden' });
    const again = await org.controller.post(ARTIFACTS, body, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = await org.controller.post(ARTIFACTS, { ...body, source: 'x' }, key);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    const found = await org.controller.post(ARTIFACTS, body, { 'idempotency-key': newId() });
    expect([found.status, found.body.status]).toEqual([200, 'golden']);
  });

  it('registers once for many concurrent requests on two replicas', async () => {
    const elsewhere = { controller: new Caller((await service.replica()).url, org.controller.token) };
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => register(i % 2 ? org : elsewhere, profile, { artifact_id: `r${round}` })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.created_at))).toHaveProperty('size', 1);
    }
  });

  it.each<[string, object, string]>([
    ['no id', { artifact_id: undefined }, 'artifact_id'],
    ['an empty id', { artifact_id: '' }, 'artifact_id'],
    ['an id of 513 characters', { artifact_id: 'x'.repeat(513) }, 'artifact_id'],
    ['no mode', { checkpoint_mode: undefined }, 'checkpoint_mode'],
    ['no key', { compatibility_key: undefined }, 'compatibility_key'],
    ['no profile', { profile_id: undefined }, 'profile_id'],
    ['no uri', { uri: undefined }, 'uri'],
    ['null as uri', { uri: null }, 'uri'],
    ['an unknown tier', { storage_tier: 'tape' }, 'storage_tier'],
    ['negative bytes', { logical_bytes: -1 }, 'logical_bytes'],
    ['a fraction of a byte', { physical_bytes: 0.5 }, 'physical_bytes'],
    ['bytes as a string', { reused_bytes: '1' }, 'reused_bytes'],
    ['bytes beyond what a double holds', { written_bytes: 2 ** 53 }, 'written_bytes'],
    ['an empty source', { source: '' }, 'source'],
    ['a checksum that is a number', { checksum: 1 }, 'checksum'],
    ['metadata above 256 KiB', { metadata: 'x'.repeat(256 * 1024) }, 'metadata'],
  ])('refuses %s', async (_case, members, field) => {
    const answer = await org.controller.post(ARTIFACTS, { ...buildArtifact(profile, 'a1'), ...members });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
    expect((await org.viewer.get(ARTIFACTS)).body).toEqual([]);
  });

  it('answers 404 for a profile that is unknown or of another organisation', async () => {
    const foreign = await service.organisation();
    const theirs = await profileFor(foreign);
    for (const profile_id of ['unknown', theirs.profile_id]) {
      const answer = await register(org, { ...profile, profile_id });
      expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
    }
  });

  it('answers 404 for an artifact of another organisation, which may use the same id', async () => {
    const foreign = await service.organisation();
    const theirs = await profileFor(foreign);
    await registered(org, profile, { artifact_id: 'a1', metadata: { mine: true } });
    for (const answer of [
      await foreign.viewer.get(`${ARTIFACTS}/a1`),
      await foreign.viewer.get(`${ARTIFACTS}/a1/ancestry`),
      await foreign.operator.delete(`${ARTIFACTS}/a1`),
      await patch(foreign, 'a1', { status: 'golden' }),
      await foreign.operator.post(`${ARTIFACTS}/a1/promote`, { tier: 'local' }),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'artifact_not_found']);
    expect(fieldsOf(await register(foreign, theirs, { parent_artifact_id: 'a1' }))).toEqual(['parent_artifact_id']);
    expect((await register(foreign, theirs, { artifact_id: 'a1' })).status).toBe(201);
    expect(await artifactOf(org, 'a1')).toMatchObject({ status: 'ready', metadata: { mine: true } });
    expect(idsOf((await foreign.viewer.get(ARTIFACTS)).body)).toEqual(['a1']);
  });

  it('lets controllers register, controllers and operators change, and operators delete and promote', async () => {
    const id = await registered(org, profile);
    const calls: [string, string, object | undefined, (keyof Organisation)[]][] = [
      ['post', ARTIFACTS, buildArtifact(profile, id), ['controller', 'admin']],
      ['patch', `${ARTIFACTS}/${id}`, {}, ['operator', 'controller', 'admin']],
      ['post', `${ARTIFACTS}/${id}/promote`, { tier: 'nowhere' }, ['operator', 'admin']],
      ['post', `${ARTIFACTS}/lookup`, profile, ['viewer', 'operator', 'controller', 'admin']],
      ['get', ARTIFACTS, undefined, ['viewer', 'operator', 'controller', 'admin']],
      ['get', `${ARTIFACTS}/${id}`, undefined, ['viewer', 'operator', 'controller', 'admin']],
      ['get', `${ARTIFACTS}/${id}/ancestry`, undefined, ['viewer', 'operator', 'controller', 'admin']],
      ['delete', `${ARTIFACTS}/${id}`, undefined, ['operator', 'admin']],
    ];
    for (const [method, path, body, allowed] of calls) {
      expect((await service.as(undefined).send(method, path, body, {})).status).toBe(401);
      for (const role of ['viewer', 'operator', 'controller', 'admin'] as const) {
        const { status } = await org[role].send(method, path, body, {});
        expect([method, path, role, status === 403]).toEqual([method, path, role, !allowed.includes(role)]);
      }
    }
  });

  it('audits each change', async () => {
    const id = await registered(org, profile, { storage_tier: 'shared' });
    await register(org, profile, { artifact_id: id });
    await patch(org, id, { status: 'golden' });
    await org.operator.post(`${ARTIFACTS}/${id}/promote`, { tier: 'local' });
    await org.operator.delete(`${ARTIFACTS}/${id}?force=true`);
    const entries = (await org.operator.get('/v1/audit?resource=artifact')).body as Record<string, unknown>[];
    expect(entries.map(({ action, resource_id: of, details }) => [action, of, details])).toEqual([
      ['delete_artifact', id, { from: 'golden', force: true }],
      ['promote_artifact', id, { from: 'shared', tier: 'local' }],
      ['update_artifact', id, { from: 'ready', status: 'golden' }],
      ['register_artifact', id, { created: false }],
      ['register_artifact', id, { created: true }],
    ]);
  });
});
