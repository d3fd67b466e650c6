import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters, type CryptoKey } from 'jose';
import { unavailable } from '../../common/answers/problem';
import { elsewhere, type WorkPlace } from '../../common/work/request';

const TIMEOUT_MS = 3_000;
/** After this long, the keys are read again: the provider may have removed some. */
const FRESH_MS = 10 * 60_000;
/** While the provider fails, its last keys are used for this long. */
const USABLE_MS = 24 * 3_600_000;
/** A key that is not in a set this new does not exist. */
const NEW_MS = 10_000;
/** No attempt follows a failed one for this long. Clients wait as long before they try again. */
const PAUSE_MS = 1_000;
/** A request waits this long for newer keys, if there are some that it can use. */
const PATIENCE_MS = 300;
/** Requests that wait for keys: anybody can send a header that names an unknown key. */
const MOST_WAITING = 256;

const NEVER = -Infinity;

/** The keys of the identity provider. The last ones that were read are used while it fails. */
export class ProviderKeys {
  private readonly keys: ReturnType<typeof createRemoteJWKSet>;
  private reading: Promise<void> | undefined;
  private readAt = NEVER;
  private failedAt = NEVER;
  private failure: unknown;
  private waiting = 0;

  constructor(
    url: URL,
    private readonly now = () => performance.now(),
  ) {
    // It reads the keys only when it is asked to.
    this.keys = createRemoteJWKSet(url, {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
    });
  }

  /**
   * The key that a JWT names. A request that waits for the provider leaves its place meanwhile.
   * @throws a 503 if there are no keys; an error of `jose` if the set has no such key
   */
  async find(header: JWSHeaderParameters, jws: FlattenedJWSInput, place: WorkPlace | undefined): Promise<CryptoKey> {
    await this.prepare(place);
    try {
      return await this.keys(header, jws);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.age < NEW_MS) throw error;
      // The provider may have added it.
      const reading = this.read();
      await this.wait(place, () => reading);
      return this.keys(header, jws);
    }
  }

  private get age(): number {
    return this.now() - this.readAt;
  }

  private get isFailing(): boolean {
    return this.failedAt > this.readAt;
  }

  private async prepare(place: WorkPlace | undefined): Promise<void> {
    if (this.age < FRESH_MS) return;
    const reading = this.read();
    if (this.age >= USABLE_MS) return this.wait(place, () => reading);
    // The keys are used anyway, and a request that waits sees whether one was removed.
    const done = reading.catch(() => undefined);
    if (this.isFailing) return;
    let waits = false;
    const newer = () => {
      waits = true;
      return Promise.race([done, sleep(PATIENCE_MS)]);
    };
    await this.wait(place, newer).catch((error: unknown) => {
      // Without room to wait, the last keys do. One that has waited, and found no place again, is refused.
      if (waits) throw error;
    });
  }

  private async wait(place: WorkPlace | undefined, call: () => Promise<void>): Promise<void> {
    if (this.waiting >= MOST_WAITING) throw keysUnavailable(new Error('too many requests wait for the keys'));
    this.waiting++;
    try {
      await elsewhere(place, call);
    } finally {
      this.waiting--;
    }
  }

  /** Requests share one attempt. It goes on, and may fail, if there is no room to wait for it. */
  private read(): Promise<void> {
    const reading = this.attempt();
    reading.catch(() => undefined);
    return reading;
  }

  private async attempt(): Promise<void> {
    if (this.reading === undefined && this.isFailing && this.now() - this.failedAt < PAUSE_MS)
      throw keysUnavailable(this.failure);
    this.reading ??= this.readNow().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readNow(): Promise<void> {
    try {
      await this.keys.reload();
      this.readAt = this.now();
    } catch (error) {
      this.failedAt = this.now();
      this.failure = error;
      throw keysUnavailable(error);
    }
  }
}

export const keysUnavailable = (cause: unknown) =>
  unavailable('identity_provider_unavailable', 'The keys of the identity provider cannot be read; try again.', cause);
