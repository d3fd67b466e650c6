import { newId } from '../../src/1-platform/common/ids';
import { printFigures, recordFigure } from '../support/figures';
import { Service, type Answer, type Caller, type Organisation } from '../support/service';
import { ONE_BY_ONE, type OneByOne } from './audited-one-by-one';

interface Entry {
  id: string;
  occurred_at: string;
  actor_id: string;
  actor_role: string;
  action: string;
  resource_type: string;
  resource_id: string | null;
  request_id: string;
  details: Record<string, unknown> | null;
}

describe('the audit trail', () => {
  let service: Service;
  let org: Organisation;
  let platform: Caller;
  /** The resources that the changes below name. */
  const known: Record<string, string> = {};
  let entered = 0;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    platform = await service.platformAdmin(org);
  });
  afterAll(async () => {
    await service.close();
    const attack = 'operations of organisations, tokens, clusters, actions, checkpoints and restores, one by one';
    const bound = { atLeast: ONE_BY_ONE.length };
    recordFigure({ row: 31, attack, measure: 'with exactly one entry', value: entered, unit: '', bound });
    printFigures();
  });

  const entries = async (query = ''): Promise<Entry[]> => {
    const answer = await org.operator.get(`/v1/audit?limit=1000${query}`);
    expect(answer.status).toBe(200);
    return answer.body as Entry[];
  };
  const databaseTime = async (): Promise<string> => {
    const { rows } = await service.db.query<{ now: Date }>('select clock_timestamp()::timestamptz(3) as now');
    return rows[0]?.now.toISOString() ?? '';
  };
  const idOf = async (caller: { get(path: string): Promise<Answer> }) => (await caller.get('/v1/user')).text;

  const recordRestore = (kind: 'start' | 'success' | 'error'): Promise<Answer> => {
    known.restoreUuid ??= newId();
    const event = { restore_uuid: known.restoreUuid, started_at: '2026-01-01T00:00:00Z' };
    return org.controller.post(`/v1/restores/events/restore_${kind}`, event);
  };

  /** One call of each. */
  const CHANGES: Readonly<Record<OneByOne, readonly [resource: string, call: () => Promise<Answer>]>> = {
    create_organisation: ['organisation', () => platform.post('/v1/organisations', { name: newId() })],
    create_token: [
      'token',
      async () => {
        const answer = await org.admin.post('/v1/tokens', { name: 'audited', role: 'viewer' });
        known.tokenId = answer.body.token_id as string;
        known.rawToken = answer.body.raw_token as string;
        return answer;
      },
    ],
    revoke_token: ['token', () => org.admin.delete(`/v1/tokens/${known.tokenId}`)],
    save_cluster: [
      'cluster',
      async () => {
        const answer = await org.operator.post('/v1/cluster', { cluster_name: 'audited' });
        known.clusterId = answer.text;
        return answer;
      },
    ],
    sync_cluster: [
      'cluster',
      () => {
        known.podUid = newId();
        const metadata = { name: 'pod', namespace: 'ml', uid: known.podUid };
        const resource = { type: 'Pod', metadata, spec: { containers: [] }, status: { phase: 'Running' } };
        return org.controller.post('/v1/cluster/sync', { cluster_id: known.clusterId, resource });
      },
    ],
    sync_cluster_batch: [
      'cluster',
      () =>
        org.controller.post('/v1/cluster/sync/batch', { cluster_id: known.clusterId, resources: [{ type: 'None' }] }),
    ],
    create_cluster_workload: [
      'workload',
      () => org.operator.post('/v1/cluster/workload', { pod: { metadata: { name: 'pod' }, spec: {} } }),
    ],
    update_workload: [
      'workload',
      async () => {
        const { rows } = await service.db.query('select id from queued_workloads where org_id = $1', [org.id]);
        return org.controller.patch(`/v1/cluster/workload/${rows[0].id}`, { status: 'applied' });
      },
    ],
    checkpoint_pod: [
      'action',
      async () => {
        const answer = await org.operator.post('/v1/checkpoint/pod', { pod_id: known.podUid });
        known.actionId = answer.text;
        return answer;
      },
    ],
    upload_action_pod: [
      'action',
      () => org.controller.post('/v1/actions/upload', { action_id: known.actionId, status: 'processing' }),
    ],
    create_checkpoint: [
      'checkpoint',
      async () => {
        const answer = await org.controller.post('/v1/checkpoints', { action_id: known.actionId });
        known.checkpointId = answer.text;
        return answer;
      },
    ],
    put_checkpoint_info: [
      'checkpoint',
      () => org.controller.put(`/v1/checkpoints/info/${known.checkpointId}`, { gpu: '', platform: '' }),
    ],
    report_checkpoint_uploaded: [
      'checkpoint',
      () => org.controller.post(`/v1/checkpoints/uploaded/${known.checkpointId}`, {}),
    ],
    restore_pod: [
      'action',
      () => org.operator.post('/v1/restore/pod', { action_id: known.actionId, reason: 'manual' }),
    ],
    record_restore_start: ['restore', () => recordRestore('start')],
    record_restore_success: ['restore', () => recordRestore('success')],
    record_restore_error: ['restore', () => recordRestore('error')],
    put_restore_profile: ['restore', () => org.controller.put(`/v1/restores/${known.restoreUuid}/profile`, {})],
    deprecate_checkpoint: ['checkpoint', () => org.operator.patch(`/v1/checkpoints/deprecate/${known.checkpointId}`)],
    confirm_checkpoint_removal: [
      'checkpoint',
      () => org.controller.put(`/v1/checkpoints/removed/${known.checkpointId}`),
    ],
    delete_cluster: ['cluster', () => org.operator.delete(`/v1/cluster/${known.clusterId}`)],
  };

  it.each(ONE_BY_ONE)('has one entry for %s', async (operation) => {
    const [resource, call] = CHANGES[operation];
    const before = await entries();
    const asked = await databaseTime();
    const answer = await call();
    expect(answer.status).toBeLessThan(300);
    const after = await entries();
    const added = after.filter(({ id }) => !before.some((entry) => entry.id === id));
    expect(added).toEqual([
      {
        id: expect.any(String),
        occurred_at: added[0]?.occurred_at,
        actor_id: expect.any(String),
        actor_role: expect.stringMatching(/^(admin|operator|controller)$/),
        action: operation,
        resource_type: resource,
        resource_id: expect.any(String),
        request_id: answer.headers['x-request-id'],
        details: added[0]?.details,
      },
    ]);
    const actor = operation === 'create_organisation' ? platform : org[added[0]?.actor_role as 'admin'];
    expect(added[0]?.actor_id).toBe(await idOf(actor));
    // By the database's clock, whatever that of the process says.
    const at = added[0]?.occurred_at ?? '';
    expect([at >= asked, at <= (await databaseTime())]).toEqual([true, true]);
    // Newest first.
    expect(after[0]?.id).toBe(added[0]?.id);
    entered++;
  });

  it('has no entry for a refused request or a read', async () => {
    const before = await entries();
    const unknown = newId();
    expect((await org.operator.post('/v1/cluster', {})).status).toBe(400);
    expect((await org.viewer.post('/v1/cluster', { cluster_name: 'x' })).status).toBe(403);
    expect((await org.operator.delete(`/v1/cluster/${unknown}`)).status).toBe(404);
    expect((await org.controller.post(`/v1/checkpoints/uploaded/${unknown}`, {})).status).toBe(404);
    expect((await platform.post('/v1/organisations', { name: 'default' })).status).toBe(409);
    expect((await org.viewer.get('/v1/cluster')).status).toBe(200);
    expect(await entries()).toEqual(before);
  });

  it('has one entry for a request that is repeated with its idempotency key', async () => {
    const headers = { 'idempotency-key': newId() };
    const before = (await entries()).length;
    for (let repetition = 0; repetition < 3; repetition++)
      expect((await org.operator.post('/v1/cluster', { cluster_name: 'again' }, headers)).status).toBe(200);
    expect(await entries()).toHaveLength(before + 1);
  });

  it('holds no secret', async () => {
    const { rows } = await service.db.query<{ row: string }>('select e::text as row from audit_entries e');
    const all = rows.map(({ row }) => row).join('\n');
    expect(all).toContain(known.tokenId);
    expect(known.rawToken).toMatch(/^ccp_/);
    for (const secret of [known.rawToken, org.admin.token, org.operator.token, service.admin.token, 'ccp_'])
      expect(all).not.toContain(secret);
  });

  it("shows an entry to the caller's organisation and to the one that an admin changed, and to no other", async () => {
    const other = await service.organisation();
    const before = await entries();
    const token = await service.admin.post('/v1/tokens', { name: 'x', role: 'viewer', organisation_id: org.id });
    const [there, ...others] = await entries();
    expect(others).toEqual(before);
    expect(there).toMatchObject({ action: 'create_token', resource_id: token.body.token_id });
    const own = (await service.admin.get('/v1/audit?limit=1')).body as Entry[];
    expect(own).toEqual([expect.objectContaining({ action: 'create_token', resource_id: token.body.token_id })]);
    expect((await other.operator.get('/v1/audit')).body).toEqual([]);
  });

  it('can be read by admins and operators only', async () => {
    expect((await org.admin.get('/v1/audit')).status).toBe(200);
    for (const caller of [org.viewer, org.controller]) expect((await caller.get('/v1/audit')).status).toBe(403);
  });

  describe('filters', () => {
    it('filters by time, bounds included', async () => {
      const all = await entries();
      const pivot = all[Math.floor(all.length / 2)]?.occurred_at ?? '';
      expect(await entries(`&since=${encodeURIComponent(pivot)}`)).toEqual(
        all.filter(({ occurred_at: at }) => at >= pivot),
      );
      const later = new Date(Date.parse(pivot) + 1).toISOString();
      expect(await entries(`&since=${later}`)).toEqual(all.filter(({ occurred_at: at }) => at > pivot));
      // The same moment, written in another time zone.
      const zoned = pivot.replace('Z', '+00:00');
      expect(await entries(`&since=${encodeURIComponent(zoned)}`)).toHaveLength(
        all.filter(({ occurred_at: at }) => at >= pivot).length,
      );
    });

    it('filters by actor', async () => {
      const actor = await idOf(org.controller);
      const found = await entries(`&actor=${actor}`);
      expect(found.length).toBeGreaterThan(5);
      expect(found).toEqual((await entries()).filter((entry) => entry.actor_id === actor));
    });

    it('filters by the kind or the id of the changed resource', async () => {
      const all = await entries();
      expect(await entries('&resource=restore')).toEqual(all.filter((entry) => entry.resource_type === 'restore'));
      const found = await entries(`&resource=${known.checkpointId}`);
      expect(found.length).toBeGreaterThan(2);
      expect(found).toEqual(all.filter((entry) => entry.resource_id === known.checkpointId));
    });

    it('filters by several conditions at once, which may match nothing', async () => {
      const actor = await idOf(org.operator);
      const found = await entries(`&actor=${actor}&resource=cluster`);
      expect(found.length).toBeGreaterThan(0);
      for (const entry of found) expect([entry.actor_id, entry.resource_type]).toEqual([actor, 'cluster']);
      expect(await entries('&actor=nobody')).toEqual([]);
      expect(await entries(`&resource=${encodeURIComponent("' or true --")}`)).toEqual([]);
    });

    it('returns the filtered entries page by page', async () => {
      const all = await entries();
      const first = await org.operator.get('/v1/audit?limit=3');
      expect(first.body).toEqual(all.slice(0, 3));
      expect(first.headers.link).toBe('</v1/audit?limit=3&offset=3>; rel="next"');
      expect((await org.operator.get('/v1/audit?limit=3&offset=3')).body).toEqual(all.slice(3, 6));
    });

    it.each(['yesterday', '2026-02-30T00:00:00Z', '2026-01-01', 'now()'])(
      'answers 400 when the time is %s',
      async (since) => {
        const answer = await org.operator.get(`/v1/audit?since=${encodeURIComponent(since)}`);
        expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, 'since']);
      },
    );
  });

  it('rolls the change back if the entry cannot be written', async () => {
    await service.db.query(
      'alter table audit_entries add constraint none_now check (action <> $$save_cluster$$) not valid',
    );
    try {
      const answer = await org.operator.post('/v1/cluster', { cluster_name: 'unaudited' });
      expect([answer.status, answer.text.includes('audit_entries')]).toEqual([500, false]);
      const { rowCount } = await service.db.query("select from clusters where name = 'unaudited'");
      expect(rowCount).toBe(0);
    } finally {
      await service.db.query('alter table audit_entries drop constraint none_now');
    }
  });
});
