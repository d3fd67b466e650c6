import { newId } from '../../../../src/1-platform/common/ids';
import { PRICED } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import {
  authorized,
  buildModel,
  issueKey,
  letExpire,
  resolve,
  routersSee,
  sendTelemetry,
  type Authorized,
} from '../../../support/inference';
import { expectSoundLedger } from '../../../support/ledger';
import { onThisMachine } from '../../../support/machine';
import { report } from '../../../support/profiles';
import { Service } from '../../../support/service';

describe('a locked key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  it('does not delay the telemetry of other keys, and loses nothing', async () => {
    const [one, other] = [await service.organisation(), await service.organisation()];
    const { model } = await buildModel(one, [PRICED]);
    const held = await authorized(await issueKey(service, one), model);
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query(
        'select from inference_keys where id = (select key_id from authorizations where request_id = $1) for update',
        [held.request_id],
      );
      const waits = sendTelemetry(one.controller, held);
      // Each try answers 200 when it is recorded, and 503 after two seconds of waiting: the key is locked all
      // the while.
      for (let n = 0; n < 3; n++) {
        const request = { request_id: newId(), logical_model: 'any' };
        await eventually(async () => expect((await sendTelemetry(other.controller, request)).status).toBe(200), 15_000);
      }
      expect((await waits).status).toBe(503);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await eventually(async () => {
      const { rowCount } = await service.db.query('select from authorizations where settled_at is null');
      expect(rowCount).toBe(0);
    });
    const { rowCount } = await service.db.query('select from usage_records where request_id = $1', [held.request_id]);
    expect(rowCount).toBe(1);
    await expectSoundLedger(service.db);
  });

  it('delays neither the release nor the charge of the reservations of other keys', async () => {
    const [one, other] = [await service.organisation(), await service.organisation()];
    const requests: Record<string, Authorized> = {};
    for (const [name, org] of Object.entries({ one, other })) {
      const { model, profileIds } = await buildModel(org, [PRICED]);
      const [profileId = ''] = profileIds;
      await report(org.controller, profileId);
      await routersSee(org.controller, profileId, { ready: true });
      const key = await issueKey(service, org);
      for (const kind of ['unused', 'sent']) {
        const request = await authorized(key, model);
        requests[`${name} ${kind}`] = request;
        if (kind === 'sent') expect((await resolve(org.controller, request)).status).toBe(200);
      }
    }
    const open = async () => {
      const { rows } = await service.db.query<{ id: string }>(
        'select id from authorizations where settled_at is null and id = any($1)',
        [Object.values(requests).map(({ authorization_id: id }) => id)],
      );
      const ids = new Set(rows.map(({ id }) => id));
      return Object.keys(requests).filter((name) => ids.has(requests[name]?.authorization_id ?? ''));
    };
    const expire = (name: string) => letExpire(service, requests[name]?.authorization_id ?? '');
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query(
        'select from inference_keys where id = (select key_id from authorizations where id = $1) for update',
        [requests['one sent']?.authorization_id],
      );
      // Those of the locked key are due first.
      for (const name of ['one sent', 'one unused', 'other sent', 'other unused']) await expire(name);
      await service.sweep('authorizations');
      expect(await open()).toEqual(['one unused', 'one sent']);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await service.sweep('authorizations');
    expect(await open()).toEqual([]);
    await expectSoundLedger(service.db);
  });

  it('has its expired reservations released and charged, although others hold it in turn all the time', async () => {
    const org = await service.organisation();
    const { model, profileIds } = await buildModel(org, [PRICED]);
    const [profileId = ''] = profileIds;
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true });
    const key = await issueKey(service, org);
    const requests = [await authorized(key, model), await authorized(key, model)];
    expect((await resolve(org.controller, requests[0]!)).status).toBe(200);
    for (const { authorization_id: id } of requests) await letExpire(service, id);
    let isOver = false;
    let held = (): void => {};
    const isHeld = new Promise<void>((resolved) => (held = resolved));
    const holds = async (): Promise<void> => {
      const holder = await service.db.connect();
      try {
        while (!isOver) {
          await holder.query('begin');
          await holder.query('select from inference_keys where id = $1 for no key update', [key.keyId]);
          held();
          await holder.query('select pg_sleep(0.02)');
          await holder.query('commit');
        }
      } finally {
        holder.release();
      }
    };
    const holders = [holds(), holds()];
    const open = async () => {
      const { rowCount } = await service.db.query(
        'select from authorizations where settled_at is null and id = any($1)',
        [requests.map(({ authorization_id: id }) => id)],
      );
      return rowCount;
    };
    try {
      await isHeld;
      expect(await open()).toBe(2);
      // The first one is enough, unless this machine is very slow.
      for (let sweeps = 0; sweeps < 3 && (await open()) !== 0; sweeps++) await service.sweep('authorizations');
      expect(await open()).toBe(0);
    } finally {
      isOver = true;
      await Promise.all(holders);
    }
    await expectSoundLedger(service.db);
  });

  it('does not change the time of telemetry that arrived meanwhile', async () => {
    const org = await service.organisation();
    const { model } = await buildModel(org, [PRICED]);
    const key = await issueKey(service, org);
    const held = await authorized(key, model);
    const holder = await service.db.connect();
    let before: Date | undefined;
    try {
      await holder.query('begin');
      await holder.query('select from inference_keys where id = $1 for update', [key.keyId]);
      const { rows } = await holder.query<{ now: Date }>('select clock_timestamp() as now');
      before = rows[0]?.now;
      const sent = sendTelemetry(org.controller, held, { end_to_end_latency_ms: 0 });
      const attempts = new Set<number>();
      await eventually(async () => {
        const waiting = await service.db.query<{ begun: Date }>(
          `select query_start as begun from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and query like '%settle_requests%'`,
        );
        for (const { begun } of waiting.rows) attempts.add(begun.getTime());
        expect(attempts.size).toBe(2);
      });
      await holder.query('rollback');
      expect((await sent).status).toBe(200);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await eventually(async () => {
      const { rows } = await service.db.query<{ late: number }>(
        'select extract(epoch from occurred_at - $2)::float8 as late from usage_records where request_id = $1',
        [held.request_id, before],
      );
      expect(rows).toHaveLength(1);
      // The second attempt of one try wrote it, at least a second later.
      expect(rows[0]?.late).toBeGreaterThanOrEqual(0);
      expect(rows[0]?.late).toBeLessThan(onThisMachine(0.4));
    });
  });
});
