import { jwtVerify, SignJWT, type CryptoKey } from 'jose';
import { eventually } from '../../../../test/support/eventually';
import { KeyServer } from '../../../../test/support/key-server';
import { overloaded } from '../../http/admission/place';
import type { WorkPlace } from '../../common/work/request';
import { ProviderKeys } from './provider-keys';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the keys of an identity provider', () => {
  let provider: KeyServer;
  let keys: ProviderKeys;
  let key: CryptoKey;
  let now: number;

  beforeEach(async () => {
    now = 0;
    provider = await KeyServer.start();
    key = await provider.add('known', 'RS256');
    keys = new ProviderKeys(new URL(provider.url), () => now);
  });
  afterEach(() => provider.close());

  /** Its outcome, and how long it took. */
  async function use(kid = 'known', place?: WorkPlace): Promise<{ outcome: unknown; ms: number }> {
    const jwt = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
    const began = performance.now();
    const outcome = await jwtVerify(jwt, (header, jws) => keys.find(header, jws, place)).then(
      () => 'accepted',
      ({ code }: { code: unknown }) => code,
    );
    return { outcome, ms: performance.now() - began };
  }

  it('are used while the provider is silent, and nobody waits for its timeout', async () => {
    await use();
    now += 11 * MINUTE;
    provider.answer = 'silence';
    const used = await Promise.all(Array.from({ length: 20 }, () => use()));
    expect(new Set(used.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
    expect(Math.max(...used.map(({ ms }) => ms))).toBeLessThan(2_000);
    expect(provider.asked).toBe(2);
  });

  describe('while there is no room to wait for them', () => {
    const noRoom = { elsewhere: () => Promise.reject(overloaded()) } as unknown as WorkPlace;
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    beforeEach(() => process.on('unhandledRejection', note));
    afterEach(() => process.off('unhandledRejection', note));

    it('refuse a request that needs them, and a read that fails meanwhile ends nothing', async () => {
      provider.answer = 'error';
      expect((await use('known', noRoom)).outcome).toBe('overloaded');
      await eventually(() => expect(provider.asked).toBe(1));
      await use();
      expect(unhandled).toEqual([]);
    });

    it('are used if they are known', async () => {
      await use();
      now += 11 * MINUTE;
      expect((await use('known', noRoom)).outcome).toBe('accepted');
    });

    it('refuse a request that has waited for newer ones and finds no place again', async () => {
      await use();
      now += 11 * MINUTE;
      const full = {
        elsewhere: async (call: () => Promise<unknown>) => {
          await call();
          throw overloaded();
        },
      } as unknown as WorkPlace;
      expect((await use('known', full)).outcome).toBe('overloaded');
    });
  });

  it.each(['error', 'html', 'no keys'] as const)('are used for a day while it answers %s', async (answer) => {
    await use();
    provider.answer = answer;
    now += 23 * HOUR;
    expect((await use()).outcome).toBe('accepted');
    now += 2 * HOUR;
    expect((await use()).outcome).toBe('identity_provider_unavailable');
  });

  it('are read once a second at most while the provider fails', async () => {
    await use();
    now += 11 * MINUTE;
    provider.answer = 'error';
    for (let n = 0; n < 5; n++) {
      expect((await use()).outcome).toBe('accepted');
      expect((await use('unknown')).outcome).toBe('identity_provider_unavailable');
    }
    expect(provider.asked).toBe(2);
    now += 1_001;
    await use('unknown');
    expect(provider.asked).toBe(3);
  });

  it('are read again for an unknown key only if they are not new', async () => {
    await use();
    for (let n = 0; n < 3; n++) expect((await use('unknown')).outcome).toBe('ERR_JWKS_NO_MATCHING_KEY');
    expect(provider.asked).toBe(1);
    now += 11_000;
    key = await provider.add('unknown', 'RS256');
    expect((await use('unknown')).outcome).toBe('accepted');
    expect(provider.asked).toBe(2);
  });

  it('exclude one that the provider has removed, as soon as they are old and it answers', async () => {
    await use();
    provider.remove('known');
    now += 9 * MINUTE;
    expect((await use()).outcome).toBe('accepted');
    now += 2 * MINUTE;
    expect((await use()).outcome).toBe('ERR_JWKS_NO_MATCHING_KEY');
  });

  it('exclude one that was removed while the provider failed, once it answers again', async () => {
    await use();
    provider.answer = 'error';
    now += 11 * MINUTE;
    expect((await use()).outcome).toBe('accepted');
    provider.remove('known');
    provider.answer = 'keys';
    now += 1_001;
    await eventually(async () => expect((await use()).outcome).toBe('ERR_JWKS_NO_MATCHING_KEY'));
  });

  it('let no more than a few requests wait for them', async () => {
    provider.answer = 'silence';
    const many = Array.from({ length: 300 }, () => use());
    const first = await Promise.race(many);
    expect(first.outcome).toBe('identity_provider_unavailable');
    expect(first.ms).toBeLessThan(2_500);
    await Promise.all(many);
    expect(provider.asked).toBe(1);
  });
});
