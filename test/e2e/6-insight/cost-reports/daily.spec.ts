import { COSTS, reportedLived, saveRates } from '../../../support/costs';
import { DAY, HOUR } from '../../../support/durations';
import { createProfile } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

interface Day {
  from: string;
  to: string;
  node_seconds: number;
  compute_usd: number;
  storage_usd: number;
  transfer_usd: number;
  total_usd: number;
  tokens_served: number;
  idle_cost: { starting_usd: number; warm_idle_usd: number; release_usd: number };
}

const RATE = 2;

describe('costs by day', () => {
  let service: Service;
  let org: Organisation;
  const now = Date.now();
  /** Of a worker of the profile `held`. It crosses midnight at least once. */
  const life = { scheduled: now - 50 * HOUR, ready: now - 49 * HOUR, stopped: now - 20 * HOUR };

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    for (const id of ['held', 'other']) {
      await createProfile(org, { profile_id: id });
      await saveRates(org, id, { node: RATE });
    }
    await reportedLived(service, org, 'held', life);
    const short = { scheduled: now - 3 * HOUR, ready: now - 2.5 * HOUR, stopped: now - 2 * HOUR };
    await reportedLived(service, org, 'other', short);
  });
  afterAll(() => service.close());

  const days = async (query = '', { viewer } = org): Promise<Day[]> => {
    const { status, body } = await viewer.get(`${COSTS}/daily${query}`);
    expect(status).toBe(200);
    return (body as { days: Day[] }).days;
  };
  const sum = (of: readonly Day[], name: 'node_seconds' | 'total_usd' | 'compute_usd'): number =>
    of.reduce((total, day) => total + day[name], 0);

  it('are those of the last seven days of UTC, the oldest first; today has not ended', async () => {
    const before = Date.now();
    const shown = await days();
    expect(shown).toHaveLength(7);
    for (const [place, { from, to }] of shown.entries()) {
      expect(Date.parse(from) % DAY).toBe(0);
      const next = shown[place + 1];
      if (next) expect([Date.parse(to) - Date.parse(from), to]).toEqual([DAY, next.from]);
    }
    expect(Date.parse(shown.at(-1)!.to)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(shown.at(-1)!.to) - Date.parse(shown.at(-1)!.from)).toBeLessThanOrEqual(DAY);
  });

  it('divide the time of a worker at midnight', async () => {
    const shown = await days('?profile_id=held&days=4');
    expect(shown.filter(({ node_seconds: held }) => held > 0).length).toBeGreaterThanOrEqual(2);
    for (const day of shown) {
      const [from, to] = [Math.max(Date.parse(day.from), life.scheduled), Math.min(Date.parse(day.to), life.stopped)];
      const heldMs = Math.max(to - from, 0);
      const startingMs = Math.max(Math.min(to, life.ready) - from, 0);
      expect([day.from, day.node_seconds]).toEqual([day.from, expect.closeTo(heldMs / 1_000, 3)]);
      expect([day.from, day.compute_usd]).toEqual([day.from, expect.closeTo((RATE * heldMs) / HOUR, 6)]);
      expect(day.idle_cost.starting_usd).toBeCloseTo((RATE * startingMs) / HOUR, 6);
      expect(day.idle_cost.warm_idle_usd).toBeCloseTo((RATE * (heldMs - startingMs)) / HOUR, 6);
      expect(day.total_usd).toBeCloseTo(day.compute_usd + day.storage_usd + day.transfer_usd, 9);
    }
  });

  it('add up to the breakdown of the same time, of one profile and of all', async () => {
    for (const profile of ['', '&profile_id=other']) {
      const rows = (await org.viewer.get(`${COSTS}/breakdown?hours=168${profile}`)).body as Day[];
      const shown = await days(`?days=8${profile}`);
      for (const name of ['node_seconds', 'compute_usd', 'total_usd'] as const)
        expect([name, sum(shown, name)]).toEqual([name, expect.closeTo(sum(rows, name), 6)]);
    }
    expect(sum(await days(), 'total_usd')).toBeCloseTo(RATE * 31, 6);
  });

  it('are clamped to 31 days, and are zero where nothing happened', async () => {
    const shown = await days('?days=900');
    expect(shown).toHaveLength(31);
    expect(shown[0]).toMatchObject({ node_seconds: 0, total_usd: 0, tokens_served: 0 });
    expect((await org.viewer.get(`${COSTS}/daily?days=0`)).status).toBe(400);
  });

  it('show nothing of another organisation', async () => {
    const stranger = await service.organisation();
    expect(sum(await days('', stranger), 'total_usd')).toBe(0);
  });
});
