import { newId } from '../../../../src/1-platform/common/ids';
import { PRICED } from '../../../support/chat';
import {
  account,
  accountOf,
  authorize,
  authorized,
  buildModel,
  issueKey,
  letBeForgotten,
  sendTelemetry,
} from '../../../support/inference';
import { Service, type Organisation } from '../../../support/service';

describe('the id of a request whose authorization was forgotten', () => {
  let service: Service;
  let org: Organisation;
  let model: string;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    const built = await buildModel(org, [PRICED]);
    model = built.model;
    [profileId = ''] = built.profileIds;
  });
  afterAll(() => service.close());

  it('is taken as long as the record of its use is kept', async () => {
    const key = await issueKey(service, org);
    const request = await authorized(key, model);
    const used = { profile_id: profileId, prompt_tokens: 420, completion_tokens: 96 };
    expect((await sendTelemetry(org.controller, request, used)).status).toBe(200);
    const record = async () =>
      (await service.db.query('select * from usage_records where request_id = $1', [request.request_id])).rows;
    const before = await record();
    await letBeForgotten(service, key.keyId);
    await service.sweep('usage history');
    const { rows } = await service.db.query('select from authorizations where id = $1', [request.authorization_id]);
    expect(rows).toEqual([]);
    const another = await issueKey(service, org, { budget_usd: 1 });
    for (const asking of [another, key]) {
      const { status, body } = await authorize(asking, model, { request_id: request.request_id });
      expect([status, body.code]).toEqual([409, 'request_id_reused']);
    }
    // Beside requests that are new, and one by one where the budget does not cover all of them.
    const ids = [newId(), request.request_id, newId()];
    const poor = await issueKey(service, org, { budget_usd: 0.0025 });
    for (const [asking, statuses] of [
      [another, [200, 409, 200]],
      [poor, [200, 409, 402]],
    ] as const) {
      const answers = await Promise.all(
        ids.map((request_id) => authorize(asking, model, { request_id, estimated_prompt_tokens: 1_000 })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual(statuses.toSorted());
      ids[0] = newId();
      ids[2] = newId();
    }
    await sendTelemetry(org.controller, request, { ...used, prompt_tokens: 1 });
    expect(await record()).toEqual(before);
    expect(await accountOf(service, another.keyId)).toEqual(account('0', '0.004072'));
  });
});
