import { PRICED } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import {
  authorize,
  authorized,
  buildModel,
  issueKey,
  ledgerOf,
  letExpire,
  routersSee,
  sendTelemetry,
  type Authorized,
  type IssuedKey,
} from '../../../support/inference';
import { expectSoundLedger } from '../../../support/ledger';
import { report } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { untilServed } from '../../../support/until-served';

const GIVEN_BACK = ['reserve 0.002036 0 0', 'release -0.002036 0 0'];

describe('an id that was given back, and is reported while another key asks for it', () => {
  let service: Service;
  let org: Organisation;
  let model: string;
  let profileId: string;
  let first: IssuedKey;
  let second: IssuedKey;
  let request: Authorized;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    const built = await buildModel(org, [PRICED]);
    ({ model } = built);
    [profileId = ''] = built.profileIds;
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true });
    // A settlement waits in it without an end, as long as the test holds the lock.
    await service.db.query(`
      create function pauses() returns trigger language plpgsql set lock_timeout = 0 as $$ begin
        perform pg_advisory_xact_lock(1);
        return null;
      end $$`);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    [first, second] = [await issueKey(service, org), await issueKey(service, org)];
    request = await authorized(first, model);
    await letExpire(service, request.authorization_id);
    await service.sweep('authorizations');
    expect(await ledgerOf(service, first.keyId)).toEqual(GIVEN_BACK);
  });

  const telemetry = (): Promise<Answer> =>
    untilServed(() =>
      sendTelemetry(org.controller, request, { profile_id: profileId, prompt_tokens: 420, completion_tokens: 96 }),
    );
  const asks = (): Promise<Answer> =>
    untilServed(() => authorize(second, model, { request_id: request.request_id, estimated_prompt_tokens: 1_000 }));
  const records = async (): Promise<object[]> => {
    const { rows } = await service.db.query<object>(
      'select key_id, trim_scale(cost_usd)::text as cost from usage_records where request_id = $1',
      [request.request_id],
    );
    return rows;
  };
  /** Resolves when a statement with this text waits for a lock. */
  const waits = (text: string): Promise<void> =>
    eventually(async () => {
      const { rows } = await service.db.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
        [text],
      );
      expect(rows).toHaveLength(1);
    });

  /** While settlements wait after this event. */
  async function paused<T>(event: 'insert' | 'update', work: () => Promise<T>): Promise<T> {
    await service.db.query(
      `create trigger pauses after ${event} on usage_records for each row execute function pauses()`,
    );
    const client = await service.db.connect();
    try {
      await client.query('select pg_advisory_lock(1)');
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock(1)');
      client.release();
      await service.db.query('drop trigger pauses on usage_records');
    }
  }

  it('is used by the other key, if that is admitted after the record is written', async () => {
    // In an array, because a promise that is returned is awaited.
    const [settled] = await paused('insert', async () => {
      const sent = telemetry();
      await waits('settle_requests');
      expect((await asks()).status).toBe(200);
      return [sent];
    });
    expect((await settled)?.status).toBe(200);
    expect(await ledgerOf(service, first.keyId)).toEqual(GIVEN_BACK);
    expect(await ledgerOf(service, second.keyId)).toEqual(['reserve 0.002036 0 0', 'settle -0.002036 0.000354 0']);
    expect(await records()).toEqual([{ key_id: second.keyId, cost: '0.000354' }]);
    await expectSoundLedger(service.db);
  });

  it('stays with its key and costs nothing, if the record was found to be of that key', async () => {
    const [settled, asked] = await paused('update', async () => {
      const sent = telemetry();
      await waits('settle_requests');
      const answer = asks();
      await Promise.race([answer, waits('held_until <= ')]);
      return [sent, answer];
    });
    expect((await settled)?.status).toBe(200);
    const { status, body } = await asked;
    expect([status, body.code]).toEqual([409, 'request_id_reused']);
    expect(await ledgerOf(service, first.keyId)).toEqual(GIVEN_BACK);
    expect(await ledgerOf(service, second.keyId)).toEqual([]);
    expect(await records()).toEqual([{ key_id: first.keyId, cost: '0' }]);
    await expectSoundLedger(service.db);
  });
});
