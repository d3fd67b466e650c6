import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { listArtifacts } from '../../../../src/4-serving/artifacts/artifact-reads.queries';
import {
  ARTIFACTS,
  chainOf,
  clusterWithNode,
  fieldsOf,
  idsOf,
  patch,
  profileFor,
  register,
  registered,
  type ProfileOf,
} from '../../../support/artifacts';
import { plansOf } from '../../../support/plans';
import { inParallel } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import { SentStatements } from '../../../support/statements';
import { ok } from '../../../support/workloads';

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
afterEach(() => jest.restoreAllMocks());

const list = async (query = '') => idsOf(ok(await org.viewer.get(`${ARTIFACTS}${query}`)).body);
const ancestry = async (id: string) => idsOf(ok(await org.viewer.get(`${ARTIFACTS}/${id}/ancestry`)).body);

describe('GET /v1/inference/artifacts', () => {
  it('lists by profile, status and mode, newest first', async () => {
    const other = await profileFor(org);
    for (const artifact_id of ['a', 'b', 'c']) await registered(org, profile, { artifact_id });
    await registered(org, other, { artifact_id: 'd', checkpoint_mode: 'rootfs' });
    await patch(org, 'b', { status: 'golden' });
    await patch(org, 'c', { status: 'quarantined' });
    await org.operator.delete(`${ARTIFACTS}/a`);
    const cases: [string, string[]][] = [
      ['', ['d', 'c', 'b', 'a']],
      [`?profile_id=${profile.profile_id}`, ['c', 'b', 'a']],
      ['?status=golden', ['b']],
      ['?status=deleted', ['a']],
      ['?status=ready', ['d']],
      ['?mode=rootfs', ['d']],
      [`?profile_id=${profile.profile_id}&mode=criu&status=quarantined`, ['c']],
      [`?profile_id=${profile.profile_id}&mode=rootfs`, []],
      ['?artifact_id=b', ['b']],
      [`?artifact_id=d&profile_id=${profile.profile_id}`, []],
      ['?profile_id=unknown', []],
      ['?status=none', []],
      ['?profile_id=&status=&mode=&limit=', ['d', 'c', 'b', 'a']],
    ];
    for (const [query, ids] of cases) expect([query, await list(query)]).toEqual([query, ids]);
  });

  it('lists by location, of whichever profile, and with other filters', async () => {
    const other = await profileFor(org);
    await registered(org, profile, { artifact_id: 'a', uri: '/one/place' });
    await registered(org, other, { artifact_id: 'b', uri: '/one/place' });
    await registered(org, other, { artifact_id: 'c', uri: '/one/place/more' });
    await org.operator.delete(`${ARTIFACTS}/a`);
    expect(await list('?uri=/one/place')).toEqual(['b', 'a']);
    expect(await list(`?uri=/one/place&profile_id=${other.profile_id}`)).toEqual(['b']);
    expect(await list('?uri=/one/place&awaiting_removal=true')).toEqual(['a']);
    expect(await list('?uri=/one')).toEqual([]);
  });

  it('finds those at one location by an index, among many with others and with none', async () => {
    await service.db.query(
      `insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status, metadata)
       select $1, 'a' || n, $2, $3, 'criu', 'object', case when n % 2 = 0 then '' else '/place/' || n end, 'controller', 'ready', '{}'
       from generate_series(1, 3000) n`,
      [org.id, ...Object.values(profile)],
    );
    await service.db.query('analyze artifacts');
    let found: string[] = [];
    const plans = await plansOf(service, org, async (tx) => {
      const { rows } = await listArtifacts(tx, { uri: '/place/7' }, { limit: 100, offset: 0 }, false);
      found = rows.map(({ artifact_id: id }) => id);
    });
    expect(found).toEqual(['a7']);
    expect(plans).toEqual([expect.stringContaining('artifacts_by_uri_idx')]);
  });

  it('continues behind its Link, which keeps the filter', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await registered(org, profile));
    await registered(org, await profileFor(org));
    const filter = `profile_id=${profile.profile_id}`;
    const page = await org.viewer.get(`${ARTIFACTS}?${filter}&limit=2`);
    expect(idsOf(page.body)).toEqual(ids.slice(0, 2));
    const next = /^<(.*)>; rel="next"$/.exec(page.headers.link ?? '')?.[1] ?? '';
    const second = await org.viewer.get(next);
    expect(idsOf(second.body)).toEqual(ids.slice(2, 4));
    const last = await org.viewer.get(`${ARTIFACTS}?${filter}&limit=2&offset=4`);
    expect([idsOf(last.body), last.headers.link]).toEqual([ids.slice(4), undefined]);
    expect((await org.viewer.get(`${ARTIFACTS}?${filter}&limit=5`)).headers.link).toBeUndefined();
  });

  it('refuses an invalid limit', async () => {
    for (const limit of ['0', '-1', 'x', '1.5'])
      expect(fieldsOf(await org.viewer.get(`${ARTIFACTS}?limit=${limit}`))).toEqual(['limit']);
    expect(fieldsOf(await org.viewer.get(`${ARTIFACTS}?offset=-1`))).toEqual(['offset']);
  });

  it('shows 100 by default and 1,000 at most, each with residency and starts, in one statement', async () => {
    const node = await clusterWithNode(org);
    const rebooted = { ...node, boot: 'another boot' };
    const base = await registered(org, profile, { artifact_id: 'base' });
    await service.db.query(
      `insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status,
         parent_artifact_id, metadata, node_name, node_boot_id)
       select $1, 'a' || n, $2, $3, 'criu', case when n % 2 = 0 then 'local' else 'object' end, 's3://' || n, 'controller', 'ready',
         $4, '{}', $5, case when n % 4 = 0 then $6 else $7 end from generate_series(1, 1100) n`,
      [org.id, ...Object.values(profile), base, node.name, node.boot, rebooted.boot],
    );
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, artifact_id)
       select $1, gen_random_uuid(), $2, 1, now(), true, case when n % 3 = 0 then now() end, 'a' || n from generate_series(1, 1100) n`,
      [org.id, profile.profile_id],
    );
    expect(await list()).toHaveLength(100);
    const statements = new SentStatements();
    const page = await org.viewer.get(`${ARTIFACTS}?limit=5000`);
    expect(statements.counts(org.id)).toEqual({ 'in a transaction': 1 });
    expect(page.headers.link).toContain('limit=1000&offset=1000');
    expect(page.body).toHaveLength(1_000);
    for (const row of page.body as {
      artifact_id: string;
      observed_restores: number;
      observed_restore_attempts: number;
      residency: object;
    }[]) {
      const n = Number(row.artifact_id.slice(1));
      expect([n, row.residency]).toMatchObject([n, { state: n % 4 === 2 ? 'node_rebooted' : 'restorable' }]);
      expect([n, row.observed_restore_attempts, row.observed_restores]).toEqual([n, 1, n % 3 === 0 ? 1 : 0]);
    }
    expect(await list('?limit=5000&offset=1000')).toHaveLength(101);
  });

  it('ends a page before the reply grows too large', async () => {
    const metadata = 'x'.repeat(250 * 1024);
    const ids = Array.from({ length: 70 }, (_, i) => `big-${i}`);
    await inParallel(ids, 4, (artifact_id) => registered(org, profile, { artifact_id, metadata }));
    const seen: string[] = [];
    const pages: number[] = [];
    for (let at: string | undefined = `${ARTIFACTS}?limit=1000`; at !== undefined;) {
      const page = await org.viewer.get(at);
      seen.push(...idsOf(page.body));
      pages.push(page.body.length);
      at = /^<(.*)>; rel="next"$/.exec(page.headers.link ?? '')?.[1];
    }
    expect(pages).toHaveLength(2);
    expect(seen.sort()).toEqual(ids.sort());
  });
});

describe('GET /v1/inference/artifacts/{artifact_id}', () => {
  it('finds an artifact with any id, and answers 404 for an unknown one', async () => {
    const id = 'a/b c?d#ü%';
    await registered(org, profile, { artifact_id: id });
    expect((await org.viewer.get(`${ARTIFACTS}/${encodeURIComponent(id)}`)).body.artifact_id).toBe(id);
    for (const path of ['unknown', 'unknown/ancestry']) {
      const answer = await org.viewer.get(`${ARTIFACTS}/${path}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'artifact_not_found']);
    }
  });
});

describe('GET /v1/inference/artifacts/{artifact_id}/ancestry', () => {
  /** A chain of `a-1` to `a-<length>`, whose last artifact has so much metadata. */
  const chained = async (length: number, metadata: JsonObject = {}) => {
    const own = await service.organisation();
    const of = await profileFor(own);
    await registered(own, of, { artifact_id: 'a-1', metadata });
    await service.db.query(
      `insert into artifacts select (jsonb_populate_record(a, jsonb_build_object('artifact_id', 'a-' || n,
         'parent_artifact_id', 'a-' || n - 1))).* from artifacts a, generate_series(2, $2::int) n
       where a.org_id = $1 and a.artifact_id = 'a-1'`,
      [own.id, length],
    );
    return { own, of };
  };
  const chainOfLast = async ({ own }: { own: Organisation }, length: number) =>
    own.viewer.get(`${ARTIFACTS}/a-${length}/ancestry`);

  it('ends with the artifact itself after 999 ancestors, and no chain gets longer than that', async () => {
    const full = await chained(999);
    const child = (parent: number) => ({ artifact_id: `a-${parent + 1}`, parent_artifact_id: `a-${parent}` });
    expect((await register(full.own, full.of, child(999))).status).toBe(201);
    const { status, body } = await chainOfLast(full, 1_000);
    expect([status, idsOf(body).length, idsOf(body).at(0), idsOf(body).at(-1)]).toEqual([200, 1_000, 'a-1', 'a-1000']);
    const refused = await register(full.own, full.of, child(1_000));
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ field: 'parent_artifact_id', message: 'names the end of a chain of 1000 artifacts, which is full' }],
    ]);
  });

  it.each<[string, number, JsonObject]>([
    ['artifacts', 1_001, {}],
    ['bytes', 80, { long: 'x'.repeat(250_000) }],
  ])('answers 409 rather than a part of a chain of too many %s', async (_what, length, metadata) => {
    const { status, body } = await chainOfLast(await chained(length, metadata), length);
    expect([status, body.code]).toEqual([409, 'ancestry_too_large']);
  });

  it('lists the chain, oldest first and the artifact last, whatever their statuses', async () => {
    const ids = await chainOf(org, profile, 4);
    await registered(org, profile, { parent_artifact_id: ids[1] });
    await org.operator.delete(`${ARTIFACTS}/${ids[1]}?force=true`);
    expect(await ancestry(ids[3] as string)).toEqual(ids);
    expect(await ancestry(ids[1] as string)).toEqual(ids.slice(0, 2));
    expect(await ancestry(ids[0] as string)).toEqual(ids.slice(0, 1));
    const { body } = await org.viewer.get(`${ARTIFACTS}/${ids[3]}/ancestry`);
    expect((body as { residency: { state: string } }[]).map(({ residency }) => residency.state)).toEqual([
      'restorable',
      'deleted',
      'parent_missing',
      'parent_missing',
    ]);
  });

  it('stops at a cycle, as every other read does', async () => {
    const [first, second, third] = (await chainOf(org, profile, 3)) as [string, string, string];
    await service.db.query('update artifacts set parent_artifact_id = $3 where org_id = $1 and artifact_id = $2', [
      org.id,
      first,
      third,
    ]);
    expect(await ancestry(third)).toEqual([first, second, third]);
    expect(await ancestry(first)).toEqual([second, third, first]);
    const { body } = await org.viewer.get(ARTIFACTS);
    expect((body as { residency: { state: string } }[]).map(({ residency }) => residency.state)).toEqual(
      Array(3).fill('parent_missing'),
    );
    expect((await org.operator.delete(`${ARTIFACTS}/${first}`)).status).toBe(409);
  });

  it('lists a chain of 300 artifacts', async () => {
    await service.db.query(
      `insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status,
         parent_artifact_id, metadata)
       select $1, 'c' || n, $2, $3, 'criu', 'object', 's3://' || n, 'controller', 'ready', case when n > 1 then 'c' || n - 1 end, '{}'
       from generate_series(1, 300) n`,
      [org.id, ...Object.values(profile)],
    );
    expect(await ancestry('c300')).toEqual(Array.from({ length: 300 }, (_, i) => `c${i + 1}`));
  });
});
