import { newId } from '../../../../src/1-platform/common/ids';
import { SettlementsService } from '../../../../src/5-traffic/admissions/settlements.service';
import { createKey, question, RawChat, readyProfile, routeTo, serviceFor, type Key } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { account, accountOf, admit, ledgerOf, letExpire } from '../../../support/inference';
import { InferenceWorker, streams } from '../../../support/inference-worker';
import { expectSoundLedger } from '../../../support/ledger';
import type { Organisation, Service } from '../../../support/service';

const CHATS = 3;

describe('chats that take longer than a reservation stands', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let model: string;
  let goOn = () => {};

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    model = await routeTo(org, [await readyProfile(org, worker)]);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    worker.reset();
    key = await createKey(org);
    const held = new Promise<void>((resolve) => (goOn = resolve));
    worker.behaves(streams({ before: (place) => (place === 3 ? held : undefined) }));
  });
  afterEach(() => goOn());

  const ask = () => RawChat.ask(service, key.raw_key, question(model, { max_tokens: 50, stream: true }));
  /** What the replica does every ten minutes. */
  const holdsOn = () => service.app.get(SettlementsService).holdOn();
  const kinds = async () => (await ledgerOf(service, key.key_id)).map((entry) => entry.split(' ')[0]);
  /** A request that another replica sent to a worker before its process died. */
  const orphaned = () => admit(service.db, org, { keyId: key.key_id, model }, { [newId()]: 0.25 });

  it('cost what they took, while requests of a process that died are charged their reservations', async () => {
    const chats = await Promise.all(Array.from({ length: CHATS }, ask));
    await orphaned();
    await letExpire(service, key.key_id);
    await holdsOn();
    await service.sweep('authorizations');
    expect(await kinds()).toEqual([...Array.from({ length: CHATS + 1 }, () => 'reserve'), 'charge']);
    const { rows } = await service.db.query(
      `select bool_and(held_until > clock_timestamp() + interval '50 minutes') as held from authorizations
       where key_id = $1 and settled_at is null`,
      [key.key_id],
    );
    expect(rows).toEqual([{ held: true }]);
    goOn();
    for (const chat of chats) expect(await chat.text()).toContain('[DONE]');
    await eventually(async () => expect((await kinds()).filter((kind) => kind === 'settle')).toHaveLength(CHATS));
    // 13 tokens of the prompt and 10 of the answer, at the prices of the profile.
    expect(await accountOf(service, key.key_id)).toEqual(account('0.2500645', '0'));
    await expectSoundLedger(service.db);
  });

  it('are held on to beside one that is settled at this moment', async () => {
    const chats = await Promise.all([ask(), ask()]);
    const settling = chats[0]?.headers['x-request-id'];
    await letExpire(service, key.key_id);
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query('select from authorizations where request_id = $1 for no key update', [settling]);
      await holdsOn();
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    const { rows } = await service.db.query(
      'select request_id from authorizations where key_id = $1 and held_until > clock_timestamp()',
      [key.key_id],
    );
    expect(rows).toEqual([{ request_id: chats[1]?.headers['x-request-id'] }]);
    goOn();
    for (const chat of chats) await chat.text();
  });
});
