import { newId } from '../../src/1-platform/common/ids';
import { buildPod } from '../support/builders';
import { coldProfile, createKey, routeTo } from '../support/chat';
import { cluster, syncObjects } from '../support/inventory';
import { body1, HEADERS_1, type BuiltSeries } from '../support/remote-write';
import { buildEvent, buildProfile, createProfile, report } from '../support/profiles';
import { Service, type Organisation } from '../support/service';
import { expectFigure, printFigures } from '../support/figures';

const SIZES = `
  with tables as (
    select coalesce(parent.relname, c.relname) as name, pg_total_relation_size(c.oid)::int as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_inherits i on i.inhrelid = c.oid left join pg_class parent on parent.oid = i.inhparent
    where n.nspname !~ '^(pg_|information_schema|pgboss)' and c.relkind = 'r'
  )
  select name, sum(bytes)::int as bytes from tables group by name
  union all select 'all', sum(bytes)::int from tables`;

type Sizes = ReadonlyMap<string, number>;

/** What rows take on disk with their indexes, as the guide's table of sizes says. */
describe('the storage of one database', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    printFigures();
  });

  async function sizes(): Promise<Sizes> {
    const { rows } = await service.db.query<{ name: string; bytes: number }>(SIZES);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  }

  async function measure(what: string, count: number, atMost: number, work: () => Promise<unknown>): Promise<void> {
    const before = await sizes();
    await work();
    const after = await sizes();
    const grown = (table: string): number => (after.get(table) ?? 0) - (before.get(table) ?? 0);
    const tables = [...after.keys()].filter((name) => name !== 'all' && grown(name) > grown('all') / 50);
    const parts = tables.map((name) => `${name} ${(grown(name) / count).toFixed(0)}`).join(', ');
    expectFigure({
      attack: what,
      measure: `one of ${count}: ${parts}`,
      value: grown('all') / count,
      unit: 'bytes',
      bound: { atMost },
    });
    expect(grown('all')).toBeGreaterThan(0);
  }

  it('grows by a known size with each object, change, request and sample', async () => {
    const clusterId = await cluster(org);
    const pods = Array.from({ length: 5_000 }, (_, n) => buildPod(`pod-${n}`));
    await measure('a pod', pods.length, 2_500, () => syncObjects(org.controller, clusterId, ...pods));

    await measure('a change, with its event and audit entry', 500, 3_000, async () => {
      for (let n = 0; n < 500; n++) await org.operator.post('/v1/inference/profiles', buildProfile(`profile-${n}`));
    });

    const model = await routeTo(org, [await coldProfile(org)]);
    const { raw_key: key } = await createKey(org, { budget_usd: 1_000_000 });
    await measure('an admitted request', 2_000, 1_200, async () => {
      for (let n = 0; n < 2_000; n++) {
        const body = { request_id: newId(), logical_model: model };
        expect((await service.as(key).post('/v1/inference/router/authorize', body)).status).toBe(200);
      }
    });

    // The two entries of its ledger are kept for longer than the rest.
    await measure('an admitted request that is reported', 2_000, 2_400, async () => {
      for (let n = 0; n < 2_000; n++) {
        const request = { request_id: newId(), logical_model: model };
        expect((await service.as(key).post('/v1/inference/router/authorize', request)).status).toBe(200);
        const telemetry = { ...request, status_code: 200, prompt_tokens: 100, completion_tokens: 100 };
        expect((await org.controller.post('/v1/inference/router/telemetry', telemetry)).status).toBe(200);
      }
    });

    const { profile_id: profileId } = await createProfile(org);
    await measure('a report of a change', 1_000, 2_000, async () => {
      for (let n = 0; n < 1_000; n++) {
        const phase = ['Pending', 'Loading', 'Ready', 'Suspended'][n % 4];
        expect((await report(org.controller, profileId, { phase, ready: phase === 'Ready' })).status).toBe(204);
      }
    });

    await measure('a lifecycle event', 1_000, 2_500, async () => {
      for (let n = 0; n < 1_000; n++) {
        const event = buildEvent(clusterId, profileId);
        expect((await org.controller.post('/v1/inference/lifecycle-events', event)).status).toBe(204);
      }
    });

    await measure('a checkpoint of a job of a node daemon', 1_000, 1_500, async () => {
      for (let n = 0; n < 1_000; n++) {
        const checkpoint = { JID: `job-${n % 10}`, Path: `/checkpoints/job-${n}`, Time: n, Size: 1_048_576 };
        expect((await org.controller.put(`/v1/svc/job/checkpoints/${newId()}`, checkpoint)).status).toBe(200);
      }
    });

    const now = Date.now();
    const send = async (labels: Record<string, string>[]) => {
      const series = labels.map((one): BuiltSeries => ({
        labels: one,
        samples: Array.from({ length: 240 }, (_sample, at) => [now - (240 - at) * 15_000, at % 100]),
      }));
      const answer = await org.controller.send('post', '/v1/metrics/write', body1(...series), HEADERS_1);
      expect(answer.status).toBe(204);
    };
    await measure('a metric sample of a host', 500 * 240, 30, () =>
      send(
        Array.from({ length: 500 }, (_, cpu) => ({
          __name__: 'node_cpu_seconds_total',
          cpu: String(cpu),
          instance: 'a',
        })),
      ),
    );
    await measure('a metric sample that shares its moment with no other', 100 * 240, 300, () =>
      send(Array.from({ length: 100 }, (_, n) => ({ __name__: 'node_load1', instance: `host-${n}` }))),
    );
  });
});
