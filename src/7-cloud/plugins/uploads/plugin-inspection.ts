import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../1-platform/common/clock';
import { LOGGER } from '../../../1-platform/common/logger';
import { Problem } from '../../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import type { OrgScope } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { ObjectStorage, storageFailed, type StoredObject } from '../../../1-platform/object-storage/object-storage';
import { judge, type ObjectRow, type Verdict } from '../plugins.queries';

/** How long that may take in total. */
const READ_TIMEOUT_MS = 10 * 60_000;

/**
 * How often requests check announced objects, per replica: anybody may ask for a missing one, and each check
 * is a call to the storage. The sweep finds the rest.
 */
const LOOKS_PER_SECOND = 200;

/** The storage does not report uploads: the service checks, on request and periodically. */
@Injectable()
export class PluginInspection implements OnApplicationShutdown {
  /** How long a request waits for an object to be read; the reading continues without it. */
  readonly waitMs: number = 5_000;
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private second = { began: -Infinity, looks: 0 };

  constructor(
    private readonly storage: ObjectStorage,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** After the requests in progress have ended: they may wait for a check. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.underWay.values());
  }

  /** As `look`, for announced objects, the likeliest first, within the rate limit. */
  async lookFor(scope: OrgScope, objects: readonly ObjectRow[]): Promise<void> {
    const now = performance.now();
    if (now - this.second.began >= 1_000) this.second = { began: now, looks: 0 };
    const some = objects.filter(({ id }) => this.underWay.has(id) || this.second.looks++ < LOOKS_PER_SECOND);
    await this.look(scope, some);
  }

  /** Checks objects, and records their state. @throws 502 if the storage fails */
  async look(scope: OrgScope, objects: readonly ObjectRow[]): Promise<void> {
    if (objects.length === 0) return;
    const looks = Promise.all(objects.map((object) => this.once(scope, object)));
    const waited = new AbortController();
    const patience = sleep(this.waitMs, undefined, { signal: waited.signal }).catch(() => undefined);
    // A caller that stopped waiting does not see the result.
    looks.catch((error: unknown) => this.logger.debug({ err: error }, 'an object was not checked'));
    try {
      await Promise.race([looks, patience]);
    } finally {
      waited.abort();
    }
  }

  /** Concurrent requests share one read. */
  private once(scope: OrgScope, object: ObjectRow): Promise<void> {
    const known = this.underWay.get(object.id);
    if (known) return known;
    const look = this.inspect(scope, object).finally(() => this.underWay.delete(object.id));
    this.underWay.set(object.id, look);
    return look;
  }

  private async inspect(scope: OrgScope, object: ObjectRow): Promise<void> {
    const found = await this.storage.find(object.object_key);
    const verdict = found ? await this.verdictOn(object, found) : absence(object);
    if (verdict) await this.unitOfWork.run(scope, (tx) => judge(tx, object, verdict, this.clock.now()));
  }

  private async verdictOn(object: ObjectRow, { sizeBytes, tag }: StoredObject): Promise<Verdict | undefined> {
    const verdict = (right: boolean): Verdict => ({
      state: right ? 'available' : 'mismatched',
      objectTag: tag,
      sizeBytes,
    });
    // The same bytes as before: the object is back.
    if (tag === object.object_tag) return object.state === 'gone' ? verdict(true) : undefined;
    if (sizeBytes > this.environment.objectMaxBytes) return verdict(false);
    if (object.checksum === null) return verdict(true);
    const digest = await this.digest(object.object_key, object.checksum.length === 32 ? 'md5' : 'sha256');
    // An object that was written again meanwhile is checked next time.
    if ((await this.storage.find(object.object_key))?.tag !== tag) return undefined;
    return verdict(digest === object.checksum.toLowerCase());
  }

  private async digest(key: string, algorithm: 'md5' | 'sha256'): Promise<string> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
    const hash = createHash(algorithm);
    try {
      await pipeline(await this.storage.read(key, signal), hash, { signal });
    } catch (error) {
      throw error instanceof Problem ? error : storageFailed(error);
    }
    return hash.digest('hex');
  }
}

const absence = ({ state }: ObjectRow): Verdict | undefined =>
  state === 'available' ? { state: 'gone', objectTag: null, sizeBytes: null } : undefined;
