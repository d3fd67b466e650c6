import { ServiceProblem } from '../../service/problems';
import type { ClusterContext } from './cluster-context';
import { Inventory } from './inventory';
import type { Registration } from './registration';

describe('the inventory of a cluster', () => {
  let stop: AbortController;
  let registered: number;
  let beats: boolean[];
  beforeEach(() => {
    [stop, registered, beats] = [new AbortController(), 0, []];
  });

  /** Looks as often as there are failures, each of which fails. */
  async function looks(...failures: Error[]): Promise<void> {
    const registration = { clusterId: 'c', register: () => Promise.resolve(void registered++) };
    const report = (_clusterId: string, isHeartbeat: boolean): Promise<void> => {
      beats.push(isHeartbeat);
      if (beats.length === failures.length) stop.abort();
      return Promise.reject(failures[beats.length - 1]!);
    };
    const source = { everyMs: 1, heartbeatMs: 60_000, report, forget: () => {} };
    const log = { error: () => {}, info: () => {} };
    const context = { signal: stop.signal, log, mayPass: () => false } as unknown as ClusterContext;
    await new Inventory(context, registration as unknown as Registration, source).run();
  }

  it('has a heartbeat in its time, although each look fails', async () => {
    const refused = new Error('Slurm refused to show its reservations.');
    await looks(refused, refused, refused);
    expect([registered, beats]).toEqual([1, [true, false, false]]);
  });

  /** The service refuses to register the cluster so often. @returns how long that took */
  async function refusals(count: number): Promise<number> {
    const began = performance.now();
    let asked = 0;
    const register = () => {
      if (++asked === count) stop.abort();
      return Promise.reject(new Error('The service is away.'));
    };
    const source = { everyMs: 1, heartbeatMs: 60_000, report: () => Promise.resolve(), forget: () => {} };
    const log = { error: () => {}, info: () => {} };
    const context = { signal: stop.signal, log, mayPass: () => true } as unknown as ClusterContext;
    await new Inventory(context, { clusterId: 'c', register } as unknown as Registration, source).run();
    expect(asked).toBe(count);
    return performance.now() - began;
  }

  it('is tried again in the next rounds if the cluster was not registered, less and less often', async () => {
    // Half of 1, 2, 4 ms and so on, at least.
    expect(await refusals(10)).toBeGreaterThan(200);
  });

  it('is reported to a new cluster at once when the cluster was deleted', async () => {
    const gone = ServiceProblem.of('sync', 404, { code: 'cluster_not_found', detail: 'It is unknown.' });
    await looks(gone, gone, new Error('another one'));
    expect([registered, beats]).toEqual([3, [true, true, true]]);
  });
});
