import { isUuid, newId } from '../../../../src/1-platform/common/ids';
import { Service, type Answer, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let other: Organisation;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  [org, other] = [await service.organisation(), await service.organisation()];
});
afterAll(() => service.close());

const PATH = '/v1/svc/job/checkpoints';
const put = (id: string, body: unknown, caller = org.controller): Promise<Answer> =>
  caller.put(`${PATH}/${encodeURIComponent(id)}`, body);
const remove = (id: string, caller = org.controller): Promise<Answer> =>
  caller.delete(`${PATH}/${encodeURIComponent(id)}`);
const list = (query = '', caller = org.viewer): Promise<Answer> => caller.get(`${PATH}${query}`);
const idsOf = async (query = '') => (await list(query)).body.map(({ ID }: { ID: string }) => ID);
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].field];

const CHECKPOINT = { JID: 'train-1', Path: '/checkpoints/1', Time: 1_795_200_000_000, Size: 1_048_576 };

describe('PUT /v1/svc/job/checkpoints/{id}', () => {
  it('answers the bare id of the path, and the list shows the reported checkpoint', async () => {
    const id = newId();
    const answer = await put(id, { ...CHECKPOINT, ID: newId() });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      200,
      id,
      'text/plain; charset=utf-8',
    ]);
    expect((await list()).body).toEqual([{ ...CHECKPOINT, ID: id }]);
  });

  it('accepts an id in either case as the same one', async () => {
    const id = newId();
    await put(id, CHECKPOINT);
    expect((await put(id.toUpperCase(), { ...CHECKPOINT, Size: 5 })).text).toBe(id);
    expect((await list(`?ids=${id.toUpperCase()}`)).body).toEqual([{ ...CHECKPOINT, Size: 5, ID: id }]);
    await remove(id.toUpperCase());
    expect((await list()).body).toEqual([]);
  });

  it('uses the ID of the body if the name in the path is not a UUID, every time', async () => {
    const id = newId();
    for (const name of ['new', 'ckpt-7'])
      expect((await put(name, { ...CHECKPOINT, ID: id.toUpperCase() })).text).toBe(id);
    expect(await idsOf(`?ids=${id}`)).toEqual([id]);
    for (const ID of ['ckpt-7', '', null]) {
      const made = (await put('new', { ...CHECKPOINT, ID })).text;
      expect([isUuid(made), made === id]).toEqual([true, false]);
    }
  });

  it.each(['new', '0', 'not a uuid', `${newId()}x`, 'x'.repeat(253)])('generates an id for %s', async (name) => {
    const [first, second] = [await put(name, { ...CHECKPOINT, ID: name }), await put(name, CHECKPOINT)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect([isUuid(first.text), isUuid(second.text)]).toEqual([true, true]);
    expect(second.text).not.toBe(first.text);
    expect((await idsOf()).sort()).toEqual([first.text, second.text].sort());
  });

  it('replaces the whole checkpoint', async () => {
    const id = newId();
    await put(id, { ...CHECKPOINT, Extra: 1 });
    await put(id, { JID: 'train-2', Path: '/p', Time: 1, Size: 2 });
    expect((await list()).body).toEqual([{ JID: 'train-2', Path: '/p', Time: 1, Size: 2, ID: id }]);
    expect(await idsOf('?jids=train-1')).toEqual([]);
    expect(await idsOf('?jids=train-2')).toEqual([id]);
  });

  it.each<[string, object]>([
    ['left out', {}],
    ['null', { JID: null, Path: null, Time: null, Size: null, ID: null }],
    ['reported', { JID: '', Path: '', Time: 0, Size: 0, ID: '' }],
  ])('shows a zero that is %s', async (_how, body) => {
    const id = newId();
    expect((await put(id, body)).text).toBe(id);
    expect((await list()).body).toEqual([{ JID: '', Path: '', Time: 0, Size: 0, ID: id }]);
  });

  it('keeps unknown members, and every digit', async () => {
    const id = newId();
    const text = `{"JID":"j","Path":"/p","Time":9007199254740991,"Size":-1,"ID":"${id}","Pages":18446744073709551615,"x":[null,{"y":0.10000000000000000000001}]}`;
    await put(id, text);
    expect((await list()).text).toBe(`[${text}]`);
  });

  it.each<[string, unknown, string]>([
    ['a job that is not a string', { ...CHECKPOINT, JID: 1 }, 'JID'],
    ['a job id that is too long', { ...CHECKPOINT, JID: 'x'.repeat(254) }, 'JID'],
    ['a path that is not a string', { ...CHECKPOINT, Path: ['/'] }, 'Path'],
    ['a time that is a date', { ...CHECKPOINT, Time: '2026-01-01T00:00:00Z' }, 'Time'],
    ['a time that is not an integer', { ...CHECKPOINT, Time: 0.5 }, 'Time'],
    ['a time that a double would round', '{"JID":"j","Path":"/p","Time":9007199254740993}', 'Time'],
    ['a size that a double would round', '{"JID":"j","Path":"/p","Size":9007199254740992}', 'Size'],
    ['a size that is not finite', '{"JID":"j","Path":"/p","Size":1e400}', 'Size'],
    ['an id that is not a string', { ...CHECKPOINT, ID: 1 }, 'ID'],
    ['no body', undefined, 'body'],
    ['a list', [CHECKPOINT], 'body'],
    ['text that cannot be stored', '{"JID":"\\u0000"}', 'JID'],
    ['more than 256 KiB', { ...CHECKPOINT, x: 'x'.repeat(256 * 1024) }, 'body'],
  ])('refuses %s', async (_case, body, field) => {
    for (const id of [newId(), 'new']) expect(faultOf(await put(id, body))).toEqual([400, field]);
    expect((await list()).body).toEqual([]);
  });

  it('leaves one row, from one request, after twenty concurrent ones', async () => {
    const id = newId();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => put(id, { JID: `j${n}`, Path: `/${n}`, Time: n, Size: n })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set([`200 ${id}`]));
    const { rows } = await service.db.query(
      'select jid, time::integer, object from legacy_job_checkpoints where org_id = $1',
      [org.id],
    );
    const [{ object }] = rows;
    expect(rows).toEqual([{ jid: object.JID, time: object.Time, object }]);
    expect(object).toEqual({
      JID: `j${object.Time}`,
      Path: `/${object.Time}`,
      Time: object.Time,
      Size: object.Time,
      ID: id,
    });
  });
});

describe('DELETE /v1/svc/job/checkpoints/{id}', () => {
  it('answers an empty body, also when it is repeated, for an unknown id and for a malformed one', async () => {
    const [gone, stays] = [newId(), newId()];
    await put(gone, CHECKPOINT);
    await put(stays, CHECKPOINT);
    for (const id of [gone, gone, newId(), 'never']) {
      const answer = await remove(id);
      expect([id, answer.status, answer.text]).toEqual([id, 200, '']);
    }
    expect(await idsOf()).toEqual([stays]);
  });

  it("does not touch another organisation's checkpoint of the same id", async () => {
    const id = newId();
    await put(id, CHECKPOINT);
    expect((await put(id, { ...CHECKPOINT, Path: '/theirs' }, other.controller)).text).toBe(id);
    expect((await remove(id, other.controller)).status).toBe(200);
    expect((await list()).body).toEqual([{ ...CHECKPOINT, ID: id }]);
    expect((await list('', other.viewer)).body).toEqual([]);
  });
});

describe('GET /v1/svc/job/checkpoints', () => {
  const report = async (JID: string, Time?: number) => (await put('new', { JID, Path: '/p', Time })).text;

  it('lists those of the named ids and jobs, newest first', async () => {
    const [old, young, none, mid] = [
      await report('a', 1),
      await report('b', 30),
      await report('a'),
      await report('c', 2),
    ];
    expect(await idsOf()).toEqual([young, mid, old, none]);
    expect(await idsOf('?jids=a')).toEqual([old, none]);
    expect(await idsOf('?jids=a,%20b,unknown')).toEqual([young, old, none]);
    expect(await idsOf(`?ids=${none},${mid},${newId()}`)).toEqual([mid, none]);
    expect(await idsOf(`?ids=${none},${mid}&jids=c`)).toEqual([mid]);
    expect(await idsOf(`?ids=${none}&jids=c`)).toEqual([]);
    expect(await idsOf('?ids=&jids=')).toEqual([young, mid, old, none]);
  });

  it('continues at its link', async () => {
    const body = [
      await report('a', 3),
      await report('a', 2),
      await report('a', 2),
      await report('b', 1),
      await report('a', 1),
    ];
    const all = await idsOf('?jids=a');
    expect([...all].sort()).toEqual(body.filter((_, index) => index !== 3).sort());
    const first = await list('?jids=a&limit=2');
    expect(first.headers.link).toBe(`<${PATH}?jids=a&limit=2&offset=2>; rel="next"`);
    const second = await list('?jids=a&limit=2&offset=2');
    expect(second.headers.link).toBeUndefined();
    expect([...first.body, ...second.body].map(({ ID }) => ID)).toEqual(all);
  });

  it.each([
    ['ids=x', 'ids'],
    ['ids=0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10,x', 'ids'],
    ['limit=0', 'limit'],
    ['offset=x', 'offset'],
    ['jids=%00', 'jids'],
  ])('refuses %s', async (query, field) => {
    expect(faultOf(await list(`?${query}`))).toEqual([400, field]);
  });

  it('hides other organisations', async () => {
    const id = await report('a');
    for (const query of ['', `?ids=${id}`, '?jids=a']) expect((await list(query, other.viewer)).body).toEqual([]);
  });
});

describe('checkpoints of legacy jobs', () => {
  it('can be written by controllers and operators, and read by everybody', async () => {
    const id = newId();
    expect((await put(id, CHECKPOINT, org.viewer)).status).toBe(403);
    expect((await remove(id, org.viewer)).status).toBe(403);
    for (const caller of [org.controller, org.operator, org.admin]) {
      expect((await put(id, CHECKPOINT, caller)).status).toBe(200);
      expect((await list('', caller)).body).toHaveLength(1);
      expect((await remove(id, caller)).status).toBe(200);
    }
    expect((await put(id, CHECKPOINT, service.as(undefined))).status).toBe(401);
  });

  it('leave one audit entry per change', async () => {
    const { text: id } = await put('new', CHECKPOINT);
    service.clock.advance(1);
    await remove(id);
    service.clock.advance(1);
    await remove('never');
    await put(id, []);
    const { body } = await org.operator.get('/v1/audit?resource=legacy_job_checkpoint');
    const entry = (action: string, resource_id: string, details: object) =>
      expect.objectContaining({ action, resource_id, details });
    expect(body).toEqual([
      entry('delete_legacy_job_checkpoint', 'never', { found: false }),
      entry('delete_legacy_job_checkpoint', id, { found: true }),
      entry('put_legacy_job_checkpoint', id, { jid: 'train-1' }),
    ]);
  });
});
