import { TokenVerifier } from '../../../../src/1-platform/auth/bearers/token-verifier';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { eventually } from '../../../support/eventually';
import { Service, type Organisation } from '../../../support/service';

/** A failed serialisation: a unit of work that fails with it is repeated. */
const retryable = (): Error => Object.assign(new Error('could not serialize access'), { code: '40001' });

describe('work after a commit', () => {
  let service: Service;
  let org: Organisation;
  let unitOfWork: UnitOfWork;

  beforeAll(async () => {
    service = await Service.start({ databasePoolSize: 1 });
    org = await service.organisation();
    unitOfWork = service.app.get(UnitOfWork);
    await service.db.query('create table notes (note text)');
    await service.db.query('grant all on notes to public');
  });
  beforeEach(() => service.db.query('delete from notes'));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const notes = async (): Promise<string[]> =>
    (await service.db.query<{ note: string }>('select note from notes')).rows.map(({ note }) => note);
  const note = (text: string, effects: readonly (() => void | Promise<void>)[]): Promise<string> =>
    unitOfWork.run({ orgId: org.id }, async (tx) => {
      for (const effect of effects) tx.onCommit(effect);
      await tx.query('insert into notes values ($text)', { text });
      return text;
    });

  it('does not fail or repeat the change when it fails, and the rest of it runs', async () => {
    let ran = false;
    const effects = [() => Promise.reject(retryable()), () => void (ran = true)];
    expect(await note('kept', effects)).toBe('kept');
    expect(await notes()).toEqual(['kept']);
    expect(ran).toBe(true);
  });

  it('finds the change committed and the connection free, before the caller has the result', async () => {
    const seen: string[][] = [];
    // The pool has one connection.
    await note('first', [async () => void seen.push([await note('second', []), ...(await notes())])]);
    expect(seen).toEqual([['second', 'first', 'second']]);
  });

  it('does not run when the transaction is rolled back', async () => {
    const effect = jest.fn();
    const refused = unitOfWork.run({ orgId: org.id }, (tx) => {
      tx.onCommit(effect);
      return Promise.reject(new Error('refused'));
    });
    await expect(refused).rejects.toThrow('refused');
    expect(effect).not.toHaveBeenCalled();
  });

  it.each<[string, readonly string[], number]>([
    ['three failed serialisations', ['40001', '40001', '40001', '40001'], 3],
    [
      'three failed serialisations between waits for locks, which do not count',
      ['55P03', '40001', '55P03', '55P03', '40001', '40001'],
      6,
    ],
    ['an error that a repetition would meet again', ['40001', '22023', '40001'], 2],
  ])('is given up after %s', async (_what, codes, attempts) => {
    let tried = 0;
    const refused = unitOfWork.run({ orgId: org.id }, () => {
      const code = codes[tried++] ?? '';
      return Promise.reject(Object.assign(new Error(`failed with ${code}`), { code, severity: 'ERROR' }));
    });
    await expect(refused).rejects.toMatchObject({ code: codes[attempts - 1] });
    expect(tried).toBe(attempts);
  });

  it('follows the whole transaction when a unit of work joins another', async () => {
    const order: string[] = [];
    await unitOfWork.run({ orgId: org.id }, async () => {
      await note('inner', [() => void order.push('effect')]);
      order.push('end of the outer one');
    });
    expect(order).toEqual(['end of the outer one', 'effect']);
  });

  it('does not fail the request that made the change', async () => {
    const body = { name: 'viewer', role: 'viewer', organisation_id: org.id };
    const created = (await service.admin.post('/v1/tokens', body)).body as Record<'token_id' | 'raw_token', string>;
    const caller = service.as(created.raw_token);
    expect((await caller.get('/v1/user')).status).toBe(200);
    const forget = jest.spyOn(service.app.get(TokenVerifier), 'forget').mockImplementation(() => {
      throw new Error('cannot forget');
    });
    expect((await service.admin.delete(`/v1/tokens/${created.token_id}`)).status).toBe(204);
    expect(forget).toHaveBeenCalledWith(created.token_id);
    // The replica remembers the token, and was not reminded; it looks it up again within a second.
    await eventually(async () => expect((await caller.get('/v1/user')).status).toBe(401));
  });
});
