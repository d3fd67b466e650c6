import { queueOf, Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { SWEEPS } from '../e2e/1-platform/scheduling/sweeps-of-the-service';
import { Service } from '../support/service';

describe('every sweep of the service', () => {
  it('is known to the spec that starts them, with its interval', async () => {
    const service = await Service.start();
    try {
      const added = service.app.get(Sweeps).all.map(({ name, everySeconds }) => [queueOf(name), everySeconds] as const);
      const known = Object.entries(SWEEPS).map(([name, seconds]) => [queueOf(name), seconds] as const);
      expect(Object.fromEntries(added)).toEqual(Object.fromEntries(known));
    } finally {
      await service.close();
    }
  });
});
