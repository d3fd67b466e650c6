import { newId } from '../../../../src/1-platform/common/ids';
import { MAX_PAGE_BYTES } from '../../../../src/1-platform/common/answers/paging';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { slurmCluster } from '../../../support/slurm-builders';
import { HOUR } from '../../../support/durations';

let service: Service;
let org: Organisation;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
});
afterAll(() => service.close());

const PATH = '/v1/slurm/maintenance_window';
/** One moment for the whole file, so that sent and expected times lie in the same second. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
/** The moment that many hours from now, by the clock of the machine, which the database shares. */
const inHours = (hours: number): string => new Date(NOW + hours * HOUR).toISOString();
const seconds = (hours: number): number => Date.parse(inHours(hours)) / 1_000;
const fieldsOf = (answer: Answer) => (answer.body.errors as { field: string }[] | undefined)?.map(({ field }) => field);

const planned = (members: object = {}) => ({
  start_time: inHours(1),
  end_time: inHours(2),
  reason: 'Firmware',
  ...members,
});
const create = async (members: object = {}): Promise<string> => {
  const answer = await org.operator.post(PATH, planned(members));
  expect([answer.status, answer.headers['content-type']]).toEqual([201, 'text/plain; charset=utf-8']);
  return answer.text;
};
const get = async (id: string) => (await org.viewer.get(`${PATH}/${id}`)).body;
const list = async (query = '') => (await org.viewer.get(`${PATH}${query}`)).body;
const put = (id: string, body: object) => org.operator.put(`${PATH}/${id}`, body);

describe('a window created by hand', () => {
  it('is created, shown, changed and deleted', async () => {
    const start = inHours(1);
    const id = await create({ start_time: start, end_time: '2090-01-01T02:00:00.5+02:00', nodes: ['n1'] });
    const shown = {
      id,
      name: null,
      cluster_id: null,
      reason: 'Firmware',
      status: 'scheduled',
      start_time: start,
      end_time: '2090-01-01T00:00:00.500Z',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      nodes: ['n1'],
      partitions: null,
    };
    expect(await get(id)).toEqual(shown);
    expect(await list()).toEqual([shown]);

    const changed = await put(id, {
      reason: 'Cables',
      nodes: [],
      partitions: ['gpu'],
      start_time: null,
      end_time: null,
    });
    expect([changed.status, changed.text]).toEqual([200, id]);
    expect(await get(id)).toEqual({ ...shown, reason: 'Cables', nodes: [], partitions: ['gpu'] });
    expect((await put(id, {})).status).toBe(200);
    expect((await put(id, { reason: null, nodes: null, partitions: null, status: null })).status).toBe(200);
    expect(await get(id)).toEqual({ ...shown, reason: 'Cables', nodes: [], partitions: ['gpu'] });

    const deleted = await org.operator.delete(`${PATH}/${id}`);
    expect([deleted.status, deleted.text]).toEqual([200, id]);
    expect(await list()).toEqual([]);
    expect((await org.operator.delete(`${PATH}/${id}`)).status).toBe(404);
  });

  it('leaves one audit entry for each change', async () => {
    const id = await create();
    await put(id, { reason: 'Other' });
    await org.operator.delete(`${PATH}/${id}`);
    const entries = (await org.operator.get('/v1/audit')).body.filter(
      (entry: { resource_type: string }) => entry.resource_type === 'maintenance_window',
    );
    expect(entries.map(({ action, resource_id }: Record<string, string>) => [action, resource_id])).toEqual([
      ['delete_maintenance_window', id],
      ['update_maintenance_window', id],
      ['create_maintenance_window', id],
    ]);
  });

  it('is created once for one Idempotency-Key', async () => {
    const body = planned();
    const key = { 'idempotency-key': newId() };
    const first = await org.operator.post(PATH, body, key);
    const again = await org.operator.post(PATH, body, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(await list()).toHaveLength(1);
  });

  it('is scheduled, active or completed by the clock, unless it was cancelled or ended', async () => {
    const status = async (id: string) => (await get(id)).status;
    const scheduled = await create();
    const active = await create({ start_time: inHours(-1), end_time: inHours(1) });
    const completed = await create({ start_time: inHours(-2), end_time: inHours(-1) });
    expect([await status(scheduled), await status(active), await status(completed)]).toEqual([
      'scheduled',
      'active',
      'completed',
    ]);
    for (const fixed of ['cancelled', 'ended']) {
      await put(active, { status: fixed });
      expect(await status(active)).toBe(fixed);
      await put(active, { reason: 'still' });
      expect(await status(active)).toBe(fixed);
    }
    // Any other status returns it to what the clock says.
    await put(active, { status: 'scheduled' });
    expect(await status(active)).toBe('active');
    await put(active, { start_time: inHours(-3), end_time: inHours(-2) });
    expect(await status(active)).toBe('completed');
    expect(await status(await create({ status: 'cancelled' }))).toBe('cancelled');
    expect(await status(await create({ status: 'active' }))).toBe('scheduled');
  });

  it.each<[string, object, string[]]>([
    ['no members', {}, ['start_time', 'end_time', 'reason']],
    ['an end before its start', planned({ end_time: inHours(0.5) }), ['end_time']],
    [
      'an end at its start',
      planned({ start_time: '2030-01-01T00:00:00Z', end_time: '2030-01-01T01:00:00+01:00' }),
      ['end_time'],
    ],
    [
      'less than a millisecond',
      planned({ start_time: '2030-01-01T00:00:00.0011Z', end_time: '2030-01-01T00:00:00.0014Z' }),
      ['end_time'],
    ],
    ['an end in the year 10000', planned({ end_time: '9999-12-31T23:59:59-10:00' }), ['end_time']],
    ['a start before the year 1', planned({ start_time: '0001-01-01T00:00:00+10:00' }), ['start_time']],
    ['a start that is not a time', planned({ start_time: 'tomorrow' }), ['start_time']],
    ['epoch seconds', planned({ end_time: 1_795_200_000 }), ['end_time']],
    ['an empty reason', planned({ reason: '' }), ['reason']],
    ['no reason', planned({ reason: null }), ['reason']],
    ['nodes that are not strings', planned({ nodes: [1] }), ['nodes']],
    ['nodes as text', planned({ nodes: 'n[1-2]' }), ['nodes']],
    ['an unknown status', planned({ status: 'paused' }), ['status']],
    ['a name', planned({ name: 'x' }), ['name']],
  ])('is refused with %s', async (_case, body, fields) => {
    const answer = await org.operator.post(PATH, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
    expect(await list()).toEqual([]);
  });

  it('keeps its times to the millisecond', async () => {
    const times = [
      [
        '2030-01-01T00:00:00.0006Z',
        '2030-01-01T00:00:00.0014Z',
        '2030-01-01T00:00:00.000Z',
        '2030-01-01T00:00:00.001Z',
      ],
      ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.9999999Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
    ];
    for (const [start_time, end_time, start, end] of times) {
      const id = await create({ start_time, end_time });
      expect(await get(id)).toMatchObject({ start_time: start, end_time: end });
      await put(id, { start_time, end_time });
      expect(await get(id)).toMatchObject({ start_time: start, end_time: end });
    }
  });

  it('cannot be changed to end before it starts, whichever time is sent', async () => {
    const id = await create();
    const before = await get(id);
    for (const body of [
      { end_time: inHours(1) },
      { start_time: inHours(3), reason: 'x' },
      { status: 'x' },
      { reason: '' },
    ])
      expect((await put(id, body)).status).toBe(400);
    expect(await get(id)).toEqual(before);
  });

  it('answers 404 if it does not exist, and 400 for a malformed id', async () => {
    const foreign = await service.organisation();
    const theirs = (await foreign.operator.post(PATH, planned())).text;
    for (const id of [newId(), theirs]) {
      for (const answer of [
        await org.operator.get(`${PATH}/${id}`),
        await put(id, { reason: 'x' }),
        await org.operator.delete(`${PATH}/${id}`),
      ])
        expect([answer.status, answer.body.code]).toEqual([404, 'maintenance_window_not_found']);
    }
    for (const answer of [
      await org.operator.get(`${PATH}/x`),
      await put('x', {}),
      await org.operator.delete(`${PATH}/x`),
    ])
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['id']]);
    expect((await foreign.viewer.get(`${PATH}/${theirs}`)).body.reason).toBe('Firmware');
    expect(await list()).toEqual([]);
  });
});

describe('GET /v1/slurm/maintenance_window', () => {
  it('is listed with others that overlap a span of time', async () => {
    const [early, long, late] = [
      await create({ start_time: inHours(1), end_time: inHours(2) }),
      await create({ start_time: inHours(1), end_time: inHours(9) }),
      await create({ start_time: inHours(5), end_time: inHours(6) }),
    ];
    const found = async (query: Record<string, string>) =>
      ((await list(`?${new URLSearchParams(query).toString()}`)) as { id: string }[]).map(({ id }) => id).sort();
    expect(await found({ ends_after: inHours(2) })).toEqual([long, late].sort());
    expect(await found({ starts_before: inHours(5) })).toEqual([early, long].sort());
    expect(await found({ ends_after: inHours(3), starts_before: inHours(4) })).toEqual([long]);
    expect(await found({ ends_after: inHours(9) })).toEqual([]);
    expect((await org.viewer.get(`${PATH}?starts_before=today`)).status).toBe(400);
  });

  it('lists by start, and continues at its Link', async () => {
    for (const hours of [3, 1, 2])
      await create({ start_time: inHours(hours), end_time: inHours(9), reason: `r${hours}` });
    const reasons = (rows: { reason: string }[]) => rows.map(({ reason }) => reason);
    expect(reasons(await list())).toEqual(['r1', 'r2', 'r3']);
    const page = await org.viewer.get(`${PATH}?limit=2`);
    expect(reasons(page.body)).toEqual(['r1', 'r2']);
    expect(page.headers.link).toBe(`<${PATH}?limit=2&offset=2>; rel="next"`);
    expect(reasons(await list('?limit=2&offset=2'))).toEqual(['r3']);
  });
});

describe('the filters of maintenance windows', () => {
  let clusterId: string;
  let [past, now, next, cancelled] = ['', '', '', ''];

  const found = async (query: string): Promise<string[]> => (await list(query)).map(({ id }: { id: string }) => id);

  beforeEach(async () => {
    clusterId = await slurmCluster(org);
    past = await create({ start_time: inHours(-4), end_time: inHours(-3) });
    now = await create({ start_time: inHours(-1), end_time: inHours(1) });
    next = await create();
    cancelled = await create({ start_time: inHours(3), end_time: inHours(4), status: 'cancelled' });
  });

  it('find windows by what they are now', async () => {
    expect(await found('?status=completed')).toEqual([past]);
    expect(await found('?status=active')).toEqual([now]);
    expect(await found('?status=scheduled')).toEqual([next]);
    expect(await found('?status=cancelled')).toEqual([cancelled]);
    expect(await found('?status=ended')).toEqual([]);
  });

  it('find windows that are not over, the earliest or the latest start first', async () => {
    expect(await found(`?ends_after=${inHours(0)}`)).toEqual([now, next, cancelled]);
    expect(await found(`?ends_after=${inHours(1)}&sort=start_time`)).toEqual([next, cancelled]);
    expect(await found('?sort=-start_time')).toEqual([cancelled, next, now, past]);
    const page = await org.viewer.get(`${PATH}?sort=-start_time&limit=2`);
    expect((await org.viewer.get(/<([^>]+)>/.exec(page.headers.link ?? '')?.[1] ?? '')).body).toMatchObject([
      { id: now },
      { id: past },
    ]);
  });

  it('find reservations of one cluster', async () => {
    await org.controller.post(`${PATH}/sync`, {
      cluster_id: clusterId,
      maintenance_windows: [{ name: 'fw', start_time: seconds(5), end_time: seconds(6) }],
    });
    expect(await list(`?cluster_id=${clusterId}`)).toMatchObject([{ name: 'fw' }]);
    expect(await list(`?cluster_id=${newId()}`)).toEqual([]);
    const other = await service.organisation();
    expect((await other.viewer.get(`${PATH}?cluster_id=${clusterId}`)).body).toEqual([]);
  });

  it.each(['status=over', 'cluster_id=hpc', 'ends_after=now', 'sort=end_time', 'limit=0'])(
    'refuse %s',
    async (query) => {
      const answer = await org.viewer.get(`${PATH}?${query}`);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, [query.split('=')[0]]]);
    },
  );
});

describe('POST /v1/slurm/maintenance_window/sync', () => {
  const shown = (rows: { name: string; status: string }[]) => rows.map(({ name, status }) => [name, status]);
  let clusterId: string;
  beforeEach(async () => {
    clusterId = await slurmCluster(org);
  });
  const sync = (windows: unknown[], member = 'maintenance_windows') =>
    org.controller.post(`${PATH}/sync`, { cluster_id: clusterId, [member]: windows });
  const reservation = (name: string, members: object = {}) => ({
    name,
    start_time: seconds(1),
    end_time: seconds(2),
    ...members,
  });
  const byName = async () =>
    Object.fromEntries(((await list()) as { name: string; status: string }[]).map((row) => [row.name, row.status]));
  const named = async (name: string) => ((await list()) as { name: string }[]).find((row) => row.name === name);

  it('accepts reservations as Slurm prints them, in both generations, and flat ones', async () => {
    // As scontrol and slurmrestd print them: 22.05, 24.11.
    const old = {
      accounts: '',
      flags: ['MAINT', 'IGNORE_JOBS'],
      name: 'old',
      node_count: 3,
      node_list: 'n[1-2],m7',
      partition: '',
      start_time: seconds(1),
      end_time: seconds(2),
    };
    const set = (number: number) => ({ set: true, infinite: false, number });
    const now = {
      ...old,
      name: 'now',
      start_time: set(seconds(-1)),
      end_time: set(seconds(1)),
      partition: 'gpu,cpu',
      node_list: '',
    };
    const flat = {
      name: 'flat',
      start_time: inHours(-2),
      end_time: inHours(-1),
      nodes: ['a', 'b'],
      partitions: ['p'],
      reason: 'why',
    };
    const body = JSON.stringify({
      reservations: [old, now, flat],
      meta: {},
      last_update: set(5),
      errors: [],
      warnings: [],
    });
    const answer = await org.controller.post(`${PATH}/sync?cluster_id=${clusterId}`, body);
    expect([answer.status, answer.text]).toEqual([200, 'synced 3 maintenance windows']);
    expect(await list()).toEqual([
      expect.objectContaining({
        name: 'flat',
        status: 'completed',
        nodes: ['a', 'b'],
        partitions: ['p'],
        reason: 'why',
      }),
      expect.objectContaining({ name: 'now', status: 'active', nodes: null, partitions: ['gpu', 'cpu'] }),
      {
        id: expect.any(String),
        name: 'old',
        cluster_id: clusterId,
        reason: 'MAINT,IGNORE_JOBS',
        status: 'scheduled',
        start_time: inHours(1),
        end_time: inHours(2),
        created_at: expect.any(String),
        nodes: ['n1', 'n2', 'm7'],
        partitions: null,
      },
    ]);
  });

  it('ends missing windows, and no others', async () => {
    await create({ reason: 'by hand' });
    const second = await slurmCluster(org, 'second');
    await org.controller.post(`${PATH}/sync`, { cluster_id: second, maintenance_windows: [reservation('x')] });
    await sync([reservation('a'), reservation('b')]);
    const { id } = (await named('a')) as unknown as { id: string };
    await sync([reservation('b')]);
    expect(await byName()).toEqual({ null: 'scheduled', a: 'ended', b: 'scheduled', x: 'scheduled' });
    await sync([reservation('a')]);
    expect(await byName()).toEqual({ null: 'scheduled', a: 'scheduled', b: 'ended', x: 'scheduled' });
    expect(await named('a')).toMatchObject({ id });
    await sync([], 'reservations');
    expect(await byName()).toEqual({ null: 'scheduled', a: 'ended', b: 'ended', x: 'scheduled' });
  });

  it('restores a window that somebody changed or deleted, but leaves it cancelled', async () => {
    await sync([reservation('a'), reservation('b')]);
    const { id } = (await named('a')) as unknown as { id: string };
    await put(id, { reason: 'by hand', start_time: inHours(-5), status: 'cancelled' });
    await org.operator.delete(`${PATH}/${((await named('b')) as unknown as { id: string }).id}`);
    await sync([reservation('a'), reservation('b')]);
    expect(await named('a')).toMatchObject({ id, reason: null, start_time: inHours(1), status: 'cancelled' });
    expect(await named('b')).toMatchObject({ status: 'scheduled' });
  });

  describe('when a name is used again', () => {
    const cancel = async (name: string) => {
      const { id } = (await named(name)) as unknown as { id: string };
      expect((await put(id, { status: 'cancelled' })).status).toBe(200);
      return id;
    };
    const [start, end] = [seconds(5), seconds(6)];
    const at = (from: number, to: number, members: object = {}) =>
      reservation('a', { start_time: from, end_time: to, ...members });

    it('leaves a window cancelled while the times stay the same, whatever else changes', async () => {
      await sync([at(start, end)]);
      const id = await cancel('a');
      await put(id, { start_time: inHours(2) });
      await sync([at(start, end, { comment: 'other', node_list: 'n[1-2]' })]);
      expect(await list()).toMatchObject([{ id, status: 'cancelled', reason: 'other', nodes: ['n1', 'n2'] }]);
    });

    it('creates a new window for other times, and keeps the cancelled one on record', async () => {
      await sync([at(start, end)]);
      const id = await cancel('a');
      for (const [from, to] of [
        [start + 3_600, end + 3_600],
        [start + 3_600, end + 7_200],
      ] as const) {
        await sync([at(from, to)]);
        const rows = await list();
        expect(shown(rows)).toEqual([
          ['a', 'cancelled'],
          ['a', 'scheduled'],
        ]);
        expect(rows[0]).toMatchObject({ id, start_time: new Date(start * 1_000).toISOString() });
        expect(rows[1].end_time).toBe(new Date(to * 1_000).toISOString());
      }
      await sync([]);
      expect(shown(await list())).toEqual([
        ['a', 'cancelled'],
        ['a', 'ended'],
      ]);
    });

    it('creates a new window for one that had ended when it is reported again, even with the same times', async () => {
      await sync([at(start, end)]);
      const id = await cancel('a');
      await sync([]);
      expect(shown(await list())).toEqual([['a', 'cancelled']]);
      await sync([at(start, end)]);
      expect(shown(await list()).sort()).toEqual([
        ['a', 'cancelled'],
        ['a', 'scheduled'],
      ]);
      expect((await get(id)).status).toBe('cancelled');
      // The new window now stands for the name.
      await sync([at(start, end, { comment: 'x' })]);
      expect(await list()).toHaveLength(2);
      expect((await get(id)).reason).toBeNull();
    });

    it('keeps a past window on record, and moves one that is not over', async () => {
      const day = 86_400;
      const now = seconds(0);
      await sync([at(now - day, now - day + 3_600)]);
      // The next of a daily reservation.
      await sync([at(now + 60, now + 3_660)]);
      expect(shown(await list())).toEqual([
        ['a', 'completed'],
        ['a', 'scheduled'],
      ]);
      await sync([at(now + 120, now + 3_720)]);
      expect(shown(await list())).toEqual([
        ['a', 'completed'],
        ['a', 'scheduled'],
      ]);
    });

    it('treats times that move with the clock as unchanged', async () => {
      for (let step = 0; step < 3; step++) {
        await sync([at(start + step, end + step, { flags: ['MAINT', 'TIME_FLOAT'] })]);
        if (step === 0) await cancel('a');
      }
      expect(await list()).toMatchObject([
        { name: 'a', status: 'cancelled', start_time: new Date((start + 2) * 1_000).toISOString() },
      ]);
    });

    it('keeps two clusters apart', async () => {
      const second = await slurmCluster(org, 'second');
      await sync([at(start, end)]);
      await cancel('a');
      await org.controller.post(`${PATH}/sync`, { cluster_id: second, reservations: [at(start + 60, end)] });
      expect(shown(await list())).toEqual([
        ['a', 'cancelled'],
        ['a', 'scheduled'],
      ]);
      await sync([at(start, end)]);
      expect(await list()).toHaveLength(2);
    });
  });

  it('refuses the output of a failed call, and ends no window', async () => {
    await sync([reservation('a')]);
    const answer = await org.controller.post(`${PATH}/sync?cluster_id=${clusterId}`, {
      errors: [{ error: 'Unable to contact slurm controller' }],
      reservations: [],
    });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['errors']]);
    expect(answer.body.detail).toContain('Unable to contact slurm controller');
    expect(await byName()).toEqual({ a: 'scheduled' });
  });

  describe('when node lists expand to very many names', () => {
    it('stores as many as one sync may hold, and names the records beyond', async () => {
      const bombs = Array.from({ length: 5_000 }, (_, at) =>
        reservation(`r${at}`, { node_list: `${'x'.repeat(150)}[1-5000]` }),
      );
      const before = process.memoryUsage().heapUsed;
      const answer = await sync([...bombs, reservation('last', { node_list: 'n[1-3]' })].slice(1));
      expect(answer.status).toBe(200);
      expect(answer.text).toMatch(
        /^synced 6 maintenance windows; 4994 failed: \[5\] node_list exceeds the names that the node lists of one sync may have; /,
      );
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(400e6);
      expect((await named('last')) as unknown).toMatchObject({ nodes: ['n1', 'n2', 'n3'] });
    });

    it('limits the names of a list and of an array alike', async () => {
      const names = Array.from({ length: 5_000 }, (_, at) => `n${at}`);
      const records = Array.from({ length: 42 }, (_, at) =>
        reservation(`r${at}`, at % 2 === 0 ? { nodes: names } : { node_list: 'n[1-5000]' }),
      );
      const answer = await sync(records);
      expect(answer.text).toMatch(
        /^synced 40 maintenance windows; 2 failed: \[40\] nodes exceeds .*; \[41\] node_list exceeds/,
      );
      const page = await org.viewer.get(`${PATH}?limit=1000`);
      expect(page.body).toHaveLength(40);
    });

    it('stores as many of 230 windows with names of 250 characters as fit', async () => {
      const records = Array.from({ length: 230 }, (_, at) =>
        reservation(`r${at}`, { node_list: `${'x'.repeat(250)}[1-5000]` }),
      );
      const answer = await sync(records);
      expect([answer.status, answer.text.slice(0, 43)]).toEqual([
        200,
        'synced 3 maintenance windows; 227 failed: ['.slice(0, 43),
      ]);
    });

    it('ends a page when it is full, and continues at its Link', async () => {
      const record = (at: number) => reservation(`r${at}`, { node_list: `${'x'.repeat(200)}[1-5000]` });
      // Several syncs: one sync is limited, and the list holds the windows of all clusters.
      for (let at = 0; at < 20; at++) {
        const id = await slurmCluster(org, `c${at}`);
        await org.controller.post(`${PATH}/sync`, { cluster_id: id, reservations: [record(1), record(2)] });
      }
      let path: string | undefined = `${PATH}?limit=1000`;
      let found = 0;
      let pages = 0;
      while (path !== undefined) {
        const answer: Answer = await org.viewer.get(path);
        expect(answer.text.length).toBeLessThan(MAX_PAGE_BYTES + 2_000_000);
        found += answer.body.length as number;
        pages++;
        path = /<([^>]+)>/.exec(answer.headers.link ?? '')?.[1];
      }
      expect([found, pages]).toEqual([40, 3]);
    });
  });

  it('does not rewrite unchanged windows', async () => {
    const windows = [
      reservation('a', {
        start_time: '2090-01-01T00:00:00.123456Z',
        end_time: '2090-01-02T00:00:00Z',
        nodes: 'n[1-3]',
      }),
    ];
    const versions = async () =>
      (await service.db.query('select xmin::text from maintenance_windows where org_id = $1', [org.id])).rows;
    await sync(windows);
    const before = await versions();
    await sync(windows);
    expect(await versions()).toEqual(before);
  });

  it('names faulty records, keeps their windows unchanged, and stores the others', async () => {
    await sync([reservation('a'), reservation('gone')]);
    const answer = await sync([
      reservation('b'),
      reservation('a', { end_time: seconds(0.5) }),
      reservation('c', { start_time: undefined }),
      reservation('d', { start_time: 'soon' }),
      reservation('e', { nodes: 'n[1-9999]' }),
      reservation('f', { nodes: [5] }),
      reservation('g', { end_time: { set: true, infinite: true, number: 0 } }),
      reservation('h', { end_time: 4_294_967_295 }),
      reservation('i', { start_time: '9999-12-31T23:59:59-10:00' }),
      reservation('j', { start_time: '2030-01-01T00:00:00.0011Z', end_time: '2030-01-01T00:00:00.0014Z' }),
      reservation('k', { node_list: 'n,'.repeat(40_000) }),
    ]);
    expect(answer.text).toBe(
      'synced 1 maintenance windows; 10 failed: [1] end_time must be after start_time; [2] start_time is required; ' +
        '[3] start_time must be epoch seconds or a date-time as in RFC 3339; [4] nodes must be names of Slurm, 5000 at the most; ' +
        '[5] nodes must hold strings only; [6] end_time must be a moment, not infinite; ' +
        '[7] end_time must be a moment, not infinite; [8] start_time must be epoch seconds or a date-time as in RFC 3339; ' +
        '[9] end_time must be after start_time; [10] node_list must have at most 65536 characters',
    );
    expect(await byName()).toEqual({ a: 'scheduled', b: 'scheduled', gone: 'ended' });
    await sync([{ start_time: 5 }]);
    expect(await byName()).toEqual({ a: 'scheduled', b: 'scheduled', gone: 'ended' });
  });

  it.each<[string, object, string[]]>([
    ['no cluster', { reservations: [] }, ['cluster_id']],
    ['no reservations', { cluster_id: newId() }, ['maintenance_windows']],
    ['both', { cluster_id: newId(), reservations: [], maintenance_windows: [] }, ['reservations']],
    ['no array', { cluster_id: newId(), maintenance_windows: 'x' }, ['maintenance_windows']],
    ['too many', { cluster_id: newId(), reservations: Array(5_001).fill(0) }, ['reservations']],
  ])('refuses %s', async (_case, body, fields) => {
    const answer = await org.controller.post(`${PATH}/sync`, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
  });

  it('answers 404 for an unknown cluster and for one of another organisation', async () => {
    const theirs = await slurmCluster(await service.organisation());
    for (const id of [newId(), theirs]) {
      const answer = await org.controller.post(`${PATH}/sync`, { cluster_id: id, reservations: [reservation('a')] });
      expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
    }
  });
});
