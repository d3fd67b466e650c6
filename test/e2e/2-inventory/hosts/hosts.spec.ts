import { newId } from '../../../../src/1-platform/common/ids';
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

const put = (id: string, body: unknown, caller = org.controller): Promise<Answer> =>
  caller.put(`/v1/hosts/${encodeURIComponent(id)}`, body);
const remove = (id: string, caller = org.controller): Promise<Answer> =>
  caller.delete(`/v1/hosts/${encodeURIComponent(id)}`);
const list = (query = '', caller = org.viewer): Promise<Answer> => caller.get(`/v1/hosts${query}`);
const idsOf = async (query = '') => (await list(query)).body.map(({ ID }: { ID: string }) => ID);
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].field];

const HOST = {
  ID: 'host-1',
  Hostname: 'gpu-1',
  KernelArch: 'x86_64',
  KernelVersion: '6.8.0-45-generic',
  MAC: '52:54:00:12:34:56',
  OS: 'linux',
  Platform: 'ubuntu',
  CPU: { Count: 64, Family: '25', PhysicalID: '0', VendorID: 'AuthenticAMD' },
  Memory: { Total: 540_140_630_016 },
};

describe('PUT /v1/hosts/{id}', () => {
  it('answers an empty body, and the list shows the reported host', async () => {
    const answer = await put('host-1', HOST);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await list()).body).toEqual([HOST]);
  });

  it('replaces the whole host', async () => {
    await put('host-1', { ...HOST, Extra: 1 });
    expect((await put('host-1', { Hostname: 'gpu-2' })).status).toBe(200);
    expect((await list()).body).toEqual([{ Hostname: 'gpu-2', ID: 'host-1' }]);
  });

  it('overwrites an id in the body with the id of the path', async () => {
    await put('host-1', { ID: 'host-2' });
    await put('host-3', {});
    expect((await list()).body).toEqual([{ ID: 'host-1' }, { ID: 'host-3' }]);
  });

  it('keeps reported zeros, and adds none for missing members', async () => {
    const zero = { ID: 'h', Hostname: '', CPU: { Count: 0, Family: '' }, Memory: {} };
    await put('h', zero);
    expect((await list()).body).toEqual([zero]);
  });

  it('treats null in a known member as missing, and keeps it elsewhere', async () => {
    const body = { Hostname: null, ID: null, CPU: { Count: null, x: null }, Memory: null, y: null };
    expect((await put('h', body)).status).toBe(200);
    expect((await list()).body).toEqual([{ CPU: { x: null }, y: null, ID: 'h' }]);
  });

  it('keeps unknown members at every level as received', async () => {
    const text =
      '{"ID":"h","id":"small","GPUs":[{"Index":0,"UUID":"GPU-1"}],"CPU":{"Count":2,"count":3,"Caches":{"L1":[32,null]}},' +
      '"Memory":{"Total":1,"Free":18446744073709551615,"Ratio":0.12345678901234567890123},"__proto__":{"a":1},' +
      '"constructor":1e999,"10":"ten","":"nameless"}';
    await put('h', text);
    const answer = (await list()).text;
    for (const part of [
      '18446744073709551615',
      '0.12345678901234567890123',
      '"constructor":1e999',
      '"__proto__":{"a":1}',
    ])
      expect(answer).toContain(part);
    expect(JSON.parse(answer)).toEqual([JSON.parse(text)]);
  });

  it('is fast for numbers that are long when written out', async () => {
    const body = `{"ID":"h","many":[${Array.from({ length: 10_000 }, () => '1e99999').join()}]}`;
    expect((await put('h', body)).status).toBe(200);
    expect((await list()).text).toBe(`[${body}]`);
  });

  it.each<[string, unknown, string]>([
    ['a name that is not a string', { Hostname: 5 }, 'Hostname'],
    ['an id that is not a string', { ID: 5 }, 'ID'],
    ['an id that is too long', { ID: 'x'.repeat(254) }, 'ID'],
    ['a CPU that is not an object', { CPU: 'fast' }, 'CPU'],
    ['a count that is a string', { CPU: { Count: '64' } }, 'CPU.Count'],
    ['a count that is not an integer', { CPU: { Count: 1.5 } }, 'CPU.Count'],
    ['a vendor that is not a string', { CPU: { VendorID: {} } }, 'CPU.VendorID'],
    ['memory that a double would round', '{"Memory":{"Total":9007199254740993}}', 'Memory.Total'],
    ['negative memory beyond a double', '{"Memory":{"Total":-9007199254740993}}', 'Memory.Total'],
    ['memory that is a list', { Memory: [] }, 'Memory'],
    ['no body', undefined, 'body'],
    ['null', 'null', 'body'],
    ['a list', [], 'body'],
    ['a text', '"x"', 'body'],
    ['no JSON', '{', 'body'],
    ['text that cannot be stored', '{"x":{"y":"\\u0000"}}', 'x.y'],
    ['a name that cannot be stored', '{"\\ud800":1}', '\ufffd'],
    ['more than 256 KiB', { x: 'x'.repeat(256 * 1024) }, 'body'],
  ])('refuses %s', async (_case, body, field) => {
    expect(faultOf(await put('h', body))).toEqual([400, field]);
    expect((await list()).body).toEqual([]);
  });

  it('names every fault', async () => {
    const { status, body } = await put('h', { OS: 1, CPU: { Count: '', Family: 1 } });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['OS', 'CPU.Count', 'CPU.Family']);
  });

  it('refuses more than 1 MiB before it reads the body, and anything but JSON', async () => {
    expect((await put('h', { x: 'x'.repeat(1024 * 1024) })).status).toBe(413);
    expect((await org.controller.put('/v1/hosts/h', 'x', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('accepts any text as an id that fits into a key', async () => {
    const texts = ['a b', 'a/b', '..', 'ü€😀', '%', "'; drop table hosts; --", 'x'.repeat(253), '€'.repeat(253)];
    for (const id of texts) expect([id, (await put(id, {})).status]).toEqual([id, 200]);
    expect((await idsOf()).sort()).toEqual([...texts].sort());
    for (const id of texts) expect(await idsOf(`?ids=${encodeURIComponent(id)}`)).toEqual([id]);
    for (const id of ['x'.repeat(254), '\0']) {
      expect(faultOf(await put(id, {}))).toEqual([400, 'id']);
      expect(faultOf(await remove(id))).toEqual([400, 'id']);
    }
  });

  it('leaves one row after twenty concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => put('h', { ...HOST, Turn: n, Same: n })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { body } = await list();
    expect(body).toHaveLength(1);
    expect(body[0].Turn).toBe(body[0].Same);
    const { rowCount } = await service.db.query('select from hosts where org_id = $1', [org.id]);
    expect(rowCount).toBe(1);
  });

  it('leaves a whole host or none when it races with deletes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? remove('h') : put('h', { Turn: n }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await list()).body.length).toBeLessThanOrEqual(1);
  });
});

describe('DELETE /v1/hosts/{id}', () => {
  it('answers an empty body, also when it is repeated or the host never existed', async () => {
    await put('host-1', HOST);
    await put('host-2', {});
    for (const id of ['host-1', 'host-1', 'never']) {
      const answer = await remove(id);
      expect([id, answer.status, answer.text]).toEqual([id, 200, '']);
    }
    expect(await idsOf()).toEqual(['host-2']);
  });

  it("does not touch another organisation's host of the same id", async () => {
    await put('host-1', HOST);
    expect((await remove('host-1', other.controller)).status).toBe(200);
    expect((await list()).body).toEqual([HOST]);
  });
});

describe('GET /v1/hosts', () => {
  it('lists the named hosts, by id', async () => {
    for (const id of ['c', 'a', 'b', 'B']) await put(id, {});
    const all = await idsOf();
    expect([...all].sort()).toEqual(['B', 'a', 'b', 'c']);
    expect(all.filter((id: string) => id !== 'B')).toEqual(['a', 'b', 'c']);
    expect(await idsOf('?ids=b')).toEqual(['b']);
    expect(await idsOf('?ids=c,%20a%20,unknown,c')).toEqual(['a', 'c']);
    expect(await idsOf('?ids=unknown')).toEqual([]);
    expect(await idsOf('?ids=')).toEqual(all);
    for (const blank of ['?ids=,', '?ids=%20,%20', '?ids=a,,b'])
      expect(faultOf(await list(blank))).toEqual([400, 'ids']);
  });

  it('continues at its link', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await put(id, {});
    const first = await list('?limit=2&ids=a,b,c,e');
    expect(first.body).toEqual([{ ID: 'a' }, { ID: 'b' }]);
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.link ?? '')?.[1] ?? '';
    const second = await org.viewer.get(next);
    expect(second.body).toEqual([{ ID: 'c' }, { ID: 'e' }]);
    expect(second.headers.link).toBeUndefined();
    expect((await list('?offset=4')).body).toEqual([{ ID: 'e' }]);
    expect((await list('?offset=5')).body).toEqual([]);
  });

  it('returns at most a thousand hosts', async () => {
    await service.db.query(
      `insert into hosts (org_id, id, object, object_bytes)
       select $1, 'h' || n, json_build_object('ID', 'h' || n), 20 from generate_series(1, 1001) n`,
      [org.id],
    );
    for (const query of ['', '?limit=5000']) {
      const answer = await list(query);
      expect(answer.body).toHaveLength(1_000);
      expect(answer.headers.link).toContain('limit=1000&offset=1000');
    }
    expect((await list('?offset=1000')).body).toHaveLength(1);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['offset=-1', 'offset'],
    ['ids=a&ids=b', 'ids'],
    ['ids=%00', 'ids'],
  ])('refuses %s', async (query, field) => {
    expect(faultOf(await list(`?${query}`))).toEqual([400, field]);
  });

  it('accepts a thousand ids and no more', async () => {
    const named = (count: number) => list(`?ids=${Array.from({ length: count }, (_, n) => n).join()}`);
    expect((await named(1_000)).status).toBe(200);
    expect(faultOf(await named(1_001))).toEqual([400, 'ids']);
  });

  it('hides other organisations', async () => {
    await put('host-1', HOST);
    await put('host-1', { Hostname: 'theirs' }, other.controller);
    expect((await list()).body).toEqual([HOST]);
    expect((await list('?ids=host-1', other.viewer)).body).toEqual([{ Hostname: 'theirs', ID: 'host-1' }]);
  });
});

describe('hosts', () => {
  it('can be written by controllers and operators, and read by everybody', async () => {
    expect((await put('h', {}, org.viewer)).status).toBe(403);
    expect((await remove('h', org.viewer)).status).toBe(403);
    for (const caller of [org.controller, org.operator, org.admin]) {
      expect((await put('h', {}, caller)).status).toBe(200);
      expect((await list('', caller)).body).toHaveLength(1);
      expect((await remove('h', caller)).status).toBe(200);
    }
    for (const method of ['put', 'delete'])
      expect((await service.as(undefined).send(method, '/v1/hosts/h', {}, {})).status).toBe(401);
    expect((await service.as(undefined).get('/v1/hosts')).status).toBe(401);
  });

  it('leave one audit entry per change', async () => {
    const id = newId();
    await put(id, {});
    service.clock.advance(1);
    await remove(id);
    service.clock.advance(1);
    await remove(id);
    await put(id, { CPU: 1 });
    const { body } = await org.operator.get(`/v1/audit?resource=${id}`);
    const entry = (action: string, details: object | null) =>
      expect.objectContaining({ action, resource_type: 'host', resource_id: id, actor_role: 'controller', details });
    expect(body).toEqual([
      entry('delete_host', { found: false }),
      entry('delete_host', { found: true }),
      entry('put_host', null),
    ]);
  });
});
