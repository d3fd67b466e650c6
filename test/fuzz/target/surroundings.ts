import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CryptoKey } from 'jose';
import { readEnvironment, type Environment } from '../../../src/1-platform/config/environment';
import { InferenceWorker } from '../../support/inference-worker';
import { KeyServer } from '../../support/key-server';
import { buildType, Marketplace } from '../../support/marketplace';
import { AUDIENCE, ISSUER, ORGANISATION_CLAIM, ROLE_CLAIM } from './identities';

/** What the service depends on, all of it available: worker, marketplace, identity provider and storage. */
export class Surroundings {
  private constructor(
    readonly worker: InferenceWorker,
    private readonly market: Marketplace,
    private readonly provider: KeyServer,
    /** Signs the JWTs of the identity provider. */
    readonly key: CryptoKey,
    private readonly directory: string,
  ) {}

  static async start(): Promise<Surroundings> {
    const worker = await InferenceWorker.start();
    const market = await Marketplace.start();
    market.types = [buildType()];
    const provider = await KeyServer.start();
    const key = await provider.add('fuzz', 'ES256');
    return new Surroundings(worker, market, provider, key, mkdtempSync(join(tmpdir(), 'control-plane-fuzz-')));
  }

  /** The settings of a service that uses them. */
  get variables(): Record<string, string> {
    const { url, key, timeoutMs } = this.market.settings();
    return {
      MARKETPLACE_API_URL: url,
      MARKETPLACE_API_KEY: key,
      MARKETPLACE_TIMEOUT_MS: String(timeoutMs),
      WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${this.worker.host}`,
      AUTH_JWKS_URL: this.provider.url,
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
      AUTH_ORGANISATION_CLAIM: ORGANISATION_CLAIM,
      AUTH_ROLE_CLAIM: ROLE_CLAIM,
      OBJECT_STORAGE_DIR: join(this.directory, 'objects'),
    };
  }

  /** The same settings, for a service in this process. */
  get settings(): Partial<Environment> {
    const { marketplace, workerEndpointAllow, jwt, objectStorageDir } = readEnvironment(this.variables);
    return { marketplace, workerEndpointAllow, jwt, objectStorageDir };
  }

  /** What the service changes outside of its database: files, and machines of the marketplace. */
  get changes(): readonly string[] {
    const objects = join(this.directory, 'objects');
    const files = existsSync(objects) ? readdirSync(objects, { recursive: true, encoding: 'utf8' }) : [];
    return [...files.sort(), ...this.market.machines.map(({ id, status }) => `${id} ${status}`)];
  }

  /** Their memory of requests must not grow with the run. */
  forget(): void {
    this.worker.requests.length = 0;
    this.market.asks = [];
    if (this.market.machines.length > 100) this.market.machines.splice(0, this.market.machines.length - 100);
  }

  async close(): Promise<void> {
    await Promise.all([this.worker.close(), this.market.close(), this.provider.close()]);
    rmSync(this.directory, { recursive: true, force: true });
  }
}
