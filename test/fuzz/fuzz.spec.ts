import { inForm } from '../support/form';
import { ADMIN_TOKEN, Service } from '../support/service';
import { Campaign } from './campaign';
import { Surroundings } from './target/surroundings';

const SEED = 7;
const PER_OPERATION = inForm(2, 40);

/** The short form of `npm run fuzz`, which says how to go on from a fault. */
describe('every operation of the description', () => {
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

  it('is requested, and succeeds', () => {
    expect({ missed: campaign.coverage.notHit, failed: campaign.coverage.neverSucceeded }).toEqual({
      missed: [],
      failed: [],
    });
  });
});
