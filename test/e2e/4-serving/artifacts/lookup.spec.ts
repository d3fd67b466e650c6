import { newId } from '../../../../src/1-platform/common/ids';
import {
  ARTIFACTS,
  clusterWithNode,
  fieldsOf,
  idsOf,
  onNode,
  patch,
  profileFor,
  registered,
  type ProfileOf,
} from '../../../support/artifacts';
import { newer } from '../../../support/builders';
import { Service, type Organisation } from '../../../support/service';
import { ok, syncAll } from '../../../support/workloads';

let service: Service;
let org: Organisation;
let profile: ProfileOf;
let node: Awaited<ReturnType<typeof clusterWithNode>>;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  profile = await profileFor(org);
  node = await clusterWithNode(org);
});
afterAll(() => service.close());

interface Candidate {
  artifact: { artifact_id: string; residency: { state: string } };
  restorable: boolean;
  mismatches: { property: string; artifact_value: unknown; wanted_value: unknown; severity: string }[];
}

const lookup = async (body: object) => ok(await org.viewer.post(`${ARTIFACTS}/lookup`, body)).body as Candidate[];
const found = async (body: object) =>
  (await lookup(body)).map(({ artifact, restorable }) => `${artifact.artifact_id} ${restorable}`);
const mismatchesOf = async (body: object) =>
  Object.fromEntries((await lookup(body)).map((row) => [row.artifact.artifact_id, row.mismatches]));

describe('POST /v1/inference/artifacts/lookup', () => {
  it('finds by profile: the hottest restorable artifact first, then newer ones, then the rest', async () => {
    const of = (artifact_id: string, members: object = {}) => registered(org, profile, { artifact_id, ...members });
    await of('local', onNode(node));
    await of('object 1');
    await of('memory', { ...onNode(node), storage_tier: 'memory' });
    await of('shared', { storage_tier: 'shared' });
    await of('memory of old', { ...onNode({ ...node, boot: newId() }), storage_tier: 'memory' });
    await of('object 2');
    await of('quarantined');
    await patch(org, 'quarantined', { status: 'quarantined' });
    for (const gone of ['expired', 'deleted']) await of(gone);
    await patch(org, 'expired', { status: 'expired' });
    await org.operator.delete(`${ARTIFACTS}/deleted`);
    await registered(org, await profileFor(org, { compatibility: { gpu: 'H100' } }), { artifact_id: 'of another' });

    const body = { profile_id: profile.profile_id };
    const expected = [
      'memory true',
      'local true',
      'shared true',
      'object 2 true',
      'object 1 true',
      'memory of old false',
      'quarantined false',
    ];
    expect(await found(body)).toEqual(expected);
    for (const { artifact, mismatches } of await lookup(body)) {
      expect(mismatches).toEqual([]);
      expect(artifact).toEqual((await org.viewer.get(`${ARTIFACTS}/${artifact.artifact_id}`)).body);
    }
    // After a reboot of the node, the artifact on its memory ranks last.
    await syncAll(org.controller, node.clusterId, [newer(node.node, { status: { nodeInfo: { bootID: newId() } } })]);
    expect((await found(body)).slice(0, 3)).toEqual(['shared true', 'object 2 true', 'object 1 true']);
    expect(
      (await lookup(body))
        .filter(({ restorable }) => !restorable)
        .map(({ artifact }) => artifact.residency.state)
        .sort(),
    ).toEqual(['node_rebooted', 'node_rebooted', 'node_rebooted', 'not_ready']);
  });

  it('finds by compatibility key, whatever the profile', async () => {
    const twin = await profileFor(org);
    await registered(org, profile, { artifact_id: 'mine' });
    await registered(org, twin, { artifact_id: "the twin's" });
    const { compatibility_key } = profile;
    expect(await found({ compatibility_key })).toEqual(["the twin's true", 'mine true']);
    // By profile, it finds all artifacts that fit, also those of other profiles.
    expect(await found({ profile_id: profile.profile_id })).toEqual(["the twin's true", 'mine true']);
    expect(await found({ compatibility_key: 'unknown' })).toEqual([]);
  });

  it.each(['the profile', 'another profile'])(
    'finds the artifact of %s with the compatibility key before 101 newer lost ones of the other',
    async (holder) => {
      const twin = await profileFor(org);
      const [one, other] = holder === 'the profile' ? [profile, twin] : [twin, profile];
      await registered(org, one, { artifact_id: 'restorable', ...onNode(node) });
      const elsewhere = onNode({ ...node, boot: newId() });
      // All of them at the same time would be more than the service takes on a busy machine.
      for (let index = 0; index < 101; index++) await registered(org, other, { artifact_id: `${index}`, ...elsewhere });
      const all = await found({ profile_id: profile.profile_id });
      expect([all.length, all[0]]).toEqual([101, 'restorable true']);
    },
  );

  it('names what differs from the requested properties', async () => {
    const flagged = await profileFor(org, { compatibility: { gpu: 'L4' }, spec: { engine_flags: ['--new'] } });
    await registered(org, flagged, { artifact_id: 'other key', compatibility_key: 'another' });
    await registered(org, flagged, { artifact_id: 'other flags', metadata: { engine_flags: ['--old'] } });
    await registered(org, flagged, { artifact_id: 'here', ...onNode(node) });
    await registered(org, flagged, { artifact_id: 'anywhere' });
    const body = { profile_id: flagged.profile_id, node_name: 'gpu-2' };
    expect(await mismatchesOf(body)).toEqual({
      anywhere: [],
      here: [{ property: 'node_name', artifact_value: 'gpu-1', wanted_value: 'gpu-2', severity: 'block' }],
      'other flags': [
        { property: 'engine_flags', artifact_value: '["--old"]', wanted_value: '["--new"]', severity: 'block' },
      ],
      'other key': [
        {
          property: 'compatibility_key',
          artifact_value: 'another',
          wanted_value: flagged.compatibility_key,
          severity: 'block',
        },
      ],
    });
    expect(await found(body)).toEqual(['anywhere true', 'here false', 'other flags false', 'other key false']);
    expect(await found({ ...body, node_name: 'gpu-1' })).toEqual([
      'here true',
      'anywhere true',
      'other flags false',
      'other key false',
    ]);
    expect(await found({ ...body, node_name: null })).toEqual([
      'here true',
      'anywhere true',
      'other flags false',
      'other key false',
    ]);
  });

  it('compares engine flags with those of the profile that is asked for', async () => {
    const long = 'x'.repeat(200);
    const withFlags = (flag: string) => profileFor(org, { spec: { engine_flags: [long, flag] } });
    const [mine, twin] = [await withFlags('--mine'), await withFlags('--twin')];
    const artifact = (artifact_id: string, of: ProfileOf, flag: string) =>
      registered(org, of, { artifact_id, metadata: { engine_flags: [long, flag] } });
    await artifact('fits the twin', twin, '--twin');
    await artifact('fits mine', twin, '--mine');
    await registered(org, twin, { artifact_id: 'without' });
    expect(await found({ profile_id: mine.profile_id })).toEqual([
      'without true',
      'fits mine true',
      'fits the twin false',
    ]);
    const shown = `["${'x'.repeat(158)}`;
    const mismatch = { property: 'engine_flags', artifact_value: shown, wanted_value: shown, severity: 'block' };
    expect(await mismatchesOf({ profile_id: mine.profile_id })).toEqual({
      without: [],
      'fits mine': [],
      'fits the twin': [mismatch],
    });
    // A key alone names no flags: those of its own profile decide about each artifact.
    for (const body of [{ profile_id: twin.profile_id }, { compatibility_key: mine.compatibility_key }])
      expect(await found(body)).toEqual(['without true', 'fits the twin true', 'fits mine false']);
    const of = { profile_id: mine.profile_id };
    await service.db.query(
      "update artifacts set restore_failed_at = clock_timestamp(), restore_failure = 'x' where artifact_id = 'fits mine'",
    );
    expect(await found(of)).toEqual(['without true', 'fits mine false', 'fits the twin false']);
  });

  it('compares the machine of the restore with that of each artifact: what blocks, warns or is not known', async () => {
    const machine = {
      architecture: 'x86_64',
      page_size: 4096,
      criu: '4.1',
      cpu_flags: ['avx', 'sse'],
      libc: 'glibc 2.39',
    };
    await registered(org, profile, { artifact_id: 'unknown' });
    await registered(org, profile, { artifact_id: 'other', metadata: { machine: { ...machine, libc: 'musl' } } });
    await registered(org, profile, { artifact_id: 'newer', metadata: { machine: { ...machine, criu: '4.2' } } });
    await registered(org, profile, { artifact_id: 'same', metadata: { machine } });
    const body = { profile_id: profile.profile_id, machine };
    expect(await found(body)).toEqual(['same true', 'other true', 'unknown true', 'newer false']);
    const mismatches = await mismatchesOf(body);
    expect(mismatches.same).toEqual([]);
    expect(mismatches.other).toEqual([
      { property: 'libc', artifact_value: 'musl', wanted_value: 'glibc 2.39', severity: 'warn' },
    ]);
    expect(mismatches.newer).toEqual([
      { property: 'criu', artifact_value: '4.2', wanted_value: '4.1', severity: 'block' },
    ]);
    expect(mismatches.unknown?.map(({ severity }) => severity)).toEqual(Array.from({ length: 5 }, () => 'unknown'));
    // Without a machine, nothing of it is compared.
    expect(await found({ profile_id: profile.profile_id })).toEqual([
      'same true',
      'newer true',
      'other true',
      'unknown true',
    ]);
  });

  it('compares what the images need of the kernel, and the image and the GPUs of both machines', async () => {
    const machine = {
      kernel_features: ['inotify', 'ipv6'],
      image_digest: 'sha256:a',
      gpus: ['NVIDIA L4', 'NVIDIA L4'],
      gpu_driver: '565.57',
    };
    await registered(org, profile, { artifact_id: 'taken', metadata: { machine } });
    const on = (here: object) => ({ profile_id: profile.profile_id, machine: { ...machine, ...here } });
    expect(await found(on({ kernel_features: ['inotify', 'ipv6', 'tun'] }))).toEqual(['taken true']);
    expect((await mismatchesOf(on({}))).taken).toEqual([]);
    const other = on({ image_digest: 'sha256:b', gpus: ['NVIDIA L4'], gpu_driver: '570.86' });
    expect(await found(other)).toEqual(['taken true']);
    expect((await mismatchesOf(other)).taken).toEqual([
      { property: 'image_digest', artifact_value: 'sha256:a', wanted_value: 'sha256:b', severity: 'warn' },
      { property: 'gpus', artifact_value: ['NVIDIA L4'], wanted_value: [], severity: 'warn' },
      { property: 'gpu_driver', artifact_value: '565.57', wanted_value: '570.86', severity: 'warn' },
    ]);
    const without = on({ kernel_features: ['ipv6'] });
    expect(await found(without)).toEqual(['taken false']);
    expect((await mismatchesOf(without)).taken).toEqual([
      { property: 'kernel_features', artifact_value: ['inotify'], wanted_value: [], severity: 'block' },
    ]);
  });

  it.each([
    [{ page_size: 0 }, 'machine.page_size'],
    [{ kernel_features: [1] }, 'machine.kernel_features'],
    [{ gpus: 'NVIDIA L4' }, 'machine.gpus'],
    [{ cpu_flags: 'avx' }, 'machine.cpu_flags'],
    [{ kernel: '6.1' }, 'machine.kernel'],
  ])('refuses the machine %j', async (machine, field) => {
    const answer = await org.viewer.post(`${ARTIFACTS}/lookup`, { profile_id: profile.profile_id, machine });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('judges an artifact with a pending promotion by its previous tier', async () => {
    await registered(org, profile, { artifact_id: 'promoted' });
    await registered(org, profile, { artifact_id: 'shared', storage_tier: 'shared' });
    await org.operator.post(`${ARTIFACTS}/promoted/promote`, { tier: 'memory' });
    expect(await found({ profile_id: profile.profile_id, node_name: 'gpu-1' })).toEqual([
      'shared true',
      'promoted true',
    ]);
    await patch(org, 'promoted', { promotion: 'confirmed' });
    expect(await found({ profile_id: profile.profile_id })).toEqual(['shared true', 'promoted false']);
  });

  it('offers a copy on its node, and its original everywhere else', async () => {
    await registered(org, profile, { artifact_id: 'copied' });
    await registered(org, profile, { artifact_id: 'shared', storage_tier: 'shared' });
    await org.operator.post(`${ARTIFACTS}/copied/promote`, { tier: 'local' });
    await patch(org, 'copied', { promotion: 'confirmed', node_name: node.name, node_boot_id: node.boot });
    const on = (node_name: string) => found({ profile_id: profile.profile_id, node_name });
    expect(await on(node.name)).toEqual(['copied true', 'shared true']);
    expect(await on('gpu-2')).toEqual(['shared true', 'copied true']);
  });

  it('finds the hottest of very many artifacts', async () => {
    await registered(org, profile, { artifact_id: 'hot', ...onNode(node) });
    await service.db.query(
      `insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status, metadata)
       select $1, 'a' || n, $2, $3, 'criu', 'object', 's3://' || n, 'controller', 'ready', '{}' from generate_series(1, 300) n`,
      [org.id, ...Object.values(profile)],
    );
    expect((await found({ profile_id: profile.profile_id }))[0]).toBe('hot true');
  });

  it('finds nothing of another organisation, and answers 404 for an unknown profile', async () => {
    const foreign = await service.organisation();
    await registered(foreign, await profileFor(foreign, { profile_id: 'theirs' }));
    expect(await found({ compatibility_key: profile.compatibility_key })).toEqual([]);
    for (const profile_id of ['unknown', 'theirs'])
      for (const more of [{}, { compatibility_key: profile.compatibility_key }]) {
        const answer = await org.viewer.post(`${ARTIFACTS}/lookup`, { profile_id, ...more });
        expect([answer.status, answer.body.code]).toEqual([404, 'profile_not_found']);
      }
    expect(idsOf((await org.viewer.get(ARTIFACTS)).body)).toEqual([]);
  });

  it.each([
    [{}, 'profile_id'],
    [{ node_name: 'gpu-1' }, 'profile_id'],
    [{ profile_id: null }, 'profile_id'],
    [{ profile_id: '' }, 'profile_id'],
    [{ compatibility_key: 1 }, 'compatibility_key'],
    [{ compatibility_key: 'x', node_name: 1 }, 'node_name'],
    [{ compatibility_key: 'x', tier: 'memory' }, 'tier'],
  ])('refuses %j', async (body, field) => {
    const answer = await org.viewer.post(`${ARTIFACTS}/lookup`, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });
});
