import { newId } from '../../../../src/1-platform/common/ids';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { firstOrganisation } from '../../../../src/1-platform/organisations/organisations.queries';
import { Service } from '../../../support/service';

describe('organisations', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  it('start with one, named default', async () => {
    const { status, body } = await service.admin.get('/v1/organisations');
    expect(status).toBe(200);
    expect(body).toEqual([{ id: expect.any(String), name: 'default', created_at: expect.any(String) }]);
  });

  it('are created by an admin, with exactly these members', async () => {
    const { status, body } = await service.admin.post('/v1/organisations', { name: 'research' });
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(String), name: 'research', created_at: expect.any(String) });
    expect((await service.admin.get('/v1/organisations')).body).toContainEqual(body);
  });

  it('do not precede the first one, however far behind the clock of a replica is', async () => {
    const first = () => service.app.get(UnitOfWork).system('of the test', firstOrganisation);
    const before = await first();
    const now = service.clock.now();
    service.clock.advance(-600);
    const { body } = await service.admin.post('/v1/organisations', { name: 'early' });
    service.clock.set(now);
    expect(await first()).toBe(before);
    const { rows } = await service.db.query<{ last: string }>(
      'select id as last from organisations order by created_at desc limit 1',
    );
    expect(rows).toEqual([{ last: body.id }]);
  });

  it('follow one whose clock was ahead', async () => {
    await service.db.query("update organisations set created_at = now() + interval '1 hour' where name = 'early'");
    const { rows } = await service.db.query<{ at: Date }>(
      "select created_at as at from organisations where name = 'early'",
    );
    const { body } = await service.admin.post('/v1/organisations', { name: 'late' });
    expect(new Date(body.created_at as string).getTime()).toBe(rows[0]!.at.getTime() + 1);
  });

  it('have distinct names: a second one of the same name is answered 409', async () => {
    const name = `twice-${newId()}`;
    expect((await service.admin.post('/v1/organisations', { name })).status).toBe(201);
    const second = await service.admin.post('/v1/organisations', { name });
    expect([second.status, second.body.code]).toEqual([409, 'organisation_exists']);
    const { rows } = await service.db.query('select count(*)::int as total from organisations where name = $1', [name]);
    expect(rows).toEqual([{ total: 1 }]);
  });

  it('are created once by concurrent requests', async () => {
    const name = `race-${newId()}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.admin.post('/v1/organisations', { name })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it.each([
    ['no name', {}, 'name', 'is required'],
    ['a null', { name: null }, 'name', 'must not be null'],
    ['an empty name', { name: '' }, 'name', 'must not be empty'],
    ['a long name', { name: 'n'.repeat(201) }, 'name', 'must have at most 200 characters'],
    ['a number', { name: 7 }, 'name', 'must be a string'],
    ['an unknown member', { name: 'x', owner: 'me' }, 'owner', 'is not a member of this body'],
  ])('refuse %s', async (_what, body, field, message) => {
    const answer = await service.admin.post('/v1/organisations', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ field, message }]);
  });

  it('accept a name in any script, up to its last character', async () => {
    const name = `研究 🧪 ${'é'.repeat(190)}`;
    expect((await service.admin.post('/v1/organisations', { name })).body.name).toBe(name);
  });

  it('are listed by name, page by page', async () => {
    for (const suffix of ['c', 'a', 'b']) await service.admin.post('/v1/organisations', { name: `~page-${suffix}` });
    const names = async (query: string) =>
      ((await service.admin.get(`/v1/organisations${query}`)).body as { name: string }[]).map(({ name }) => name);
    const all = await names('');
    const start = all.indexOf('~page-a');
    expect(all.slice(start, start + 3)).toEqual(['~page-a', '~page-b', '~page-c']);
    expect(await names(`?limit=2&offset=${start}`)).toEqual(['~page-a', '~page-b']);
    const page = await service.admin.get(`/v1/organisations?limit=2&offset=${all.length - 3}`);
    expect(page.headers.link).toBe(`</v1/organisations?limit=2&offset=${all.length - 1}>; rel="next"`);
    const end = await service.admin.get(`/v1/organisations?limit=2&offset=${all.length - 1}`);
    expect(end.body).toHaveLength(1);
    expect(end.headers.link).toBeUndefined();
  });
});
