import { ServiceUnreachable } from '../../../service/problems';
import { Requested } from './requested';
import type { Profile } from './worker-spec';

describe('A requested checkpoint', () => {
  it('is tried again after a pause if the service does not answer, and not at once', async () => {
    const request = { request_id: '01980000-0000-7000-8000-000000000001', kind: 'checkpoint', status: 'running' };
    const service = { send: () => Promise.resolve({ checkpoint_request: request }) };
    const requested = new Requested(
      { profile_id: 'p' } as Profile,
      { service, signal: new AbortController().signal } as unknown as ConstructorParameters<typeof Requested>[1],
    );
    await requested.look();
    const began = performance.now();
    const silent = new ServiceUnreachable('register_artifact', 'it answered 503');
    await expect(requested.checkpoint(() => Promise.reject(silent))).rejects.toBe(silent);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(requested.wantsCheckpoint).toBe(true);
  });
});
