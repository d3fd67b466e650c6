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

const put = (jid: string, body: unknown, caller = org.controller): Promise<Answer> =>
  caller.put(`/v1/svc/jobs/${encodeURIComponent(jid)}`, body);
const remove = (jid: string, caller = org.controller): Promise<Answer> =>
  caller.delete(`/v1/svc/jobs/${encodeURIComponent(jid)}`);
const list = (query = '', caller = org.viewer): Promise<Answer> => caller.get(`/v1/svc/jobs${query}`);
const idsOf = async (query = '') => (await list(query)).body.map(({ JID }: { JID: string }) => JID);
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].field];
const onHost = (id: unknown) => ({ Type: 'process', State: { Host: { ID: id } } });

const JOB = {
  Type: 'process',
  JID: 'train-1',
  Log: '/var/log/train-1.log',
  Details: { Process: { Args: ['python', 'train.py'], Attachable: false } },
  State: {
    Cmdline: 'python train.py',
    GIDs: [1000, 1000, 1000, 1000],
    GPUEnabled: true,
    Groups: [4, 27],
    Host: { ID: 'host-1', Hostname: 'gpu-1', CPU: { Count: 64, PhysicalID: '0' }, Memory: { Total: 540_140_630_016 } },
    IsRunning: true,
    PID: 4711,
    StartTime: 1_795_200_000_000,
    Status: 'sleep',
    UIDs: [1000],
    WorkingDir: '/home/ml',
  },
};

describe('PUT /v1/svc/jobs/{jid}', () => {
  it('answers an empty body, and the list shows the reported job', async () => {
    const answer = await put('train-1', JOB);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await list()).body).toEqual([JOB]);
  });

  it('replaces the whole job', async () => {
    await put('train-1', JOB);
    await put('train-1', { Type: 'runc' });
    expect((await list()).body).toEqual([{ Type: 'runc', JID: 'train-1' }]);
    expect(await idsOf('?host_ids=host-1')).toEqual([]);
  });

  it('overwrites an id in the body with the id of the path', async () => {
    await put('train-1', { Type: 'process', JID: 'train-2' });
    expect((await list()).body).toEqual([{ Type: 'process', JID: 'train-1' }]);
  });

  it('shows an empty type if the daemon left it out, and adds no other zero', async () => {
    await put('j', { State: { Host: { CPU: {} } } });
    expect((await list()).body).toEqual([{ State: { Host: { CPU: {} } }, JID: 'j', Type: '' }]);
    const zero = {
      Type: '',
      JID: 'j',
      Log: '',
      State: { PID: 0, IsRunning: false, GPUEnabled: false, UIDs: [], Status: '', Host: {} },
    };
    await put('j', zero);
    expect((await list()).body).toEqual([zero]);
  });

  it('treats null in a known member as missing, as Go does, and keeps it elsewhere', async () => {
    const state = { UIDs: null, Groups: null, PID: null, Host: { ID: null, CPU: null, x: null }, y: null };
    await put('a', { Type: null, Log: null, State: state, Details: null, z: null });
    await put('b', { Type: 'process', State: null });
    expect((await list()).body).toEqual([
      { State: { Host: { x: null }, y: null }, Details: null, z: null, JID: 'a', Type: '' },
      { Type: 'process', JID: 'b' },
    ]);
  });

  it('keeps unknown members at every level, and every digit', async () => {
    const text =
      '{"Type":"process","JID":"j","New":18446744073709551615,"Details":[1.00000000000000000001,{"a":12345678901234567890}],' +
      '"State":{"PID":1,"pid":"small","Rlimits":{"nofile":18446744073709551614},' +
      '"Host":{"ID":"h","Boot":18446744073709551613,"CPU":{"Flags":["avx",null],"Hz":18446744073709551612},"Memory":{"Free":-98765432109876543210}}}}';
    await put('j', text);
    expect((await list()).text).toBe(`[${text}]`);
  });

  it.each(['text', 5, false, [1, 'a'], { a: {} }])('keeps details of any type: %j', async (details) => {
    await put('j', { Type: 'x', Details: details });
    expect((await list()).body[0].Details).toEqual(details);
  });

  it.each<[string, unknown, string]>([
    ['a type that is not a string', { Type: 1 }, 'Type'],
    ['a job id that is not a string', { JID: 1 }, 'JID'],
    ['a log that is not a string', { Log: {} }, 'Log'],
    ['a state that is not an object', { State: [] }, 'State'],
    ['a process id that is a string', { State: { PID: '1' } }, 'State.PID'],
    ['a process id that is not an integer', { State: { PID: 0.5 } }, 'State.PID'],
    ['a start that a double would round', '{"State":{"StartTime":9007199254740993}}', 'State.StartTime'],
    ['a flag that is a number', { State: { GPUEnabled: 1 } }, 'State.GPUEnabled'],
    ['a flag that is a string', { State: { IsRunning: 'true' } }, 'State.IsRunning'],
    ['user ids that are not a list', { State: { UIDs: 0 } }, 'State.UIDs'],
    ['a user id that is a string', { State: { UIDs: [0, '1'] } }, 'State.UIDs[1]'],
    ['a group id that is null', { State: { GIDs: [null] } }, 'State.GIDs[0]'],
    ['a group that a double would round', '{"State":{"Groups":[1,9007199254740993]}}', 'State.Groups[1]'],
    ['a host that is a string', { State: { Host: 'host-1' } }, 'State.Host'],
    ['a host whose id is not a string', { State: { Host: { ID: 1 } } }, 'State.Host.ID'],
    ['a host whose id is too long', { State: { Host: { ID: 'x'.repeat(254) } } }, 'State.Host.ID'],
    ['a CPU that is not an object', { State: { Host: { CPU: 1 } } }, 'State.Host.CPU'],
    ['a count that is a string', { State: { Host: { CPU: { Count: '1' } } } }, 'State.Host.CPU.Count'],
    ['no body', undefined, 'body'],
    ['a list', [], 'body'],
    ['text that cannot be stored', '{"State":{"Host":{"x":"\\ud800"}}}', 'State.Host.x'],
    ['more than 256 KiB', { Details: 'x'.repeat(256 * 1024) }, 'body'],
  ])('refuses %s', async (_case, body, field) => {
    expect(faultOf(await put('j', body))).toEqual([400, field]);
    expect((await list()).body).toEqual([]);
  });

  it('names the id of the path if it cannot be a key', async () => {
    expect(faultOf(await put('x'.repeat(254), JOB))).toEqual([400, 'jid']);
    expect(faultOf(await remove('\0'))).toEqual([400, 'jid']);
  });

  it('accepts host ids up to the length that hosts may have', async () => {
    const id = '€'.repeat(253);
    expect((await put('j', onHost(id))).status).toBe(200);
    expect(await idsOf(`?host_ids=${encodeURIComponent(id)}`)).toEqual(['j']);
  });

  it('leaves one row, from one request, after twenty concurrent ones', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => put('j', onHost(`host-${n}`))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { rows } = await service.db.query('select host_id, object from legacy_jobs where org_id = $1', [org.id]);
    expect(rows).toEqual([{ host_id: rows[0].object.State.Host.ID, object: expect.anything() }]);
  });
});

describe('DELETE /v1/svc/jobs/{jid}', () => {
  it('answers an empty body, also when it is repeated or the job never existed', async () => {
    await put('train-1', JOB);
    await put('train-2', JOB);
    for (const jid of ['train-1', 'train-1', 'never', newId()]) {
      const answer = await remove(jid);
      expect([jid, answer.status, answer.text]).toEqual([jid, 200, '']);
    }
    expect(await idsOf()).toEqual(['train-2']);
  });

  it('keeps the host and the checkpoints of the job', async () => {
    await org.controller.put('/v1/hosts/host-1', { ID: 'host-1' });
    await put('train-1', JOB);
    await org.controller.put(`/v1/svc/job/checkpoints/${newId()}`, { JID: 'train-1', Path: '/p' });
    await remove('train-1');
    expect((await org.viewer.get('/v1/hosts')).body).toHaveLength(1);
    expect((await org.viewer.get('/v1/svc/job/checkpoints?jids=train-1')).body).toHaveLength(1);
  });

  it("does not touch another organisation's job of the same id", async () => {
    await put('train-1', JOB);
    expect((await remove('train-1', other.controller)).status).toBe(200);
    expect((await list()).body).toEqual([JOB]);
  });
});

describe('GET /v1/svc/jobs', () => {
  it('lists those of the named jobs and hosts, by id', async () => {
    await put('c', onHost('h1'));
    await put('a', onHost('h2'));
    await put('b', onHost('h1'));
    await put('d', { Type: 'process' });
    expect(await idsOf()).toEqual(['a', 'b', 'c', 'd']);
    expect(await idsOf('?jids=c,a,unknown')).toEqual(['a', 'c']);
    expect(await idsOf('?host_ids=h1')).toEqual(['b', 'c']);
    expect(await idsOf('?host_ids=h2,%20h1')).toEqual(['a', 'b', 'c']);
    expect(await idsOf('?host_ids=h1&jids=a,b')).toEqual(['b']);
    expect(await idsOf('?host_ids=unknown')).toEqual([]);
    expect(faultOf(await list('?jids=a,,b'))).toEqual([400, 'jids']);
    expect(faultOf(await list('?host_ids=,'))).toEqual([400, 'host_ids']);
    expect(await idsOf('?host_ids=&jids=')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('follows a job to another host', async () => {
    await put('a', onHost('h1'));
    await put('a', onHost('h2'));
    expect(await idsOf('?host_ids=h1')).toEqual([]);
    expect(await idsOf('?host_ids=h2')).toEqual(['a']);
  });

  it('continues at its link', async () => {
    for (const jid of ['a', 'b', 'c']) await put(jid, onHost('h1'));
    const first = await list('?host_ids=h1&limit=2');
    expect(first.headers.link).toBe('</v1/svc/jobs?host_ids=h1&limit=2&offset=2>; rel="next"');
    expect(first.body).toHaveLength(2);
    const second = await list('?host_ids=h1&limit=2&offset=2');
    expect(second.body).toEqual([{ ...onHost('h1'), JID: 'c' }]);
    expect(second.headers.link).toBeUndefined();
  });

  it('ends a page at 16 MiB, and continues at its link', async () => {
    const jids = Array.from({ length: 70 }, (_, n) => `j${n + 10}`);
    for (const jid of jids) expect((await put(jid, { Details: 'é'.repeat(125 * 1024) })).status).toBe(200);
    const listed: string[] = [];
    let next: string | undefined = '/v1/svc/jobs';
    let pages = 0;
    for (; next !== undefined; pages++) {
      const answer: Answer = await org.viewer.get(next);
      expect(Buffer.byteLength(answer.text)).toBeLessThan(17 * 1024 * 1024);
      listed.push(...(answer.body as { JID: string }[]).map(({ JID }) => JID));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1];
    }
    expect([pages, listed]).toEqual([2, jids]);
  });

  it.each([
    ['limit=0', 'limit'],
    ['jids=a&jids=b', 'jids'],
    ['host_ids=%00', 'host_ids'],
  ])('refuses %s', async (query, field) => {
    expect(faultOf(await list(`?${query}`))).toEqual([400, field]);
  });

  it('hides other organisations', async () => {
    await put('train-1', JOB);
    await put('train-1', { Type: 'theirs' }, other.controller);
    expect((await list()).body).toEqual([JOB]);
    expect((await list('?jids=train-1', other.viewer)).body).toEqual([{ Type: 'theirs', JID: 'train-1' }]);
    expect((await list('?host_ids=host-1', other.viewer)).body).toEqual([]);
  });
});

describe('legacy jobs', () => {
  it('can be written by controllers and operators, and read by everybody', async () => {
    expect((await put('j', {}, org.viewer)).status).toBe(403);
    expect((await remove('j', org.viewer)).status).toBe(403);
    for (const caller of [org.controller, org.operator, org.admin]) {
      expect((await put('j', {}, caller)).status).toBe(200);
      expect((await list('', caller)).body).toHaveLength(1);
      expect((await remove('j', caller)).status).toBe(200);
    }
    expect((await put('j', {}, service.as(undefined))).status).toBe(401);
  });

  it('leave one audit entry per change', async () => {
    const jid = newId();
    await put(jid, JOB);
    service.clock.advance(1);
    await remove(jid);
    service.clock.advance(1);
    await remove(jid);
    await put(jid, { Type: 1 });
    const { body } = await org.operator.get(`/v1/audit?resource=${jid}`);
    const entry = (action: string, details: object | null) =>
      expect.objectContaining({ action, resource_type: 'legacy_job', resource_id: jid, details });
    expect(body).toEqual([
      entry('delete_legacy_job', { found: false }),
      entry('delete_legacy_job', { found: true }),
      entry('put_legacy_job', null),
    ]);
  });
});
