import { expectFigure, printFigures } from '../support/figures';
import { answeredOf, AttackedReplica, expectReads } from './attacked-replica';
import { wire } from './flood';

const RATE = 400;
const ATTACK = `${RATE} requests per second for /metrics and /readyz`;

describe('a flood of probes without a bearer', () => {
  let replica: AttackedReplica;

  beforeAll(async () => {
    replica = await AttackedReplica.start();
  });
  afterAll(async () => {
    await replica.close();
    printFigures();
  });

  it('does not reduce the replies to tenants', async () => {
    const requests = [wire('/metrics', undefined), wire('/readyz', undefined)];
    const beside = await replica.under({ requests, connections: 50, rate: RATE });
    expect(Object.keys(beside.attack.statuses)).toEqual(['200']);
    expectFigure({
      attack: ATTACK,
      measure: 'probes answered, of 100',
      value: answeredOf(beside.attack),
      unit: '',
      bound: { atLeast: 99 },
    });
    expectReads(ATTACK, beside, 250);
  });
});
