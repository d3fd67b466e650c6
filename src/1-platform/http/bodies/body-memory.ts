import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment } from '../../config/environment';
import { unavailable, type Problem } from '../../common/answers/problem';

/** Maximum size of a small body, for example a report of a controller. */
const SMALL_BYTES = 256 * 1024;
/**
 * Shares of the memory: what large bodies leave to small ones, and what one organisation leaves to the
 * others.
 */
const LARGE_SHARE = 7 / 8;
const SHARE_OF_ONE = 3 / 4;
/** What an organisation may hold in all when a body of it grows whose size nobody knows. */
const SHARE_OF_GROWING = 1 / 2;

/** How a memory is shared. */
interface Sharing {
  readonly bytes: number;
  /** The share that small bodies of one organisation may take. */
  readonly smallShareOfOne: number;
  /** The answer if not enough is left. */
  readonly refusal: () => Problem;
}

/** Memory that bodies share. Neither large bodies nor one organisation can take all of it. */
export class SharedMemory {
  private held = 0;
  /** By organisation, if it holds any. */
  private readonly byOwner = new Map<string, number>();

  constructor(private readonly sharing: Sharing) {}

  /**
   * @param owner the organisation of the caller, if there is one
   * @throws a 503 if not enough is left
   */
  hold(bytes: number, owner = ''): BodyHold {
    const hold = new BodyHold(this, owner, SHARE_OF_ONE);
    hold.growTo(bytes);
    return hold;
  }

  /** For a body of unknown size, which takes more as it arrives. */
  holdGrowing(bytes: number, owner = ''): BodyHold {
    const hold = new BodyHold(this, owner, SHARE_OF_GROWING);
    hold.growTo(bytes);
    return hold;
  }

  /**
   * @param before what the request already holds
   * @param share of the memory, up to which the owner may take more for this request
   * @throws a 503 if not enough is left
   */
  take(owner: string, bytes: number, before: number, share: number): void {
    const own = this.byOwner.get(owner) ?? 0;
    if (!this.isFree(bytes, before, own, share)) throw this.sharing.refusal();
    this.held += bytes;
    this.byOwner.set(owner, own + bytes);
  }

  giveBack(owner: string, bytes: number): void {
    this.held -= bytes;
    const own = (this.byOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.byOwner.set(owner, own);
    else this.byOwner.delete(owner);
  }

  private isFree(bytes: number, before: number, own: number, share: number): boolean {
    const { bytes: all, smallShareOfOne } = this.sharing;
    // The only body in progress is always admitted, whatever its size: waiting would not help it.
    if (this.held === before) return true;
    const isSmall = before + bytes <= SMALL_BYTES;
    if (this.held + bytes > all * (isSmall ? 1 : LARGE_SHARE)) return false;
    return own === before || own + bytes <= all * (isSmall ? smallShareOfOne : share);
  }
}

/**
 * The memory that the bodies of all requests in progress share. If none is left, a request is refused before
 * its body is read, or while it arrives if its size was not known.
 */
@Injectable()
export class BodyMemory extends SharedMemory {
  constructor(@Inject(ENVIRONMENT) { bodyMemoryBytes }: Pick<Environment, 'bodyMemoryBytes'>) {
    super({ bytes: bodyMemoryBytes, smallShareOfOne: 1, refusal: outOfMemory });
  }
}

/** The memory of one request. */
export class BodyHold {
  private bytes = 0;
  private released = false;

  constructor(
    private readonly memory: SharedMemory,
    private readonly owner: string,
    private readonly share: number,
  ) {}

  /** @throws a 503 if not enough is left; it then keeps what it has */
  growTo(bytes: number): void {
    if (this.released || bytes <= this.bytes) return;
    this.memory.take(this.owner, bytes - this.bytes, this.bytes, this.share);
    this.bytes = bytes;
  }

  /** Returns the rest once the size of the body is known. */
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
