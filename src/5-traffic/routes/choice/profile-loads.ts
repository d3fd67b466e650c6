import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { newId } from '../../../1-platform/common/ids';
import { parseJson } from '../../../1-platform/common/json/json';
import { LOGGER } from '../../../1-platform/common/logger';
import { Notifications } from '../../../1-platform/database/connections/notifications';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { sendLoads } from './profile-loads.queries';
import { WaitingRooms } from './waiting-requests';

/** Channel on which replicas exchange their requests in flight. */
const CHANNEL = 'profile_loads';

/** How often a replica sends changed, and unchanged, counts. */
const SENT_EVERY_MS = 250;
const REPEATED_EVERY_MS = 1_000;
/** A replica that is silent for this long has no requests in flight any more. */
const BELIEVED_MS = 3_000;

/** PostgreSQL takes messages of less than 8,000 bytes. */
const MAX_MESSAGE_BYTES = 7_800;

interface Message {
  readonly replica: string;
  /** Of one report, which may take several messages. */
  readonly round: number;
  readonly last: boolean;
  /** Requests in flight, by organisation and profile. */
  readonly counts: readonly (readonly [string, number])[];
}

interface Peer {
  heardAt: number;
  counts: Map<string, number>;
  /** Parts of an incomplete report. */
  round: number;
  coming: Map<string, number>;
}

/**
 * Requests in flight and waiting requests, by profile. Replicas exchange their counts four times a second, so
 * a worker may exceed its limit only by requests that arrived in between.
 */
@Injectable()
export class ProfileLoads implements OnModuleInit, OnApplicationShutdown {
  private readonly replica = newId();
  private readonly underWay = new Map<string, number>();
  private readonly waiting = new Map<string, number>();
  private readonly peers = new Map<string, Peer>();
  /** The sum over all peers. */
  private elsewhere = new Map<string, number>();
  private changed = false;
  private round = 0;
  private sentAt = 0;
  private sending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: StatementPool,
    private readonly notifications: Notifications,
    private readonly rooms: WaitingRooms,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.notifications.on(CHANNEL, (text) => this.heard(parseJson(text) as Message));
    this.timer = setInterval(() => void this.send(), SENT_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Through every replica. */
  inFlight(orgId: string, profileId: string): number {
    const key = keyOf(orgId, profileId);
    return (this.underWay.get(key) ?? 0) + (this.elsewhere.get(key) ?? 0);
  }

  /** In this replica. */
  queued(orgId: string, profileId: string): number {
    return this.waiting.get(keyOf(orgId, profileId)) ?? 0;
  }

  began(orgId: string, profileId: string): void {
    this.changed = true;
    add(this.underWay, keyOf(orgId, profileId), 1);
  }

  ended(orgId: string, profileId: string): void {
    this.changed = true;
    add(this.underWay, keyOf(orgId, profileId), -1);
  }

  waits(orgId: string, profileId: string): void {
    add(this.waiting, keyOf(orgId, profileId), 1);
  }

  waitsNoMore(orgId: string, profileId: string): void {
    add(this.waiting, keyOf(orgId, profileId), -1);
  }

  private async send(): Promise<void> {
    this.forgetSilent();
    const repeats = this.underWay.size > 0 && performance.now() - this.sentAt >= REPEATED_EVERY_MS;
    if (this.sending || !(this.changed || repeats)) return;
    this.sending = true;
    this.changed = false;
    this.sentAt = performance.now();
    try {
      for (const text of this.messages()) await sendLoads(this.statements, CHANNEL, text);
    } catch (error) {
      this.changed = true;
      this.logger.debug({ err: error }, 'requests in flight could not be sent to other replicas');
    } finally {
      this.sending = false;
    }
  }

  /** At least one: the end of all requests is sent too. */
  private messages(): string[] {
    const { replica } = this;
    const round = ++this.round;
    const texts: string[] = [];
    let counts: [string, number][] = [];
    let bytes = 0;
    const put = (last: boolean) => texts.push(JSON.stringify({ replica, round, last, counts } satisfies Message));
    for (const entry of this.underWay) {
      const size = Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (bytes + size > MAX_MESSAGE_BYTES - 200) {
        put(false);
        [counts, bytes] = [[], 0];
      }
      counts.push(entry);
      bytes += size;
    }
    put(true);
    return texts;
  }

  private heard({ replica, round, last, counts }: Message): void {
    if (replica === this.replica) return;
    const peer = this.peers.get(replica) ?? { heardAt: 0, counts: new Map(), round, coming: new Map<string, number>() };
    if (peer.round !== round) Object.assign(peer, { round, coming: new Map<string, number>() });
    peer.heardAt = performance.now();
    for (const [key, count] of counts) peer.coming.set(key, count);
    this.peers.set(replica, peer);
    if (!last) return;
    peer.counts = peer.coming;
    this.sum();
  }

  private forgetSilent(): void {
    const before = performance.now() - BELIEVED_MS;
    let forgotten = false;
    for (const [replica, { heardAt }] of this.peers) {
      if (heardAt < before) forgotten = this.peers.delete(replica);
    }
    if (forgotten) this.sum();
  }

  private sum(): void {
    const before = this.elsewhere;
    this.elsewhere = new Map();
    for (const { counts } of this.peers.values())
      for (const [key, count] of counts) this.elsewhere.set(key, (this.elsewhere.get(key) ?? 0) + count);
    const freed = new Set<string>();
    for (const [key, count] of before) if ((this.elsewhere.get(key) ?? 0) < count) freed.add(orgOf(key));
    for (const orgId of freed) this.rooms.get(orgId)?.lookAgain();
  }
}

/** A UUID, and a profile id of any characters. */
const keyOf = (orgId: string, profileId: string): string => `${orgId}\t${profileId}`;

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

const orgOf = (key: string): string => key.slice(0, key.indexOf('\t'));
