import { createApplication } from '../../../../src/application';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { Sweeps } from '../../../../src/1-platform/scheduling/sweeps';
import { DatabaseProxy } from '../../../support/database-proxy';
import { eventually } from '../../../support/eventually';
import { age, createInstance, INSTANCES, listed, outdate, placedInstance, statusOf } from '../../../support/instances';
import { buildMachine, gate, Marketplace, type MarketMachine } from '../../../support/marketplace';
import { Caller, Service, type Organisation } from '../../../support/service';

describe('instances', () => {
  let service: Service;
  let market: Marketplace;
  let org: Organisation;
  let other: Organisation;

  beforeAll(async () => {
    market = await Marketplace.start();
    service = await Service.start({ marketplace: market.settings({ timeoutMs: 1_000 }) });
    [org, other] = [await service.organisation(), await service.organisation()];
  });
  afterAll(async () => {
    await service.close();
    await market.close();
  });
  beforeEach(async () => {
    market.reset();
    await service.db.query('truncate instances, provider_accounts');
  });

  const machineOf = (id: string): MarketMachine => {
    const [machine] = market.machinesOf(id);
    if (!machine) throw new Error('there is no machine');
    return machine;
  };
  /** The present reply of the marketplace. */
  const now = async (id: string, caller: Caller = org.viewer) => {
    await outdate(service);
    return statusOf(caller, id);
  };
  const remove = (id: string, caller: Caller = org.operator) => caller.delete(`${INSTANCES}/${id}`);
  /** A request whose result only a listing shows. */
  const unsure = async (made: boolean): Promise<string> => {
    market.behaves('create', { cut: made ? 'after' : 'before' });
    const { body } = await createInstance(org.operator);
    expect(body.status).toBe('pending');
    market.behavesAgain();
    return body.instance_id as string;
  };

  describe('are shown', () => {
    it('are shown as the marketplace reports them, under the ids of their records', async () => {
      const [first, second] = [await placedInstance(org.operator), await placedInstance(org.operator, { name: 'two' })];
      Object.assign(machineOf(first), { status: 'active' });
      await outdate(service);
      expect(await listed(org.viewer)).toEqual([
        {
          id: second,
          name: 'two',
          cloud_provider: 'hyperstack',
          instance_type: 'A6000',
          region: 'canada-1',
          status: 'creating',
          created_at: expect.any(String),
          reason: null,
          hourly_price: 210,
          cost_estimate: '0',
          active_at: null,
        },
        expect.objectContaining({ id: first, name: 'burst', status: 'active' }),
      ]);
      expect(await listed(other.viewer)).toEqual([]);
    });

    it('are shown with their prices, and by part of a name, orphans too', async () => {
      const id = await placedInstance(org.operator, { name: 'Train-1' });
      await placedInstance(org.operator, { name: 'other' });
      const price = { hourly_price: 189, cost_estimate: '4.20', active_at: '2026-01-02T03:10:00.000Z' };
      Object.assign(machineOf(id), { status: 'active', ...price });
      await outdate(service);
      const found = await org.viewer.get(`${INSTANCES}?name=train`);
      expect(found.body).toMatchObject([{ id, name: 'Train-1', status: 'active', ...price }]);
      expect((await org.viewer.get(`${INSTANCES}?name=t%25`)).body).toEqual([]);
      expect((await other.viewer.get(`${INSTANCES}?name=train`)).body).toEqual([]);
      expect((await org.viewer.get(`${INSTANCES}?name=${'n'.repeat(1_025)}`)).status).toBe(400);
    });

    it('page by page', async () => {
      for (const name of ['a', 'b', 'c']) await placedInstance(org.operator, { name });
      const page = await org.viewer.get(`${INSTANCES}?limit=2`);
      expect(page.body.map(({ name }: JsonObject) => name)).toEqual(['c', 'b']);
      expect(page.headers.link).toBe('</v1/instances?limit=2&offset=2>; rel="next"');
    });

    it('are shown with their address and all known properties', async () => {
      const id = await placedInstance(org.operator, { os: 'ubuntu', envs: [{ name: 'TOKEN', value: 'hidden' }] });
      const machine = machineOf(id);
      expect(await now(id)).toMatchObject({ status: 'creating', ip_address: null, ssh_port: null });
      Object.assign(machine, { status: 'active', ip: '1.0.0.1', ssh_port: 2222 });
      const status = await now(id);
      expect(status).toEqual({
        instance_id: id,
        status: 'active',
        created_at: expect.any(String),
        ip_address: '1.0.0.1',
        ssh_user: 'shadeform',
        ssh_port: 2222,
        metadata: {
          name: 'burst',
          cloud_provider: 'hyperstack',
          instance_type: 'A6000',
          region: 'canada-1',
          marketplace_id: machine.id,
          asked_at: expect.any(String),
          seen_at: expect.any(String),
          cloud_instance_type: 'gpu_1x_a6000',
          status_details: 'downloading',
          hourly_price: 210,
          cost_estimate: '0',
          marketplace_created_at: '2026-01-02T03:04:05.006Z',
          active_at: null,
          deleted_at: null,
          asked: { marketplace_cloud: true, os: 'ubuntu', env_names: ['TOKEN'] },
        },
      });
      // The marketplace's own id is accepted too.
      expect((await statusOf(org.viewer, machine.id)).instance_id).toBe(id);
      expect((await org.viewer.get(`${INSTANCES}/${newId()}/status`)).status).toBe(404);
      expect((await other.admin.get(`${INSTANCES}/${id}/status`)).status).toBe(404);
    });

    it('are shown with port 22 if an active one reports no port', async () => {
      const id = await placedInstance(org.operator);
      Object.assign(machineOf(id), { status: 'active' });
      expect(await now(id)).toMatchObject({ status: 'active', ip_address: null, ssh_port: 22 });
    });

    it('are shown with members of the wrong type treated as missing', async () => {
      const id = await placedInstance(org.operator);
      Object.assign(machineOf(id), {
        status: 'some_new_word',
        ip: 5,
        ssh_port: '22',
        ssh_user: null,
        hourly_price: 2.5,
        name: { first: 'a' },
        status_details: 'a\0b',
        configuration: 'none',
      });
      expect(await now(id)).toMatchObject({
        status: 'some_new_word',
        ip_address: null,
        ssh_user: null,
        ssh_port: null,
        metadata: { hourly_price: null, status_details: null, name: 'burst' },
      });
      for (const ssh_port of [-5, 0, 65_536]) {
        Object.assign(machineOf(id), { ssh_port, hourly_price: -1 });
        expect(await now(id)).toMatchObject({ ssh_port: null, metadata: { hourly_price: null } });
      }
    });

    it('are shown from one listing for all concurrent readers, for 5 seconds', async () => {
      await placedInstance(org.operator);
      await outdate(service);
      market.behavesAgain();
      await Promise.all(Array.from({ length: 20 }, () => listed(org.viewer)));
      await listed(other.viewer);
      expect(market.asked('list').length).toBeLessThanOrEqual(2);
    });
  });

  describe('of a marketplace that does not answer', () => {
    const faults: [string, Parameters<Marketplace['behaves']>[1], RegExp][] = [
      ['silent', { before: () => new Promise(() => undefined) }, /does not answer/],
      ['failing', { status: 500, body: { message: 'oops' } }, /fails/],
      ['busy', { status: 429, headers: { 'retry-after': '60' }, body: {} }, /takes no more requests/],
      ['broken', { cut: 'before' }, /closed the connection/],
      ['answering with a web page', { status: 200, body: '<html>' }, /cannot be read/],
      ['answering something else', { status: 200, body: { machines: [] } }, /cannot be read/],
      ['redirecting', { status: 301, headers: { location: 'http://127.0.0.1:9/' } }, /fails/],
      ['endless', { status: 200, body: `{"instances": [${'1,'.repeat(9_000_000)}1]}` }, /cannot be read/],
    ];
    it.each(faults)('keep their last known state: %s', async (_what, behaviour, words) => {
      const id = await placedInstance(org.operator);
      Object.assign(machineOf(id), { status: 'active' });
      const before = await now(id);
      expect(before.status).toBe('active');
      expect(before.metadata.stale_since).toBeUndefined();
      market.behavesAgain();
      market.behaves('list', behaviour);
      await outdate(service);
      expect(await listed(org.viewer)).toEqual([expect.objectContaining({ id, status: 'active' })]);
      await eventually(async () => {
        const { status, metadata } = await statusOf(org.viewer, id);
        expect([status, metadata]).toEqual([
          'active',
          { ...before.metadata, stale_since: expect.any(String), stale_reason: expect.stringMatching(words) },
        ]);
      });
      // At most two listings, each of three attempts.
      expect(market.asked('list').length).toBeLessThanOrEqual(6);
      expect((await org.viewer.get(`${INSTANCES}/bursting-status`)).body).toEqual({
        status: 'configured',
        message: expect.stringMatching(words),
        can_use_bursting: true,
        failing_since: expect.any(String),
      });
      market.behavesAgain();
      expect((await now(id)).metadata.stale_since).toBeUndefined();
    });

    it('are listed even if it reports one machine twice, for two records', async () => {
      const [first, second] = [await unsure(true), await unsure(true)];
      const [one] = market.machinesOf(first);
      market.machines = [one, { ...one, tags: [`ccp-${second}`] }] as MarketMachine[];
      expect(await now(first)).toMatchObject({ status: 'creating', metadata: { marketplace_id: one?.id } });
      expect(await statusOf(org.viewer, second)).toMatchObject({ status: 'pending' });
    });

    it('are listed if it answers at the third attempt', async () => {
      const id = await placedInstance(org.operator);
      Object.assign(machineOf(id), { status: 'active' });
      market.behaves('list', { status: 503, headers: { 'retry-after': '0' }, times: 2 });
      expect((await now(id)).status).toBe('active');
      expect(market.asked('list')).toHaveLength(3);
    });

    it('survive a restart', async () => {
      const id = await placedInstance(org.operator);
      Object.assign(machineOf(id), { status: 'active' });
      await now(id);
      market.allBehave({ status: 500 });
      await outdate(service);
      const { url } = await service.replica();
      const there = new Caller(url, org.viewer.token);
      expect(await listed(there)).toEqual([expect.objectContaining({ id, status: 'active' })]);
      expect((await there.get(`${INSTANCES}/bursting-status`)).body).toMatchObject({
        status: 'configured',
        can_use_bursting: true,
      });
    });
  });

  describe('are deleted', () => {
    it('are deleted by one request, and are gone when the marketplace confirms', async () => {
      const id = await placedInstance(org.operator);
      const machine = Object.assign(machineOf(id), { ip: '1.0.0.1' });
      const answer = await remove(id);
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
        200,
        id,
        'text/plain; charset=utf-8',
      ]);
      expect(market.asked('delete')).toHaveLength(1);
      expect([machine.status, (await now(id)).status]).toEqual(['deleting', 'deleting']);
      // Again, while it is in progress: neither the caller nor the service asks again.
      expect((await remove(id)).status).toBe(200);
      await service.sweep('instances');
      expect(market.asked('delete')).toHaveLength(1);
      machine.status = 'deleted';
      expect(await now(id)).toMatchObject({ status: 'deleted', ip_address: null, ssh_port: null });
      expect(await listed(org.viewer)).toEqual([]);
      expect((await remove(id)).text).toBe(id);
      expect(market.asked('delete')).toHaveLength(1);
      const { rows } = await service.db.query(
        "select resource_id from audit_entries where action = 'delete_instance' and resource_id = $1",
        [id],
      );
      expect(rows).toHaveLength(3);
    });

    it('are gone when the marketplace neither lists nor knows them', async () => {
      const id = await placedInstance(org.operator);
      await remove(id);
      market.machines = [];
      expect((await now(id)).status).toBe('deleting');
      await outdate(service);
      await service.sweep('instances');
      await eventually(async () => expect((await now(id)).status).toBe('deleted'));
      expect(market.asked('info').length).toBeGreaterThan(0);
    });

    it('are not considered gone while the marketplace cannot be reached', async () => {
      const id = await placedInstance(org.operator);
      await now(id);
      await remove(id);
      market.machines = [];
      market.behaves('info', { status: 500 });
      await outdate(service);
      await service.sweep('instances');
      expect(market.asked('info').length).toBeGreaterThan(0);
      expect((await now(id)).status).toBe('deleting');
    });

    it('stay if a listing omits one that exists', async () => {
      const id = await placedInstance(org.operator);
      const machines = market.machines;
      await now(id);
      market.behaves('list', { status: 200, body: { instances: [] } });
      await outdate(service);
      await service.sweep('instances');
      await eventually(() => expect(market.asked('info').length).toBeGreaterThan(0));
      expect((await now(id)).status).toBe('creating');
      expect(market.machines).toBe(machines);
    });

    it.each<[string, Parameters<Marketplace['behaves']>[1]]>([
      ['failed', { status: 500, times: 1 }],
      ['was not answered', { before: () => new Promise(() => undefined), times: 1 }],
      ['broke off before', { cut: 'before', times: 1 }],
      ['broke off after', { cut: 'after', times: 1 }],
      ['was refused as too many requests', { status: 429, times: 1 }],
      ['was refused with the key', { status: 401, times: 1 }],
    ])('are deleted again by the service if the first request %s', async (_what, behaviour) => {
      const id = await placedInstance(org.operator);
      const machine = machineOf(id);
      market.behaves('delete', behaviour);
      expect((await remove(id)).status).toBe(200);
      expect((await now(id)).status).toBe('deleting');
      expect(market.asked('delete')).toHaveLength(1);
      // Not at once, to avoid an endless loop.
      await service.sweep('instances');
      expect(market.asked('delete')).toHaveLength(1);
      const arrived = machine.status === 'deleting';
      await age(service, arrived ? '10 minutes' : '30 seconds');
      await outdate(service);
      await service.sweep('instances');
      await eventually(() => expect([market.asked('delete').length, machine.status]).toEqual([2, 'deleting']));
    });

    it.each<['delete' | 'info', (id: string) => Promise<unknown>]>([
      ['delete', (id) => remove(id)],
      [
        'info',
        async () => {
          market.behaves('list', { status: 200, body: { instances: [] } });
          await outdate(service);
          await service.sweep('instances');
          await eventually(() => expect(market.asked('info')).not.toEqual([]));
          await service.sweep('instances');
        },
      ],
    ])('leave the key accepted if the marketplace forbids the %s of one of them', async (operation, request) => {
      const id = await placedInstance(org.operator);
      expect((await now(id)).status).toBe('creating');
      market.behaves(operation, { status: 403, body: { message: 'Not your machine' } });
      await request(id);
      expect(market.asked(operation)).not.toEqual([]);
      const { body } = await org.viewer.get(`${INSTANCES}/bursting-status`);
      expect(body).toMatchObject({ status: 'configured', can_use_bursting: true });
      const { rows } = await service.db.query('select verdict, failure from provider_accounts');
      expect(rows).toEqual([{ verdict: 'accepted', failure: null }]);
    });

    it.each<[string, Parameters<Marketplace['behaves']>[1], RegExp]>([
      [
        'refuses that for good',
        { status: 409, body: { message: 'Machine is locked' } },
        // Without a promise to repeat it: the text may stay behind when that has ended.
        /^The marketplace has not confirmed its deletion: the marketplace refuses the request \(409: Machine is locked\)\.$/,
      ],
      ['refuses that without a word', { status: 403, body: '<html>' }, /refuses the request \(403\)\.$/],
      ['fails at that', { status: 500 }, /the marketplace fails \(500\)\.$/],
    ])('say why they are not deleted if the marketplace %s, until it accepts it', async (_what, behaviour, words) => {
      const id = await placedInstance(org.operator);
      const reasons = async () => {
        const [shown, [row]] = [await now(id), await listed(org.viewer)];
        expect([shown.status, row?.status]).toEqual(['deleting', 'deleting']);
        return [row?.reason, shown.metadata.reason];
      };
      market.behaves('delete', behaviour);
      expect((await remove(id)).status).toBe(200);
      const stated = expect.stringMatching(words);
      // A listing changes nothing of it.
      for (let times = 0; times < 2; times++) expect(await reasons()).toEqual([stated, stated]);
      await age(service, '31 seconds');
      await service.sweep('instances');
      expect(market.asked('delete')).toHaveLength(2);
      expect(await reasons()).toEqual([stated, stated]);
      market.behaves('delete', { after: () => void Object.assign(machineOf(id), { status: 'active' }) });
      await age(service, '31 seconds');
      await service.sweep('instances');
      expect(await reasons()).toEqual([null, undefined]);
    });

    it.each<[string, Parameters<Marketplace['behaves']>[1]]>([
      ['accepts', {}],
      ['refuses', { status: 409, body: { message: 'Machine is locked' } }],
      ['does not know', { status: 404, body: {} }],
    ])('are deleted though the database is lost when the marketplace %s that', async (_what, behaviour) => {
      const id = await placedInstance(org.operator);
      const proxy = await DatabaseProxy.before(service.environment.databaseUrl ?? '');
      const app = await createApplication({ ...service.environment, databaseUrl: proxy.url }, createLogger('silent'));
      try {
        await app.listen(0, '127.0.0.1');
        const lost = () => proxy.set('refuse');
        market.behaves('delete', { ...behaviour, before: lost });
        const answer = await new Caller(await app.getUrl(), org.operator.token).delete(`${INSTANCES}/${id}`);
        expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
        await proxy.set('pass');
      } finally {
        await app.close();
        await proxy.close();
      }
      // That it is wanted is recorded, so it is repeated until the marketplace accepts it.
      market.behavesAgain();
      expect((await now(id)).status).toBe('deleting');
      await age(service, '31 seconds');
      await service.sweep('instances');
      expect(machineOf(id).status).toBe('deleting');
    });

    it('say nothing of a refusal while the marketplace is deleting them', async () => {
      const id = await placedInstance(org.operator);
      market.behaves('delete', { status: 409, body: { message: 'Machine is locked' } });
      await remove(id);
      expect((await now(id)).metadata.reason).toContain('Machine is locked');
      machineOf(id).status = 'deleting';
      expect((await now(id)).metadata.reason).toBeUndefined();
      await age(service, '10 minutes');
      await service.sweep('instances');
      expect(market.asked('delete')).toHaveLength(2);
      expect((await now(id)).metadata.reason).toBeUndefined();
    });

    it('are deleted by one of several replicas that find them due', async () => {
      const id = await placedInstance(org.operator);
      market.behaves('delete', { status: 500, times: 1 });
      await remove(id);
      const replicas = [service.app, (await service.replica()).app, (await service.replica()).app];
      await age(service, '31 seconds');
      await Promise.all(replicas.map((app) => app.get(Sweeps).runNow('instances')));
      await eventually(() => expect(market.machines[0]?.status).toBe('deleting'));
      expect(market.asked('delete')).toHaveLength(2);
    });

    it('are deleted at once if the marketplace knows no such machine', async () => {
      const id = await placedInstance(org.operator);
      market.machines = [];
      expect((await remove(id)).status).toBe(200);
      expect(await statusOf(org.viewer, id)).toMatchObject({ status: 'deleted' });
    });

    it('are deleted by somebody else at the marketplace, which is shown', async () => {
      const id = await placedInstance(org.operator);
      machineOf(id).status = 'deleted';
      expect(await now(id)).toMatchObject({
        status: 'deleted',
        metadata: { reason: 'It was deleted at the marketplace.' },
      });
    });

    it('are deleted while it is unknown whether they were made', async () => {
      const id = await unsure(true);
      expect((await remove(id)).status).toBe(200);
      expect([await statusOf(org.viewer, id), market.asked('delete')]).toMatchObject([{ status: 'deleting' }, []]);
      await outdate(service);
      await service.sweep('instances');
      await eventually(() =>
        expect([market.asked('delete').length, market.machines[0]?.status]).toEqual([1, 'deleting']),
      );
    });

    it('are not deleted by another organisation, nor by a viewer', async () => {
      const id = await placedInstance(org.operator);
      expect((await remove(id, other.admin)).status).toBe(404);
      expect((await remove(machineOf(id).id, other.admin)).status).toBe(404);
      expect((await remove(id, org.viewer)).status).toBe(403);
      expect(market.asked('delete')).toEqual([]);
    });

    it('only with a configured marketplace', async () => {
      const id = await placedInstance(org.operator);
      const app = await createApplication({ ...service.environment, marketplace: undefined }, createLogger('silent'));
      try {
        await app.listen(0, '127.0.0.1');
        const there = new Caller(await app.getUrl(), org.operator.token);
        const answer = await there.delete(`${INSTANCES}/${id}`);
        expect([answer.status, answer.body.code]).toEqual([503, 'bursting_not_configured']);
      } finally {
        await app.close();
      }
      expect((await now(id)).status).toBe('creating');
    });
  });

  describe('of another key of the marketplace', () => {
    const SECOND_KEY = 'second-key-of-the-marketplace-1a2b3c4d';
    /** A service on the same database that was started with this key. */
    const keyed = async (key: string) => {
      const { app, url } = await service.replica({ marketplace: market.settings({ key, timeoutMs: 1_000 }) });
      const as = (token: string | undefined) => new Caller(url, token);
      const sweep = (): Promise<unknown> => app.get(Sweeps).runNow('instances');
      return { caller: as(org.operator.token), as, sweep };
    };
    /** A second key of the same account. */
    const secondKey = () => {
      market.keys.push(SECOND_KEY);
      return keyed(SECOND_KEY);
    };
    /** Another account knows none of the machines. */
    const anotherAccount = () => {
      market.behaves('list', { status: 200, body: { instances: [] } });
      market.behaves('info', { status: 404 });
      market.behaves('delete', { status: 404 });
    };
    const phases = async () => (await service.db.query('select id, phase from instances order by id')).rows;
    /** Long enough for a machine that is missing to be given up. */
    const sweepFor20Minutes = async (sweep: () => Promise<unknown>) => {
      for (let minutes = 0; minutes < 20; minutes += 5) {
        await age(service, '5 minutes');
        await outdate(service);
        await sweep();
      }
    };

    it('stay as they are, shown as stale, and are deleted as soon as the key is back', async () => {
      const [id, wanted, asked] = [
        await placedInstance(org.operator),
        await placedInstance(org.operator),
        await unsure(false),
      ];
      await now(id);
      market.behaves('delete', { status: 500 });
      await remove(wanted);
      const before = await phases();
      anotherAccount();
      market.asks = [];
      const other = await keyed(SECOND_KEY);
      await sweepFor20Minutes(() => other.sweep());
      expect(await phases()).toEqual(before);
      expect(market.asked('list')).not.toEqual([]);
      expect([market.asked('info'), market.asked('delete')]).toEqual([[], []]);
      expect(await statusOf(other.caller, id)).toMatchObject({
        status: 'creating',
        metadata: {
          stale_since: expect.any(String),
          stale_reason: 'the machine was rented with another key of the marketplace',
        },
      });
      for (const one of [id, wanted, asked]) {
        const answer = await remove(one, other.caller);
        expect([answer.status, answer.body.code]).toEqual([409, 'machine_of_another_key']);
      }
      market.behavesAgain();
      expect((await remove(id)).status).toBe(200);
      expect(machineOf(id).status).toBe('deleting');
      await outdate(service);
      await service.sweep('instances');
      expect(machineOf(wanted).status).toBe('deleting');
    });

    it('are forgotten by an admin, with an entry, and come back if a key lists them nevertheless', async () => {
      const [id, asked] = [await placedInstance(org.operator), await unsure(false)];
      anotherAccount();
      market.asks = [];
      const key = await keyed(SECOND_KEY);
      const forget = (one: string, caller: Caller) => remove(`${one}?forget=true`, caller);
      const byOperator = await forget(id, key.caller);
      expect([byOperator.status, byOperator.body.code]).toEqual([403, 'forbidden']);
      for (const one of [id, asked]) expect((await forget(one, key.as(org.admin.token))).text).toBe(one);
      expect(market.asked('delete')).toEqual([]);
      expect(await listed(org.viewer)).toEqual([]);
      expect(await statusOf(key.caller, id)).toMatchObject({
        status: 'deleted',
        metadata: { reason: expect.stringContaining('forgotten') },
      });
      const { body: entries } = await org.admin.get(`/v1/audit?resource=${id}&limit=1`);
      expect(entries).toMatchObject([{ action: 'delete_instance', details: { was: 'placed', forgotten: true } }]);
      market.behavesAgain();
      await now(id);
      expect((await listed(org.viewer)).map(({ id: shown }) => shown)).toEqual([id]);
    });

    it('are forgotten without a key, and deleted as usual if the key reaches them', async () => {
      const [id, reached] = [await placedInstance(org.operator), await placedInstance(org.operator)];
      expect((await remove(`${reached}?forget=true`, org.admin)).status).toBe(200);
      expect(machineOf(reached).status).toBe('deleting');
      const { url } = await service.replica({ marketplace: undefined });
      const withoutKey = new Caller(url, org.admin.token);
      expect((await remove(id, withoutKey)).status).toBe(503);
      expect((await remove(`${id}?forget=true`, withoutKey)).status).toBe(200);
      expect(await statusOf(withoutKey, id)).toMatchObject({ status: 'deleted' });
    });

    it('end by the absence that a second key of their account shows', async () => {
      const [listed, lost, asked] = [
        await placedInstance(org.operator),
        await placedInstance(org.operator),
        await unsure(false),
      ];
      await now(listed);
      await now(lost);
      market.machines.splice(market.machines.indexOf(machineOf(lost)), 1);
      const next = await secondKey();
      await sweepFor20Minutes(() => next.sweep());
      const phaseOf = Object.fromEntries((await phases()).map(({ id, phase }) => [id, phase]));
      expect([listed, lost, asked].map((id) => phaseOf[id])).toEqual(['placed', 'gone', 'failed']);
      expect((await remove(asked, next.caller)).status).toBe(200);
    });

    it('are adopted by a key that lists them, by which their deletion continues', async () => {
      const [id, wanted] = [await placedInstance(org.operator), await placedInstance(org.operator)];
      market.behaves('delete', { status: 500 });
      await remove(wanted);
      market.behavesAgain();
      await age(service, '31 seconds');
      const next = await secondKey();
      await next.sweep();
      expect(machineOf(wanted).status).toBe('deleting');
      expect((await statusOf(next.caller, id)).metadata).not.toHaveProperty('stale_since');
      expect((await remove(id, next.caller)).status).toBe(200);
      expect(machineOf(id).status).toBe('deleting');
    });

    it('are adopted by a deletion with a key that lists them', async () => {
      const id = await placedInstance(org.operator);
      const next = await secondKey();
      await statusOf(org.viewer, id);
      expect((await remove(id, next.caller)).status).toBe(200);
      expect(machineOf(id).status).toBe('deleting');
    });

    it('are shown as stale without a key', async () => {
      const id = await placedInstance(org.operator);
      const { url } = await service.replica({ marketplace: undefined });
      expect(await statusOf(new Caller(url, org.viewer.token), id)).toMatchObject({
        status: 'creating',
        metadata: { stale_since: expect.any(String), stale_reason: 'no marketplace is configured' },
      });
    });
  });

  describe('with an unknown result', () => {
    it('fail when no listing has shown them for long, and recover if they turn up later', async () => {
      const id = await unsure(false);
      await outdate(service);
      await service.sweep('instances');
      expect((await now(id)).status).toBe('pending');
      // The first listing after an outage decides nothing.
      await service.db.query("update instances set asked_at = asked_at - interval '16 minutes', missing_since = null");
      await outdate(service);
      await service.sweep('instances');
      expect(await now(id)).toMatchObject({ status: 'pending' });
      await age(service, '1 minute');
      await outdate(service);
      await service.sweep('instances');
      expect(await now(id)).toMatchObject({
        status: 'error',
        metadata: { reason: expect.stringContaining('has no machine with the tag') },
      });
      market.machines.push(buildMachine({ tags: [`ccp-${id}`], status: 'active' }));
      expect(await now(id)).toMatchObject({ status: 'active', metadata: { marketplace_id: market.machines[0]?.id } });
      expect(market.asked('create')).toEqual([]);
    });

    it('are deleted if they turn up after they were given up and deleted', async () => {
      const id = await unsure(false);
      await now(id);
      await age(service, '16 minutes');
      expect((await now(id)).status).toBe('error');
      await remove(id);
      expect(await listed(org.viewer)).toEqual([]);
      market.machines.push(buildMachine({ tags: [`ccp-${id}`] }));
      // Without readers, the service looks for an hour.
      await outdate(service);
      await service.sweep('instances');
      expect(market.machines[0]?.status).toBe('deleting');
    });

    it('are looked for behind the deletions that are due, which nothing may delay', async () => {
      const [lost, wanted] = [await placedInstance(org.operator), await placedInstance(org.operator)];
      await now(lost);
      market.behaves('delete', { status: 500 });
      await remove(wanted);
      market.behavesAgain();
      market.machines.splice(market.machines.indexOf(machineOf(lost)), 1);
      market.behaves('info', { before: () => new Promise(() => undefined) });
      await age(service, '31 seconds');
      await outdate(service);
      await service.sweep('instances');
      expect(market.asks.map(({ operation }) => operation)).toEqual(['list', 'delete', 'info']);
      expect(machineOf(wanted).status).toBe('deleting');
    });

    it('are looked for no longer when they ended an hour ago', async () => {
      const id = await unsure(false);
      await now(id);
      await age(service, '16 minutes');
      expect((await now(id)).status).toBe('error');
      await age(service, '1 hour');
      await outdate(service);
      market.behavesAgain();
      await service.sweep('instances');
      expect(market.asked('list')).toEqual([]);
    });

    it('are deleted again if the marketplace had not yet seen them at their deletion', async () => {
      const id = await placedInstance(org.operator);
      const { machines } = market;
      market.machines = [];
      await remove(id);
      expect((await statusOf(org.viewer, id)).status).toBe('deleted');
      market.machines = machines;
      await age(service, '30 seconds');
      await outdate(service);
      await service.sweep('instances');
      expect(machines[0]?.status).toBe('deleting');
    });

    it('stay pending while no listing is answered', async () => {
      const id = await unsure(false);
      await now(id);
      market.behaves('list', { status: 500 });
      await age(service, '2 days');
      await outdate(service);
      await service.sweep('instances');
      expect(await statusOf(org.viewer, id)).toMatchObject({ status: 'pending' });
    });

    it('stay pending while listings are incomplete', async () => {
      const id = await unsure(false);
      await now(id);
      market.behaves('list', { status: 200, body: { instances: [{ id: '../..', status: 'active' }] } });
      await age(service, '2 days');
      expect((await now(id)).status).toBe('pending');
    });

    it('fail if they were recorded and never requested', async () => {
      const id = newId();
      await service.db.query(
        `insert into instances (org_id, id, name, cloud, region, instance_type, phase) values ($1, $2, 'n', 'c', 'r', 't', 'recorded')`,
        [org.id, id],
      );
      await service.sweep('instances');
      expect(await statusOf(org.viewer, id)).toMatchObject({ status: 'pending', metadata: { asked_at: null } });
      await age(service, '61 seconds');
      await service.sweep('instances');
      expect(await statusOf(org.viewer, id)).toMatchObject({
        status: 'error',
        metadata: { reason: 'The service never sent the request to the marketplace: no machine was created.' },
      });
    });

    it('are found while their request is in progress, and take its reply afterwards', async () => {
      const { opened, open } = gate();
      market.behaves('create', { after: () => opened, times: 1 });
      const asked = createInstance(org.operator);
      await eventually(() => expect(market.machines).toHaveLength(1));
      await outdate(service);
      const [row] = await listed(org.viewer);
      expect(row).toMatchObject({ status: 'creating' });
      open();
      expect((await asked).body).toMatchObject({ instance_id: row?.id, status: 'creating' });
      expect(await listed(org.viewer)).toHaveLength(1);
    });
  });

  describe('without a record', () => {
    const ids = async (caller: Caller) => (await listed(caller)).map(({ id, status }) => [id, status]);

    it('are shown as orphaned: to the organisation of the record in their tag, and unknown ones to platform admins', async () => {
      const own = await placedInstance(org.operator);
      const foreign = buildMachine({ name: 'foreign', tags: ['training'] });
      const second = buildMachine({ name: 'second', tags: [`ccp-${own}`], ip: '1.0.0.2' });
      const nobodys = buildMachine({ name: 'nobody', tags: [`ccp-${newId()}`] });
      market.machines.push(foreign, second, nobodys);
      await outdate(service);
      expect(await ids(org.operator)).toEqual([
        [own, 'creating'],
        [second.id, 'orphaned'],
      ]);
      const orphans = [second.id, nobodys.id].sort().map((id) => [id, 'orphaned']);
      expect(await ids(await service.platformAdmin(org))).toEqual([[own, 'creating'], ...orphans]);
      expect(await ids(org.admin)).toEqual(await ids(org.operator));
      expect(await ids(other.operator)).toEqual([]);
      expect(await ids(other.admin)).toEqual([]);
      expect(await ids(service.admin)).toEqual([[nobodys.id, 'orphaned']]);
      expect(await statusOf(org.viewer, second.id)).toMatchObject({
        instance_id: second.id,
        status: 'orphaned',
        ip_address: '1.0.0.2',
        metadata: { name: 'second', marketplace_status: 'creating' },
      });
      for (const [caller, id] of [
        [other.operator, second.id],
        [other.operator, nobodys.id],
        [other.admin, second.id],
        [other.admin, foreign.id],
        [other.admin, nobodys.id],
        [org.operator, nobodys.id],
        [org.admin, nobodys.id],
        [org.admin, foreign.id],
        [service.admin, second.id],
        [service.admin, foreign.id],
      ] as const) {
        expect((await caller.get(`${INSTANCES}/${id}/status`)).status).toBe(404);
        expect((await remove(id, caller)).status).toBe(404);
      }
      expect(market.asked('delete')).toEqual([]);
    });

    it('are deleted by the id of the marketplace, with the same retries', async () => {
      const orphan = buildMachine({ tags: [`ccp-${newId()}`] });
      market.machines.push(orphan);
      market.behaves('delete', { status: 500, times: 1 });
      const answer = await remove(orphan.id, service.admin);
      expect(answer.status).toBe(200);
      expect(orphan.status).toBe('creating');
      await outdate(service);
      // It has a record now.
      expect(await ids(service.admin)).toEqual([[answer.text, 'deleting']]);
      expect(await ids(org.admin)).toEqual([]);
      expect((await remove(orphan.id, service.admin)).text).toBe(answer.text);
      await age(service, '31 seconds');
      await service.sweep('instances');
      await eventually(() => expect([market.asked('delete').length, orphan.status]).toEqual([2, 'deleting']));
      orphan.status = 'deleted';
      expect((await now(orphan.id, service.admin)).status).toBe('deleted');
    });

    it('are listed after the records, page by page', async () => {
      const own = await placedInstance(org.operator);
      market.machines.push(...Array.from({ length: 3 }, () => buildMachine({ tags: [`ccp-${own}`] })));
      await outdate(service);
      const all = await ids(org.operator);
      expect(all).toHaveLength(4);
      const paged = [];
      for (let offset = 0; offset < 4; offset += 2)
        paged.push(...((await org.operator.get(`${INSTANCES}?limit=2&offset=${offset}`)).body as JsonObject[]));
      expect(paged.map(({ id, status }) => [id, status])).toEqual(all);
    });
  });

  it('are maintained by a sweep', async () => {
    const id = await unsure(true);
    await outdate(service);
    await service.sweep('instances');
    const { rows } = await service.db.query('select phase from instances where id = $1', [id]);
    expect(rows).toEqual([{ phase: 'placed' }]);
  });

  it('are counted in the metrics of the service', async () => {
    await placedInstance(org.operator);
    market.behaves('create', { status: 400, body: {} });
    await createInstance(org.operator);
    const { text } = await service.as(undefined).get('/metrics');
    expect(text).toMatch(/^marketplace_asks_total\{operation="create",outcome="done"\} [1-9]/m);
    expect(text).toMatch(/^marketplace_asks_total\{operation="create",outcome="refused"\} [1-9]/m);
  });

  /** Requests to the marketplace by `operation outcome`, of those that were counted meanwhile. */
  async function countedDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const read = async (): Promise<Map<string, number>> => {
      const { text } = await service.as(undefined).get('/metrics');
      const series = text.matchAll(/^marketplace_asks_total\{operation="(\w+)",outcome="(\w+)"\} (\d+)$/gm);
      return new Map([...series].map(([, operation, outcome, count]) => [`${operation} ${outcome}`, Number(count)]));
    };
    const before = await read();
    await work();
    const counts = [...(await read())].map(([of, count]) => [of, count - (before.get(of) ?? 0)] as const);
    return Object.fromEntries(counts.filter(([, more]) => more > 0));
  }

  it.each<[string, Parameters<Marketplace['behaves']>[1], string]>([
    ['a web page', { status: 200, body: '<html>' }, 'unreadable'],
    ['something else', { status: 200, body: {} }, 'unreadable'],
    ['that there is no such address', { status: 404, body: {} }, 'failing'],
  ])('are counted as not read if the marketplace answers %s', async (_what, behaviour, outcome) => {
    market.allBehave(behaviour);
    const counted = await countedDuring(async () => {
      await outdate(service);
      await listed(org.viewer);
      await createInstance(org.operator);
    });
    const refused = outcome === 'failing';
    expect(counted).toEqual({ [`list ${outcome}`]: 1, [`create ${refused ? 'refused' : outcome}`]: 1 });
  });

  it('are counted as unknown, and not as refused, if the marketplace has no such machine', async () => {
    const id = await placedInstance(org.operator);
    market.machines = [];
    expect(await countedDuring(() => remove(id))).toEqual({ 'delete unknown': 1 });
    const refused = await placedInstance(org.operator);
    market.behaves('delete', { status: 403, body: {} });
    expect(await countedDuring(() => remove(refused))).toEqual({ 'delete refused': 1 });
  });
});
