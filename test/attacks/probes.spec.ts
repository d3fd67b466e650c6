import { Replicas } from '../support/replicas';
import type { Organisation } from '../support/service';
import { expectFigure, printFigures } from '../support/figures';
import { servicePid } from '../support/resident';
import { flood, pinToServiceCore, wire } from './flood';

const MS = 8_000;
const RATE = 400;
const ATTACK = `${RATE} requests per second for /metrics and /readyz`;

describe('a flood of probes without a bearer', () => {
  let replicas: Replicas;
  let org: Organisation;
  let url: string;

  beforeAll(async () => {
    replicas = await Replicas.start(1);
    org = replicas.organisation();
    ({ url } = replicas.of(0));
    pinToServiceCore(Number(servicePid(replicas.of(0).process)));
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  it('does not reduce the replies to tenants', async () => {
    const attack = (milliseconds: number) =>
      flood({
        url,
        milliseconds,
        streams: {
          probes: { requests: [wire('/metrics', undefined), wire('/readyz', undefined)], connections: 50, rate: RATE },
          reads: { requests: [wire('/v1/nodes', org.admin.token)], connections: 20, rate: 50 },
        },
      });
    // A service that has just started compiles its code meanwhile.
    await attack(3_000);
    const { streams } = await attack(MS);
    const { probes, reads } = streams;
    expect(Object.keys(probes?.statuses ?? {})).toEqual(['200']);
    expectFigure({
      attack: ATTACK,
      measure: 'probes answered, of 100',
      value: (100 * (probes?.statuses['200'] ?? 0)) / ((probes?.sent ?? 0) + (probes?.unsent ?? 0)),
      unit: '',
      bound: { atLeast: 99 },
    });
    expectFigure({
      attack: ATTACK,
      measure: 'reads of a tenant served, of 100',
      value: (100 * (reads?.statuses['200'] ?? 0)) / ((reads?.sent ?? 0) + (reads?.unsent ?? 0)),
      unit: '',
      bound: { atLeast: 99 },
    });
    expectFigure({
      attack: ATTACK,
      measure: 'reads of a tenant, p99',
      value: reads?.served.p99 ?? NaN,
      unit: 'ms',
      bound: { atMost: 250 },
    });
  }, 60_000);
});
