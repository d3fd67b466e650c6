import { setTimeout as sleep } from 'node:timers/promises';
import { UnitOfWork } from '../../../src/database/unit-of-work';
import { appendEvent } from '../../../src/outbox/outbox';
import { ack, eventsOf, read, type ToldEvent } from '../../support/outbox';
import { seeded } from '../../support/random';
import { Caller, Service, type Organisation } from '../../support/service';

const WRITERS = 12;
const AGGREGATES = 32;
const WRITING_MS = 4_000;
const SLOW_MS = 120;

/** Writers of two replicas, some slow and some that roll back; consumers that are cut off and come back. */
describe('the outbox under slow, failing and concurrent writers', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    await service.db.query('create table aggregates (id int primary key, version bigint not null default 0)');
    await service.db.query('insert into aggregates (id) select generate_series(1, $1::int)', [AGGREGATES]);
    await service.db.query('grant all on aggregates to public');
  });
  afterAll(() => service.close());

  it('loses nothing, tells nothing out of order, and numbers without a gap', async () => {
    const replica = await service.replica();
    const apps = [service.app, replica.app];
    const until = performance.now() + WRITING_MS;
    let writing = true;
    const committed = new Set<string>();

    const writer = async (seed: number) => {
      const random = seeded(seed);
      const unitOfWork = (apps[seed % apps.length] ?? service.app).get(UnitOfWork);
      while (performance.now() < until) {
        const aggregate = 1 + Math.floor(random() * AGGREGATES);
        const [slow, fails] = [random() < 0.02, random() < 0.03];
        let version = 0;
        try {
          await unitOfWork.run({ orgId: org.id }, async (tx) => {
            const [row] = await tx.query<{ version: number }>(
              'update aggregates set version = version + 1 where id = $1 returning version',
              [aggregate],
            );
            version = row?.version ?? 0;
            await appendEvent(tx, {
              type: 'test.happened',
              aggregateId: String(aggregate),
              clusterId: null,
              payload: { version },
            });
            if (slow) await sleep(SLOW_MS);
            if (fails) throw new Error('rolled back');
          });
          committed.add(`${aggregate}:${version}`);
        } catch (error) {
          if ((error as Error).message !== 'rolled back') throw error;
        }
      }
    };

    const consumer = async (name: string, url: string): Promise<ToldEvent[]> => {
      const caller = new Caller(url, org.controller.token);
      const random = seeded(name.length);
      const told: ToldEvent[] = [];
      for (;;) {
        const last = !writing;
        const events = eventsOf(await read(caller, { consumer_id: name, wait_ms: 300, limit: 50 }));
        // One in ten answers is lost on the way: what was not acknowledged is told again.
        if (random() < 0.1) continue;
        told.push(...events);
        const newest = events.at(-1);
        if (newest) expect((await ack(caller, name, newest.id)).status).toBe(204);
        else if (last) return told;
      }
    };

    const consumers = [consumer('one', service.url), consumer('other', replica.url)];
    await Promise.all(Array.from({ length: WRITERS }, (_, seed) => writer(seed)));
    writing = false;
    for (const told of await Promise.all(consumers)) {
      expect(told.length).toBeGreaterThan(500);
      expect(told.map(({ id }) => id)).toEqual(told.map((_, place) => place + 1));
      const versions = new Map<string, number>();
      for (const { aggregate_id: aggregate, payload } of told) {
        expect(payload.version).toBe((versions.get(aggregate) ?? 0) + 1);
        versions.set(aggregate, payload.version ?? 0);
      }
      const keys = new Set(told.map(({ aggregate_id: aggregate, payload }) => `${aggregate}:${payload.version}`));
      expect(keys).toEqual(committed);
    }
  });
});
