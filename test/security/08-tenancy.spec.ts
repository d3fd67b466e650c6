import pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { operations } from '../support/description';
import { Marketplace } from '../support/marketplace';
import { CALLS, QUERIES, WITHOUT_FAULT } from '../support/everything-calls';
import { fill, fillLegacy, MARK, PLUGIN, settingsFor, type Things } from '../support/everything';
import { buildArtifact, buildEvent, createProfile, reportEvent } from '../support/profiles';
import { fetched, put } from '../support/plugins';
import { printFigures, recordFigure } from '../support/figures';
import { Service, type Answer, type Caller, type Organisation } from '../support/service';

/** Operations whose path holds something other than the id of an organisation's row. */
const WITHOUT_FOREIGN_IDS: Record<string, string> = {
  revoke_token: 'an admin manages the tokens of every organisation',
  list_jobs_by_priority: 'a priority is not an id',
  get_model: 'a name is not an id; the models of a key are tested below',
  get_route_state: 'a name is not an id; tested below',
  delete_route: 'a name is not an id: each organisation has its own routes; see the tests of routes',
  create_file_url: 'each organisation has its own files; tested below',
  delete_file: 'each organisation has its own files; tested below',
  list_directory: 'each organisation has its own files; tested below',
  download_plugin_binary: 'a name is not an id; tested below',
  upload_plugin: 'a name is not an id: each organisation has its own',
  get_slurm_partition_timeseries: 'a partition reported by another organisation only has no history',
};

/**
 * The ids that lists show. Lists show neither the request of a checkpoint, which is read through its profile,
 * nor requests for models, nor files, whose lists need the name of a directory.
 */
const ids = ({
  file: _file,
  requestId: _,
  authorizationId: _authorization,
  settledRequestId: _settled,
  ...things
}: Things) => Object.values<string>(things);
const shown = (text: string, things: Things): string[] => [MARK, ...ids(things)].filter((id) => text.includes(id));

/** Either wall must hold without the other one. */
const WALLS = ['behind row level security and conditions', 'behind the conditions of the statements alone'] as const;

/** The policies stay where they are, and apply to nobody. */
const SWITCH_OFF = `
  do $$ declare t text; begin
    for t in select c.oid::regclass::text from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relrowsecurity
    loop execute format('alter table %s disable row level security', t); end loop;
  end $$`;

describe.each(WALLS)('an organisation %s', (walls) => {
  const hasPolicies = walls === WALLS[0];
  /** What is not about the statements of the service. */
  const ofPolicies = (name: string, tests: () => void): void => (hasPolicies ? describe(name, tests) : undefined);
  let service: Service;
  let market: Marketplace;
  let a: Organisation;
  let b: Organisation;
  let things: Things;

  beforeAll(async () => {
    market = await Marketplace.start();
    service = await Service.start(settingsFor(market));
    [a, b] = [await service.organisation(), await service.organisation()];
    things = await fill(service, a);
    await b.operator.post('/v1/cluster', { cluster_name: 'of-b' });
    if (hasPolicies) return;
    await service.db.query(SWITCH_OFF);
    const asService = new pg.Client({ connectionString: service.environment.databaseUrl });
    await asService.connect();
    const seen = await asService.query('select distinct org_id from clusters');
    await asService.end();
    expect(seen.rows).toHaveLength(2);
  });
  afterAll(async () => {
    await service.close();
    await market.close();
    printFigures();
  });

  describe('in lists', () => {
    // Organisations and tokens belong to admins, who manage those of every organisation.
    const lists = operations().filter(
      ({ method, path, roles }) => method === 'get' && !path.includes('{') && roles.includes('operator'),
    );

    it.each(lists.map(({ id, path }) => [id, path]))('sees nothing of another: %s', async (_id, path) => {
      for (const caller of [b.admin, b.operator, b.viewer, b.controller]) {
        expect(shown((await caller.get(path)).text, things)).toEqual([]);
      }
    });

    it.each(QUERIES.map((query) => [query.toString().replace(/^.*`(.*)`.*$|^.*'(.*)'.*$/s, '$1$2'), query]))(
      'finds nothing of another: %s',
      async (_name, query) => {
        const path = query(things);
        expect(shown((await a.operator.get(path)).text, things)).not.toEqual([]);
        const answer = await b.operator.get(path);
        expect(answer.status).toBe(200);
        expect(shown(answer.text, things)).toEqual([]);
      },
    );

    // This read is for controllers, so operators cannot call it.
    it('sees nothing of another in the configuration of routers', async () => {
      const config = async ({ controller }: Organisation) => (await controller.get('/v1/inference/router/config')).text;
      expect(shown(await config(a), things)).toEqual([MARK, things.profileId]);
      expect(shown(await config(b), things)).toEqual([]);
    });

    it('sees no model of another through its keys', async () => {
      const models = async ({ operator }: Organisation): Promise<unknown> => {
        const key = (await operator.post('/v1/inference/keys', { name: 'reader' })).body.raw_key as string;
        const reader = service.as(key);
        const { body } = await reader.get('/v1/inference/models');
        const one = await reader.get(`/v1/inference/models/${MARK}`);
        return [one.status, ...(body.data as { id: string }[]).map(({ id }) => id)];
      };
      expect(await models(a)).toEqual([200, MARK]);
      expect(await models(b)).toEqual([404]);
    });

    it('finds nothing about the route of another', async () => {
      const path = `/v1/inference/routes/${MARK}/state`;
      expect((await b.viewer.get(path)).status).toBe(404);
      expect((await a.viewer.get(path)).body).toMatchObject({ logical_model: MARK });
    });

    it('cannot download a plugin of another', async () => {
      for (const [caller, status] of [
        [a.viewer, 302],
        [b.viewer, 404],
        [b.admin, 404],
      ] as const)
        expect((await caller.get(`/v1/plugins/download/${PLUGIN}`)).status).toBe(status);
    });

    it('sees all its own rows', async () => {
      const texts = await Promise.all(lists.map(({ path }) => a.operator.get(path)));
      expect(shown(texts.map(({ text }) => text).join(), things)).toEqual([MARK, ...ids(things)]);
    });

    it('does not count the rows of another', async () => {
      for (const path of ['/v1/pods/count', '/v1/jobs/count', '/v1/nodes/count']) {
        expect([path, (await a.viewer.get(path)).body]).toEqual([path, { total_count: 1 }]);
        expect([path, (await b.viewer.get(path)).body]).toEqual([path, { total_count: 0 }]);
      }
      expect((await a.viewer.get('/v1/metrics/operations/summary?minutes=10080')).body.attempts).toBeGreaterThan(0);
      expect((await b.viewer.get('/v1/metrics/operations/summary?minutes=10080')).body.attempts).toBe(0);
      const total = /^checkpoint_operations_total\{[^}]*\} [1-9]/m;
      expect((await a.viewer.get('/v1/metrics/export')).text).toMatch(total);
      expect((await b.viewer.get('/v1/metrics/export')).text).not.toMatch(total);
    });
  });

  describe("with another's id in a body", () => {
    const nameless = (answer: Answer) => [answer.status, answer.body.code, shown(answer.text, things)];
    /** The same call with an unknown id must get the same answer. */
    const asIfAbsent = async (call: (caller: Caller, id: string) => Promise<Answer>, id: string) => {
      const [foreign, absent] = [await call(b.admin, id), await call(b.admin, newId())];
      expect(nameless(foreign)).toEqual(nameless(absent));
      expect(foreign.status).toBeGreaterThanOrEqual(400);
      expect(foreign.status).toBeLessThan(500);
    };

    const CASES: [string, keyof Things, (caller: Caller, id: string) => Promise<Answer>][] = [
      ['a sync', 'clusterId', (c, id) => c.post('/v1/cluster/sync', { cluster_id: id, resource: { type: 'None' } })],
      ['a sync of Slurm jobs', 'clusterId', (c, id) => c.post('/v1/slurm/jobs/sync', { cluster_id: id, jobs: [] })],
      [
        'a sync of Slurm clusters',
        'clusterId',
        (c, id) => c.post('/v1/slurm/clusters/sync', { cluster_id: id, clusters: [] }),
      ],
      ['a sync of Slurm nodes', 'clusterId', (c, id) => c.post('/v1/slurm/nodes/sync', { cluster_id: id, nodes: [] })],
      [
        'a sync of partitions',
        'clusterId',
        (c, id) => c.post('/v1/slurm/partitions/sync', { cluster_id: id, partitions: [] }),
      ],
      [
        'a sync of reservations',
        'clusterId',
        (c, id) => c.post('/v1/slurm/maintenance_window/sync', { cluster_id: id, maintenance_windows: [] }),
      ],
      [
        'a checkpoint of a Slurm job',
        'clusterId',
        (c, id) => c.post('/v1/slurm/checkpoint/job', { cluster_id: id, job_id: '2' }),
      ],
      [
        'a Slurm checkpoint of an action',
        'slurmActionId',
        (c, id) => c.post('/v1/slurm/checkpoints', { action_id: id }),
      ],
      [
        'a Slurm checkpoint of a parent',
        'slurmCheckpointId',
        (c, id) => c.post('/v1/slurm/checkpoints', { parent_checkpoint_id: id }),
      ],
      ['a restore of a Slurm job', 'slurmActionId', (c, id) => c.post('/v1/slurm/restore/job', { action_id: id })],
      [
        'a policy',
        'clusterId',
        (c, id) =>
          c.post('/v1/policy/pipeline/create', {
            pipeline: {
              trigger: { type: 'heartbeat', config: { interval_seconds: 10 } },
              filter: { type: 'namespace', config: { cluster_id: id, namespace: `${MARK}-namespace` } },
              action: { type: 'checkpoint', config: { kind: 'simple' } },
            },
          }),
      ],
      ['the end of a policy', 'policyId', (c, id) => c.delete('/v1/policy/delete', { id })],
      ['a batch', 'clusterId', (c, id) => c.post('/v1/cluster/sync/batch', { cluster_id: id, resources: [] })],
      [
        'a workload',
        'clusterId',
        (c, id) => c.post('/v1/cluster/workload', { cluster_id: id, job: { metadata: { name: 'job' }, spec: {} } }),
      ],
      [
        'a checkpoint of a pod by its name',
        'clusterId',
        (c, id) =>
          c.post('/v1/checkpoint/pod', { cluster_id: id, namespace: `${MARK}-namespace`, pod_name: `${MARK}-pod` }),
      ],
      ['a checkpoint of a pod by its uid', 'podUid', (c, id) => c.post('/v1/checkpoint/pod', { pod_id: id })],
      ['a checkpoint of a pod by its row', 'podId', (c, id) => c.post('/v1/checkpoint/pod', { pod_id: id })],
      ['a checkpoint of an action', 'actionId', (c, id) => c.post('/v1/checkpoints', { action_id: id })],
      ['a checkpoint of a parent', 'checkpointId', (c, id) => c.post('/v1/checkpoints', { parent_checkpoint_id: id })],
      ['a restore', 'actionId', (c, id) => c.post('/v1/restore/pod', { action_id: id, reason: 'manual' })],
      [
        'the pod of an action',
        'actionId',
        (c, id) => c.post('/v1/actions/upload', { action_id: id, status: 'error', pod_spec: {} }),
      ],
      [
        'a report of an activation',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/activations/report', {
            profile_id: id,
            desired_state: 'Active',
            phase: 'Ready',
            ready: true,
          }),
      ],
      [
        'an artifact',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/artifacts', buildArtifact({ profile_id: id, compatibility_key: 'key' }, newId())),
      ],
      ['a look-up of artifacts', 'profileId', (c, id) => c.post('/v1/inference/artifacts/lookup', { profile_id: id })],
      [
        'a lifecycle event of a cluster',
        'clusterId',
        (c, id) => reportEvent(c, buildEvent(id, null, { kind: 'node.booted' })),
      ],
      [
        'a measurement',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/observations', {
            observation_key: newId(),
            event_type: 'restore',
            evidence: 'measured',
            source: 'test',
            started_at: '2026-01-01T00:00:00Z',
            profile_id: id,
          }),
      ],
      [
        'a retention policy',
        'profileId',
        (c, id) => c.post('/v1/inference/retention-policies', { name: 'policy', profile_id: id }),
      ],
      [
        'a preview of retention',
        'profileId',
        (c, id) => c.post('/v1/inference/retention-policies/preview', { name: 'policy', profile_id: id }),
      ],
      [
        'a route',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/routes', {
            logical_model: 'model',
            targets: [{ profile_id: id, tier: 'large', priority: 1 }],
          }),
      ],
      [
        'the classifier of a route',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/routes', { logical_model: 'model', mode: 'classifier', classifier_profile_id: id }),
      ],
      [
        'a rate of costs',
        'profileId',
        (c, id) => c.post('/v1/inference/costs/config', { profile_id: id, node_hourly_usd: 1 }),
      ],
      [
        'an experiment',
        'profileId',
        (c, id) => c.post('/v1/inference/experiments', { name: 'name', scenario: 'scenario', profile_id: id }),
      ],
      [
        'a fleet',
        'profileId',
        (c, id) => c.post('/v1/inference/fleets', { name: 'name', logical_model: 'model', profile_ids: [id] }),
      ],
      [
        'a resolution',
        'authorizationId',
        (c, id) =>
          c.post('/v1/inference/router/resolve', {
            authorization_id: id,
            request_id: `${MARK}-open`,
            logical_model: MARK,
          }),
      ],
    ];
    it.each(CASES)('gets the same answer as for an unknown id: %s', (_name, thing, call) =>
      asIfAbsent(call, things[thing]),
    );

    it("creates its own restore from an event with another's ids, and changes nothing there", async () => {
      const before = (await a.viewer.get(`/v1/actions/${things.restoreActionId}`)).body;
      // A third organisation: the event creates a restore with this uuid there.
      const c = await service.organisation();
      const answer = await c.controller.post('/v1/restores/events/restore_success', {
        restore_uuid: things.restoreUuid,
        action_id: things.restoreActionId,
        checkpoint_id: things.checkpointId,
        cluster_id: things.clusterId,
        started_at: '2026-01-01T00:00:00Z',
        completed_at: '2026-01-01T00:00:01Z',
      });
      expect(answer.body).toEqual({ restore_uuid: things.restoreUuid, status: 'succeeded' });
      const fact = (await c.viewer.get(`/v1/operations/${things.restoreUuid}`)).text;
      expect(fact).not.toContain(MARK);
      expect((await a.viewer.get(`/v1/actions/${things.restoreActionId}`)).body).toEqual(before);
      expect((await a.viewer.get(`/v1/restores/${things.restoreId}`)).body.status).toBe('failed');
    });
  });

  describe('with requests for models', () => {
    /** Everything that is stored about the money of an organisation, as one text. */
    const money = async (orgId: string): Promise<string> => {
      const { rows } = await service.db.query(
        `select jsonb_agg(to_jsonb(t) order by t.kind, t.position) from (
           select 'ledger' as kind, position::text, to_jsonb(l) as row from ledger_entries l where org_id = $1
           union all select 'authorization', id::text, to_jsonb(z) from authorizations z where org_id = $1
           union all select 'usage', request_id, to_jsonb(u) from usage_records u where org_id = $1
           union all select 'sample', metric_name, to_jsonb(s) from router_samples s where org_id = $1
           union all select 'key', id::text, to_jsonb(k) from inference_keys k where org_id = $1
         ) t`,
        [orgId],
      );
      return JSON.stringify(rows);
    };
    const keyOf = async ({ operator }: Organisation): Promise<Caller> =>
      service.as((await operator.post('/v1/inference/keys', { name: 'key' })).body.raw_key as string);

    it('changes nothing of another by telemetry and samples with its names', async () => {
      const c = await service.organisation();
      const before = await money(a.id);
      for (const request_id of [things.settledRequestId, `${MARK}-open`]) {
        const telemetry = {
          request_id,
          logical_model: MARK,
          profile_id: things.profileId,
          end_to_end_latency_ms: 9_000,
        };
        expect((await c.controller.post('/v1/inference/router/telemetry', telemetry)).status).toBe(200);
      }
      const sample = { route: MARK, profile_id: things.profileId, metric_name: MARK, value: 2, timestamp: 0 };
      expect((await c.controller.post('/v1/inference/router/metrics', { samples: [sample] })).status).toBe(200);
      expect(await money(a.id)).toBe(before);
      // They cost nothing there, because the profile whose prices would apply belongs to another
      // organisation.
      const { rows } = await service.db.query(
        'select distinct cost_usd::float8, key_id from usage_records where org_id = $1',
        [c.id],
      );
      expect(rows).toEqual([{ cost_usd: 0, key_id: null }]);
    });

    it("cannot reach another's models with its key, nor its authorizations by the same request id", async () => {
      const c = await service.organisation();
      const request = { request_id: things.settledRequestId, logical_model: MARK };
      const key = await keyOf(c);
      const codes = async (call: Promise<Answer>) => {
        const { status, body } = await call;
        return [status, body.code];
      };
      expect(await codes(key.post('/v1/inference/router/authorize', request))).toEqual([404, 'model_not_found']);
      expect(await codes(key.post('/v1/inference/chat/completions', { model: MARK, messages: [] }))).toEqual([
        404,
        'model_not_found',
      ]);
      // With a model of that name, it is a different request.
      const { profile_id } = await createProfile(c, { logical_model: MARK });
      const route = { logical_model: MARK, targets: [{ profile_id, tier: 'large', priority: 1 }] };
      expect((await c.operator.post('/v1/inference/routes', route)).status).toBe(200);
      const before = await money(a.id);
      const own = await key.post('/v1/inference/router/authorize', request);
      expect([own.status, own.body.authorization_id]).toEqual([200, expect.any(String)]);
      const body = { ...request, authorization_id: things.authorizationId };
      expect(await codes(c.controller.post('/v1/inference/router/resolve', body))).toEqual([
        404,
        'authorization_not_found',
      ]);
      expect(await money(a.id)).toBe(before);
    });
  });

  ofPolicies('is isolated by row level security, which', () => {
    let owner: pg.Client;

    const tables = async (): Promise<string[]> => {
      const { rows } = await service.db.query<{ table: string }>(`
        select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and a.attname = 'org_id' and not a.attisdropped order by 1`);
      return rows.map(({ table }) => table);
    };

    beforeAll(async () => {
      owner = new pg.Client({ connectionString: service.environment.databaseUrl });
      await owner.connect();
    });
    afterAll(() => owner.end());

    /**
     * Runs as the service's account, in a transaction of an organisation (or of none) that is rolled back.
     */
    async function as<T>(orgId: string | undefined, work: () => Promise<T>): Promise<T> {
      await owner.query('begin');
      try {
        if (orgId !== undefined) await owner.query("select set_config('app.org', $1, true)", [orgId]);
        return await work();
      } finally {
        await owner.query('rollback');
      }
    }

    it('applies to the account of the service', async () => {
      const { rows } = await owner.query(
        'select rolsuper or rolbypassrls as bypass from pg_roles where rolname = current_user',
      );
      expect(rows).toEqual([{ bypass: false }]);
    });

    // A partition is reached through its parent only, whose policy applies.
    it('is forced on every table with an organisation', async () => {
      const { rows } = await service.db.query(`
        select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and a.attname = 'org_id' and not a.attisdropped
          and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))`);
      expect(rows).toEqual([]);
      expect((await tables()).length).toBeGreaterThanOrEqual(19);
    });

    it('leaves out no table without an organisation by mistake', async () => {
      const { rows } = await service.db.query<{ relname: string }>(`
        select c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id') order by 1`);
      // The time of the primary, the owners themselves, what is recorded of
      // migrations and schema objects, and what belongs to the whole installation.
      expect(rows.map(({ relname }) => relname)).toEqual([
        'heartbeats',
        'migrations',
        'organisations',
        'provider_accounts',
        'schema_objects',
      ]);
    });

    it('hides the tables of the whole installation from every organisation', async () => {
      const { rows } = await service.db.query<{ account: string }>('select account from provider_accounts');
      expect(rows).toHaveLength(1);
      for (const orgId of [a.id, b.id, undefined])
        await as(orgId, async () => {
          expect((await owner.query('select from provider_accounts')).rowCount).toBe(0);
          expect((await owner.query("update provider_accounts set verdict = 'refused'")).rowCount).toBe(0);
          expect((await owner.query('delete from provider_accounts')).rowCount).toBe(0);
          await expect(
            owner.query("insert into provider_accounts (account, orphans) values ('another', '[]')"),
          ).rejects.toThrow('row-level security');
        });
    });

    it('relies on keys that start with the organisation', async () => {
      const { rows } = await service.db.query(`
        select c.relname, i.indexrelid::regclass::text as key from pg_index i join pg_class c on c.oid = i.indrelid
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
        where c.relnamespace = 'public'::regnamespace and i.indisprimary and i.indkey[0] <> a.attnum`);
      expect(rows).toEqual([]);
    });

    /** Not even the organisation itself may change these rows. */
    const APPEND_ONLY = ['ledger_entries', 'ledger_balances'];

    it('hides rows of another from reads and writes, and refuses writes on its behalf', async () => {
      // The service takes balances once a month.
      await service.db.query(
        'insert into ledger_balances select org_id, id, now(), 0, 0, 0 from inference_keys where org_id = $1',
        [a.id],
      );
      // Those of the release before.
      await service.db.query("select partition_made('metric_samples', 'day', now())");
      await service.db.query('insert into metric_samples values ($1, 1, now(), 1)', [a.id]);
      const filled: string[] = [];
      for (const table of await tables()) {
        const name = pg.escapeIdentifier(table);
        const mine = await as(a.id, () =>
          owner.query(`select to_jsonb(t) as row from ${name} t where org_id = $1`, [a.id]),
        );
        if (mine.rows.length > 0) filled.push(table);
        for (const other of [b.id, undefined]) {
          const counts = await as(other, async () => ({
            read: (await owner.query(`select from ${name} where org_id = $1`, [a.id])).rowCount,
            updated: (await owner.query(`update ${name} set org_id = org_id where org_id = $1`, [a.id])).rowCount,
            deleted: (await owner.query(`delete from ${name} where org_id = $1`, [a.id])).rowCount,
          }));
          expect([table, counts]).toEqual([table, { read: 0, updated: 0, deleted: 0 }]);
          const copy = [JSON.stringify(mine.rows[0]?.row ?? { org_id: a.id })];
          const insert = as(other, () =>
            owner.query(
              `insert into ${name} overriding system value select * from jsonb_populate_record(null::${name}, $1)`,
              copy,
            ),
          );
          await expect(insert).rejects.toMatchObject({ code: '42501' });
        }
        if (APPEND_ONLY.includes(table)) {
          await expect(
            as(a.id, () => owner.query(`update ${name} set org_id = org_id where org_id = $1`, [a.id])),
          ).rejects.toThrow('stay as they are');
          continue;
        }
        // The same statements succeed for the organisation itself.
        const own = await as(a.id, () => owner.query(`update ${name} set org_id = org_id where org_id = $1`, [a.id]));
        expect([table, own.rowCount]).toEqual([table, mine.rows.length]);
      }
      const attack = 'SQL of the account of the service that names the rows of another organisation';
      const bound = { atLeast: 50 };
      const value = filled.length;
      recordFigure({ row: 8, attack, measure: 'tables with rows, all of them hidden', value, unit: '', bound });
      expect(filled).toEqual(
        expect.arrayContaining([
          'access_tokens',
          'actions',
          'activation_phases',
          'activations',
          'artifacts',
          'audit_entries',
          'authorizations',
          'capacity_intents',
          'checkpoint_requests',
          'checkpoints',
          'clusters',
          'cost_rates',
          'engine_graph_deployments',
          'engine_services',
          'grouped_samples',
          'hosts',
          'idempotency_keys',
          'inference_keys',
          'jobs',
          'ledger_balances',
          'ledger_entries',
          'legacy_job_checkpoints',
          'legacy_jobs',
          'lifecycle_events',
          'maintenance_windows',
          'metric_kinds',
          'metric_pods',
          'metric_samples',
          'metric_series',
          'nodes',
          'observations',
          'operation_facts',
          'operation_failure_totals',
          'operation_stage_totals',
          'operation_stages',
          'operation_totals',
          'outbox_events',
          'plugin_objects',
          'pods',
          'policies',
          'profiles',
          'restore_events',
          'restores',
          'retention_policies',
          'route_targets',
          'router_samples',
          'routes',
          'slurm_clusters',
          'slurm_jobs',
          'slurm_nodes',
          'slurm_partitions',
          'starts',
          'usage_records',
          'worker_endpoints',
        ]),
      );
    });
  });

  // Last, because the calls of the owner end its rows.
  describe("with another's id in a path", () => {
    const withIds = operations().filter(({ path }) => path.includes('{'));

    it('is tested for every operation with an id', () => {
      const known = [CALLS, WITHOUT_FAULT, WITHOUT_FOREIGN_IDS].flatMap(Object.keys);
      const untested = withIds.map(({ id }) => id).filter((id) => !known.includes(id));
      expect(untested).toEqual([]);
      const attack = `every operation with an id, ${withIds.length} of them, with the id of another organisation, ${walls}`;
      const bound = { atMost: 0 };
      recordFigure({ row: 8, attack, measure: 'operations without a test', value: untested.length, unit: '', bound });
    });

    it.each(Object.keys(CALLS))('gets 404, while the owner does not: %s', async (id) => {
      const operation = withIds.find((one) => one.id === id);
      const { path, body } = CALLS[id]?.(things) ?? { path: '' };
      for (const caller of [b.admin, b.operator, b.viewer, b.controller]) {
        const { status, body: problem } = await caller.send(operation?.method ?? '', path, body, {});
        if (status === 403) continue;
        expect([status, problem.message]).toEqual([404, expect.not.stringContaining(MARK)]);
      }
      const own = await a.admin.send(operation?.method ?? '', path, body, {});
      expect(own.status).toBeLessThan(300);
    });

    it('reaches no file of another, while the owner does', async () => {
      const path = `/v1/files/${things.file}`;
      const list = `/v1/files/dir/${MARK}`;
      expect((await b.viewer.get(list)).body).toEqual([]);
      const address = (await b.controller.put(path)).text;
      expect((await put(address, Buffer.from('of b'))).status).toBe(200);
      expect((await b.operator.delete(path)).status).toBe(204);
      expect((await b.operator.get(path)).status).toBe(404);
      expect((await a.viewer.get(list)).body).toEqual(['pages.img']);
      expect((await fetched((await a.controller.get(path)).text)).bytes.toString()).toBe(MARK);
      const of = (id: string) => `files/${id}/${things.file}`;
      for (const foreign of [`../${a.id}/${things.file}`, `..%2F${a.id}%2F${things.file}`, `.%2e/${of(a.id)}`])
        expect([foreign, (await b.controller.put(`/v1/files/${foreign}`)).status]).not.toEqual([foreign, 200]);
    });

    it.each(Object.keys(WITHOUT_FAULT))('changes nothing, while the owner does: %s', async (id) => {
      const method = withIds.find((one) => one.id === id)?.method ?? '';
      const { path, body, kept } = WITHOUT_FAULT[id]?.(things) ?? { path: '', kept: '' };
      const rows = async () => (await a.viewer.get(kept)).text;
      await fillLegacy(a.controller, things);
      const before = await rows();
      for (const caller of [b.admin, b.operator, b.viewer, b.controller]) {
        const { status } = await caller.send(method, path, body, {});
        expect(status).toBe(caller === b.viewer ? 403 : 200);
      }
      expect(await rows()).toBe(before);
      expect((await a.operator.send(method, path, body, {})).status).toBe(200);
      expect(await rows()).not.toBe(before);
    });
  });
});
