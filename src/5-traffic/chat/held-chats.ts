import { Inject, Injectable } from '@nestjs/common';
import { unavailable, type Problem } from '../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { SharedMemory, type BodyHold } from '../../1-platform/http/bodies/body-memory';

/** Maximal chats in one replica. */
const MAX_CHATS = 8_000;
/** What one organisation may have of the chats, and of the memory of those that wait. */
const SHARE_OF_ONE = 3 / 4;
/**
 * The share of the body memory for requests whose answers have not begun: they may wait as long as their
 * route allows, and other requests need memory meanwhile.
 */
const WAITING_SHARE = 1 / 2;

/** The chats in progress in this replica. No organisation takes all of the room. */
@Injectable()
export class HeldChats {
  /** Chats in progress. */
  size = 0;
  private readonly most: number = MAX_CHATS;
  /** By organisation, if it has any. */
  private readonly byOwner = new Map<string, number>();
  /** Of requests whose answers have not begun. */
  private readonly memory: SharedMemory;

  constructor(@Inject(ENVIRONMENT) { bodyMemoryBytes }: Pick<Environment, 'bodyMemoryBytes'>) {
    this.memory = new SharedMemory({
      bytes: bodyMemoryBytes * WAITING_SHARE,
      smallShareOfOne: SHARE_OF_ONE,
      refusal: tooMany,
    });
  }

  /**
   * @param bytes of its body
   * @throws a 503 if there are too many
   */
  enter(orgId: string, bytes: number): HeldChat {
    const own = this.byOwner.get(orgId) ?? 0;
    if (this.size >= this.most || own >= this.most * SHARE_OF_ONE) throw tooMany();
    const body = this.memory.hold(bytes, orgId);
    this.size++;
    this.byOwner.set(orgId, own + 1);
    return new HeldChat(this, orgId, body);
  }

  /** Called by a chat that is over, once. */
  left(orgId: string): void {
    this.size--;
    const own = (this.byOwner.get(orgId) ?? 0) - 1;
    if (own > 0) this.byOwner.set(orgId, own);
    else this.byOwner.delete(orgId);
  }
}

/** One chat in progress. */
export class HeldChat {
  private isOver = false;

  constructor(
    private readonly chats: HeldChats,
    private readonly orgId: string,
    private readonly body: BodyHold,
  ) {}

  /** Nobody needs the body any more. */
  letGo(): void {
    this.body.release();
  }

  leave(): void {
    this.letGo();
    if (!this.isOver) this.chats.left(this.orgId);
    this.isOver = true;
  }
}

const tooMany = (): Problem =>
  unavailable('queue_full', 'Too many requests for models are in progress in this instance; try again.');
