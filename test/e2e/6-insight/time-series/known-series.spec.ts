import { SamplesService } from '../../../../src/6-insight/time-series/samples.service';
import { DAY, MINUTE } from '../../../support/durations';
import { STORED_SAMPLES } from '../../../support/metric-series';
import { seeded } from '../../../support/random';
import { body1, HEADERS_1, type BuiltSeries } from '../../../support/remote-write';
import { Service, type Organisation } from '../../../support/service';

/** Requests with few and with many samples of a series, among them such as are refused. */
function requests(now: number): BuiltSeries[][] {
  const random = seeded(20_261_128);
  const below = (limit: number) => Math.floor(random() * limit);
  const time = () =>
    [now - below(5) * MINUTE, now - below(60) * MINUTE, now - 40 * DAY, now + 2 * DAY, now - 0.5, NaN][below(6)] ?? now;
  const value = () => [below(3), NaN, Infinity, -below(1_000) / 7, 0x7fff_fff0][below(5)] ?? 0;
  return Array.from({ length: 12 }, () =>
    Array.from({ length: 40 }, (_, n): BuiltSeries => ({
      labels:
        n % 3 === 0
          ? { __name__: 'DCGM_FI_DEV_FB_USED', UUID: `GPU-${n % 8}`, Hostname: 'node-1' }
          : { __name__: 'node_cpu_seconds_total', cpu: String(n), instance: 'node-1' },
      samples: Array.from({ length: [1, 1, 3, 64, 65, 200][below(6)] ?? 1 }, () => [Math.trunc(time()), value()]),
    })),
  );
}

describe('the short way of known series', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  const answersTo = async (org: Organisation, all: readonly BuiltSeries[][]) => {
    const answers = [];
    for (const one of all) {
      const { status, body } = await org.controller.send('post', '/v1/metrics/write', body1(...one), HEADERS_1);
      answers.push([status, (body as { detail?: string } | undefined)?.detail]);
    }
    return answers;
  };
  const stored = async ({ id }: Organisation) => {
    const { rows } = await service.db.query(
      `select s.metric, s.gpu_uuid, s.cpu_core, m.sampled_at, m.value
       from ${STORED_SAMPLES} m join metric_series s on s.org_id = m.org_id and s.id = m.series_id
       where m.org_id = $1 order by s.metric, s.gpu_uuid, s.cpu_core, m.sampled_at`,
      [id],
    );
    return rows;
  };

  it('answers and stores the same as the long one', async () => {
    const all = requests(service.clock.now().getTime());
    const [short, long] = [await service.organisation(), await service.organisation()];
    const way = jest.spyOn(SamplesService.prototype as never, 'addKnown' as never);
    const answers = await answersTo(short, all);
    const taken = way.mock.results.filter(({ value }) => value === true).length;
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(way.mock.results.length);
    way.mockReturnValue(false as never);
    expect(await answersTo(long, all)).toEqual(answers);
    way.mockRestore();
    const rows = await stored(long);
    expect(rows.length).toBeGreaterThan(1_000);
    expect(await stored(short)).toEqual(rows);
  });
});
