import { Service, type Answer, type Caller, type Organisation } from '../../../support/service';
import { buildCluster, buildPod, ok, readyCheckpoint } from '../../../support/workloads';

const BYTES = 250 * 1024;
const ROWS = 80;

/** Stored JSON is returned byte for byte; a list of more than 16 MiB continues at its `Link`. */
describe('a page of a list of stored JSON', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  async function pagesOf(caller: Caller, path: string, id: string): Promise<string[][]> {
    const pages: string[][] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const answer: Answer = ok(await caller.get(next));
      expect(answer.text.length).toBeLessThan(17 * 1024 * 1024);
      pages.push((answer.body as Record<string, string>[]).map((row) => row[id] ?? ''));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1];
    }
    return pages;
  }

  it('ends at 16 MiB for clusters', async () => {
    await service.db.query(
      `insert into clusters (org_id, id, name, kind, metadata)
       select $1, gen_random_uuid(), 'c-' || lpad(i::text, 3, '0'), 'kubernetes', json_build_object('note', repeat('x', $2)) from generate_series(1, $3) i`,
      [org.id, BYTES, ROWS],
    );
    const pages = await pagesOf(org.viewer, '/v1/cluster', 'name');
    expect(pages.map((page) => page.length)).toEqual([66, 14]);
    expect(pages.flat()).toEqual(Array.from({ length: ROWS }, (_, i) => `c-${String(i + 1).padStart(3, '0')}`));
    expect((await pagesOf(org.viewer, '/v1/cluster?limit=60', 'name')).map((page) => page.length)).toEqual([60, 20]);
  });

  it('ends at 16 MiB for actions', async () => {
    const { actionId } = await readyCheckpoint(org, (await buildPod(org, await buildCluster(org))).uid);
    await service.db.query(
      `insert into actions select (json_populate_record(a, json_build_object('id', gen_random_uuid(), 'created_at', a.created_at + i * interval '1 second',
         'details', json_build_object('note', repeat('x', $2))))).* from actions a, generate_series(1, $3) i where a.id = $1`,
      [actionId, BYTES, ROWS],
    );
    const pages = await pagesOf(org.viewer, '/v1/actions?type=checkpoint_pod', 'action_id');
    expect(pages.map((page) => page.length)).toEqual([66, 15]);
    const { rows } = await service.db.query<{ id: string }>(
      'select id from actions where org_id = $1 order by created_at desc',
      [org.id],
    );
    expect(pages.flat()).toEqual(rows.map(({ id }) => id));
  });
});
