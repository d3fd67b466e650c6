import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Campaign } from '../fuzz/campaign';
import { EVERY_ROLE } from '../fuzz/target/identities';
import { Surroundings } from '../fuzz/target/surroundings';
import { MISSED } from '../support/figures';
import { fullUnless, inForm, SEED } from '../support/form';
import { ADMIN_TOKEN, Service } from '../support/service';

const PROJECT = join(__dirname, '../..');
const PER_OPERATION = 2;

/** The short form of `npm run fuzz`, which says how to go on from a fault. */
describe(`every operation of the description, with the seed ${SEED}`, () => {
  let surroundings: Surroundings;
  let service: Service;
  let campaign: Campaign;

  beforeAll(async () => {
    surroundings = await Surroundings.start();
    service = await Service.start(surroundings.settings, { sweeping: true });
    const { url } = service;
    campaign = await Campaign.prepare({
      url,
      adminToken: ADMIN_TOKEN,
      surroundings,
      seed: SEED,
      perOperation: PER_OPERATION,
    });
    await campaign.runRound();
  });
  afterAll(async () => {
    campaign.close();
    await service.close();
    await surroundings.close();
  });

  it('answers valid and corrupted requests of every identity as it is described', () => {
    expect(campaign.faults).toEqual([]);
  });

  it('is requested as every role, and succeeds', () => {
    const { coverage } = campaign;
    expect({
      missed: coverage.notHit,
      failed: coverage.neverSucceeded,
      absent: coverage.notRequestedAs(EVERY_ROLE),
    }).toEqual({ missed: [], failed: [], absent: [] });
  });
});

// The whole campaign, in a process of its own.
if (inForm(false, true)) {
  const MINUTES = fullUnless('FUZZ_MINUTES', 10, 13);

  it(
    `has no fault in ${MINUTES} minutes of requests`,
    () => {
      const args = ['test/fuzz/main.ts', `--minutes=${MINUTES}`, `--seed=${SEED}`];
      const { status, stdout } = spawnSync(join(PROJECT, 'node_modules/.bin/tsx'), args, {
        cwd: PROJECT,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const faults = `${MISSED}\n${stdout.slice(-20_000)}`;
      if (status === 1) throw new Error(faults);
      expect(status).toBe(0);
    },
    (MINUTES + 5) * 60_000,
  );
}
