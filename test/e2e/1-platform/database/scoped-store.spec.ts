import type { ScopedStore } from '../../../../src/1-platform/database/rows/scoped-store';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { Host } from '../../../../src/2-inventory/hosts/host.entity';
import { Service, type Organisation } from '../../../support/service';

const host = (id: string, objectBytes = 2) => ({ id, object: {}, objectBytes });

describe('the scoped store', () => {
  let service: Service;
  let own: Organisation;
  let other: Organisation;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    [own, other] = [await service.organisation(), await service.organisation()];
    for (const org of [own, other]) await hosts(org, (store) => store.insert([host('a'), host('b')]));
  });
  afterAll(() => service.close());

  // As system: row level security hides nothing, so that only the store keeps organisations apart.
  function hosts<T>({ id: orgId }: Organisation, work: (store: ScopedStore<Host>) => Promise<T>): Promise<T> {
    return service.app.get(UnitOfWork).run({ orgId }, async (tx) => {
      await tx.query("select set_config('app.system', 'on', true)");
      return work(tx.store(Host));
    });
  }
  const idsOf = async (org: Organisation) => (await hosts(org, (store) => store.find({}))).map(({ id }) => id).sort();

  it('finds rows of its organisation only', async () => {
    expect(await idsOf(own)).toEqual(['a', 'b']);
    expect(await hosts(own, (store) => store.findOne({ id: 'a' }, { select: { id: true } }))).toEqual({ id: 'a' });
  });

  it('inserts the rows that are missing and leaves the others alone', async () => {
    const rows = [host('a', 7), host('c', 7)];
    expect(await hosts(own, (store) => store.insertMissing(rows))).toBe(1);
    expect(await hosts(own, (store) => store.findOne({ id: 'a' }))).toMatchObject({ objectBytes: 2 });
    expect(await idsOf(own)).toEqual(['a', 'b', 'c']);
  });

  it('updates only the rows that match the whole condition, and counts them', async () => {
    expect(await hosts(own, (store) => store.update({ id: 'b', objectBytes: 9 }, { objectBytes: 3 }))).toBe(0);
    expect(await hosts(own, (store) => store.update({ id: 'b', objectBytes: 2 }, { objectBytes: 3 }))).toBe(1);
    expect(await hosts(other, (store) => store.findOne({ id: 'b' }))).toMatchObject({ objectBytes: 2 });
  });

  it('deletes a row of its organisation, and not the one with the same id of another', async () => {
    expect(await hosts(own, (store) => store.delete({ id: 'b' }))).toBe(1);
    expect(await hosts(own, (store) => store.delete({ id: 'b' }))).toBe(0);
    expect([await idsOf(own), await idsOf(other)]).toEqual([['a'], ['a', 'b']]);
  });

  it('refuses to change all rows of an organisation at once', async () => {
    await expect(hosts(own, (store) => store.delete({}))).rejects.toThrow('names the rows');
    await expect(hosts(own, (store) => store.update({}, { objectBytes: 1 }))).rejects.toThrow('names the rows');
    expect(await hosts(own, (store) => store.find({}))).toMatchObject([{ objectBytes: 2 }, { objectBytes: 2 }]);
  });

  it('sends one statement for each call', async () => {
    const counted = await service.app.get(UnitOfWork).run({ orgId: own.id }, async (tx) => {
      const sent = jest.spyOn(tx.manager.queryRunner as { query: (text: string) => Promise<unknown> }, 'query');
      const store = tx.store(Host);
      const counts: number[] = [];
      for (const call of [
        () => store.insert(host('d')),
        () => store.insertMissing(host('d')),
        () => store.findOne({ id: 'd' }),
        () => store.update({ id: 'd' }, { objectBytes: 1 }),
        () => store.delete({ id: 'd' }),
      ]) {
        sent.mockClear();
        await call();
        counts.push(sent.mock.calls.length);
      }
      return counts;
    });
    expect(counted).toEqual([1, 1, 1, 1, 1]);
  });
});
