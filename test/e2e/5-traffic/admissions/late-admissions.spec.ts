import { newId } from '../../../../src/1-platform/common/ids';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { settle } from '../../../../src/5-traffic/admissions/settlements.queries';
import { refusedRow } from '../../../../src/5-traffic/usage/refused-request';
import { PRICED } from '../../../support/chat';
import { account, accountOf, admit, buildModel, issueKey, ledgerOf, type IssuedKey } from '../../../support/inference';
import { expectSoundLedger } from '../../../support/ledger';
import { Service, type Organisation } from '../../../support/service';

describe('an admission that is committed after its caller gave it up', () => {
  let service: Service;
  let org: Organisation;
  let key: IssuedKey;
  let model: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    ({ model } = await buildModel(org, [PRICED]));
    key = await issueKey(service, org, { budget_usd: 1 });
  });
  afterAll(() => service.close());

  it('costs what the record of its refusal says, and a request without a record its reservation', async () => {
    const [refused, unknown] = [newId(), newId()];
    const late = await service.db.connect();
    try {
      await late.query('begin');
      await admit(late, org, { keyId: key.keyId, model }, { [refused]: 0.25, [unknown]: 0.125 });
      // Its caller got a 503, and left the record of it.
      const request = { orgId: org.id, requestId: refused, keyId: key.keyId, logicalModel: model, status: 503 };
      const row = refusedRow({ ...request, experimentId: null, streamed: false, tookMs: 1_500 });
      await settle(service.app.get(StatementPool), [{ row, at: performance.now(), durable: true }]);
      await late.query('commit');
    } finally {
      late.release();
    }
    expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.375'));
    await service.sweep('authorizations');
    const ledger = await ledgerOf(service, key.keyId);
    expect(ledger.slice(2).toSorted()).toEqual(['charge -0.125 0.125 0', 'settle -0.25 0 0']);
    expect(await accountOf(service, key.keyId)).toEqual(account('0.125', '0'));
    await expectSoundLedger(service.db);
    // The whole rest of the budget is free.
    const { body } = await org.operator.get('/v1/inference/keys');
    expect(body).toMatchObject([{ key_id: key.keyId, spent_usd: 0.125, reserved_usd: 0 }]);
  });
});
