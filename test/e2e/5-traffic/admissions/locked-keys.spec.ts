import { newId } from '../../../../src/1-platform/common/ids';
import { PRICED } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { authorized, buildModel, issueKey, sendTelemetry } from '../../../support/inference';
import { expectSoundLedger } from '../../../support/ledger';
import { onThisMachine } from '../../../support/machine';
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
