import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment } from '../../config/environment';
import { unavailable, type Problem } from '../../common/answers/problem';

/** A body that takes no more than this is small: a report of a controller, for example. */
const SMALL_BYTES = 256 * 1024;
/**
 * Shares of the memory: what large bodies leave to small
 * ones, and what one organisation leaves to the others.
 */
const LARGE_SHARE = 7 / 8;
const SHARE_OF_ONE = 3 / 4;

/**
 * The memory that the bodies of all requests in progress share. A request that finds none left is refused
 * before its body is read. Neither large bodies nor one organisation can take all of it.
 */
@Injectable()
export class BodyMemory {
  private held = 0;
  /** By organisation; one that holds nothing has none. */
  private readonly byOwner = new Map<string, number>();

  constructor(@Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'bodyMemoryBytes'>) {}

  /**
   * @param owner the organisation of the caller, where there is one
   * @throws a 503 when there is not so much left
   */
  hold(bytes: number, owner = ''): BodyHold {
    const hold = new BodyHold(this, owner);
    hold.growTo(bytes);
    return hold;
  }

  /**
   * @param before what the request holds already
   * @throws a 503 when there is not so much left
   */
  take(owner: string, bytes: number, before: number): void {
    const own = this.byOwner.get(owner) ?? 0;
    if (!this.isFree(bytes, before, own)) throw outOfMemory();
    this.held += bytes;
    this.byOwner.set(owner, own + bytes);
  }

  giveBack(owner: string, bytes: number): void {
    this.held -= bytes;
    const own = (this.byOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.byOwner.set(owner, own);
    else this.byOwner.delete(owner);
  }

  private isFree(bytes: number, before: number, own: number): boolean {
    const { bodyMemoryBytes: all } = this.environment;
    const after = this.held + bytes;
    // The only body in progress is always let in, whatever it takes: it would not be let in later either.
    if (this.held === before) return true;
    if (before + bytes <= SMALL_BYTES) return after <= all;
    if (after > all * LARGE_SHARE) return false;
    return own === before || own + bytes <= all * SHARE_OF_ONE;
  }
}

/** What one request has of the memory. */
export class BodyHold {
  private bytes = 0;
  private released = false;

  constructor(
    private readonly memory: BodyMemory,
    private readonly owner: string,
  ) {}

  /** @throws a 503 when there is not so much left; then it keeps what it has */
  growTo(bytes: number): void {
    if (this.released || bytes <= this.bytes) return;
    this.memory.take(this.owner, bytes - this.bytes, this.bytes);
    this.bytes = bytes;
  }

  /** Gives back what is not needed once the size of the body is known. */
  shrinkTo(bytes: number): void {
    if (this.released || bytes >= this.bytes) return;
    this.memory.giveBack(this.owner, this.bytes - bytes);
    this.bytes = bytes;
  }

  release(): void {
    this.released = true;
    this.memory.giveBack(this.owner, this.bytes);
    this.bytes = 0;
  }
}

const outOfMemory = (): Problem =>
  unavailable('body_memory_exhausted', 'The service is reading as much as it can at a time.');
